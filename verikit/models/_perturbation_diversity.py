"""Perturbation diversity: how many equally likely changes a redrawing of values amounts to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, exp, log

import numpy as np

from verikit._support.arrays import Floats
from verikit.errors import SchemaError
from verikit.release import Probabilities, Redraw, TableRelease, redraw_of, whole_records
from verikit.table import Microdata, diversity, shares_of, single_codes

__all__ = ["PerturbationDiversity", "perturbation_diversity"]


@dataclass(frozen=True, slots=True, repr=False)
class PerturbationDiversity:
    """How varied the random changes of a record are, which is no chance of guessing it.

    Parameters
    ----------
    value
        As many equally likely changes as there would be: the exponential of their entropy.
    most
        The largest value any probabilities give, where one attribute is changed; else the value.
    unchanged
        The share of records to expect whose values are all drawn as they were: to guess "nothing
        changed" is right that often.
    diversities
        As how many equally frequent values each attribute is.
    probabilities
        How likely each attribute is to be drawn anew.
    """

    value: float
    most: float
    unchanged: float
    diversities: Mapping[str, float]
    probabilities: Mapping[str, float]

    def __repr__(self) -> str:
        return (
            f"perturbation diversity {self.value:.4g}, at most {self.most:.4g}; no chance of "
            f"guessing: a share of {self.unchanged:.2g} of the records stays as it was"
        )


def perturbation_diversity(
    table: Microdata | TableRelease, *, changed: int = 1, probabilities: Probabilities = None
) -> PerturbationDiversity:
    """Measure how varied a random redrawing is, which the paper calls probabilistic anonymity.

    Parameters
    ----------
    table
        The original; or a release of `verikit.mask.randomize`, whose published numbers are used in
        place of the other arguments and whose columns show about the shares of the original.
    changed
        How many quasi-identifiers of each record are drawn anew.
    probabilities
        How likely each is the one, or ``"equal"``; None takes those that give the most.

    Returns
    -------
    PerturbationDiversity
        The value, the most possible, and beside them how many records stay as they were.

    Raises
    ------
    SchemaError
        If there is no quasi-identifier or no record, or values are missing.
    RecordError
        If so many cannot be changed, or probabilities do not add up to 1.

    Notes
    -----
    The paper takes one over this value for the chance that somebody guesses the original values.
    It is not: guessing that nothing changed is right more often, as drawn values may be the old
    ones. For equal probabilities the value is always m times the mean of the diversities, not
    "usually" above it. Several changed attributes are our own extension of formula (1).

    References
    ----------
    [YQ]_ Proposition 7, formulas (1) and (3)

    Examples
    --------
    >>> import verikit as vk
    >>> found = perturbation_diversity(vk.published("yq_figure5"))
    >>> perturbation_diversity(vk.load("yq_figure1"), probabilities="equal")
    perturbation diversity 11.3, at most 11.45; no chance of guessing: a share of 0.32 of the
    records stays as it was
    """
    if not (isinstance(table, Microdata) or whole_records(table)) or not len(table):
        raise SchemaError(
            f"perturbation_diversity was given {type(table).__name__}; expected Microdata or a "
            "release of one table, with at least one record."
        )
    names = [column.name for column in table.schema.quasi]
    shares, own = {}, []
    for name in names:
        codes, found = single_codes(table.frame[name], name, "the table")
        shares[name] = shares_of(codes, len(found))
        own.append(shares[name][codes])
    several = {name: diversity(share) for name, share in shares.items()}
    total = sum(several.values())
    told = redraw_of(table)
    if told is None:
        told = Redraw.of(names, changed, probabilities)
        if probabilities is None and told.changed == 1:
            told = Redraw(tuple(names), 1, tuple(part / total for part in several.values()))
    value = _value(told, list(several.values()))
    return PerturbationDiversity(
        value,
        total if told.changed == 1 else value,
        _unchanged(told, own),
        several,
        {n: w * told.changed for n, w in zip(names, told.weights, strict=True)},
    )


def _value(told: Redraw, diversities: list[float]) -> float:
    """The exponential of the entropy of which attributes are drawn anew, and what they become."""
    if told.changed == 1:
        pairs = zip(told.weights, diversities, strict=True)
        return exp(sum(p * (log(d) - log(p)) for p, d in pairs if p > 0))
    m = len(told.names)
    drawn = sum(map(log, diversities)) * told.changed / m
    return comb(m, told.changed) * exp(drawn)


def _unchanged(told: Redraw, own: Sequence[Floats]) -> float:
    """The chance that all drawn values are the old ones, on average over the records."""
    if told.changed == 1:
        return sum(p * float(share.mean()) for p, share in zip(told.weights, own, strict=True))
    sums = [np.ones(len(own[0])), *(np.zeros(len(own[0])) for _ in range(told.changed))]
    for share in own:  # the sums of all products of so many different factors
        for size in range(told.changed, 0, -1):
            sums[size] += share * sums[size - 1]
    return float(sums[told.changed].mean()) / comb(len(own), told.changed)
