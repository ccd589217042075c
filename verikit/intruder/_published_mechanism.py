"""Linking with the published method run again, to learn how far it really moves a value."""

from __future__ import annotations

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit.intruder._assignment import DENSE, one_each
from verikit.intruder._compared import Compared
from verikit.intruder._links import Links
from verikit.intruder._normal_scores import LOWER_BOUND, nearest_scores
from verikit.intruder._repeats import moves_of
from verikit.ranks import balanced, densities, looked_up, told, whitened
from verikit.release import TableRelease
from verikit.table import Microdata

__all__ = ["published_mechanism"]

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
    learned = [densities(*ends, len(tables)) for ends in zip(*moves, strict=True)]
    joint = whitened(moves, middle, told(learned, *moves))
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
                likelihood[part] += looked_up(density, middle[0][part, j, None], ends)
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


def _candidates(n: int, original: Floats, released: Floats) -> Rows:
    if n <= DENSE:
        return np.broadcast_to(np.arange(n), (n, n))
    return nearest_scores(original, released, NEIGHBOURS)
