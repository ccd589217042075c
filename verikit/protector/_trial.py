"""One masking, measured: what it protects and what it costs, in the same units for every method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, cast, get_args

import numpy as np

from verikit._support.requests import one_of, share, whole
from verikit.errors import RecordError
from verikit.intruder import Attack, link
from verikit.mask import METHODS, Knob
from verikit.protector._audit import audit
from verikit.protector._correct_links import expected_links
from verikit.ranks.spread import Criterion
from verikit.release import Masked, TableRelease
from verikit.table import Microdata
from verikit.utility import rank_correlation, residual_noise
from verikit.words import listed


@dataclass(frozen=True, slots=True)
class Goal:
    """What masking must reach.

    Parameters
    ----------
    distance, diversity, criterion
        The places each value must be moved, and the diversity within them, as `audit` takes them.
    share
        The share of records that must keep both.
    links
        How many correct links are allowed at most.
    attack
        The attack whose links are counted.

    Examples
    --------
    >>> Goal(links=3, attack="maximum_rank").links
    3
    """

    distance: int | Mapping[str, int] | None = None
    diversity: float | Mapping[str, float] | None = None
    criterion: str | Criterion = "variance"
    share: float = 1.0
    links: int | None = None
    attack: Attack = "strongest"

    def __post_init__(self) -> None:
        """Refuse a goal that asks for nothing, or for what no number can be."""
        if self.distance is None and self.diversity is None and self.links is None:
            raise RecordError("The goal asks for nothing; give a distance, a diversity or links.")
        share(self.share, "share", above=True)
        one_of(self.attack, "attack", get_args(Attack))
        if self.links is not None:
            whole(self.links, "links", least=0)

    def met(self, links: int, kept: float) -> bool:
        """Whether so many correct links, and such a share of records kept safe, are enough."""
        return (self.links is None or links <= self.links) and kept >= self.share - 1e-12


class Trial(NamedTuple):
    """One masking and what came of it.

    Parameters
    ----------
    method, amount
        The method, and the value of its parameter.
    places
        How far values moved on average, as a share of the number of records.
    links
        The correct links of the goal's attack, rounded down; one of k candidates counts 1/k.
    rank_correlation
        How much of the order of the columns was kept, on average.
    residual_noise
        The noise that no permutation explains, in standard deviations, on average.
    kept
        The share of records that keep the required distance and diversity.
    met
        Whether the goal is met.
    not_compared
        The published columns that the attack did not go by.
    """

    method: str
    amount: float
    places: float
    links: int
    rank_correlation: float
    residual_noise: float
    kept: float
    met: bool
    not_compared: tuple[str, ...] = ()


def require_knob(method: str) -> Knob:
    """Look up the parameter that sets how much a method masks, or refuse the method."""
    knobs = METHODS.knobs()
    if method not in knobs:
        raise RecordError(
            f"The method was given as {method!r}; its amount of masking can be chosen for "
            f"{listed(knobs, 12)}.",
            field="method",
            value=method,
        )
    return knobs[method]


def measure_masking(
    data: Microdata, masked: Masked, method: str, amount: float, goal: Goal
) -> Trial:
    """Measure what a masking protects and what it costs."""
    release, key = masked
    report = audit(
        data,
        release,
        key,
        distance=goal.distance,
        diversity=goal.diversity,
        criterion=goal.criterion,
        subject_view=False,
    )
    found = link(data, cast("TableRelease", release), attack=goal.attack)
    undone = key.undo(cast("TableRelease", release))
    kept = 1 - float(report.failed.any(axis=1).mean())
    links = int(expected_links(found, key) + 1e-9)
    return Trial(
        method,
        amount,
        float(report.protector.mean() / len(data)),
        links,
        float(rank_correlation(data, undone).mean()),
        _mean_residual(data, undone),
        kept,
        goal.met(links, kept),
        found.not_compared,
    )


def _mean_residual(data: Microdata, undone: Microdata) -> float:
    """The mean size of the residual noise over the numeric columns, in standard deviations."""
    if not any(column.kind == "numeric" for column in undone.schema):
        return 0.0
    noise = residual_noise(data, undone, seed=0).residual
    spread = np.array([data.scores(name).std() for name in noise.columns])
    return float((noise.abs().mean() / np.where(spread > 0, spread, 1)).mean())
