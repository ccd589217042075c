"""What the page keeps of a release whose sensitive values are guessed, before it is packed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from verikit.errors import SchemaError
from verikit.matching import Coarse, Taught, find_lesson, name_failure
from verikit.page._kept import (
    Kept,
    KeptColumn,
    column_facts,
    count_facts,
    group_facts,
    keep_cells,
    keep_lesson,
    pack_text,
    sort_rows,
)
from verikit.release import (
    MAX_COLUMNS,
    GraphRelease,
    Redraw,
    SplitRelease,
    TableRelease,
    by_secrets,
    require_redraw,
)
from verikit.subject import find_tolerance, name_better_guesser
from verikit.table import Column, Side
from verikit.values.ranges import read_range
from verikit.words import text

SIDES: tuple[Side, Side] = ("left", "right")


def keep_redrawn(release: TableRelease) -> Kept:
    """What others may know, by cells; what is sensitive, by value; and the published chances."""
    redraw, schema = require_redraw(release, "a page"), release.schema
    if len(schema.quasi) > MAX_COLUMNS:
        raise SchemaError(
            f"{len(schema.quasi)} columns were drawn anew; a page can reckon with {MAX_COLUMNS}."
        )
    sets = release.holds_sets
    columns = []
    for column in schema.quasi:
        facts, arrays = keep_cells(release.frame[column.name], column, sets=sets)
        columns.append(KeptColumn({**facts, "strict": facts["closed"]}, arrays))
    columns += [keep_guessed(release.frame[c.name], c) for c in schema.sensitive]
    facts = {"redraw": redraw_facts(redraw), **count_facts(release), "certain": True}
    return Kept(sort_rows(columns), schema.quasi, facts)


def redraw_facts(redraw: Redraw) -> dict[str, Any]:
    """Which columns may be drawn anew, how many of each record, and with what chances."""
    return {
        "names": redraw.names,
        "changed": redraw.changed,
        "weights": redraw.weights,
        "keep": redraw.keep,
    }


def keep_guessed(values: pd.Series[Any], column: Column) -> KeptColumn:
    """The values of a sensitive column that is guessed: numbers in ascending order, or labels."""
    facts = column_facts(column)
    if pd.api.types.is_numeric_dtype(values.dtype):
        numbers = values.to_numpy(np.float64, na_value=np.nan)
        found, codes = np.unique(numbers, return_inverse=True)
        return KeptColumn(facts, (found[~np.isnan(found)], codes))
    if not isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(object).map(text, na_action="ignore").astype("category")
    named = values.cat.remove_unused_categories()
    codes = named.cat.codes.to_numpy().astype(np.intp)
    labels = [*map(text, named.cat.categories)]
    return KeptColumn({**facts, "labels": labels}, (np.where(codes < 0, len(labels), codes),))


def keep_known(release: SplitRelease) -> list[KeptColumn]:
    """What others may know, by cells."""
    schema, sets = release.schema, release.holds_sets
    if not schema.quasi:
        raise SchemaError(
            "No column of these tables may be known of a person; a page needs at least one."
        )
    return [keep_cells(release.quasi[c.name], c, sets=sets) for c in schema.quasi]


def keep_numbers(release: SplitRelease) -> Kept:
    """The columns of both tables, and the group of each row; numbers as they are."""
    schema, (quasi, sensitive, facts) = release.schema, group_facts(release)
    quasi += keep_known(release)
    sensitive += [keep_guessed(release.sensitive[c.name], c) for c in schema.sensitive]
    named = [column.name for column in schema.sensitive]
    lessons = {name: find_lesson(release, name, bands=True) for name in named}
    facts |= {
        "learned": {name: keep_lesson(told) for name, told in lessons.items() if told is not None},
        "failed": {name: failed for name in named if (failed := name_failure(release, name))},
        "cuts": {
            name: cuts
            for name, told in lessons.items()
            if told and (cuts := find_cuts(told, release.sensitive[name]))
        },
    }
    return Kept(sort_rows(quasi) + sort_rows(sensitive), schema.quasi, facts)


def keep_graph(release: GraphRelease) -> Kept:
    """The names of both sides and their nodes in the order of their groups; and the links."""
    names, columns, ends = [], [], []
    for at, side in enumerate(SIDES):
        groups, nodes = release.groups(side), release.nodes(side)
        by_group = np.argsort(groups, kind="stable")
        names.append(pack_text("\0".join(map(text, release.names(side)[by_group])).encode()))
        columns += [groups[by_group], np.sort(nodes)]
        rank = np.empty(len(nodes), np.intp)
        rank[np.argsort(nodes, kind="stable")] = np.arange(len(nodes))
        ends.append(rank[release.links[:, at]])
    columns += [end[np.lexsort(ends[::-1])] for end in ends]
    facts = {
        "names": names,
        "mirrored": release.mirrored,
        "bySecrets": by_secrets(release),
        "better": name_better_guesser(release),
    }
    asked = list({column.name: column for column in release.asked}.values())
    return Kept([KeptColumn({"role": "group"}, (part,)) for part in columns], asked, facts)


def keep_targets(release: SplitRelease) -> Kept:
    """What others may know, the published nodes of each sensitive column, and the targets."""
    schema, (quasi, sensitive, facts) = release.schema, group_facts(release)
    quasi += keep_known(release)
    facts |= {"personal": "requirement" in release.parameters, "targets": {}, **_lessons(release)}
    for column in schema.sensitive:
        coarse, told = Coarse(release, column.name), column_facts(column)
        names = told["tree"]["names"]
        places = np.array([names.index(name) for name in coarse.tree.names])
        told |= {"labels": names, "leaves": places[list(coarse.tree.leaves)].tolist()}
        sensitive.append(KeptColumn(told, (places[coarse.nodes],)))
        facts["targets"][column.name] = {
            **_list_targets(coarse, len(release.sizes)),
            "tolerance": find_tolerance(release, column.name),
        }
    return Kept(sort_rows(quasi) + sort_rows(sensitive), schema.quasi, facts)


def _list_targets(coarse: Coarse, groups: int) -> dict[str, Any]:
    """The weights of all values, as whole numbers in text; and by group which of several."""
    known: dict[tuple[str, ...], int] = {}
    of = np.zeros(groups, np.intp)
    for part in coarse.readings(np.arange(groups)):
        weights = tuple(str(part.tree.weight[leaf]) for leaf in part.tree.leaves)
        of[part.groups] = known.setdefault(weights, len(known))
    return {"lists": [*known], "of": of.tolist() if coarse.several else None}


def _lessons(release: SplitRelease) -> dict[str, Any]:
    """What the whole table teaches of each sensitive column, or why it teaches nothing."""
    named = [column.name for column in release.schema.sensitive]
    lessons = {name: find_lesson(release, name, bands=True) for name in named}
    found = {name: keep_lesson(told) for name, told in lessons.items() if told is not None}
    failed = {name: why for name in named if (why := name_failure(release, name))}
    return {"learned": found, "failed": failed}


def find_cuts(taught: Taught, values: pd.Series[Any]) -> list[int]:
    """The places of those numbers with which bands begin but the first; none where all are apart.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> taught = SimpleNamespace(table=SimpleNamespace(values=("[1, 3]", "[4, 9]", "missing")))
    >>> find_cuts(taught, pd.Series([9, 1, 4, 3, None]))
    [2]
    """
    names = taught.table.values[:-1]
    if not pd.api.types.is_numeric_dtype(values.dtype):
        return []
    found = np.unique(values.dropna().to_numpy(np.float64))
    bands = [read_range(name) for name in names]
    begins = [float(n) if b is None else b.ends[0] for n, b in zip(names, bands, strict=True)]
    return [] if len(names) == len(found) else np.searchsorted(found, begins[1:]).tolist()
