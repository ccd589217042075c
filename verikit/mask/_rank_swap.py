"""Rank swapping: values change places with others of nearby rank."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from verikit._support.compiled import compiled
from verikit._support.requests import within
from verikit._support.seed import generator
from verikit.errors import SchemaError, quoted
from verikit.mask._columns import random_order, ranked_columns
from verikit.mask._knob import Knob
from verikit.mask._masking import masking, publish
from verikit.release import Masked
from verikit.table import Column, Microdata
from verikit.words import listed

__all__ = ["rank_swap"]

Rows = npt.NDArray[np.intp]
TRIES = 4


PERCENT = Knob(
    "percent",
    lambda records: 100 / records,
    100,
    (2, 5, 10, 25, 50),
    "rank swapping",
    "within {:g} % of the ranks",
)


@masking(
    paper="DM",
    promise="another order",
    example={"percent": 40},
    words="Values change places with others of nearby rank.",
    knobs=(PERCENT,),
    repeatable=True,
)
def rank_swap(data: Microdata, *, percent: float | Mapping[str, float], seed: int) -> Masked:
    """Swap each value with one that is a few ranks away, column by column.

    Parameters
    ----------
    data
        The records; categories need an order, by hierarchy or declared.
    percent
        How far a value may move, as a percentage of the number of records: with 1000 records,
        ``percent=5`` moves values by at most 50 places. One number, or one for each column.
    seed
        The secret randomness.

    Returns
    -------
    Masked
        The release, a pure permutation that publishes the percentages and the places they come
        to, and the key.

    Raises
    ------
    SchemaError
        If a column holds categories without an order or missing values, or has no percentage.
    RecordError
        If a percentage is not between 0 and 100.

    References
    ----------
    [DM]_ sections 3 and 5.2, which count data swapping among pure permutations

    Notes
    -----
    From the smallest value up, each that was not yet swapped takes a partner at random among those
    within reach above it that were not either; after a few draws of swapped ones, the next free
    one. Equal values are ranked at random first. O(n log n).

    Examples
    --------
    >>> import verikit as vk
    >>> release, key = rank_swap(vk.load("dm_table1"), percent=15, seed=7)
    >>> release.parameters["places"], release.permutation
    ({'X1': 3, 'X2': 3, 'X3': 3}, True)
    """
    columns = ranked_columns(data, "rank_swap")
    percents = _percents(columns, percent)
    rng = generator(seed)
    places = {name: int(share * len(data) / 100 + 1e-9) for name, share in percents.items()}
    swapped = {}
    for column in columns:
        order = random_order(data.scores(column.name), rng)
        taken = np.empty(len(order), np.intp)
        taken[order] = order[_partners(len(order), places[column.name], rng)]
        swapped[column.name] = data.frame[column.name].array.take(taken)
    parameters = {"percent": percents, "places": places}
    return publish(data, swapped, method="rank_swap", parameters=parameters, rng=rng)


def _percents(columns: list[Column], percent: float | Mapping[str, float]) -> dict[str, float]:
    names = [column.name for column in columns]
    given = percent if isinstance(percent, Mapping) else dict.fromkeys(names, percent)
    lacking = [name for name in names if name not in given]
    unknown = [name for name in given if name not in names]
    if lacking or unknown:
        raise SchemaError(
            f"percent must name each masked column once: it lacks {listed(lacking) or 'none'} and "
            f"names {listed(unknown) or 'none'} that is not masked; 0 publishes a column as it is."
        )
    return {name: within(given[name], f"percent of {quoted(name)}", 0, 100) for name in names}


def _partners(n: int, places: int, rng: np.random.Generator) -> Rows:
    """For each rank, counted from 0, the rank whose value it takes."""
    if not places:
        return np.arange(n)
    return _swap(np.arange(n), np.arange(n + 1), places, rng.random((n, TRIES)))


@compiled(large=2_000)
def _swap(partner: Rows, free: Rows, places: int, draws: npt.NDArray[np.float64]) -> Rows:
    """Swap from the first rank up; ``free`` leads from each rank to the next free one."""
    n = len(partner)
    for rank in range(n - 1):
        if partner[rank] != rank:
            continue
        free[rank] = rank + 1
        width = min(places, n - 1 - rank)
        for draw in draws[rank]:
            other = rank + 1 + int(draw * width)
            if free[other] == other:
                break
        else:
            other = _next_free(free, other)
            if other > rank + width:
                other = _next_free(free, rank + 1)
        if other <= rank + width:
            partner[rank], partner[other] = other, rank
            free[other] = other + 1
    return partner


def _next_free(free: Rows, rank: int) -> int:
    while free[rank] != rank:
        free[rank] = free[free[rank]]
        rank = free[rank]
    return rank
