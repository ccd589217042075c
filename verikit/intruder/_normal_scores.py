"""Linking by normal scores: attributes that were masked less count more."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from verikit.intruder._assignment import AT_ONCE, DENSE, assigned, one_each
from verikit.intruder._compared import Compared
from verikit.intruder._links import Links

__all__ = ["LOWER_BOUND", "nearest_scores", "normal_scores_attack"]

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]
ROUNDS, MANY, FEW_ROUNDS = 6, 1_500, 2  # an assignment of many records takes long
SETTLED = 0.02
LOWER_BOUND = (
    f"Above {DENSE:,} records candidates come from nearest neighbours, without comparing all "
    "pairs, so a stronger attack is possible: take what is found as a lower bound."
)


def normal_scores_attack(tables: Compared) -> Links:
    """Link by squared differences of normal scores, each attribute weighed by what it kept.

    What an attribute kept is learned from the links themselves: link, measure the spread of the
    differences that remain, weigh by it, and link again.
    """
    original, released = tables.scores
    match = _nearest if len(tables) > DENSE else _assigned
    weights = np.ones(original.shape[1])
    for _ in range(FEW_ROUNDS if MANY < len(tables) <= DENSE else ROUNDS):
        rows = match(original, released, weights)
        spread = np.maximum(((original - released[rows]) ** 2).mean(axis=0), 1e-9)
        before, weights = weights, spread.mean() / spread
        if np.all(np.abs(weights - before) <= SETTLED * before):
            break
    measure = ((original - released[rows]) ** 2) @ weights
    note = LOWER_BOUND if len(tables) > DENSE else ""
    return one_each("normal_scores", tables, rows, measure, note)


def _assigned(original: Floats, released: Floats, weights: Floats) -> Rows:
    apart = np.zeros((len(original), len(released)))
    between, columns = np.empty((AT_ONCE, len(released))), released.T.copy()
    for start in range(0, len(original), AT_ONCE):
        part = apart[start : start + AT_ONCE]
        over = between[: len(part)]
        for j, weight in enumerate(weights):
            np.subtract.outer(original[start : start + AT_ONCE, j], columns[j], out=over)
            over *= over
            over *= weight
            part += over
    apart -= apart.min(axis=0)  # what all pay alike changes no assignment, and the search is short
    apart -= apart.min(axis=1, keepdims=True)
    return assigned(apart)


def _nearest(original: Floats, released: Floats, weights: Floats) -> Rows:
    return nearest_scores(original * np.sqrt(weights), released * np.sqrt(weights), 1)[:, 0]


def nearest_scores(original: Floats, released: Floats, count: int) -> Rows:
    """The rows whose scores are closest to each record's, closest first."""
    from scipy.spatial import cKDTree

    k = np.arange(1, min(count, len(released)) + 1)
    rows: Rows = cKDTree(released, balanced_tree=False).query(original, k=k)[1]
    return rows
