"""Sharing out the records of a large group in blocks: as one by one, with far fewer steps."""

from __future__ import annotations

from typing import Any

import numpy as np

from verikit._support.arrays import AnyInts, Flags

__all__ = ["halve_large"]

FIRST, MOST = 64, 16_384


class _Halves:
    """How far two halves reach, and by how much each record would widen them."""

    def __init__(self, task: Any, ends: AnyInts) -> None:
        self.task = task
        numbers, columns = len(task.top), len(task.top) + len(task.shares)
        self.low, self.high = ends[columns : columns + numbers].copy(), ends[:numbers].copy()
        self.seen = np.zeros((2, task.bounds[-1]), bool)
        self.seen[0, ends[columns + numbers :]] = True
        self.seen[1, ends[numbers:columns]] = True
        self.steps = np.array([2 * task.shares, 2 * task.shares])
        self.sizes, self.costs = [2, 2], [0, 0]

    def wider(self, records: AnyInts) -> tuple[AnyInts, AnyInts]:
        """What each record adds to the reach of either half, as they stand."""
        numbers, kinds = self.task.numbers[records], self.task.kinds[records]
        first = np.maximum(self.low - numbers, 0).sum(axis=1)
        second = np.maximum(numbers - self.high, 0).sum(axis=1)
        first += np.where(self.seen[0][kinds], 0, self.steps[0]).sum(axis=1)
        second += np.where(self.seen[1][kinds], 0, self.steps[1]).sum(axis=1)
        return first, second

    def choose(self, more: tuple[AnyInts, AnyInts], ahead: AnyInts) -> Flags:
        """Which records go to the first half, if so many went there before each of them."""
        count = np.arange(len(ahead))
        first = self.costs[0] + (self.sizes[0] + ahead) * more[0]
        second = self.costs[1] + (self.sizes[1] + count - ahead) * more[1]
        return np.asarray(first < second)

    def take(self, record: int, half: int, more: int) -> None:
        """Let a half reach as far as a record does."""
        numbers, kinds = self.task.numbers[record], self.task.kinds[record]
        self.costs[half] += more
        if half == 0:
            self.low = np.minimum(self.low, numbers)
        else:
            self.high = np.maximum(self.high, numbers)
        new = ~self.seen[half][kinds]
        self.steps[half][new] = self.task.shares[new]
        self.seen[half][kinds] = True


def halve_large(task: Any, records: AnyInts, ends: AnyInts) -> tuple[Flags, bool]:
    """Which records of one group go to the first half, and whether the cut is kept.

    Parameters
    ----------
    task
        All records, in arrays.
    records
        Those of the group, in random order.
    ends
        Where its artificial records stand, near ends first.

    Notes
    -----
    As `halve` decides. A record changes the next decisions by the sizes of the halves alone,
    unless it widens one. So a block is decided with the sizes at its beginning, and again with the
    sizes that follow from that: up to the first record that is decided otherwise, or that widens
    its half, all is as one by one. Halves widen at most as often as domains have values.
    """
    halves, side = _Halves(task, ends), np.zeros(len(records), bool)
    place, size = 0, FIRST
    while place < len(records):
        block = records[place : place + size]
        more = halves.wider(block)
        guess = halves.choose(more, np.zeros(len(block), np.int64))
        first = halves.choose(more, np.cumsum(guess) - guess)
        widens = np.where(first, *more) > 0
        stops = np.flatnonzero(widens | (first != guess))
        upto = int(stops[0]) + 1 if len(stops) else len(block)
        side[place : place + upto] = first[:upto]
        ones = int(np.count_nonzero(first[:upto]))
        halves.sizes[0] += ones
        halves.sizes[1] += upto - ones
        if len(stops) and widens[stops[0]]:
            half = int(not first[stops[0]])
            halves.take(int(block[stops[0]]), half, int(more[half][stops[0]]))
        place += upto
        size = min(2 * size, MOST) if upto == len(block) else max(upto, FIRST)
    return side, _both_diverse(task, records, side)


def _both_diverse(task: Any, records: AnyInts, side: Flags) -> bool:
    """Whether no value fills more than its share of either half, and neither is empty."""
    for half in (side, ~side):
        most = int(np.count_nonzero(half)) // task.ell
        if most == 0 or np.bincount(task.values[records[half]]).max() > most:
            return False
    return True
