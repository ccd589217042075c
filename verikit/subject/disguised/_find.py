"""The groups of a release with a target that a person fits, and what they show of her value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Floats, Rows
from verikit.cells import rows_that_may_be
from verikit.errors import RecordError, SchemaError, quoted
from verikit.hierarchy import exact_fraction
from verikit.matching import Coarse, find_known_values, is_absent
from verikit.release import SplitRelease
from verikit.subject._answer import say_condition
from verikit.subject._known import Given
from verikit.targets import Tree, find_uneven_groups
from verikit.words import listed, text

SAME, DIGITS = 1e-12, 12


@dataclass(frozen=True, eq=False)
class Inferred(Given):
    """The values she gave, the groups that fit them, and what they show of her sensitive value.

    Parameters
    ----------
    release
        What was published.
    known
        The quasi-identifiers she gave.
    coarse
        The published nodes by group.
    groups, weights
        The groups that fit, and the chance that she is in each.
    here, target
        By value of the tree, from left to right, the chance that can be inferred, and the target.
    own
        The place of her own value among them; None where she did not give it.
    node
        The number of the node she requires; None where she requires none.
    sure
        From which chance on a guess is a warning.
    """

    release: SplitRelease
    known: Mapping[str, Any]
    coarse: Coarse
    groups: Rows
    weights: Floats
    here: Floats
    target: Floats
    own: int | None
    node: int | None
    sure: float = 0.9

    @property
    def tree(self) -> Tree:
        """The tree of all values."""
        return self.coarse.tree

    @property
    def title(self) -> str:
        """What the sensitive column is called."""
        return self.coarse.column.title

    @property
    def people(self) -> int:
        """How many people are in the groups that fit."""
        return int(self.release.sizes[self.groups].sum())

    @property
    def top(self) -> int:
        """The place of the likeliest value."""
        return int(np.argmax(self.here))

    @property
    def surest(self) -> float:
        """The chance of the likeliest value."""
        return self.chance_of(self.top)

    def chance_of(self, place: int) -> float:
        """The chance of one value, without the rounding of sums of parts."""
        return round(float(self.here[place]), DIGITS)

    @property
    def away(self) -> float:
        """How much of the chances lies elsewhere than in the target; 0 where nothing does."""
        found = float(np.abs(self.here - self.target).sum() / 2)
        return found if found > SAME else 0.0

    @property
    def personal(self) -> bool:
        """Whether people named what they require, and no common target was aimed at."""
        return "requirement" in self.release.parameters

    @property
    def added(self) -> int:
        """How many values of the whole table are nobody's."""
        return len(self.coarse.nodes) - len(self.release)

    @cached_property
    def shown(self) -> Rows:
        """How often each node is published in the groups that fit."""
        there = np.zeros(len(self.coarse.sizes), np.bool_)
        there[self.groups] = True
        nodes = self.coarse.nodes[there[self.coarse.owner]]
        return np.bincount(nodes, minlength=len(self.tree.names))

    @cached_property
    def possible(self) -> Flags:
        """Whether each value lies below something that is published in the groups that fit."""
        used, ends = np.flatnonzero(self.shown), np.zeros(len(self.here) + 1, np.intp)
        np.add.at(ends, np.array(self.tree.first)[used], 1)
        np.add.at(ends, np.array(self.tree.last)[used], -1)
        return np.cumsum(ends[:-1]) > 0

    @cached_property
    def cover(self) -> int:
        """The smallest node that covers all that is published in the groups that fit."""
        used, tree = np.flatnonzero(self.shown).tolist(), self.tree
        first, last = min(tree.first[n] for n in used), max(tree.last[n] for n in used)
        around = [n for n in tree.post if tree.first[n] <= first and last <= tree.last[n]]
        return min(around, key=lambda n: tree.last[n] - tree.first[n])

    @property
    def allowed(self) -> bool:
        """Whether she lets everybody know all that the groups give away for certain."""
        return self.node is not None and _is_within(self.tree, self.node, self.cover)

    @property
    def tolerance(self) -> float:
        """By how much the publisher lets shares of siblings be off."""
        told = self.release.parameters.get("tolerance")
        given = told.get("share", 0) if isinstance(told, Mapping) else 0
        try:
            return float(exact_fraction(given, "tolerance"))
        except (SchemaError, RecordError):
            return 0.0

    @cached_property
    def respected(self) -> bool:
        """Whether below her node just the target is shown, in each group that shows any of it."""
        node, told = self.node if self.node is not None else self.tree.root, False
        for part in self.coarse.readings(self.groups):
            tree = part.tree
            owner, nodes = self.coarse.owner[part.rows], self.coarse.nodes[part.rows]
            first, last = np.array(tree.first), np.array(tree.last)
            near = (first[nodes] < last[node]) & (first[node] < last[nodes])
            if near.any():
                told = True
                if not tree.weight[node] or len(
                    find_uneven_groups(tree, owner[near], nodes[near], node)
                ):
                    return False
        return told


def _is_within(tree: Tree, inner: int, outer: int) -> bool:
    return tree.first[outer] <= tree.first[inner] and tree.last[inner] <= tree.last[outer]


def find_inferred(
    record: Mapping[str, Any], release: SplitRelease, node: str | None = None, sure: float = 0.9
) -> Inferred:
    """Find the groups that a person fits, and what they show; one pass over the rows."""
    known = find_known_values(record, release.schema)
    coarse = Coarse(release)
    own = _find_own(record.get(coarse.column.name), coarse)
    wanted = _find_node(node, own, coarse)
    rows = np.ones(len(release), np.bool_)
    for name, value in known.items():
        column = release.schema[name]
        if column.kind == "numeric" or column.categories is not None:
            column.score(value)  # refuses what cannot be a value of the column
        rows &= rows_that_may_be(release.quasi[name], column, value)
    held = np.bincount(release.labels.quasi[rows], minlength=len(release.sizes))
    groups = np.flatnonzero(held)
    weights = held[groups] / max(int(held.sum()), 1)
    here, target = coarse.chances(groups, weights), coarse.target(groups, weights)
    return Inferred(release, known, coarse, groups, weights, here, target, own, wanted, sure)


def _find_own(given: Any, coarse: Coarse) -> int | None:
    """The place of her own value among those of the tree."""
    if is_absent(given):
        return None
    column = coarse.column
    name = text(column.score(given) if column.kind == "numeric" else given)
    if name not in coarse.hierarchy.levels:
        raise RecordError(
            f"{column.name!r} was given as {quoted(text(given))}, which is no value of the "
            f"published tree; it has {listed(coarse.hierarchy.order(), 6)}.",
            field=column.name,
            value=given,
        )
    return coarse.hierarchy.span(name)[0]


def _find_node(given: str | None, own: int | None, coarse: Coarse) -> int | None:
    """The number of the node she requires, which holds her value where she gave it."""
    if given is None:
        return None
    tree, name = coarse.tree, text(given).strip()
    if name not in tree.numbers:
        sizes = np.subtract(tree.last, tree.first)
        coarsest = [tree.names[node] for node in np.argsort(-sizes, kind="stable").tolist()]
        raise RecordError(
            f"node was given as {quoted(name)}; expected a group of values of "
            f"{coarse.column.name!r} in the published tree, such as {listed(coarsest, 6)}.",
            field="node",
            value=name,
        )
    node = tree.numbers[name]
    if own is not None and not tree.first[node] <= own < tree.last[node]:
        raise RecordError(
            f"node was given as {quoted(name)}, which does not hold your value "
            f"{quoted(tree.names[tree.leaves[own]])}; name a group that does.",
            field="node",
            value=name,
        )
    return node


MOST_BARS = 16
MOST_LINES = 20


def tables(found: Inferred) -> Mapping[str, pd.DataFrame]:
    """What can be inferred beside the target, value by value where there are many, and groups."""
    found_by_name = {"distribution": _list_distribution(found)}
    if len(found.here) > MOST_BARS:
        found_by_name["values"] = _list_values(found).head(MOST_LINES)
    return {**found_by_name, "groups": _list_groups(found).head(MOST_LINES)}


def count_cut_lines(found: Inferred) -> dict[str, int]:
    """How many lines of which tables are left out."""
    lines = {"groups": len(found.groups)}
    if len(found.here) > MOST_BARS:
        lines["values"] = int(np.count_nonzero(found.possible))
    return {name: number for name, number in lines.items() if number > MOST_LINES}


def facts(found: Inferred) -> dict[str, Any]:
    """How many groups and people fit, how far the target is, and what was required."""
    node = found.node
    return {
        "groups": len(found.groups),
        "people": found.people,
        "away_from_target": found.away,
        "node": None if node is None else found.coarse.column.shown(found.tree.names[node]),
        "respected": found.respected if node is not None and len(found.groups) else None,
        "nobody's": found.added,
        "sure": found.sure,
        "rests": say_condition("target"),
    }


def _list_distribution(found: Inferred) -> pd.DataFrame:
    """One line a value, or a group of values of the finest level with few enough of them."""
    if not len(found.groups):
        return pd.DataFrame(columns=["value", "of 100 for you", "of 100 in the target"])
    names, places = _group_values(found)
    here, target = (np.bincount(places, part) for part in (found.here, found.target))
    return pd.DataFrame(
        {"value": names, "of 100 for you": 100 * here, "of 100 in the target": 100 * target}
    )


def _group_values(found: Inferred) -> tuple[list[str], Any]:
    """The names of at most so many groups of values, and the place of each value's group."""
    tree = found.coarse.hierarchy
    order = [tree.levels[leaf] for leaf in tree.order()]
    for height in range(tree.height):
        names = [path[height] for path in order]
        codes, kept = pd.factorize(np.array(names, object))
        if len(kept) <= MOST_BARS:
            return list(map(found.coarse.column.shown, kept)), codes
    first = np.sort(np.argsort(-found.here, kind="stable")[: MOST_BARS - 1])
    codes = np.full(len(order), len(first))
    codes[first] = np.arange(len(first))
    return [
        *(found.coarse.column.shown(order[at][0]) for at in first.tolist()),
        "all others",
    ], codes


def _list_values(found: Inferred) -> pd.DataFrame:
    """One line a value that may be hers: its chance, and that of the target, likeliest first."""
    order = np.argsort(-found.here, kind="stable")
    there = order[found.possible[order]]
    return pd.DataFrame(
        {
            "value": [
                found.coarse.column.shown(found.tree.names[found.tree.leaves[at]])
                for at in there.tolist()
            ],
            "of 100 for you": 100 * found.here[there],
            "of 100 in the target": 100 * found.target[there],
        }
    )


def _list_groups(found: Inferred) -> pd.DataFrame:
    """One line a group that fits: its people, and in how many cases she is in it."""
    frame = pd.DataFrame(
        {
            "group": found.release.labels.names[found.groups],
            "people": found.release.sizes[found.groups],
            "of 100 cases yours": 100 * found.weights,
        }
    )
    return frame.sort_values(
        "of 100 cases yours", ascending=False, kind="stable", ignore_index=True
    )
