"""Whether a page is as verikit writes it: its program, its policy, its words and its values."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from verikit.cells import cells_of
from verikit.errors import FormatError, quoted
from verikit.languages import LANGUAGES
from verikit.page import _write
from verikit.page._packed import KINDS, unpack_columns
from verikit.release import Release, TableRelease, whole_records
from verikit.table import Column, Kind
from verikit.words import text

if TYPE_CHECKING:
    from verikit.large import Index

PLACE = re.compile(r"\$(\w+)")
PACKED = re.compile(r"[A-Za-z0-9+/=]*")
ONE_TABLE = ("masked", "generalized", "randomized")


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
        with a release, ``values``: whether it is ours. Of a table that does not tell how it was
        made, as the page does, ``cells`` instead: whether its rows are those of the page, in any
        order, cell by cell; of what kind a column is, the page says.

    Raises
    ------
    FormatError
        If the file is no page of a verikit, or one of another version; or the release does not tell
        how it was made, and the page does, and is one of several tables.

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
        facts = told["release"] or {}
        if facts.get("method") and not getattr(release, "method", "told"):
            if facts["kind"] not in ONE_TABLE or not whole_records(release):
                raise FormatError(
                    f"The table alone does not tell how it was made, as {quoted(page)} does; give "
                    "the folder of the release, with its datapackage.json."
                )
            return {**same, "cells": has_same_cells(facts, found["values"], release)}
        day = date.fromisoformat(told["made"]["date"])
        asked: Any = {"title": told["title"], "language": language, "data": not empty}
        same["values"] = text == _write.html(release, **asked, day=day)
    return same


def has_same_cells(facts: Mapping[str, Any], values: str, release: TableRelease) -> bool:
    """Whether the rows that a page holds are those of a table, in any order; O(n log n)."""
    columns, rows = facts["columns"], []
    most = max(count for column in columns for count, *_ in column["arrays"])
    names = {column["name"] for column in columns}
    if not most <= facts["n"] == len(release) or not names <= {*release.frame}:
        return False
    for told, arrays in zip(columns, unpack_columns(facts, values), strict=True):
        kind: Kind = "numeric" if told["kind"] == "numeric" else "nominal"
        column = Column(told["name"], told["role"], kind, unit=told["unit"])
        cells = cells_of(release.frame[column.name], column, sets=release.holds_sets)
        pair = _name_cells(told, arrays[:-1], labelled=bool(cells.labels)), cells.names[:-1]
        places = {name: at for at, name in enumerate(dict.fromkeys([*pair[0], *pair[1]]))}
        both = zip(pair, (arrays[-1], cells.codes), strict=True)
        rows.append([np.array([*map(places.get, part), -1])[codes] for part, codes in both])
    ours, theirs = (np.array(part) for part in zip(*rows, strict=True))
    return np.array_equal(ours[:, np.lexsort(ours)], theirs[:, np.lexsort(theirs)])


def _name_cells(told: Mapping[str, Any], ends: Any, *, labelled: bool) -> list[str]:
    """The cells of a column of a page, as `cells_of` names those of a table."""
    scale = told.get("labels", told["categories"])
    if ends and told["kind"] != "numeric":
        return [scale[int(place)] for place in ends[0]]
    if not ends or (labelled and "labels" in told):
        return list(scale)
    pairs = zip(ends[0].tolist(), ends[-1].tolist(), strict=True)
    return [text(low) if low == high else f"[{text(low)}, {text(high)}]" for low, high in pairs]


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
