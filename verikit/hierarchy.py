"""One tree type for value generalization, target weights and the order of categories."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from verikit._files import check_path, open_regular
from verikit._guard import guard
from verikit.errors import FormatError, RecordError, SchemaError, quoted, shortened

__all__ = ["Hierarchy", "listed", "text"]

Nested: TypeAlias = "Mapping[Any, Nested] | Iterable[Any] | None"


def text(value: object) -> str:
    """Write a value as the text that names it: ``2138.0`` and ``2138`` are both ``"2138"``.

    Examples
    --------
    >>> text(2138.0), text("nurse"), text(2.5), text(True)
    ('2138', 'nurse', '2.5', 'True')
    """
    if isinstance(value, (str, bool, np.bool_)):
        return str(value)
    try:
        found = float(value)  # type: ignore[arg-type]
        whole = math.isfinite(found) and found == int(value)  # type: ignore[call-overload]
        return str(int(value)) if whole else str(found)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        return _written(value)


def _written(value: object) -> str:
    try:
        return str(value)
    except ValueError:  # a whole number with more digits than Python writes out
        return hex(value)  # type: ignore[arg-type]


def listed(values: Iterable[object], most: int = 5) -> str:
    """Name values in a sentence, the first few of many.

    Examples
    --------
    >>> listed(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    known = list(values)
    names = [quoted(text(value)) for value in known[:most]]
    while len(names) > 1 and sum(map(len, names)) > 80 + 20 * most:
        names.pop()
    rest = len(known) - len(names)
    return ", ".join(names) + (f" and {rest} more" if rest > 0 else "")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hierarchy:
    """A tree over the values of a column: the values are its leaves, the groups its inner nodes.

    Parameters
    ----------
    levels
        For each value its name on every level, from the value itself (level 0) to the root.
    weights
        How much each value counts in `share`; one each where none is given.

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
    _parents: Mapping[str, str | None] = field(init=False)
    _leaves: Mapping[str, tuple[str, ...]] = field(init=False)

    def __post_init__(self) -> None:
        """Check that the levels form one tree, and keep its parents and leaves at hand."""
        levels = _checked_levels(self.levels)
        parents = _parents(levels)
        weights = _checked_weights(self.weights, levels)
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "_parents", parents)
        with guard("The hierarchy", SchemaError):
            object.__setattr__(self, "_leaves", _leaves(levels, parents))

    def __repr__(self) -> str:
        return f"Hierarchy({len(self.levels)} values, {self.height} levels above them)"

    # -- where hierarchies come from ------------------------------------------------------------

    @classmethod
    def of(cls, nested: Nested, weights: Mapping[Any, Any] | None = None) -> Hierarchy:
        """Read a tree from nested dictionaries whose innermost parts list the values.

        Branches of unequal depth are filled up at the value: it stands for itself until its
        group begins.
        """
        if not isinstance(nested, Mapping) or not nested:
            raise SchemaError(
                f"A hierarchy was given as {type(nested).__name__}; expected nested dictionaries "
                "with one root, such as {'any': {'group': ['value', ...]}}."
            )
        if len(nested) > 1:
            nested = {"*": nested}
        with guard("The hierarchy", SchemaError):
            paths = list(_paths(nested, ()))
        repeated = _first_repeated(path[-1] for path in paths)
        if repeated is not None:
            raise SchemaError(
                f"The value {quoted(repeated)} stands in two places of the hierarchy, so it would "
                "have two parents; keep it in one of them."
            )
        depth = max(len(path) for path in paths)
        levels = {p[-1]: (p[-1],) * (depth - len(p)) + p[::-1] for p in paths}
        return cls(levels, weights or {})

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
                f"The hierarchy file {quoted(str(path))} cannot be read: {reason}."
            ) from error
        return cls.of_rows(rows)

    @classmethod
    def of_rows(cls, rows: Iterable[Sequence[Any]]) -> Hierarchy:
        """Read a tree from rows of levels, each from a value to the root."""
        table = [
            tuple(text(cell).strip() for cell in _several(row, "The levels of a value"))
            for row in _several(rows, "The rows of a hierarchy")
        ]
        repeated = _first_repeated(row[0] for row in table if row)
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
        given = _several(values, "The values to group")
        widths = _several(widths, "The widths")
        with guard("The values to group", SchemaError):
            numbers = sorted({float(_exact(value, "The value to group")) for value in given})
        steps = [_exact(width, "The width") for width in widths]
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
        start = _exact(origin, "The origin")
        whole = all(n.is_integer() for n in numbers) and all(s.denominator == 1 for s in steps)
        rows = [
            (text(n), *(_interval(Fraction(str(n)), step, start, whole) for step in steps), "*")
            for n in numbers
        ]
        return cls.of_rows(rows)

    @classmethod
    def prefixes(cls, values: Iterable[Any], lengths: Sequence[int] | None = None) -> Hierarchy:
        """Group codes by their first letters: ``47677``, ``4767*``, ``476**`` ... ``*``."""
        codes = sorted({text(value) for value in _several(values, "The codes to group")})
        sizes = {len(code) for code in codes}
        if len(sizes) != 1:
            raise SchemaError(
                f"Prefixes need codes of one length; got lengths {sorted(sizes)}. Pad the short "
                "ones (a ZIP code read as a number loses its leading zeros)."
            )
        size = sizes.pop()
        kept = range(size - 1, 0, -1) if lengths is None else _lengths(lengths)
        if any(not 0 < length < size for length in kept):
            raise SchemaError(
                f"Prefix lengths {list(kept)} do not fit codes of {size} letters; choose "
                f"lengths from 1 to {size - 1}."
            )
        return cls.of_rows(
            [(c, *(c[:length] + "*" * (size - length) for length in kept), "*") for c in codes]
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

    @property
    def nodes(self) -> tuple[str, ...]:
        """Every node, values first."""
        return (*self.levels, *(node for node in self._parents if node not in self.levels))

    def parent(self, node: object) -> str | None:
        """The group right above a node; None for the root."""
        return self._parents[self._known(node)]

    def leaves(self, node: object) -> tuple[str, ...]:
        """The values below a node, in order; a value is its own leaf."""
        return self._leaves[self._known(node)]

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
        names = [self._known(node)]
        while (above := self._parents[names[-1]]) is not None:
            names.append(above)
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
        weigh = lambda name: self.weights.get(name, Fraction(1))  # noqa: E731
        return sum(map(weigh, self.leaves(node)), Fraction(0)) / sum(map(weigh, self.levels))

    def order(self) -> tuple[str, ...]:
        """The values from left to right: depth first, siblings as declared."""
        return self._leaves[self.root]

    def missing(self, values: Iterable[object]) -> tuple[str, ...]:
        """The values that are no leaves of this tree, each once."""
        return tuple(name for name in dict.fromkeys(map(text, values)) if name not in self.levels)

    def _known(self, node: Hashable | object) -> str:
        name = text(node)
        if name not in self._parents:
            raise RecordError(
                f"The hierarchy has no node {quoted(name)}; its values are {listed(self.levels)}."
            )
        return name


def _paths(nested: Nested, above: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    if isinstance(nested, Mapping) and nested:
        for name, below in nested.items():
            yield from _paths(below, (*above, text(name)))
    elif nested is None or isinstance(nested, str) or not isinstance(nested, Iterable):
        yield above if nested is None else (*above, text(nested))
    else:
        names = list(nested)
        yield from ((*above, text(name)) for name in names) if names else (above,)


def _several(given: Any, what: str) -> list[Any]:
    alone = isinstance(given, str) or getattr(given, "ndim", 1) == 0
    if alone or not isinstance(given, Iterable):
        raise SchemaError(f"{what} were given as {quoted(given)}; expected a list of them.")
    return list(given)


def _lengths(given: Sequence[int]) -> list[int]:
    """The lengths of prefixes, each once, the longest first."""
    lengths = _several(given, "The prefix lengths")
    wrong = [length for length in lengths if not isinstance(length, (int, np.integer))]
    if wrong:
        raise SchemaError(
            f"A prefix length was given as {quoted(wrong[0])}; expected a whole number."
        )
    return sorted(set(lengths), reverse=True)


def _first_repeated(names: Iterable[str]) -> str | None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _checked_levels(levels: Mapping[Any, Sequence[Any]]) -> dict[str, tuple[str, ...]]:
    if not isinstance(levels, Mapping):
        raise SchemaError(
            f"The levels of a hierarchy were given as {quoted(levels)}; expected a dictionary of "
            "lists by value (Hierarchy.of takes nested dictionaries)."
        )
    checked = {
        text(leaf): tuple(map(text, _several(row, "The levels of a value")))
        for leaf, row in levels.items()
    }
    if not checked:
        raise SchemaError("A hierarchy needs at least one value; none was given.")
    depth = max(len(row) for row in checked.values())
    for leaf, row in checked.items():
        if len(row) != depth or not row:
            raise SchemaError(
                f"The value {quoted(leaf)} has {len(row)} levels where others have {depth}; give "
                "every value as many."
            )
        if row[0] != leaf:
            raise SchemaError(
                f"The levels of {quoted(leaf)} begin with {quoted(row[0])}; begin with the value."
            )
        changes = [node for node, above in pairwise(row) if node != above] + [row[-1]]
        repeated = _first_repeated(changes)
        if repeated is not None:
            raise SchemaError(
                f"The levels of {quoted(leaf)} come back to {quoted(repeated)}; every group must "
                "lie above the one before it."
            )
    roots = list(dict.fromkeys(row[-1] for row in checked.values()))
    if len(roots) > 1:
        raise SchemaError(
            f"The hierarchy ends in {len(roots)} roots ({listed(roots)}); give all values one, "
            "such as '*'."
        )
    return checked


def _parents(levels: Mapping[str, tuple[str, ...]]) -> dict[str, str | None]:
    parents: dict[str, str | None] = {}
    for row in levels.values():
        path = list(dict.fromkeys(row))
        for node, above in zip(path, [*path[1:], None], strict=True):
            if parents.setdefault(node, above) != above:
                raise SchemaError(
                    f"The node {quoted(node)} has two parents, {quoted(parents[node])} and "
                    f"{quoted(above)}; give it one, or give the two nodes different names."
                )
    groups = set(parents.values())
    for leaf in levels:
        if leaf in groups:
            raise SchemaError(
                f"{quoted(leaf)} names both a value and a group of values; give the group another "
                "name."
            )
    return parents


def _leaves(
    levels: Mapping[str, tuple[str, ...]], parents: Mapping[str, str | None]
) -> dict[str, tuple[str, ...]]:
    children: dict[str, dict[str, None]] = {node: {} for node in parents}
    for leaf, row in levels.items():
        path = list(dict.fromkeys((leaf, *row)))
        for node, above in pairwise(path):
            children[above][node] = None
    found: dict[str, tuple[str, ...]] = {}

    def gather(node: str) -> tuple[str, ...]:
        below = children[node]
        found[node] = tuple(v for child in below for v in gather(child)) if below else (node,)
        return found[node]

    gather(next(iter(levels.values()))[-1])
    return found


def _checked_weights(
    weights: Mapping[Any, Any], levels: Mapping[str, tuple[str, ...]]
) -> dict[str, Fraction]:
    if not isinstance(weights, Mapping):
        raise SchemaError(
            f"The weights of a hierarchy were given as {quoted(weights)}; expected a dictionary of "
            "numbers by value."
        )
    if not weights:
        return {}
    exact = {
        text(leaf): _exact(w, f"The weight of {quoted(text(leaf))}") for leaf, w in weights.items()
    }
    unknown = [leaf for leaf in exact if leaf not in levels]
    lacking = [leaf for leaf in levels if leaf not in exact]
    if unknown or lacking:
        raise SchemaError(
            f"Weights must be given for the values of the hierarchy, all of them; unknown: "
            f"{listed(unknown) or 'none'}; without weight: {listed(lacking) or 'none'}."
        )
    bad = [leaf for leaf, weight in exact.items() if weight <= 0]
    if bad:
        raise SchemaError(f"Weights must be above 0; those of {listed(bad)} are not.")
    return exact


def _exact(value: object, what: str) -> Fraction:
    try:
        return Fraction(text(value) if isinstance(value, int) else str(value))
    except (ValueError, ZeroDivisionError):
        raise SchemaError(
            f"{what} was given as {quoted(value)}; expected a finite number."
        ) from None


def _interval(number: Fraction, width: Fraction, origin: Fraction, whole: bool) -> str:
    low = (number - origin) // width * width + origin
    high = low + width
    if whole:
        return f"[{text(float(low))}, {text(float(high - 1))}]"
    return f"[{text(float(low))}, {text(float(high))})"
