"""The least widest range where ranges of groups may overlap: [QZ]_ Algorithm 2 put right."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from verikit._support.compiled import compiled
from verikit.partition._apart import Floats, Line, Places

__all__ = ["Dealt", "overlapping"]

COMPILED_FROM = 400
Table: TypeAlias = npt.NDArray[np.int32]
Group: TypeAlias = tuple[int, int, int]


class Dealt(NamedTuple):
    """By value the first group that holds it, and how many copies; the next group has the rest."""

    group: Places
    copies: Places


def overlapping(line: Line, consecutive: float) -> Dealt | None:
    """Groups whose widest range is less than that of consecutive ones; None if there are none.

    Whether some range suffices can be decided in one pass, and the least that does is a difference
    of two values between half of what consecutive groups need ([QZ]_ Theorem 4) and all of it.
    """
    low, high = consecutive / 2, consecutive
    low = np.nextafter(low, -np.inf)
    twice = _twice(line.values, line.k, line.e)
    best: list[Group] | None = None
    while True:
        limit = _difference(line.values, low, high)
        if limit is None:
            break
        found = _groups(line, limit, twice)
        if found is None:
            low = limit
        else:
            best, high = found, limit
    return None if best is None else _deal(line, best)


def _difference(values: Floats, low: float, high: float) -> float | None:
    """A difference of two values strictly between two numbers, near their middle."""
    middle = low + (high - low) / 2
    place = np.arange(len(values))
    at = np.searchsorted(values, values + middle, "right") - 1
    near = [values[np.clip(at + step, place, len(values) - 1)] - values for step in (-1, 0, 1, 2)]
    found = np.concatenate(near)
    found = found[(found > low) & (found < high)]
    return float(found[np.argmin(np.abs(found - middle))]) if len(found) else None


def _groups(line: Line, limit: float, twice: Places) -> list[Group] | None:
    """Groups of at most some range as (first value, first value above the group before, last)."""
    reach = np.searchsorted(line.values, line.values + limit, "right") + 1
    width = int((np.minimum(reach, twice) - np.arange(len(twice))).max()) + 2
    came, began = _search(line.values, line.counts, (line.k, line.e, limit), twice, width)
    t, last = int(came[-1, 0]), len(line.values) - 1
    if t < 0:
        return None
    start, found = int(began[-1, 0]), []
    while True:
        found.append((start, t, last))
        if t == 0:
            return found[::-1]
        last, (t, start) = t - 1, (int(part[t, t - start]) for part in (came, began))


@compiled(large=COMPILED_FROM)
def _twice(values: Floats, k: int, e: float) -> Places:
    """From each value the last of two groups of neighbours that are closed at once.

    Values that only one group holds never reach so far, for it could be cut in two; nor do values
    that two groups share, for these could be cut apart there. Neither makes a range wider.
    """
    n = len(values)
    once = np.full(n + 1, n)
    last = 0
    for value in range(n):
        last = max(last, value + k - 1)
        while last < n and values[last] - values[value] < e:
            last += 1
        once[value] = min(last, n)
    twice = np.full(n, n)
    for value in range(n):
        if once[value] < n:
            twice[value] = once[once[value] + 1]
    return twice


@compiled(large=COMPILED_FROM)
def _search(
    values: Floats, counts: Places, asked: tuple[int, float, float], twice: Places, width: int
) -> tuple[Table, Table]:
    """All ways to fill groups of a limited range from below, at most two of them overlapping.

    A state is the first value t above all groups that are closed, and how many values below t the
    open group begins. Of each state the most different values that the open group can hold is
    kept, and the state it came from: its t, and the value it began with. The last line holds the
    end.
    """
    k, e, limit = asked
    n = len(values)
    held = np.full((n + 1, width), -1, np.int32)
    came = np.full((n + 1, width), -1, np.int32)
    began = np.full((n + 1, width), -1, np.int32)
    held[0, 0] = 0
    for t in range(n):
        most = _longest(held[t])
        b = t
        while most >= 0 and b < n and values[b] - values[t] <= limit:
            d, start = _open(values, held[t], (t, b, most), e, limit)
            if d >= 0 and b < twice[t] and d + b - t + 1 >= k and held[b + 1, 0] < 0:
                held[b + 1, 0], came[b + 1, 0], began[b + 1, 0] = 0, t, start
            if d >= 0 and b < n - 1:
                _pass_on(
                    counts, twice, (t, b, d, start, k), (held[b + 1], came[b + 1], began[b + 1])
                )
            b += 1
            if twice[t] < n and b >= twice[twice[t]]:
                break
    return came, began


def _longest(held: Places) -> int:
    """How far below the earliest open group begins; -1 where none is."""
    for back in range(len(held) - 1, -1, -1):
        if held[back] >= 0:
            return back
    return -1


def _open(
    values: Floats, held: Places, at: tuple[int, int, int], e: float, limit: float
) -> tuple[int, int]:
    """Of the groups that may end in b the one with the most values: how many, and its first."""
    t, b, most = at
    d, start = -1, -1
    for back in range(most + 1):
        apart = values[b] - values[t - back]
        if apart > limit:
            break
        if apart >= e and held[back] > d:
            d, start = held[back], t - back
    return d, start


def _pass_on(
    counts: Places,
    twice: Places,
    group: tuple[int, int, int, int, int],
    states: tuple[Table, Table, Table],
) -> None:
    """Let the next group begin with each value that the group up to b can share."""
    t, b, d, start, k = group
    held, came, began = states
    several = single = 0
    a = b
    while a >= t and b < twice[a]:
        several += counts[a] > 1
        single += counts[a] == 1
        keep = max(k - d - (a - t) - several, counts[b] == 1, 0)
        more = min(several + single - keep, k)
        if a <= twice[t] and keep <= single - (counts[a] == 1) and more > held[b + 1 - a]:
            held[b + 1 - a], came[b + 1 - a], began[b + 1 - a] = more, t, start
        a -= 1


def _deal(line: Line, groups: list[Group]) -> Dealt:
    """Give each group the values below the next one's first, and of those both reach enough.

    A value with several copies serves both; of the single ones the lower group keeps the fewest
    that it needs, its last value among them.
    """
    number, copies = np.zeros(len(line.values), np.intp), line.counts.copy()
    d = 0
    for place, (_, t, last) in enumerate(groups):
        first = groups[place + 1][0] if place + 1 < len(groups) else last + 1
        number[t : last + 1] = place
        shared = np.arange(first, last + 1)
        several = shared[line.counts[shared] > 1]
        single = shared[line.counts[shared] == 1]
        need = line.k - d - (first - t) - len(several)
        own = single[single == last]
        others = single[(single != last) & (single != first)]
        kept = np.append(own, others[: max(need - len(own), 0)])
        copies[several] = (line.counts[several] + 1) // 2
        copies[single] = np.isin(single, kept)
        d = len(several) + len(single) - len(kept)
    return Dealt(number, copies)
