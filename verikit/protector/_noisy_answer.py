"""Answers with noise that hides whether any one record is there: differential privacy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, sqrt
from typing import Literal, TypeAlias, get_args

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats
from verikit._support.requests import instance, number, one_of, within
from verikit._support.seed import generator
from verikit.errors import RecordError, SchemaError, quoted
from verikit.models import Guarantee, find_normal_delta, halve
from verikit.query import Query, evidence_of, read_query
from verikit.table import Microdata, require_microdata
from verikit.words import listed

Noise: TypeAlias = Literal["geometric", "laplace", "normal"]
UNIT = "one record more or less"
DRAWN = "noise that nobody else knows the seed of, and the limits being known without the table"
FLOATING = f"{DRAWN}; numbers of a computer are no real numbers, and their last digits may tell"
MOST_CELLS = 10**6


@dataclass(frozen=True, slots=True, repr=False)
class NoisyAnswer:
    """An answer with noise, and what it guarantees.

    Parameters
    ----------
    values
        What may be published: one number a cell.
    noise, scale
        How the noise is distributed, and its scale: of ``"normal"`` the standard deviation, else
        the sensitivity by epsilon.
    guarantee
        The guarantee.
    """

    values: pd.Series[float] = field(compare=False)
    noise: str
    scale: float
    guarantee: Guarantee

    @property
    def value(self) -> float:
        """The answer, where it is one number."""
        return float(self.values.iloc[0])

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise."""
        if self.noise == "geometric":
            share = exp(-1 / self.scale)
            return sqrt(2 * share) / (1 - share)
        return self.scale * (sqrt(2) if self.noise == "laplace" else 1)

    def __repr__(self) -> str:
        said = f"{self.value:g}" if len(self.values) == 1 else f"{len(self.values):,} counts"
        return f"{said}, each give or take {self.deviation:.3g} ({self.guarantee!r})"


def noisy_answer(
    query: Query | str,
    data: Microdata,
    *,
    epsilon: float,
    delta: float = 0.0,
    noise: Noise = "geometric",
    limits: Sequence[float] | None = None,
    seed: int,
) -> NoisyAnswer:
    """Answer a count or a sum with noise, so that no one record changes what is likely by much.

    Parameters
    ----------
    query
        A count, or a sum of a column: a `Query`, or a text in SQL.
    data
        The records.
    epsilon
        The most that the logarithm of the chance of an answer differs with one record more or less.
    delta
        For ``"normal"`` noise, by how much chances may differ beyond that; 0 for the others.
    noise
        ``"geometric"``: whole numbers, the discrete Laplace distribution; ``"laplace"``;
        ``"normal"``.
    limits
        For a sum, the lowest and the highest value that a record may have, as everybody knows
        without the table; values beyond count as these. Whole numbers for ``"geometric"`` noise,
        for which values are rounded.
    seed
        The secret randomness; another for each answer.

    Returns
    -------
    NoisyAnswer
        The answer, the noise, and the guarantee.

    Raises
    ------
    RecordError
        If something else is asked than a count or a sum, or epsilon, delta or limits do not fit.

    See Also
    --------
    verikit.models.add_guarantees : what several answers guarantee together

    References
    ----------
    C. Dwork, F. McSherry, K. Nissim, A. Smith: Calibrating noise to sensitivity in private data
    analysis. TCC 2006
    A. Ghosh, T. Roughgarden, M. Sundararajan: Universally utility-maximizing privacy mechanisms.
    STOC 2009, the geometric mechanism
    B. Balle, Y.-X. Wang: Improving the Gaussian mechanism for differential privacy. ICML 2018

    Notes
    -----
    One record changes a count by 1 at most, and a sum by the larger limit. Normal noise has the
    least deviation for which delta is enough, found by halving. How answers are asked is our own.

    Examples
    --------
    >>> import verikit as vk
    >>> found = noisy_answer("select count(*) from t", vk.load("people"), epsilon=1, seed=7)
    >>> found.noise, found.scale, round(found.deviation, 2), found.guarantee.epsilon
    ('geometric', 1.0, 1.36, 1.0)
    """
    asked = read_query(query)
    table = require_microdata(data, "noisy_answer")
    most = 1.0
    if asked.aggregate == "sum":
        low, high = _read_limits(limits, noise)
        name = str(asked.of)
        values = table.scores(name) if name in table.schema.names else np.empty(0)
        kept = np.clip(np.rint(values) if noise == "geometric" else values, low, high)
        table = Microdata(table.frame.assign(**{name: kept}), table.schema) if len(kept) else table
        most = max(abs(low), abs(high))
    elif asked.aggregate != "count":
        raise RecordError(
            f"noisy_answer was asked for {quoted(asked.aggregate)}; one record may change it "
            "however it likes, so ask for a count or a sum, or divide one by the other."
        )
    true = evidence_of(table).answer(asked).estimate
    return _add_noise(pd.Series([float(true)]), most, noise, (epsilon, delta), seed)


def noisy_counts(
    data: Microdata,
    names: Sequence[str],
    *,
    epsilon: float,
    delta: float = 0.0,
    noise: Noise = "geometric",
    seed: int,
) -> NoisyAnswer:
    """Count the records of each combination of values, with noise: a histogram.

    Parameters
    ----------
    data
        The records.
    names
        The columns; every combination of the values they hold is counted, also where none occurs.
    epsilon, delta, noise, seed
        As for `noisy_answer`; each record is in one cell, so that all counts cost epsilon once.

    Returns
    -------
    NoisyAnswer
        The counts by combination, the noise, and the guarantee.

    Raises
    ------
    SchemaError
        If a column is unknown or holds missing values, or there are too many combinations.
    RecordError
        If epsilon or delta do not fit.

    Notes
    -----
    Which values a column holds is told as it is and taken for known: it is named among the
    invariants. To ask a histogram so is our own. O(n + cells).

    Examples
    --------
    >>> import verikit as vk
    >>> found = noisy_counts(vk.load("yq_figure1"), ["Country"], epsilon=2, seed=7)
    >>> len(found.values), found.guarantee.invariants
    (4, ("which values 'Country' holds",))
    """
    table = require_microdata(data, "noisy_counts")
    wanted = [*instance(names, Sequence, "noisy_counts", "names of columns")]
    unknown = [name for name in wanted if name not in table.schema.names]
    if unknown or not wanted or isinstance(names, str):
        raise SchemaError(
            f"noisy_counts was asked for {quoted(names)}; expected a list of "
            f"{listed(table.schema.names, 12)}."
        )
    coded = [table.codes(name) for name in wanted]
    shape = [len(values) for _, values in coded]
    if any((codes < 0).any() for codes, _ in coded) or np.prod(shape, dtype=float) > MOST_CELLS:
        raise SchemaError(
            f"{listed(wanted, 12)} hold missing values or more than {MOST_CELLS:,} combinations; "
            "fill the gaps, or ask for fewer columns."
        )
    cells = np.ravel_multi_index([codes for codes, _ in coded], shape)
    index = pd.MultiIndex.from_product([values for _, values in coded], names=wanted)
    counts = pd.Series(np.bincount(cells, minlength=len(index)).astype(float), index=index)
    known = (f"which values {listed(wanted, 12)} {'holds' if len(wanted) == 1 else 'hold'}",)
    return _add_noise(counts, 1.0, noise, (epsilon, delta), seed, known)


def _read_limits(limits: Sequence[float] | None, noise: str) -> tuple[float, float]:
    if limits is None or isinstance(limits, str) or len(limits) != 2:
        raise RecordError.given(
            "limits", limits, "the lowest and the highest value of a record, such as [0, 120]"
        )
    low, high = (number(end, "limits", field="limits") for end in limits)
    if low > high or not (low or high) or (noise == "geometric" and (low % 1 or high % 1)):
        raise RecordError.given(
            "limits", limits, "the lower one first, not both 0, and whole for geometric noise"
        )
    return low, high


def _add_noise(
    true: pd.Series[float],
    most: float,
    noise: Noise,
    asked: tuple[float, float],
    seed: int,
    known: tuple[str, ...] = (),
) -> NoisyAnswer:
    """Add noise for answers that one record changes by so much in all."""
    one_of(noise, "noise", get_args(Noise))
    epsilon, delta = within(asked[0], "epsilon"), within(asked[1], "delta", 0, 1)
    if not epsilon or (noise == "normal") != (0 < delta < 1):
        raise RecordError(
            f"epsilon was given as {epsilon:g} and delta as {delta:g}; expected an epsilon above "
            "0, and a delta between 0 and 1 for normal noise, for which there must be one, and 0 "
            "for all other noise."
        )
    rng, size = generator(seed), len(true)
    scale = most / epsilon
    if noise == "geometric":
        steps = rng.geometric(-np.expm1(-1 / scale), (2, size))
        drawn: Floats = (steps[0] - steps[1]).astype(float)
    elif noise == "laplace":
        drawn = rng.laplace(0, scale, size)
    else:
        scale = most * halve(lambda tried: tried > 0 and find_normal_delta(epsilon, tried) <= delta)
        drawn = rng.normal(0, scale, size)
    rests = DRAWN if noise == "geometric" else FLOATING
    precise = scale / most if noise == "normal" else 0.0
    told = Guarantee(noise, epsilon, UNIT, known, rests, delta=delta, deviation=precise)
    return NoisyAnswer(true + drawn, noise, scale, told)
