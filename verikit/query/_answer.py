"""Answer a question: what is certain, what to expect, what it rests on; answers compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isfinite, isnan
from typing import NamedTuple

import pandas as pd

from verikit._support import html as _html
from verikit._support.plotted import Plotted
from verikit.table import date_text
from verikit.words import Said, count, number

__all__ = [
    "RECORDS", "WAYS", "Answer", "Bounds", "Estimates", "Intervals", "describe_bounds",
    "describe_error", "describe_estimates",
]  # fmt: skip

RECORDS = "records"
WAYS = ("generalized", "anatomized", "permuted")


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
            return f"Exactly {self._number(self.estimate)}."
        return (
            f"For certain from {self._number(self.lower)} to {self._number(self.upper)}; "
            f"{self._number(self.estimate)} is to be expected."
        )

    def _repr_html_(self) -> str:
        names = ("lower", "estimate", "upper", "mean", "variance", "unit", "rests_on")
        frame = pd.DataFrame(
            {"": [name.replace("_", " ") for name in names],
             "answer": [getattr(self, name) for name in names]},
            dtype=object,
        )  # fmt: skip
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

    def _number(self, value: float) -> str:
        return date_text(value) if self.dated and isfinite(value) else number(value)

    def _in_full(self, value: float) -> str:
        """Write a number in full, thousands apart."""
        if self.dated:
            return date_text(value)
        return f"{int(value) if float(value).is_integer() else float(value):,}"


class Intervals(NamedTuple):
    """The true answer, and what two releases of the same groups make of it."""

    true: Answer
    permuted: Answer
    generalized: Answer

    @property
    def hold(self) -> bool:
        """Whether somebody meets the conditions and all answers have a value."""
        return not any(isnan(one.lower) for one in self)

    @property
    def inside(self) -> bool:
        """Whether each interval lies in the next: truth, permuted, generalized."""
        ends = [end for one in self for end in (one.lower, one.upper) if isfinite(end)]
        slack = 1e-9 * max(map(abs, ends), default=0)
        return all(
            outer.lower <= inner.lower + slack and inner.upper <= outer.upper + slack
            for inner, outer in pairwise(self)
        )

    @property
    def means(self) -> str:
        """What is certain from each release, in a sentence."""
        if not self.hold:
            return "Nobody meets the conditions in one of the tables, so there is no value."
        permuted, generalized = map(describe_bounds, self[1:])
        order = " Each lies inside the next." if self.inside else ""
        return (
            f"The truth is {_html.cell(float(self.true.estimate))}; permuted says {permuted}, "
            f"generalized {generalized}.{order}"
        )

    @property
    def why(self) -> str:
        """How wide the intervals are."""
        if not self.hold or not all(isfinite(one.upper - one.lower) for one in self):
            return ""
        wide = [_html.cell(float(one.upper - one.lower)) for one in self[1:]]
        return f"The intervals are {wide[0]} and {wide[1]} wide."


def describe_bounds(one: Answer) -> str:
    """Say what is certain of one answer.

    Examples
    --------
    >>> describe_bounds(Answer("records", 0, 0.9, 1200, None, None, "nothing"))
    '0 to 1,200'
    """
    if one.exact:
        return f"exactly {_html.cell(float(one.lower))}"
    if not isfinite(one.lower) or not isfinite(one.upper):
        return "nothing certain"
    return f"{_html.cell(float(one.lower))} to {_html.cell(float(one.upper))}"


class Estimates(NamedTuple):
    """The true count, and what each release makes of it."""

    true: Answer
    generalized: Answer
    anatomized: Answer
    permuted: Answer


def describe_estimates(found: Estimates, errors: Sequence[float | None], records: int) -> Said:
    """Say the true count of some records, and how far the estimates of it are off."""
    said = []
    for way, one, error in zip(WAYS, found[1:], errors, strict=True):
        off = "" if error is None else f", off by {describe_error(error)}"
        said.append(f"{way} {number(one.estimate)}{off}")
    first = f"{number(found.true.estimate)} of {count(records, 'record')} meet it."
    return Said(first, f"Estimates: {'; '.join(said)}.")


def describe_error(error: float | None) -> str:
    """Say an error in per cent, where there is one.

    Examples
    --------
    >>> describe_error(0.625), describe_error(None)
    ('62.5 %', 'not defined')
    """
    return "not defined" if error is None else f"{number(round(100 * error, 1))} %"


class Bounds(NamedTuple):
    """What a release of a graph tells, the tightest that can be told from it, and the truth."""

    answer: Answer
    tight: Answer | None
    true: Answer

    @property
    def means(self) -> str:
        """The answer in a sentence."""
        return self.answer.means

    @property
    def why(self) -> str:
        """The truth, and how loose the bounds are."""
        if isnan(self.answer.lower):
            return ""
        said = f"The truth, which only the publisher knows: {number(self.true.estimate)}."
        if self.tight is None:
            return f"{said} There are too many choices of nodes to try all for tighter bounds."
        loose = (self.answer.upper - self.answer.lower) - (self.tight.upper - self.tight.lower)
        told = f"wider by {number(loose)} than need be" if loose > 1e-9 else "as tight as can be"
        return f"{said} The quick bounds are {told}."
