"""How closely made-up records match a release, estimated from points in boxes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verikit._support.arrays import Floats, Ints
from verikit._support.seed import generator
from verikit.ranks._nearest import counts_within
from verikit.ranks.luck._boxes import boxes
from verikit.ranks.luck._drawn import Blocks, by_rank

__all__ = ["karp_luby"]


def karp_luby(
    first: Ints,
    last: Ints,
    distances: Sequence[int] | Ints,
    drawn: Blocks | None = None,
    *,
    draws: int = 20_000,
    seed: int = 0,
) -> tuple[Floats, Floats]:
    """The same share as `exact`, estimated for any number of records and attributes.

    A box is drawn by its volume and a point in it; one over the number of boxes that cover the
    point averages to the covered share of the boxes' total volume.

    Returns
    -------
    tuple
        One share and its standard error a distance.

    Examples
    --------
    >>> from verikit.ranks.luck import exact
    >>> import verikit as vk
    >>> data = vk.simulate("dm", 200, seed=5)
    >>> ranks = np.column_stack([vk.ranks.blocks(data.scores(n))[0] for n in data.schema.names])
    >>> share, error = karp_luby(ranks, ranks, [4])
    >>> bool(abs(share - exact(ranks, ranks, [4])) < 4 * error), bool(error < share / 100)
    (True, True)
    """
    of = by_rank(first, last) if drawn is None else drawn
    found = [_union_share(first, last, int(d), of, draws, seed) for d in distances]
    shares, errors = np.asarray(found, float).reshape(-1, 2).T
    return shares, errors


def _union_share(
    first: Ints, last: Ints, distance: int, drawn: Blocks, draws: int, seed: int
) -> tuple[float, float]:
    rng = generator(seed)
    low, high = boxes(first, last, distance, drawn)
    volumes = np.prod((high - low) / len(drawn[0]), axis=1)
    total = volumes.sum()
    if not total:
        return 0.0, 0.0
    box = np.searchsorted(np.cumsum(volumes), rng.random(draws) * total).clip(max=len(low) - 1)
    inside = rng.random((draws, first.shape[1])) * (high - low)[box]
    rank = np.minimum(low[box] + np.floor(inside), high[box] - 1).astype(np.intp)
    points = (np.take_along_axis(drawn[0], rank, 0), np.take_along_axis(drawn[1], rank, 0))
    weight = 1 / counts_within(*points, first, last, distance)
    share = min(float(total * weight.mean()), 1.0)
    return share, float(total * weight.std() / np.sqrt(draws))
