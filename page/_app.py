"""``verikit app``, ``lab`` and ``doctor``: Jupyter on one's own computer, with our pages in it."""

from __future__ import annotations

import json
import os
import re
import sys
import time
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from http.client import HTTPException
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from subprocess import SubprocessError
from typing import Any

from verikit._support.extras import needed
from verikit._support.requests import whole
from verikit._support.writing import together
from verikit.cli import Command
from verikit.datasets import find_release
from verikit.errors import FormatError, VerikitError
from verikit.page._child import HOST, MAX_VISITORS, VISITORS
from verikit.page._server import SETTINGS, Server, private_files, run_server, serve
from verikit.words import joined

APP_NOTEBOOK, BENCH_NOTEBOOK = "check_your_record_app.ipynb", "bench_app.ipynb"


@dataclass
class App(Command):
    """Check my own record in the browser.

    Parameters
    ----------
    release
        a release's folder, zip, or table file (default: example)
    promise : TEXT
        what a bare table promises of its values, such as "drawn from a model"
    language
        its language (default: that of the browser)
    visitors : COUNT
        how many pages may be open at a time (default: 8)
    keep_warm
        keep a kernel ready, for quicker pages
    """

    release: str | None = None
    _: KW_ONLY
    promise: str | None = None
    language: str | None = None
    port: int | None = None
    no_browser: bool = False
    visitors: int = MAX_VISITORS
    keep_warm: bool = False

    def execute(self) -> int:
        """Serve the self-check until Ctrl-C."""
        release = self.release
        if release is not None:
            find_release(release, **({"promise": self.promise} if self.promise else {}))
            release = str(Path(release).resolve()) if Path(release).exists() else release
        shown: Any = {"language": self.language, "visitors": self.visitors}
        shown["promise"] = self.promise
        server = app_server(release, port=self.port, warm=self.keep_warm, **shown)
        return serve(server, browser=not self.no_browser)


def app_server(
    release: str | None = None,
    *,
    port: int | None = None,
    warm: bool = False,
    language: str | None = None,
    visitors: int = MAX_VISITORS,
    promise: str | None = None,
) -> Server:
    """Describe the server of the page; ``release`` is the table it shows first."""
    whole(visitors, "visitors", least=1)
    given = {"VERIKIT_RELEASE": release, "VERIKIT_LANGUAGE": language}
    given |= {"VERIKIT_PROMISE": promise, VISITORS: str(visitors)}
    return page_server(APP_NOTEBOOK, given, port=port, warm=warm)


def page_server(
    notebook: str, given: Mapping[str, str | None], *, port: int | None = None, warm: bool = False
) -> Server:
    """Describe the server of one of our pages; its notebook hears of what is given."""
    from verikit._support.resources import notebooks_dir

    needed("verikit app", "jupyter", "voila", "ipywidgets", "anywidget")
    options = [
        notebook,
        f"--Voila.ip={HOST}",
        "--Voila.port_retries=0",
        "--Voila.auto_token=True",
        *(["--preheat_kernel=True", "--pool_size=1"] if warm else []),
    ]
    environment = {"VERIKIT_START": str(Path.cwd())}
    environment |= {name: value for name, value in given.items() if value is not None}
    return Server("voila", "Voila", options, notebooks_dir(), port, environment=environment)


@dataclass
class Bench(Command):
    """Go from a table to a folder to give away, in the browser.

    Read and confirm what each column is, try methods, see before and after and who is found, and
    publish. Nothing leaves this computer; key and seed stay in a folder for you alone.

    Parameters
    ----------
    table
        the original records, a table file (default: example)
    """

    table: str | None = None
    _: KW_ONLY
    schema: str | None = None
    port: int | None = None
    no_browser: bool = False

    def execute(self) -> int:
        """Serve the bench until Ctrl-C."""
        given = {"VERIKIT_TABLE": self.table, "VERIKIT_SCHEMA": self.schema, VISITORS: "1"}
        for path in (self.table, self.schema):
            if path is not None and not Path(path).is_file():
                raise FormatError(f"{path!r} is no file; give the table, or its description.")
        return serve(
            page_server(BENCH_NOTEBOOK, given, port=self.port), browser=not self.no_browser
        )


FIRST_NOTEBOOK = "00_start.ipynb"


@dataclass
class Lab(Command):
    """Learn and apply, in JupyterLab.

    Parameters
    ----------
    dir_ : DIR
        the folder of my copies (default: verikit-work)
    fresh
        work on new copies, in a folder with today's date
    """

    _: KW_ONLY
    dir_: str = "verikit-work"
    fresh: bool = False
    port: int | None = None
    no_browser: bool = False

    def execute(self) -> int:
        """Copy the notebooks that are not there yet, and serve them until Ctrl-C."""
        with private_files():
            folder = make_work_folder(Path(self.dir_), fresh=self.fresh)
        return serve(lab_server(folder, port=self.port), browser=not self.no_browser)


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


@dataclass
class Doctor(Command):
    """See whether everything is there and works.

    Parameters
    ----------
    json
        print what was found as JSON
    """

    _: KW_ONLY
    json: bool = False

    def execute(self) -> int:
        """Look at each part; the last line says how it went."""
        python = f"{sys.version.split()[0]} in {sys.prefix}"
        if not self.json:
            print(f"python {python}")
        checks: dict[str, Callable[[], str]] = {
            **{name: partial(version, name) for name in PACKAGES},
            "own Jupyter settings": _find_settings,
            "notebooks": _check_notebooks,
            "the page of verikit app": _open_page,
        }
        found = [_run_check(name, check, quiet=self.json) for name, check in checks.items()]
        failed = [line["name"] for line in found if not line["well"]]
        facts = {"well": not failed, "python": python, "checks": found}
        self.show(facts, f"Not well: {', '.join(failed)}." if failed else "All is well.")
        return int(bool(failed))


def _run_check(name: str, check: Callable[[], str], *, quiet: bool) -> dict[str, Any]:
    broken = (VerikitError, OSError, PackageNotFoundError, SubprocessError, HTTPException)
    try:
        well, said = True, check()
    except broken as error:
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
    if foreign or "SelfCheck(32 records" not in page:
        raise VerikitError(f"links elsewhere: {foreign}" if foreign else "its kernel did not run")
    return f"answered on port {server.port}, its kernel ran, no link leaves this computer"
