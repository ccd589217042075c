"""All that questions need of a release: its blocks, and the columns published together in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any

import numpy as np

from verikit._support.arrays import Rows, Values
from verikit.errors import SchemaError
from verikit.query._bound import Joined, Tree, sorted_out
from verikit.query._columns import Columns
from verikit.query._part import Part
from verikit.query._promise import promise_of
from verikit.release import GraphRelease, Redraw, SplitRelease, TableRelease, redraw_of
from verikit.table import Column, Microdata, Schema

__all__ = ["Blocks", "blocks"]


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
        hold rows besides that are nobody's, and meet nothing (see `Part`).
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
        """The number of rows of a part in each block, those that are nobody's among them."""
        part = self.parts[place]
        return self.sizes if part.people is None else part.rows

    def scale(self, name: str) -> Column:
        """A column as its cells are read."""
        column = self.schema[name]
        if column.kind != "nominal":
            return column
        return self.parts[self.home[name]].columns[name].scale

    def homes(self, tree: Tree) -> frozenset[int]:
        """The parts that a tree asks."""
        return frozenset(self.home[name] for name in tree.columns)

    def sorted_out(self, tree: Joined) -> list[tuple[frozenset[int], Tree]]:
        """The branches of a tree, those that ask one and the same part put together."""
        mixed = [part for part in tree.parts if len(self.homes(part)) > 1]
        alone = [part for part in tree.parts if len(self.homes(part)) == 1]
        found = sorted_out(alone, self.homes, every=tree.every)
        return [*found, *((self.homes(part), part) for part in mixed)]


@singledispatch
def blocks(release: object) -> Blocks:
    """The blocks of a release; a new kind of release registers its own.

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
def _plain(data: Microdata) -> Blocks:
    return _one_part(data.frame, data.schema, promise_of(data))


@blocks.register
def _table(release: TableRelease) -> Blocks:
    promise, schema = promise_of(release), release.schema
    if promise != "another order":
        found = _one_part(release.frame, schema, promise, release.method)
        return replace(found, redraw=redraw_of(release))
    columns = Columns(release.frame, schema, promise)
    parts = tuple(Part(columns, (name,), None, 1) for name in schema.names)
    rows = Part(columns, schema.names, None, 1)
    return Blocks(np.array([len(release)]), parts, schema, promise, release.method, rows)


@blocks.register
def _graph(release: GraphRelease) -> Blocks:
    """The left entities; questions about links have functions of their own in `analyst`."""
    return _one_part(release.left.frame, release.schema, release.promise, release.method)


def _one_part(frame: Any, schema: Schema, promise: str, method: str = "") -> Blocks:
    """All columns published together: one block, or one for each class of open cells."""
    columns = Columns(frame, schema, promise)
    vague = [name for name in schema.names if not _plainly(frame[name]) and not columns[name].clear]
    if not vague:
        part = Part(columns, schema.names, None, 1)
        return Blocks(np.array([len(frame)]), (part,), schema, promise, method)
    labels = _classes(columns, vague)
    sizes = np.bincount(labels)
    part = Part(columns, schema.names, labels, len(sizes), frozenset(vague))
    return Blocks(sizes, (part,), schema, promise, method)


def _plainly(values: Any) -> bool:
    """Whether a column is seen to hold single numbers only, without coding it."""
    return values.dtype.kind in "iuf" and not values.hasnans


def _classes(columns: Columns, names: Sequence[str]) -> Rows:
    labels: Values = np.zeros(len(columns.codes(names[0])), np.int64)
    for name in names:
        keys = labels * (len(columns[name].cells) + 1) + columns.codes(name)
        labels = np.unique(keys, return_inverse=True)[1]
    return labels


@blocks.register
def _split(release: SplitRelease) -> Blocks:
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
