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
from typing import Any

from verikit.cli._app import app_server
from verikit.cli._inputs import Commands
from verikit.cli._server import SETTINGS, running
from verikit.errors import FormatError, VerikitError

__all__ = ["add", "foreign_links"]

PACKAGES = ("verikit", "numpy", "pandas", "ipywidgets", "anywidget", "voila", "jupyterlab")
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
    checks += [("own Jupyter settings", _own_settings), ("the page of verikit app", _page)]
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
