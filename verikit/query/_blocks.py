"""Hold what questions need of a release, and count block by block who meets a condition.

Between columns that were published apart nothing is known inside a block but the Fréchet bounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np

from verikit._support.arrays import Flags, Floats, Rows, Values
from verikit.errors import SchemaError
from verikit.query._columns import Columns, Match, PickedRows, Tally, count_rows, join_matches
from verikit.query._tree import Joined, Leaf, Tree, group_parts, settle_leaves, walk_up
from verikit.release import GraphRelease, Redraw, SplitRelease, TableRelease, redraw_of
from verikit.table import Column, Microdata, Schema
from verikit.values.spellings import Spellings

CERTAIN = ("as it was", "covers", "another order")


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """A release as questions see it.

    Parameters
    ----------
    sizes
        The number of records, which are people's, in each block.
    parts
        The columns that were published together; each holds every record of a block once, and
        nothing is known of how the rows of two parts belong together inside a block. A part may
        hold dummy rows besides, which are nobody's and meet nothing (see `Part`).
    schema
        All columns.
    promise
        What the publisher promises (see `promise_of`).
    method
        What the method is called.
    together
        Rows of all columns that are better evidence for an estimate than chance inside blocks.
    redraw
        With what chances values were drawn anew, where that was published.
    """

    sizes: Values
    parts: tuple[Part, ...]
    schema: Schema
    promise: str
    method: str = ""
    together: Part | None = None
    redraw: Redraw | None = None
    home: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        """Find the part of each column."""
        home = {name: place for place, part in enumerate(self.parts) for name in part.names}
        object.__setattr__(self, "home", home)

    def __len__(self) -> int:
        return int(self.sizes.sum())

    def rows(self, place: int) -> Values:
        """Count the rows of a part in each block, dummy rows among them."""
        part = self.parts[place]
        return self.sizes if part.people is None else part.rows

    def scale(self, name: str) -> Column:
        """Find a column as its cells are read."""
        column = self.schema[name]
        if column.kind != "nominal":
            return column
        return self.parts[self.home[name]].columns[name].scale

    def find_spellings(self, name: str) -> Spellings:
        """Find the words that a column is known to hold, and so what a question means by one."""
        return self.parts[self.home[name]].columns[name].spellings

    def find_homes(self, tree: Tree) -> frozenset[int]:
        """Find the parts that a tree asks."""
        return frozenset(map(self.home.__getitem__, tree.columns))

    def split_branches(self, tree: Joined) -> list[tuple[frozenset[int], Tree]]:
        """Split a tree into branches, those that ask one and the same part put together."""
        pairs = [(self.find_homes(part), part) for part in tree.parts]
        alone = [part for homes, part in pairs if len(homes) == 1]
        found = group_parts(alone, self.find_homes, every=tree.every)
        return [*found, *(pair for pair in pairs if len(pair[0]) > 1)]


def promise_of(table: Microdata | TableRelease | SplitRelease) -> str:
    """Tell what a release promises about its values, and so what may be called certain.

    ``as it was``, ``covers``, ``another order``, ``changed`` or ``untold``.

    Examples
    --------
    >>> import verikit as vk
    >>> [promise_of(vk.published(name)) for name in ("lhcc_table2", "lhcc_table3")]
    ['covers', 'another order']
    """
    return "as it was" if isinstance(table, Microdata) else table.promise


@singledispatch
def blocks(release: object) -> Blocks:
    """Find the blocks of a release; a new kind of release registers its own.

    Examples
    --------
    >>> import verikit as vk
    >>> found = blocks(vk.published("lhcc_table4"))
    >>> found.sizes.tolist(), [part.names for part in found.parts]
    ([5, 4], [('Age',), ('Sex',), ('Disease',)])
    """
    raise SchemaError(
        f"A query was put to {type(release).__name__}; expected a release, such as one that "
        "verikit.open_release gives."
    )


@blocks.register
def _find_data_blocks(data: Microdata) -> Blocks:
    return _make_one_part(data.frame, data.schema, promise_of(data))


@blocks.register
def _find_table_blocks(release: TableRelease) -> Blocks:
    promise, schema = promise_of(release), release.schema
    if promise != "another order":
        found = _make_one_part(release.frame, schema, promise, release.method)
        return replace(found, redraw=redraw_of(release))
    columns = Columns(release.frame, schema, promise)
    parts = tuple(Part(columns, (name,), None, 1) for name in schema.names)
    rows = Part(columns, schema.names, None, 1)
    return Blocks(np.array([len(release)]), parts, schema, promise, release.method, rows)


@blocks.register
def _find_graph_blocks(release: GraphRelease) -> Blocks:
    """Hold the left entities; questions about links have functions of their own in `analyst`."""
    return _make_one_part(release.left.frame, release.schema, release.promise, release.method)


@blocks.register
def _find_split_blocks(release: SplitRelease) -> Blocks:
    promise = promise_of(release)
    known = [column.name for column in release.known]
    hidden = [column.name for column in release.schema.sensitive]
    sizes = np.bincount(release.labels.quasi, minlength=len(release.labels.names))
    people = sizes if len(release.sensitive) > len(release) else None
    parts: list[Part] = []
    for frame, schema, names, labels, whose in (
        (release.quasi, release.quasi_schema, known, release.labels.quasi, None),
        (release.sensitive, release.sensitive_schema, hidden, release.labels.sensitive, people),
    ):
        columns = Columns(frame, schema, promise)
        apart = [[name] for name in names] if release.permuted else [names]
        parts += [Part(columns, some, labels, len(sizes), people=whose) for some in apart]
    return Blocks(sizes, tuple(parts), release.schema, promise, release.method)


def _make_one_part(frame: Any, schema: Schema, promise: str, method: str = "") -> Blocks:
    """Hold all columns as published together: one block, or one for each class of open cells."""
    columns, vague = Columns(frame, schema, promise), []
    for name in schema.names:  # a column of single numbers need not be coded to see that
        plain = frame[name].dtype.kind in "iuf" and not frame[name].hasnans
        if not plain and not columns[name].clear:
            vague.append(name)
    if not vague:
        part = Part(columns, schema.names, None, 1)
        return Blocks(np.array([len(frame)]), (part,), schema, promise, method)
    labels: Values = np.zeros(len(frame), np.int64)
    for name in vague:
        keys = labels * (len(columns[name].cells) + 1) + columns.codes(name)
        labels = np.unique(keys, return_inverse=True)[1]
    sizes = np.bincount(labels)
    part = Part(columns, schema.names, labels, len(sizes), frozenset(vague))
    return Blocks(sizes, (part,), schema, promise, method)


def count_matches(blocks: Blocks, tree: Tree | None) -> MatchCounts:
    """Count by block how many records of people meet a tree: at least, expected, at most.

    Inside a part rows are looked at one by one. Of records that meet one thing in one part and
    another in another no fewer meet both than cannot avoid it, and no more than meet the rarer;
    the expectation takes the parts for independent inside each block.

    Examples
    --------
    >>> import verikit as vk
    >>> from verikit.query import bind_conditions
    >>> seen = blocks(vk.published("lhcc_table3"))
    >>> where = vk.Query.count({"Age": (40, 70), "Disease": "Flu"}).where
    >>> [part.tolist() for part in count_matches(seen, bind_conditions(where, seen.schema))[:3]]
    [[0.0, 0.0], [0.8, 0.75], [1, 1]]
    """
    if tree is None:
        return MatchCounts.exactly(blocks.sizes)
    homes = blocks.find_homes(tree)
    if len(homes) == 1:
        return blocks.parts[min(homes)].count(tree)
    found: dict[int, MatchCounts] = {}
    torn: int | None = None  # a part that several branches of one junction ask
    for node in walk_up(tree):
        if isinstance(node, Leaf) or len(blocks.find_homes(node)) == 1:
            continue
        branches = blocks.split_branches(node)
        asked = Counter(place for own, _ in branches for place in own)
        twice = [place for place, times in asked.items() if times > 1]
        torn = twice[0] if twice else torn
        counts = [
            blocks.parts[min(own)].count(branch) if len(own) == 1 else found[id(branch)]
            for own, branch in branches
        ]
        found[id(node)] = _join_counts(counts, blocks.sizes, every=node.every, apart=not twice)
    return found[id(tree)] if torn is None else _count_by_case(blocks, torn, tree, found[id(tree)])


def _count_by_case(blocks: Blocks, place: int, tree: Tree, found: MatchCounts) -> MatchCounts:
    """Tighten counts case by case of what the rows of a part meet, as its rows were kept together.

    In each case nothing is left to ask of the part, and people of the case meet the rest or not.
    """
    cases, part, sizes = find_cases(blocks, place, tree), blocks.parts[place], blocks.sizes
    if cases is None:
        return found
    low, mean, high = np.zeros((3, len(sizes)))
    for rest, rows in cases.items():
        people = MatchCounts.exactly(count_rows(part.labels, rows, part.groups))
        if part.people is not None:
            people = people.of_people(part.people, part.rows)
        if rest is not False:
            met = count_matches(blocks, None if rest is True else rest)
            low += np.maximum(people.low + met.low - sizes, 0)
            mean += people.mean * met.mean / np.maximum(sizes, 1)
            high += np.minimum(people.high, met.high)
    return MatchCounts(np.maximum(low, found.low), mean, np.minimum(high, found.high), None)


def find_cases(blocks: Blocks, place: int, tree: Tree) -> dict[Tree | bool, Flags] | None:
    """Sort the rows of a part by what a tree leaves to ask of other parts; None for open cells.

    What is left is a tree, or whether the tree is met whatever other parts say.
    """
    part, met = blocks.parts[place], np.zeros(len(blocks.parts[place]), np.int64)
    own = [leaf for leaf in walk_up(tree) if isinstance(leaf, Leaf) and leaf.name in part.names]
    own = list(dict.fromkeys(own))
    for at, leaf in enumerate(own):
        held = part.columns.match(leaf)
        if not held.clear or at >= MAX_OWN_LEAVES:
            return None
        met |= held.surely.astype(np.int64) << at
    cases: dict[Tree | bool, Flags] = {}
    for case in np.flatnonzero(np.bincount(met)).tolist():
        rest = settle_leaves(tree, {leaf: bool(case >> at & 1) for at, leaf in enumerate(own)})
        rows = met == case
        cases[rest] = cases[rest] | rows if rest in cases else rows
    return cases


def _join_counts(
    parts: Sequence[MatchCounts], sizes: Values, *, every: bool, apart: bool
) -> MatchCounts:
    """Bound the records that meet all parts, or any."""
    if every:
        return _intersect_counts(parts, sizes, apart=apart)
    # De Morgan: who meets any part is all but who meets the opposite of each
    opposites = [_complement_counts(part, sizes) for part in parts]
    return _complement_counts(_intersect_counts(opposites, sizes, apart=apart), sizes)


def _intersect_counts(parts: Sequence[MatchCounts], sizes: Values, *, apart: bool) -> MatchCounts:
    """Bound the records that meet all parts; only blocks where some record may are worked out.

    These are the Fréchet bounds: of n records, of which a meet one thing and b another, at least
    max(0, a + b - n) and at most min(a, b) meet both.
    """
    groups = len(sizes)
    high = np.minimum.reduce([part.high for part in parts])
    alive = np.flatnonzero(high > 0)
    n = sizes[alive].astype(np.float64)
    links = np.maximum(n * (n - 1), 1)
    low, mean, pairs = n.copy(), n.copy(), links.copy()
    closed = apart  # whether the expected pairs have a closed form
    for part in parts:
        low += part.low[alive] - n
        mean *= part.mean[alive] / n
        found = part.pairs_in(alive) if closed else None
        closed = found is not None
        if found is not None:
            pairs *= found / links
    low, mean, pairs = np.maximum(low, 0), np.asarray(mean), np.asarray(pairs)
    if len(alive) < groups:
        all_blocks = np.zeros((3, groups))
        all_blocks[:, alive] = low, mean, pairs
        low, mean, pairs = all_blocks
    return MatchCounts(low, mean, high, pairs if closed else None)


def _complement_counts(part: MatchCounts, sizes: Values) -> MatchCounts:
    """Count the records that do not meet a part."""
    if part.exact:
        return MatchCounts.exactly(sizes - part.low)
    pairs = part.pairs
    if pairs is not None:
        pairs = sizes * (sizes - 1.0) - 2 * (sizes - 1) * part.mean + pairs
    return MatchCounts(sizes - part.high, sizes - part.mean, sizes - part.low, pairs)


def match_rows(blocks: Blocks, place: int, tree: Tree) -> Match:
    """Say what the rows of one part meet of a tree; what other parts say is the same in a block.

    Of a row that may be a dummy it is said for the case that it is a person's.
    """
    homes, part = blocks.find_homes(tree), blocks.parts[place]
    if homes == {place}:
        return part.columns.match(tree)
    labels, sizes = part.blocks_of_rows(), np.maximum(blocks.sizes, 1)
    if place not in homes or isinstance(tree, Leaf):
        found = count_matches(blocks, tree)
        return Match(found.low == blocks.sizes, found.mean / sizes, found.high > 0).take(labels)
    own_branches = blocks.split_branches(tree)
    apart = sum(len(own) for own, _ in own_branches) == len(homes)
    cases = None if apart else find_cases(blocks, place, tree)
    if cases is None:
        branches = [
            part.columns.match(branch) if own == {place} else match_rows(blocks, place, branch)
            for own, branch in own_branches
        ]
        return join_matches(branches, every=tree.every)
    surely, perhaps = np.zeros((2, len(part)), bool)
    share = np.zeros(len(part))
    for rest, rows in cases.items():
        if isinstance(rest, bool):
            surely[rows] = perhaps[rows] = share[rows] = rest
        else:
            found = count_matches(blocks, rest)
            surely[rows] = (found.low == blocks.sizes)[labels[rows]]
            share[rows] = (found.mean / sizes)[labels[rows]]
            perhaps[rows] = (found.high > 0)[labels[rows]]
    return Match(surely, share, perhaps)


MIN_QUESTIONS = 50  # counting all cells in advance takes as long as some hundred of them
MAX_EXACT = 2.0**53  # whole numbers up to it are added without rounding
MAX_OWN_LEAVES = 12  # conditions on one part, of which rows are sorted into cases
MAX_BLOCK = 1000  # of numbers with fractions


class MatchCounts(NamedTuple):
    """By block how many of its records meet something: at least, expected, at most.

    ``pairs`` is the expected number of ordered pairs of records that both do, which gives the
    variance; None where it has no closed form.
    """

    low: Values
    mean: Values
    high: Values
    pairs: Values | None

    @classmethod
    def exactly(cls, count: Values) -> MatchCounts:
        """Hold counts that are certain; their pairs follow from them (see `pairs_in`)."""
        return cls(count, count, count, None)

    @property
    def exact(self) -> bool:
        """Whether the counts are certain."""
        return self.low is self.high

    def pairs_in(self, places: Values | slice) -> Values | None:
        """Find the pairs in some blocks, of certain counts too."""
        if self.low is self.high:
            count = self.low[places]
            return count * (count - 1.0)
        return None if self.pairs is None else self.pairs[places]

    def of_people(self, people: Values, rows: Values) -> MatchCounts:
        """Count the people who meet what rows do, some of which are dummy rows, nobody's.

        People have a random choice of the rows of their block, so that their number among the
        rows that meet it follows a hypergeometric distribution.
        """
        low = np.maximum(self.low - (rows - people), 0)
        high = np.minimum(self.high, people)
        mean = self.mean * (people / np.maximum(rows, 1))
        pairs = self.pairs_in(slice(None))
        if pairs is not None:
            pairs = pairs * (people * (people - 1.0) / np.maximum(rows * (rows - 1.0), 1))
        return MatchCounts(low, mean, high, pairs)


class Part:
    """Columns that were published together, and the block of each of their rows.

    Parameters
    ----------
    columns
        The columns.
    names
        Which of them are meant.
    labels
        The block of each row; None where there is one block only.
    groups
        The number of blocks.
    common
        The names of columns that say the same in all rows of a block.
    people
        By block how many of its rows belong to people, the others being dummy rows, nobody's; None
        where all do. Which they are is not known, and what is nobody's meets nothing.
    """

    def __init__(
        self,
        columns: Columns,
        names: Sequence[str],
        labels: Rows | None,
        groups: int,
        common: frozenset[str] = frozenset(),
        *,
        people: Values | None = None,
    ) -> None:
        self.columns, self.names, self.labels, self.groups = columns, tuple(names), labels, groups
        self.common, self.people = common, people
        if people is not None:
            self.rows = np.bincount(self.blocks_of_rows(), minlength=groups)
        self._tallies: dict[str, Tally] = {}
        self._questions: Counter[str] = Counter()
        self._ascending: dict[str, tuple[Ascending, Ascending] | None] = {}
        if common and labels is not None:
            self._first = PickedRows(columns, np.unique(labels, return_index=True)[1])

    def __len__(self) -> int:
        return len(self.columns.codes(self.names[0]))

    def blocks_of_rows(self) -> Rows:
        """Find the block of each row, also where there is one only."""
        return np.zeros(len(self), np.intp) if self.labels is None else self.labels

    def chance_of_people(self) -> Values:
        """Find the chance of each row that it belongs to a person."""
        if self.people is None:
            return np.ones(len(self))
        return (self.people / np.maximum(self.rows, 1))[self.blocks_of_rows()]

    def count(self, tree: Tree | None) -> MatchCounts:
        """Count the people of each block who meet a tree, by three-valued logic row by row.

        What differs inside blocks is counted; what is the same in a block is asked once.
        """
        own, common = self._split_common(tree)
        if own is None:
            found = MatchCounts.exactly(np.bincount(self.blocks_of_rows(), minlength=self.groups))
        elif isinstance(own, Leaf) and (tally := self._find_tally(own.name)) is not None:
            found = MatchCounts.exactly(tally.count(own.values))
        else:
            match = self.columns.match(own)
            low = count_rows(self.labels, match.surely, self.groups)
            found = MatchCounts.exactly(low)
            if not match.clear:
                mean = count_rows(self.labels, match.share, self.groups)
                found = MatchCounts(
                    low, mean, count_rows(self.labels, match.perhaps, self.groups), None
                )
        if common is not None:
            match = self._first.match(common)
            low, mean, high = (n * share for n, share in zip(found[:3], match, strict=True))
            exact = match.clear  # then counts of whole blocks and of none
            found = MatchCounts.exactly(low) if exact else MatchCounts(low, mean, high, None)
        return found if self.people is None else found.of_people(self.people, self.rows)

    def sort_values(self, name: str) -> tuple[Ascending, Ascending] | None:
        """Sort a column's values inside each block, and the negated ones.

        None where a cell is not one number.
        """
        if name not in self._ascending:
            coded, labels = self.columns[name], self.blocks_of_rows()
            both = None
            if coded.clear and not coded.missing:
                values = coded.ends().low[coded.codes]
                up, down = (sort_blocks(sign * values, labels, self.groups) for sign in (1.0, -1.0))
                both = None if up is None or down is None else (up, down)
            self._ascending[name] = both
        return self._ascending[name]

    def _split_common(self, tree: Tree | None) -> tuple[Tree | None, Tree | None]:
        """Split a tree into what differs inside blocks and what is the same in each."""
        if tree is None or not self.common:
            return tree, None
        if tree.columns <= self.common:
            return None, tree
        if isinstance(tree, Leaf) or not tree.every:
            return tree, None
        halves = dict(group_parts(tree.parts, lambda p: p.columns <= self.common, every=True))
        return halves.get(False), halves.get(True)

    def _find_tally(self, name: str) -> Tally | None:
        """Find the counts of a column; they are worth making once it was asked about often."""
        if self.labels is None:
            return None
        self._questions[name] += 1
        if self._questions[name] == MIN_QUESTIONS and Tally.pays(self.columns[name], self.groups):
            self._tallies[name] = Tally(self.columns[name], self.labels, self.groups)
        return self._tallies.get(name)


class Sums(NamedTuple):
    """Sums as two parts, the second being what rounding takes from the first."""

    high: Floats
    rest: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Ascending:
    """The values of each block, lowest first.

    Parameters
    ----------
    values
        Block after block.
    starts
        Where each block begins.
    sums
        By place the values of its block up to it.
    center, apart
        The average of each block, and the squared distances of its values from it, added up.
    """

    values: Floats
    starts: Rows
    sums: Sums
    center: Floats
    apart: Floats

    def sum_lowest(self, blocks: Rows, counts: Values) -> list[float]:
        """Sum some of the lowest values of some blocks, as numbers to be added up."""
        some = counts > 0
        places = self.starts[blocks[some]] + counts[some] - 1
        rest = self.sums.rest[places]
        return [*self.sums.high[places].tolist(), *rest[rest != 0].tolist()]

    def count_below(self, number: float) -> Values:
        """Count by block the values that are less than a number."""
        return np.add.reduceat(np.append(self.values < number, 0), self.starts)


def sort_blocks(values: Floats, labels: Rows, groups: int) -> Ascending | None:
    """Sort the values of each block; None where adding them up in advance would not be exact.

    Costs one sort of the values; a question then costs as much as there are blocks.

    Examples
    --------
    >>> found = sort_blocks(np.array([40.0, 30.0, 80.0]), np.array([0, 0, 1]), 2)
    >>> found.sum_lowest(np.array([0, 1]), np.array([2, 1]))
    [70.0, 80.0]
    """
    sizes = np.bincount(labels, minlength=groups)
    if not len(values) or sizes.min() == 0 or np.isnan(values).any():
        return None
    order = np.lexsort((values, labels))
    starts = np.cumsum(sizes) - sizes
    inside = values[order]
    whole = bool((inside == np.floor(inside)).all()) and float(np.abs(inside).sum()) < MAX_EXACT
    if not whole and sizes.max() > MAX_BLOCK:
        return None
    if whole:
        up_to = np.cumsum(inside)
        before = np.repeat(up_to[starts] - inside[starts], sizes)
        sums = Sums(up_to - before, np.broadcast_to(0.0, len(inside)))
    else:
        sums = _add_exactly(inside, starts, sizes)
    return Ascending(inside, starts, sums, *center_blocks(values, labels, groups))


def center_blocks(values: Floats, labels: Rows, groups: int) -> tuple[Floats, Floats]:
    """Find the average of each block, and add up its values' squared distances from it."""
    center = np.bincount(labels, values, groups) / np.bincount(labels, minlength=groups)
    apart: Any = np.bincount(labels, (values - center[labels]) ** 2, groups)
    return center, apart


def _add_exactly(values: Floats, starts: Rows, sizes: Values) -> Sums:
    """Add up one place of all blocks after another, and beside it what each addition rounds off.

    The rounding error of a sum of two numbers is itself a number (Knuth's two-sum).
    """
    high, rest = values.copy(), np.zeros(len(values))
    by_size = np.argsort(-sizes, kind="stable")
    fewer = np.searchsorted(-sizes[by_size], -np.arange(sizes.max()), side="left")
    for place in range(1, int(sizes.max())):
        at = starts[by_size[: fewer[place]]] + place
        before, value = high[at - 1], values[at]
        total = before + value
        lost = total - before
        high[at] = total
        rest[at] = rest[at - 1] + ((before - (total - lost)) + (value - lost))
    return Sums(high, rest)
