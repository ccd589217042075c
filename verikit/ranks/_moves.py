"""How far a mask moves ranks, learned from repetitions; and pairs balanced to use each row once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Flags, Floats, Rows
from verikit._support.seed import generator
from verikit.errors import RecordError, quoted
from verikit.ranks._blocks import normal_scores
from verikit.words import listed, text

WINDOW = 0.15
PARTS = 40
BALANCING, ROUNDING = 60, 1e-14  # rounds, and the change below which no more are needed


def estimate_move_densities(start: Floats, end: Floats, n: int) -> Floats:
    """The log density of each displacement, from 1 - n to n - 1, by part of the range.

    Examples
    --------
    Each of four ranks moved up by one in all repetitions but one:

    >>> found = estimate_move_densities(np.array([1.0, 2, 3, 1]), np.array([2.0, 3, 4, 1]), 4)
    >>> found.shape, int(found[0].argmax()) - 3
    ((1, 7), 1)
    """
    parts = max(1, min(PARTS, n // 25))
    part, moved = _part_of_range(start, n, parts), np.rint(end - start).astype(np.intp)
    counts = np.bincount(part * (2 * n - 1) + moved + n - 1, minlength=parts * (2 * n - 1))
    found = counts.reshape(parts, 2 * n - 1).astype(float)
    for line in found:
        line[:] = np.log(_smooth_counts(line) + 1e-7 / n)
    return found


def look_up_densities(density: Floats, start: Floats, end: Floats) -> Floats:
    """The log density of moves from some ranks to others."""
    n = density.shape[1] // 2 + 1
    return density[
        _part_of_range(start, n, len(density)), np.rint(end - start).astype(np.intp) + n - 1
    ]


def mean_log_likelihood(
    by: Sequence[Floats], starts: Sequence[Floats], ends: Sequence[Floats]
) -> float:
    """How well densities tell the moves that they come from: the mean log likelihood."""
    each = zip(by, starts, ends, strict=True)
    return float(sum(look_up_densities(*part).mean() for part in each))


def balance_likelihoods(likelihood: Floats, rows: Rows) -> Floats:
    """Probabilities of pairs: each record's sum to 1, and each row's come close (Sinkhorn).

    ``rows`` holds the candidates of each record; all rows in their order where it is square.

    Examples
    --------
    >>> rows = np.broadcast_to(np.arange(2), (2, 2))
    >>> balance_likelihoods(np.log(np.array([[0.5, 0.5], [0.9, 0.1]])), rows).round(2).tolist()
    [[0.25, 0.75], [0.75, 0.25]]
    """
    chance = likelihood - likelihood.max(axis=1, keepdims=True)
    np.exp(chance, out=chance)
    dense = rows.shape[0] == rows.shape[1]
    by_record, by_row = (chance, chance) if dense else _sparse_of(chance, rows)
    of_row = np.ones(len(rows))
    for _ in range(BALANCING):
        # for a dense product threads would only wait for each other
        given = np.einsum("ij,j->i", chance, of_row) if dense else by_record @ of_row
        of_record = 1 / np.maximum(given, 1e-300)
        used = np.einsum("i,ij->j", of_record, chance) if dense else by_row @ of_record
        before, of_row = of_row, 1 / np.maximum(used, 1e-300)
        if np.all(np.abs(of_row - before) <= ROUNDING * before):
            break
    chance *= of_row if dense else of_row[rows]
    chance /= np.maximum(chance.sum(axis=1, keepdims=True), 1e-300)
    return chance


def _sparse_of(chance: Floats, rows: Rows) -> tuple[Any, Any]:
    """The chances of a few candidates as a matrix by record, and one by row."""
    from scipy.sparse import csr_array

    starts = np.arange(0, rows.size + 1, rows.shape[1])
    by_record = csr_array((chance.ravel(), rows.ravel(), starts), shape=(len(rows), len(rows)))
    return by_record, by_record.T.tocsr()


def _part_of_range(ranks: Floats, n: int, parts: int) -> Rows:
    return np.minimum(((ranks - 0.5) * parts / n).astype(np.intp), parts - 1)


def _smooth_counts(counts: Floats) -> Floats:
    """Counts of displacements as a density, averaged over a window that fits their spread."""
    from scipy.ndimage import uniform_filter1d

    if not counts.any():  # equal values leave parts of the range without a rank
        return counts
    at, total = np.arange(len(counts), dtype=np.float64), counts.sum()
    mean = np.einsum("i,i->", counts, at) / total  # one pass, for which threads would only wait
    spread = np.sqrt(np.einsum("i,i->", counts, (at - mean) ** 2) / total)
    width = max(3, int(WINDOW * spread)) | 1
    for _ in range(2):
        counts = uniform_filter1d(counts, width, mode="constant")
    smooth: Floats = np.maximum(counts, 0)
    smooth /= smooth.sum()
    return smooth


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


def whiten_moves(
    moves: tuple[list[Floats], list[Floats]], middle: tuple[Floats, Floats], alone: float
) -> Whitened:
    """Whiten displacements by the covariance that they have in the repetitions.

    ``moves`` holds the ranks of all repetitions before and after, by attribute, ``middle`` the
    ranks of the two tables, and ``alone`` the mean log likelihood, attribute by attribute.
    """
    n = len(middle[0])
    before, after = (
        np.array([_look_up_normal_scores(column, n) for column in part]) for part in moves
    )
    # what each line of the later scores keeps of the earlier ones, by least squares
    keeps = np.linalg.lstsq(_sum_products(before, before), _sum_products(before, after))[0]
    keeps = keeps.astype(np.float64, copy=False)
    left: Floats = after - np.einsum("jk,ji->ki", keeps, before)
    spread, axes = np.linalg.eigh(_sum_products(left, left) / left.shape[1])
    least = np.maximum(spread, n**-2.0)  # finer than ranks can tell
    white = axes / np.sqrt(least)
    told = np.einsum("ji,ji->", after, after) / after.shape[1] - (spread / least).sum()
    told -= np.log(least).sum() + 2 * len(after) * np.log(n)
    scores = [normal_scores(part, n) for part in middle]
    expected: Floats = keeps @ white
    gain = float(told) / 2 - alone
    return Whitened(scores[0] @ expected, scores[1] @ white, gain, expected, white)


def _sum_products(first: Floats, second: Floats) -> Floats:
    """The sums of products of the lines of two long matrices, for which threads only wait."""
    return np.einsum("ji,ki->jk", first, second)


def _look_up_normal_scores(ranks: Floats, n: int) -> Floats:
    """The normal scores of many ranks; whole and half ones, of which there are few, looked up."""
    twice = np.rint(2 * ranks)
    if (twice != 2 * ranks).any():
        return normal_scores(ranks, n)
    return normal_scores(np.arange(2, 2 * n + 1) / 2, n)[twice.astype(np.intp) - 2]


_Words = npt.NDArray[np.uint64]
PART = 1 << 16


def reverse_map(
    original: npt.ArrayLike,
    masked: npt.ArrayLike,
    *,
    order: Sequence[str] | None = None,
    seed: int,
) -> npt.NDArray[np.generic]:
    """Give each masked value the original value of the same rank ([DM]_ Algorithm 1).

    The result has the values of the original and the ranks of the masked column. Equal masked
    values are ranked at random.

    Parameters
    ----------
    original, masked
        Columns of numbers of the same length, or of words.
    order
        The words from the lowest to the highest, where there are words.
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
    if order is not None:
        ranks = {name: rank for rank, name in enumerate(order)}
        both = [[text(value) for value in np.asarray(part)] for part in (original, masked)]
        unknown = [name for part in both for name in part if name not in ranks]
        if unknown:
            raise RecordError(
                f"{quoted(unknown[0])} is not in the order given, {listed(order)}; add it there."
            )
        x, y = (np.array([ranks[name] for name in part], np.intp) for part in both)
        return np.array(order, object)[reverse_map(x, y, seed=seed).astype(np.intp)]
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
    rows = np.argsort(y)
    ordered = y.take(rows)
    tied = ordered[1:] == ordered[:-1]
    if tied.any():
        _shuffle_ties(rows, tied, x, generator(seed))
    mapped = ordered if ordered.dtype == x.dtype else np.empty_like(x)
    mapped[rows] = np.sort(x)
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
