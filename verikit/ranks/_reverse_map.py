"""Reverse mapping: the original values in the order of the published ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Flags, Rows
from verikit._support.seed import generator
from verikit.errors import RecordError, quoted

_Words = npt.NDArray[np.uint64]
PART = 1 << 16


def reverse_map(
    original: npt.ArrayLike, masked: npt.ArrayLike, *, seed: int
) -> npt.NDArray[np.generic]:
    """Give each masked value the original value of the same rank ([DM]_ Algorithm 1).

    The result has the values of the original and the ranks of the masked column. Equal masked
    values are ranked at random.

    Parameters
    ----------
    original, masked
        Columns of numbers of the same length.
    seed
        Seed for breaking ties; where masked values do not tie it changes nothing.

    Returns
    -------
    numpy.ndarray
        The reverse-mapped column.

    Raises
    ------
    RecordError
        If the columns differ in length or hold values without a rank.

    Notes
    -----
    O(n log n): an argsort of the masked and a sort of the original column. Among equal masked
    values the order follows random keys of the original values, so that the result does not
    depend on the order of the rows.

    References
    ----------
    [DM]_ Algorithm 1, Table 1

    Examples
    --------
    The first record of the running example: 108.18 has rank 14, and so becomes 108.21.

    >>> import verikit as vk
    >>> original, masked = vk.load("dm_table1"), vk.load("dm_table1_masked")
    >>> float(reverse_map(original.scores("X1"), masked.scores("X1"), seed=1)[0])
    108.21
    """
    x, y = np.asarray(original), np.asarray(masked)
    if x.shape != y.shape or x.ndim != 1:
        raise RecordError(
            f"The columns have shapes {x.shape} and {y.shape}; expected two columns of one length."
        )
    for column in (x, y):
        if column.dtype.kind not in "biuf":
            raise RecordError(
                f"A column was given of {column.dtype.name}, with {quoted(column.tolist()[:1])}; "
                "expected numbers: the ranks of text would be those of its letters."
            )
    if any(np.isnan(v).any() for v in (x, y) if v.dtype.kind == "f"):
        raise RecordError("A missing value has no rank; remove or fill missing values first.")
    order = np.argsort(y)
    ordered = y.take(order)
    tied = ordered[1:] == ordered[:-1]
    if tied.any():
        _shuffle_ties(order, tied, x, generator(seed))
    mapped = ordered if ordered.dtype == x.dtype else np.empty_like(x)
    mapped[order] = np.sort(x)
    return mapped


def _shuffle_ties(
    order: Rows,
    tied: Flags,
    original: npt.NDArray[np.generic],
    rng: np.random.Generator,
) -> None:
    """Put the rows of each tied run of ``order`` into an order of random keys, in place.

    Keys are made part by part: fresh memory costs more than the arithmetic.
    """
    begins = np.r_[True, ~tied]
    inside = np.r_[tied, False] | ~begins
    room = np.uint64(64 - int(np.count_nonzero(begins)).bit_length())
    secret = rng.integers(2**64, dtype=np.uint64)
    rows = order[inside]
    keys = np.empty(len(rows), np.uint64)
    done, runs = 0, np.uint64(0)
    for start in range(0, len(order), PART):
        part = slice(start, start + PART)
        run = runs + np.cumsum(begins[part], dtype=np.uint64)
        held = run[inside[part]]
        here = slice(done, done + len(held))
        mixed = _random_keys(original.take(rows[here]), secret)
        keys[here] = (held << room) | (mixed >> (np.uint64(64) - room))
        done, runs = here.stop, run[-1]
    order[inside] = rows.take(np.argsort(keys), out=keys.view(np.intp), mode="clip")


def _random_keys(values: npt.NDArray[np.generic], secret: np.uint64) -> _Words:
    """Scatter values over all 64-bit words by a secret mixing: the same value, the same word."""
    words = (values.astype(np.float64, copy=False) + 0.0).view(np.uint64)
    words ^= secret
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        words ^= words >> np.uint64(shift)
        words *= np.uint64(factor)
    return words
