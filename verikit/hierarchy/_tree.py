"""One tree type for value generalization, target weights and the order of categories."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Rows
from verikit._support.files import check_path, open_regular
from verikit.errors import FormatError, RecordError, SchemaError, quoted, shortened
from verikit.hierarchy._levels import (
    Levels,
    Nested,
    as_list,
    check_levels,
    check_weights,
    cumulate_weights,
    find_repeated,
    interval_levels,
    nested_levels,
    prefix_levels,
    refuse_levels,
)
from verikit.words import count, listed, text


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hierarchy:
    """A tree over the values of a column: the values are its leaves, the groups its inner nodes.

    Parameters
    ----------
    levels
        For each value its name on every level, from the value itself (level 0) to the root.
    weights
        How much each value counts in `share`, exactly; one each where none is given.

    Examples
    --------
    >>> jobs = Hierarchy.of({"any": {"white-collar": ["clerk", "lawyer"], "trade": ["welder"]}})
    >>> jobs.level("clerk", 1), jobs.cover(["clerk", "welder"])
    ('white-collar', 'any')
    >>> jobs.order()
    ('clerk', 'lawyer', 'welder')
    >>> jobs.share("white-collar")
    Fraction(2, 3)
    """

    levels: Mapping[str, tuple[str, ...]]
    weights: Mapping[str, Fraction] = field(default_factory=dict)
    nodes: tuple[str, ...] = field(init=False)
    _shape: Shape = field(init=False)
    _order: tuple[str, ...] = field(init=False)
    _sums: Sequence[int] = field(init=False)

    def __post_init__(self) -> None:
        """Check that the levels form one tree, and lay it out (see `Shape`)."""
        levels = check_levels(self.levels)
        shape = lay_out_tree(levels)
        order = tuple(shape.names[at] for at in shape.order.tolist())
        weights = check_weights(self.weights, levels)
        groups = (name for name in shape.names if name not in levels)
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "nodes", (*levels, *groups))
        object.__setattr__(self, "_shape", shape)
        object.__setattr__(self, "_order", order)
        object.__setattr__(self, "_sums", cumulate_weights(weights, order))

    def __repr__(self) -> str:
        values, levels = count(len(self.levels), "value"), count(self.height, "level")
        return f"Hierarchy({values}, {levels} above)"

    # -- where hierarchies come from ------------------------------------------------------------

    @classmethod
    def of(cls, nested: Nested, weights: Mapping[Any, Any] | None = None) -> Hierarchy:
        """Read a tree from nested dictionaries whose innermost parts list the values.

        Branches of unequal depth are filled up at the value: it stands for itself until its
        group begins.
        """
        return cls(nested_levels(nested), weights or {})

    @classmethod
    def read_csv(cls, path: str | Path, sep: str = ";") -> Hierarchy:
        """Read a file of levels, as ARX writes it: one line a value, from the value to the root."""
        check_path(path)
        try:
            with (
                open_regular(Path(path)) as found,
                io.TextIOWrapper(found, encoding="utf-8-sig", newline="") as file,
            ):
                rows = [row for row in csv.reader(file, delimiter=sep) if row]
        except (OSError, UnicodeError, TypeError, csv.Error) as error:
            reason = shortened(str(getattr(error, "strerror", None) or error), 200)
            raise FormatError(
                f"The hierarchy file {quoted(Path(path))} cannot be read: {reason}."
            ) from error
        return cls.of_rows(rows)

    @classmethod
    def of_rows(cls, rows: Iterable[Sequence[Any]]) -> Hierarchy:
        """Read a tree from rows of levels, each from a value to the root."""
        table = [
            tuple(text(cell).strip() for cell in as_list(row, "The levels of a value"))
            for row in as_list(rows, "The rows of a hierarchy")
        ]
        repeated = find_repeated(row[0] for row in table if row)
        if repeated is not None:
            raise SchemaError(
                f"The value {quoted(repeated)} has two lines in the hierarchy; give each value one "
                "line."
            )
        return cls({row[0]: row for row in table if row})

    @classmethod
    def intervals(
        cls, values: Iterable[float], widths: Sequence[float], *, origin: float = 0
    ) -> Hierarchy:
        """Group numbers into intervals of growing width; each width must be a multiple of the last.

        Whole numbers get closed intervals such as ``[20, 24]``; others half-open ones,
        ``[20, 25)``, which do not hold their upper end.
        """
        return cls.of_rows(interval_levels(values, widths, origin))

    @classmethod
    def prefixes(cls, values: Iterable[Any], lengths: Sequence[int] | None = None) -> Hierarchy:
        """Group codes by their first letters: ``47677``, ``4767*``, ``476**`` ... ``*``."""
        return cls.of_rows(prefix_levels(values, lengths))

    # -- what one asks of a tree ----------------------------------------------------------------

    @property
    def height(self) -> int:
        """The number of levels above the values."""
        return len(next(iter(self.levels.values()))) - 1

    @property
    def root(self) -> str:
        """The node above all others."""
        return next(iter(self.levels.values()))[-1]

    def parent(self, node: object) -> str | None:
        """The group right above a node; None for the root."""
        above = self._shape.parent[self._number_of(node)]
        return None if above < 0 else self._shape.names[above]

    def leaves(self, node: object) -> tuple[str, ...]:
        """The values below a node, in order; a value is its own leaf."""
        first, last = self.span(node)
        return self._order[first:last]

    def span(self, node: object) -> tuple[int, int]:
        """Where the values below a node begin and end in the order of the tree."""
        at = self._number_of(node)
        return int(self._shape.first[at]), int(self._shape.last[at])

    def level(self, value: object, height: int) -> str:
        """The name of a value on a level: 0 is the value itself, `height` the root."""
        name = text(value)
        if name not in self.levels:
            raise RecordError(f"The hierarchy lacks the value {quoted(name)}; add it as a leaf.")
        if not 0 <= height <= self.height:
            raise RecordError(
                f"Level {height} does not exist; the hierarchy has levels 0 to {self.height}."
            )
        return self.levels[name][height]

    def path(self, node: object) -> tuple[str, ...]:
        """The nodes from a node up to the root, each once."""
        at, names = self._number_of(node), []
        while at >= 0:
            names.append(self._shape.names[at])
            at = int(self._shape.parent[at])
        return tuple(names)

    def cover(self, values: Iterable[object]) -> str:
        """The lowest node that covers all the values (or nodes) given."""
        paths = [self.path(value) for value in dict.fromkeys(map(text, values))]
        if not paths:
            raise RecordError("No values were given to cover; give at least one.")
        shared = set(paths[0]).intersection(*paths[1:])
        return next(node for node in paths[0] if node in shared)

    def share(self, node: object) -> Fraction:
        """The share of a node: the weight of its values among all values, exactly."""
        first, last = self.span(node)
        return Fraction(self._sums[last] - self._sums[first], self._sums[-1])

    def order(self) -> tuple[str, ...]:
        """The values from left to right: depth first, siblings as declared."""
        return self._order

    def missing(self, values: Iterable[object]) -> tuple[str, ...]:
        """The values that are no leaves of this tree, each once."""
        return tuple(name for name in dict.fromkeys(map(text, values)) if name not in self.levels)

    def _number_of(self, node: object) -> int:
        name = text(node)
        if name not in self._shape.numbers:
            raise RecordError(
                f"The hierarchy has no node {quoted(name)}; its values are {listed(self.levels)}."
            )
        return self._shape.numbers[name]


class Shape(NamedTuple):
    """The nodes of a tree by number; the leaves below a node stand next to each other.

    Parameters
    ----------
    names, numbers
        The name of each node, and the number of each name.
    order
        The numbers of the leaves from left to right: depth first, siblings as declared.
    parent
        The number of the node above each node; -1 above the root.
    first, last
        Where the leaves of each node begin and end in that order.
    """

    names: tuple[str, ...]
    numbers: dict[str, int]
    order: Rows
    parent: Rows
    first: Rows
    last: Rows


def lay_out_tree(levels: Levels) -> Shape:
    """Lay out a tree in O(n h) numpy steps for n values of h levels, and one sort.

    Raises
    ------
    SchemaError
        If the rows are no tree.
    """
    depth = len(next(iter(levels.values())))
    numbers: dict[str, int] = {}
    flat = [numbers.setdefault(name, len(numbers)) for row in levels.values() for name in row]
    table = np.array(flat, np.intp).reshape(-1, depth)
    parent = _find_parents(table, len(numbers))
    if parent is None:
        refuse_levels(levels)
    paths = _paths_from_root(table)
    rank = _rank_by_appearance(table, len(numbers))
    rows = np.lexsort(tuple(rank[paths[:, at]] for at in range(depth - 1, -1, -1)))
    first, last = _leaf_ranges(paths[rows], len(numbers))
    return Shape(tuple(numbers), numbers, table[rows, 0], parent, first, last)


def _find_parents(table: Rows, nodes: int) -> Rows | None:
    """The node above each; None where the rows are no tree."""
    root = table[0, -1]
    below, above = table[:, :-1].ravel(), table[:, 1:].ravel()
    moved = below != above
    parent = np.full(nodes, -1, np.intp)
    parent[below[moved]] = above[moved]
    one_root = (table[:, -1] == root).all() and parent[root] == -1
    one_parent = np.array_equal(parent[below[moved]], above[moved])
    leaves_at_the_end = not np.isin(table[:, 0], above[moved]).any()
    return parent if one_root and one_parent and leaves_at_the_end else None


def _paths_from_root(table: Rows) -> Rows:
    """The nodes of each row from the root down, each once, then the value again and again."""
    down = table[:, ::-1]
    depth = np.zeros(down.shape, np.intp)
    np.cumsum(down[:, 1:] != down[:, :-1], axis=1, out=depth[:, 1:])
    paths = np.repeat(table[:, :1], table.shape[1], axis=1)
    np.put_along_axis(paths, depth, down, axis=1)
    return paths


def _rank_by_appearance(table: Rows, nodes: int) -> Rows:
    """In which row each node stands first, which puts siblings in their declared order."""
    seen = np.full(nodes, len(table), np.intp)
    rows = np.arange(len(table))
    for at in range(table.shape[1]):
        np.minimum.at(seen, table[:, at], rows)
    return seen


def _leaf_ranges(paths: Rows, nodes: int) -> tuple[Rows, Rows]:
    """Where the leaves of each node begin and end, the rows being in the order of the leaves."""
    first, last = np.zeros(nodes, np.intp), np.zeros(nodes, np.intp)
    rows: npt.NDArray[Any] = np.arange(len(paths))
    for column in paths.T:
        first[column[::-1]] = rows[::-1]
        last[column] = rows + 1
    return first, last
