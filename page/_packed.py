"""A release as the page holds it: what is said about it as JSON, its values as packed bytes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Container, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy.typing as npt

from verikit.errors import SchemaError
from verikit.page._kept import (
    Kept,
    compared_columns,
    keep_generalized,
    keep_groups,
    keep_index,
    keep_single_values,
    pack_text,
    split_bytes,
)
from verikit.page._kept_guesses import keep_graph, keep_numbers, keep_redrawn, keep_targets
from verikit.partition import PARTITIONERS, resists_repetition
from verikit.release import PACKAGE, Release, to_json_value, whole_records
from verikit.subject import kind_of, names_rows
from verikit.values.dates import DAYS
from verikit.values.ranges import AROUND, BANDS, BRACKETS, LOOKS, ONE_END

if TYPE_CHECKING:
    from verikit.large import Index

KINDS: Mapping[str, Callable[[Any], Kept]] = {
    "masked": keep_single_values,
    "generalized": keep_generalized,
    "split": keep_groups,
    "randomized": keep_redrawn,
    "numbers": keep_numbers,
    "graph": keep_graph,
    "disguised": keep_targets,
    "indexed": keep_index,
}


class Packed(NamedTuple):
    """The description of a release, and the bytes of its columns one after the other."""

    facts: dict[str, Any]
    values: bytes

    @property
    def text(self) -> str:
        """The bytes as text; the same for the same release."""
        return pack_text(self.values)


def pack_release(release: Release | Index) -> Packed:
    """A release that the page can judge; any other is refused.

    Of each column the page holds its cells, each once, and for each record which of them it has.

    Examples
    --------
    >>> import verikit as vk
    >>> facts, values = pack_release(vk.published("ks_table4"))
    >>> facts["kind"], [column["name"] for column in facts["columns"]]
    ('generalized', ['Marital Status', 'DOB', 'Zip', 'Crime'])
    """
    name = judged_kind(release, KINDS)
    if not len(release):
        raise SchemaError("The release has no record; a page needs at least one.")
    kept = KINDS[name](release)
    facts = {
        "kind": name,
        "n": len(release),
        "columns": [_describe_arrays(part.facts, *part.arrays) for part in kept.columns],
        "schema": [
            {"name": c.name, "title": c.title} for c in kept.asked if not names_rows(release, c)
        ],
        "about": dict(getattr(release, "about", {})),
        "harm": [
            {"name": c.name, "title": c.title}
            for c in sorted(release.schema, key=lambda c: c.role != "sensitive")
            if not names_rows(release, c)
        ],
        "method": release.method,
        "parameters": to_json_value(dict(release.parameters)),
        "links": getattr(release, "reported_links", None),
        **kept.facts,
    }
    values = b"".join(
        split_bytes(array) for part in kept.columns for array in _narrow_types(part.arrays)
    )
    return Packed(facts, values)


def judged_kind(release: Release | Index, known: Container[str]) -> str:
    """The kind of check that is for it; where no column is named, that of those compared."""
    kind = kind_of(release)
    if kind.name == "masked" and whole_records(release):
        columns = compared_columns(release)
        kind = kind_of(release, columns) if columns else kind
    if kind.name not in known:
        raise SchemaError(
            f"No page can hold {kind.words}; use  verikit app  or  verikit check  instead."
        )
    return kind.name


def _describe_arrays(facts: dict[str, Any], *arrays: npt.NDArray[Any]) -> dict[str, Any]:
    *ends, codes = _narrow_types(arrays)
    sizes = {"floats": len(ends), "distinct": len(ends[0]) if ends else 0}
    return {**facts, **sizes, "rows": len(codes), "width": codes.dtype.itemsize}


def _narrow_types(arrays: tuple[npt.NDArray[Any], ...]) -> list[npt.NDArray[Any]]:
    """Floats as they are, and whole numbers from 0 up in as few bytes as the largest needs."""
    *ends, codes = arrays
    size = next(size for size in "124" if codes.max(initial=0) < 256 ** int(size))
    return [*(end.astype("<f8") for end in ends), codes.astype(f"<u{size}")]


PACKED = 1  # how a page holds a release; another number if another page could not read it
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
        "resisting": [name for name in PARTITIONERS if resists_repetition(name)],
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
