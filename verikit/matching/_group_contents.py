"""Find what groups of two tables hold, all ways to align them being equally likely."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any, NamedTuple, TypeGuard

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Ints, Rows
from verikit.cells import Cells, cells_of
from verikit.errors import SchemaError
from verikit.hierarchy import Hierarchy
from verikit.matching._classes import renumber
from verikit.ranks import expand_ranges
from verikit.release import SplitRelease, by_groups
from verikit.targets import Tree, believed_shares, target_shares, tree_of
from verikit.words import listed, text


def lemma_chance(size: int, counts: Sequence[int]) -> float:
    """Find the chance that one given row of a group holds certain values, one count a column.

    References
    ----------
    [LHCC]_ Lemma 1, Example 3

    Examples
    --------
    >>> lemma_chance(5, [1, 2])
    0.08
    """
    return math.prod(counts) / size ** len(counts)


def presence_chance(size: int, counts: Sequence[int]) -> float:
    """Find the chance that some row of a group holds certain values, one count a column.

    Column after column is shuffled: how many rows hold all values so far follows a
    hypergeometric distribution.

    References
    ----------
    [LHCC]_ Lemma 1, whose bound is the chance for one given row

    Examples
    --------
    >>> presence_chance(5, [1, 2]), presence_chance(5, [1])
    (0.4, 1.0)
    """
    return _count_presence(int(size), tuple(sorted(int(count) for count in counts)))


@lru_cache(maxsize=65536)
def _count_presence(size: int, counts: tuple[int, ...]) -> float:
    if not counts or counts[0] == 0:
        return float(not counts)
    low, chances = counts[0], np.ones(1)
    for count in counts[1:]:
        reached = np.zeros(counts[0] + 1)
        for rows, chance in enumerate(chances, low):
            first, shares = _find_hypergeometric(size, rows, count)
            reached[first : first + len(shares)] += chance * shares
        kept = np.flatnonzero(reached)
        low, chances = int(kept[0]), reached[kept[0] : kept[-1] + 1]
    return 1.0 if low else float(chances[1:].sum() / chances.sum())


def _find_hypergeometric(size: int, marked: int, drawn: int) -> tuple[int, Floats]:
    """Count how many marked ones are drawn: the fewest that matters, and the chances from there on.

    What lies more than nine standard deviations and thirty away has no share in a float.
    """
    share = marked / size
    mean = drawn * share
    reach = 30 + 9 * math.sqrt(mean * (1 - share))
    first = max(0, drawn + marked - size, int(mean - reach))
    last = min(marked, drawn, int(mean + reach) + 1)
    k = np.arange(first, last, dtype=np.float64)
    steps = (marked - k) * (drawn - k) / ((k + 1) * (size - marked - drawn + k + 1))
    logs = np.concatenate([[0.0], np.cumsum(np.log(steps))])
    chances = np.exp(logs - logs.max())
    return first, chances / chances.sum()


def printed_chance(count: int, size: int, distinct: Sequence[int]) -> float:
    """Formula (1) as it is printed: no chance, since it need not add up to 1 over the values.

    References
    ----------
    [LHCC]_ Theorem 1

    Examples
    --------
    >>> printed_chance(1, 5, [5, 2])
    0.02
    """
    return count / (size * math.prod(distinct))


class Fit(NamedTuple):
    """The groups that a person's values fit, and how often each of her values stands in them.

    Parameters
    ----------
    groups
        The numbers of the groups.
    counts
        One row a group and one column a part that is published together: a column where all were
        shuffled, else the whole row.
    copies
        How many rows of each group are expected to hold all her values.
    shown
        How often they stand there without the missing cells, which may be any value.
    """

    groups: Rows
    counts: Rows
    copies: Floats
    shown: Rows

    @property
    def weights(self) -> Floats:
        """The chance that she is in each group, if she is in the data."""
        return self.copies / self.copies.sum() if len(self.copies) else self.copies


class Alignment:
    """Which groups of a release in two tables fit a person's values.

    Parameters
    ----------
    release
        The release.
    names
        The columns that are known of her.
    """

    def __init__(self, release: SplitRelease, names: Sequence[str]) -> None:
        self.release, self.sizes = release, release.sizes
        self.cells = {
            name: cells_of(release.quasi[name], release.schema[name], sets=release.holds_sets)
            for name in names
        }
        inexact = [name for name, cells in self.cells.items() if not cells.single]
        if inexact:
            raise SchemaError(_say_generalized(inexact[0]))
        codes = [cells.codes.astype(np.intp) for cells in self.cells.values()]
        self.joint: _Joint | None = None
        if not release.permuted:
            self.joint = _Joint(codes, [len(cells) + 1 for cells in self.cells.values()])
            codes = [self.joint.labels]
        self.held = [_Held.of(part, release.labels.quasi, len(self.sizes)) for part in codes]

    def distinct(self, group: int) -> list[int]:
        """Count the different values of each column, or the different rows, that a group holds."""
        return [int(held.distinct[group]) for held in self.held]

    def codes(self, record: Mapping[str, Any]) -> list[int]:
        """A person's values as codes of the cells; -1 where no record has such a value."""
        found = [_find_cell(cells, record[name]) for name, cells in self.cells.items()]
        if self.joint is None:
            return found
        return [self.joint.label(found)]

    def fit(self, record: Mapping[str, Any]) -> Fit:
        """Find the groups she may be in, by all her values; O(groups) for each column."""
        if any(cells.gaps for cells in self.cells.values()):
            counts = self._count_rows(record, gaps=True)
            groups = np.flatnonzero(counts.all(axis=1))
            counts, shown = counts[groups], self._count_rows(record, gaps=False)[groups]
        else:
            codes = self.codes(record)
            parts = [held.groups_of(code) for held, code in zip(self.held, codes, strict=True)]
            groups = parts[0][0]
            for other, _ in parts[1:]:
                groups = np.intersect1d(groups, other, assume_unique=True)
            counts = shown = np.column_stack([n[np.searchsorted(g, groups)] for g, n in parts])
        sizes = self.sizes[groups].astype(np.float64)
        copies = sizes * np.prod(counts / np.maximum(sizes, 1)[:, None], axis=1)
        return Fit(groups, counts, copies, shown)

    def fit_all(self, people: pd.DataFrame) -> tuple[Ints, Rows, Floats]:
        """Pair many people, each of whom all values are given, with the groups they may be in.

        Beside each pair stands the chance that she is in this group; as ``fit`` one by one, which
        is asked where cells are missing.
        """
        if people.isna().to_numpy().any():
            raise SchemaError(
                "Some of the people lack a known value; give people of whom all known columns are "
                "told."
            )
        if any(cells.gaps for cells in self.cells.values()):
            fits = [self.fit(dict(zip(people, row, strict=True))) for row in people.to_numpy()]
            owner = np.repeat(np.arange(len(fits)), [len(fit.groups) for fit in fits])
            groups = np.concatenate([np.empty(0, np.intp), *(fit.groups for fit in fits)])
            return owner, groups, np.concatenate([np.empty(0), *(fit.weights for fit in fits)])
        codes = []
        for name, cells in self.cells.items():
            kinds, values = pd.factorize(people[name])
            codes.append(np.array([_find_cell(cells, value) for value in values], np.intp)[kinds])
        parts = codes if self.joint is None else [self.joint.label_all(codes)]
        pairs = sorted(zip(self.held, parts, strict=True), key=lambda pair: pair[0].reach(pair[1]))
        held, first = pairs[0]
        at, owner = expand_ranges(*held.ranges_of(first))
        groups, copies = held.groups[at], held.counts[at].astype(np.float64)
        for held, part in pairs[1:]:
            counts = held.count_in(part[owner], groups)
            kept = counts > 0
            owner, groups = owner[kept], groups[kept]
            copies = copies[kept] * counts[kept] / self.sizes[groups]
        return owner, groups, copies / np.bincount(owner, copies, len(people))[owner]

    def find_rows(self, record: Mapping[str, Any]) -> Rows:
        """Find the rows with all her values, or missing ones, where these were not shuffled."""
        hers = [
            (cells.codes == _find_cell(cells, record[name])) | (cells.codes == len(cells))
            for name, cells in self.cells.items()
        ]
        return np.flatnonzero(np.logical_and.reduce(hers))

    def _count_rows(self, record: Mapping[str, Any], *, gaps: bool) -> Rows:
        """Count in each group the rows with her value of each part, or a missing cell; O(n)."""
        hers = [
            (cells.codes == _find_cell(cells, record[name])) | (gaps & (cells.codes == len(cells)))
            for name, cells in self.cells.items()
        ]
        parts = hers if self.release.permuted else [np.logical_and.reduce(hers)]
        labels, size = self.release.labels.quasi, len(self.sizes)
        return np.column_stack([np.bincount(labels[part], minlength=size) for part in parts])

    def presence(self, fit: Fit) -> float:
        """Find the chance that some record of the data has all her values, over all groups."""
        if not self.release.permuted:
            return float(fit.shown.any())
        absent = 1.0
        for group, counts in zip(fit.groups, fit.shown, strict=True):
            absent *= 1 - presence_chance(int(self.sizes[group]), counts.tolist())
        return 1 - absent

    def lemma(self, fit: Fit) -> float:
        """Find the largest chance that one given row holds all her values (Lemma 1)."""
        if not self.release.permuted:
            return float(fit.shown.any())
        rows = zip(self.sizes[fit.groups], fit.shown.tolist(), strict=True)
        return max((lemma_chance(int(size), counts) for size, counts in rows), default=0.0)


def _find_cell(cells: Cells, value: object) -> int:
    """Find the cell that is a value; refused where none is, and some label may stand for it."""
    code = cells.code(value)
    if code < 0 and cells.may_be(value)[:-1].any():
        raise SchemaError(_say_generalized(cells.column.name))
    return code


def _say_generalized(name: str) -> str:
    return (
        f"Column {name!r} was generalized as well, so who fits a group cannot be told by its "
        "values."
    )


class _Joint:
    """Several codes of each row as one: places in mixed radix, renumbered where there are many."""

    def __init__(self, codes: Sequence[Rows], sizes: Sequence[int]) -> None:
        self.sizes, self.found = sizes, dict[int, Ints]()
        keys, span = np.zeros(len(codes[0]), np.int64), 1
        for at, (part, size) in enumerate(zip(codes, sizes, strict=True)):
            keys, span = keys * size + part, span * size
            if at == len(codes) - 1 or span * sizes[at + 1] > 2**62:
                keys, self.found[at] = renumber(keys, span)
                span = len(self.found[at])
        self.labels = keys.astype(np.intp)

    def label(self, codes: Sequence[int]) -> int:
        """Find the code of a row that shows some cells; -1 where there is none."""
        return int(self.label_all([np.array([code]) for code in codes])[0])

    def label_all(self, codes: Sequence[Rows]) -> Rows:
        """Find the code of each of many rows, from one array a column."""
        key = np.zeros(len(codes[0]), np.int64)
        there = np.ones(len(key), np.bool_)
        for at, (code, size) in enumerate(zip(codes, self.sizes, strict=True)):
            there &= code >= 0
            key = np.where(there, key * size + code, 0)
            if at in self.found:
                found, wanted = self.found[at], key
                key = np.minimum(np.searchsorted(found, wanted), len(found) - 1)
                there &= found[key] == wanted
        return np.where(there, key, -1).astype(np.intp)


class _Held(NamedTuple):
    """By code the groups that hold it and how often; by group how many codes it holds."""

    starts: Rows
    groups: Rows
    counts: Rows
    distinct: Rows
    keys: Ints

    @classmethod
    def of(cls, codes: Rows, labels: Rows, groups: int) -> _Held:
        keys, counts = np.unique(codes * groups + labels, return_counts=True)
        starts = np.searchsorted(keys // groups, np.arange(int(codes.max(initial=-1)) + 2))
        holders = keys % groups
        return cls(starts, holders, counts, np.bincount(holders, minlength=groups), keys)

    def groups_of(self, code: int) -> tuple[Rows, Rows]:
        (begin,), (end,) = self.ranges_of(np.array([code]))
        return self.groups[begin:end], self.counts[begin:end]

    def ranges_of(self, codes: Rows) -> tuple[Rows, Rows]:
        """Where the groups of each code begin and end; nowhere those of -1."""
        there = (codes >= 0) & (codes < len(self.starts) - 1)
        first = np.where(there, codes, 0)
        return self.starts[first], self.starts[first + there]

    def reach(self, codes: Rows) -> int:
        """Count the pairs of code and group."""
        begin, end = self.ranges_of(codes)
        return int((end - begin).sum())

    def count_in(self, codes: Rows, groups: Rows) -> Rows:
        """Count how often each group holds the code beside it."""
        wanted = np.where(codes >= 0, codes * len(self.distinct) + groups, -1)
        place = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where(self.keys[place] == wanted, self.counts[place], 0)


class Contents:
    """The sensitive values of each group, and how likely each is for a person."""

    def __init__(self, release: SplitRelease, name: str) -> None:
        column, sets = release.schema[name], release.holds_sets
        cells = cells_of(release.sensitive[name], column, sets=sets)
        self.values = cells.names
        self.sizes = release.sizes
        labels, width = release.labels.sensitive, len(self.values)
        keys, self.counts = np.unique(labels * width + cells.codes, return_counts=True)
        self.places = keys % width
        self.starts = np.searchsorted(keys // width, np.arange(len(self.sizes) + 1))

    def of(self, group: int) -> tuple[Rows, Rows]:
        """Find the places of the values that a group holds, and how often it holds each."""
        part = slice(self.starts[group], self.starts[group + 1])
        return self.places[part], self.counts[part]

    def count(self, group: int, place: int) -> int:
        """Find how often a group holds a value."""
        places, counts = self.of(group)
        return int(counts[places == place].sum())

    def chances(self, fit: Fit) -> Floats:
        """Find the chance of each value for a person: its share in her group, over all she fits.

        References
        ----------
        [LHCC]_ Theorem 1 and Example 3, as c / |QI|
        """
        return self.added(fit, fit.weights, self.sizes[fit.groups])

    def find_reached(self, fit: Fit, learned: Sequence[int] = ()) -> Floats:
        """Find the chance that some row of hers holds each value, if all rows that fit are hers.

        How many of them do is hypergeometric in each group. ``learned`` are the places of values
        that others of her rows are known to hold; not a number where they cannot. Sums over all
        sets of these (inclusion and exclusion), O(pairs of her groups and their values) for each.

        References
        ----------
        [QZ]_ section 4.3.3
        """
        at, owner = expand_ranges(self.starts[fit.groups], self.starts[fit.groups + 1])
        places, counts, sizes = self.places[at], self.counts[at], self.sizes[fit.groups]
        reached, all_of_them = np.zeros(len(self.values)), 0.0
        for size in range(len(learned) + 1):
            for some in combinations(learned, size):
                held = np.isin(places, some)
                there = np.bincount(owner, counts * held, len(sizes)).astype(np.intp)
                none = _find_none(sizes, fit.counts, there)
                more = _find_none(sizes[owner], fit.counts[owner], there[owner] + counts * ~held)
                less = np.divide(more, none[owner], out=np.zeros(len(at)), where=more > 0)
                left = np.ones(len(reached))
                np.multiply.at(left, places, less)
                reached += (-1) ** size * none.prod() * (1 - left)
                all_of_them += (-1) ** size * none.prod()
        if not learned:  # she is there
            all_of_them = 1 - float(_find_none(sizes, fit.counts, sizes).prod())
        if all_of_them < 1e-12:
            return np.full(len(reached), np.nan if learned else 0.0)
        return np.clip(reached / all_of_them, 0, 1)

    def added(self, fit: Fit, weights: Floats, sizes: Floats | Rows) -> Floats:
        """By value the counts of some groups, each with its weight and over its size."""
        begin, end = self.starts[fit.groups], self.starts[fit.groups + 1]
        at, owner = expand_ranges(begin, end)
        parts = weights[owner] * self.counts[at] / np.asarray(sizes)[owner]
        found = np.bincount(self.places[at], parts, minlength=len(self.values))
        return found.astype(np.float64)


def _find_none(sizes: Rows, counts: Rows, held: Rows) -> Floats:
    """Find the chance that none of her rows of each group is one of so many that are held.

    ``counts`` tell how many are hers, one column a part that was shuffled by itself.
    """
    if counts.shape[1] > 1:
        each = zip(sizes.tolist(), counts.tolist(), held.tolist(), strict=True)
        return np.array([1 - presence_chance(size, [*hers, some]) for size, hers, some in each])
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, sizes.max(initial=0) + 1)))])
    rest, hers = sizes - held, counts[:, 0]
    ways = logs[rest] - logs[np.maximum(rest - hers, 0)] - logs[sizes] + logs[sizes - hers]
    return np.where(held == 0, 1.0, np.where(rest < hers, 0.0, np.exp(ways)))


def shows_target(release: object) -> TypeGuard[SplitRelease]:
    """Tell whether a release in two tables was made for each sensitive column to show a target.

    Examples
    --------
    >>> import verikit as vk
    >>> shows_target(vk.published("lhcc_table3"))
    False
    """
    if not by_groups(release) or release.permuted:
        return False
    found = release.schema.sensitive
    told = all(c.hierarchy is not None and "hierarchy" in release.told_of(c.name) for c in found)
    return told and (release.apart or len(found) == 1)


class Reading(NamedTuple):
    """Some groups that have one target: its tree, the groups, and the rows that they publish."""

    tree: Tree
    groups: Rows
    rows: Rows


class Coarse:
    """The published nodes of a column that shows a target, by group.

    Parameters
    ----------
    release
        A release for which `shows_target` holds.
    name
        One of its sensitive columns.
    target
        Another target to read it by, the same for all groups.

    Raises
    ------
    SchemaError
        If something was published that is no node of the target, or there is none.
    """

    def __init__(self, release: SplitRelease, name: str, target: Hierarchy | None = None) -> None:
        self.column = release.schema[name]
        self.owner = release.labels.sensitive
        self.sizes = np.bincount(self.owner, minlength=len(release.sizes))
        self._names = release.labels.names
        self._told = None if target is not None else release.told_of(name).get("hierarchy")
        found = target if target is not None else self.column.hierarchy
        if found is None:
            raise SchemaError("The release tells no target; give target=.")
        self.hierarchy: Hierarchy = found
        self.tree = tree_of(self.hierarchy, numeric=False)
        self.nodes = _number_nodes(release.sensitive[self.column.name], self.tree)

    @property
    def several(self) -> bool:
        """Whether groups have targets of their own."""
        return isinstance(self._told, Mapping)

    def readings(self, groups: Rows) -> Iterator[Reading]:
        """Some groups by their target, with the rows that each publishes."""
        if not isinstance(self._told, Mapping):
            yield Reading(self.tree, groups, self._list_rows(groups))
            return
        for group in groups.tolist():
            weights = self._told.get(text(self._names[group]), self.hierarchy.weights)
            tree = tree_of(Hierarchy(self.hierarchy.levels, weights), numeric=False)
            one = np.array([group], np.intp)
            yield Reading(tree, one, self._list_rows(one))

    def _list_rows(self, groups: Rows) -> Rows:
        there = np.zeros(len(self.sizes), np.bool_)
        there[groups] = True
        return np.flatnonzero(there[self.owner])

    def amounts(self, reading: Reading, chances: Floats) -> Floats:
        """Find the chance of each published node for somebody with a chance to be in each group."""
        by_group = np.zeros(len(self.sizes))
        by_group[reading.groups] = chances / self.sizes[reading.groups]
        rows = reading.rows
        found = np.bincount(self.nodes[rows], by_group[self.owner[rows]], len(self.tree.names))
        return np.asarray(found, np.float64)

    def chances(self, groups: Rows, weights: Floats, by: Floats | None = None) -> Floats:
        """Find the chance of each value for somebody in some groups.

        Nodes are read by their target, or by other weights of the values.
        """
        found = np.zeros(len(self.tree.leaves))
        at = np.zeros(len(self.sizes))
        at[groups] = weights
        for part in self.readings(groups):
            read_by = target_shares(part.tree) if by is None else by
            found += believed_shares(part.tree, self.amounts(part, at[part.groups]), read_by)
        return found

    def target(self, groups: Rows, weights: Floats) -> Floats:
        """Find the target of somebody in some groups."""
        if not isinstance(self._told, Mapping):
            return target_shares(self.tree)
        found = np.zeros(len(self.tree.leaves))
        for part, weight in zip(self.readings(groups), weights.tolist(), strict=True):
            found += weight * target_shares(part.tree)
        return found


def _number_nodes(cells: pd.Series[Any], tree: Tree) -> Rows:
    """Find the number of each published node; what is missing may be anything, as the root."""
    codes, found = pd.factorize(cells)
    names = list(map(text, found))
    strange = [name for name in names if name not in tree.numbers]
    if strange:
        raise SchemaError(
            f"The published values {listed(strange)} of {cells.name!r} are no nodes of the target "
            "that was published with them; ask who published this for a table that is whole."
        )
    numbers = np.array([*(tree.numbers[name] for name in names), tree.root], np.intp)
    return np.asarray(numbers[codes])
