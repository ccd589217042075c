"""A generalized table as the page keeps it: each cell once, with what it may stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags
from verikit.cells import Meaning, Range, Spans, cell_text, cells_of, has_closed_categories
from verikit.errors import SchemaError
from verikit.matching import find_hidden_rows
from verikit.page._kept import Kept, KeptColumn, column_facts
from verikit.release import TableRelease, by_secrets
from verikit.table import Column
from verikit.words import listed


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
    columns += [_keep_sensitive(release.frame[c.name], c) for c in schema.sensitive]
    facts = {
        "covers": release.promise == "covers",
        "certain": release.promise in ("as it was", "covers"),
        "untold": release.promise == "untold",
        "byClass": release.promise == "covers" and bool(told.get("levels") or "search" in told),
        "hidden": int(hidden.sum()),
        "bySecrets": by_secrets(release),
    }
    return Kept(columns, schema.quasi, facts)


def _keep_known(release: TableRelease, column: Column, hidden: Flags) -> KeptColumn:
    kept = keep_cells(release.frame[column.name], column)
    cells = cells_of(release.frame[column.name], column)
    several = release.generalized_columns([column.name]).get(column.name)
    facts = {
        "several": None if several is None else repr(several),
        "unread": repr(cells.unread[0]) if cells.unread else None,
        "empty": bool(cells.withheld[cells.codes].all()),
        "hidden": np.unique(cells.codes[hidden]).tolist(),
    }
    return KeptColumn({**kept.facts, **facts}, kept.arrays)


def keep_cells(values: pd.Series[Any], column: Column) -> KeptColumn:
    """The cells of a column that others may know: numbers and their ranges, or labels."""
    cells = cells_of(values, column)
    facts = {**column_facts(column), "role": "quasi"}
    if cells.labels or not isinstance(cells, Spans):
        dates = {"dates": [*map(column.shown, cells.labels)]} if column.dated else {}
        facts |= {
            **dates,
            "labels": cells.labels,
            "read": [
                _meaning_facts(*part, column) for part in zip(cells.labels, cells.read, strict=True)
            ],
            "tree": tree_facts(column),
            "closed": has_closed_categories(column),
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


def _keep_sensitive(values: pd.Series[Any], column: Column) -> KeptColumn:
    codes, found = pd.factorize(values)
    codes = np.where(codes < 0, len(found), codes)
    facts = {
        **column_facts(column),
        "tree": tree_facts(column),
        "closed": has_closed_categories(column),
    }
    if getattr(found, "dtype", None) is not None and found.dtype.kind in "iuf":
        return KeptColumn(facts, (np.asarray(found, np.float64), codes))
    return KeptColumn(
        {**facts, "labels": [column.shown(cell_text(value)) for value in found]}, (codes,)
    )
