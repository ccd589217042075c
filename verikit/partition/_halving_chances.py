"""How often `diverse` makes given groups of few records, whoever of a group has which value."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import chain, combinations
from typing import Any, TypeAlias

import numpy as np

from verikit._support.arrays import Rows

MOST_RECORDS = 9  # the ways to be half done with halving are 3 to this power
Some: TypeAlias = frozenset[int]


def weigh_worlds(
    task: Any, find_ends: Callable[[Rows], Rows], groups: Sequence[Some], asked: Mapping[str, Any]
) -> Callable[[Sequence[int]], float]:
    """Give what tells the chance that `diverse` makes some groups, by the values of their records.

    Parameters
    ----------
    task
        The records in whole numbers, as `diverse` compares them.
    find_ends
        Where the artificial records of a part stand, near ends of all columns, then far ones.
    groups
        The records of each group.
    asked
        The published ``ell`` and ``tries``.

    Notes
    -----
    Groups are dealt from parts, which nobody is told. So the chance is a sum over all ways to put
    groups into parts. Dealing tells nothing, as it gives such groups as often whoever has which
    value; what tells is that a part was not cut: each of its tries gave a half that is not diverse.
    """
    ell, tries = int(asked["ell"]), int(asked["tries"])

    @cache
    def cut(part: Some) -> dict[Some, float]:
        rows = sorted(part)
        return find_halves(task, rows, find_ends(np.array(rows, np.intp)))

    def weigh(codes: Sequence[int]) -> float:
        def are_diverse(half: Some) -> bool:
            most = max(Counter(codes[row] for row in half).values(), default=0)
            return most * ell <= len(half) and len(half) >= ell

        @cache
        def make(some: Some) -> float:
            part: Some = frozenset(chain.from_iterable(groups[at] for at in some))
            halves = {one: p for one, p in cut(part).items() if are_diverse(one)}
            halves = {one: p for one, p in halves.items() if are_diverse(part - one)}
            kept = min(sum(halves.values()), 1.0)
            if len(part) < 2 * ell:
                kept, halves = 0.0, {}
            held = [[codes[row] for row in groups[at]] for at in some]
            found = (1 - kept) ** tries * deal_chance(held, ell)
            for few in chain.from_iterable(combinations(some, n) for n in range(1, len(some))):
                one: Some = frozenset(chain.from_iterable(groups[at] for at in few))
                if one in halves:
                    again = (1 - (1 - kept) ** tries) / kept  # it is the first that is kept
                    rest = some - frozenset(few)
                    found += again * halves[one] * make(frozenset(few)) * make(rest)
            return found

        return make(frozenset(range(len(groups))))

    return weigh


def deal_chance(groups: Sequence[Sequence[int]], ell: int) -> float:
    """Find the chance that the records of a part, dealt in turn by value, make these groups.

    Examples
    --------
    Each of two values twice: either of the first may go with either of the second.

    >>> deal_chance([[0, 1], [0, 1]], 2), deal_chance([[0, 0], [1, 1]], 2)
    (0.5, 0.0)
    """
    values = sorted(chain.from_iterable(groups))
    turns = len(values) // ell
    if len(groups) != turns:
        return 0.0
    wanted = Counter(tuple(sorted(group)) for group in groups)
    if Counter(tuple(values[at::turns]) for at in range(turns)) != wanted:
        return 0.0
    ways = math.prod(map(math.factorial, wanted.values()))
    return ways / math.prod(map(math.factorial, Counter(values).values()))


def find_halves(task: Any, rows: Sequence[int], ends: Rows) -> dict[Some, float]:
    """Find the first halves that a part may get, each with its chance, all orders being as likely.

    Which half a record joins depends on the two halves that it finds, and on nothing sensitive.
    O(3^n) for n records.
    """
    width, many = len(task.top), len(task.top) + len(task.shares)
    near, far = ends[:many].tolist(), ends[many:].tolist()

    @cache
    def measure(half: Some, *, first: bool) -> int:
        own, way = (far, -1) if first else (near, 1)
        held = sorted(half)
        reach = way * (task.numbers[held] - own[:width])
        cost = int(reach.max(axis=0, initial=0).sum())
        for at, share in enumerate(task.shares.tolist()):
            kinds = {*task.kinds[held, at].tolist(), own[width + at]}
            cost += share * len(kinds) * (len(kinds) > 1)
        return cost

    def raises(half: Some, row: int, *, first: bool) -> int:
        before = measure(half, first=first)
        return before + (len(half) + 2) * (measure(half | {row}, first=first) - before)

    states: dict[tuple[Some, Some], float] = {(frozenset(), frozenset()): 1.0}
    for left in range(len(rows), 0, -1):
        reached: dict[tuple[Some, Some], float] = {}
        for (one, two), chance in states.items():
            for row in (row for row in rows if row not in one and row not in two):
                joins = raises(one, row, first=True) < raises(two, row, first=False)
                state = (one | {row}, two) if joins else (one, two | {row})
                reached[state] = reached.get(state, 0.0) + chance / left
        states = reached
    return {one: chance for (one, _), chance in states.items()}
