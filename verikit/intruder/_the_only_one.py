"""Who is the only one with a value: all ways to give people a record each, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import comb, factorial
from typing import NamedTuple, TypeAlias

import numpy as np

from verikit._support.arrays import Flags, Floats, Ints
from verikit.errors import InfeasibleError

__all__ = ["chance_to_be_the_only_one"]

Kinds: TypeAlias = tuple[int, ...]
STEPS = 50_000


class Counted(NamedTuple):
    """The ways of people who share records: with nobody, and with one of a kind only, having it."""

    kinds: list[int]
    nobody: int
    alone: list[int]


def chance_to_be_the_only_one(owner: Ints, rows: Ints, has: Flags) -> Floats | None:
    """How likely each person is the only one whose row has a value; None if there is no way.

    Every way to give all people a row each, of those they fit, is equally likely. ``owner`` and
    ``rows`` are the pairs of person and row that fit, sorted by person; ``has`` tells of each row
    whether it has the value.

    Notes
    -----
    People who fit the same rows are of one kind. Kinds without a row in common are independent: of
    k people who fit the same n rows, c of them with the value, one is the only one at odds of
    c / (n - c - k + 1). Where kinds share rows, the ways are counted kind by kind.

    Examples
    --------
    Two people share two rows, one of them with the value; somebody else fits two others.

    >>> owner, rows = np.array([0, 0, 1, 1, 2, 2]), np.array([0, 1, 0, 1, 2, 3])
    >>> chance_to_be_the_only_one(owner, rows, np.array([True, False, True, False])).tolist()
    [0.5, 0.5, 0.0]
    """
    kind, fits = _kinds(owner, rows)
    people = np.bincount(kind).tolist()
    counted = [_counted(group, people, fits, has) for group in _sharing(fits, len(has))]
    bound = [part for part in counted if not part.nobody]  # one of these people has it for certain
    if len(bound) > 1 or (bound and not any(bound[0].alone)):
        return None
    odds = np.zeros(len(fits))
    for part in bound or counted:
        odds[part.kinds] = [ways / (part.nobody or 1) for ways in part.alone]
    return np.asarray((odds / (odds * people).sum())[kind])


def _kinds(owner: Ints, rows: Ints) -> tuple[Ints, list[Ints]]:
    """The kind of each person, and the rows that each kind fits."""
    starts = [*np.flatnonzero(np.diff(owner, prepend=-1)).tolist(), len(owner)]
    found: dict[bytes, int] = {}
    parts = [np.sort(rows[a:b]) for a, b in pairwise(starts)]
    kind = [found.setdefault(part.tobytes(), len(found)) for part in parts]
    return np.array(kind), [np.frombuffer(part, rows.dtype) for part in found]


def _sharing(fits: Sequence[Ints], size: int) -> Iterator[list[int]]:
    """The kinds in groups that have no row in common."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    kinds = np.repeat(np.arange(len(fits)), [len(part) for part in fits])
    shape = (len(fits) + size,) * 2
    pairs = kinds, len(fits) + np.concatenate(fits)
    graph = coo_array((np.ones(len(kinds), bool), pairs), shape=shape)
    labels = connected_components(graph, directed=False)[1][: len(fits)]
    order = np.argsort(labels, kind="stable")
    ends = np.flatnonzero(np.diff(labels[order], append=-1)) + 1
    for start, end in pairwise([0, *ends.tolist()]):
        yield order[start:end].tolist()


def _counted(kinds: list[int], people: Sequence[int], fits: Sequence[Ints], has: Flags) -> Counted:
    counts = [people[kind] for kind in kinds]
    values = [int(has[fits[kind]].sum()) for kind in kinds]
    if len(kinds) == 1:
        others = len(fits[kinds[0]]) - values[0] - counts[0] + 1
        return Counted(kinds, max(others, 0), [values[0] if others >= 0 else 0])
    shared: dict[int, list[int]] = {}
    for at, kind in enumerate(kinds):
        for row in fits[kind][~has[fits[kind]]].tolist():
            shared.setdefault(row, []).append(at)
    rooms = Counter(map(tuple, shared.values()))
    less = [[count - (at == own) for at, count in enumerate(counts)] for own in range(len(kinds))]
    alone = [
        value * _ways(part, rooms) if value else 0 for value, part in zip(values, less, strict=True)
    ]
    return Counted(kinds, _ways(counts, rooms), alone)


def _ways(counts: Sequence[int], rooms: Counter[Kinds]) -> int:
    """In how many ways people of some kinds take a row each; ``rooms``: the rows by who fits."""
    open_to, sizes = list(rooms), tuple(rooms.values())
    states, steps = {sizes: 1}, 0
    for kind, count in enumerate(counts):
        mine = [at for at, kinds in enumerate(open_to) if kind in kinds]
        closed = [at for at in mine if max(open_to[at]) == kind]
        found: Counter[Kinds] = Counter()
        for state, ways in states.items():
            for taken in _splits(count, [state[at] for at in mine]):
                left, new = list(state), ways * factorial(count)
                for at, number in zip(mine, taken, strict=True):
                    new *= comb(state[at], number)
                    left[at] -= number
                for at in closed:  # nobody else can take what is left
                    left[at] = 0
                found[tuple(left)] += new
                steps += 1
                if steps > STEPS:
                    raise InfeasibleError(
                        "These people fit records in too many different ways to count them all; "
                        "give fewer people, or know the same columns of each."
                    )
        states = found
    return sum(states.values())


def _splits(count: int, rooms: Sequence[int]) -> Iterator[Kinds]:
    """The ways to divide a number of people among rooms."""
    if not rooms:
        if not count:
            yield ()
        return
    least = max(0, count - sum(rooms[1:]))
    for number in range(least, min(count, rooms[0]) + 1):
        for rest in _splits(count - number, rooms[1:]):
            yield (number, *rest)
