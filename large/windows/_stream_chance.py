"""Whether a match in a table that is not loaded is closer than chance would make it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import NamedTuple, TypeAlias

import numpy as np

from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit._support.seed import generator
from verikit.large._stream import Counted, Stream, count_ranks
from verikit.ranks import SAMPLE, Near, Reach, mid_ranks
from verikit.ranks.null_models import correlated
from verikit.subject.masked import PLAIN, Chance, standard_error
from verikit.subject.masked import SAMPLE as STRANGERS

MOST_ROWS = 2_000_000
ROUNDS = 6


class _Asked(NamedTuple):
    """Records that are looked for: values, ranks, and the rows that they are, else -1."""

    values: Floats
    first: Ints
    last: Ints
    own: Rows

    def take_people(self, kept: Rows) -> _Asked:
        return _Asked(self.values[kept], self.first[kept], self.last[kept], self.own[kept])


def compare_by_sample(
    stream: Stream, names: Sequence[str], near: Near, alpha: float, looks: int
) -> Chance | None:
    """Compare a match with 2,000 made-up records and with 2,000 others, drawn with fixed seeds.

    It asks what `verikit.subject.masked` asks in memory: is some record within as many places? The
    ranks are exact; only who is asked is drawn, from those who show all values. None where that
    cannot be found out in bounded memory.

    Notes
    -----
    The rows near those that are asked are found by a grid of coarse cells, and their values ranked
    by counting. Where many rows lie near, some of them suffice for most of those that are asked;
    the others are looked for again. Each round reads the table twice.
    """
    size, places = near.complete, near.distance
    if not find_spec("scipy") or size < 2:
        return None
    strangers = max(STRANGERS, int(np.ceil(2 * looks / alpha)))
    drawn = np.sort(generator(1).choice(size, min(size, strangers), replace=False))
    mixed = generator(0).integers(0, size, (PLAIN, len(names)))
    rows, real, sample = _pick_records(stream, names, drawn, mixed)
    ranks = count_ranks(stream, names, [np.r_[one.real, one.made] for one in real], beside=True)
    others = [one.find_closest_others(part.real) for one, part in zip(ranks, real, strict=True)]
    made = [one.find_blocks(part.made) for one, part in zip(ranks, real, strict=True)]
    people = _Near(stream, names, sample, [len(column) for column in near.columns])
    asked = _Asked(np.column_stack([part.real for part in real]), *_stack_blocks(others), rows)
    found = people.look_in_rounds(asked, places)
    copies = found if not places else people.look_in_rounds(asked, 0)
    mixed_up = np.column_stack([part.made for part in real])
    mixtures = people.look_in_rounds(
        _Asked(mixed_up, *_stack_blocks(made), np.full(PLAIN, -1)), places
    )
    if found is None or copies is None or mixtures is None:
        return None
    share, least = ((1 + np.count_nonzero(f)) / (len(rows) + 1) for f in (found, copies))
    made_up = float(mixtures.mean())
    shown = ~np.any([np.isnan(column) for column in sample], axis=0)
    middle = np.column_stack([mid_ranks(column[shown]) for column in sample])
    error = 0.0 if len(rows) == size else standard_error(float(share), len(rows))
    return Chance(
        made_up, standard_error(made_up, PLAIN), float(share), error,
        float(least), len(rows), not correlated(middle), alpha, looks,
    )  # fmt: skip


class _Values(NamedTuple):
    """The values of one column, of records as they are and of those that are made up."""

    real: Floats
    made: Floats


def _pick_records(
    stream: Stream, names: Sequence[str], drawn: Rows, mixed: Rows
) -> tuple[Rows, list[_Values], list[Floats]]:
    """Of the complete rows some with their values, others by column; of all rows a sample."""
    found = [_Values(np.empty(len(drawn)), np.empty(len(mixed))) for _ in names]
    rows = np.empty(len(drawn), np.intp)
    step, start, first = max(len(stream) // SAMPLE, 1), 0, 0
    sample: list[list[Floats]] = [[] for _ in names]
    for part in stream.scores(names):
        whole = np.flatnonzero(~np.any([np.isnan(column) for column in part], axis=0))
        last = first + len(whole)
        hers = np.flatnonzero((drawn >= first) & (drawn < last))
        rows[hers] = whole[drawn[hers] - first] + start
        for at, column in enumerate(part):
            for kept, asked in zip(found[at], (drawn, mixed[:, at]), strict=True):
                here = np.flatnonzero((asked >= first) & (asked < last))
                kept[here] = column[whole[asked[here] - first]]
            sample[at].append(column[-start % step :: step].copy())
        first, start = last, start + len(part[0])
    return rows, found, [np.concatenate(kept) for kept in sample]


def _stack_blocks(ends: Sequence[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    first, last = (np.column_stack(part) for part in zip(*ends, strict=True))
    return first, last


class _Near:
    """The records of a stream, to be asked what lies within some places."""

    def __init__(
        self, stream: Stream, names: Sequence[str], sample: Sequence[Floats], known: Sequence[int]
    ) -> None:
        self.stream, self.names, self.sample, self.known = stream, names, sample, known
        self.ordered = [np.sort(column[~np.isnan(column)]) for column in sample]

    def look_in_rounds(self, asked: _Asked, places: int) -> Flags | None:
        """For each whether a record other than its own lies near; None if rounds do not help."""
        found, open_ = np.zeros(len(asked.own), bool), np.arange(len(asked.own))
        for _ in range(ROUNDS):
            hit, every = self._run_round(asked.take_people(open_), places)
            found[open_[hit]] = True
            open_ = open_[~hit]
            if every or not len(open_):
                return found
        return None

    def _run_round(self, asked: _Asked, places: int) -> tuple[Flags, bool]:
        """Those that have a record near, and whether all records were looked at."""
        size = len(self.stream)
        ends = [
            find_windows_around(ordered, part, places / known)
            for ordered, part, known in zip(self.ordered, asked.values.T, self.known, strict=True)
        ]
        marks = make_grid(self.sample, [low for low, _ in ends], [high for _, high in ends])
        near = np.count_nonzero(marks(self.sample)) / len(self.sample[0]) * size
        step = max(int(near / MOST_ROWS), 1)
        rows, values = self._collect_rows(marks, step, asked.own)
        if not len(rows):
            return np.zeros(len(asked.own), bool), step == 1
        ranks = count_ranks(self.stream, self.names, values)
        blocks = _stack_blocks(
            [_rank_values(*part) for part in zip(ranks, values, self.known, strict=True)]
        )
        own = np.minimum(np.searchsorted(rows, asked.own), len(rows) - 1)
        mine = own if asked.own[0] >= 0 else None
        return Reach(*blocks).has_near_record(asked.first, asked.last, places, own=mine), step == 1

    def _collect_rows(self, marks: Marked, step: int, own: Rows) -> tuple[Rows, list[Floats]]:
        """Of the marked rows every so many, and those that are asked."""
        start, rows = 0, [np.empty(0, np.intp)]
        values: list[list[Floats]] = [[np.empty(0)] for _ in self.names]
        for part in self.stream.scores(self.names):
            shows = ~np.all([np.isnan(column) for column in part], axis=0)
            found = np.flatnonzero(marks(part) & shows)
            if step > 1:
                here = own[(own >= start) & (own < start + len(part[0]))] - start
                found = np.union1d(found[(found + start) % step == 0], here)
            rows.append(found + start)
            for kept, column in zip(values, part, strict=True):
                kept.append(column[found])
            start += len(part[0])
        return np.concatenate(rows), [np.concatenate(kept) for kept in values]


def _rank_values(ranks: Counted, values: Floats, known: int) -> tuple[Ints, Ints]:
    """The ranks of values; a missing one may be any, and is told apart from the lowest."""
    missing = np.isnan(values)
    first, last = np.zeros(len(values), np.int64), np.full(len(values), known)
    first[~missing], last[~missing] = ranks.find_blocks(values[~missing])
    return first, last


Marked: TypeAlias = Callable[[Sequence[Floats]], Flags]

CELLS, STEPS = 128, 1 << 14
TOGETHER = 3


def find_windows_around(ordered: Floats, values: Floats, share: float) -> tuple[Floats, Floats]:
    """Ends of windows that for nearly sure reach a share of a column to each side of some values.

    Parameters
    ----------
    ordered
        A sample of the column, sorted.
    values
        The values, of the column.
    share
        How much of the column is to lie in the window to each side.

    Examples
    --------
    >>> find_windows_around(np.arange(100.0), np.array([50.0]), 0.0)
    (array([42.]), array([58.]))
    """
    size = len(ordered)
    steps = int(np.ceil(share * size + 4 * np.sqrt(share * size) + 8))
    low = np.searchsorted(ordered, values, "left") - steps
    high = np.searchsorted(ordered, values, "right") - 1 + steps
    edges = np.r_[-np.inf, ordered, np.inf]
    return edges[np.clip(low + 1, 0, size + 1)], edges[np.clip(high + 1, 0, size + 1)]


def make_grid(sample: Sequence[Floats], low: Sequence[Floats], high: Sequence[Floats]) -> Marked:
    """What marks the rows that may lie in some box.

    Parameters
    ----------
    sample
        The columns of a sample, which say where the cells begin.
    low, high
        The ends of the boxes, one array a column.

    Returns
    -------
    Callable
        It takes the columns of a batch; a row that it does not mark lies in no box. A missing
        value may lie in any.

    Examples
    --------
    >>> rows = [np.arange(1000.0), np.arange(1000.0)]
    >>> marks = make_grid(rows, [np.array([10.0])] * 2, [np.array([20.0])] * 2)
    >>> np.flatnonzero(marks(rows))[[0, -1]].tolist()
    [8, 23]
    """
    cells = [_Cells(column) for column in sample]
    parts = [slice(at, at + TOGETHER) for at in range(0, len(cells), TOGETHER)]
    tables = [_mark_touched_squares(cells[part], low[part], high[part]) for part in parts]

    def mark_near(columns: Sequence[Floats]) -> Flags:
        found = np.ones(len(columns[0]), bool)
        for part, table in zip(parts, tables, strict=True):
            places = zip(cells[part], columns[part], strict=True)
            found &= table[tuple(column.find_cells(values) for column, values in places)]
        return found

    return mark_near


class _Cells:
    """A column in cells that hold about as many values each, in ascending order.

    A cell is found by a table over steps of equal width: coarser than its quantiles, and quick.
    """

    def __init__(self, column: Floats) -> None:
        ordered = np.sort(column[~np.isnan(column)])
        ends = np.quantile(ordered, [0.0005, 0.9995]) if len(ordered) else np.zeros(2)
        self.low, high = (float(end) for end in ends)
        self.scale = STEPS / (high - self.low) if high > self.low else 0.0
        starts = self.low + np.arange(STEPS + 2) / (self.scale or 1.0)
        places = np.searchsorted(ordered, starts) * CELLS // max(len(ordered), 1)
        self.cell = np.minimum(places, CELLS - 1).astype(np.intp)

    def find_cells(self, values: Floats) -> Rows:
        """The cell of each value, never lower for a greater one; the last one if it is missing."""
        with np.errstate(invalid="ignore"):  # a column of one value has no width
            steps = np.clip((values - self.low) * self.scale, 0, STEPS + 1)
        found = self.cell[np.nan_to_num(steps).astype(np.intp)]
        missing = np.isnan(values)
        return np.where(missing, CELLS, found) if missing.any() else found


def _mark_touched_squares(
    cells: Sequence[_Cells], low: Sequence[Floats], high: Sequence[Floats]
) -> Flags:
    """By cell of a grid whether some box touches it."""
    starts = [column.find_cells(end) for column, end in zip(cells, low, strict=True)]
    stops = [column.find_cells(end) + 1 for column, end in zip(cells, high, strict=True)]
    table = np.zeros([CELLS + 1] * len(cells), bool)
    for ends in zip(*starts, *stops, strict=True):
        places = [slice(a, b) for a, b in zip(ends[: len(cells)], ends[len(cells) :], strict=True)]
        table[tuple(places)] = True
    for at in range(len(cells)):
        turned = np.moveaxis(table, at, 0)
        turned[CELLS] = turned[:CELLS].any(axis=0)
    return table
