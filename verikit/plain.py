"""The algorithms of the five papers as they are printed, to be read: lists and numpy, no more.

Each function takes bare columns and follows the steps of one algorithm, with the corrections that
its docstring names. Nothing is checked and nothing is quick: the rest of verikit gives the same,
or for what is drawn at random the same chances, for tables of any kind and size. Columns have no
equal values where ranks are asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from math import inf, log
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from verikit.errors import InfeasibleError

__all__ = [
    "Node", "bound_sum", "cost_with_fakes", "count_alike", "cut_at_medians", "deal_records",
    "disguise", "find_rows", "group_numbers", "group_safely", "halve_table", "is_diverse",
    "link_records", "measure_closeness", "measure_distances", "measure_entropy",
    "measure_penalty", "measure_spread", "permute_groups", "randomize", "rank", "rank_closest",
    "reverse_map", "search_heights", "share_out",
]  # fmt: skip

Column = npt.NDArray[Any]
Table = npt.NDArray[Any]  # one row a record, one column an attribute


# [DM]_: permutation, and what a subject and an intruder make of it


def rank(column: Column) -> Column:
    """Rank each value: 1 for the least.

    >>> rank(np.array([30, 10, 20])).tolist()
    [3, 1, 2]
    """
    ranks = np.empty(len(column), int)
    ranks[np.argsort(column)] = np.arange(1, len(column) + 1)
    return ranks


def reverse_map(original: Column, masked: Column) -> Column:
    """Give each masked value the original value of its rank ([DM]_ Algorithm 1)."""
    return np.sort(original)[rank(masked) - 1]


def rank_closest(record: Sequence[float], masked: Table) -> Column:
    """Rank, in each attribute, the masked value closest to the record's."""
    closest = np.abs(masked - np.asarray(record)).argmin(axis=0)
    return np.array([rank(column)[row] for column, row in zip(masked.T, closest, strict=True)])


def measure_distances(record: Sequence[float], masked: Table, row: int) -> Column:
    """Count the places between a masked row and a record, by attribute ([DM]_ Algorithm 2)."""
    ranks = np.array([rank(column) for column in masked.T]).T
    return np.abs(ranks[row] - rank_closest(record, masked))


def find_rows(record: Sequence[float], masked: Table) -> list[int]:
    """Find the masked rows that a subject takes for her own ([DM]_ Algorithm 3).

    There may be several where the printed loop ends.
    """
    places = [measure_distances(record, masked, row).max() for row in range(len(masked))]
    distance = 0
    while not any(place <= distance for place in places):
        distance += 1
    return [row for row, place in enumerate(places) if place <= distance]


def measure_spread(column: Column, place: int, distance: int) -> float:
    """Take the variance of the values up to so many ranks from a place ([DM]_ Definition 1)."""
    return float(np.var(column[np.abs(rank(column) - place) <= distance]))


def link_records(original: Table, masked: Table) -> list[list[int]]:
    """Link as one who knows all original values ([DM]_ section 5.1): rows for each record."""
    mapped = [reverse_map(x, y) for x, y in zip(original.T, masked.T, strict=True)]
    return [find_rows(record, np.array(mapped).T) for record in original]


# [LHCC]_: groups with diverse values, permuted inside


def deal_records(sensitive: Sequence[Any], ell: int) -> list[int]:
    """Deal records sorted by value into groups in turn ([LHCC]_ Algorithm 1): group of each.

    Refused is a value of *more* than its share, and the number of groups is rounded down; then
    no group is ever large enough for the split of lines 6 to 8.

    >>> deal_records(["flu", "cold", "flu", "gout"], 2)
    [1, 0, 0, 1]
    """
    if max(Counter(sensitive).values()) * ell > len(sensitive):
        raise InfeasibleError(f"No groups hold {ell} different values each.")
    groups = [0] * len(sensitive)
    for turn, record in enumerate(sorted(range(len(sensitive)), key=lambda i: sensitive[i])):
        groups[record] = turn % (len(sensitive) // ell)
    return groups


def measure_penalty(rows: Table, spans: Column) -> float:
    """Add up the certainty penalty of one group of numbers ([LHCC]_ Definition 3)."""
    return float(len(rows) * ((rows.max(axis=0) - rows.min(axis=0)) / spans).sum())


def halve_table(
    known: Table, sensitive: Sequence[Any], ell: int, tries: int, rng: np.random.Generator
) -> list[list[int]]:
    """Halve as long as both halves can be made diverse ([LHCC]_ Algorithm 2): records by part.

    An empty half is a failed try, and a part's own corners are the two artificial records.
    """
    spans = known.max(axis=0) - known.min(axis=0)
    parts, final = [list(range(len(known)))], []
    while parts:
        part = parts.pop()
        for _ in range(tries):
            corners = known[part].max(axis=0), known[part].min(axis=0)
            halves, grown = ([], []), [corners[0][None], corners[1][None]]  # type: ignore[var-annotated]
            for record in rng.permutation(part).tolist():
                more = [np.vstack([rows, known[record]]) for rows in grown]
                raised = [
                    measure_penalty(new, spans) - measure_penalty(old, spans)
                    for new, old in zip(more, grown, strict=True)
                ]
                half = 0 if raised[0] < raised[1] else 1
                halves[half].append(record)
                grown[half] = more[half]
            if all(half and is_diverse([sensitive[i] for i in half], ell) for half in halves):
                parts += halves
                break
        else:
            final.append(sorted(part))
    return final


def is_diverse(values: Sequence[Any], ell: int) -> bool:
    """Tell whether no value fills more than one in so many of a group ([LHCC]_ Definition 2)."""
    return max(Counter(values).values()) * ell <= len(values)


def permute_groups(table: Table, groups: Sequence[int], rng: np.random.Generator) -> Table:
    """Permute each column inside each group, all independently ([LHCC]_ section 3.2)."""
    published = table.copy()
    for group in set(groups):
        rows = np.flatnonzero(np.asarray(groups) == group)
        for j in range(table.shape[1]):
            published[rows, j] = table[rng.permutation(rows), j]
    return published


# [YQ]_: random anonymization


def randomize(table: Table, changed: int, rng: np.random.Generator) -> Table:
    """Draw some values of each record anew, each from its column ([YQ]_ Algorithms 1 and 2).

    All columns are equally likely, as in Algorithm 2.
    """
    published = table.copy()
    for record in range(len(table)):
        for j in rng.choice(table.shape[1], changed, replace=False):
            published[record, j] = rng.choice(table[:, j])
    return published


# [QZ]_: numbers in groups, disguised distributions, safe groups of a graph


def group_numbers(
    numbers: Iterable[float], k: int, e: float, combine: Callable[[float, float], float]
) -> tuple[float, list[list[float]]]:
    """Group numbers with k different ones and a range of e or more ([QZ]_ Algorithm 1).

    ``combine`` adds the ranges up, or takes the widest (Problems 2.6.1 and 2.6.3). The printed
    recurrence starts at infinity, from which nothing is reached, and has max for plus.
    """
    x = sorted(numbers)
    least, begins = [0.0] + [inf] * len(x), [0] * (len(x) + 1)
    for i in range(1, len(x) + 1):
        for d in range(1, i + 1):
            width = x[i - 1] - x[d - 1]
            if len(set(x[d - 1 : i])) >= k and width >= e:
                error = combine(least[d - 1], width)
                if error < least[i]:
                    least[i], begins[i] = error, d
    groups, end = [], len(x)
    while end and least[end] < inf:
        groups.append(x[begins[end] - 1 : end])
        end = begins[end] - 1
    return least[-1], groups[::-1]


def bound_sum(groups: Iterable[Sequence[float]], hits: Iterable[int]) -> tuple[float, float]:
    """Bound the sum of some members' numbers, so many of each group ([QZ]_ section 2.5).

    >>> bound_sum([[1, 2, 5], [6, 9]], [2, 1])
    (9.0, 16.0)
    """
    low = high = 0.0
    for numbers, count in zip(groups, hits, strict=True):
        ordered = sorted(numbers)
        low += sum(ordered[:count])
        high += sum(ordered[len(ordered) - count :])
    return low, high


class Node(NamedTuple):
    """A node of a target: its weight beside its siblings', its values, and its two children."""

    weight: int
    values: tuple[float, ...]
    children: tuple[Node, ...] = ()


def share_out(counts: Sequence[int], weights: Sequence[int], most: int) -> list[int]:
    """Find the greatest numbers in the ratio of the weights ([QZ]_ Definition 3.4.1).

    >>> share_out([3, 6, 5], [1, 2, 1], 10), share_out([3, 6, 5], [1, 2, 1], 3)
    ([2, 4, 2], [0, 0, 0])
    """
    parts = [weight // np.gcd.reduce(weights) for weight in weights]
    times = min([most // sum(parts), *(n // w for n, w in zip(counts, parts, strict=True) if w)])
    return [int(times * part) for part in parts]


def disguise(values: Sequence[float], node: Node, left: int) -> list[Node]:
    """Generalize values to nodes in the ratio of the weights ([QZ]_ Algorithm 3)."""
    counts = [sum(v in child.values for v in values) for child in node.children]
    down = share_out(counts, [child.weight for child in node.children], left) if counts else []
    published = [node] * (left - sum(down))
    for child, number in zip(node.children, down, strict=True):
        published += disguise(values, child, number) if number else []
    return published


def cost_with_fakes(values: Sequence[float], node: Node, fakes: int, removed: int) -> float:
    """Least sum of ranges with so many values of nobody's ([QZ]_ Algorithm 4).

    Printed, the values left at a node lack the fakes: |g| - u - v - r for |g| + k - u - v - r.
    """
    if not node.children:
        return 0
    left, right = node.children
    mine = [[v for v in values if v in child.values] for child in node.children]
    total, best = len(mine[0]) + len(mine[1]) + fakes, inf
    for x in range(fakes + 1):
        sizes = len(mine[0]) + x, len(mine[1]) + fakes - x
        u, v = share_out(sizes, [left.weight, right.weight], total - removed)
        best = min(
            best,
            cost_with_fakes(mine[0], left, x, sizes[0] - u)
            + cost_with_fakes(mine[1], right, fakes - x, sizes[1] - v)
            + (total - u - v - removed) * (max(node.values) - min(node.values)),
        )
    return best


def group_safely(links: Sequence[set[Any]], k: int) -> list[list[int]] | None:
    """Group entities so that no two of a group share a neighbour ([QZ]_ Algorithm 5).

    A group is full at k members, not one later, and kept however large groups may have become;
    None when room for all of them did not help.
    """
    complete: list[list[int]] = []
    left = list(range(len(links)))
    for room in range(k, len(links) + 1):
        groups = complete
        for entity in left:
            for group in groups:
                if len(group) < room and not any(links[entity] & links[i] for i in group):
                    group.append(entity)
                    break
            else:
                groups.append([entity])
        complete = [group for group in groups if len(group) >= k]
        left = [entity for group in groups if len(group) < k for entity in group]
        if not left:
            return complete
    return None


# [KS]_: models and algorithms of the survey


def count_alike(known: Iterable[tuple[Any, ...]]) -> int:
    """Count the records of the smallest class: the k of k-anonymity ([KS]_ section 2.1)."""
    return min(Counter(known).values())


def measure_entropy(values: Sequence[Any]) -> float:
    """Take the entropy of a class, whose exponential is its l ([KS]_ section 3)."""
    shares = [count / len(values) for count in Counter(values).values()]
    return -sum(share * log(share) for share in shares)


def measure_closeness(values: Sequence[Any], everybody: Sequence[Any]) -> float:
    """Measure how far a class's ordered values lie from all: the t of t-closeness ([KS]_ 4)."""
    ordered = sorted(set(everybody))
    own, all_ = Counter(values), Counter(everybody)
    ahead, moved = 0.0, 0.0
    for value in ordered:
        ahead += own[value] / len(values) - all_[value] / len(everybody)
        moved += abs(ahead)
    return moved / (len(ordered) - 1)


def cut_at_medians(known: Table, k: int, part: Sequence[int] | None = None) -> list[list[int]]:
    """Cut at the median of the widest column as long as both sides hold k ([KS]_ Mondrian)."""
    rows = list(range(len(known))) if part is None else list(part)
    spans = np.maximum(known.max(axis=0) - known.min(axis=0), 1e-300)
    widths = (known[rows].max(axis=0) - known[rows].min(axis=0)) / spans
    for j in np.argsort(-widths, kind="stable"):
        median = sorted(known[rows, j])[(len(rows) - 1) // 2]
        low = known[rows, j] <= median
        sides = np.array(rows)[low].tolist(), np.array(rows)[~low].tolist()
        if min(map(len, sides)) >= k:
            return [*cut_at_medians(known, k, sides[0]), *cut_at_medians(known, k, sides[1])]
    return [rows]


def search_heights(
    columns: Sequence[Sequence[Sequence[Any]]], k: int, suppressed: int = 0
) -> list[tuple[int, ...]]:
    """Search the least height by halves, and all its nodes ([KS]_ Samarati).

    ``columns`` holds each column at each of its levels. A node is met if at most so many records
    lie in classes below k.
    """

    def meets(node: tuple[int, ...]) -> bool:
        levels = (column[level] for column, level in zip(columns, node, strict=True))
        small = [count for count in Counter(zip(*levels, strict=True)).values() if count < k]
        return sum(small) <= suppressed

    nodes = list(product(*(range(len(column)) for column in columns)))
    low, high = 0, sum(len(column) - 1 for column in columns)
    while low < high:
        middle = (low + high) // 2
        if any(meets(node) for node in nodes if sum(node) == middle):
            high = middle
        else:
            low = middle + 1
    return [node for node in nodes if sum(node) == high and meets(node)]
