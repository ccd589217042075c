"""Ranking the entities of a graph by what they are linked to."""

from __future__ import annotations

import numpy as np

from verikit._support.arrays import Rows
from verikit.table._graph import Neighbours

__all__ = ["neighbour_ranks"]


def neighbour_ranks(near: Neighbours, codes: Rows) -> Rows:
    """Rank entities by how many neighbours they have, then by the falling codes of these.

    Entities share a rank exactly if the codes of their neighbours are the same, however often
    each of them occurs. O(e log e) for e links.

    Examples
    --------
    >>> near = Neighbours(np.array([0, 2, 4, 5, 7]), np.array([0, 1, 1, 1, 2, 1, 0]))
    >>> neighbour_ranks(near, np.array([0, 7, 3])).tolist()
    [1, 2, 0, 1]
    """
    degrees = np.diff(near.starts)
    falling, bits = _falling(near, codes, degrees), int(codes.max(initial=0)).bit_length()
    ranks = np.zeros(len(degrees), np.intp)
    order = np.argsort(degrees)
    sizes, first = np.unique(degrees[order], return_index=True)
    ends = np.r_[first, len(order)][1:].astype(np.intp)
    below = 0
    for size, start, end in zip(sizes, first, ends, strict=True):
        rows = order[start:end]
        lists = falling[near.starts[rows][:, None] + np.arange(size)]
        ranks[rows] = below + _dense(lists, max(bits, 1))
        below = int(ranks[rows].max()) + 1
    return ranks


def _falling(near: Neighbours, codes: Rows, degrees: Rows) -> Rows:
    """The codes of the neighbours of each entity, the largest first."""
    most = int(codes.max(initial=0)) + 1
    keys = np.repeat(np.arange(len(degrees)), degrees) * most + (most - 1 - codes[near.places])
    keys.sort()
    return most - 1 - keys % most


def _dense(lists: Rows, bits: int) -> Rows:
    """The rank of each row among the different rows, the first column first."""
    if not lists.shape[1]:
        return np.zeros(len(lists), np.intp)
    keys = _packed(lists, bits)
    order = np.argsort(keys[0]) if len(keys) == 1 else np.lexsort(keys[::-1])
    new = np.zeros(len(lists), bool)
    for key in keys:
        new[1:] |= np.diff(key[order]) != 0
    ranks = np.empty(len(lists), np.intp)
    ranks[order] = np.cumsum(new)
    return ranks


def _packed(lists: Rows, bits: int) -> list[Rows]:
    """As many columns as fit put into one number each, the first column foremost."""
    found, together = [], 62 // bits
    for start in range(0, lists.shape[1], together):
        key = lists[:, start].copy()
        for column in lists[:, start + 1 : start + together].T:
            key = (key << bits) | column
        found.append(key)
    return found
