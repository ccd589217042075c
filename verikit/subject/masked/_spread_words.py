"""Diversity in words, in the attribute's own unit: a variance is shown as a deviation."""

from __future__ import annotations

import numpy as np

from verikit.languages import localize_number, sentence_text
from verikit.ranks.spread import Criterion
from verikit.words import digits


def spread_text(value: float, criterion: Criterion, unit: str) -> str:
    """How much values differ, as a sentence says it.

    Examples
    --------
    >>> (
    ...     spread_text(25.0, Criterion("variance"), "years"),
    ...     spread_text(3.0, Criterion("distinct"), "years"),
    ... )
    ('± 5.00 years (standard deviation)', '3 different values')
    """
    if value == 0 and criterion.name in ("variance", "robust variance", "entropy"):
        return sentence_text("masked.spread-none")
    if "variance" in criterion.name:
        name = "deviation" if criterion.name == "variance" else "trimmed"
        return sentence_text(
            f"masked.spread-{name}", value=difference_text(value, criterion, unit)[2:]
        )
    return difference_text(value, criterion, unit)


def difference_text(value: float, criterion: Criterion, unit: str) -> str:
    """A measured diversity.

    Examples
    --------
    >>> (
    ...     difference_text(0.0001, Criterion("variance"), "mg"),
    ...     difference_text(0, Criterion("variance"), ""),
    ... )
    ('± 0.010 mg', '± 0.00')
    """
    unit = f" {unit}" if unit else ""
    if "variance" in criterion.name:
        return f"± {rounded_text(float(np.sqrt(value)))}{unit}"
    if criterion.name == "t-closeness":
        return sentence_text("masked.spread-unlike", value=rounded_text(value))
    if criterion.name == "entropy":
        return sentence_text("masked.spread-entropy", value=rounded_text(value))
    if criterion.name == "packing":
        return sentence_text(
            "masked.spread-packing",
            value=int(value),
            apart=localize_number(digits(float(criterion.apart or 0), 6)) + unit,
        )
    return sentence_text("masked.spread-distinct", value=int(value))


def required_text(value: float, criterion: Criterion, unit: str) -> str:
    """A required diversity; a variance as the deviation whose square it is.

    Examples
    --------
    >>> (
    ...     required_text(25, Criterion("variance"), "years"),
    ...     required_text(0.2, Criterion("t-closeness"), "years"),
    ... )
    ('± 5.00 years', '0.2')
    """
    return (
        difference_text(value, criterion, unit)
        if "variance" in criterion.name
        else localize_number(digits(value, 6))
    )


def rounded_text(value: float) -> str:
    """A number with two decimals, or with two digits where it is below 1.

    Examples
    --------
    >>> rounded_text(1234.567), rounded_text(0.01234), rounded_text(0)
    ('1,234.57', '0.012', '0.00')
    """
    decimals = 2 if value >= 1 or value <= 0 else 1 - int(np.floor(np.log10(value)))
    return localize_number(f"{value:,.{min(decimals, 12)}f}")
