"""Repeat the published method on the original, and link by how it moves the ranks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, cast

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit._support.seed import generator
from verikit.errors import InfeasibleError, VerikitError
from verikit.intruder._links import Links
from verikit.intruder._rank_linkage import DENSE, LOWER_BOUND, nearest_scores, one_each
from verikit.intruder._ranked_tables import Compared, compared
from verikit.mask import METHODS, Draws
from verikit.ranks import (
    balance_likelihoods,
    estimate_move_densities,
    look_up_densities,
    mean_log_likelihood,
    mid_ranks,
    whiten_moves,
)
from verikit.release import Masked, TableRelease
from verikit.table import Microdata

__all__ = ["moves_of", "published_mechanism", "repeatable"]

NEIGHBOURS = 64
IMPOSSIBLE = -1e4
AT_ONCE = 256


def published_mechanism(
    data: Microdata, release: TableRelease, tables: Compared, only: Links | None = None
) -> Links:
    """Repeat the published method on the original, learn how it moves ranks, and link by that.

    The moves of many repetitions give each attribute a density of displacements, by part of the
    range; a pair is as likely as the product of its displacements. Where the repetitions are told
    better by displacements that belong together, as by shuffling, these are whitened by their
    covariance instead. Balancing the likelihoods, so that each record and each row is used once,
    gives the probability of each pair. ``only`` holds the pairs that are possible at all.

    Notes
    -----
    Above some thousand records only the rows with the closest scores are candidates.
    """
    moves = moves_of(data, release, tables)
    middle = (tables.first + tables.last) / 2, (tables.released_first + tables.released_last) / 2
    learned = [estimate_move_densities(*ends, len(tables)) for ends in zip(*moves, strict=True)]
    joint = whiten_moves(moves, middle, mean_log_likelihood(learned, *moves))
    if joint.gain > 0:
        rows = _candidates(len(tables), joint.original, joint.released)
        likelihood = joint.likelihood(rows)
    else:
        rows = _candidates(len(tables), *tables.scores)
        likelihood = np.zeros(rows.shape)
        for start in range(0, len(rows), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            for j, density in enumerate(learned):
                ends = middle[1][rows[part], j]
                likelihood[part] += look_up_densities(density, middle[0][part, j, None], ends)
    if only is not None:
        likelihood += _struck_out(only, rows)
    chance = balance_likelihoods(likelihood, rows)
    best = chance.argmax(axis=1)
    at = np.arange(len(rows))
    note = LOWER_BOUND if len(tables) > DENSE else ""
    return one_each("published_mechanism", tables, rows[at, best], 1 - chance[at, best], note)


def _struck_out(only: Links, rows: Rows) -> Floats:
    """A penalty for pairs that are not possible, for the records whose possible rows are known."""
    known = only.counts > 0
    possible = np.zeros((len(only), len(only)), bool)
    possible[only.records, only.rows] = True
    possible[~known] = True
    return np.where(np.take_along_axis(possible, rows, axis=1), 0.0, IMPOSSIBLE)


def _candidates(n: int, original: Floats, released: Floats) -> Rows:
    if n <= DENSE:
        return np.broadcast_to(np.arange(n), (n, n))
    return nearest_scores(original, released, NEIGHBOURS)


Repeat: TypeAlias = Callable[[Microdata, int], Masked]
SAMPLES = 200_000
SEEDS = 982_451_653


def repeatable(release: TableRelease) -> Repeat | None:
    """The published method with its published parameters; None where these do not suffice."""
    given = _given(release)
    if given is None:
        return None
    method = METHODS[release.method].function
    return lambda data, seed: method(data, **given, seed=seed)


def _given(release: TableRelease) -> dict[str, Any] | None:
    if release.method not in METHODS:
        return None
    takes = inspect.signature(METHODS[release.method].function).parameters
    given = {name: value for name, value in release.parameters.items() if name in takes}
    needed = {n for n, p in takes.items() if p.default is p.empty} - {"data", "seed"}
    return None if needed - given.keys() else given


def moves_of(
    data: Microdata, release: TableRelease, tables: Compared
) -> tuple[list[Floats], list[Floats]]:
    """By attribute, the ranks before and after masking of all records in all repetitions."""
    repeat = repeatable(release)
    if repeat is None:
        raise InfeasibleError(
            f"The release names the method {release.method!r}, which cannot be repeated from what "
            "is published; use the attack 'normal_scores'."
        )
    runs = int(np.clip(SAMPLES // len(tables), 3, 400))
    try:
        middles = list(_drawn(data, release, tables, runs) or _masked(data, repeat, tables, runs))
    except VerikitError as error:
        raise InfeasibleError(
            f"The published method cannot be repeated on the original: {error}"
        ) from error
    starts = np.tile(((tables.first + tables.last) / 2).T, runs)
    return list(starts), list(np.concatenate(middles).T.copy())


def _masked(data: Microdata, repeat: Repeat, tables: Compared, runs: int) -> Iterator[Floats]:
    """The ranks after each repetition, by releases and their keys."""
    for run in range(runs):
        again, where = repeat(data, SEEDS + run)
        ranked = compared(data, cast("TableRelease", again), tables.attributes)
        yield ((ranked.released_first + ranked.released_last) / 2)[where.rows]


def _drawn(
    data: Microdata, release: TableRelease, tables: Compared, runs: int
) -> Iterator[Floats] | None:
    """The same ranks without releases, where the method can draw its values alone."""
    again, given = METHODS[release.method].again, _given(release)
    if again is None or given is None:
        return None
    order = data.canonical_order()
    draw = again(data.take(order), **given)
    return (_ranks(draw, run, tables, order) for run in range(runs))


def _ranks(draw: Draws, run: int, tables: Compared, order: Rows) -> Floats:
    values = draw(generator(SEEDS + run))
    ranks: Floats = (tables.first + tables.last) / 2  # what is not masked stays where it is
    for j, name in enumerate(tables.attributes):
        if name in values:
            ranks[order, j] = mid_ranks(values[name])
    return ranks
