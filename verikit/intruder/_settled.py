"""Pairs of classes that must hold the same people, found by counting what is left to each."""

from __future__ import annotations

import heapq
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from verikit.alike import Meetings
from verikit.errors import SchemaError

__all__ = ["Links", "settled"]

Ints: TypeAlias = npt.NDArray[np.int64]


class Links(NamedTuple):
    """Pairs of classes that must hold the same people, and how many."""

    first: Ints
    second: Ints
    people: Ints


class Side:
    """The classes of one release: their people, their kinds, and how many choices each kind has."""

    def __init__(self, kinds: Ints, sizes: Ints, starts: Ints, met: Ints) -> None:
        """Keep who belongs to each kind, and the kinds of the other release that it meets."""
        self.kinds, self.people = kinds, sizes.copy()
        self.present = np.bincount(kinds, minlength=len(starts) - 1)
        self.choices = np.zeros(len(starts) - 1, np.int64)
        self.single: list[int] = []
        self._order = np.argsort(kinds, kind="stable")
        self._firsts = np.searchsorted(kinds[self._order], np.arange(len(starts)))
        self.starts, self.met = starts, met

    def members(self, kind: int) -> Ints:
        """The classes of a kind that still hold people."""
        own = self._order[self._firsts[kind] : self._firsts[kind + 1]]
        return np.asarray(own[self.people[own] > 0])

    def partners(self, kind: int) -> Ints:
        """The kinds of the other release that a kind meets."""
        return self.met[self.starts[kind] : self.starts[kind + 1]]

    def lose(self, kinds: Ints, count: Ints | int) -> None:
        """Leave some kinds fewer choices, and note which classes have a single one now."""
        self.choices[kinds] -= count
        for kind in kinds[self.choices[kinds] == 1]:
            for number in self.members(int(kind)).tolist():
                heapq.heappush(self.single, number)

    def stuck(self, kinds: Ints) -> bool:
        """Whether somebody of some kinds has no choice at all."""
        return bool(((self.choices[kinds] == 0) & (self.present[kinds] > 0)).any())

    def next_single(self) -> int | None:
        """The first class with a single choice."""
        while self.single:
            number = self.single[0]
            if self.people[number] > 0 and self.choices[self.kinds[number]] == 1:
                return number
            heapq.heappop(self.single)
        return None


def settled(meets: Meetings, left: Ints, right: Ints) -> Links:
    """Link classes that have one partner only, take their people out, and look again.

    ``left`` and ``right`` are the numbers of people in the classes of the two releases, whose
    kinds meet.

    Notes
    -----
    O(p + c log c) for p pairs of kinds that meet and c classes, of few per kind.
    """
    sides = _sides(meets, (left, right))
    found: list[tuple[int, int, int]] = []
    while True:
        singles = ((at, sides[at].next_single()) for at in (0, 1))
        turn = next(((at, number) for at, number in singles if number is not None), None)
        if turn is None:
            return Links(*np.array(found, np.int64).reshape(-1, 3).T)
        link = _link(sides, *turn)
        count = int(sides[turn[0]].people[turn[1]])
        found.append((*link, count))
        _take_out(sides, link, count)


def _sides(meets: Meetings, sizes: tuple[Ints, Ints]) -> tuple[Side, Side]:
    from scipy.sparse import coo_array

    pairs = meets.pairs()
    table = coo_array((np.ones(len(pairs[0]), bool), pairs), shape=meets.shape)
    rows, columns = table.tocsr(), table.tocsc()
    first = Side(meets.first, sizes[0], rows.indptr, rows.indices)
    second = Side(meets.second, sizes[1], columns.indptr, columns.indices)
    for own, other in ((first, second), (second, first)):
        owner = np.repeat(np.arange(len(own.choices)), np.diff(own.starts))
        choices = np.bincount(owner, other.present[own.met], minlength=len(own.choices))
        own.lose(np.arange(len(choices)), -choices.astype(np.int64))
        _refuse_stuck(own, np.arange(len(choices)))
    return first, second


def _link(sides: tuple[Side, Side], at: int, number: int) -> tuple[int, int]:
    """A class of one side with a single choice, and that choice."""
    one, other = sides[at], sides[1 - at]
    partners = one.partners(int(one.kinds[number]))
    kind = int(partners[np.argmax(other.present[partners] > 0)])
    choice = int(other.members(kind)[0])
    return (number, choice) if at == 0 else (choice, number)


def _take_out(sides: tuple[Side, Side], link: tuple[int, int], count: int) -> None:
    """Take linked people out; where a class is left empty, it is no choice any more."""
    kinds = [int(side.kinds[number]) for side, number in zip(sides, link, strict=True)]
    for side, number in zip(sides, link, strict=True):
        side.people[number] -= count
    empty = [at for at in (0, 1) if sides[at].people[link[at]] <= 0]
    for at in empty:
        sides[at].present[kinds[at]] -= 1
    for at in empty:
        sides[1 - at].lose(sides[at].partners(kinds[at]), 1)
    for at in empty:
        _refuse_stuck(sides[1 - at], sides[at].partners(kinds[at]))


def _refuse_stuck(side: Side, kinds: Ints) -> None:
    if side.stuck(kinds):
        raise SchemaError(
            "The releases contradict each other: a record of one fits none that is left of the "
            "other, so they are not of the same people."
        )
