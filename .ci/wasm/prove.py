"""Prove that verikit says in a browser's Python what it says here: Pyodide, under node.

    python .ci/wasm/prove.py verikit.whl folder

Pyodide and its numpy come from npm, pandas from PyPI, all of the one version of Python for which
each of these has a build; where they cannot be fetched it says so, and proves nothing.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
NPM = ("pyodide@0.27", "@emscripten-forge/numpy@2.0.1-py312h4e66579-0")
PLATFORM = ("--platform", "pyemscripten_2024_0_wasm32", "--python-version", "312")
WHEELS = (["pandas>=3,<3.1", *PLATFORM, "--abi", "cp312"], ["python-dateutil"], ["six"])
MAX_WITHOUT = 12  # exercises that want scipy


def fetch_parts(wheel, work):
    """Unpack Pyodide, and beside it the packages that it is to import."""
    site = work / "site"
    for name in NPM:
        command = ["npm", "pack", "--silent", name]
        subprocess.run(command, cwd=work, check=True, capture_output=True)
    for pattern in ("*.tgz", "numpy/**/*.tar.gz"):
        for path in [*work.glob(pattern)]:
            shutil.unpack_archive(path, work / ("numpy" if "numpy" in path.name else "pyodide"))
    shutil.copytree(next(work.rglob("site-packages/numpy")), site / "numpy")
    for asked in WHEELS:
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(work)]
        subprocess.run([*pip, "--only-binary", ":all:", *asked], check=True, capture_output=True)
    for path in [wheel, *work.glob("*.whl")]:
        shutil.unpack_archive(path, site, "zip")
    return next(work.rglob("pyodide.mjs"))


def ask(*command):
    """What a Python says, and the lines before."""
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    before, _, said = done.stdout.partition("SAID ")
    if not said:
        sys.exit(f"   it said nothing:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return json.loads(said), before.strip()


def main(wheel, work):
    """Ask both, and compare."""
    work.mkdir(parents=True, exist_ok=True)
    if not (shutil.which("node") and shutil.which("npm")):
        print("   no node: verikit in a browser's Python is not proved")
        return
    try:
        pyodide = fetch_parts(wheel, work)
    except (subprocess.CalledProcessError, StopIteration) as error:
        print(f"   Pyodide could not be fetched, and nothing is proved: {error}")
        return
    script = str(HERE / "ask.py")
    here, _ = ask(sys.executable, "-P", script)
    there, before = ask("node", str(HERE / "ask.mjs"), str(pyodide), script, str(work / "site"))
    lacking = [name for name, said in there.items() if said == "needs scipy"]
    differing = [name for name in here if there[name] not in (here[name], "needs scipy")]
    same = len(here) - len(lacking) - len(differing)
    print(f"   {before.lower()} ms; {same} of {len(here)} say the same")
    print(f"   without scipy cannot be asked: {', '.join(lacking)}")
    for name in differing:
        print(f"   {name}\n      here  {here[name]}\n      there {there[name]}")
    if differing or len(lacking) > MAX_WITHOUT:
        sys.exit("   a browser's Python does not say what this one says")


main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
