"""People a model learned from, others, and the rows that were drawn from it, beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit._support.seed import generator
from verikit.errors import SchemaError, quoted
from verikit.ranks import distance_of
from verikit.release import TableRelease
from verikit.table import Microdata
from verikit.words import text

Places: TypeAlias = npt.NDArray[np.int32]
MOST = 5_000  # people, and others, who are looked at
CELLS = 1_000_000  # distances at once
NEIGHBOURS = 5
FARTHEST = 1e9  # in parts of a deviation
TOLERANCE = 0.05  # of all places, within which a number counts as known


class Crowd(NamedTuple):
    """People and others, the people first, and the released rows, column by column in places.

    A number has twice the middle of its places among people and others, and its value in as small
    parts of a standard deviation; a category has a number of its own twice, what is missing -1.
    ``who`` are the people, counted from 0; two rows that differ in a column lie ``far`` apart in it
    at most.
    """

    names: tuple[str, ...]
    ordered: tuple[bool, ...]
    who: Rows
    places: Places
    rows: Places
    far: int

    @classmethod
    def gather(
        cls, data: Microdata, release: TableRelease, control: Microdata, names: tuple[str, ...]
    ) -> Crowd:
        """Put all beside each other, in an order of their own."""
        who, others = (_draw_people(part, seed) for seed, part in enumerate((data, control)))
        ordered, places, rows = [], [], []
        for name in names:
            column = data.schema[name]
            kinds = {part.schema[name].kind == "numeric" for part in (data, release, control)}
            if len(kinds) > 1:
                raise SchemaError(
                    f"Column {quoted(name)} holds numbers in one of original, release and control, "
                    "and none in another; read them alike, or leave the column out."
                )
            ordered.append(column.kind == "numeric" and distance_of(column) == "ranks")
            number = _number_places if ordered[-1] else _number_names
            own = [data.frame[name].iloc[who], control.frame[name].iloc[others]]
            held, drawn = number(pd.concat(own, ignore_index=True), release.frame[name])
            places.append(held)
            rows.append(drawn)
        both, table = (np.stack(part, axis=1).astype(np.int32) for part in (places, rows))
        table = table[np.lexsort(table.reshape(len(table), -1).T[::-1])]
        return cls(names, tuple(ordered), who, both, table, 2 * len(both))

    @property
    def people(self) -> int:
        """How many people are looked at."""
        return len(self.who)

    @property
    def others(self) -> int:
        """How many others are looked at."""
        return len(self.places) - len(self.who)

    def batches(self, rows: Places) -> Iterator[slice]:
        """Part people and others into as many as can be compared with rows at once."""
        size = max(CELLS // max(len(rows), 1), 1)
        return (slice(at, at + size) for at in range(0, len(self.places), size))

    def find_gaps(self, some: slice, rows: Places) -> list[Places]:
        """Find how far some people lie from rows, column by column."""
        return [
            self._find_gap(at, self.places[some, at][:, None], rows[None, :, at])
            for at in range(len(self.names))
        ]

    def _find_gap(self, at: int, own: Places, rows: Places) -> Places:
        """Count half places, or parts of a deviation where these are fewer.

        Two numbers that hardly differ stand far apart by places where one of them is very common.
        """
        place, other = own[..., 0], rows[..., 0]
        if not self.ordered[at]:
            return np.where(place != other, np.int32(self.far), np.int32(0))
        gap = np.minimum(np.abs(place - other), np.abs(own[..., 1] - rows[..., 1]))
        if (place < 0).any() or (other < 0).any():
            gap = np.where((place < 0) != (other < 0), np.int32(self.far), gap)
        return gap

    def check_guess(self, at: int, chosen: Flags, some: slice) -> Flags:
        """Check of whom the rows that are chosen for each show a column.

        Of several rows they show the commonest category, or the lower median of the numbers; a
        number is right within the tolerance, and what is missing where it is missing.
        """
        shown, own = self.rows[:, at], self.places[some, at]
        if not self.ordered[at]:
            kinds = np.eye(int(shown.max()) + 2, dtype=np.float32)[shown[:, 0] + 1]
            return (chosen.astype(np.float32) @ kinds).argmax(axis=1) - 1 == own[:, 0]
        order = np.lexsort(shown.T[::-1])
        sums = chosen[:, order].cumsum(axis=1)
        guess = shown[order[(2 * sums >= sums[:, -1:]).argmax(axis=1)]]
        return self._find_gap(at, own, guess) <= TOLERANCE * self.far


def _draw_people(table: Microdata, seed: int) -> Rows:
    """Draw who is looked at, in an order that does not depend on that of the table."""
    order = table.canonical_order()
    return order[generator(seed).permutation(len(order))][:MOST]


def _number_places(own: pd.Series, drawn: pd.Series) -> tuple[Ints, Ints]:
    """Number two columns by places among the values of the first, and by their deviations."""
    held, shown = (np.asarray(part, dtype=np.float64) for part in (own, drawn))
    known = np.sort(held[~np.isnan(held)])
    spread = float(known.std()) if len(known) else 1.0
    spread = spread if spread > 0 else 1.0

    def number(values: Floats) -> Ints:
        twice = np.searchsorted(known, values, "left") + np.searchsorted(known, values, "right")
        parts = np.clip(
            np.rint(np.nan_to_num(values) / spread * 2 * len(held)), -FARTHEST, FARTHEST
        )
        return np.where(np.isnan(values)[:, None], -1, np.column_stack([twice, parts]))

    return number(held), number(shown)


def _number_names(own: pd.Series, drawn: pd.Series) -> tuple[Ints, Ints]:
    """Number two columns by the names of their values, in the order of the alphabet."""
    cells = [[None if pd.isna(v) else text(v) for v in part] for part in (own, drawn)]
    names = sorted({name for part in cells for name in part if name is not None})
    places = {name: at for at, name in enumerate(names)} | {None: -1}
    held, shown = (np.array([[places[name]] * 2 for name in part], np.int64) for part in cells)
    return held, shown


class Nearness(NamedTuple):
    """How near people and others lie to the rows that were drawn, and what these tell of them.

    ``rows`` is the distance from the nearest row, ``neighbours`` the sum of those of the nearest
    five people and others; ``linked`` tells whose two halves lead to one row, ``luck`` how often
    rows at random would, ``guessed`` whose value each column shows. ``to_people`` and ``to_others``
    are the distances of each row from the nearest of as many people and others, ``between`` of
    others from the nearest person.
    """

    rows: Ints
    neighbours: Ints
    linked: Flags
    luck: float
    guessed: Flags
    to_people: Ints
    to_others: Ints
    between: Ints


def measure_nearness(crowd: Crowd) -> Nearness:
    """Compare everybody with every row, and with everybody else; O(n (n + rows)) a column."""
    from scipy.stats import hypergeom

    n, size, columns = crowd.people, len(crowd.places), len(crowd.names)
    rows, neighbours = np.empty((2, size), np.int64)
    linked, guessed, luck = np.zeros(size, bool), np.zeros((size, columns), bool), np.zeros(size)
    between = np.empty(size, np.int64)
    most = min(n, crowd.others)
    ends = np.full((2, len(crowd.rows)), np.iinfo(np.int32).max)
    for some in crowd.batches(crowd.rows):
        gaps = crowd.find_gaps(some, crowd.rows)
        whole: Any = np.sum(gaps, axis=0, dtype=np.int32)
        rows[some] = whole.min(axis=1)
        at = np.arange(size)[some]
        for side, chosen in enumerate((at < most, (at >= n) & (at < n + most))):
            if chosen.any():
                ends[side] = np.minimum(ends[side], whole[chosen].min(axis=0))
        if columns == 1:
            continue
        first, second = (np.sum(gaps[side::2], axis=0, dtype=np.int32) for side in (0, 1))
        first, second = (part == part.min(axis=1, keepdims=True) for part in (first, second))
        linked[some] = (first & second).any(axis=1)
        luck[some] = 1 - hypergeom.pmf(0, len(crowd.rows), first.sum(axis=1), second.sum(axis=1))
        for column, gap in enumerate(gaps):
            rest = whole - gap
            nearest = rest == rest.min(axis=1, keepdims=True)
            guessed[some, column] = crowd.check_guess(column, nearest, some)
    for some in crowd.batches(crowd.places):
        whole = np.sum(crowd.find_gaps(some, crowd.places), axis=0, dtype=np.int32)
        between[some] = whole[:, :most].min(axis=1)
        at = np.arange(size)[some]
        whole[np.arange(len(at)), at] = np.iinfo(np.int32).max
        near = np.partition(whole, min(NEIGHBOURS, size - 1) - 1, axis=1)[:, :NEIGHBOURS]
        neighbours[some] = near[:, : size - 1].sum(axis=1, dtype=np.int64)
    return Nearness(
        rows, neighbours, linked, float(luck[:n].mean()), guessed, ends[0], ends[1], between[n:]
    )


def find_alone(crowd: Crowd, rows: Places) -> Flags:
    """Find whom some row fits who fits nobody else of people and others."""
    counts, last = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    for some in crowd.batches(rows):
        fits = np.ones((len(crowd.places[some]), len(rows)), bool)
        for gap in crowd.find_gaps(some, rows):
            fits &= gap <= TOLERANCE * crowd.far
        counts += fits.sum(axis=0)
        last = np.where(fits.any(axis=0), some.start + fits.argmax(axis=0), last)
    alone = np.zeros(len(crowd.places), bool)
    alone[last[counts == 1]] = True
    return alone


def mix_rows(crowd: Crowd) -> Places:
    """Mix the values of each column, so that rows fit somebody by luck only."""
    rng = generator(2)
    columns = (crowd.rows[:, at] for at in range(len(crowd.names)))
    return np.stack([rng.permutation(column) for column in columns], axis=1)
