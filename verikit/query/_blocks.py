"""Hold what questions need of a release, and count block by block who meets a condition.

Between columns that were published apart nothing is known inside a block but the Fréchet bounds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any

import numpy as np

from verikit._support.arrays import Values
from verikit.errors import SchemaError
from verikit.query._columns import Columns, Match, all_of, any_of
from verikit.query._part import MatchCounts, Part
from verikit.query._tree import Joined, Leaf, Tree, group_parts
from verikit.release import GraphRelease, Redraw, SplitRelease, TableRelease, redraw_of
from verikit.table import Column, Microdata, Schema

__all__ = ["CERTAIN", "Blocks", "blocks", "count_matches", "match_rows", "promise_of"]

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

    def find_asked(self, name: str, given: str) -> tuple[str, ...]:
        """Find the categories of a column that a question means by a word."""
        return self.parts[self.home[name]].columns[name].spellings.find_asked(given)

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
    if len(homes) == 1 or isinstance(tree, Leaf):
        return blocks.parts[min(homes)].count(tree)
    parts, asked = [], 0
    for own, branch in blocks.split_branches(tree):
        asked += len(own)
        part = blocks.parts[min(own)] if len(own) == 1 else None
        parts.append(count_matches(blocks, branch) if part is None else part.count(branch))
    apart = asked == len(homes)
    if tree.every:
        return _intersect_counts(parts, blocks.sizes, apart=apart)
    # De Morgan: who meets any part is all but who meets the opposite of each
    opposites = [_complement_counts(part, blocks.sizes) for part in parts]
    return _complement_counts(_intersect_counts(opposites, blocks.sizes, apart=apart), blocks.sizes)


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
    if place in homes and isinstance(tree, Joined):
        branches = []
        for own, branch in blocks.split_branches(tree):
            alone = own == {place}
            branches.append(
                part.columns.match(branch) if alone else match_rows(blocks, place, branch)
            )
        return all_of(branches) if tree.every else any_of(branches)
    found, sizes = count_matches(blocks, tree), np.maximum(blocks.sizes, 1)
    by_block = Match(found.low == blocks.sizes, found.mean / sizes, found.high > 0)
    return by_block.take(part.blocks_of_rows())
