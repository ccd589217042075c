"""Data shuffling: each column in a new order, drawn from a model of all columns together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit._support.requests import within
from verikit._support.seed import generator
from verikit.mask._columns import random_order, ranked_columns
from verikit.mask._masking import Draws, Knob, masking, publish, take_values
from verikit.ranks import normal_scores
from verikit.release import Masked
from verikit.table import Microdata

CORRELATION = Knob(
    "correlation",
    0.001,
    1,
    (0.99, 0.95, 0.9, 0.7, 0.4),
    "shuffling",
    "correlation {:g}",
    downward=True,
)


def _prepare(data: Microdata, *, correlation: float) -> tuple[Draws, dict[str, Any]]:
    """Check the request; give what draws whose value each record takes, and what is published."""
    columns = {column.name: data.scores(column.name) for column in ranked_columns(data, "shuffle")}
    kept = within(correlation, "correlation", 0, 1)
    return lambda rng: _choose_sources(columns, kept, rng), {"correlation": kept}


@masking(
    paper="DM",
    promise="another order",
    example={"correlation": 0.5},
    words="Each column gets a new order, drawn from a model of all columns together.",
    knobs=(CORRELATION,),
    repeatable=True,
    prepare=_prepare,
)
def shuffle(data: Microdata, *, correlation: float, seed: int) -> Masked:
    """Put the values of each column into a new order that keeps the rank correlations.

    A multivariate normal is fitted to the normal scores of the columns, and a new table of scores
    is drawn from it, each record's correlated with its old ones. The original values then take the
    order of the new scores.

    Parameters
    ----------
    data
        The records; categories need an order, by hierarchy or declared.
    correlation
        How strongly the new score of a record depends on its old one: 0 draws all anew, so that
        only the relations between columns remain, and 1 leaves the table as it is.
    seed
        The secret randomness.

    Returns
    -------
    Masked
        The release, a pure permutation that publishes the correlation, and the key.

    Raises
    ------
    SchemaError
        If a column holds categories without an order, or missing values.
    RecordError
        If the correlation is not between 0 and 1.

    References
    ----------
    [DM]_ sections 1 and 5.2, which count data shuffling among pure permutations

    Notes
    -----
    Equal values are ranked at random first. The fitted correlations are not published: the release
    shows them. O(n log n) a column.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("dm_table1")
    >>> release, key = shuffle(data, correlation=0.9, seed=7)
    >>> release.permutation, sorted(release.frame["X1"]) == sorted(data.frame["X1"])
    (True, True)
    """
    draw, parameters = _prepare(data, correlation=correlation)
    rng = generator(seed)
    shuffled = take_values(data, draw(rng))
    return publish(data, shuffled, method="shuffle", parameters=parameters, rng=rng)


def _choose_sources(
    columns: Mapping[str, Floats], kept: float, rng: np.random.Generator
) -> dict[str, Rows]:
    """By column, the record whose value each record takes."""
    orders = [random_order(values, rng) for values in columns.values()]
    n = len(orders[0])
    scores = np.empty((n, len(orders)))
    for j, order in enumerate(orders):
        scores[order, j] = normal_scores(np.arange(1, n + 1), n)
    drawn = kept * scores + np.sqrt(1 - kept**2) * _draw_alike(scores, rng)
    found = {}
    for name, order, score in zip(columns, orders, drawn.T, strict=True):
        found[name] = np.empty(n, np.intp)
        found[name][np.argsort(score)] = order
    return found


def _draw_alike(scores: Floats, rng: np.random.Generator) -> Floats:
    """A new table of scores with the same correlations between columns."""
    covariance = scores.T @ scores / len(scores)
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T  # whatever sign vectors come with
    drawn: Floats = rng.normal(size=scores.shape) @ root
    return drawn
