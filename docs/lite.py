"""Build JupyterLite, in which the notebooks run without anything installed: a folder of files.

Its Python is Pyodide. It is fetched by the reader's browser from the address of the kernel, a
content network unless another is named, or lies in the folder where an official archive of
Pyodide is given: then nothing comes from elsewhere, as in a room without network.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jupyter_core.paths import jupyter_path
from jupyterlite_pyodide_kernel.constants import PYODIDE_VERSION

ROOT = Path(__file__).resolve().parent.parent
INSTALL = '%pip install -q "verikit[browser]"'
SERVED = (
    "@jupyterlite/pyodide-kernel-extension",
    "@jupyter-widgets/jupyterlab-manager",
    "anywidget",
)
BROUGHT = ("anywidget", "ipywidgets", "jupyterlab_widgets", "psygnal", "sqlglot", "mlxtend")
ANY = ("--platform", "any", "--implementation", "py", "--abi", "none", "--no-deps")
KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
CDN = "https://cdn.jsdelivr.net/pyodide/v{version}/full/pyodide.mjs"
NOT_PACKED = (".*", "build", "*.egg-info", "__pycache__", "tests", "benchmarks", "docs")
# what the page says where its Python cannot be had
WARNING = """\
<script>
const python = new URL({address}, new URL("../", document.baseURI)).href;
fetch(python, {{ method: "HEAD" }}).then((answer) => answer.ok, () => false).then((found) => {{
  if (found) return;
  const said = document.createElement("p");
  said.id = "no-python";
  said.setAttribute("role", "alert");
  said.style = "position:fixed;inset:auto 0 0 0;z-index:9999;margin:0;padding:12px 16px;" +
    "background:#fff4e5;color:#1b1b1b;border-top:3px solid #d55e00;font:16px/1.4 system-ui";
  said.textContent = `Python cannot be fetched from ${{python}}. The notebooks can be read here, ` +
    "but not run. Try again with a network, or ask whoever built this site for one that brings " +
    "its own Python.";
  document.body.append(said);
}});
</script>
"""


def build_lite(target: Path, kernel: str, notebooks: Sequence[str] | None = None) -> None:
    """Build it; the kernel is an address, a folder or an archive of Pyodide, or nothing said.

    Parameters
    ----------
    target
        Where it is to lie.
    kernel
        The address of a ``pyodide.mjs``; or a folder that holds one, or an archive as Pyodide
        releases it: it is copied. Empty for the content network that the kernel names itself.
    notebooks
        The notebooks by name; None for all.
    """
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        copy_notebooks(work / "files", notebooks)
        own = find_kernel(kernel, work)
        wheels = [make_wheel(work), *(fetch_wheels(work) if own else ())]
        address = "./static/pyodide/pyodide.mjs" if own else kernel or default_address()
        settings: dict[str, Any] = {"pyodideUrl": address, "disablePyPIFallback": own is not None}
        if own:  # what the folder lists of the kernel itself is loaded from there
            listed = json.loads((own / "pyodide-lock.json").read_text(encoding="utf-8"))["packages"]
            needed = [
                "micropip",
                "piplite",
                "ipykernel",
                "comm",
                "pyodide-kernel",
                "jedi",
                "ipython",
            ]
            settings["loadPyodideOptions"] = {"packages": [one for one in needed if one in listed]}
        page = {"appName": "verikit", "litePluginSettings": {KERNEL: settings}}
        write_json(
            work / "jupyter-lite.json",
            {"jupyter-lite-schema-version": 0, "jupyter-config-data": page},
        )
        told = {"apps": ["lab"], "contents": ["files"], "output_dir": str(target.resolve())}
        told |= {"no_sourcemaps": True, "no_unused_shared_packages": True, "no_libarchive": True}
        told |= {"ignore_sys_prefix": ["federated_extensions"]}
        told |= {"federated_extensions": [str(find_extension(name)) for name in SERVED]}
        addon = {"piplite_urls": [str(wheel) for wheel in wheels]}
        write_json(
            work / "jupyter_lite_config.json", {"LiteBuildConfig": told, "PipliteAddon": addon}
        )
        command = [sys.executable, "-m", "jupyterlite_core", "build"]
        subprocess.run(command, cwd=work, check=True, capture_output=True)  # noqa: S603
        if own:
            shutil.copytree(own, target / "static" / "pyodide", dirs_exist_ok=True)
    page_of_lab = target / "lab" / "index.html"
    text = page_of_lab.read_text(encoding="utf-8")
    warning = WARNING.format(address=json.dumps(address))
    page_of_lab.write_text(text.replace("</body>", f"{warning}</body>"), encoding="utf-8")


def copy_notebooks(folder: Path, only: Sequence[str] | None) -> None:
    """The notebooks, each with the line that installs verikit before all else."""
    for file in sorted((ROOT / "notebooks").rglob("*.ipynb")):
        if file.name.startswith("_") or (only is not None and file.stem not in only):
            continue
        notebook = json.loads(file.read_text(encoding="utf-8"))
        first = {"cell_type": "code", "id": "install", "metadata": {}, "source": INSTALL}
        notebook["cells"].insert(0, first | {"execution_count": None, "outputs": []})
        notebook["metadata"]["kernelspec"] = {"name": "python", "display_name": "Python (Pyodide)"}
        copy = folder / file.relative_to(ROOT / "notebooks")
        copy.parent.mkdir(parents=True, exist_ok=True)
        write_json(copy, notebook)


def find_kernel(kernel: str, work: Path) -> Path | None:
    """The folder of Pyodide that is to be copied; None where the kernel is an address."""
    if not kernel or "://" in kernel:
        return None
    place = Path(kernel).expanduser().resolve()
    if place.is_file():
        shutil.unpack_archive(place, work / "pyodide", filter="data")
        place = work / "pyodide"
    found = next(place.rglob("pyodide.mjs"), None)
    if found is None:
        sys.exit(
            f"{kernel} holds no pyodide.mjs; give a folder or an archive of Pyodide 0.27 or later."
        )
    return found.parent


def default_address() -> str:
    """Where the kernel that is installed looks for its Python."""
    return CDN.format(version=PYODIDE_VERSION)


def make_wheel(work: Path) -> Path:
    """The wheel of verikit, built from a copy, so that no earlier build is in it."""
    shutil.copytree(ROOT, work / "source", ignore=shutil.ignore_patterns(*NOT_PACKED))
    _run_pip(
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(work / "wheel"),
        str(work / "source"),
    )
    return next((work / "wheel").glob("*.whl"))


def fetch_wheels(work: Path) -> list[Path]:
    """What the notebooks import and Pyodide does not bring, for a room without network."""
    _run_pip("download", *ANY, "-d", str(work / "brought"), *BROUGHT)
    return sorted((work / "brought").glob("*.whl"))


def find_extension(name: str) -> Path:
    """Where a part of JupyterLab's page lies."""
    places = [Path(place, name) for place in jupyter_path("labextensions")]
    return next(place for place in places if place.exists())


def write_json(file: Path, content: object) -> None:
    """Write a file of JSON."""
    file.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")


def _run_pip(*command: str) -> None:
    done = [sys.executable, "-m", "pip", *command]
    subprocess.run(done, check=True, capture_output=True, env=os.environ | {"PIP_NO_INPUT": "1"})  # noqa: S603
