"""A release as the page holds it: what is said about it as JSON, its values as packed bytes."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Callable, Container, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
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
    unpack_text,
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
DIVISORS, WHOLE = [10**places for places in range(7)], 2**53


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
        "columns": [],
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
    values = b""
    for part in kept.columns:
        packed = [shorten_numbers(array) for array in part.arrays]
        facts["columns"].append({**part.facts, "arrays": [told for told, _ in packed]})
        values += b"".join(content for _, content in packed)
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


def shorten_numbers(numbers: npt.NDArray[Any]) -> tuple[list[Any], bytes]:
    r"""Numbers as bytes: their count, how wide each is, how to put them together, and the bytes.

    Codes are kept as steps from one to the next where that packs better, and values in order where
    each is a whole number of tenths, hundredths and so on: (start, modulus or 0, divisor).

    Examples
    --------
    >>> shorten_numbers(np.array([20.0, 20.25, 20.5]))
    ([3, 1, [2000, 0, 100]], b'\x00\x19\x19')
    """
    if numbers.dtype.kind == "f":
        for divisor in DIVISORS:
            whole = np.rint(numbers * divisor)
            steps = np.diff(whole, prepend=whole[:1])
            exact = np.array_equal(whole / divisor, numbers) and (np.abs(whole) < WHOLE).all()
            if exact and 0 <= steps.min(initial=0) <= steps.max(initial=0) < 2**31:
                return _split_numbers(steps, [int(whole[0]) if len(whole) else 0, 0, divisor])
        return [len(numbers), 8, None], split_bytes(numbers.astype("<f8"))
    modulus = int(numbers.max(initial=0)) + 1
    ways = (numbers, None), (np.diff(numbers, prepend=0) % modulus, [0, modulus, 1])
    return min((_split_numbers(*way) for way in ways), key=lambda way: len(zlib.compress(way[1])))


def _split_numbers(numbers: npt.NDArray[Any], joined: list[int] | None) -> tuple[list[Any], bytes]:
    size = next(size for size in (1, 2, 4) if numbers.max(initial=0) < 256**size)
    return [len(numbers), size, joined], split_bytes(numbers.astype(f"<u{size}"))


def unpack_columns(facts: Mapping[str, Any], values: str) -> list[list[npt.NDArray[Any]]]:
    """The numbers of each column that were packed; of no more bytes than the columns have.

    Examples
    --------
    >>> import verikit as vk
    >>> held = pack_release(vk.published("dm_table1_masked"))
    >>> [len(array) for array in unpack_columns(held.facts, held.text)[0]]
    [20, 20]
    """
    told = [part for column in facts["columns"] for part in column["arrays"]]
    size = sum(count * width for count, width, _ in told)
    content, at = unpack_text(values, size), 0
    columns: list[list[npt.NDArray[Any]]] = []
    for column in facts["columns"]:
        columns.append([])
        for count, width, joined in column["arrays"]:
            planes = np.frombuffer(content, np.uint8, count * width, at).reshape(width, count)
            found = np.ascontiguousarray(planes.T).view("<f8" if width == 8 else f"<u{width}")[:, 0]
            if joined:
                start, modulus, divisor = joined
                found = start + np.cumsum(found.astype(np.int64))
                found = found % modulus if modulus else found / divisor
            columns[-1].append(found)
            at += count * width
    return columns


PACKED = 2  # how a page holds a release; another number if another page could not read it
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
