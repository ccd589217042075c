"""Conditions on one column, and what cells say about values: surely, perhaps, and by what share."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Codes, Flags, Floats
from verikit._support.requests import one_of
from verikit.errors import RecordError, quoted
from verikit.table import number
from verikit.words import text

Closed: TypeAlias = Literal["both", "left", "right", "neither"]


@dataclass(frozen=True, slots=True)
class Between:
    """The values of a column that lie in a range.

    Parameters
    ----------
    column
        The column; numeric, or ordinal.
    low, high
        The ends of the range, None where it has none: numbers, or categories.
    closed
        Which ends belong to it.

    Examples
    --------
    >>> Between("Age", 40, 70), Between("Age", high=18, closed="neither")
    (Age from 40 to 70, Age below 18)
    """

    column: str
    low: float | str | None = None
    high: float | str | None = None
    closed: Closed = "both"

    def __post_init__(self) -> None:
        """Refuse a range that nothing can lie in."""
        one_of(self.closed, "closed", get_args(Closed))
        if self.low is None and self.high is None:
            raise RecordError(
                f"The range of {quoted(self.column)} has no end; give low, high or both."
            )
        for name in ("low", "high"):
            end = getattr(self, name)
            if end is not None and not isinstance(end, str):
                object.__setattr__(
                    self, name, number(end, f"{name} of {self.column}", field=self.column)
                )
        ends = [end for end in (self.low, self.high) if isinstance(end, float)]
        if len(ends) == 2 and ends[0] > ends[1]:
            raise RecordError(
                f"The range of {quoted(self.column)} goes from {text(ends[0])} down to "
                f"{text(ends[1])}; give the lower end first.",
                field=self.column,
                value=ends,
            )

    def __repr__(self) -> str:
        low, high = (None if end is None else text(end) for end in (self.low, self.high))
        left, right = self.closed in ("both", "left"), self.closed in ("both", "right")
        if low is None:
            return f"{self.column} {'up to' if right else 'below'} {high}"
        if high is None:
            return f"{self.column} {'from' if left else 'above'} {low}{' on' if left else ''}"
        if left and right:
            return f"{self.column} from {low} to {high}"
        return f"{self.column} in {'[' if left else '('}{low}, {high}{']' if right else ')'}"


@dataclass(frozen=True, slots=True)
class Among:
    """Some values of a column; a group of its hierarchy stands for all values below it.

    Parameters
    ----------
    column
        The name of the column.
    values
        The values and groups that are asked for.

    Examples
    --------
    >>> Among("Disease", frozenset({"Flu", "Cancer"}))
    Disease is Cancer or Flu
    """

    column: str
    values: frozenset[str]

    def __post_init__(self) -> None:
        """Hold the values as the texts that name them."""
        object.__setattr__(self, "values", frozenset(map(text, self.values)))
        if not self.values:
            raise RecordError(f"No value of {quoted(self.column)} was given; give at least one.")

    def __repr__(self) -> str:
        return f"{self.column} is {' or '.join(sorted(self.values))}"


Condition: TypeAlias = Between | Among


def condition_of(name: str, value: object) -> Condition:
    """A pair as a range, a set or a list as a choice, anything else as one value.

    Examples
    --------
    >>> condition_of("Age", (40, 70)), condition_of("Sex", "F")
    (Age from 40 to 70, Sex is F)
    """
    if isinstance(value, tuple):
        if len(value) != 2:
            raise RecordError(
                f"The range of {quoted(name)} was given as {quoted(value)}; expected a pair (low, "
                "high), and a set for several values.",
                field=name,
                value=value,
            )
        return Between(name, *value)
    alone = isinstance(value, (str, bytes, Mapping)) or getattr(value, "ndim", 1) == 0
    if isinstance(value, Collection) and not alone:
        return Among(name, frozenset(map(text, value)))
    return Among(name, frozenset({text(value)}))


class NameMatch(NamedTuple):
    """By cell whether it is surely one of some values, what share of it is, and whether it may be.

    The last entry is that of a missing value, which may be anything.
    """

    certain: Flags
    share: Floats
    possible: Flags


def like_the_others(share: Floats, anything: Flags, counts: npt.NDArray[Any]) -> Floats:
    """Expect of cells that may be anything what the other records show; half if there is none.

    Examples
    --------
    >>> flags = np.array([False, False, True])
    >>> like_the_others(np.array([1.0, 0.0, 0.0]), flags, np.array([3, 1, 5])).tolist()
    [1.0, 0.0, 0.75]
    """
    weights = np.where(anything, 0, counts)
    total = weights.sum()
    return np.where(anything, share @ weights / total if total else 0.5, share)


def narrow_codes(codes: npt.NDArray[Any], cells: int) -> tuple[Codes, bool]:
    """Codes in the narrowest type, a missing one past the last; and whether one is missing."""
    narrow = np.where(codes < 0, cells, codes).astype(np.min_scalar_type(cells))
    return narrow, bool(codes.min(initial=0) < 0)
