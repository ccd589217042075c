"""Rank swapping: values change places with others of nearby rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit._support.compiled import compiled
from verikit._support.requests import one_of, within
from verikit._support.seed import generator
from verikit.errors import RecordError, SchemaError, quoted
from verikit.mask._columns import random_order, ranked_columns
from verikit.mask._masking import Draws, Knob, masking, publish, take_values
from verikit.release import Masked
from verikit.table import Column, Microdata
from verikit.words import count, listed

TRIES, SWEEPS = 4, 60
Scheme: TypeAlias = Literal["pairs", "cycles"]

PERCENT = Knob(
    "percent",
    lambda records: 100 / records,
    100,
    (2, 5, 10, 25, 50),
    "rank swapping",
    "within {:g} % of the ranks",
)
CYCLES = Knob(
    "percent",
    lambda records: min(201 / records, 100),
    100,
    (2, 5, 10, 25, 50),
    "rank swapping in cycles",
    "within {:g} % of the ranks",
    name="rank_swap_cycles",
    fixed={"scheme": "cycles"},
)


def _prepare(
    data: Microdata, *, percent: float | Mapping[str, float], scheme: Scheme = "pairs"
) -> tuple[Draws, dict[str, Any]]:
    """Check the request; give what draws whose value each record takes, and what is published."""
    one_of(scheme, "scheme", get_args(Scheme))
    percents = _check_percents(ranked_columns(data, "rank_swap"), percent)
    places = {name: int(share * len(data) / 100 + 1e-9) for name, share in percents.items()}
    columns = {name: data.scores(name) for name in percents}
    parameters = {"percent": percents, "places": places, "scheme": scheme}
    return lambda rng: _choose_sources(columns, places, scheme, rng), parameters


@masking(
    paper="DM",
    promise="another order",
    example={"percent": 40},
    words="Values change places with others of nearby rank.",
    knobs=(PERCENT, CYCLES),
    repeatable=True,
    prepare=_prepare,
)
def rank_swap(
    data: Microdata,
    *,
    percent: float | Mapping[str, float],
    scheme: Scheme = "pairs",
    seed: int,
) -> Masked:
    """Swap each value with one that is a few ranks away, column by column.

    Swapping in pairs, as the literature defines it, can be undone by whoever knows the original
    values of everybody (`verikit.intruder.undo_pairs`), however far values move, unless columns
    are coarse. Cycles leave no such trace.

    Parameters
    ----------
    data
        The records; categories need an order, by hierarchy or declared.
    percent
        How far a value may move, as a percentage of the number of records: with 1000 records,
        ``percent=5`` moves values by at most 50 places. One number, or one for each column.
    scheme
        ``"pairs"``: two values change places, as in the literature. ``"cycles"``: any order in
        which no value moves farther than it may, nearly all of it in longer cycles.
    seed
        The secret randomness.

    Returns
    -------
    Masked
        The release, a pure permutation that publishes the percentages, the places they come to,
        the scheme, and the key.

    Raises
    ------
    SchemaError
        If a column holds categories without an order or missing values, or has no percentage.
    RecordError
        If a percentage is not between 0 and 100, the scheme is unknown, or cycles are asked for
        where only neighbours can change places.

    References
    ----------
    [DM]_ sections 3 and 5.2, which count data swapping among pure permutations
    J. Nin, J. Herranz, V. Torra: Rethinking rank swapping to decrease disclosure risk. Data &
    Knowledge Engineering 64(1), 2008, a linkage made for swapping in pairs and variants against it

    Notes
    -----
    Pairs: from the smallest value up, each that was not yet swapped takes a partner at random
    among those within reach above it that were not either; after a few draws of swapped ones, the
    next free one. Equal values are ranked at random first. O(n log n).

    Cycles, which are our own: beginning with such pairs, ranks a random distance apart exchange
    what they take, wherever both stay within reach, in 60 sweeps of all ranks. What remains in
    pairs is about one rank in twice the places. Pairs stay the default, since what papers measured
    on rank swapping was measured on pairs.

    Examples
    --------
    >>> import verikit as vk
    >>> release, key = rank_swap(vk.load("dm_table1"), percent=15, seed=7)
    >>> release.parameters["places"], release.parameters["scheme"], release.permutation
    ({'X1': 3, 'X2': 3, 'X3': 3}, 'pairs', True)
    """
    draw, parameters = _prepare(data, percent=percent, scheme=scheme)
    rng = generator(seed)
    swapped = take_values(data, draw(rng))
    return publish(data, swapped, method="rank_swap", parameters=parameters, rng=rng)


def _check_percents(
    columns: list[Column], percent: float | Mapping[str, float]
) -> dict[str, float]:
    names = [column.name for column in columns]
    given = percent if isinstance(percent, Mapping) else dict.fromkeys(names, percent)
    lacking = [name for name in names if name not in given]
    unknown = [name for name in given if name not in names]
    if lacking or unknown:
        raise SchemaError(
            f"percent must name each masked column once: it lacks {listed(lacking) or 'none'} and "
            f"names {listed(unknown) or 'none'} that is not masked; 0 publishes a column as it is."
        )
    return {
        name: within(given[name], f"percent of {quoted(name)}", 0, 100, field="percent")
        for name in names
    }


def _choose_sources(
    columns: Mapping[str, Floats],
    places: Mapping[str, int],
    scheme: Scheme,
    rng: np.random.Generator,
) -> dict[str, Rows]:
    """By column, the record whose value each record takes."""
    order_of, found = _pair_ranks if scheme == "pairs" else _cycle_ranks, {}
    for name, values in columns.items():
        order = random_order(values, rng)
        found[name] = np.empty(len(order), np.intp)
        found[name][order] = order[order_of(len(order), places[name], rng)]
    return found


def _pair_ranks(n: int, places: int, rng: np.random.Generator) -> Rows:
    """For each rank, counted from 0, the rank whose value it takes."""
    if not places:
        return np.arange(n)
    return _swap_from_below(np.arange(n), np.arange(n + 1), places, rng.random((n, TRIES)))


def _cycle_ranks(n: int, places: int, rng: np.random.Generator) -> Rows:
    """For each rank, counted from 0, the rank whose value it takes, in cycles of any length."""
    if places and min(places, n - 1) < 2:
        raise RecordError(
            f"scheme 'cycles' was asked for with {count(places, 'place')} to move among "
            f"{count(n, 'record')}, where "
            "only neighbours can change places, in pairs; give a larger percent."
        )
    taken, at = _pair_ranks(n, places, rng), np.arange(n)
    for _ in range(SWEEPS if places else 0):
        apart, begin = int(rng.integers(1, min(places, n - 1) + 1)), int(rng.integers(0, 2 * n))
        low = at[: n - apart][(at[: n - apart] + begin) // apart % 2 == 0]
        high = low + apart
        reach = (np.abs(taken[low] - high) <= places) & (np.abs(taken[high] - low) <= places)
        changed = reach & (rng.random(len(low)) < 0.5)
        low, high = low[changed], high[changed]
        taken[low], taken[high] = taken[high], taken[low]
    return taken


@compiled(large=TRIES * 300_000)
def _swap_from_below(partner: Rows, free: Rows, places: int, draws: Floats) -> Rows:
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
            other = _find_next_free(free, other)
            if other > rank + width:
                other = _find_next_free(free, rank + 1)
        if other <= rank + width:
            partner[rank], partner[other] = other, rank
            free[other] = other + 1
    return partner


def _find_next_free(free: Rows, rank: int) -> int:
    while free[rank] != rank:
        free[rank] = free[free[rank]]
        rank = free[rank]
    return rank
