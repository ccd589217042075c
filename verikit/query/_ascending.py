"""Single values of a column in ascending order inside each block, added up once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from verikit._support.arrays import Floats, Rows, Values

__all__ = ["Ascending", "ascending", "centers"]


LARGEST = 2.0**53  # whole numbers up to it are added without rounding
LONGEST = 1000


class Sums(NamedTuple):
    """Sums as two parts, the second being what rounding takes from the first."""

    high: Floats
    rest: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Ascending:
    """The values of each block, lowest first.

    Parameters
    ----------
    values
        Block after block.
    starts
        Where each block begins.
    sums
        By place the values of its block up to it.
    center, apart
        The average of each block, and the squared distances of its values from it, added up.
    """

    values: Floats
    starts: Rows
    sums: Sums
    center: Floats
    apart: Floats

    def lowest(self, blocks: Rows, counts: Values) -> list[float]:
        """What some of the lowest values of some blocks come to, as numbers to be added up."""
        some = counts > 0
        places = self.starts[blocks[some]] + counts[some] - 1
        rest = self.sums.rest[places]
        return [*self.sums.high[places].tolist(), *rest[rest != 0].tolist()]

    def below(self, number: float) -> Values:
        """By block how many values are less than a number."""
        found: Values = np.add.reduceat(np.append(self.values < number, 0), self.starts)
        return found


def ascending(values: Floats, labels: Rows, groups: int) -> Ascending | None:
    """The values of each block in order; None where adding them up in advance would not be exact.

    Costs one sort of the values; a question then costs as much as there are blocks.

    Examples
    --------
    >>> found = ascending(np.array([40.0, 30.0, 80.0]), np.array([0, 0, 1]), 2)
    >>> found.lowest(np.array([0, 1]), np.array([2, 1]))
    [70.0, 80.0]
    """
    sizes = np.bincount(labels, minlength=groups)
    if not len(values) or sizes.min() == 0 or np.isnan(values).any():
        return None
    order = np.lexsort((values, labels))
    starts = np.cumsum(sizes) - sizes
    held = values[order]
    whole = bool((held == np.floor(held)).all()) and float(np.abs(held).sum()) < LARGEST
    if not whole and sizes.max() > LONGEST:
        return None
    sums = _whole(held, starts, sizes) if whole else _exact(held, starts, sizes)
    return Ascending(held, starts, sums, *centers(values, labels, groups))


def centers(values: Floats, labels: Rows, groups: int) -> tuple[Floats, Floats]:
    """The average of each block, and the squared distances of its values from it, added up."""
    center = np.bincount(labels, values, groups) / np.bincount(labels, minlength=groups)
    apart: Any = np.bincount(labels, (values - center[labels]) ** 2, groups)
    return center, apart


def _whole(values: Floats, starts: Rows, sizes: Values) -> Sums:
    up_to = np.cumsum(values)
    before = up_to[starts] - values[starts]
    return Sums(up_to - np.repeat(before, sizes), np.broadcast_to(0.0, len(values)))


def _exact(values: Floats, starts: Rows, sizes: Values) -> Sums:
    """One place of all blocks after another; what each addition rounds off is added up beside."""
    high, rest = values.copy(), np.zeros(len(values))
    by_size = np.argsort(-sizes, kind="stable")
    fewer = np.searchsorted(-sizes[by_size], -np.arange(sizes.max()), side="left")
    for place in range(1, int(sizes.max())):
        at = starts[by_size[: fewer[place]]] + place
        before, value = high[at - 1], values[at]
        total = before + value
        lost = total - before
        high[at] = total
        rest[at] = rest[at - 1] + ((before - (total - lost)) + (value - lost))
    return Sums(high, rest)
