"""Answer questions from a release: a tree of conditions, blocks, an aggregate."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from math import inf, isnan, nan, sqrt
from weakref import WeakKeyDictionary

from verikit.errors import RecordError
from verikit.query._aggregates import (
    BOUNDS,
    BlockSelection,
    Selection,
    select_by_block,
    select_by_record,
)
from verikit.query._answer import RECORDS, Answer
from verikit.query._blocks import CERTAIN, Blocks, blocks, count_matches
from verikit.query._estimates import (
    Moments,
    find_count_moments,
    find_expected,
    find_moments,
    undo_redraw,
)
from verikit.query._query import Query
from verikit.query._tree import Leaf, Tree, bind_conditions, find_column, walk_up
from verikit.table import Column

__all__ = ["CHANGED", "NOBODY", "UNTOLD", "Evidence", "evidence_of", "fresh_evidence"]

AS_THEY_STAND = "the values as they stand in the table"
AS_PUBLISHED = "the values as they were published"
SPREAD = "values spread evenly over published ranges and groups"
LINKS = "every link inside a group being equally likely"
NOBODY = "no record can meet the conditions"
UNDONE = (
    "an estimate {} bias, give or take {:.3g}, from values that were drawn anew with "
    "published probabilities"
)
CHANGED = "an estimate only, from values that were changed"
UNTOLD = (
    "the {} in the table; how it was made is untold, so nothing more is certain about the people"
)


class Evidence:
    """A release, ready for many questions.

    Parameters
    ----------
    blocks
        Its blocks.
    """

    coded = True  # whether cells are at hand, and not in an engine

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks

    def answer(self, query: Query) -> Answer:
        """Answer one question."""
        if not isinstance(query, Query):
            raise RecordError(
                f"A query was given as {type(query).__name__}; expected a Query, or a text in SQL."
            )
        aggregate, seen = query.aggregate, self.blocks
        tree = bind_conditions(query.where, seen.schema, seen.scale, seen.find_asked)
        if aggregate != "count" and (aggregate not in BOUNDS or query.of is None):
            raise RecordError(f"No engine knows the aggregate {aggregate!r}.")
        column = seen.schema[find_column(query.of, seen.schema)] if query.of is not None else None
        if column is not None and column.kind != "numeric":
            raise RecordError(
                f"The {aggregate} of {column.name!r} was asked for, which holds categories; sum, "
                "avg, min and max need a column of numbers."
            )
        for leaf in walk_up(tree) if tree is not None and self.coded else ():
            if isinstance(leaf, Leaf):  # each cell is asked once, before rows are put together
                seen.parts[seen.home[leaf.name]].columns[leaf.name].match(leaf.values)
        if column is None:
            return self._answer_count(tree)
        return self._answer_value(aggregate, column, tree)

    def _answer_count(self, tree: Tree | None) -> Answer:
        count, size = count_matches(self.blocks, tree), len(self.blocks)
        estimate = float(count.mean.sum())
        if self.blocks.together is not None:
            estimate = float(self.blocks.together.count(tree).mean.sum())
        if self.blocks.promise not in CERTAIN:
            before = undo_redraw(self.blocks, tree)
            if before is None:
                return Answer(RECORDS, 0, estimate, size, None, None, self._say_changed("count"))
            estimate = min(max(before.mean, 0.0), float(size))
            bias = "without" if before.unbiased else "nearly without"
            words = UNDONE.format(bias, sqrt(before.variance))
            return Answer(RECORDS, 0, estimate, size, before.mean, before.variance, words)
        lower, upper = float(count.low.sum()), float(count.high.sum())
        found = None
        if lower == upper:
            estimate = lower
        elif self.blocks.together is None:
            found = find_count_moments(count)
        return self._make_answer(RECORDS, (lower, upper), estimate, found, tree)

    def _answer_value(self, aggregate: str, column: Column, tree: Tree | None) -> Answer:
        dated, name = column.dated and aggregate != "sum", column.name
        unit = f"{column.title} in {column.unit}" if column.unit and not dated else column.title
        if self.blocks.promise not in CERTAIN:
            estimate = find_expected(self.blocks, aggregate, name, tree)
            words = self._say_changed("value")
            return Answer(unit, -inf, estimate, inf, None, None, words, dated)
        place = self.blocks.home[name]
        own = tree is not None and place in self.blocks.find_homes(tree)
        ready = None if own else self.blocks.parts[place].ascending(name)
        if ready is None:
            choice: Selection | BlockSelection = select_by_record(self.blocks, name, tree)
        else:
            choice = select_by_block(ready, count_matches(self.blocks, tree))
        if choice.empty:
            value, none = (0.0, 0.0) if aggregate == "sum" else (nan, None)
            return Answer(unit, value, value, value, none, none, NOBODY, dated)
        ends = BOUNDS[aggregate](choice)
        found = find_moments(self.blocks, aggregate, name, tree)
        if found is None:
            estimate = find_expected(self.blocks, aggregate, name, tree)
        else:
            estimate = found.mean
        answer = self._make_answer(unit, ends, estimate, found, tree, name)
        words = answer.rests_on
        if not choice.certain and aggregate != "sum":
            words = f"{words}, if any record meets the conditions"
        return replace(answer, rests_on=words, dated=dated)

    def _say_changed(self, what: str) -> str:
        return CHANGED if self.blocks.promise == "changed" else UNTOLD.format(what)

    def _make_answer(
        self,
        unit: str,
        ends: tuple[float, float],
        estimate: float,
        found: Moments | None,
        tree: Tree | None,
        *more: str,
    ) -> Answer:
        """Make an answer of which something is certain."""
        if ends[0] == ends[1]:
            found = Moments(ends[0], 0.0)
        if isnan(estimate):
            estimate = (ends[0] + ends[1]) / 2
        estimate = min(max(estimate, ends[0]), ends[1])
        asked = frozenset(more) if tree is None else tree.columns.union(more)
        words = self._say_grounds(asked, exact=ends[0] == ends[1], closed=found is not None)
        mean, variance = (None, None) if found is None else found
        return Answer(unit, ends[0], estimate, ends[1], mean, variance, words)

    def _say_grounds(self, asked: frozenset[str], *, exact: bool, closed: bool) -> str:
        seen = self.blocks
        if len(seen.parts) == 1:
            return AS_THEY_STAND if exact else SPREAD
        homes = {seen.home[name] for name in asked}
        if len(homes) < 2 and all(seen.parts[place].people is None for place in homes):
            return AS_PUBLISHED if exact else SPREAD
        if seen.together is not None:
            method = seen.method.replace("_", " ") or "the method"
            return f"rows as they were published, between which {method} moved values"
        return LINKS if closed else f"{LINKS}; their variance has no closed form here"


@singledispatch
def fresh_evidence(release: object) -> Evidence:
    """Make what questions need of a release; one that is not loaded registers its own."""
    return Evidence(blocks(release))


_KEPT: WeakKeyDictionary[object, Evidence] = WeakKeyDictionary()


def evidence_of(release: object) -> Evidence:
    """Make a table or a release ready for many questions, and keep that as long as it is there.

    What was coded and counted for one question serves the next. It lies beside the release and
    not in it, and goes when the release does.

    Examples
    --------
    >>> import verikit as vk
    >>> release = vk.published("lhcc_table3")
    >>> evidence_of(release) is evidence_of(release)
    True
    """
    try:
        found = _KEPT.get(release)
    except TypeError:
        return fresh_evidence(release)
    if found is None:
        found = _KEPT[release] = fresh_evidence(release)
    return found
