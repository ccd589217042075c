"""Counts that are known for certain, expected, or at most possible, put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from verikit._conditions import Condition
from verikit._query import Query
from verikit.errors import RecordError
from verikit.hierarchy import listed, text
from verikit.table import Schema

__all__ = ["Answer", "Asked", "Factor", "by_column", "combined"]

Counts = npt.NDArray[Any]
Asked: TypeAlias = Mapping[str, Sequence[Condition]]


@dataclass(frozen=True, slots=True)
class Answer:
    """What can be said about a count.

    Parameters
    ----------
    lower, upper
        The true count lies between them.
    estimate
        What to expect of it.
    rests_on
        What the three rest on.

    Examples
    --------
    >>> Answer(0, 0.9, 2, "...").exact
    False
    """

    lower: float
    estimate: float
    upper: float
    rests_on: str

    @property
    def exact(self) -> bool:
        """Whether nothing but the estimate is possible."""
        return self.lower == self.upper

    def __repr__(self) -> str:
        if self.exact:
            return f"{text(self.estimate)}, exactly: {self.rests_on}"
        return (
            f"{self.estimate:,.4g}, for certain from {text(self.lower)} to {text(self.upper)}: "
            f"{self.rests_on}"
        )


class Factor(NamedTuple):
    """By block how many of its records meet some of the conditions: at least, expected, at most."""

    low: Counts
    mean: Counts
    high: Counts


def combined(sizes: Counts, factors: Sequence[Factor], rests_on: str) -> Answer:
    """Put together what is known of the same blocks, each part without knowing the others.

    At least as many records meet all conditions as cannot avoid it, at most as many as meet the
    rarest; the estimate takes the parts for independent inside each block.

    Examples
    --------
    >>> men, old = (np.array([count]) for count in (3, 4))
    >>> answer = combined(np.array([5]), [Factor(men, men, men), Factor(old, old, old)], "")
    >>> answer.lower, round(answer.estimate, 3), answer.upper
    (2.0, 2.4, 3.0)
    """
    high = np.minimum.reduce([sizes, *(factor.high for factor in factors)])
    alive = np.flatnonzero(high)
    sizes = sizes[alive].astype(np.float64)
    low, mean = sizes.copy(), sizes.copy()
    for factor in factors:
        low += factor.low[alive] - sizes
        mean *= factor.mean[alive] / sizes
    lower = float(np.clip(low, 0, None).sum())
    return Answer(lower, float(mean.sum()), float(high.sum()), rests_on)


def by_column(query: Query, schema: Schema) -> Asked:
    """The conditions by column; a name may differ in case from the one column it can mean."""
    if not isinstance(query, Query):
        raise RecordError(
            f"A query was given as {type(query).__name__}; expected a Query, or a text in SQL."
        )
    asked: dict[str, list[Condition]] = {}
    for condition in query.where:
        asked.setdefault(_column(condition.column, schema), []).append(condition)
    return asked


def _column(name: str, schema: Schema) -> str:
    if name in schema.names:
        return name
    alike = [known for known in schema.names if known.lower() == name.lower()]
    if len(alike) == 1:
        return alike[0]
    raise RecordError(f"There is no column {name!r}; the table has {listed(schema.names, 12)}.")
