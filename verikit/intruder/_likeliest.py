"""The row that most likely came from each record, without a look at each pair.

A pair counts by the set of columns in which it differs. Rows that agree with a record in all other
columns are found by sorting them together, one set after another, so that the work grows with the
number of sets and not with that of pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Ints, Rows
from verikit.release import Redraw

__all__ = ["Sides", "lasting", "likeliest"]

ENTRIES = 2**24


class Sides(NamedTuple):
    """Different records, how many are alike, and rows with the shares of their values."""

    codes: Ints
    sizes: Ints
    released: Ints
    shares: Floats

    @property
    def span(self) -> int:
        """How many combinations of codes there can be."""
        most = np.maximum(self.codes.max(axis=0), self.released.max(axis=0)) + 1
        return int(np.prod(most.astype(object)))


def lasting(only: Floats) -> Ints:
    """The sets of columns in which a pair can differ: those that some likely set of draws holds.

    Examples
    --------
    Of three columns one is drawn anew: a pair differs in none or in one.

    >>> lasting(np.array([0, 0.3, 0.3, 0, 0.4, 0, 0, 0])).tolist()
    [0, 1, 2, 4]
    """
    drawn, sets = np.flatnonzero(only > 0), np.arange(len(only))
    found = np.zeros(len(only), bool)
    for one in drawn:
        found |= (one & sets) == sets
    return np.flatnonzero(found)


def likeliest(sides: Sides, told: Redraw, asked: Sequence[str]) -> tuple[Rows, Floats]:
    """For each record the row it most likely became, and that chance; the first of equal ones.

    Taking a row to differ in more columns than it does can only lower its chance, so the best over
    all sets of what agrees outside the set is the best of all.
    """
    only = told.only(asked)
    total = np.maximum(_total(sides, only), 1e-300)
    best, top = np.zeros(len(sides.codes), np.intp), np.full(len(sides.codes), -1.0)
    step, differing = max(1, ENTRIES // len(only)), lasting(only)
    for start in range(0, len(sides.released), step):
        part = slice(start, start + step)
        chance = told.becomes(asked, sides.shares[part]) / total[part, None]
        some_rows = sides._replace(released=sides.released[part])
        for some in differing:
            row, found = _first(some_rows, int(some), chance[:, some])
            row += start
            better = (found > top) | ((found == top) & (row < best))
            best[better], top[better] = row[better], found[better]
    return best, top


def _total(sides: Sides, only: Floats) -> Floats:
    """By row the sum of the chances of all records: by what was drawn, those that agree besides."""
    total = np.zeros(len(sides.released))
    for drawn in np.flatnonzero(only > 0):
        own, theirs, size = _alike(sides, int(drawn))
        held = np.bincount(own, sides.sizes, minlength=size)[theirs]
        total += only[drawn] * sides.shares[:, _bits(int(drawn), sides)].prod(axis=1) * held
    return total


def _first(sides: Sides, some: int, chance: Floats) -> tuple[Rows, Floats]:
    """For each record, of the rows that agree outside a set, the first with the highest chance."""
    own, theirs, size = _alike(sides, some)
    order = np.argsort(-chance, kind="stable")[::-1]
    place = np.full(size, -1, np.intp)
    place[theirs[order]] = order  # of several the last written stays, and is the best
    row = place[own]
    return row, np.where(row < 0, -1.0, chance[row])


def _alike(sides: Sides, some: int) -> tuple[Rows, Rows, int]:
    """Numbers for the combinations of the columns outside a set, for records and rows."""
    most = np.maximum(sides.codes.max(axis=0), sides.released.max(axis=0)) + 1
    places = np.r_[1, np.cumprod(most[:-1])]
    places[_bits(some, sides)] = 0
    keys = np.concatenate([sides.codes @ places, sides.released @ places])
    numbers, found = pd.factorize(keys)
    return numbers[: len(sides.codes)], numbers[len(sides.codes) :], len(found)


def _bits(some: int, sides: Sides) -> Ints:
    """The columns of a set."""
    return np.flatnonzero(some >> np.arange(sides.codes.shape[1]) & 1)
