"""How closely made-up records match a release: the volume of a union of boxes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verikit._support.arrays import Floats, Ints
from verikit.errors import InfeasibleError
from verikit.ranks._union_volume import union_volumes
from verikit.ranks.luck._boxes import boxes
from verikit.ranks.luck._drawn import Blocks, by_rank

__all__ = ["exact"]


BOXES = 1 << 16
PATIENCE = 1e8  # looks at a box: some 20 seconds


def exact(
    first: Ints, last: Ints, distances: Sequence[int] | Ints, drawn: Blocks | None = None
) -> Floats:
    """The share of all made-up records that match within each distance, without sampling.

    Made-up records draw each value from its column, independently. Each released record is
    matched by a box of them; the share is the volume of the union of these boxes.

    Parameters
    ----------
    first, last
        The blocks of the released records.
    distances
        The distances asked for.
    drawn
        What made-up records are drawn from.

    Returns
    -------
    numpy.ndarray
        One share a distance.

    Raises
    ------
    InfeasibleError
        If there are too many records and attributes for an exact answer.

    References
    ----------
    [DM]_ section 5.2, Table 5

    Examples
    --------
    Of the 8000 records that can be put together from the running example, 20 match exactly and
    489 within one place.

    >>> import verikit as vk
    >>> masked = vk.load("dm_table1_masked")
    >>> names = ("X1", "X2", "X3")
    >>> ranks = np.column_stack([vk.ranks.blocks(masked.scores(name))[0] for name in names])
    >>> (8000 * exact(ranks, ranks, [0, 1, 8])).tolist()
    [20.0, 489.0, 8000.0]
    """
    n, m = first.shape
    of = by_rank(first, last) if drawn is None else drawn
    cells = float(np.prod([len(of[0])] * m, dtype=float))
    at_once = max(1, BOXES // max(n, 1))
    shares = []
    for start in range(0, len(distances), at_once):
        asked = distances[start : start + at_once]
        each = [_without_copies(*boxes(first, last, int(distance), of)) for distance in asked]
        low, high = (np.concatenate(ends) for ends in zip(*each, strict=True))
        union = np.repeat(np.arange(len(each)), [len(ends[0]) for ends in each])
        volumes = union_volumes(low, high, union, PATIENCE * len(each))
        if np.isnan(volumes).any():
            raise InfeasibleError(
                f"{n:,} records of {m} attributes are too many for an exact share of matches; "
                "use the null 'karp_luby', which shows its error, or 'closed_form'."
            )
        shares.append(volumes / cells)
    return np.concatenate(shares) if shares else np.zeros(0)


def _without_copies(low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Each box once; boxes of untied records are few copies, if any, and stay as they are."""
    if len(np.unique(low[:, 0])) > len(low) / 2:
        return low, high
    corners = np.unique(np.column_stack([low, high]), axis=0)
    return np.ascontiguousarray(corners[:, : low.shape[1]]), np.ascontiguousarray(
        corners[:, low.shape[1] :]
    )
