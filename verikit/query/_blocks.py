"""Hold what questions need of a release, and count block by block who meets a condition.

Between columns that were published apart nothing is known inside a block but the Fréchet bounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, singledispatch
from typing import Any, NamedTuple

import numpy as np

from verikit._support.arrays import Flags, Floats, Rows, Values
from verikit.errors import SchemaError
from verikit.query._columns import Columns, Match, Tally, count_rows
from verikit.query._tree import Joined, Leaf, Tree, join_parts
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
    reach
        By how many ranks the values of a column moved at most, where that was published.
    """

    sizes: Values
    parts: tuple[Part, ...]
    schema: Schema
    promise: str
    method: str = ""
    together: Part | None = None
    redraw: Redraw | None = None
    reach: Mapping[str, int] = field(default_factory=dict)
    home: Mapping[str, int] = field(init=False)

    def __post_init__(self) -> None:
        """Find the part of each column."""
        home = {name: place for place, part in enumerate(self.parts) for name in part.names}
        object.__setattr__(self, "home", home)

    def __len__(self) -> int:
        return int(self.sizes.sum())

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
        found: dict[Any, list[Tree]] = {}
        for place, part in enumerate(tree.parts):
            homes = self.find_homes(part)
            found.setdefault(homes if len(homes) == 1 else (homes, place), []).append(part)
        ordered = sorted(found.values(), key=lambda some: len(self.find_homes(some[0])) > 1)
        joined = (
            some[0] if len(some) == 1 else join_parts(some, every=tree.every) for some in ordered
        )
        return [(self.find_homes(part), part) for part in joined]


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
        return replace(found, redraw=redraw_of(release, evenly=True))
    columns, told = Columns(release.frame, schema, promise), release.parameters.get("places")
    pairs = told.items() if isinstance(told, Mapping) else ()
    reach = {name: places for name, places in pairs if isinstance(places, int) and places >= 0}
    still = tuple(name for name in schema.names if reach.get(name) == 0)  # rows as they were
    apart = [(name,) for name in schema.names if name not in still]
    parts = tuple(Part(columns, names, None, 1) for names in ([still, *apart] if still else apart))
    rows = Part(columns, schema.names, None, 1)
    sizes = np.array([len(release)])
    return Blocks(sizes, parts, schema, promise, release.method, rows, reach=reach)


@blocks.register
def _find_graph_blocks(release: GraphRelease) -> Blocks:
    """Hold the left entities; questions about links have functions of their own in `analyst`."""
    return _make_one_part(release.left.frame, release.schema, release.promise, release.method)


@blocks.register
def _find_split_blocks(release: SplitRelease) -> Blocks:
    promise = promise_of(release)
    sizes = np.bincount(release.labels.quasi, minlength=len(release.labels.names))
    people = sizes if len(release.sensitive) > len(release) else None
    parts: list[Part] = []
    for frame, schema, hidden, labels, whose in (
        (release.quasi, release.quasi_schema, False, release.labels.quasi, None),
        (release.sensitive, release.sensitive_schema, True, release.labels.sensitive, people),
    ):
        columns = Columns(frame, schema, promise)
        apart = release.list_parts(sensitive=hidden)
        parts += [Part(columns, some, labels, len(sizes), people=whose) for some in apart]
    return Blocks(sizes, tuple(parts), release.schema, promise, release.method)


def _make_one_part(frame: Any, schema: Schema, promise: str, method: str = "") -> Blocks:
    """Hold all columns as published together, in one block."""
    part = Part(Columns(frame, schema, promise), schema.names, None, 1)
    return Blocks(np.array([len(frame)]), (part,), schema, promise, method)


MIN_QUESTIONS = 50  # counting all cells in advance takes as long as some hundred of them
MAX_EXACT = 2.0**53  # whole numbers up to it are added without rounding
MAX_BLOCK = 1000  # of numbers with fractions


class Matches(NamedTuple):
    """By block how many of its records meet something: at least, expected, at most.

    ``tight`` tells that both bounds are reached, in all blocks at once.
    """

    low: Values
    mean: Values
    high: Values
    tight: bool = True

    @classmethod
    def exactly(cls, count: Values) -> Matches:
        """Hold counts that are certain."""
        return cls(count, count, count)

    @property
    def exact(self) -> bool:
        """Whether the counts are certain."""
        return self.low is self.high

    def negate(self, sizes: Values) -> Matches:
        """Count the others."""
        if self.exact:
            return Matches.exactly(sizes - self.low)
        return Matches(sizes - self.high, sizes - self.mean, sizes - self.low, self.tight)


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
        *,
        people: Values | None = None,
    ) -> None:
        self.columns, self.names, self.labels, self.groups = columns, tuple(names), labels, groups
        self.people = people
        self._tallies: dict[str, Tally] = {}
        self._questions: Counter[str] = Counter()
        self._ascending: dict[str, tuple[Ascending, Ascending] | None] = {}

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

    def count(self, tree: Tree | None, *, people: bool = True) -> Matches:
        """Count the people, or the rows, of each block who meet a tree."""
        if tree is None:
            found = Matches.exactly(self.rows)
        elif isinstance(tree, Leaf) and (tally := self._find_tally(tree.name)) is not None:
            found = Matches.exactly(tally.count(tree.values))
        else:
            found = self.add_up(self.columns.match(tree))
        return self.of_people(found) if people else found

    def add_up(self, match: Match) -> Matches:
        """Count by block the rows that meet something."""
        if match.clear:
            return Matches.exactly(self.count_rows(match.surely))
        low, mean, high = map(self.count_rows, match)
        return Matches(low, mean, high)

    @cached_property
    def rows(self) -> Values:
        """The number of rows in each block, dummy rows among them."""
        return self.count_rows(np.ones(len(self), bool))

    def count_rows(self, rows: Flags | Floats) -> Values:
        """Count some rows by block, or add up their shares."""
        return count_rows(self.labels, rows, self.groups)

    def of_people(self, rows: Matches) -> Matches:
        """Count the people whom some rows belong to, of which some are dummy rows, nobody's.

        People have a random choice of the rows of their block.
        """
        if self.people is None:
            return rows
        low = np.maximum(rows.low - (self.rows - self.people), 0)
        high = np.minimum(rows.high, self.people)
        return Matches(low, rows.mean * (self.people / np.maximum(self.rows, 1)), high)

    def is_clear(self, tree: Tree) -> bool:
        """Tell whether all cells that a tree asks of this part are single values."""
        return all(self.columns[name].clear for name in tree.columns if name in self.names)

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
    center = np.bincount(labels, values, groups) / np.maximum(
        np.bincount(labels, minlength=groups), 1
    )
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
