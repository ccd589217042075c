"""How likely pairs are where the attributes of a record are moved together, not one by one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit.ranks._blocks import normal_scores

__all__ = ["Whitened", "whitened"]

AT_ONCE = 1_024  # records whose candidates are looked at together, so that caches hold them


class Whitened(NamedTuple):
    """Both tables in scores whose displacements are unrelated and of variance 1.

    Parameters
    ----------
    original, released
        Where each record is expected, and where each row is.
    gain
        By how much the likelihood of the repeated moves exceeds that of moves taken attribute by
        attribute, a record: the mean of its logarithm.
    expected, white
        What leads from normal scores to where a record is expected, and where a row is.
    """

    original: Floats
    released: Floats
    gain: float
    expected: Floats
    white: Floats

    def likelihood(self, rows: Rows) -> Floats:
        """The log likelihood of each record's candidate rows, up to a constant."""
        if rows.shape[0] == rows.shape[1]:
            apart: Floats = np.einsum(  # for which threads only wait for each other
                "ij,jk->ik", self.original, np.ascontiguousarray(self.released.T)
            )
            apart -= (self.original**2).sum(axis=1)[:, None] / 2
            apart -= (self.released**2).sum(axis=1) / 2
            return apart
        found = np.empty(rows.shape)
        for start in range(0, len(rows), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            between = self.original[part, None] - self.released[rows[part]]
            found[part] = -(between**2).sum(axis=2) / 2
        return found


def whitened(
    moves: tuple[list[Floats], list[Floats]], middle: tuple[Floats, Floats], alone: float
) -> Whitened:
    """Whiten displacements by the covariance that they have in the repetitions.

    ``moves`` holds the ranks of all repetitions before and after, by attribute, ``middle`` the
    ranks of the two tables, and ``alone`` the mean log likelihood, attribute by attribute.
    """
    n = len(middle[0])
    before, after = (np.array([_scores(column, n) for column in part]) for part in moves)
    keeps = _kept(before, after)
    left: Floats = after - np.einsum("jk,ji->ki", keeps, before)
    spread, axes = np.linalg.eigh(_products(left, left) / left.shape[1])
    least = np.maximum(spread, n**-2.0)  # finer than ranks can tell
    white = axes / np.sqrt(least)
    told = np.einsum("ji,ji->", after, after) / after.shape[1] - (spread / least).sum()
    told -= np.log(least).sum() + 2 * len(after) * np.log(n)
    scores = [normal_scores(part, n) for part in middle]
    expected: Floats = keeps @ white
    gain = float(told) / 2 - alone
    return Whitened(scores[0] @ expected, scores[1] @ white, gain, expected, white)


def _kept(before: Floats, after: Floats) -> Floats:
    """What each line keeps of each, by least squares."""
    found = np.linalg.lstsq(_products(before, before), _products(before, after))[0]
    return found.astype(np.float64, copy=False)


def _products(first: Floats, second: Floats) -> Floats:
    """The sums of products of the lines of two long matrices, for which threads only wait."""
    found: Floats = np.einsum("ji,ki->jk", first, second)
    return found


def _scores(ranks: Floats, n: int) -> Floats:
    """The normal scores of many ranks; whole and half ones, of which there are few, looked up."""
    twice = np.rint(2 * ranks)
    if (twice != 2 * ranks).any():
        return normal_scores(ranks, n)
    found: Floats = normal_scores(np.arange(2, 2 * n + 1) / 2, n)[twice.astype(np.intp) - 2]
    return found
