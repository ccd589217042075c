"""``verikit lab``: the notebooks in JupyterLab, copied to a folder of one's own."""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path

from verikit._support.extras import needed
from verikit._support.writing import together
from verikit.cli._child import HOST
from verikit.cli._inputs import Commands
from verikit.cli._private import private_files
from verikit.cli._server import Server, add_options, serve

__all__ = ["add", "lab_server", "work_folder"]

FIRST = "00_start.ipynb"


def add(commands: Commands) -> None:
    """Add the subcommand."""
    command = commands.add_parser("lab", help="learn and apply, in JupyterLab")
    command.add_argument(
        "--dir", default="verikit-work", help="the folder of my copies (default: verikit-work)"
    )
    command.add_argument(
        "--fresh", action="store_true", help="work on new copies, in a folder with today's date"
    )
    add_options(command)
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Copy the notebooks that are not there yet, and serve them until Ctrl-C."""
    with private_files():
        folder = work_folder(Path(given.dir), fresh=given.fresh)
    return serve(lab_server(folder, port=given.port), browser=not given.no_browser)


def work_folder(wanted: Path, *, fresh: bool = False) -> Path:
    """The folder to work in, with a copy of every notebook; what is there is never overwritten.

    The copies hold no outputs: an answer is seen when its cell was run, not before.
    """
    from verikit._support.resources import notebooks_dir

    if fresh:
        wanted = wanted.with_name(f"{wanted.name}-{time.strftime('%Y-%m-%d-%H%M%S')}")
    source = notebooks_dir()
    with together() as new:
        new.parents(wanted)
        for notebook in sorted(source.rglob("*.ipynb")):
            target = wanted / notebook.relative_to(source)
            if (
                target.exists()
                or notebook.name.startswith("_")
                or ".ipynb_checkpoints" in str(target)
            ):
                continue
            new.parents(target.parent)
            new.file(target, _learners(notebook))
    return wanted.resolve()


def _learners(notebook: Path) -> str:
    """A notebook as a learner gets it, without the outputs that our tests compare."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def lab_server(folder: Path, *, port: int | None = None) -> Server:
    """The server of JupyterLab in a folder."""
    needed("verikit lab", "jupyter", "jupyterlab", "ipywidgets", "anywidget")
    options = [
        f"--ServerApp.ip={HOST}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={folder}",
    ]
    if os.name == "posix" and os.geteuid() == 0:
        options.append("--allow-root")
    page = f"/lab/tree/{FIRST}" if (folder / FIRST).exists() else "/lab"
    told = {"VERIKIT_START": str(Path.cwd())}
    return Server("jupyterlab", "ServerApp", options, folder, port, page, told)
