"""An attacker who knows everybody's values and how the published method moves ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit.ranks import (
    balance_likelihoods,
    estimate_move_densities,
    look_up_densities,
    mean_log_likelihood,
    normal_scores,
    whiten_moves,
)

__all__ = ["Attacker", "Guess"]

AROUND = 400
ALIKE = 1e-9


class Guess(NamedTuple):
    """Whether the row that he takes for hers is hers, and how likely he thinks it is.

    Where k rows are equally likely, he guesses, and is right in 1 of k cases.
    """

    right: float
    likely: float


class Attacker(NamedTuple):
    """What repetitions of a method tell of it: how likely each move of a record is.

    Parameters
    ----------
    by_attribute
        The density of moves, attribute by attribute.
    expected, white
        What whitens the moves of all attributes together, where they are told better so; else
        None.
    """

    by_attribute: list[Floats]
    expected: Floats | None
    white: Floats | None

    @classmethod
    def taught(cls, before: Sequence[Floats], after: Sequence[Floats]) -> Attacker:
        """Learn from repetitions: the middle ranks of all records before and after each."""
        n = len(before[0])
        starts, ends = list(np.concatenate(before).T), list(np.concatenate(after).T)
        learned = [estimate_move_densities(*part, n) for part in zip(starts, ends, strict=True)]
        joint = whiten_moves(
            (starts, ends), (before[0], after[0]), mean_log_likelihood(learned, starts, ends)
        )
        if joint.gain > 0:
            return cls(learned, joint.expected, joint.white)
        return cls(learned, None, None)

    def guess(self, original: Floats, released: Floats, her: int, row: int) -> Guess:
        """Link one record among those around it, each record to a row of its own.

        Parameters
        ----------
        original, released
            The middle ranks of all records and of all rows, one column an attribute.
        her, row
            The record that is looked for, and the row that it became.
        """
        places = self._scores(original, released, len(original))
        records, rows = (_around(places[0][her], part) for part in places)
        likely = self.likely(original[records], released[rows], len(original))
        size = len(records)
        chance = balance_likelihoods(likely, np.broadcast_to(np.arange(size), (size, size)))
        line = chance[np.flatnonzero(records == her)[0]]
        best = line >= line.max() * (1 - ALIKE)
        found = float(best[rows == row].any()) / np.count_nonzero(best)
        return Guess(found, float(line.max()))

    def likely(self, original: Floats, released: Floats, n: int) -> Floats:
        """The log likelihood of each pair of a record and a row, of n in all, up to a constant."""
        if self.expected is not None:
            return -_squares(*self._scores(original, released, n)) / 2
        found = np.zeros((len(original), len(released)))
        for density, start, end in zip(self.by_attribute, original.T, released.T, strict=True):
            found += look_up_densities(density, start[:, None], end)
        return found

    def _scores(self, original: Floats, released: Floats, n: int) -> tuple[Floats, Floats]:
        """Where records and rows lie: in normal scores, or what whitens their moves."""
        before, after = normal_scores(original, n), normal_scores(released, n)
        if self.expected is None or self.white is None:
            return before, after
        return before @ self.expected, after @ self.white


def _around(place: Floats, scores: Floats) -> Rows:
    """The places that lie closest to one, in the order of the table."""
    if len(scores) <= AROUND:
        return np.arange(len(scores))
    apart = ((scores - place) ** 2).sum(axis=1)
    return np.sort(np.argpartition(apart, AROUND)[:AROUND])


def _squares(first: Floats, second: Floats) -> Floats:
    apart: Floats = (first**2).sum(axis=1)[:, None] + (second**2).sum(axis=1) - 2 * first @ second.T
    return apart
