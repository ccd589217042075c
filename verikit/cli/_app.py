"""``verikit app``: the self-check as a page of its own."""

from __future__ import annotations

import argparse
from pathlib import Path

from verikit._support.extras import needed
from verikit._support.requests import whole
from verikit.cli._child import HOST
from verikit.cli._inputs import Commands
from verikit.cli._server import Server, add_options, serve
from verikit.cli._visitors import MOST, VISITORS
from verikit.datasets import find_release
from verikit.languages import LANGUAGES

__all__ = ["add", "app_server"]

NOTEBOOK = "check_your_record_app.ipynb"


def add(commands: Commands) -> None:
    """Add the subcommand."""
    command = commands.add_parser("app", help="check my own record in the browser")
    command.add_argument(
        "release", nargs="?", help="a release's folder, zip, or table file (default: example)"
    )
    command.add_argument(
        "--language", choices=LANGUAGES, help="its language (default: that of the browser)"
    )
    add_options(command)
    command.add_argument(
        "--visitors",
        type=int,
        default=MOST,
        metavar="COUNT",
        help="how many pages may be open at a time (default: %(default)s)",
    )
    command.add_argument(
        "--keep-warm", action="store_true", help="keep a kernel ready, for quicker pages"
    )
    command.set_defaults(run=run)


def run(given: argparse.Namespace) -> int:
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
    visitors: int = MOST,
) -> Server:
    """The server of the page; ``release`` is the table it shows first."""
    from verikit._support.resources import notebooks_dir

    needed("verikit app", "jupyter", "voila", "ipywidgets", "anywidget")
    options = [
        NOTEBOOK,
        f"--Voila.ip={HOST}",
        "--Voila.port_retries=0",
        "--Voila.auto_token=True",
        *(["--preheat_kernel=True", "--pool_size=1"] if warm else []),
    ]
    whole(visitors, "visitors", least=1)
    told = {"VERIKIT_START": str(Path.cwd()), VISITORS: str(visitors)}
    if release is not None:
        told["VERIKIT_RELEASE"] = release
    if language is not None:
        told["VERIKIT_LANGUAGE"] = language
    return Server("voila", "Voila", options, notebooks_dir(), port, environment=told)
