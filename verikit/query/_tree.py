"""Bind a question to the columns of a table: a tree of sets of values, one set a column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import inf
from typing import Any, TypeAlias

import numpy as np

from verikit._support.arrays import Flags, Floats
from verikit.cells import Among, Between
from verikit.errors import RecordError
from verikit.query._query import And, Not, Or, Predicate, Query
from verikit.table import Column, Schema
from verikit.values.spellings import Spellings
from verikit.words import listed

Cut: TypeAlias = tuple[float, int]
Asked: TypeAlias = "Callable[[str], Spellings]"
FIRST: Cut = (-inf, 0)
LAST: Cut = (inf, 1)


@dataclass(frozen=True, slots=True)
class Numbers:
    """A set of numbers, as the places where it begins and ends by turns.

    A cut is a number and a side: (5, 0) lies just below 5 and (5, 1) just above it, so that ranges
    with and without their ends need no rules of their own.

    Parameters
    ----------
    cuts
        The places, in ascending order.

    Examples
    --------
    >>> Numbers(((20, 0), (30, 1))).opposite().cuts
    ((-inf, 0), (20, 0), (30, 1), (inf, 1))
    """

    cuts: tuple[Cut, ...]

    def opposite(self) -> Numbers:
        """Hold all other numbers."""
        start = self.cuts[1:] if self.cuts[:1] == (FIRST,) else (FIRST, *self.cuts)
        return Numbers(start[:-1] if start[-1:] == (LAST,) else (*start, LAST))

    @property
    def empty(self) -> bool:
        """Whether no number is held."""
        return not self.cuts

    def hold(self, values: Floats) -> Flags:
        """Tell which of some numbers are held."""
        found = np.zeros(len(values), bool)
        for (low, above), (high, to) in zip(self.cuts[::2], self.cuts[1::2], strict=True):
            after = values > low if above else values >= low
            found |= after & (values <= high if to else values < high)
        return found

    @staticmethod
    def of_all(sets: Sequence[Numbers], *, every: bool) -> Numbers:
        """Hold the numbers in every set, or in any: each cut begins a set or ends one."""
        if len(sets) == 1:
            return sets[0]
        wanted = len(sets) if every else 1
        steps = sorted(
            (cut, 1 - 2 * (place % 2)) for one in sets for place, cut in enumerate(one.cuts)
        )
        cuts, depth = [], 0
        for cut, here in groupby(steps, key=lambda step: step[0]):
            before = depth >= wanted
            depth += sum(step for _, step in here)
            if (depth >= wanted) != before:
                cuts.append(cut)
        return Numbers(tuple(cuts))


@dataclass(frozen=True, slots=True)
class Names:
    """A set of categories, or all categories besides some.

    Parameters
    ----------
    names
        The categories.
    besides
        Whether all others are meant.

    Examples
    --------
    >>> Names(frozenset({"flu"})).opposite()
    Names(names=frozenset({'flu'}), besides=True)
    """

    names: frozenset[str]
    besides: bool = False

    def opposite(self) -> Names:
        """Hold all other categories."""
        return Names(self.names, not self.besides)

    @property
    def empty(self) -> bool:
        """Whether no category is held."""
        return not self.names and not self.besides

    @staticmethod
    def of_all(sets: Sequence[Names], *, every: bool) -> Names:
        """Hold the categories in every set, or in any."""
        if len(sets) == 1:
            return sets[0]
        if not every:
            return Names.of_all([one.opposite() for one in sets], every=True).opposite()
        without = frozenset[str]().union(*(one.names for one in sets if one.besides))
        within = [one.names for one in sets if not one.besides]
        if not within:
            return Names(without, besides=True)
        return Names(frozenset.intersection(*within) - without)


Values: TypeAlias = Numbers | Names


def find_values(
    condition: Between | Among, column: Column, spellings: Asked | None = None
) -> Values:
    """Find the values of a column that a condition means; a group of a hierarchy is those below it.

    ``spellings`` tell which categories are meant by a word, in the spelling of the table.

    Examples
    --------
    >>> find_values(Between("Age", 40, closed="neither"), Column("Age")).cuts
    ((40.0, 1), (inf, 1))
    """
    if isinstance(condition, Between):
        if column.kind == "nominal":
            raise RecordError(
                f"A range was asked of {column.name!r}, which is nominal and has no order; ask for "
                "some of its values."
            )
        start, end = FIRST, LAST
        if condition.low is not None:
            start = column.score(condition.low), int(condition.closed in ("right", "neither"))
        if condition.high is not None:
            end = column.score(condition.high), int(condition.closed in ("both", "right"))
        if column.kind == "numeric":
            return Numbers((start, end) if start < end else ())
        named = [(name, (column.score(name), 0.5)) for name in column.categories or ()]
        return Names(frozenset(name for name, place in named if start < place < end))
    tree, below = column.hierarchy, set[str]()
    for name in condition.values:
        if spellings is not None and column.kind != "numeric":
            below.update(spellings(column.name).find_asked(name))
        else:
            below.update(tree.leaves(name) if tree is not None and name in tree.nodes else (name,))
    if column.kind != "numeric":
        return Names(frozenset(below))
    points = sorted(set(map(column.score, below)))
    return Numbers(tuple(cut for point in points for cut in ((point, 0), (point, 1))))


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value of one column is among some values.

    Parameters
    ----------
    name
        The column.
    values
        The values.
    columns
        The column, as a set.
    """

    name: str
    values: Values
    columns: frozenset[str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Hold the column as a set."""
        object.__setattr__(self, "columns", frozenset({self.name}))


@dataclass(frozen=True, slots=True)
class Joined:
    """Every one of some parts is met, or at least one.

    Parameters
    ----------
    parts
        Two or more.
    every
        Whether all must be met.
    columns
        The columns of all parts.
    """

    parts: tuple[Tree, ...]
    every: bool
    columns: frozenset[str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Collect the columns."""
        found = frozenset[str]().union(*(part.columns for part in self.parts))
        object.__setattr__(self, "columns", found)


Tree: TypeAlias = Leaf | Joined
Trees: TypeAlias = tuple[Tree | bool, ...]


def walk_up(tree: Tree) -> list[Tree]:
    """List a tree from its leaves up: the parts of each junction, in order, and then itself."""
    found, waiting = [], [tree]
    while waiting:
        part = waiting.pop()
        found.append(part)
        if isinstance(part, Joined):
            waiting += part.parts
    return found[::-1]


def bind_conditions(
    where: Sequence[Predicate],
    schema: Schema,
    scale: Callable[[str], Column] | None = None,
    spellings: Asked | None = None,
) -> Tree | None:
    """Bind all conditions together to a tree; None where there are none.

    "Not" is carried down to the values by De Morgan's laws, as in three-valued logic, so that a
    missing value meets neither a condition nor its opposite; all that is asked of one column
    becomes one set. For ranges a column is read on its scale, if that is not how the schema
    describes it. ``spellings`` tell which categories of a column are meant by a word.

    Examples
    --------
    >>> either = Or(Between("age", high=20), Not(Between("age", high=60)))
    >>> bind_conditions((either,), Schema((Column("Age"),))).values.cuts
    ((-inf, 0), (20.0, 1), (60.0, 1), (inf, 1))
    """
    if not where:
        return None

    def bind(part: Predicate, holds: bool) -> Tree:
        if isinstance(part, Not):
            return bind(part.part, not holds)
        if isinstance(part, (And, Or)):
            every = isinstance(part, And) == holds
            return join_parts([bind(one, holds) for one in part.parts], every=every)
        name = find_column(part.column, schema)
        own = scale is None or not isinstance(part, Between)
        column = schema[name] if own or scale is None else scale(name)
        values = find_values(part, column, spellings)
        return Leaf(name, values if holds else values.opposite())

    return join_parts([bind(part, True) for part in where], every=True)


def join_parts(parts: Iterable[Tree], *, every: bool) -> Tree:
    """Join parts by one word: equal words are one, and so are the sets of one column."""
    sets: dict[tuple[str, Any], list[Any]] = {}
    others: list[Tree] = []
    for part in parts:
        same = isinstance(part, Joined) and part.every == every
        for one in part.parts if isinstance(part, Joined) and same else (part,):
            if isinstance(one, Leaf):
                sets.setdefault((one.name, type(one.values)), []).append(one.values)
            else:
                others.append(one)
    leaves = [Leaf(name, kind.of_all(of, every=every)) for (name, kind), of in sets.items()]
    found = (*leaves, *others)
    return found[0] if len(found) == 1 else Joined(found, every)


def settle_leaves(tree: Tree | bool, known: Mapping[Tree, bool]) -> Tree | bool:
    """Find what is left of a tree where some of its leaves and branches are met or not.

    Examples
    --------
    >>> a, b = Leaf("a", Names(frozenset("x"))), Leaf("b", Names(frozenset("y")))
    >>> tree = Joined((a, b), every=True)
    >>> settle_leaves(tree, {a: True}) == b, settle_leaves(tree, {a: False})
    (True, False)
    """
    if isinstance(tree, bool) or tree in known:
        return tree if isinstance(tree, bool) else known[tree]
    if isinstance(tree, Leaf):
        return tree
    left: list[Tree] = []
    for part in tree.parts:
        found = settle_leaves(part, known)
        if not isinstance(found, bool):
            left.append(found)
        elif found != tree.every:
            return found
    if not left:
        return tree.every
    return left[0] if len(left) == 1 else Joined(tuple(left), tree.every)


def settle_trees(trees: Trees, known: Mapping[Tree, bool]) -> Trees:
    """Find what is left of several trees."""
    return tuple(settle_leaves(tree, known) for tree in trees)


def list_leaves(trees: Trees, name: str) -> list[Leaf]:
    """List the different leaves of trees about a column, all of one kind of values."""
    parts = dict.fromkeys(
        part for tree in trees if not isinstance(tree, bool) for part in walk_up(tree)
    )
    found = [part for part in parts if isinstance(part, Leaf) and part.name == name]
    return [leaf for leaf in found if type(leaf.values) is type(found[0].values)]


def list_branches(tree: Tree | bool, names: frozenset[str]) -> list[Tree]:
    """List the largest branches of a tree that ask some columns only."""
    if isinstance(tree, bool) or not names & tree.columns:
        return []
    if tree.columns <= names or isinstance(tree, Leaf):
        return [tree]
    return [found for part in tree.parts for found in list_branches(part, names)]


def split_values(leaves: Sequence[Leaf]) -> list[tuple[Values, dict[Tree, bool]]]:
    """Split the values of a column by which leaves they meet.

    Examples
    --------
    >>> low, high = (Leaf("a", Numbers(((at, 0), LAST))) for at in (20.0, 30.0))
    >>> [(values.cuts[0][0], known[low]) for values, known in split_values([low, high])]
    [(30.0, True), (20.0, True), (-inf, False)]
    """
    found: list[tuple[Any, dict[Tree, bool]]] = [
        (part, {leaves[0]: part is leaves[0].values})
        for part in (leaves[0].values, leaves[0].values.opposite())
    ]
    for leaf in leaves[1:]:
        kind: Any = type(leaf.values)
        found = [
            (kind.of_all([values, part], every=True), {**known, leaf: holds})
            for values, known in found
            for holds, part in ((True, leaf.values), (False, leaf.values.opposite()))
        ]
        found = [pair for pair in found if not pair[0].empty]
    return [pair for pair in found if not pair[0].empty]


def find_numbers(query: Query, schema: Schema) -> Column:
    """Find the column of numbers that an aggregate is asked of."""
    column = schema[find_column(str(query.of), schema)]
    if column.kind != "numeric":
        raise RecordError(
            f"The {query.aggregate} of {column.name!r} was asked for, which holds categories; sum, "
            "avg, min and max need a column of numbers."
        )
    return column


def find_column(name: str, schema: Schema) -> str:
    """Find the column of a name, which may differ in case from the one column it can mean."""
    if name in schema.names:
        return name
    alike = [known for known in schema.names if known.lower() == name.lower()]
    if len(alike) == 1:
        return alike[0]
    raise RecordError(
        f"There is no column {name[:80]!r}; the table has {listed(schema.names, 12)}."
    )
