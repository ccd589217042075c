"""The records closest to one, found in windows of values and proved to be all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, Protocol

import numpy as np

from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit._support.told import Told
from verikit.errors import FormatError, SchemaError, quoted
from verikit.ranks._blocks import Block, RankedColumn, blocks, closest, closest_blocks, gap

SAMPLE = 50_000
SAMPLE_IN_MEMORY = 16_384
PIECE = 65_536  # rows that are looked at together, so that caches hold them
HOPED = 6.0  # records in the first window, were the attributes independent: it fails in .25 %


class Scan(NamedTuple):
    """What a pass keeps: the rows in all windows, unless they were too many, and a sample.

    Besides how many records show no value, and how many show all.
    """

    rows: Rows | None
    values: tuple[Floats, ...]
    sample: list[Floats]
    nothing: int
    complete: int


class Scannable(Protocol):
    """A table of which nothing is sorted, wherever it lies; it can be read in passes."""

    def __len__(self) -> int: ...

    def take_sample(self, names: Sequence[str]) -> list[Floats]:
        """Take some records from several places, as numbers."""

    def scan(self, names: Sequence[str], windows: Sequence[Window], last: bool) -> Scan:
        """Make a pass; what is too much to be held is refused in the last one."""

    def sorter(self, name: str) -> Callable[[], Floats] | None:
        """Give what sorts a column; None where it is not in memory."""


@dataclass(frozen=True, slots=True, eq=False)
class LoadedColumns:
    """Columns in memory, which are looked through once instead of sorting each."""

    columns: Mapping[str, Floats]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def take_sample(self, names: Sequence[str]) -> list[Floats]:
        """Take every so many records."""
        step = max(len(self) // SAMPLE_IN_MEMORY, 1)
        return [self.columns[name][::step] for name in names]

    def scan(self, names: Sequence[str], windows: Sequence[Window], last: bool) -> Scan:  # noqa: ARG002 - all is held already
        """Make a pass, piece by piece."""
        pieces = (
            [self.columns[name][start : start + PIECE] for name in names]
            for start in range(0, len(self), PIECE)
        )
        return scan_batches(pieces, len(self), names, windows)

    def sorter(self, name: str) -> Callable[[], Floats]:
        """Give what sorts a column, without what is missing."""
        column = self.columns[name]
        return lambda: np.sort(column[~np.isnan(column)])


@dataclass(frozen=True, slots=True, eq=False)
class Near:
    """What was found near a record: her columns, and every row that lies in all windows.

    Parameters
    ----------
    columns
        What is known of each column.
    blocks
        The ranks of the closest value of each.
    rows
        The rows that lie in all windows.
    values
        Their values, one array a column.
    gaps
        Their places from the closest values, one column an attribute; a missing value has none.
    nothing, complete
        How many records show no value at all, which are not among the rows; and how many show all.
    passes
        How often the table was read.
    """

    columns: tuple[WindowedColumn, ...]
    blocks: tuple[Block, ...]
    rows: Rows
    values: tuple[Floats, ...]
    gaps: Ints
    nothing: int
    complete: int
    passes: int

    @property
    def distance(self) -> int:
        """The places to the closest record, at worst over the attributes."""
        return int(self.gaps.max(axis=1).min())

    @property
    def closest(self) -> Rows:
        """Where the closest records stand among the rows."""
        worst = self.gaps.max(axis=1)
        return np.flatnonzero(worst == worst.min())

    def is_certain(self, least: Sequence[int]) -> bool:
        """Tell whether every window reaches as far as it must, so that no closer row was missed."""
        return all(
            column.covers(block, max(self.distance, reach))
            for column, block, reach in zip(self.columns, self.blocks, least, strict=True)
        )


def find_near_records(
    table: Scannable, scores: Mapping[str, float], least: Mapping[str, int] | None = None
) -> Near:
    """Find the records closest to some scores without sorting the columns ([DM]_ Algorithm 2).

    One pass keeps, of each column, the values in a window around hers and counts what lies below;
    and the rows that lie in all windows. Ranks in a window are exact. If every window reaches as
    many places to each side as the closest of these rows lies away, no other row can be closer:
    this certificate ends the search. Else the windows are widened, and the table is read again.
    A missing value lies in every window, and no places away. ``least`` are places that the windows
    have to reach in any case.

    Notes
    -----
    A sample of the rows says where the windows begin; that it may mislead costs another pass and
    nothing else. Nearly always one pass is enough. What is held grows as n^(1-1/m).

    Examples
    --------
    >>> column = np.arange(100_000.0)
    >>> table = LoadedColumns({"a": column, "b": column[::-1]})
    >>> near = find_near_records(table, {"a": 70_000, "b": 40_000})
    >>> near.rows[near.closest].tolist(), near.distance, len(near.columns[0].values) < 20_000
    ([64999, 65000], 5001, True)
    """
    given, size = list(scores.values()), len(table)
    forced = [(least or {}).get(name, 0) for name in scores]
    sample = table.take_sample(list(scores))
    radius, slack, passes = estimate_radius(sample, given, size), 1.0, 0
    while True:
        reaches = [slack * max(radius, reach) / size for reach in forced]
        windows = [Window(*_window_ends(*of)) for of in zip(sample, given, reaches, strict=True)]
        passes += 1
        kept = table.scan(list(scores), windows, last=passes > 1)
        sample = kept.sample
        if kept.rows is None:  # the first records were a bad sample
            continue
        near = _look_around(table, scores, windows, kept, passes)
        if near is None:
            radius = max(min(8 * radius, _bound_distance(sample, given, size)), 2 * radius)
        elif near.is_certain(forced):
            return near
        else:
            radius, slack = max(near.distance, radius), 1.5 * slack


def estimate_radius(sample: Sequence[Floats], scores: Sequence[float], size: int) -> int:
    """Guess the places within which some record lies nearly for sure, from a sample."""
    missing = [float(np.isnan(column).mean()) if len(column) else 0.0 for column in sample]
    below = [
        float(np.count_nonzero(column < score)) / max(len(column), 1)
        for column, score in zip(sample, scores, strict=True)
    ]
    return first_radius(below, size, missing)


def first_radius(below: Sequence[float], size: int, missing: Sequence[float] = ()) -> int:
    """Count the places to each side in which a few records lie, were the columns independent.

    ``below`` are the shares of the columns below her values, where windows are cut off, and
    ``missing`` those without a value, which lie in every window.

    Examples
    --------
    >>> first_radius([0.5, 0.5], 10_000), first_radius([0.5, 0], 10_000)
    (124, 179)
    """
    radii, lower = np.geomspace(1 / size, 1, 200)[:, None], np.asarray(below)
    empty = np.asarray(missing) if len(missing) else np.zeros(len(lower))
    wide = np.minimum(radii, lower) + np.minimum(radii, 1 - empty - lower) + empty + 1 / size
    enough = (wide.prod(axis=1) - empty.prod()) * size >= HOPED
    return int(np.ceil(size * radii[np.argmax(enough) if enough.any() else -1, 0]))


def _window_ends(column: Floats, score: float, share: float) -> tuple[float, float]:
    """Find values between which about a share of the column lies to each side, and rather more.

    Four standard deviations of what a sample says of a share, so that a second pass is rare.
    """
    ordered = np.sort(column)
    ordered = ordered[: np.searchsorted(ordered, np.nan)]
    if not len(ordered):
        return -np.inf, np.inf
    expected = share * len(column)
    steps = int(np.ceil(expected + 4 * np.sqrt(expected) + 8))
    first, last = (int(end[0]) for end in closest_blocks(ordered, np.array([score])))
    low = ordered[first - 1 - steps] if first > steps else -np.inf
    high = ordered[last - 1 + steps] if last + steps <= len(ordered) else np.inf
    return min(float(low), score), max(float(high), score)


def scan_batches(
    batches: Iterable[Sequence[Floats]],
    size: int,
    names: Sequence[str],
    windows: Sequence[Window],
    too_much: Callable[[int], bool] = lambda _: False,
) -> Scan:
    """Make one pass over batches of rows: keep those in all windows with their values.

    ``too_much`` says of a number of bytes whether no more may be held.
    """
    step, start, held, full = max(size // SAMPLE, 1), 0, 0, False
    nothing = complete = 0
    rows: list[Rows] = [np.empty(0, np.intp)]
    values: list[list[Floats]] = [[] for _ in names]
    sample: list[list[Floats]] = [[] for _ in names]
    for part in batches:
        if not len(part[0]):
            continue
        for some, column in zip(sample, part, strict=True):
            some.append(column[-start % step :: step].copy())
        if not full:
            found, blank, whole = _find_rows_inside(windows, part)
            nothing, complete = nothing + blank, complete + whole
            rows.append(found + start)
            for kept, column in zip(values, part, strict=True):
                kept.append(column[found])
            held += 8 * len(found) * (len(names) + 1)
            full = too_much(held + sum(window.held for window in windows))
        start += len(part[0])
    if start != size:
        raise FormatError(f"{start:,} records were read of {size:,}; ask for it again.")
    if not full:
        refuse_empty_columns(names, windows, start)
    joined, chosen = ([np.concatenate([*p, np.empty(0)]) for p in of] for of in (values, sample))
    near = None if full else np.concatenate(rows)
    return Scan(near, tuple(joined), chosen, nothing, complete)


def _find_rows_inside(windows: Sequence[Window], part: Sequence[Floats]) -> tuple[Rows, int, int]:
    """Find the rows of a batch in all windows; count those that show nothing, and those all."""
    before = sum(window.missing for window in windows)
    inside: Flags = np.logical_and.reduce(
        [window.add_values(column) for window, column in zip(windows, part, strict=True)]
    )
    if sum(window.missing for window in windows) == before:
        return np.flatnonzero(inside), 0, len(inside)
    shown = np.sum([~np.isnan(column) for column in part], axis=0)
    blank, whole = np.count_nonzero(shown == 0), np.count_nonzero(shown == len(part))
    return np.flatnonzero(inside & (shown > 0)), int(blank), int(whole)


def refuse_empty_columns(names: Sequence[str], windows: Sequence[Window], size: int) -> None:
    """Refuse columns of which a pass has shown no value."""
    for name, window in zip(names, windows, strict=True):
        if window.missing == size:
            refuse_empty_column(name)


def refuse_empty_column(name: str) -> NoReturn:
    """Refuse a column without any value, in which nothing has a rank."""
    raise SchemaError(
        Told(
            f"Column {quoted(name)} of the release has no value at all, so nothing has a rank; "
            "leave this attribute out of the check.",
            "empty-column",
            name=quoted(name),
        )
    )


def _look_around(
    table: Scannable,
    scores: Mapping[str, float],
    windows: Sequence[Window],
    kept: Scan,
    passes: int,
) -> Near | None:
    """Count the places of the rows in all windows; None where nothing can be said of them yet."""
    columns = tuple(
        window.to_column(len(table), table.sorter(name))
        for window, name in zip(windows, scores, strict=True)
    )
    around = [part.closest(score) for part, score in zip(columns, scores.values(), strict=True)]
    found = tuple(block for block in around if block is not None)
    if len(found) < len(around) or kept.rows is None or not len(kept.rows):
        return None
    gaps = np.column_stack(
        [
            gap(*blocks_in(column, part), block)
            for column, part, block in zip(columns, kept.values, found, strict=True)
        ]
    )
    return Near(columns, found, kept.rows, kept.values, gaps, kept.nothing, kept.complete, passes)


def blocks_in(column: RankedColumn, values: Floats) -> tuple[Ints, Ints]:
    """Find the ranks of released values; a missing one may be any value, and so has all ranks."""
    first, last = blocks(values, column)
    missing = np.isnan(values)
    if missing.any():
        first[missing], last[missing] = 1, len(column)
    return first, last


def _bound_distance(sample: Sequence[Floats], scores: Sequence[float], size: int) -> int:
    """Say about how far the closest of some records lies: there is one that is no farther."""
    worst = np.zeros(len(sample[0]))
    shown = np.zeros(len(worst), bool)
    for column, score in zip(sample, scores, strict=True):
        ordered, known = np.sort(column), ~np.isnan(column)
        places = np.searchsorted(ordered, column) - np.searchsorted(ordered, score)
        worst = np.maximum(worst, np.where(known, np.abs(places) + 1, 0))
        shown |= known
    return int(worst[shown].min() / len(worst) * size) + 1 if shown.any() else size


MAX_PENDING = 1 << 20  # values of a window that are kept one by one, before equal ones are counted


class WindowedColumn:
    """A sorted column of which only its ends and the ranks of a window are at hand.

    What lies outside the window is sorted when it is asked for, or refused where the column is
    not in memory.

    Parameters
    ----------
    values, counts
        The values in the window, ascending, and how often each occurs; None where equal values
        stand there as often as they occur.
    below, size
        How many values lie below the window, and in the whole column.
    ends
        The lowest and the highest value of the column.
    sort_whole
        Sorts the whole column; None where it is not in memory.

    Examples
    --------
    >>> column = WindowedColumn(np.array([4.0, 5]), np.array([2, 1]), 3, 9, (1.0, 8.0))
    >>> len(column), column[0], float(column[4]), column[-1], column[3:6].tolist()
    (9, 1.0, 4.0, 8.0, [4.0, 4.0, 5.0])
    >>> np.searchsorted(column, np.array([4.0]), "right").tolist()
    [5]
    """

    def __init__(
        self,
        values: Floats,
        counts: Ints | None,
        below: int,
        size: int,
        ends: tuple[float, float],
        sort_whole: Callable[[], Floats] | None = None,
    ) -> None:
        self.values = values
        self._edges = None if counts is None else np.r_[0, np.cumsum(counts)] + below
        self.below, self.size = below, size
        self.upto = below + len(values) if self._edges is None else int(self._edges[-1])
        self.ends = ends
        self._sort_whole = sort_whole
        self._whole: Floats | None = None

    def __len__(self) -> int:
        return self.size

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        """The whole column, sorted."""
        found = self[0 : self.size] if self._whole is None else self._whole
        return np.array(found, dtype, copy=copy)

    def __getitem__(self, place: Any) -> Any:
        if np.ndim(place):
            return np.asarray(self)[place]
        if isinstance(place, slice):
            return self._take_ranks(*place.indices(self.size)[:2])
        at = int(place) % self.size
        return self.ends[at > 0] if at in (0, self.size - 1) else self._take_ranks(at, at + 1)[0]

    def _take_ranks(self, start: int, stop: int) -> Floats:
        if start >= stop:
            return np.empty(0)
        if start < self.below or stop > self.upto:
            return self._require_whole(start, stop)[start:stop]
        if self._edges is None:
            return self.values[start - self.below : stop - self.below]
        first, last = np.searchsorted(self._edges, [start, stop - 1], "right") - 1
        ranks = np.minimum(self._edges[first + 1 : last + 2], stop)
        return np.repeat(self.values[first : last + 1], np.diff(ranks, prepend=start))

    def searchsorted(self, values: Any, side: Any = "left", sorter: None = None) -> Any:  # noqa: ARG002 - as numpy asks
        """Count what lies below values, or not above them; without the column, in the window."""
        asked = np.asarray(values)
        if self._sort_whole is not None and asked.size and not self._holds_closest_to(asked):
            return np.searchsorted(self._require_whole(0, self.size), asked, side)
        return self._count_upto(np.searchsorted(self.values, asked, side))

    def _count_upto(self, at: Any) -> Any:
        """Count the values of the column below a place of the window."""
        return at + self.below if self._edges is None else self._edges[at]

    def _holds_closest_to(self, values: Floats) -> bool:
        """Whether the closest of all values to some lie in the window."""
        if not len(self.values):
            return False
        below = self.below == 0 or not (values < self.values[0]).any()
        return bool(below and (self.upto == self.size or not (values > self.values[-1]).any()))

    def _require_whole(self, start: int, stop: int) -> Floats:
        if self._whole is None:
            if self._sort_whole is None:
                raise SchemaError(
                    f"The places {start} to {stop} of a column were asked for, of which those from "
                    f"{self.below} to {self.upto} are at hand; load the table, and check it so."
                )
            self._whole = self._sort_whole()
        return self._whole

    def closest(self, score: float) -> Block | None:
        """Find the ranks of the closest value; None where it may lie outside the window."""
        if not self._holds_closest_to(np.array([score])):
            return None
        first, last = closest(self.values, score)
        return Block(int(self._count_upto(first - 1)) + 1, int(self._count_upto(last)))

    def covers(self, block: Block, places: int) -> bool:
        """Tell whether all ranks within some places of a block lie in the window."""
        first, last = max(block.first - places, 1), min(block.last + places, self.size)
        return self.below < first and last <= self.upto


class Window:
    """What one pass keeps of one column: the values from low to high, and counts of the rest."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high
        self.below = self.missing = self.pending = 0
        self.lowest, self.highest = np.inf, -np.inf
        self.parts: list[Floats] = []
        self.values, self.counts = np.empty(0), np.empty(0, np.int64)

    @property
    def held(self) -> int:
        """How many bytes it holds."""
        return 16 * len(self.values) + 8 * self.pending

    def add_values(self, values: Floats) -> Flags:
        """Look at some values; which of them lie in the window, as a missing one may."""
        lowest = values.min()
        if not np.isnan(lowest):
            return self._add_known(values, float(lowest))
        missing: Flags = np.isnan(values)
        self.missing += int(np.count_nonzero(missing))
        inside = missing.copy()
        if not missing.all():
            known = values[~missing]
            inside[~missing] = self._add_known(known, float(known.min()))
        return inside

    def _add_known(self, values: Floats, lowest: float) -> Flags:
        self.lowest = min(self.lowest, lowest)
        self.highest = max(self.highest, float(values.max()))
        inside: Flags = values >= self.low
        self.below += len(values) - int(np.count_nonzero(inside))
        inside &= values <= self.high
        self.parts.append(values.compress(inside))
        self.pending += len(self.parts[-1])
        if self.pending > MAX_PENDING:
            self._count_equal_values()
        return inside

    def _count_equal_values(self) -> None:
        """Count what is equal: a window may hold one value as often as there are records."""
        found, counts = np.unique(np.concatenate(self.parts), return_counts=True)
        self.parts, self.pending = [], 0
        both = np.concatenate([self.values, found])
        self.values, places = np.unique(both, return_inverse=True)
        number = np.concatenate([self.counts, counts])
        self.counts = np.bincount(places, number, len(self.values)).astype(np.int64)

    def to_column(
        self, records: int, sort_whole: Callable[[], Floats] | None = None
    ) -> WindowedColumn:
        """Make the column that a pass over so many records has shown."""
        size, ends = records - self.missing, (self.lowest, self.highest)
        if self.parts and not len(
            self.values
        ):  # sorting few is quicker than counting what is equal
            values = np.concatenate(self.parts)
            values.sort()
            return WindowedColumn(values, None, self.below, size, ends, sort_whole)
        if self.parts:
            self._count_equal_values()
        return WindowedColumn(self.values, self.counts, self.below, size, ends, sort_whole)
