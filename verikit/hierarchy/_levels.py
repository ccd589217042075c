"""Rows of levels, from each value to the root: where they come from, and the weights of values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from math import lcm
from typing import Any, NoReturn, TypeAlias

import numpy as np

from verikit._support.guard import guard
from verikit.errors import SchemaError, quoted
from verikit.words import listed, text

Levels: TypeAlias = dict[str, tuple[str, ...]]
Nested: TypeAlias = "Mapping[Any, Nested] | Iterable[Any] | None"


def check_levels(levels: Mapping[Any, Sequence[Any]]) -> Levels:
    """Read the rows as texts, all of one length, each beginning with its value."""
    if not isinstance(levels, Mapping):
        raise SchemaError(
            f"The levels of a hierarchy were given as {quoted(levels)}; expected a dictionary of "
            "lists by value (Hierarchy.of takes nested dictionaries)."
        )
    found = {
        text(leaf): tuple(map(text, as_list(row, "The levels of a value")))
        for leaf, row in levels.items()
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
        again = find_repeated(changes)
        if again is not None:
            raise SchemaError(
                f"The levels of {quoted(leaf)} come back to {quoted(again)}; every group must "
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


def find_repeated(names: Iterable[str]) -> str | None:
    """The first name that comes a second time."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def nested_levels(nested: Nested) -> Levels:
    """Flatten nested dictionaries into levels; a short branch is filled up at its value."""
    if not isinstance(nested, Mapping) or not nested:
        raise SchemaError(
            f"A hierarchy was given as {type(nested).__name__}; expected nested dictionaries "
            "with one root, such as {'any': {'group': ['value', ...]}}."
        )
    with guard("The hierarchy", SchemaError):
        paths = list(_walk_paths({"*": nested} if len(nested) > 1 else nested, ()))
    repeated = find_repeated(path[-1] for path in paths)
    if repeated is not None:
        raise SchemaError(
            f"The value {quoted(repeated)} stands in two places of the hierarchy, so it would have "
            "two parents; keep it in one of them."
        )
    depth = max(map(len, paths), default=0)
    return {p[-1]: (p[-1],) * (depth - len(p)) + p[::-1] for p in paths}


def _walk_paths(nested: Nested, above: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    if isinstance(nested, Mapping) and nested:
        for name, below in nested.items():
            yield from _walk_paths(below, (*above, text(name)))
    elif nested is None or isinstance(nested, (str, Mapping)) or not isinstance(nested, Iterable):
        nothing = nested is None or isinstance(nested, Mapping)
        yield above if nothing else (*above, nested if isinstance(nested, str) else text(nested))
    else:
        names = list(nested)
        yield from ((*above, text(name)) for name in names) if names else (above,)


def interval_levels(
    values: Iterable[float], widths: Sequence[float], origin: float
) -> list[list[str]]:
    """Group numbers in intervals of growing width, as rows of levels."""
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
    whole = all(number.denominator == 1 for number in (*numbers, *steps))
    rows = []
    for number in numbers:
        row = [text(number)]
        for step in steps:
            low = (number - start) // step * step + start
            end = f"{text(low + step - 1)}]" if whole else f"{text(low + step)})"
            row.append(f"[{text(low)}, {end}")
        rows.append([*row, "*"])
    return rows


def prefix_levels(values: Iterable[Any], lengths: Sequence[int] | None) -> list[list[str]]:
    """Group codes of one length by their first letters, as rows of levels."""
    codes = sorted({text(value) for value in as_list(values, "The codes to group")})
    sizes = {len(code) for code in codes}
    if len(sizes) != 1:
        raise SchemaError(
            f"Prefixes need codes of one length; got lengths {sorted(sizes)}. Pad the short "
            "ones (a ZIP code read as a number loses its leading zeros)."
        )
    size = sizes.pop()
    kept: Sequence[int] = range(size - 1, 0, -1)
    if lengths is not None:
        given = as_list(lengths, "The prefix lengths")
        wrong = [length for length in given if not isinstance(length, (int, np.integer))]
        if wrong:
            raise SchemaError(
                f"A prefix length was given as {quoted(wrong[0])}; expected a whole number."
            )
        kept = sorted(set(given), reverse=True)
    if any(not 0 < length < size for length in kept):
        raise SchemaError(
            f"Prefix lengths {list(kept)} do not fit codes of {size} letters; choose "
            f"lengths from 1 to {size - 1}."
        )
    return [[c, *(c[:length] + "*" * (size - length) for length in kept), "*"] for c in codes]


def as_list(given: Any, what: str) -> list[Any]:
    """Take what was given as a list; refuse a single value."""
    alone = isinstance(given, str) or getattr(given, "ndim", 1) == 0
    if alone or not isinstance(given, Iterable):
        raise SchemaError(f"{what} were given as {quoted(given)}; expected a list of them.")
    return list(given)


def exact_fraction(value: object, what: str, *, field: str = "") -> Fraction:
    """Read a finite number as the fraction that its decimal digits say."""
    try:
        return Fraction(text(value) if isinstance(value, int) else str(value))
    except (ValueError, ZeroDivisionError):
        said = f"{what} was given as {quoted(value)}; expected a finite number."
        raise SchemaError(said, field=field or what, value=value) from None


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
    found = {text(leaf): exact_weight(weight, text(leaf)) for leaf, weight in weights.items()}
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
