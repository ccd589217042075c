"""How closely made-up records match a release, at once, where columns hardly hang together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verikit._support.arrays import Floats, Ints, Rows
from verikit.ranks.luck._drawn import Blocks, by_rank

__all__ = ["closed_form"]


POSITIONS = 4096


def closed_form(
    first: Ints, last: Ints, distances: Sequence[int] | Ints, drawn: Blocks | None = None
) -> Floats:
    """The same share as `exact`, at once, for columns that are nearly independent of each other.

    Were the columns shuffled at random, the records within a made-up record's window would be
    nearly as many as in a Poisson process, but that no two records share a rank: with windows of
    w places, ``lam`` records are expected and each makes a second one ``rho`` times as likely.

    Returns
    -------
    numpy.ndarray
        One share a distance, averaged over an even spread of made-up records.

    Notes
    -----
    Far closer than the binomial share of records in the window, which ignores that ranks are
    used once. Correlated columns need `exact`.

    Examples
    --------
    >>> from verikit.ranks.luck import exact
    >>> import verikit as vk
    >>> data = vk.simulate("dm", 1000, seed=5)
    >>> ranks = np.column_stack([vk.ranks.blocks(data.scores(n))[0] for n in data.schema.names])
    >>> close, true = closed_form(ranks, ranks, [8]), exact(ranks, ranks, [8])
    >>> bool(abs(close / true - 1) < 0.03)
    True
    """
    of = by_rank(first, last) if drawn is None else drawn
    n, m = first.shape
    positions = _spread_out(len(of[0]), m)
    points = (np.take_along_axis(of[0], positions, 0), np.take_along_axis(of[1], positions, 0))
    begun, ended = _up_to(first), _up_to(last)
    shares = []
    for distance in distances:
        width = _widths(*points, begun, ended, int(distance)) / n
        lam = n * np.prod(width, axis=1)
        rho = np.prod(np.maximum(1 - 1 / np.maximum(n * width, 1), 0), axis=1)
        rho = np.minimum(rho / (1 - 1 / n) ** (m - 1) if n > 1 else rho, 1 - 1e-12)
        none = np.clip(1 - lam * (1 - rho), 0, 1) ** (1 / (1 - rho))
        shares.append(1 - none.mean())
    return np.asarray(shares, float)


def _spread_out(n: int, m: int) -> Rows:
    """Ranks spread evenly over all made-up records: an additive recurrence, without randomness."""
    root = 2.0
    for _ in range(64):
        root = (1 + root) ** (1 / (m + 1))
    steps = root ** -np.arange(1.0, m + 1)
    places = (0.5 + np.outer(np.arange(1, POSITIONS + 1), steps)) % 1
    return np.minimum((places * n).astype(np.intp), n - 1)


def _up_to(ranks: Ints) -> list[Ints]:
    """For each column, how many ranks are at most 0, 1, 2 and so on."""
    return [np.cumsum(np.bincount(column)) for column in ranks.T]


def _widths(
    query_first: Ints,
    query_last: Ints,
    begun: list[Ints],
    ended: list[Ints],
    distance: int,
) -> Floats:
    """For each query and attribute the number of released ranks within a distance."""
    widths = np.empty(query_first.shape)
    for j, (starts, ends) in enumerate(zip(begun, ended, strict=True)):
        last = np.minimum(query_last[:, j] + distance, len(starts) - 1)
        before = np.clip(query_first[:, j] - distance - 1, 0, len(ends) - 1)
        widths[:, j] = starts[last] - ends[before]
    return widths
