"""The least widest range where ranges of groups may overlap: [QZ]_ Algorithm 2 put right."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from verikit._support.arrays import Floats, Rows, SmallInts
from verikit._support.compiled import compiled
from verikit.partition._numeric_order import Line

COMPILED_FROM = 20_000
Group: TypeAlias = tuple[int, int, int]


class Dealt(NamedTuple):
    """By value the first group that holds it, and how many copies; the next group has the rest."""

    group: Rows
    copies: SmallInts


def search_overlapping(line: Line, consecutive: float) -> Dealt | None:
    """Groups whose widest range is less than that of consecutive ones; None if there are none.

    Whether some range suffices can be decided in one pass, and the least that does is a difference
    of two values between half of what consecutive groups need ([QZ]_ Theorem 4) and all of it.
    """
    once = _close_at_once(line.values, line.k, line.e)
    twice = np.append(once, len(line.values))[np.minimum(once + 1, len(line.values))]
    least = _find_range_needed(line.values, once)
    low, high = max(np.nextafter(consecutive / 2, -np.inf), least), consecutive
    limit = least if low == least < high else _find_difference(line.values, low, high)
    best: list[Group] | None = None
    while limit is not None:
        found = _find_groups(line, limit, twice)
        if found is None:
            low = limit
        else:
            best, high = found, limit
        limit = _find_difference(line.values, low, high)
    return None if best is None else _deal_values(line, best)


def _find_difference(values: Floats, low: float, high: float) -> float | None:
    """A difference of two values strictly between two numbers, near their middle."""
    middle = low + (high - low) / 2
    place = np.arange(len(values))
    at = np.searchsorted(values, values + middle, "right") - 1
    near = [values[np.clip(at + step, place, len(values) - 1)] - values for step in (-1, 0, 1, 2)]
    found = np.concatenate(near)
    found = found[(found > low) & (found < high)]
    return float(found[np.argmin(np.abs(found - middle))]) if len(found) else None


def _find_groups(line: Line, limit: float, twice: Rows) -> list[Group] | None:
    """Groups of at most some range as (first value, first value above the group before, last)."""
    reach = np.searchsorted(line.values, line.values + limit, "right") + 1
    width = int((np.minimum(reach, twice) - np.arange(len(twice))).max()) + 2
    came, began = _search_states(line.values, line.counts, (line.k, line.e, limit), twice, width)
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
def _close_at_once(values: Floats, k: int, e: float) -> Rows:
    """From each value the last of a group of neighbours that is closed at once; n where none is."""
    n = len(values)
    once = np.full(n, n)
    last = 0
    for value in range(n):
        last = max(last, value + k - 1)
        while last < n and values[last] - values[value] < e:
            last += 1
        once[value] = min(last, n)
    return once


@compiled(large=COMPILED_FROM)
def _find_range_needed(values: Floats, once: Rows) -> float:
    """The range below which some value is in no group: of each the narrowest that holds it."""
    n = len(values)
    queue = np.empty(n, np.intp)  # values to begin with, the narrowest closed at once first
    head = tail = 0
    needed = 0.0
    for value in range(n):
        if once[value] < n:
            apart = values[once[value]] - values[value]
            while tail > head and values[once[queue[tail - 1]]] - values[queue[tail - 1]] >= apart:
                tail -= 1
            queue[tail] = value
            tail += 1
        while head < tail and once[queue[head]] < value:
            head += 1
        found = np.inf if head == tail else values[once[queue[head]]] - values[queue[head]]
        begin = np.searchsorted(once, value) - 1  # the last group closed below the value
        if begin >= 0:
            found = min(found, values[value] - values[begin])
        needed = max(needed, found)
    return needed


@compiled(large=COMPILED_FROM)
def _search_states(
    values: Floats, counts: SmallInts, asked: tuple[int, float, float], twice: Rows, width: int
) -> tuple[SmallInts, SmallInts]:
    """All ways to fill groups of a limited range from below, at most two of them overlapping.

    Values that only one group holds never reach as far as two groups that are closed at once, the
    second after the first (``twice``), for such a group could be cut in two; nor do values that two
    groups share, for these could be cut apart there. Neither makes a range wider.

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
    several = np.zeros(n + 1, np.int64)  # how many values below each have several copies
    several[1:] = np.cumsum(counts > 1)
    best = np.zeros((n + 1, 2), np.int64)  # by b the shared firsts that cannot become better
    queue = np.empty(width, np.int64)  # how far below t groups that may end in b begin
    held[0, 0] = 0
    for t in range(n):
        back = _longest_open(held[t])
        head = tail = 0
        b = t if back >= 0 else n
        while b < n and values[b] - values[t] <= limit:
            while back >= 0 and values[b] - values[t - back] >= e:
                tail = _enqueue(queue, held[t], (head, tail, back))
                back -= 1
            while head < tail and values[b] - values[t - queue[head]] > limit:
                head += 1
            d, start = -1, -1
            if head < tail:
                d, start = held[t, queue[head]], t - queue[head]
            if d >= 0 and b < twice[t] and d + b - t + 1 >= k and held[b + 1, 0] < 0:
                held[b + 1, 0], came[b + 1, 0], began[b + 1, 0] = 0, t, start
            if d >= 0 and b < n - 1:
                _pass_on(
                    (counts, several, twice),
                    (t, b, d, start, k),
                    (held[b + 1], came[b + 1], began[b + 1]),
                    best[b],
                )
            b += 1
            if twice[t] < n and b >= twice[twice[t]]:
                break
    return came, began


def _longest_open(held: Rows) -> int:
    """How far below the earliest open group begins; -1 where none is."""
    for back in range(len(held) - 1, -1, -1):
        if held[back] >= 0:
            return back
    return -1


def _enqueue(queue: Rows, held: Rows, place: tuple[int, int, int]) -> int:
    """Let a group enter behind those that hold more; those that hold no more leave the queue.

    It begins after them and so outlasts them: the first in the queue holds most.
    """
    head, tail, back = place
    if held[back] < 0:
        return tail
    while tail > head and held[queue[tail - 1]] <= held[back]:
        tail -= 1
    queue[tail] = back
    return tail + 1


def _pass_on(
    line: tuple[SmallInts, Rows, Rows],
    group: tuple[int, int, int, int, int],
    states: tuple[SmallInts, SmallInts, SmallInts],
    best: Rows,
) -> None:
    """Let the next group begin with each value that the group up to b can share.

    The fewer values the group has below the next one, the more of the shared ones it must keep.
    From some first value up it need not keep more than the last, whatever it began with; what is
    passed on there is the best there is, and nobody looks there again.
    """
    counts, several, twice = line
    t, b, d, start, k = group
    held, came, began = states
    last = 1 if counts[b] == 1 else 0
    a = top = min(b, twice[t])
    final = top + 1  # from here to the top nothing can become better
    while a >= t and b < twice[a]:
        if best[0] <= a < best[1]:
            if final == a + 1:
                final = best[0]
            a = best[0] - 1
            continue
        shared = several[b + 1] - several[a]
        single = b - a + 1 - shared
        need = k - d - (a - t) - shared
        keep = max(need, last, 0)
        more = min(shared + single - keep, k)
        if keep <= single - (counts[a] == 1) and more > held[b + 1 - a]:
            held[b + 1 - a], came[b + 1 - a], began[b + 1 - a] = more, t, start
        if need <= last and final == a + 1:
            final = a
        a -= 1
    if final <= top:
        best[0] = min(final, best[0]) if final <= best[1] else final
        best[1] = top + 1


def _deal_values(line: Line, groups: list[Group]) -> Dealt:
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
