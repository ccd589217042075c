"""The one engine for questions: a tree of conditions, the blocks of a release, an aggregate."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch
from math import inf, isnan, nan, sqrt
from weakref import WeakKeyDictionary

from verikit.errors import RecordError
from verikit.query._answer import RECORDS, Answer
from verikit.query._blocks import Blocks, blocks
from verikit.query._bound import Tree, bound, column_named
from verikit.query._choice import BOUNDS, choice_of
from verikit.query._known import known
from verikit.query._moments import Moments, count_moments, expected, moments
from verikit.query._promise import CERTAIN
from verikit.query._query import Query
from verikit.query._redrawn import Undone, undone
from verikit.table import Column

__all__ = ["Evidence", "evidence_of", "fresh_evidence"]

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

    def __init__(self, blocks: Blocks) -> None:
        self.blocks = blocks

    def answer(self, query: Query) -> Answer:
        """What the release says about one question."""
        if not isinstance(query, Query):
            raise RecordError(
                f"A query was given as {type(query).__name__}; expected a Query, or a text in SQL."
            )
        tree = bound(query.where, self.blocks.schema, self.blocks.scale)
        if query.aggregate == "count":
            return self._count(tree)
        if query.aggregate not in BOUNDS or query.of is None:
            raise RecordError(f"No engine knows the aggregate {query.aggregate!r}.")
        return self._value(query.aggregate, self._column(query.aggregate, query.of), tree)

    def _column(self, aggregate: str, of: str) -> Column:
        column = self.blocks.schema[column_named(of, self.blocks.schema)]
        if column.kind != "numeric":
            raise RecordError(
                f"The {aggregate} of {column.name!r} was asked for, which holds categories; sum, "
                "avg, min and max need a column of numbers."
            )
        return column

    def _count(self, tree: Tree | None) -> Answer:
        count, size = known(self.blocks, tree), len(self.blocks)
        estimate = float(count.mean.sum())
        if self.blocks.together is not None:
            estimate = float(self.blocks.together.known(tree).mean.sum())
        if self.blocks.promise not in CERTAIN:
            words = CHANGED if self.blocks.promise == "changed" else UNTOLD.format("count")
            before = undone(self.blocks, tree)
            if before is not None:
                estimate = min(max(before.mean, 0.0), float(size))
                told = _give_or_take(before)
                return Answer(RECORDS, 0, estimate, size, before.mean, before.variance, told)
            return Answer(RECORDS, 0, estimate, size, None, None, words)
        lower, upper = float(count.low.sum()), float(count.high.sum())
        if lower == upper:
            return self._told(RECORDS, (lower, upper), lower, None, tree)
        found = None if self.blocks.together is not None else count_moments(count)
        return self._told(RECORDS, (lower, upper), estimate, found, tree)

    def _value(self, aggregate: str, column: Column, tree: Tree | None) -> Answer:
        dated = column.dated and aggregate != "sum"
        unit = f"{column.title} in {column.unit}" if column.unit and not dated else column.title
        return replace(self._valued(unit, aggregate, column, tree), dated=dated)

    def _valued(self, unit: str, aggregate: str, column: Column, tree: Tree | None) -> Answer:
        if self.blocks.promise not in CERTAIN:
            estimate = expected(self.blocks, aggregate, column.name, tree)
            words = CHANGED if self.blocks.promise == "changed" else UNTOLD.format("value")
            return Answer(unit, -inf, estimate, inf, None, None, words)
        choice = choice_of(self.blocks, column.name, tree)
        if choice.empty:
            value = 0.0 if aggregate == "sum" else nan
            none = None if isnan(value) else 0.0
            return Answer(unit, value, value, value, none, none, NOBODY)
        ends = BOUNDS[aggregate](choice)
        found = moments(self.blocks, aggregate, column.name, tree)
        if found is not None:
            estimate = found.mean
        else:
            estimate = expected(self.blocks, aggregate, column.name, tree)
        told = self._told(unit, ends, estimate, found, tree, column.name)
        if choice.certain or aggregate == "sum":
            return told
        return replace(told, rests_on=f"{told.rests_on}, if any record meets the conditions")

    def _told(
        self,
        unit: str,
        ends: tuple[float, float],
        estimate: float,
        found: Moments | None,
        tree: Tree | None,
        *more: str,
    ) -> Answer:
        """An answer of which something is certain."""
        if ends[0] == ends[1]:
            found = Moments(ends[0], 0.0)
        if isnan(estimate):
            estimate = (ends[0] + ends[1]) / 2
        estimate = min(max(estimate, ends[0]), ends[1])
        asked = frozenset(more) if tree is None else tree.columns.union(more)
        words = self._rests_on(asked, exact=ends[0] == ends[1], closed=found is not None)
        mean, variance = (None, None) if found is None else found
        return Answer(unit, ends[0], estimate, ends[1], mean, variance, words)

    def _rests_on(self, asked: frozenset[str], *, exact: bool, closed: bool) -> str:
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


def _give_or_take(found: Undone) -> str:
    return UNDONE.format("without" if found.unbiased else "nearly without", sqrt(found.variance))


@singledispatch
def fresh_evidence(release: object) -> Evidence:
    """What is known of a release; one that is not loaded registers evidence of its own."""
    return Evidence(blocks(release))


_KEPT: WeakKeyDictionary[object, Evidence] = WeakKeyDictionary()


def evidence_of(release: object) -> Evidence:
    """A table or a release, ready for many questions, and kept as long as it is.

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
