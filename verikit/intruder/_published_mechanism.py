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
from verikit.intruder._rank_linkage import (
    LOWER_BOUND,
    MAX_DENSE,
    find_nearest_scores,
    make_sole_links,
)
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

__all__ = ["find_moves", "make_repeat", "published_mechanism"]

NEIGHBOURS = 64
PENALTY = -1e4
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
    moves = find_moves(data, release, tables)
    middle = (tables.first + tables.last) / 2, (tables.released_first + tables.released_last) / 2
    learned = [estimate_move_densities(*ends, len(tables)) for ends in zip(*moves, strict=True)]
    joint = whiten_moves(moves, middle, mean_log_likelihood(learned, *moves))
    if joint.gain > 0:
        rows = _find_candidates(len(tables), joint.original, joint.released)
        likelihood = joint.likelihood(rows)
    else:
        rows = _find_candidates(len(tables), *tables.scores)
        likelihood = np.zeros(rows.shape)
        for start in range(0, len(rows), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            for j, density in enumerate(learned):
                ends = middle[1][rows[part], j]
                likelihood[part] += look_up_densities(density, middle[0][part, j, None], ends)
    if only is not None:
        possible = np.zeros((len(only), len(only)), bool)
        possible[only.records, only.rows] = True
        possible[only.counts == 0] = True  # of whom no possible rows are known
        ruled_out = ~np.take_along_axis(possible, rows, axis=1)
        likelihood += np.where(ruled_out, PENALTY, 0.0)
    chance = balance_likelihoods(likelihood, rows)
    best = chance.argmax(axis=1)
    at = np.arange(len(rows))
    note = LOWER_BOUND if len(tables) > MAX_DENSE else ""
    return make_sole_links(
        "published_mechanism", tables, rows[at, best], 1 - chance[at, best], note
    )


def _find_candidates(n: int, original: Floats, released: Floats) -> Rows:
    if n <= MAX_DENSE:
        return np.broadcast_to(np.arange(n), (n, n))
    return find_nearest_scores(original, released, NEIGHBOURS)


Repeat: TypeAlias = Callable[[Microdata, int], Masked]
MAX_SAMPLES = 200_000
FIRST_SEED = 982_451_653


def make_repeat(release: TableRelease) -> Repeat | None:
    """Find the published method with its published parameters; None where these do not suffice."""
    given = _find_published(release)
    if given is None:
        return None
    method = METHODS[release.method].function
    return lambda data, seed: method(data, **given, seed=seed)


def _find_published(release: TableRelease) -> dict[str, Any] | None:
    if release.method not in METHODS:
        return None
    takes = inspect.signature(METHODS[release.method].function).parameters
    given = {name: value for name, value in release.parameters.items() if name in takes}
    needed = {n for n, p in takes.items() if p.default is p.empty} - {"data", "seed"}
    return None if needed - given.keys() else given


def find_moves(
    data: Microdata, release: TableRelease, tables: Compared
) -> tuple[list[Floats], list[Floats]]:
    """By attribute, the ranks before and after masking of all records in all repetitions."""
    repeat = make_repeat(release)
    if repeat is None:
        raise InfeasibleError(
            f"The release names the method {release.method!r}, which cannot be repeated from what "
            "is published; use the attack 'normal_scores'."
        )
    runs = int(np.clip(MAX_SAMPLES // len(tables), 3, 400))
    try:
        middles = list(
            _rank_draws(data, release, tables, runs) or _rank_releases(data, repeat, tables, runs)
        )
    except VerikitError as error:
        raise InfeasibleError(
            f"The published method cannot be repeated on the original: {error}"
        ) from error
    starts = np.tile(((tables.first + tables.last) / 2).T, runs)
    return list(starts), list(np.concatenate(middles).T.copy())


def _rank_releases(
    data: Microdata, repeat: Repeat, tables: Compared, runs: int
) -> Iterator[Floats]:
    """Find the ranks after each repetition, by releases and their keys."""
    for run in range(runs):
        again, where = repeat(data, FIRST_SEED + run)
        ranked = compared(data, cast("TableRelease", again), tables.attributes)
        yield ((ranked.released_first + ranked.released_last) / 2)[where.rows]


def _rank_draws(
    data: Microdata, release: TableRelease, tables: Compared, runs: int
) -> Iterator[Floats] | None:
    """Find the same ranks without releases, where the method can draw its values alone."""
    again, given = METHODS[release.method].again, _find_published(release)
    if again is None or given is None:
        return None
    order = data.canonical_order()
    draw = again(data.take(order), **given)
    return (_rank_draw(draw, run, tables, order) for run in range(runs))


def _rank_draw(draw: Draws, run: int, tables: Compared, order: Rows) -> Floats:
    values = draw(generator(FIRST_SEED + run))
    ranks: Floats = (tables.first + tables.last) / 2  # what is not masked stays where it is
    for j, name in enumerate(tables.attributes):
        if name in values:
            ranks[order, j] = mid_ranks(values[name])
    return ranks
