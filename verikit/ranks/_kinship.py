"""Distances between values without an order: by the groups that they share, or equal or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit.errors import RecordError, VerikitError
from verikit.hierarchy import Hierarchy
from verikit.ranks.spread import Criterion, count_represented
from verikit.table import Column
from verikit.words import text

Distance: TypeAlias = Literal["ranks", "groups", "equality"]
Names: TypeAlias = npt.NDArray[np.object_]


def distance_of(column: Column) -> Distance:
    """By what values of a column are compared: ranks, the groups of a tree, or equality.

    Ranks need an order that was declared. The lines of a tree stand in some order too, but that
    says nothing: the same tree can be written otherwise.

    Examples
    --------
    >>> tree = Hierarchy.of({"all": {"care": ["nurse", "doctor"], "law": ["judge"]}})
    >>> [
    ...     distance_of(column)
    ...     for column in (
    ...         Column("age"),
    ...         Column("stage", kind="ordinal", order=("I", "II")),
    ...         Column("job", kind="nominal", hierarchy=tree),
    ...         Column("town", kind="nominal"),
    ...     )
    ... ]
    ['ranks', 'ranks', 'groups', 'equality']
    """
    if column.kind != "nominal" or column.order is not None:
        return "ranks"
    return "equality" if column.hierarchy is None else "groups"


class Kinship(NamedTuple):
    """An attribute without an order in two tables: what groups each record and each row is in.

    Parameters
    ----------
    own, released
        The groups of each record and of each released row, from the widest to the value itself,
        as numbers; -1 where a value is missing or published as a group, and may be any of it.
        Without a tree there is the value only.
    sharing
        For each record, how many released rows share at least 0, 1, 2 ... of these with it.

    Examples
    --------
    >>> tree = Hierarchy.of({"all": {"care": ["nurse", "doctor"], "law": ["judge", "clerk"]}})
    >>> found = relate_values(["nurse"], ["nurse", "doctor", "judge", "care"], tree)
    >>> found.count_shared(np.zeros(4, int), np.arange(4)).tolist(), found.sharing.tolist()
    ([2, 1, 0, 2], [[4, 3, 2]])
    """

    own: Ints
    released: Ints
    sharing: Ints

    @property
    def steps(self) -> int:
        """How many groups lead to a value, the value itself counted in."""
        return self.own.shape[1]

    def count_shared(self, records: Rows, rows: Rows) -> Ints:
        """Count the groups that pairs of a record and a released row share, from the widest on."""
        shared = np.zeros(np.broadcast_shapes(np.shape(records), np.shape(rows)), np.int64)
        same: Flags = np.ones(shared.shape, bool)
        for own, theirs in zip(self.own.T, self.released.T, strict=True):
            one, other = own[records], theirs[rows]
            same &= (one == other) | (one < 0) | (other < 0)
            shared += same
        return shared

    @property
    def places(self) -> Ints:
        """For each record the places of rows that share 0, 1, 2 ... groups with it.

        A row with a published value closest to the record's is 0 places away. Another is one place
        farther than all rows are that lie between: what ranks give at least where the values are
        ordered by how far they are from the record's.
        """
        nearest, nearer = self._count_nearer()
        found: Ints = np.maximum(1 + nearer[:, 1:], 0)
        found[np.arange(self.steps + 1) >= nearest[:, None]] = 0
        return found

    def count_places(self, records: Rows, rows: Rows) -> Ints:
        """Count the places of pairs of a record and a released row."""
        return self.places[records, self.count_shared(records, rows)]

    def among_rows(self) -> Kinship:
        """Relate the released rows to each other."""
        size = int(self.released.max(initial=0)) + 1
        sharing = _count_sharing(self.released, self.released, size)
        return Kinship(self.released, self.released, sharing)

    def without_own(self) -> Kinship:
        """Find the same where the records are the rows, and each is looked at without its own."""
        return self._replace(sharing=self.sharing - 1)

    def number_groups(self) -> tuple[Ints, Ints, Ints]:
        """Number the groups in one order: by how many are shared, of each record, then of each row.

        A row that shows a group only, or nothing, may be in any from a lowest to a highest one.
        """
        both = np.concatenate([self.own, self.released])
        # the last group that is known tells those above it
        last = both[np.arange(len(both)), (both >= 0).sum(axis=1) - 1] + 1
        one = np.full(last.max(initial=0) + 1, -1)
        one[last] = np.arange(len(both))
        shown = np.flatnonzero(one >= 0)
        order = np.lexsort(both[one[shown]].T[::-1])
        kinds = both[one[shown[order]]]
        one[shown[order]] = np.arange(len(order))
        new = np.cumsum(kinds[1:] != kinds[:-1], axis=1) > 0
        runs = np.zeros((len(kinds), self.steps + 1), np.int64)
        runs[1:, 1:] = np.cumsum(new, axis=0)
        low, high, known = runs.copy(), runs.copy(), (kinds >= 0).sum(axis=1)
        for kind in np.flatnonzero(known < self.steps):
            inside = np.flatnonzero(runs[:, known[kind]] == runs[kind, known[kind]])
            low[kind], high[kind] = runs[inside[0]], runs[inside[-1]]
        own, rows = np.split(one[last], [len(self.own)])
        return runs[own], low[rows], high[rows]

    def _count_nearer(self) -> tuple[Rows, Ints]:
        """How many groups the closest rows share, and how many rows besides share at least so many.

        The last column is that of rows that share more than all.
        """
        sharing = np.column_stack([self.sharing, np.zeros(len(self.own), np.int64)])
        blank = np.count_nonzero(self.released[:, 0] < 0)  # which may be anything
        nearest = np.where(sharing > blank, np.arange(self.steps + 2), 0).max(axis=1)
        nearer: Ints = sharing - sharing[np.arange(len(sharing)), nearest][:, None]
        return nearest, nearer

    def measure_least_diversities(
        self, values: Sequence[object], reach: Ints, criterion: Criterion, tree: Hierarchy | None
    ) -> Floats:
        """How much the released values within some places of each record differ.

        Values whose rows lie within these places only in part are left out.
        """
        if criterion.name not in UNORDERED:
            raise RecordError(
                f"The {criterion.name} of values without an order is not defined; choose one of "
                f"{', '.join(UNORDERED)}.",
                field="criterion",
                value=criterion.name,
            )
        codes, known = pd.factorize(pd.Series(values).astype(object), use_na_sentinel=False)
        names, every = np.array([*map(text, known)], object)[codes], np.arange(len(values))
        nearest, nearer = self._count_nearer()
        level = np.argmax((nearer <= reach[:, None]) | (nearer < 0), axis=1)
        level = np.minimum(level, nearest)
        groups = np.column_stack([np.full(len(level), -1), self.own])[np.arange(len(level)), level]
        _, first, which = np.unique(
            np.column_stack([level, groups]), axis=0, return_index=True, return_inverse=True
        )
        shown = self.released[:, -1] >= 0
        found = []
        for record in first:
            inside = shown & (self.count_shared(np.array(record), every) >= level[record])
            window, column = names[inside], names[shown]
            if len(window) and criterion.name == "recursive":
                counts = np.unique(window, return_counts=True)[1]
                found.append(float(count_represented(counts, criterion.c or 0)))
            else:
                measure = UNORDERED[criterion.name]
                found.append(measure(window, column, tree) if len(window) else 0.0)
        return np.array(found)[which.ravel()]

    def list_reached(self, places: int) -> Reached:
        """List from which values each row lies within some places."""
        level, (own, low, high) = self.find_levels(places), self.number_groups()
        keys = np.column_stack([level, own[np.arange(len(own)), level]])
        kinds, like, counts = np.unique(keys, axis=0, return_index=True, return_counts=True)
        found = [np.empty((2, 0), np.intp)]
        for shared in np.unique(kinds[:, 0]):
            at = np.flatnonzero(kinds[:, 0] == shared)
            begin = np.searchsorted(kinds[at, 1], low[:, shared])
            end = np.searchsorted(kinds[at, 1], high[:, shared], "right")
            place, row = expand_ranges(begin, end)
            found.append(np.array([row, at[place]]))
        row, kind = np.concatenate(found, axis=1)
        order, ends = np.lexsort((kind, row)), np.cumsum(counts)
        row, kind = row[order], kind[order]
        return Reached(row, (ends - counts)[kind], ends[kind], like[kind])

    def count_near(self, places: int) -> Ints:
        """Count for each record the rows within some places."""
        return self.sharing[np.arange(len(self.own)), self.find_levels(places)]

    def find_levels(self, places: int | Ints) -> Rows:
        """How many groups a row shares at least with a record that it lies within places of."""
        level = (self.places <= np.reshape(places, (-1, 1))).argmax(axis=1)
        return np.minimum(level, (self.own >= 0).sum(axis=1))

    def estimate_log_chances(self, shares: Floats) -> Floats:
        """The log chance of each row, by record and by how many groups the row shares with it.

        ``shares`` says how often a row that came from a record shares 0, 1, 2 ... groups with it;
        rows that share as many are as likely as each other.
        """
        exactly = self.sharing - np.column_stack([self.sharing[:, 1:], np.zeros(len(self.own))])
        return np.log(shares / np.maximum(exactly, 1) + LEAST / len(self.released))

    def take(self, records: Rows) -> Kinship:
        """Find the same of some records."""
        return self._replace(own=self.own[records], sharing=self.sharing[records])

    def reorder(self, records: Rows, rows: Rows) -> Kinship:
        """Find the same of both tables in another order."""
        return self.take(records)._replace(released=self.released[rows])


class Reached(NamedTuple):
    """From which values a row lies near: a line for each row and each kind of value.

    Values from which the same rows are near are a kind. Where all are put in the order of their
    kinds, those of a kind stand from ``begin`` to ``end``; ``like`` is a record with one of them.
    """

    row: Rows
    begin: Ints
    end: Ints
    like: Rows


def expand_ranges(begin: Ints, end: Ints) -> tuple[Rows, Rows]:
    """List every number from each begin to before its end, and whose it is.

    Examples
    --------
    >>> [part.tolist() for part in expand_ranges(np.array([5, 9]), np.array([7, 10]))]
    [[5, 6, 9], [0, 0, 1]]
    """
    sizes = end - begin
    owner = np.repeat(np.arange(len(sizes)), sizes)
    return np.arange(len(owner)) + (begin - np.cumsum(sizes) + sizes)[owner], owner


LEAST = 1e-7  # of what no repetition showed


def relate_values(
    values: Iterable[object], released: Iterable[object], tree: Hierarchy | None = None
) -> Kinship:
    """Relate the values of records to those of released rows, by a tree or else by equality.

    Notes
    -----
    O(n h) for n values in a tree of height h, and one table of the values.

    Examples
    --------
    >>> found = relate_values(["York", None], ["York", "Hull"])
    >>> found.count_places(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])).tolist()
    [0, 1, 0, 0]
    """
    numbers: dict[str, int] = {}
    own, theirs = (_number_groups(part, tree, numbers) for part in (values, released))
    if numbers:  # in an order that hangs neither on that of the rows nor on that of a tree's lines
        names, held = np.array([*numbers], str), np.zeros(len(numbers), np.int64)
        np.add.at(held, theirs[theirs >= 0], 1)
        order = np.lexsort((names, held))
        place = np.r_[np.argsort(order), -1]
        own, theirs = place[own], place[theirs]
    return Kinship(own, theirs, _count_sharing(own, theirs, len(numbers)))


def _number_groups(
    values: Iterable[object], tree: Hierarchy | None, numbers: dict[str, int]
) -> Ints:
    """Number the groups of values from below the root down to the value itself."""
    codes, known = pd.factorize(pd.Series(values).astype(object))
    height = 1 if tree is None else max(tree.height, 1)
    table = np.full((len(known) + 1, height), -1, np.int64)  # the last line is that of a gap
    for line, value in zip(table, known, strict=False):
        names = _list_groups(text(value), tree, height)
        line[: len(names)] = [numbers.setdefault(name, len(numbers)) for name in names]
    return table[codes]


def _list_groups(name: str, tree: Hierarchy | None, height: int) -> tuple[str, ...]:
    if tree is None:
        return (name,)
    if name in tree.levels:
        return tuple(tree.levels[name][-2::-1]) or (name,)
    try:
        below = tree.leaves(name)[0]
    except VerikitError:  # what the tree does not know is like nothing else
        return (name,) * height
    above = tree.levels[below][::-1]
    return tuple(above[1 : above.index(name) + 1])


def _count_sharing(own: Ints, released: Ints, size: int) -> Ints:
    """Count for each record the rows that share so many groups; a gap shares what is asked."""
    found = np.full((len(own), own.shape[1] + 1), len(released), np.int64)
    known = (released >= 0).sum(axis=1)
    ended = np.full(len(own), np.count_nonzero(known == 0))
    for step, (groups, theirs) in enumerate(zip(own.T, released.T, strict=True), 1):
        in_group = np.bincount(theirs[theirs >= 0], minlength=size + 1)[groups]
        found[:, step] = np.where(groups < 0, found[:, step - 1], in_group + ended)
        ended = ended + np.bincount(theirs[known == step], minlength=size + 1)[groups]
    return found


def marginality(values: Iterable[object], tree: Hierarchy | None = None) -> Floats:
    """How far each value lies from all others: the sum of its distances to them.

    The distance of two values is the share of the tree's leaves that their lowest common group
    holds beyond one; without a tree it is 0 for equal values and 1 for others.

    Parameters
    ----------
    values
        The values, as often as they occur.
    tree
        The hierarchy of the values.

    Returns
    -------
    numpy.ndarray
        One number a value; the least of them is that of the most central one.

    References
    ----------
    [DM]_ footnote 3 and section 4, which take it from J. Domingo-Ferrer, D. Sánchez,
    G. Rufian-Torrell: Anonymization of nominal data based on semantic marginality. Information
    Sciences 242, 2013.

    Examples
    --------
    >>> marginality(["a", "a", "b"]).tolist()
    [1.0, 1.0, 2.0]
    """
    codes, known = pd.factorize(pd.Series(values).astype(object))
    counts = np.bincount(codes, minlength=len(known))
    apart = measure_distances([*map(text, known)], tree)
    return (apart @ counts)[codes]


def marginality_variance(values: Iterable[object], tree: Hierarchy | None = None) -> float:
    """The mean marginality of values, which [DM]_ takes for the variance of nominal ones.

    Examples
    --------
    >>> round(marginality_variance(["a", "a", "b"]), 4)
    1.3333
    """
    return float(marginality(values, tree).mean())


def measure_distances(names: list[str], tree: Hierarchy | None = None) -> Floats:
    """The distances of different values: by their lowest common group, weighted by its leaves.

    Examples
    --------
    >>> tree = Hierarchy.of({"all": {"care": ["nurse", "doctor"], "law": ["judge"]}})
    >>> measure_distances(["nurse", "doctor", "judge"], tree).tolist()
    [[0.0, 0.5, 1.0], [0.5, 0.0, 1.0], [1.0, 1.0, 0.0]]
    """
    if tree is None:
        return np.asarray(1.0 - np.eye(len(names)))
    most = len(tree.order()) - 1
    found = np.zeros((len(names), len(names)))
    for at, one in enumerate(names):
        for beside, other in enumerate(names[:at]):
            leaves = len(tree.leaves(tree.cover([one, other])))
            found[at, beside] = found[beside, at] = (leaves - 1) / most if most else 0.0
    return found


def _measure_entropy(window: Names, _: Names, __: Hierarchy | None) -> float:
    shares = np.unique(window, return_counts=True)[1] / len(window)
    return float(-(shares * np.log(shares)).sum()) + 0.0


def _measure_unlikeness(window: Names, column: Names, _: Hierarchy | None) -> float:
    """The share of values that would have to change for the window to be as the column."""
    names = np.unique(column)
    parts = (np.searchsorted(names, part) for part in (window, column))
    inside, whole = (np.bincount(part, minlength=len(names)) / len(part) for part in parts)
    return float(np.abs(inside - whole).sum() / 2)


UNORDERED: Mapping[str, Callable[[Names, Names, Hierarchy | None], float]] = {
    "variance": lambda window, _, tree: marginality_variance(window, tree),
    "distinct": lambda window, _, __: float(len(set(window))),
    "entropy": _measure_entropy,
    "t-closeness": _measure_unlikeness,
    "recursive": lambda *_: 0.0,
}
