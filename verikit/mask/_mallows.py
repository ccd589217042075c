"""Orders drawn by their distance: the more pairs of values change sides, the less likely."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from verikit._support.arrays import Ints, Rows
from verikit.errors import SchemaError, quoted
from verikit.mask._columns import numbers_by_column, random_order, ranked_columns
from verikit.mask._masking import Drawing, masking
from verikit.models import GUARDED, Guarantee
from verikit.release import TableRelease
from verikit.table import Microdata
from verikit.words import listed

BLOCK = 64  # items that are placed one after the other, in all blocks at once
FLAT = 1e-9  # theta times records from which on all orders are as likely


def find_guarantee(release: TableRelease) -> Guarantee:
    """Find epsilon by the published parameters, and by the table what is the same everywhere."""
    told = release.parameters.get("theta")
    if not isinstance(told, Mapping) or not all(isinstance(v, (int, float)) for v in told.values()):
        raise SchemaError(
            f"The release names theta {quoted(told)}; expected a number for each column by name."
        )
    others = [name for name in release.schema.names if name not in told]
    same = ("the values of each column", *([f"{listed(others, 12)}, as published"] * bool(others)))
    unit = "one place: two people exchanged who are neighbours in the order of each column"
    by_column = {name: float(theta) for name, theta in told.items()}
    return Guarantee("mallows", sum(by_column.values()), unit, same, GUARDED, by_column, True)


@masking(
    promise="another order",
    example={"theta": 0.5},
    words="Each column gets a new order, the likelier the fewer pairs of values change sides.",
    repeatable=True,
    draws=True,
    guarantees=find_guarantee,
)
def mallows(data: Microdata, *, theta: float | Mapping[str, float], seed: int) -> Drawing:
    """Give each column a random order whose chance falls with its distance from the true one.

    The distance is Kendall's: how many pairs of records have their values the other way round. An
    order at distance d is drawn with a chance in proportion to ``exp(-theta * d)``.

    Parameters
    ----------
    data
        The records; categories need an order, by hierarchy or declared.
    theta
        How fast the chance falls: 0 makes all orders equally likely, and the larger, the fewer
        values move. In long columns values move about ``1 / theta`` ranks. One number, or one for
        each column.
    seed
        The secret randomness.

    Returns
    -------
    Masked
        The release, a pure permutation that publishes theta, and the key.

    Raises
    ------
    SchemaError
        If a column holds categories without an order or missing values, or has no theta.
    RecordError
        If a theta is negative or not a number.

    See Also
    --------
    verikit.models.guarantee : what theta guarantees

    References
    ----------
    C. L. Mallows: Non-null ranking models I. Biometrika 44, 1957
    C. Meehan, A. R. Chowdhury, K. Chaudhuri, S. Jha: Privacy implications of shuffling. ICLR 2022,
    a guarantee of the order that values are published in
    [DM]_ sections 2 and 3, by which every mask is a permutation of each column

    Notes
    -----
    Equal values are ranked at random first, a tree without a declared order by its lines, as for
    `rank_swap`. Value after value, from the smallest up, is inserted before so many of the earlier
    ones as a geometric number says that is cut off at their count: the pairs that change sides are
    the sum of these numbers, so each order has just its chance. To apply it to each column of
    microdata by itself is our own. O(n log n) a column.

    Examples
    --------
    >>> import verikit as vk
    >>> release, key = mallows(vk.load("dm_table1"), theta=0.5, seed=7)
    >>> release.parameters["theta"], release.permutation
    ({'X1': 0.5, 'X2': 0.5, 'X3': 0.5}, True)
    """
    names = [column.name for column in ranked_columns(data, "mallows")]
    thetas = numbers_by_column(theta, names, "theta")
    columns = {name: data.scores(name) for name in names}

    def draw(rng: np.random.Generator) -> dict[str, Rows]:
        found = {}
        for name, values in columns.items():
            order = random_order(values, rng)
            found[name] = np.empty(len(order), np.intp)
            found[name][order] = order[order_items(_draw_steps(len(order), thetas[name], rng))]
        return found

    return Drawing(draw, {"theta": thetas}, seed)


def _draw_steps(n: int, theta: float, rng: np.random.Generator) -> Ints:
    """For each item, counted from 0, before how many of the earlier ones it is inserted."""
    places, place = np.arange(1, n + 1), rng.random(n)
    if theta * n < FLAT:
        steps = place * places
    else:  # the inverse of the share of all steps up to each
        steps = np.log1p(place * np.expm1(-theta * places)) / -theta
    found: Ints = np.minimum(steps.astype(np.int64), places - 1)
    return found


def order_items(steps: Ints) -> Ints:
    """Insert items one after the other, each before so many of the earlier ones as it is told.

    Parameters
    ----------
    steps
        For each item before how many of the earlier ones it comes; at most its own number.

    Returns
    -------
    numpy.ndarray
        The items in their order.

    Notes
    -----
    Blocks of items are merged two by two. What a block inserts after another one pushes up each
    place of that one by as many as lie at or before it: places in order, so the count is a binary
    search for all blocks at once. O(n log n).

    Examples
    --------
    >>> order_items(np.array([0, 1, 0, 2])).tolist()
    [1, 3, 0, 2]
    """
    n = len(steps)
    blocks = 1
    while n > BLOCK * blocks:
        blocks *= 2
    size = -(-n // blocks)
    whole = blocks * size
    start = np.arange(whole)
    start[:n] -= steps  # items beyond the last one come last, and move nothing
    inserted = np.ascontiguousarray(start.reshape(blocks, size).T)
    place = inserted.copy()
    for at in range(1, size):
        place[:at] += inserted[at] <= place[:at]
    items = np.argsort(place, axis=0).T
    places = np.take_along_axis(place.T, items, axis=1)
    items = items + np.arange(0, whole, size)[:, None]
    while len(places) > 1:
        places, items = _merge_blocks(places, items)
    return items[0, :n]


def _merge_blocks(places: Ints, items: Ints) -> tuple[Ints, Ints]:
    """Merge each block with the next, which was inserted after it; places are in order."""
    early, late = places[::2], places[1::2]
    pairs, size = early.shape
    apart = np.arange(pairs)[:, None] * (2 * places.size)  # so that one search serves all pairs
    before = (late - np.arange(size) + apart).ravel()  # free places below each late item
    pushed = np.searchsorted(before, (early + apart).ravel(), "right")
    to = np.arange(pairs * size) + pushed
    others = np.ones(2 * pairs * size, np.bool_)
    others[to] = False
    merged, order = np.empty(others.size, np.int64), np.empty(others.size, np.int64)
    merged[to] = (early + pushed.reshape(pairs, size) - np.arange(pairs)[:, None] * size).ravel()
    merged[others] = late.ravel()
    order[to], order[others] = items[::2].ravel(), items[1::2].ravel()
    return merged.reshape(pairs, -1), order.reshape(pairs, -1)
