"""What a page without data holds instead: how ranges are written, and what is said of a release."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verikit.cells import AROUND, BANDS, BRACKETS, LOOKS, ONE_END
from verikit.errors import SchemaError
from verikit.page._packed import KINDS, judged_kind
from verikit.release import PACKAGE, Release
from verikit.table import DAYS

if TYPE_CHECKING:
    from verikit.large import Index


PARTS = ("files", "notes", "meanings", "described", "indexfile", "door")


def describe_empty_page(release: Release | Index | None) -> Mapping[str, Any]:
    """What the page is told where it holds no table; the description of one, if one is given.

    Examples
    --------
    >>> describe_empty_page(None)["package"] is None
    True
    """
    return {
        "empty": True,
        "release": None,
        "package": None if release is None else describe_release(release),
        "patterns": _range_patterns(),
        "days": DAYS,
    }


def describe_release(release: Release | Index) -> str:
    """The text of ``datapackage.json`` as it lies beside a saved release.

    Examples
    --------
    >>> import verikit as vk
    >>> '"method": "noise"' in describe_release(vk.published("dm_table1_masked"))
    True
    """
    if judged_kind(release, KINDS) == "indexed":
        raise SchemaError(
            "A page without data was asked for an index, which is data; give the release itself."
        )
    with tempfile.TemporaryDirectory(prefix="verikit-") as home:
        folder = release.save(Path(home) / "release")
        return (Path(folder) / PACKAGE).read_text(encoding="utf-8")


def _range_patterns() -> dict[str, Any]:
    """How ranges are written, in words of all languages: the patterns of `verikit.cells`."""
    return {
        "brackets": BRACKETS.pattern,
        "bands": [found.pattern for found in BANDS],
        "ends": [[found.pattern, upper, closed] for found, upper, closed in ONE_END],
        "around": AROUND.pattern,
        "looks": LOOKS.pattern,
    }
