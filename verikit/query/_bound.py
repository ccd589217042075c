"""A question bound to the columns of a table: a tree of sets of values, one set a column."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypeVar

from verikit.cells import Among, Between
from verikit.errors import RecordError
from verikit.query._predicate import And, Not, Or, Predicate
from verikit.query._values import Values, values_of
from verikit.table import Column, Schema
from verikit.words import listed

__all__ = ["Joined", "Leaf", "Tree", "bound", "column_named", "joined", "sorted_out"]

Home = TypeVar("Home", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value of one column is among some values.

    Parameters
    ----------
    name
        The column.
    values
        The values.
    """

    name: str
    values: Values

    @property
    def columns(self) -> frozenset[str]:
        """The column."""
        return frozenset({self.name})


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
    columns: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        """Collect the columns."""
        found = frozenset[str]().union(*(part.columns for part in self.parts))
        object.__setattr__(self, "columns", found)


Tree: TypeAlias = Leaf | Joined


def bound(
    where: Sequence[Predicate], schema: Schema, scale: Callable[[str], Column] | None = None
) -> Tree | None:
    """The tree that all conditions together are; None where there are none.

    "Not" is carried down to the values, as in three-valued logic, so that a missing value meets
    neither a condition nor its opposite; all that is asked of one column becomes one set. For
    ranges a column is read on its scale, if that is not how the schema describes it.

    Examples
    --------
    >>> either = Or(Between("age", high=20), Not(Between("age", high=60)))
    >>> bound((either,), Schema((Column("Age"),))).values.cuts
    ((-inf, 0), (20.0, 1), (60.0, 1), (inf, 1))
    """

    def leaf(condition: Between | Among) -> Leaf:
        name = column_named(condition.column, schema)
        read = scale if scale is not None and isinstance(condition, Between) else schema.__getitem__
        return Leaf(name, values_of(condition, read(name)))

    parts = [_bound(part, leaf, holds=True) for part in where]
    return joined(parts, every=True) if parts else None


def _bound(part: Predicate, leaf: Callable[[Between | Among], Leaf], *, holds: bool) -> Tree:
    if isinstance(part, Not):
        return _bound(part.part, leaf, holds=not holds)
    if isinstance(part, (And, Or)):
        parts = [_bound(one, leaf, holds=holds) for one in part.parts]
        return joined(parts, every=isinstance(part, And) == holds)
    found = leaf(part)
    return found if holds else Leaf(found.name, found.values.opposite())


def joined(parts: Iterable[Tree], *, every: bool) -> Tree:
    """Parts under one word: equal words are one, and so are the sets of one column."""
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


def sorted_out(
    parts: Iterable[Tree], home: Callable[[Tree], Home], *, every: bool
) -> list[tuple[Home, Tree]]:
    """The parts of a tree, those with the same home put together."""
    found: dict[Home, list[Tree]] = {}
    for part in parts:
        found.setdefault(home(part), []).append(part)
    return [(at, joined(some, every=every)) for at, some in found.items()]


def column_named(name: str, schema: Schema) -> str:
    """The column of that name; it may differ in case from the one column it can mean."""
    if name in schema.names:
        return name
    alike = [known for known in schema.names if known.lower() == name.lower()]
    if len(alike) == 1:
        return alike[0]
    raise RecordError(
        f"There is no column {name[:80]!r}; the table has {listed(schema.names, 12)}."
    )
