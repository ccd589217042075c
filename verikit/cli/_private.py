"""What a run keeps to its owner: a folder nobody else enters, files nobody else reads."""

from __future__ import annotations

import html
import json
import os
import shutil
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["open_privately", "private_files", "private_folder"]

# Sockets of kernels lie in the folder, and their names may have some hundred characters in all.
LONGEST = 24
FORGETFUL = {"HistoryManager": {"enabled": False}}
REDIRECT = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}">
<title>verikit</title>
<p><a href="{address}">Open the page</a></p>
</html>
"""


@contextmanager
def private_files() -> Iterator[None]:
    """Make every file and folder for their owner alone, also those that children make."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def private_folder(token: str) -> Iterator[Path]:
    """Give a run its own folder: cookies, sockets and settings of its kernels end with it.

    Its pages are told the token in what they are made from, as JupyterLab's are, and kernels that
    they keep no history of what was typed.
    """
    usual = tempfile.gettempdir()
    short = "/tmp" if os.name == "posix" and len(usual) > LONGEST else usual  # noqa: S108
    folder = Path(tempfile.mkdtemp(prefix="verikit-", dir=short))
    try:
        with private_files():
            (folder / "runtime").mkdir()
            _write(folder / "etc" / "labconfig" / "page_config.json", {"token": token})
            profile = folder / "ipython" / "profile_default"
            _write(profile / "ipython_kernel_config.json", FORGETFUL)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(content), encoding="utf-8")


def open_privately(address: str, folder: Path) -> bool:
    """Open an address in the browser without its standing on the browser's command line."""
    page = folder / "open.html"
    with private_files():
        page.write_text(REDIRECT.format(address=html.escape(address)), encoding="utf-8")
    return webbrowser.open(page.as_uri())
