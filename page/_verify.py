"""Whether a page is as verikit writes it: its program, its policy, its words and its values."""

from __future__ import annotations

import json
import re
from datetime import date
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verikit.errors import FormatError, quoted
from verikit.languages import LANGUAGES
from verikit.page import _write
from verikit.page._packed import KINDS
from verikit.release import Release

if TYPE_CHECKING:
    from verikit.large import Index

PLACE = re.compile(r"\$(\w+)")
PACKED = re.compile(r"[A-Za-z0-9+/=]*")


def verify(page: str | Path, release: Release | Index | None = None) -> dict[str, bool]:
    """Say of each part of a page whether it is what this version of verikit writes.

    Parameters
    ----------
    page
        The file, such as ``check.html``.
    release
        What was published; None leaves open whether the values are those.

    Returns
    -------
    dict
        By ``program``, ``policy``, ``words``, ``style``, ``frame`` (what stands around them) and,
        with a release, ``values``: whether it is ours.

    Raises
    ------
    FormatError
        If the file is no page of a verikit, or one of another version; or the release does not tell
        how it was made, and the page does.

    Notes
    -----
    Our own. The program depends on the version alone, and the rest is written anew from what the
    page says of itself, so nothing that was put into it stays unseen. Whoever changes a page can
    change what it says of itself too: only this comparison, or the checksum on the publisher's own
    site, tells.

    Examples
    --------
    >>> import tempfile, verikit as vk
    >>> release = vk.published("dm_table1_masked")
    >>> with tempfile.TemporaryDirectory() as home:
    ...     checksum = vk.page.write(release, f"{home}/check.html")
    ...     set(verify(f"{home}/check.html", release).values())
    {True}
    """
    text = Path(page).read_text(encoding="utf-8")
    found = take_apart(text)
    told = read_facts(found.get("facts", ""), page)
    empty, language = told["release"] is None, told["language"]
    kinds = [*KINDS] if empty else [told["release"]["kind"]]
    kernel = _write.write_program(empty=empty)
    style, first = _write.read_own("page.css"), _write.collect_words(language or "en")
    frame = {
        "language": language or "en",
        "title": escape(told["title"] or first["title"]),
        "script": escape(first["script"]),
    }
    apart = "<" not in found["facts"] and bool(PACKED.fullmatch(found["values"]))
    same = {
        "program": found["kernel"] == kernel,
        "policy": found["policy"] == _write.write_policy(kernel, style),
        "words": found["languages"] == _write.write_languages(kinds, empty=empty),
        "style": found["style"] == style,
        "frame": apart and _write.fill_in_page({**found, **frame}) == text,
    }
    if release is not None:
        made = (told["release"] or {}).get("method")
        if made and not getattr(release, "method", made):
            raise FormatError(
                f"The table alone does not tell how it was made, as {quoted(page)} does; give the "
                "folder of the release, with its datapackage.json."
            )
        day = date.fromisoformat(told["made"]["date"])
        asked: Any = {"title": told["title"], "language": language, "data": not empty}
        same["values"] = text == _write.html(release, **asked, day=day)
    return same


def take_apart(text: str) -> dict[str, str]:
    """What stands in the places of the page; nothing where it is none.

    Examples
    --------
    >>> take_apart("<html></html>")
    {}
    """
    parts = PLACE.split(_write.read_own("page.html"))
    if not text.startswith(parts[0]):
        return {}
    found, at = {}, len(parts[0])
    for name, behind in zip(parts[1::2], parts[2::2], strict=True):
        end = text.find(behind, at)
        if end < 0:
            return {}
        found[name], at = text[at:end], end + len(behind)
    return found if at == len(text) else {}


def read_facts(text: str, page: str | Path) -> dict[str, Any]:
    """What a page says of itself; refused where it says nothing, or is of another version."""
    try:
        told = json.loads(text)
        made, release = told["made"]["version"], told["release"]
        known = release is None or release["kind"] in KINDS
        known = known and told["language"] in (None, *LANGUAGES) and isinstance(told["title"], str)
    except (ValueError, KeyError, TypeError):
        known = False
    if not known:
        raise FormatError(
            f"{quoted(page)} is no page of this verikit: its parts do not stand where they should. "
            "Do not trust it, or ask its publisher with which version it was written."
        )
    if made != version("verikit"):
        raise FormatError(
            f"{quoted(page)} says that it was written by verikit {made}, and this is "
            f"{version('verikit')}; verify it with that version."
        )
    return dict(told)
