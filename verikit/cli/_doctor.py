"""``verikit doctor``: whether everything is there that the screens need."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

from verikit.cli._app import app_server
from verikit.cli._inputs import Commands
from verikit.cli._server import SETTINGS, running
from verikit.errors import FormatError, VerikitError
from verikit.words import joined

__all__ = ["add", "foreign_links"]

PACKAGES = ("verikit", "numpy", "pandas", "ipywidgets", "anywidget", "voila", "jupyterlab")
ENGINES = ("20_numeric_anonymity", "21_answers_with_guarantees", "reproduce/qz_chapter_2")
NEEDED = {  # a package, the extra that brings it, and the notebooks that stop without it
    "mlxtend": ("jupyter", ("07_random_anonymization", "08_what_survives", "reproduce/yq_figures")),
    "sqlglot": ("jupyter", ("22_disguised_distributions", "30_large_releases", *ENGINES)),
    "duckdb": ("jupyter", ("30_large_releases", *ENGINES)),
    "ibis": ("scale", ("30_large_releases",)),
    "pyarrow": ("scale", ("30_large_releases",)),
}
LINK = re.compile(
    r"""<(?:link|script|img|iframe)\b[^>]*?\b(?:href|src)\s*=\s*["'](?:\w+:)?//[^"']*""",
    re.IGNORECASE,
)


def add(commands: Commands) -> None:
    """Add the subcommand."""
    command = commands.add_parser("doctor", help="see whether everything is there and works")
    command.add_argument("--json", action="store_true", help="print what was found as JSON")
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
    """Look at each part; the last line says how it went."""
    python = f"{sys.version.split()[0]} in {sys.prefix}"
    if not given.json:
        print(f"python {python}")
    checks: list[tuple[str, Callable[[], str]]] = [(name, _version(name)) for name in PACKAGES]
    checks += [("own Jupyter settings", _own_settings), ("notebooks", _notebooks)]
    checks.append(("the page of verikit app", _page))
    found = [_looked_at(name, check, quiet=given.json) for name, check in checks]
    failed = [line["name"] for line in found if not line["well"]]
    if given.json:
        told = {"well": not failed, "python": python, "checks": found}
        print(json.dumps(told, ensure_ascii=False))
        return int(bool(failed))
    print(f"Not well: {', '.join(failed)}." if failed else "All is well.")
    return int(bool(failed))


def _looked_at(name: str, check: Callable[[], str], *, quiet: bool) -> dict[str, Any]:
    try:
        well, said = True, check()
    except (VerikitError, OSError, PackageNotFoundError, subprocess.SubprocessError) as error:
        well, said = False, str(error)
    if not quiet:
        print(f"{'ok    ' if well else 'NOT OK'}  {name}: {said}")
    return {"name": name, "well": well, "said": said}


def _version(name: str) -> Callable[[], str]:
    return lambda: version(name)


def _own_settings() -> str:
    wanted = [
        "etc/labconfig/default_setting_overrides.json",
        "share/jupyter/voila/templates/verikit/index.html.j2",
    ]
    lacking = [part for part in wanted if not (SETTINGS / part).is_file()]
    if lacking:
        raise FormatError(f"{', '.join(lacking)} not in {SETTINGS}; install verikit again.")
    return "found"


def _notebooks() -> str:
    """Name the notebooks that will stop; not well where the usual extra would have been enough."""
    missing: dict[str, list[str]] = {}
    for package, (extra, _) in NEEDED.items():
        if find_spec(package) is None:
            missing.setdefault(extra, []).append(package)
    said = "; ".join(_stops(extra, packages) for extra, packages in missing.items())
    if "jupyter" in missing:
        raise FormatError(said)
    return said or "all of them run"


def _stops(extra: str, packages: list[str]) -> str:
    stop = sorted({name for package in packages for name in NEEDED[package][1]})
    return (
        f"{joined(stop)} will stop, for want of {joined(packages)}; "
        f"pip install 'verikit[{extra}]' brings them"
    )


def foreign_links(page: str) -> list[str]:
    """The parts of a page that would be fetched from another computer.

    Examples
    --------
    >>> foreign_links('<img src="/a.png"><script src="https://example.org/b.js"></script>')
    ['<script src="https://example.org/b.js']
    """
    return [found.group() for found in LINK.finditer(page)]


def _page() -> str:
    """Start the server, let a kernel run the page, and look for links to elsewhere."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with running(app_server()) as run, opener.open(run.address, timeout=60) as reply:
        page = reply.read().decode()
    foreign = foreign_links(page)
    if foreign or "SelfCheck(20 records" not in page:
        raise VerikitError(f"links elsewhere: {foreign}" if foreign else "its kernel did not run")
    return f"answered on port {run.port}, its kernel ran, no link leaves this computer"
