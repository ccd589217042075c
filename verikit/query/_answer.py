"""Answer a question: what is certain, what to expect, what it rests on; answers compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import singledispatch
from math import inf, isfinite, isnan, nan, sqrt
from weakref import WeakKeyDictionary

import pandas as pd

from verikit._support import html as _html
from verikit._support.plotted import Plotted
from verikit.errors import RecordError
from verikit.query._aggregates import (
    BOUNDS,
    BlockSelection,
    Selection,
    bound_aggregate,
    bound_moved,
    select_by_record,
)
from verikit.query._assignment import list_links
from verikit.query._blocks import CERTAIN, Blocks, blocks
from verikit.query._counting import Counting, Options
from verikit.query._estimates import (
    Moments,
    find_count_moments,
    find_expected,
    find_moments,
    undo_redraw,
)
from verikit.query._query import Query
from verikit.query._tree import Tree, bind_conditions, find_numbers, list_leaves
from verikit.table import Column
from verikit.values.dates import date_text
from verikit.words import number

RECORDS = "records"


@dataclass(frozen=True, slots=True)
class Answer(Plotted):
    """What can be said about an aggregate.

    Parameters
    ----------
    unit
        What is counted or measured: ``records``, or a column with its unit.
    lower, upper
        The true value lies between them; infinite where nothing is certain.
    estimate
        What to expect of it. No value (``nan``), like its bounds, where no record can be meant.
    mean, variance
        Those of all possible answers, where the release makes them equally likely and they have a
        closed form, or one answer only is possible; those of the estimate, where values were drawn
        anew with published probabilities; else None.
    rests_on
        What all of these rest on.
    dated
        Whether it is a date, counted in days since 1970-01-01.
    tight
        Whether both bounds are known to be reached; else they hold and may be too wide.

    Examples
    --------
    >>> Answer("records", 0, 0.9, 2, 0.9, 0.49, "every link being equally likely")
    0.9 records, for certain from 0 to 2: every link being equally likely
    """

    unit: str
    lower: float
    estimate: float
    upper: float
    mean: float | None
    variance: float | None
    rests_on: str
    dated: bool = False
    tight: bool = True

    @property
    def exact(self) -> bool:
        """Whether nothing but the estimate is possible."""
        return self.lower == self.upper

    @property
    def means(self) -> str:
        """What is certain, and what is to be expected, in one sentence.

        Examples
        --------
        >>> Answer("records", 0, 0.9, 2, 0.9, 0.49, "every link being equally likely").means
        'For certain from 0 to 2; 0.9 is to be expected.'
        """
        if isnan(self.lower):
            return "There is no answer: nobody is meant."
        if self.exact:
            return f"Exactly {self._format_end(self.estimate)}."
        return (
            f"For certain from {self._format_end(self.lower)} to {self._format_end(self.upper)}; "
            f"{self._format_end(self.estimate)} is to be expected."
        )

    def _repr_html_(self) -> str:
        names = ("lower", "estimate", "upper", "mean", "variance", "unit", "rests_on")
        lines = [(name.replace("_", " "), getattr(self, name)) for name in names]
        frame = pd.DataFrame(lines, columns=["", "answer"], dtype=object)
        return _html.element("div", _html.table(frame), class_="vk")

    def __repr__(self) -> str:
        if isnan(self.lower):
            return f"no value ({self.unit}): {self.rests_on}"
        unit = RECORDS if self.unit == RECORDS else f"({self.unit})"
        if self.exact:
            return f"{self._in_full(self.estimate)} {unit}, exactly: {self.rests_on}"
        digits = ".4g" if abs(self.estimate) < 10_000 else ".0f"
        expected = f"{self.estimate:,{digits}}"
        if isnan(self.estimate):
            expected = "no estimate"
        elif self.dated:
            expected = date_text(self.estimate)
        ends = []
        if self.lower != -inf:
            word = "at least" if self.upper == inf else "from"
            ends.append(f"{word} {self._in_full(self.lower)}")
        if self.upper != inf:
            word = "at most" if self.lower == -inf else "to"
            ends.append(f"{word} {self._in_full(self.upper)}")
        certain = f"for certain {' '.join(ends)}" if ends else "nothing certain"
        return f"{expected} {unit}, {certain}: {self.rests_on}"

    def _format_end(self, value: float) -> str:
        return date_text(value) if self.dated and isfinite(value) else number(value)

    def _in_full(self, value: float) -> str:
        """Write a number in full, thousands apart."""
        if self.dated:
            return date_text(value)
        return f"{int(value) if float(value).is_integer() else float(value):,}"


AS_THEY_STAND = "the values as they stand in the table"
AS_PUBLISHED = "the values as they were published"
SPREAD = "values spread evenly over published ranges and groups"
LINKS = "every link inside a group being equally likely"
LOOSE = "the bounds hold, and may be wider than need be"
NOBODY = "no record can meet the conditions"
UNDONE = (
    "an estimate {} bias, give or take {:.3g}, from values that were drawn anew with "
    "published probabilities"
)
CHANGED = "an estimate only, from values that were changed"
DRAWN = "an estimate only, from rows that were drawn from a model"
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
        """Answer one question."""
        aggregate, seen = query.aggregate, self.blocks
        tree = bind_conditions(query.where, seen.schema, seen.scale, seen.find_spellings)
        if query.of is None:
            return self._answer_count(tree)
        if aggregate not in BOUNDS:
            raise RecordError(f"No engine knows the aggregate {aggregate!r}.")
        return self._answer_value(aggregate, find_numbers(query, seen.schema), tree)

    def _answer_count(self, tree: Tree | None) -> Answer:
        counting, size = Counting(self.blocks), len(self.blocks)
        count = counting.count(tree)
        estimate = float(self._expect_together(counting).count(tree).mean.sum())
        if self.blocks.promise not in CERTAIN:
            before = undo_redraw(self.blocks, tree)
            if before is None:
                return self._bound_nothing(estimate)
            estimate = min(max(before.mean, 0.0), float(size))
            bias = "without" if before.unbiased else "nearly without"
            words = UNDONE.format(bias, sqrt(before.variance))
            return Answer(RECORDS, 0, estimate, size, before.mean, before.variance, words)
        lower, upper = float(count.low.sum()), float(count.high.sum())
        found = None
        if lower == upper:
            estimate = lower
        elif self.blocks.together is None and len(self.blocks.parts) > 1:
            found = find_count_moments(counting, tree)
        answer = self._make_answer(RECORDS, (lower, upper), estimate, found, tree)
        tight = count.tight and self._is_reached(tree)
        return answer if tight or answer.exact else self._loosen(answer)

    def _loosen(self, answer: Answer) -> Answer:
        """Say that bounds hold and may be too wide."""
        return replace(answer, tight=False, rests_on=f"{answer.rests_on}; {LOOSE}")

    def _expect_together(self, counting: Counting) -> Counting:
        """Find what an estimate rests on: whole rows, where chance is worse evidence."""
        rows = self.blocks.together
        if rows is None:
            return counting
        return Counting(replace(self.blocks, parts=(rows,), together=None))

    def _answer_value(self, aggregate: str, column: Column, tree: Tree | None) -> Answer:
        dated, name = column.dated and aggregate != "sum", column.name
        unit = f"{column.title} in {column.unit}" if column.unit and not dated else column.title
        counting = Counting(self.blocks)
        expected = self._expect_together(counting)
        if self.blocks.promise not in CERTAIN:
            likely = expected.list_options(name, tree)
            estimate = find_expected(aggregate, likely.share, likely.middle)
            words = self._say_changed("value")
            return Answer(unit, -inf, estimate, inf, None, None, words, dated)
        place = self.blocks.home[name]
        own = tree is not None and place in self.blocks.find_homes(tree)
        ready = None if own else self.blocks.parts[place].sort_values(name)
        options: Options | None = None
        if ready is None:
            options = counting.list_options(name, tree)
            choice: Selection | BlockSelection = select_by_record(counting, name, tree, options)
        else:
            choice = BlockSelection.of_hits(ready, counting.count(tree))
        if choice.empty:
            value, none = (0.0, 0.0) if aggregate == "sum" else (nan, None)
            return Answer(unit, value, value, value, none, none, NOBODY, dated)
        ends, tight = self._bound_ends(counting, choice, options, (aggregate, name, tree))
        found = None if self.blocks.together else find_moments(counting, aggregate, name, tree)
        if found:
            estimate = found.mean
        else:
            if options is None or expected is not counting:
                options = expected.list_options(name, tree)
            estimate = find_expected(aggregate, options.share, options.middle)
        if not choice.certain and aggregate != "sum":
            found = None  # an answer that need not exist has no mean over all possible ones
        answer = self._make_answer(unit, ends, estimate, found, tree, name)
        words = answer.rests_on
        if not choice.certain and aggregate != "sum":
            words = f"{words}, if any record meets the conditions"
        answer = replace(answer, rests_on=words, dated=dated)
        return answer if tight or answer.exact else self._loosen(answer)

    def _is_reached(self, tree: Tree | None, *more: str) -> bool:
        """Tell whether all orders of the columns asked for are possible: none moved less far."""
        asked = frozenset(more) if tree is None else tree.columns.union(more)
        return not any(self.blocks.reach.get(name) for name in asked)

    def _cuts_open(self, name: str, tree: Tree | None) -> bool:
        """Tell whether cells of a column are cut at an end that is not asked for itself."""
        if tree is None or self.blocks.parts[self.blocks.home[name]].columns[name].clear:
            return False
        asked = (getattr(leaf.values, "cuts", ()) for leaf in list_leaves((tree,), name))
        return any(side != at % 2 for cuts in asked for at, (_, side) in enumerate(cuts))

    def _bound_ends(
        self,
        counting: Counting,
        choice: Selection | BlockSelection,
        options: Options | None,
        asked: tuple[str, str, Tree | None],
    ) -> tuple[tuple[float, float], bool]:
        """Bound an aggregate, and tell whether both bounds are reached."""
        aggregate, name, tree = asked
        moved = self._bound_moved(aggregate, name, tree)
        if moved is not None:
            return moved, False
        reached = self._is_reached(tree, name) and not self._cuts_open(name, tree)
        ends, tight = bound_aggregate(choice, aggregate), reached
        if options is None or counting.is_tight(options, tree):
            return ends, tight and counting.count(tree).tight
        links = list_links(counting, name, options)
        return (ends, False) if links is None else (bound_aggregate(links, aggregate), tight)

    def _bound_moved(
        self, aggregate: str, name: str, tree: Tree | None
    ) -> tuple[float, float] | None:
        """Bound an aggregate of known records whose values moved so many ranks at most."""
        reach, part = self.blocks.reach, self.blocks.parts[self.blocks.home[name]]
        if tree is None or not reach.get(name) or any(reach.get(c, 1) for c in tree.columns):
            return None
        coded, chosen = part.columns[name], part.columns.match(tree)
        if not chosen.clear or not chosen.surely.any() or part.sort_values(name) is None:
            return None
        return bound_moved(coded.ends().low[coded.codes], chosen.surely, reach[name], aggregate)

    def _bound_nothing(self, count: float) -> Answer:
        """Answer a count of which nothing is certain but that rows are people, if they are."""
        most = inf if self.blocks.promise == "drawn from a model" else len(self.blocks)
        return Answer(RECORDS, 0, count, most, None, None, self._say_changed("count"))

    def _say_changed(self, what: str) -> str:
        known = {"changed": CHANGED, "drawn from a model": DRAWN}
        return known.get(self.blocks.promise) or UNTOLD.format(what)

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


_KEPT: WeakKeyDictionary[object, dict[bool, Evidence]] = WeakKeyDictionary()


def evidence_of(release: object, *, measured: bool = False) -> Evidence:
    """Make a table or a release ready for many questions, and keep that as long as it is there.

    What was coded and counted for one question serves the next. It lies beside the release and
    not in it, and goes when the release does. With ``measured`` whole numbers are spread over
    ranges as real ones are (see `Columns`).

    Examples
    --------
    >>> import verikit as vk
    >>> release = vk.published("lhcc_table3")
    >>> evidence_of(release) is evidence_of(release)
    True
    """
    try:
        kept = _KEPT.setdefault(release, {})
    except TypeError:
        kept = {}
    if measured not in kept:
        kept[measured] = fresh_evidence(release)
        for part in kept[measured].blocks.parts:
            part.columns.measure(lengths=measured)
    return kept[measured]
