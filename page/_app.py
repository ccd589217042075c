"""``verikit app``, ``lab`` and ``doctor``: Jupyter on one's own computer, with our pages in it."""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from verikit._support.extras import needed
from verikit._support.requests import whole
from verikit._support.writing import together
from verikit.cli import Commands, add_shared
from verikit.datasets import find_release
from verikit.errors import FormatError, VerikitError
from verikit.languages import LANGUAGES
from verikit.page._child import HOST, MAX_VISITORS, VISITORS
from verikit.page._server import SETTINGS, Server, private_files, run_server, serve
from verikit.words import joined

APP_NOTEBOOK = "check_your_record_app.ipynb"


def add_app(commands: Commands) -> None:
    """Add the subcommand."""
    command = commands.add_parser("app", help="check my own record in the browser")
    command.add_argument(
        "release", nargs="?", help="a release's folder, zip, or table file (default: example)"
    )
    command.add_argument(
        "--language", choices=LANGUAGES, help="its language (default: that of the browser)"
    )
    add_shared(command, "--port", "--no-browser")
    command.add_argument(
        "--visitors",
        type=int,
        default=MAX_VISITORS,
        metavar="COUNT",
        help="how many pages may be open at a time (default: %(default)s)",
    )
    command.add_argument(
        "--keep-warm", action="store_true", help="keep a kernel ready, for quicker pages"
    )
    command.set_defaults(run=run_app)


def run_app(given: argparse.Namespace) -> int:
    """Serve the self-check until Ctrl-C."""
    release = given.release
    if release is not None:
        find_release(release)
        release = str(Path(release).resolve()) if Path(release).exists() else release
    server = app_server(
        release,
        port=given.port,
        warm=given.keep_warm,
        language=given.language,
        visitors=given.visitors,
    )
    return serve(server, browser=not given.no_browser)


def app_server(
    release: str | None = None,
    *,
    port: int | None = None,
    warm: bool = False,
    language: str | None = None,
    visitors: int = MAX_VISITORS,
) -> Server:
    """Describe the server of the page; ``release`` is the table it shows first."""
    from verikit._support.resources import notebooks_dir

    needed("verikit app", "jupyter", "voila", "ipywidgets", "anywidget")
    options = [
        APP_NOTEBOOK,
        f"--Voila.ip={HOST}",
        "--Voila.port_retries=0",
        "--Voila.auto_token=True",
        *(["--preheat_kernel=True", "--pool_size=1"] if warm else []),
    ]
    whole(visitors, "visitors", least=1)
    environment = {"VERIKIT_START": str(Path.cwd()), VISITORS: str(visitors)}
    if release is not None:
        environment["VERIKIT_RELEASE"] = release
    if language is not None:
        environment["VERIKIT_LANGUAGE"] = language
    return Server("voila", "Voila", options, notebooks_dir(), port, environment=environment)


FIRST_NOTEBOOK = "00_start.ipynb"


def add_lab(commands: Commands) -> None:
    """Add the subcommand."""
    command = commands.add_parser("lab", help="learn and apply, in JupyterLab")
    command.add_argument(
        "--dir", default="verikit-work", help="the folder of my copies (default: verikit-work)"
    )
    command.add_argument(
        "--fresh", action="store_true", help="work on new copies, in a folder with today's date"
    )
    add_shared(command, "--port", "--no-browser")
    command.set_defaults(run=run_lab)


def run_lab(given: argparse.Namespace) -> int:
    """Copy the notebooks that are not there yet, and serve them until Ctrl-C."""
    with private_files():
        folder = make_work_folder(Path(given.dir), fresh=given.fresh)
    return serve(lab_server(folder, port=given.port), browser=not given.no_browser)


def make_work_folder(wanted: Path, *, fresh: bool = False) -> Path:
    """Make the folder to work in, with a copy of every notebook; nothing is overwritten.

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
            new.file(target, _strip_outputs(notebook))
    return wanted.resolve()


def _strip_outputs(notebook: Path) -> str:
    """Strip a notebook as a learner gets it, without the outputs that our tests compare."""
    content = json.loads(notebook.read_text(encoding="utf-8"))
    for cell in content["cells"]:
        if cell["cell_type"] == "code":
            cell.update(outputs=[], execution_count=None)
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def lab_server(folder: Path, *, port: int | None = None) -> Server:
    """Describe the server of JupyterLab in a folder."""
    needed("verikit lab", "jupyter", "jupyterlab", "ipywidgets", "anywidget")
    options = [
        f"--ServerApp.ip={HOST}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={folder}",
    ]
    if os.name == "posix" and os.geteuid() == 0:
        options.append("--allow-root")
    page = f"/lab/tree/{FIRST_NOTEBOOK}" if (folder / FIRST_NOTEBOOK).exists() else "/lab"
    environment = {"VERIKIT_START": str(Path.cwd())}
    return Server("jupyterlab", "ServerApp", options, folder, port, page, environment)


PACKAGES = ("verikit", "numpy", "pandas", "ipywidgets", "anywidget", "voila", "jupyterlab")
ENGINES = ("20_numeric_anonymity", "21_answers_with_guarantees", "reproduce/qz_chapter_2")
NEEDED = {  # a package, the extra that brings it, and the notebooks that stop without it
    "mlxtend": ("jupyter", ("07_random_anonymization", "08_what_survives", "reproduce/yq_figures")),
    "sqlglot": ("jupyter", ("22_disguised_distributions", "30_large_releases", *ENGINES)),
    "duckdb": ("jupyter", ("30_large_releases", *ENGINES)),
    "ibis": ("scale", ("30_large_releases",)),
    "pyarrow": ("scale", ("30_large_releases",)),
}
FOREIGN_LINK = re.compile(
    r"""<(?:link|script|img|iframe)\b[^>]*?\b(?:href|src)\s*=\s*["'](?:\w+:)?//[^"']*""",
    re.IGNORECASE,
)


def add_doctor(commands: Commands) -> None:
    """Add the subcommand."""
    command = commands.add_parser("doctor", help="see whether everything is there and works")
    command.add_argument("--json", action="store_true", help="print what was found as JSON")
    command.set_defaults(run=run_doctor)


def run_doctor(given: argparse.Namespace) -> int:
    """Look at each part; the last line says how it went."""
    python = f"{sys.version.split()[0]} in {sys.prefix}"
    if not given.json:
        print(f"python {python}")
    checks: list[tuple[str, Callable[[], str]]] = [
        (name, partial(version, name)) for name in PACKAGES
    ]
    checks += [("own Jupyter settings", _find_settings), ("notebooks", _check_notebooks)]
    checks.append(("the page of verikit app", _open_page))
    found = [_run_check(name, check, quiet=given.json) for name, check in checks]
    failed = [line["name"] for line in found if not line["well"]]
    if given.json:
        found_all = {"well": not failed, "python": python, "checks": found}
        print(json.dumps(found_all, ensure_ascii=False))
        return int(bool(failed))
    print(f"Not well: {', '.join(failed)}." if failed else "All is well.")
    return int(bool(failed))


def _run_check(name: str, check: Callable[[], str], *, quiet: bool) -> dict[str, Any]:
    try:
        well, said = True, check()
    except (VerikitError, OSError, PackageNotFoundError, subprocess.SubprocessError) as error:
        well, said = False, str(error)
    if not quiet:
        print(f"{'ok    ' if well else 'NOT OK'}  {name}: {said}")
    return {"name": name, "well": well, "said": said}


def _find_settings() -> str:
    wanted = [
        "etc/labconfig/default_setting_overrides.json",
        "share/jupyter/voila/templates/verikit/index.html.j2",
    ]
    lacking = [part for part in wanted if not (SETTINGS / part).is_file()]
    if lacking:
        raise FormatError(f"{', '.join(lacking)} not in {SETTINGS}; install verikit again.")
    return "found"


def _check_notebooks() -> str:
    """Name the notebooks that will stop; not well where the usual extra would have been enough."""
    missing: dict[str, list[str]] = {}
    for package, (extra, _) in NEEDED.items():
        if find_spec(package) is None:
            missing.setdefault(extra, []).append(package)
    parts = []
    for extra, packages in missing.items():
        stop = sorted({name for package in packages for name in NEEDED[package][1]})
        parts.append(
            f"{joined(stop)} will stop, for want of {joined(packages)}; "
            f"pip install 'verikit[{extra}]' brings them"
        )
    said = "; ".join(parts)
    if "jupyter" in missing:
        raise FormatError(said)
    return said or "all of them run"


def find_foreign_links(page: str) -> list[str]:
    """Find the parts of a page that would be fetched from another computer.

    Examples
    --------
    >>> find_foreign_links('<img src="/a.png"><script src="https://example.org/b.js"></script>')
    ['<script src="https://example.org/b.js']
    """
    return [found.group() for found in FOREIGN_LINK.finditer(page)]


def _open_page() -> str:
    """Start the server, let a kernel run the page, and look for links to elsewhere."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with run_server(app_server()) as server, opener.open(server.address, timeout=60) as reply:
        page = reply.read().decode()
    foreign = find_foreign_links(page)
    if foreign or "SelfCheck(20 records" not in page:
        raise VerikitError(f"links elsewhere: {foreign}" if foreign else "its kernel did not run")
    return f"answered on port {server.port}, its kernel ran, no link leaves this computer"
