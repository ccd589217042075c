"""Weights of the values of a tree: exact fractions over one denominator, summed from the left."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate
from math import lcm
from typing import Any

from verikit.errors import SchemaError, quoted
from verikit.hierarchy._levels import Levels, exact
from verikit.words import listed, text

__all__ = ["checked_weights", "exact_weight", "sums"]

DIGITS = 15  # the decimal digits that every binary float keeps


def checked_weights(weights: Mapping[Any, Any], levels: Levels) -> dict[str, Fraction]:
    """The weights as fractions, one for each value, none negative and not all of them 0."""
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
    found = exact(weight, f"The weight of {quoted(leaf)}")
    digits = len(str(weight).split("e")[0].lstrip("-0.").replace(".", ""))
    if isinstance(weight, float) and digits > DIGITS:
        near = found.limit_denominator(1000)
        raise SchemaError(
            f"The weight of {quoted(leaf)} was given as {weight!r}, a binary float that only comes "
            f"near what was meant; give it exactly, such as Fraction({near.numerator}, "
            f"{near.denominator}) or the text '{near}'."
        )
    return found


def sums(weights: Mapping[str, Fraction], order: tuple[str, ...]) -> list[int]:
    """The weights of the first values in order, as whole numbers over one denominator."""
    if not weights:
        return list(range(len(order) + 1))
    unit = lcm(*(weight.denominator for weight in weights.values()))
    parts = [weights[leaf].numerator * (unit // weights[leaf].denominator) for leaf in order]
    return list(accumulate(parts, initial=0))
