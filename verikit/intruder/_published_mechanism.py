"""Linking with the published method run again, to learn how far it really moves a value."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from verikit.intruder._assignment import DENSE, one_each
from verikit.intruder._compared import Compared
from verikit.intruder._links import Links
from verikit.intruder._normal_scores import LOWER_BOUND, nearest_scores
from verikit.intruder._repeats import moves_of
from verikit.intruder._whitened import whitened
from verikit.release import TableRelease
from verikit.table import Microdata

__all__ = ["published_mechanism"]

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]
WINDOW = 0.15
PARTS = 40
NEIGHBOURS = 64
BALANCING = 60
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
    densities = [_densities(*ends, len(tables)) for ends in zip(*moves, strict=True)]
    joint = whitened(moves, middle, _told(densities, *moves))
    if joint.gain > 0:
        rows = _candidates(len(tables), joint.original, joint.released)
        likelihood = joint.likelihood(rows)
    else:
        rows = _candidates(len(tables), *tables.scores)
        likelihood = np.zeros(rows.shape)
        for start in range(0, len(rows), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            for j, density in enumerate(densities):
                ends = middle[1][rows[part], j]
                likelihood[part] += _looked_up(density, middle[0][part, j, None], ends)
    if only is not None:
        likelihood += _struck_out(only, rows)
    chance = _balanced(likelihood, rows)
    best = chance.argmax(axis=1)
    at = np.arange(len(rows))
    note = LOWER_BOUND if len(tables) > DENSE else ""
    return one_each("published_mechanism", tables, rows[at, best], 1 - chance[at, best], note)


def _looked_up(density: Floats, start: Floats, end: Floats) -> Floats:
    n = density.shape[1] // 2 + 1
    found: Floats = density[
        _part(start, n, len(density)), np.rint(end - start).astype(np.intp) + n - 1
    ]
    return found


def _told(densities: list[Floats], starts: list[Floats], ends: list[Floats]) -> float:
    """How well densities tell the moves that they come from: the mean log likelihood."""
    each = zip(densities, starts, ends, strict=True)
    return float(sum(_looked_up(*part).mean() for part in each))


def _struck_out(only: Links, rows: Rows) -> Floats:
    """A penalty for pairs that are not possible, for the records whose possible rows are known."""
    known = only.counts > 0
    possible = np.zeros((len(only), len(only)), bool)
    possible[only.records, only.rows] = True
    possible[~known] = True
    return np.where(np.take_along_axis(possible, rows, axis=1), 0.0, IMPOSSIBLE)


def _part(ranks: Floats, n: int, parts: int) -> Rows:
    return np.minimum(((ranks - 0.5) * parts / n).astype(np.intp), parts - 1)


def _densities(start: Floats, end: Floats, n: int) -> Floats:
    """The log density of each displacement, from 1 - n to n - 1, by part of the range."""
    parts = max(1, min(PARTS, n // 25))
    part, moved = _part(start, n, parts), np.rint(end - start).astype(np.intp)
    counts = np.bincount(part * (2 * n - 1) + moved + n - 1, minlength=parts * (2 * n - 1))
    found = counts.reshape(parts, 2 * n - 1).astype(float)
    for line in found:
        line[:] = np.log(_smooth(line) + 1e-7 / n)
    return found


def _smooth(counts: Floats) -> Floats:
    """Counts of displacements as a density, averaged over a window that fits their spread."""
    from scipy.ndimage import uniform_filter1d

    if not counts.any():  # equal values leave parts of the range without a rank
        return counts
    at = np.arange(len(counts))
    mean = counts @ at / counts.sum()
    spread = np.sqrt(counts @ (at - mean) ** 2 / counts.sum())
    width = max(3, int(WINDOW * spread)) | 1
    for _ in range(2):
        counts = uniform_filter1d(counts, width, mode="constant")
    smooth: Floats = np.maximum(counts, 0)
    smooth /= smooth.sum()
    return smooth


def _candidates(n: int, original: Floats, released: Floats) -> Rows:
    if n <= DENSE:
        return np.broadcast_to(np.arange(n), (n, n))
    return nearest_scores(original, released, NEIGHBOURS)


def _balanced(likelihood: Floats, rows: Rows) -> Floats:
    """Probabilities of pairs: each record's sum to 1, and each row's come close (Sinkhorn)."""
    chance = likelihood  # in its place: all pairs of thousands of records take much memory
    chance -= chance.max(axis=1, keepdims=True)
    np.exp(chance, out=chance)
    dense = rows.shape[0] == rows.shape[1]
    of_row = np.ones(len(rows))
    for _ in range(BALANCING):
        if dense:  # one pass over memory each, for which threads only wait for each other
            given = np.einsum("ij,j->i", chance, of_row)
        else:
            given = (chance * of_row[rows]).sum(axis=1)
        of_record = 1 / np.maximum(given, 1e-300)
        if dense:
            used = np.einsum("i,ij->j", of_record, chance)
        else:
            used = np.bincount(rows.ravel(), (chance * of_record[:, None]).ravel(), len(rows))
        of_row = 1 / np.maximum(used, 1e-300)
    chance *= of_row if dense else of_row[rows]
    chance /= np.maximum(chance.sum(axis=1, keepdims=True), 1e-300)
    return chance
