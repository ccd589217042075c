"""Rank swapping: values change places with others of nearby rank."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from verikit._compiled import compiled
from verikit.errors import RecordError, SchemaError
from verikit.hierarchy import listed
from verikit.mask._masking import masking, publish, random_order, ranked_columns
from verikit.release import Masked
from verikit.table import Column, Microdata, number

__all__ = ["rank_swap"]

Rows = npt.NDArray[np.intp]
TRIES = 6


@masking(paper="DM", example={"percent": 40})
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
    next above it that were not either. Equal values are ranked at random first. O(n log n).

    Examples
    --------
    >>> import verikit as vk
    >>> release, key = rank_swap(vk.load("dm_table1"), percent=15, seed=7)
    >>> release.parameters["places"], release.permutation
    ({'X1': 3, 'X2': 3, 'X3': 3}, True)
    """
    columns = ranked_columns(data, "rank_swap")
    percents = _percents(columns, percent)
    rng = np.random.default_rng(seed)
    places = {name: int(share * len(data) / 100 + 1e-9) for name, share in percents.items()}
    swapped = {}
    for column in columns:
        order = random_order(data.scores(column.name), rng)
        taken = np.empty(len(order), np.intp)
        taken[order] = order[_partners(len(order), places[column.name], rng)]
        swapped[column.name] = data.frame[column.name].array.take(taken)
    parameters = {"percent": percents, "places": places}
    return publish(
        data, swapped, method="rank_swap", parameters=parameters, rng=rng, permutation=True
    )


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
    percents = {name: number(given[name], f"percent of {name}") for name in names}
    for name, share in percents.items():
        if not 0 <= share <= 100:
            raise RecordError(
                f"percent of {name!r} was given as {share:g}; expected a percentage of the number "
                "of records, from 0 to 100."
            )
    return percents


def _partners(n: int, places: int, rng: np.random.Generator) -> Rows:
    """For each rank, counted from 0, the rank whose value it takes."""
    draws = rng.random(TRIES * n)
    return _swap(np.arange(n), places, draws) if places else np.arange(n)


@compiled(large=2_000)
def _swap(partner: Rows, places: int, draws: npt.NDArray[np.float64]) -> Rows:
    n, used = len(partner), 0
    for rank in range(n - 1):
        width = min(places, n - 1 - rank)
        if partner[rank] != rank:
            continue
        for _ in range(TRIES - 1):
            other = rank + 1 + int(draws[used] * width)
            used += 1
            if partner[other] == other:
                break
        else:
            left = 0
            for other in range(rank + 1, rank + 1 + width):
                left += partner[other] == other
            skip = int(draws[used] * left)
            used += 1
            other = rank
            for _ in range(skip + (left > 0)):
                other += 1
                while partner[other] != other:
                    other += 1
        partner[rank], partner[other] = other, rank
    return partner
