"""Rule out values of people by how often the groups of several releases hold each value."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import AnyInts, Flags, Ints, Rows


class Bounds(NamedTuple):
    """How many people of each group of a release have each value.

    Parameters
    ----------
    slot
        For each pair of a person and a value open for her the number of her group and the value.
    least, most
        By that number how many of its people have the value.
    """

    slot: Rows
    least: Ints
    most: Ints


def settle_by_counts(person: AnyInts, value: Rows, sides: Sequence[Bounds]) -> Flags | None:
    """Find the pairs of person and value that are left where each person has one value.

    For two releases at a time people are edges between a group of the one and a group of the
    other. Those who have a value are a flow that fills each group as often as it holds the value;
    whether an edge is in it is settled if its ends lie in two strongly connected parts of what the
    flow leaves. What is settled of one value is used for the others, until nothing more is.

    Parameters
    ----------
    person, value
        The pairs that are open.
    sides
        By release what its groups hold.

    Returns
    -------
    array of bool or None
        Which pairs are left; None where no world agrees with all counts.

    Notes
    -----
    Every pair that is left out is in no world. For two values and two releases every pair that is
    left is in one; for more values it need not be, as all of them at once are an integral flow of
    many commodities, which is NP-hard. Rounds of O(p sqrt(p)) for p pairs that are not settled.
    """
    left = np.ones(len(person), np.bool_)
    many = np.bincount(person)
    while True:
        before = many.sum()
        for one, two in itertools.combinations(sides, 2):
            taken = left & (many[person] == 1)
            rest = np.flatnonzero(left & ~taken)
            parts = [_take_off(part, taken, rest) for part in (one, two)]
            settled = _settle_flow(value[rest], *parts)
            if settled is None:
                return None
            sure, never = rest[settled == 1], rest[settled == 0]
            hers = np.zeros(len(many), np.bool_)
            hers[person[sure]] = True
            left &= ~hers[person]
            left[sure], left[never] = True, False
            many = np.bincount(person[left], minlength=len(many))
            if (many[person] == 0).any() or np.bincount(person[sure]).max(initial=0) > 1:
                return None
        if many.sum() == before:
            return left


def find_exchangeable(value: Rows, homes: Sequence[Rows]) -> Flags:
    """Find who may have another value, as all groups hold the same if some people exchange two.

    Parameters
    ----------
    value
        The value of each person, in one world that agrees with all releases.
    homes
        By release the group of each person, -1 where it does not hold her.

    Returns
    -------
    array of bool
        Whose value is another one in some world; of two values and two releases nobody else's is.

    Notes
    -----
    People with one value lead from a group of the first release to one of the second (or to those
    of the others), people with the other back: who lies on a cycle may take part in an exchange
    round it, so whose ends lie in one strongly connected part. O(v n) for v values.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    rest = np.column_stack([*homes[1:], np.full(len(value), -1)])
    second = np.unique(rest, axis=0, return_inverse=True)[1].ravel()
    first = homes[0] + 1  # 0 for no group, which need not hold the same
    second = np.where((rest < 0).all(axis=1), 0, second + int(first.max(initial=0)) + 1)
    found = np.zeros(len(value), np.bool_)
    for one, two in itertools.combinations(np.unique(value).tolist(), 2):
        here = np.flatnonzero((value == one) | (value == two))
        back = value[here] == two
        tail = np.where(back, second[here], first[here])
        head = np.where(back, first[here], second[here])
        names, ends = np.unique(np.r_[tail, head], return_inverse=True)
        out, into = ends[: len(here)], ends[len(here) :]
        graph = csr_array((np.ones(len(here), np.int8), (out, into)), (len(names),) * 2)
        part = connected_components(graph, connection="strong")[1]
        found[here[part[out] == part[into]]] = True
    return found


def _take_off(side: Bounds, taken: Flags, rest: Rows) -> Bounds:
    """What groups hold for the rest, who are not settled."""
    used = np.bincount(side.slot[taken], minlength=len(side.least))
    slots, slot = np.unique(side.slot[rest], return_inverse=True)
    open_to = np.bincount(slot, minlength=len(slots))
    if (used > side.most).any() or np.delete(side.least - used, slots).max(initial=0) > 0:
        return Bounds(slot, open_to + 1, open_to)  # more than there are
    least, most = (part[slots] - used[slots] for part in (side.least, side.most))
    return Bounds(slot, np.maximum(least, 0), np.minimum(most, open_to))


def _settle_flow(value: Rows, one: Bounds, two: Bounds) -> Rows | None:
    """By pair of a person and a value 1 where it is in every flow, 0 where in none, else -1."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components, maximum_flow

    if (one.least > one.most).any() or (two.least > two.most).any():
        return None
    if not len(value):
        return np.empty(0, np.intp)
    first, second = len(one.least), len(two.least)
    hub, source = first + second, first + second + int(value.max()) + 1
    size = source + 2  # a hub for each value takes what groups may hold or not; then a sink
    keys, at = np.unique(one.slot * second + two.slot, return_inverse=True)
    many = np.bincount(at)
    tail, head = keys // second, keys % second + first
    hubs = np.empty(hub, np.intp)
    hubs[one.slot], hubs[two.slot + first] = hub + value, hub + value
    left, right = np.arange(first), np.arange(first, hub)
    ends, filled = np.full(first, source), np.full(second, source + 1)
    arcs = (  # from, to, how many may go
        (tail, head, many),
        (hubs[left], left, one.most - one.least),
        (right, hubs[right], two.most - two.least),
        (ends, left, one.least),
        (hubs[left], ends + 1, one.least),
        (right, filled, two.least),
        (filled - 1, hubs[right], two.least),
    )
    out, into, room = (np.concatenate(part) for part in zip(*arcs, strict=True))
    graph = csr_array((room, (out, into)), (size, size)).astype(np.int32)
    found = maximum_flow(graph, source, source + 1)
    if found.flow_value < one.least.sum() + two.least.sum():
        return None
    inner = slice(len(keys) + hub)
    out, into, room = out[inner], into[inner], room[inner]
    flow = np.asarray(found.flow[out, into]).ravel()
    more, less = flow < room, flow > 0
    back = (np.r_[out[more], into[less]], np.r_[into[more], out[less]])
    rest = csr_array((np.ones(len(back[0]), np.int8), back), (size, size))
    part = connected_components(rest, connection="strong")[1]
    fixed = part[tail] != part[head]
    return np.asarray(np.where(fixed, (flow[: len(keys)] > 0).astype(np.intp), -1)[at])
