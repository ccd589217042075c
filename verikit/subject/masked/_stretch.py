"""A check of one record without sorting: stretches of the columns around her, and a certificate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from verikit._support.arrays import Floats, Ints, Rows
from verikit.ranks import Block, blocks, closest, gap

__all__ = ["Nearby", "Stretch", "first_radius", "nearby"]


FEW, SAMPLE, PIECE = 50_000, 16_384, 65_536
HOPED, TRIES, MOST = 8, 3, 0.6


class Stretch:
    """A sorted column of which one stretch is at hand; what lies elsewhere is sorted when asked.

    Parameters
    ----------
    values
        The sorted values of the stretch: all those of the column from the first to the last.
    before
        How many values of the column are below.
    column
        The column as it was published; no value is missing.

    Examples
    --------
    >>> part = Stretch(np.array([4.0, 5.0, 5.0]), 2, np.array([5.0, 1, 9, 4, 5, 2]))
    >>> len(part), float(part[3]), part[2:4].tolist(), float(part[0])
    (6, 5.0, [4.0, 5.0], 1.0)
    >>> np.searchsorted(part, np.array([5.0, 9.0])).tolist()
    [3, 5]
    """

    def __init__(self, values: Floats, before: int, column: Floats) -> None:
        self.values, self.before, self.column = values, before, column
        self._whole: Floats | None = None

    def __len__(self) -> int:
        return len(self.column)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        """The whole column, sorted."""
        if self._whole is None:
            self._whole = np.sort(self.column)
        return np.array(self._whole, dtype, copy=copy)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            if step == 1 and self.before <= start and stop <= self.after:
                return self.values[start - self.before : max(stop - self.before, 0)]
        elif np.ndim(key) == 0:
            place = int(key) + len(self) if key < 0 else int(key)
            if self.before <= place < self.after:
                return self.values[place - self.before]
            if place in (0, len(self) - 1) and self._whole is None:
                return self.column.min() if place == 0 else self.column.max()
        return np.asarray(self)[key]

    @property
    def after(self) -> int:
        """How many values are not above the stretch."""
        return self.before + len(self.values)

    def searchsorted(self, values: Any, side: str = "left", sorter: None = None) -> Any:  # noqa: ARG002 - as numpy asks
        """The places of values in the sorted column."""
        asked = np.asarray(values)
        if asked.size and len(self.values):
            low = self.before == 0 or asked.min() >= self.values[0]
            high = self.after == len(self) or asked.max() <= self.values[-1]
            if low and high:
                at = np.searchsorted(self.values, asked, "right" if side == "right" else "left")
                return at + self.before
        return np.searchsorted(np.asarray(self), asked, "right" if side == "right" else "left")

    def closest(self, score: float) -> Block | None:
        """The ranks of the closest value; None where it may lie outside the stretch."""
        if not len(self.values):
            return None
        below = self.before == 0 or self.values[0] <= score
        above = self.after == len(self) or self.values[-1] >= score
        if not (below and above):
            return None
        first, last = closest(self.values, score)
        return Block(first + self.before, last + self.before)

    def reach(self, block: Block) -> float:
        """How many places to both sides of a block are at hand."""
        left = np.inf if self.before == 0 else block.first - self.before - 1
        right = np.inf if self.after == len(self) else self.after - block.last
        return min(left, right)


class Nearby(NamedTuple):
    """Stretches around her, the ranks of her closest values, the closest rows, their distances."""

    stretches: list[Stretch]
    blocks: list[Block]
    rows: Rows
    distances: Ints


def nearby(columns: Sequence[Floats], scores: Sequence[float]) -> Nearby | None:
    """Find the rows closest to some scores without sorting; None where sorting is as quick.

    A sample says between which values rows as close as hers may lie. One pass counts what lies
    below, and keeps the values between and the rows that lie between in every column. If these
    stretches reach as many places as the closest of the rows is away, no other row is as close:
    that is the certificate. Else they are made wider.

    Notes
    -----
    One pass over the table, and a sort of about n^(1-1/m) values.

    Examples
    --------
    >>> column = np.arange(100_000.0)
    >>> found = nearby([column, column[::-1]], [70_000, 40_000])
    >>> found.rows.tolist(), found.distances.tolist(), len(found.stretches[0].values) < 20_000
    ([64999, 65000], [[5001, 5000], [5000, 5001]], True)
    """
    if len(columns[0]) < FEW:
        return None
    step = max(len(columns[0]) // SAMPLE, 1)
    samples = [np.sort(column[::step]) for column in columns]
    if any(np.isnan(sample[-1]) for sample in samples):
        return None
    pairs = list(zip(samples, scores, strict=True))
    below = [float(np.searchsorted(part, own)) / len(part) for part, own in pairs]
    radius = first_radius(below, len(columns[0]), HOPED)
    for _ in range(TRIES):
        ends = [_ends(*pair, radius) for pair in pairs]
        if np.mean([_share(*pair) for pair in zip(samples, ends, strict=True)]) > MOST:
            return None
        found = _passed(columns, ends)
        if found is None:
            return None
        near = _near(*found, scores)
        if near is None:
            radius *= 4
        elif _certain(near):
            return near
        else:
            radius = max(near.distances.max(axis=1)[0] / len(columns[0]), 1.5 * radius)
    return None


def first_radius(below: Sequence[float], n: int, hoped: float) -> float:
    """The share of ranks to each side in which a few rows lie, were the columns independent.

    ``below`` are the shares of the columns below her values, where windows are cut off.

    Examples
    --------
    >>> round(first_radius([0.5, 0.5], 10_000, 4), 2), round(first_radius([0.5, 0], 10_000, 4), 2)
    (0.01, 0.01)
    """
    radii = np.geomspace(1 / n, 1, 200)[:, None]
    wide = np.minimum(radii, below) + np.minimum(radii, 1 - np.asarray(below)) + 1 / n
    return float(radii[np.argmax(wide.prod(axis=1) * n >= hoped), 0])


def _ends(sample: Floats, score: float, radius: float) -> tuple[float, float]:
    """Values between which at least a share of the column lies to each side, nearly for sure."""
    hoped = radius * len(sample)
    steps = int(hoped + 4 * np.sqrt(hoped) + 8)
    below, above = np.searchsorted(sample, score), np.searchsorted(sample, score, "right")
    low = sample[below - steps] if below >= steps else -np.inf
    high = sample[above + steps - 1] if above + steps <= len(sample) else np.inf
    return float(low), float(high)


def _share(sample: Floats, ends: tuple[float, float]) -> float:
    low, high = np.searchsorted(sample, ends[0]), np.searchsorted(sample, ends[1], "right")
    return float(high - low) / len(sample)


def _passed(
    columns: Sequence[Floats], ends: Sequence[tuple[float, float]]
) -> tuple[list[Stretch], Rows] | None:
    """Look through the columns once, piece by piece; None where a value is missing."""
    n, m = len(columns[0]), len(columns)
    below, above = np.zeros(m, np.int64), np.zeros(m, np.int64)
    kept: list[list[Floats]] = [[] for _ in columns]
    rows = []
    for start in range(0, n, PIECE):
        every: Any = True
        for at, (column, (low, high)) in enumerate(zip(columns, ends, strict=True)):
            part = column[start : start + PIECE]
            inside, upto = part >= low, part <= high
            below[at] += len(part) - np.count_nonzero(inside)
            above[at] += len(part) - np.count_nonzero(upto)
            inside &= upto
            kept[at].append(part.compress(inside))
            every = inside & every
        rows.append(np.flatnonzero(every) + start)
    values = [np.concatenate(part) for part in kept]
    if any(below + above + [len(part) for part in values] != n):
        return None
    for part in values:
        part.sort()
    stretches = [Stretch(*of) for of in zip(values, below.tolist(), columns, strict=True)]
    return stretches, np.concatenate(rows)


def _near(stretches: list[Stretch], rows: Rows, scores: Sequence[float]) -> Nearby | None:
    """The closest of the rows that lie in all stretches; None where there is none, or unknown."""
    around = [part.closest(score) for part, score in zip(stretches, scores, strict=True)]
    known = [block for block in around if block is not None]
    if len(known) < len(around) or not len(rows):
        return None
    gaps = np.column_stack(
        [
            gap(*blocks(part.column[rows], part), block)  # type: ignore[arg-type]
            for part, block in zip(stretches, known, strict=True)
        ]
    )
    worst = gaps.max(axis=1)
    best = worst == worst.min()
    return Nearby(stretches, known, rows[best], gaps[best])


def _certain(near: Nearby) -> bool:
    """Whether every stretch reaches as far as the closest rows are away, so that none is missed."""
    reaches = [part.reach(block) for part, block in zip(near.stretches, near.blocks, strict=True)]
    return bool(near.distances.max(axis=1)[0] <= min(reaches))
