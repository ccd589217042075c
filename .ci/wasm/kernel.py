"""Put together what a browser's Python needs, from registries alone.

    python .ci/wasm/kernel.py FOLDER

The folder can stand for an official archive of Pyodide where `docs/build.py --kernel` asks for
one. Pyodide and its numpy come from npm, pandas and Jupyter's kernel from PyPI, all of the one
version of Python for which each of these has a build. What none of them builds (`ABSENT`) is
named, so that it can be asked for, and empty: whoever imports it is told that it is not there.
"""

import hashlib
import importlib.metadata
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

NPM = ("pyodide@0.27", "@emscripten-forge/numpy@2.0.1-py312h4e66579-0")
PLATFORM = ("--platform", "pyemscripten_2024_0_wasm32", "--python-version", "312")
PANDAS = ["--no-deps", "pandas>=3,<3.1", *PLATFORM, "--abi", "cp312"]
ANY = ["--platform", "any", "--python-version", "312", "--implementation", "py", "--abi", "none"]
PURE = ["ipython", "jedi", "comm", "packaging", "python-dateutil", "six", "typing_extensions"]
NEW = ["--no-deps", "--ignore-requires-python", "micropip==0.10.0"]  # for both of them
ABSENT = ("duckdb", "matplotlib", "mlxtend", "scipy")
KERNEL = "labextensions/@jupyterlite/pyodide-kernel-extension/static/pypi"
BROWSER = {"sys_platform": "emscripten", "platform_system": "Emscripten", "extra": ""}


def fetch_parts(work):
    """Fetch Pyodide, its numpy as a wheel, and pandas; where Pyodide lies."""
    work.mkdir(parents=True, exist_ok=True)
    for name in NPM:
        command = ["npm", "pack", "--silent", name]
        subprocess.run(command, cwd=work, check=True, capture_output=True)
    for pattern in ("*.tgz", "numpy/**/*.tar.gz"):
        for path in [*work.glob(pattern)]:
            shutil.unpack_archive(path, work / ("numpy" if "numpy" in path.name else "pyodide"))
    packages = next(work.rglob("site-packages/numpy")).parent
    (info,) = packages.glob("numpy-*.dist-info")
    with zipfile.ZipFile(work / f"{info.stem}-cp312-cp312-any.whl", "w") as wheel:
        for path in sorted(packages.rglob("*")):
            wheel.write(path, path.relative_to(packages))
    fetch_wheels(work, PANDAS)
    return next(work.rglob("pyodide.mjs")).parent


def fetch_wheels(work, *wanted):
    """Fetch wheels from PyPI."""
    for asked in wanted:
        pip = [sys.executable, "-m", "pip", "download", "-q", "-d", str(work)]
        subprocess.run([*pip, "--only-binary", ":all:", *asked], check=True, capture_output=True)


def mend_installer(wheel):
    """Have micropip hand over what is installed as Pyodide 0.27 takes it: since 0.28 in a dict."""
    old, new = (
        "            metadata,\n",
        '            metadata["INSTALLER"],\n            wheel_source,\n',
    )
    with zipfile.ZipFile(wheel) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    place = "micropip/wheelinfo.py"
    if files[place].decode().count(old) != 1:
        sys.exit(f"{place} is not written as it was, and cannot be mended.")
    files[place] = files[place].decode().replace(old, new).encode()
    with zipfile.ZipFile(wheel, "w") as packed:
        for name, content in files.items():
            packed.writestr(name, content)


def write_absent(work, name):
    """Write a wheel that says that it is one, and holds nothing."""
    info = f"{name}-99.dist-info"
    with zipfile.ZipFile(work / f"{name}-99-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 99\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


def describe(wheel):
    """A wheel as Pyodide's list of packages names it."""
    with zipfile.ZipFile(wheel) as packed:
        told = next(name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
    info = importlib.metadata.PathDistribution(zipfile.Path(wheel, told.removesuffix("METADATA")))
    wants = [Requirement(line) for line in info.requires or ()]
    depends = [one for one in wants if not one.marker or one.marker.evaluate(BROWSER)]
    name = canonicalize_name(info.name)
    return name, {
        "name": name,
        "version": info.version,
        "file_name": wheel.name,
        "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "package_type": "package",
        "imports": [name.replace("-", "_")],
        "depends": [canonicalize_name(one.name) for one in depends],
        "unvendored_tests": False,
    }


def write_kernel(folder):
    """Write the folder: Pyodide, all wheels, and the list that names them."""
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        pyodide = fetch_parts(work)
        fetch_wheels(work, [*ANY, *PURE], NEW)
        mend_installer(next(work.glob("micropip-*.whl")))
        for name in ABSENT:
            write_absent(work, name)
        own = sorted(Path(sys.prefix, "share/jupyter", KERNEL).glob("*.whl"))
        wheels = [*work.glob("*.whl"), *(one for one in own if "nbextension-3" not in one.name)]
        packages = dict(map(describe, wheels))
        for one in packages.values():
            one["depends"] = [name for name in one["depends"] if name in packages]
        lock = json.loads((pyodide / "pyodide-lock.json").read_text(encoding="utf-8"))
        shutil.copytree(pyodide, folder, dirs_exist_ok=True)
        for wheel in wheels:
            shutil.copy(wheel, folder)
        text = json.dumps({"info": lock["info"], "packages": packages}, indent=1)
        (folder / "pyodide-lock.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_kernel(Path(sys.argv[1]).resolve())
