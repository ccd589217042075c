"""The records closest to one, found in windows of values and proved to be all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, cast

import numpy as np

from verikit._support.arrays import Floats, Ints, Rows
from verikit.errors import FormatError, SchemaError, quoted
from verikit.large._known import Known, Window
from verikit.large._memory import allowed, check_room
from verikit.large._stream import Stream
from verikit.ranks import Block, closest_blocks, gap

__all__ = ["Near", "search"]


SAMPLE = 50_000
HOPED = 6.0  # records in the first window, were the attributes independent: it fails in .25 %


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

    columns: tuple[Known, ...]
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

    def certain(self, least: Sequence[int]) -> bool:
        """Whether every window reaches as far as it must, so that no closer row was missed."""
        return all(
            column.covers(block, max(self.distance, reach))
            for column, block, reach in zip(self.columns, self.blocks, least, strict=True)
        )


def search(
    stream: Stream, scores: Mapping[str, float], least: Mapping[str, int] | None = None
) -> Near:
    """Find the records closest to some scores without loading the table.

    One pass keeps, of each column, the values in a window around hers and counts what lies below;
    and the rows that lie in all windows. Ranks in a window are exact. If every window reaches as
    many places to each side as the closest of these rows lies away, no other row can be closer:
    this certificate ends the search. Else the windows are widened, and the table is read again.
    A missing value lies in every window, and no places away.

    Parameters
    ----------
    stream
        What was published.
    scores
        Her values as numbers, by attribute.
    least
        Places that the windows have to reach in any case.

    Returns
    -------
    Near
        What is known of the columns, and the rows in all windows, the closest among them.

    Raises
    ------
    SchemaError
        If a column has no value at all or infinite ones, or there is no record.
    FormatError
        If the table cannot be read, or too many values or rows would have to be held.

    References
    ----------
    [DM]_ Algorithm 2

    Notes
    -----
    A sample of 50,000 rows says where the windows begin; that it may mislead costs another pass
    and nothing else. Nearly always one pass is enough. What is held grows as n^(1-1/m).

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> from verikit.large import located
    >>> with tempfile.TemporaryDirectory() as home:
    ...     path = f"{home}/table.parquet"
    ...     pd.DataFrame({"a": [1, 2, 3, 4, 5], "b": [5, 1, 2, 3, 4]}).to_parquet(path)
    ...     near = search(located(path, ["a", "b"]), {"a": 3, "b": 4})
    >>> near.distance, near.rows[near.gaps.max(axis=1) == 1].tolist(), near.passes
    (1, [3], 1)
    """
    given, size = list(scores.values()), len(stream)
    forced = [(least or {}).get(name, 0) for name in scores]
    sample = stream.sampled(list(scores))
    radius, slack, passes = _first_radius(sample, given, size), 1.0, 0
    while True:
        reaches = [slack * max(radius, reach) / size for reach in forced]
        windows = [Window(*_ends(*of)) for of in zip(sample, given, reaches, strict=True)]
        passes += 1
        kept = _passed(stream, list(scores), windows, last=passes > 1)
        sample = kept.sample
        if kept.rows is None:  # the first records were a bad sample
            continue
        near = _near(windows, kept, given, size, passes)
        if near is None:
            radius = max(min(8 * radius, _bound(sample, given, size)), 2 * radius)
        elif near.certain(forced):
            return near
        else:
            radius, slack = max(near.distance, radius), 1.5 * slack


def _first_radius(sample: Sequence[Floats], scores: Sequence[float], size: int) -> int:
    """Places within which some record lies nearly for sure, were the attributes independent."""
    empty = np.array([np.isnan(column).mean() if len(column) else 0.0 for column in sample])
    lower = [float((c < s).sum()) / max(len(c), 1) for c, s in zip(sample, scores, strict=True)]
    share = np.array(lower, np.float64)
    low, high = 1, size
    while low < high:
        middle = (low + high) // 2
        widths = np.minimum(middle / size, share) + np.minimum(middle / size, 1 - empty - share)
        hoped = np.prod(widths + empty + 1 / size) - np.prod(empty)
        if size * hoped >= HOPED:
            high = middle
        else:
            low = middle + 1
    return low


def _ends(column: Floats, score: float, share: float) -> tuple[float, float]:
    """Values between which about a share of the column lies to each side, and rather more."""
    ordered = np.sort(column[~np.isnan(column)])
    count = len(ordered)
    if not count:
        return -np.inf, np.inf
    expected = share * len(column)
    steps = int(np.ceil(expected + 4 * np.sqrt(expected) + 8))
    first, last = (int(end[0]) for end in closest_blocks(ordered, np.array([score])))
    low = ordered[first - 1 - steps] if first > steps else -np.inf
    high = ordered[last - 1 + steps] if last + steps <= count else np.inf
    return min(float(low), score), max(float(high), score)


class Scan(NamedTuple):
    """What a pass keeps: the rows in all windows, unless they were too many, and a sample.

    Besides how many records show no value, and how many show all.
    """

    rows: Rows | None
    values: tuple[Floats, ...]
    sample: list[Floats]
    nothing: int
    complete: int


def _passed(stream: Stream, names: Sequence[str], windows: Sequence[Window], last: bool) -> Scan:
    """One pass: the rows in all windows with their values, and a sample of every so many rows."""
    by_engine = getattr(stream.source, "passed", None)
    if by_engine is not None:  # the table's own engine makes the pass
        return cast("Scan", by_engine([stream.schema[name] for name in names], windows, last))
    step, start, held, full = max(len(stream) // SAMPLE, 1), 0, 0, False
    nothing = complete = 0
    rows: list[Rows] = [np.empty(0, np.intp)]
    values: list[list[Floats]] = [[np.empty(0)] for _ in names]
    sample: list[list[Floats]] = [[np.empty(0)] for _ in names]
    for part in _filled(stream.scores(names)):
        for some, column in zip(sample, part, strict=True):
            some.append(column[-start % step :: step].copy())
        if not full:
            found, shows = _inside(windows, part)
            nothing, complete = nothing + shows.nothing, complete + shows.complete
            rows.append(found + start)
            for kept, column in zip(values, part, strict=True):
                kept.append(column[found])
            held += 8 * len(found) * (len(names) + 1)
            full = holds_too_much(held + sum(window.held for window in windows), last)
        start += len(part[0])
    if start != len(stream):
        raise FormatError(f"{start:,} records were read of {len(stream):,}; ask for it again.")
    if not full:
        refuse_empty_columns(names, windows, start)
    joined = tuple(np.concatenate(kept) for kept in values)
    near = None if full else np.concatenate(rows)
    return Scan(near, joined, [np.concatenate(s) for s in sample], nothing, complete)


class _Shows(NamedTuple):
    """How many records of a batch show no value, and how many show all."""

    nothing: int
    complete: int


def _inside(windows: Sequence[Window], part: Sequence[Floats]) -> tuple[Rows, _Shows]:
    """The rows of a batch that lie in all windows and show something."""
    size, before = len(part[0]), sum(window.missing for window in windows)
    inside = windows[0].take(part[0])
    for window, column in zip(windows[1:], part[1:], strict=True):
        inside &= window.take(column)
    if sum(window.missing for window in windows) == before:
        return np.flatnonzero(inside), _Shows(0, size)
    shown = np.sum([~np.isnan(column) for column in part], axis=0)
    shows = _Shows(int(np.count_nonzero(shown == 0)), int(np.count_nonzero(shown == len(part))))
    return np.flatnonzero(inside & (shown > 0)), shows


def holds_too_much(held: int, last: bool) -> bool:
    """Whether no more may be held; refused where a better sample would not help."""
    if last:
        check_room(
            held,
            "The values and records near hers",
            "give more of her values, or ask for fewer places",
        )
    return held > allowed()


def _filled(parts: Iterator[list[Floats]]) -> Iterator[list[Floats]]:
    return (part for part in parts if len(part[0]))


def refuse_empty_columns(names: Sequence[str], windows: Sequence[Window], size: int) -> None:
    for name, window in zip(names, windows, strict=True):
        if window.missing == size:
            raise SchemaError(
                f"Column {quoted(name)} of the release has no value at all, so nothing has a "
                "rank; leave this attribute out of the check."
            )


def _near(
    windows: Sequence[Window], kept: Scan, scores: Sequence[float], size: int, passes: int
) -> Near | None:
    """The rows in all windows with their places; None where nothing can be said of them yet."""
    columns = tuple(window.known(size) for window in windows)
    blocks = [column.closest(score) for column, score in zip(columns, scores, strict=True)]
    found = tuple(block for block in blocks if block is not None)
    if len(found) < len(blocks) or kept.rows is None or not len(kept.rows):
        return None
    gaps = np.column_stack(
        [
            gap(*column.blocks(part), block)
            for column, part, block in zip(columns, kept.values, found, strict=True)
        ]
    )
    shows = kept.nothing, kept.complete
    return Near(columns, found, kept.rows, kept.values, gaps, *shows, passes)


def _bound(sample: Sequence[Floats], scores: Sequence[float], size: int) -> int:
    """About how far the closest of some records lies: there is one that is no farther."""
    worst = np.zeros(len(sample[0]))
    shown = np.zeros(len(worst), bool)
    for column, score in zip(sample, scores, strict=True):
        ordered, known = np.sort(column), ~np.isnan(column)
        places = np.searchsorted(ordered, column) - np.searchsorted(ordered, score)
        worst = np.maximum(worst, np.where(known, np.abs(places) + 1, 0))
        shown |= known
    return int(worst[shown].min() / len(worst) * size) + 1 if shown.any() else size
