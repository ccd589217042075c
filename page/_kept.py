"""What the page keeps of a release, before it is packed."""

from __future__ import annotations

import gzip
import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Flags, Rows
from verikit.cells import Cells, Spans, cell_text, cells_of
from verikit.errors import FormatError, SchemaError, quoted
from verikit.matching import Taught, find_hidden_rows, find_lesson
from verikit.ranks import distance_of
from verikit.release import SplitRelease, TableRelease, by_secrets
from verikit.subject import find_repeated, names_rows
from verikit.subject.masked import number_names, titles_left_out, undone_pairs
from verikit.table import Column
from verikit.values.meanings import Meaning, has_closed_categories
from verikit.values.ranges import Range
from verikit.words import listed, text

if TYPE_CHECKING:
    from verikit.large import Index


class KeptColumn(NamedTuple):
    """What is said of a column; then any arrays of floats by cell, and the cell of each row."""

    facts: dict[str, Any]
    arrays: tuple[npt.NDArray[Any], ...]


class Kept(NamedTuple):
    """The columns, those of the schema that a person may leave out, and what else is said."""

    columns: list[KeptColumn]
    asked: Sequence[Column]
    facts: dict[str, Any]


def column_facts(column: Column) -> dict[str, Any]:
    """What the page says of a column.

    Examples
    --------
    >>> column_facts(Column("age", unit="years"))["quoted"]
    "'age'"
    """
    return {
        "name": column.name,
        "quoted": quoted(column.name),
        "title": column.title,
        "unit": column.unit,
        "domain": column.domain,
        "kind": column.kind,
        "dated": column.dated,
        "role": column.role,
        "categories": column.categories if column.kind != "numeric" else None,
        "closed": has_closed_categories(column),
        "unordered": distance_of(column) != "ranks",
        "tree": tree_facts(column),
    }


def compared_columns(release: TableRelease) -> list[str]:
    """The columns that the page can ask for: of single values that a person could say are hers.

    What names the rows is not asked for, nor what shows a blank category.

    Examples
    --------
    >>> import verikit as vk
    >>> compared_columns(vk.published("dm_table1_masked"))
    ['X1', 'X2', 'X3']
    """
    found = []
    for column in release.schema:
        names = [] if column.kind == "numeric" else release.frame[column.name].dropna().unique()
        blank = any(not text(name).strip() for name in (*names, *(column.categories or ())))
        if release.compares(column.name) and not blank and not names_rows(release, column):
            found.append(column.name)
    return found


def keep_single_values(release: TableRelease) -> Kept:
    """Its columns of single values, and what the publisher says that a check reckons with."""
    columns = [release.schema[name] for name in compared_columns(release)]
    if not columns:
        raise SchemaError(
            f"No column of {listed(release.schema.names)} shows single values; a page needs at "
            "least one."
        )
    facts = {
        "permutation": release.permutation,
        "fromModel": release.from_model,
        **count_facts(release),
        "undone": undone_pairs(release),
    }
    kept = []
    for column in columns:  # the values in order, each once; a code past the last is missing
        told, scores = column_facts(column), None
        if told["unordered"]:
            scores, told["labels"] = number_names(release.frame[column.name])
        else:
            scores = release.scores(column.name) + 0.0
        values, codes = np.unique(scores, return_inverse=True)
        kept.append(KeptColumn(told, (values[~np.isnan(values)], codes)))
    return Kept(sort_rows(kept), tuple(release.schema), facts)


def sort_rows(columns: list[KeptColumn]) -> list[KeptColumn]:
    """The rows of one table in an order in which they pack well; which row is whose is not told."""
    order = order_rows(columns)
    return [KeptColumn(facts, (*ends, codes[order])) for facts, (*ends, codes) in columns]


def order_rows(columns: list[KeptColumn]) -> Rows:
    """Row by row by group, if there is one, and then by the columns of fewest values first."""
    keys = [(part.facts["role"] != "group", part.arrays[-1]) for part in columns]
    keys.sort(key=lambda key: (key[0], key[1].max(initial=0)), reverse=True)
    return np.lexsort([codes for _, codes in keys])


def keep_generalized(release: TableRelease) -> Kept:
    """What others may know, by cells; what is sensitive, by value; and who was suppressed."""
    schema, told = release.schema, release.parameters
    if not schema.quasi:
        raise SchemaError(
            f"No column of {listed(schema.names)} is a quasi-identifier, so nobody can be looked "
            "up in this table; a page needs at least one."
        )
    hidden = find_hidden_rows(release)
    columns = [_keep_known(release, column, hidden) for column in schema.quasi]
    columns += [_keep_sensitive(release, c) for c in schema.sensitive]
    facts = {
        "covers": release.promise == "covers",
        "certain": release.promise in ("as it was", "covers"),
        "untold": release.promise == "untold",
        "byClass": release.promise == "covers" and bool(told.get("levels") or "search" in told),
        "hidden": int(hidden.sum()),
        "bySecrets": by_secrets(release),
    }
    return Kept(sort_rows(columns), schema.quasi, facts)


def _keep_known(release: TableRelease, column: Column, hidden: Flags) -> KeptColumn:
    values, sets = release.frame[column.name], release.holds_sets
    kept, cells = keep_cells(values, column, sets=sets), cells_of(values, column, sets=sets)
    several = release.generalized_columns([column.name]).get(column.name)
    facts = {
        "several": None if several is None else repr(several),
        "empty": bool(cells.withheld[cells.codes].all()),
        "hidden": np.unique(cells.codes[hidden]).tolist(),
    }
    return KeptColumn({**kept.facts, **facts}, kept.arrays)


def keep_cells(values: pd.Series[Any], column: Column, *, sets: bool) -> KeptColumn:
    """The cells of a column that others may know: numbers and their ranges, or labels."""
    cells = cells_of(values, column, sets=sets)
    unread = repr(cells.unread[0]) if cells.unread else None
    facts = {**column_facts(column), "role": "quasi", "unread": unread}
    if cells.labels or not isinstance(cells, Spans):
        dates = {"dates": [*map(column.shown, cells.labels)]} if column.dated else {}
        facts |= {
            **dates,
            "labels": cells.labels,
            "read": [
                _meaning_facts(*part, column) for part in zip(cells.labels, cells.read, strict=True)
            ],
        }
        return KeptColumn(facts, (cells.codes,))
    low, high = cells.low[:-1], cells.high[:-1]
    if isinstance(values.dtype, pd.IntervalDtype):
        facts["labels"] = _interval_labels(values, cells)
    arrays = (low, cells.codes) if (low == high).all() else (low, high, cells.codes)
    return KeptColumn(facts, arrays)


def _interval_labels(values: pd.Series[Any], cells: Spans) -> list[str]:
    found = [""] * len(cells)
    rows = np.flatnonzero(cells.codes < len(cells))
    first = np.unique(cells.codes[rows], return_index=True)[1]
    for row in rows[first]:
        found[cells.codes[row]] = cells.column.shown(cell_text(values.iloc[row]))
    return found


def _meaning_facts(label: str, part: Meaning, column: Column) -> dict[str, Any]:
    """What a label may stand for; the values below a node are told by the hierarchy."""
    tree = column.hierarchy
    names = [n for n in part.names if tree is None or label[:1] == "{" or n not in tree.levels]
    held = {
        "names": names,
        "ranges": [_range_facts(span) for span in part.ranges],
        "codes": part.codes,
        "anything": part.anything,
    }
    return {name: value for name, value in held.items() if value}


def _range_facts(span: Range) -> list[Any]:
    ends = [end if np.isfinite(end) else None for end in span[:2]]
    return [*ends, span.left, span.right]


def tree_facts(column: Column) -> dict[str, Any] | None:
    """A hierarchy: its names, the values first; how many values; and the parent of each name."""
    tree = column.hierarchy
    if tree is None:
        return None
    places = {name: at for at, name in enumerate(tree.nodes)}
    above = [tree.parent(name) for name in tree.nodes]
    return {
        "names": tree.nodes,
        "values": len(tree.levels),
        "above": [-1 if name is None else places[name] for name in above],
    }


def _is_exact(cells: Cells) -> bool:
    """Whether each cell that is not missing stands for one value."""
    if isinstance(cells, Spans) and not cells.labels:
        return not cells.several
    return all(part.single for part in cells.read)


def _keep_sensitive(release: TableRelease, column: Column) -> KeptColumn:
    values = release.frame[column.name]
    codes, found = pd.factorize(values, sort=True)
    codes = np.where(codes < 0, len(found), codes)
    exact = _is_exact(cells_of(values, column, sets=release.holds_sets))
    facts = {**column_facts(column), "exact": exact}
    if getattr(found, "dtype", None) is not None and found.dtype.kind in "iuf":
        return KeptColumn(facts, (np.asarray(found, np.float64), codes))
    return KeptColumn(
        {**facts, "labels": [column.shown(cell_text(value)) for value in found]}, (codes,)
    )


def keep_groups(release: SplitRelease) -> Kept:
    """The columns of both tables, and the group of each row; what was made coarser is left out."""
    sets = release.holds_sets
    known = [
        c for c in release.schema.quasi if cells_of(release.quasi[c.name], c, sets=sets).single
    ]
    if not known:
        raise SchemaError(
            f"No column of {listed(release.schema.names)} shows single values that others may "
            "know, so nobody can be looked up in these tables; a page needs at least one."
        )
    if release.rows == "links":
        raise SchemaError(
            "The rows of this release are links, and a page takes each for another person; use  "
            "verikit app  or  verikit check  instead."
        )
    quasi, sensitive, facts = group_facts(release)
    for column in known:
        told, arrays = keep_cells(release.quasi[column.name], column, sets=sets)
        quasi.append(KeptColumn({**told, "strict": True}, arrays))
    for column in release.schema.sensitive:
        cells = cells_of(release.sensitive[column.name], column, sets=sets)
        labels = [*map(column.shown, cells.names[:-1])]
        told = {**column_facts(column), "labels": labels, "exact": _is_exact(cells)}
        sensitive.append(KeptColumn(told, (cells.codes,)))
    place = np.argsort(order_rows(quasi)).tolist()
    facts |= {
        "repeated": {
            column.name: {place[row]: told for row, told in lines.items()}
            for column in release.schema.sensitive
            if (lines := find_repeated(release, column.name))
        },
        "learned": {
            column.name: keep_lesson(taught)
            for column in release.schema.sensitive
            if (taught := find_lesson(release, column.name)) is not None
        },
    }
    return Kept(sort_rows(quasi) + sort_rows(sensitive), release.schema.quasi, facts)


def group_facts(
    release: SplitRelease,
) -> tuple[list[KeptColumn], list[KeptColumn], dict[str, Any]]:
    """The group of each row of both tables, and what is said of the groups."""
    labels = release.labels
    quasi, sensitive = (
        [KeptColumn({"role": "group"}, (np.asarray(codes),))]
        for codes in (labels.quasi, labels.sensitive)
    )
    names = [*map(text, labels.names)]
    numbered = names == [*map(str, range(1, len(names) + 1))]
    return (
        quasi,
        sensitive,
        {
            "permuted": release.permuted,
            "people": release.rows == "people",
            "groups": len(names) if numbered else pack_text("\0".join(names).encode()),
            "bySecrets": by_secrets(release),
            "certain": release.promise in {"as it was", "covers", "another order"},
        },
    )


def keep_lesson(taught: Taught) -> str:
    """What the whole table teaches: where places begin, what is borne out, and then tables.

    Those of the whole are in thousandths; those of who learned from one half of the groups in
    hundredths, by the half that they guess, less the whole. They come as bytes, value by value: all
    first ones, then all second ones, which packs well.
    """
    table, tested = taught.table, taught.tested
    whole = [np.rint(1000 * part).astype(int) for part in taught.learned.tables]
    kept = [part.T.ravel() for part in whole]
    for other in tested.others:
        if other is not None:
            halves = [np.rint(100 * part).astype(int) for part in other.tables]
            pairs = zip(halves, whole, strict=True)
            kept += [(half - part // 10).T.ravel() for half, part in pairs]
    lesson = {
        "columns": {name: _keep_cuts(part.places) for name, part in table.known.items()},
        "width": table.people.values,
        "others": [other is not None for other in tested.others],
        "strength": tested.strength,
        "least": tested.least.tolist(),
        "most": tested.most.tolist(),
        "seen": 1 - 1 / (tested.values + 2),
    }
    numbers = np.concatenate(kept)
    signed = (2 * np.abs(numbers) - (numbers > 0)).astype("<u2")  # 0, 1, -1, 2, -2 and so on
    head = json.dumps(lesson, separators=(",", ":")).encode()
    return pack_text(head + b"\n" + split_bytes(signed))


def _keep_cuts(places: Rows) -> int | list[int]:
    """The cells at which places begin, but the first; their number where each cell has its own."""
    found = np.flatnonzero(np.diff(places)) + 1
    return len(found) if len(found) == len(places) - 1 else found.tolist()


def split_bytes(numbers: npt.NDArray[Any]) -> bytes:
    """All first bytes, then all second bytes: so they pack well."""
    return numbers.view(np.uint8).reshape(len(numbers), numbers.itemsize).T.tobytes()


def pack_text(values: bytes) -> str:
    """Bytes as short text, the same for the same bytes."""
    return b64encode(gzip.compress(values, mtime=0)).decode()


def unpack_text(values: str, size: int) -> bytes:
    """The bytes of a short text, which are so many; else refused, before more are unpacked."""
    try:
        content = zlib.decompressobj(31).decompress(b64decode(values), size + 1)
    except (ValueError, zlib.error):
        content = None
    if content is None or len(content) != size:
        raise FormatError("The page does not hold as many values as it says; do not trust it.")
    return content


def keep_index(index: Index) -> Kept:
    """Its columns in buckets, and what the publisher says.

    How many values a bucket holds is counted again; one past the last stands for a missing value.
    """
    columns = []
    for column in index.asked:
        held, at = index.of(column.name), index.schema.names.index(column.name)
        arrays = (held.lowest, held.highest, index.codes[:, at])
        columns.append(KeptColumn(column_facts(column), arrays))
    facts = {"fromModel": index.from_model, **count_facts(index)}
    return Kept(sort_rows(columns), index.schema.quasi, facts)


def count_facts(release: TableRelease | Index) -> dict[str, Any]:
    """What the publisher's count of right links is compared with, and what it leaves out."""
    luck = None if release.reported_luck is None else f"{release.reported_luck:.1f}"
    return {"luck": luck, "without": titles_left_out(release)}
