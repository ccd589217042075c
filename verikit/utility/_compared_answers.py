"""Answers side by side: the truth, and what releases or quick bounds make of it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import isfinite, isnan
from typing import NamedTuple

from verikit._support import html as _html
from verikit.query import Answer
from verikit.words import Said, count, number

WAYS = ("generalized", "anatomized", "permuted")


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
        off = "" if error is None else f", off by {number(round(100 * error, 1))} %"
        said.append(f"{way} {number(one.estimate)}{off}")
    first = f"{number(found.true.estimate)} of {count(records, 'record')} meet it."
    return Said(first, f"Estimates: {'; '.join(said)}.")


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
