"""One tree type for value generalization, target weights and the order of categories."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, pairwise
from math import lcm
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, TypeAlias

import numpy as np

from verikit._support.arrays import Rows
from verikit._support.files import check_path, open_regular
from verikit._support.guard import guard
from verikit.errors import FormatError, RecordError, SchemaError, quoted, shortened
from verikit.values.names import list_repeated, name_keys
from verikit.values.numbers import exact_fraction
from verikit.words import count, listed, text

ROWS = "The rows of a hierarchy"


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
        nodes = tuple(dict.fromkeys((*levels, *shape.names)))
        sums = cumulate_weights(weights, order)
        made = {"nodes": nodes, "_shape": shape, "_order": order, "_sums": sums}
        for name, value in ({"levels": levels, "weights": weights} | made).items():
            object.__setattr__(self, name, value)

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
        cells = (as_list(row, "The levels of a value") for row in as_list(rows, ROWS))
        table = [tuple(text(cell).strip() for cell in row) for row in cells if row]
        if repeated := list_repeated(row[0] for row in table):
            raise SchemaError(
                f"The value {quoted(repeated[0])} has two lines in the hierarchy; give each value "
                "one line."
            )
        return cls({row[0]: row for row in table})

    @classmethod
    def intervals(
        cls, values: Iterable[float], widths: Sequence[float], *, origin: float = 0
    ) -> Hierarchy:
        """Group numbers into intervals of growing width; each width must be a multiple of the last.

        Where numbers, widths and origin are whole, intervals are closed, such as ``[20, 24]``; else
        half-open, ``[20, 25)``, and do not hold their upper end.
        """
        given = as_list(values, "The values to group")
        widths = as_list(widths, "The widths")
        with guard("The values to group", SchemaError):
            numbers = sorted({exact_fraction(value, "The value to group") for value in given})
        steps = [exact_fraction(width, "The width") for width in widths]
        if not numbers or any(step <= 0 for step in steps):
            raise SchemaError(
                f"Intervals need at least one number and widths above 0; got {len(numbers)} "
                f"numbers and widths {list(widths)}."
            )
        for small, large in pairwise(steps):
            if large % small:
                raise SchemaError(
                    f"Width {large} is not a multiple of width {small}, so an interval would have "
                    "two parents; choose widths such as 5, 10, 20."
                )
        start = exact_fraction(origin, "The origin")
        whole = all(number.denominator == 1 for number in (*numbers, *steps, start))
        rows = []
        for number in numbers:
            row = [text(number)]
            for step in steps:
                low = (number - start) // step * step + start
                end = f"{text(low + step - 1)}]" if whole else f"{text(low + step)})"
                row.append(f"[{text(low)}, {end}")
                if "/" in row[-1]:
                    raise SchemaError(
                        f"Intervals of width {text(step)} end at {row[-1][1:-1]}, which no decimal "
                        "number writes; choose an origin and widths such as 0.25, 0.5, 1."
                    )
            rows.append([*row, "*"])
        return cls.of_rows(rows)

    @classmethod
    def prefixes(cls, values: Iterable[Any], lengths: Sequence[int] | None = None) -> Hierarchy:
        """Group codes by their first letters: ``47677``, ``4767*``, ``476**`` ... ``*``."""
        codes = sorted({text(value) for value in as_list(values, "The codes to group")})
        sizes = {len(code) for code in codes}
        if len(sizes) != 1:
            raise SchemaError(
                f"Prefixes need codes of one length; got lengths {sorted(sizes)}. Pad the short "
                "ones (a ZIP code read as a number loses its leading zeros)."
            )
        size = sizes.pop()
        kept = [*range(1, size)] if lengths is None else as_list(lengths, "The prefix lengths")
        if not all(isinstance(one, (int, np.integer)) and 0 < one < size for one in kept):
            raise SchemaError(
                f"Prefix lengths {quoted(kept)} do not fit codes of {size} letters; choose whole "
                f"numbers from 1 to {size - 1}."
            )
        kept = sorted(set(kept), reverse=True)
        return cls.of_rows(
            [c, *(c[:length] + "*" * (size - length) for length in kept), "*"] for c in codes
        )

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
        return self._order[slice(*self.span(node))]

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
    table, nodes = np.array(flat, np.intp).reshape(-1, depth), len(numbers)
    parent = _find_parents(table, nodes)
    if parent is None:
        refuse_levels(levels)
    # the nodes of each row from the root down, each once, then the value again and again
    down, steps = table[:, ::-1], np.zeros(table.shape, np.intp)
    np.cumsum(down[:, 1:] != down[:, :-1], axis=1, out=steps[:, 1:])
    paths = np.repeat(table[:, :1], depth, axis=1)
    np.put_along_axis(paths, steps, down, axis=1)
    # a node ranks by the row in which it stands first, which puts siblings in declared order
    rank, rows = np.full(nodes, len(table), np.intp), np.arange(len(table))
    for column in table.T:
        np.minimum.at(rank, column, rows)
    order = np.lexsort(rank[paths].T[::-1])
    first, last = np.zeros(nodes, np.intp), np.zeros(nodes, np.intp)
    for column in paths[order].T:
        first[column[::-1]] = rows[::-1]
        last[column] = rows + 1
    return Shape(tuple(numbers), numbers, table[order, 0], parent, first, last)


def _find_parents(table: Rows, nodes: int) -> Rows | None:
    """The node above each; None where the rows are no tree."""
    root = table[0, -1]
    below, above = table[:, :-1].ravel(), table[:, 1:].ravel()
    moved = below != above
    below, above = below[moved], above[moved]
    parent = np.full(nodes, -1, np.intp)
    parent[below] = above
    one_root = (table[:, -1] == root).all() and parent[root] == -1
    leaves_at_the_end = not np.isin(table[:, 0], above).any()
    one_parent = np.array_equal(parent[below], above)
    return parent if one_root and one_parent and leaves_at_the_end else None


Levels: TypeAlias = dict[str, tuple[str, ...]]
Nested: TypeAlias = "Mapping[Any, Nested] | Iterable[Any] | None"


def check_levels(levels: Mapping[Any, Sequence[Any]]) -> Levels:
    """Read the rows as texts, all of one length, each beginning with its value."""
    if not isinstance(levels, Mapping):
        raise SchemaError(
            f"The levels of a hierarchy were given as {quoted(levels)}; expected a dictionary of "
            "lists by value (Hierarchy.of takes nested dictionaries)."
        )
    found = name_keys(levels, "The levels of a hierarchy")
    found = {
        leaf: tuple(map(text, as_list(row, "The levels of a value"))) for leaf, row in found.items()
    }
    if not found:
        raise SchemaError("A hierarchy needs at least one value; none was given.")
    depth = max(map(len, found.values()))
    for leaf, row in found.items():
        if len(row) != depth or not row:
            raise SchemaError(
                f"The value {quoted(leaf)} has {len(row)} levels where others have {depth}; give "
                "every value as many."
            )
        if row[0] != leaf:
            raise SchemaError(
                f"The levels of {quoted(leaf)} begin with {quoted(row[0])}; begin with the value."
            )
    return found


def refuse_levels(levels: Levels) -> NoReturn:
    """Say why rows of levels are no tree: the first fault that a walk from value to root meets."""
    for leaf, row in levels.items():
        changes = [node for node, above in pairwise(row) if node != above] + [row[-1]]
        if again := list_repeated(changes):
            raise SchemaError(
                f"The levels of {quoted(leaf)} come back to {quoted(again[0])}; every group must "
                "lie above the one before it."
            )
    roots = list(dict.fromkeys(row[-1] for row in levels.values()))
    if len(roots) > 1:
        raise SchemaError(
            f"The hierarchy ends in {len(roots)} roots ({listed(roots)}); give all values one, "
            "such as '*'."
        )
    parents: dict[str, str | None] = {}
    for row in levels.values():
        path = list(dict.fromkeys(row))
        for node, above in zip(path, [*path[1:], None], strict=True):
            if parents.setdefault(node, above) != above:
                raise SchemaError(
                    f"The node {quoted(node)} has two parents, {quoted(parents[node])} and "
                    f"{quoted(above)}; give it one, or give the two nodes different names."
                )
    both = next(leaf for leaf in levels if leaf in set(parents.values()))
    raise SchemaError(
        f"{quoted(both)} names both a value and a group of values; give the group another name."
    )


def nested_levels(nested: Nested) -> Levels:
    """Flatten nested dictionaries into levels; a short branch is filled up at its value."""
    if not isinstance(nested, Mapping) or not nested:
        raise SchemaError(
            f"A hierarchy was given as {type(nested).__name__}; expected nested dictionaries "
            "with one root, such as {'any': {'group': ['value', ...]}}."
        )
    with guard("The hierarchy", SchemaError):
        paths = _walk_paths({"*": nested} if len(nested) > 1 else nested, ())
    if repeated := list_repeated(path[-1] for path in paths):
        raise SchemaError(
            f"The value {quoted(repeated[0])} stands in two places of the hierarchy, so it would "
            "have two parents; keep it in one of them."
        )
    depth = max(map(len, paths), default=0)
    return {p[-1]: (p[-1],) * (depth - len(p)) + p[::-1] for p in paths}


def _walk_paths(nested: Nested, above: tuple[str, ...]) -> list[tuple[str, ...]]:
    if isinstance(nested, Mapping):
        parts = (_walk_paths(below, (*above, text(name))) for name, below in nested.items())
        return [path for part in parts for path in part] or [above]
    alone = isinstance(nested, str) or not isinstance(nested, Iterable)
    names = () if nested is None else [nested] if alone else nested
    return [(*above, text(name)) for name in names] or [above]


def as_list(given: Any, what: str) -> list[Any]:
    """Take what was given as a list; refuse a single value."""
    alone = isinstance(given, str) or getattr(given, "ndim", 1) == 0
    if alone or not isinstance(given, Iterable):
        raise SchemaError(f"{what} were given as {quoted(given)}; expected a list of them.")
    return list(given)


DIGITS = 15  # the decimal digits that every binary float keeps


def check_weights(weights: Mapping[Any, Any], levels: Levels) -> dict[str, Fraction]:
    """Read the weights as fractions, one for each value, none negative and not all of them 0."""
    if not isinstance(weights, Mapping):
        raise SchemaError(
            f"The weights of a hierarchy were given as {quoted(weights)}; expected a dictionary of "
            "numbers by value."
        )
    if not weights:
        return {}
    named = name_keys(weights, "The weights of a hierarchy")
    found = {leaf: exact_weight(weight, leaf) for leaf, weight in named.items()}
    unknown = [leaf for leaf in found if leaf not in levels]
    lacking = [leaf for leaf in levels if leaf not in found]
    if unknown or lacking:
        raise SchemaError(
            f"Weights must be given for the values of the hierarchy, all of them; unknown: "
            f"{listed(unknown) or 'none'}; without weight: {listed(lacking) or 'none'}."
        )
    bad = [leaf for leaf, weight in found.items() if weight < 0]
    if bad:
        raise SchemaError(f"Weights must be at least 0; those of {listed(bad)} are not.")
    if not any(found.values()):
        raise SchemaError(
            f"The weights of all {len(found)} values are 0; give at least one value a weight "
            "above 0."
        )
    return found


def exact_weight(weight: object, leaf: str) -> Fraction:
    """One weight; a float that stands for no short decimal is refused, since it was computed."""
    found = exact_fraction(weight, f"The weight of {quoted(leaf)}", field=leaf)
    digits = len(str(weight).split("e")[0].lstrip("-0.").replace(".", ""))
    if isinstance(weight, float) and digits > DIGITS:
        near = found.limit_denominator(1000)
        raise SchemaError(
            f"The weight of {quoted(leaf)} was given as {weight!r}, a binary float that only comes "
            f"near what was meant; give it exactly, such as Fraction({near.numerator}, "
            f"{near.denominator}) or the text '{near}'.",
            field=leaf,
            value=weight,
        )
    return found


def cumulate_weights(weights: Mapping[str, Fraction], order: tuple[str, ...]) -> list[int]:
    """Sum up the weights of the first values, as whole numbers over one denominator."""
    if not weights:
        return list(range(len(order) + 1))
    unit = lcm(*(weight.denominator for weight in weights.values()))
    parts = [weights[leaf].numerator * (unit // weights[leaf].denominator) for leaf in order]
    return list(accumulate(parts, initial=0))
