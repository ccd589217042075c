"""Linking with the published method run again, to learn how far it really moves a value."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from verikit.errors import InfeasibleError, VerikitError
from verikit.intruder._assignment import DENSE, one_each
from verikit.intruder._compared import Compared, compared
from verikit.intruder._links import Links
from verikit.intruder._normal_scores import LOWER_BOUND, nearest_scores
from verikit.mask import METHODS
from verikit.ranks._moves import balanced, densities, looked_up, told
from verikit.ranks._whitened import whitened
from verikit.release import Masked, TableRelease
from verikit.table import Microdata

__all__ = ["published_mechanism", "repeatable"]

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]
SAMPLES = 200_000
NEIGHBOURS = 64
SEEDS = 982_451_653
IMPOSSIBLE = -1e4


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
    repeat = repeatable(release)
    if repeat is None:
        raise InfeasibleError(
            f"The release names the method {release.method!r}, which cannot be repeated from what "
            "is published; use the attack 'normal_scores'."
        )
    moves = _moves(data, repeat, tables)
    middle = (tables.first + tables.last) / 2, (tables.released_first + tables.released_last) / 2
    learned = [densities(*ends, len(tables)) for ends in zip(*moves, strict=True)]
    joint = whitened(moves, middle, told(learned, *moves))
    if joint.gain > 0:
        rows = _candidates(len(tables), joint.original, joint.released)
        likelihood = joint.likelihood(rows)
    else:
        rows = _candidates(len(tables), *tables.scores)
        likelihood = np.zeros(rows.shape)
        for j, density in enumerate(learned):
            likelihood += looked_up(density, middle[0][:, j, None], middle[1][rows, j])
    if only is not None:
        likelihood += _struck_out(only, rows)
    chance = balanced(likelihood, rows)
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


def repeatable(release: TableRelease) -> Callable[[Microdata, int], Masked] | None:
    """The published method with its published parameters; None where these do not suffice."""
    if release.method not in METHODS:
        return None
    method = METHODS[release.method].function
    takes = inspect.signature(method).parameters
    given: dict[str, Any] = {name: v for name, v in release.parameters.items() if name in takes}
    needed = {n for n, p in takes.items() if p.default is p.empty} - {"data", "seed"}
    if needed - given.keys():
        return None
    return lambda data, seed: method(data, **given, seed=seed)


def _moves(
    data: Microdata, repeat: Callable[[Microdata, int], Masked], tables: Compared
) -> tuple[list[Floats], list[Floats]]:
    """By attribute, the ranks before and after masking of all records in all repetitions."""
    runs = int(np.clip(SAMPLES // len(tables), 3, 400))
    middles = list(_repeated(data, repeat, tables, runs))
    starts = np.tile((tables.first + tables.last) / 2, (runs, 1))
    return list(starts.T), list(np.concatenate(middles).T)


def _repeated(
    data: Microdata, repeat: Callable[[Microdata, int], Masked], tables: Compared, runs: int
) -> Iterator[Floats]:
    for run in range(runs):
        try:
            again, where = repeat(data, SEEDS + run)
            ranked = compared(data, cast("TableRelease", again), tables.attributes)
        except VerikitError as error:
            raise InfeasibleError(
                f"The published method cannot be repeated on the original: {error}"
            ) from error
        yield ((ranked.released_first + ranked.released_last) / 2)[where.rows]


def _candidates(n: int, original: Floats, released: Floats) -> Rows:
    if n <= DENSE:
        return np.broadcast_to(np.arange(n), (n, n))
    return nearest_scores(original, released, NEIGHBOURS)
