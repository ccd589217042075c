"""How much the released values in a window of ranks differ ([DM]_ Definition 1, condition 2)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from verikit._support.arrays import Flags, Floats, Ints
from verikit.errors import RecordError, quoted
from verikit.ranks._blocks import RankedColumn
from verikit.table import number
from verikit.words import listed

__all__ = [
    "Criterion", "count_represented", "criteria_by_name", "equally_frequent", "ordered_distance",
    "smallest_diversity", "window_variances",
]  # fmt: skip

Direction: TypeAlias = Literal["more than", "at least", "at most"]

DROPPED = 0.1
TOLERANCE = 1e-9
SMALL = 32
HALF = 2**32  # sums of what is below and above it fit into 64 bits


@dataclass(frozen=True, slots=True)
class Criterion:
    """A way to measure diversity, and which side of a requirement is good.

    Parameters
    ----------
    name
        ``variance`` (the paper's), ``robust variance`` (without the tenth of the values that
        spreads it most), ``distinct``, ``entropy`` (natural logarithm), ``packing`` (how many
        values lie pairwise ``apart``), ``t-closeness``, or ``recursive``: the largest ell for which
        the values are recursively (``c``, ell)-diverse.
    apart
        For packing: the smallest difference that counts, in the attribute's unit.
    c
        For recursive: the most frequent value must occur less than so many times as often as those
        from the ell-th most frequent on together.

    Examples
    --------
    >>> Criterion("variance").direction, Criterion("t-closeness").direction
    ('more than', 'at most')
    >>> window = np.array([1000.0, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 9000])
    >>> [
    ...     round(Criterion(name).measure(window, window), 2)
    ...     for name in MEASURES
    ...     if name not in ("packing", "recursive")
    ... ]
    [6315462.67, 5.25, 9.0, 2.2, 0.0]
    >>> Criterion("recursive", c=1).measure(np.array([1.0, 1, 2, 3, 4]), window)
    2.0
    """

    name: str = "variance"
    apart: float | None = None
    c: float | None = None

    def __post_init__(self) -> None:
        """Refuse unknown names, and packing without a difference."""
        if not isinstance(self.name, str) or self.name not in MEASURES:
            raise RecordError(
                f"There is no diversity criterion {quoted(self.name)}; choose one of "
                f"{', '.join(MEASURES)}.",
                field="criterion",
                value=self.name,
            )
        apart = 0 if self.apart is None else number(self.apart, "apart")
        if self.name == "packing" and not apart > 0:
            raise RecordError(
                "Packing counts values that lie a certain difference apart; give it above 0, as in "
                "Criterion('packing', apart=5)."
            )
        if self.name == "recursive" and not (0 if self.c is None else number(self.c, "c")) > 0:
            raise RecordError(
                "Recursive diversity compares the most frequent value with c times the rarer ones; "
                "give c above 0, as in Criterion('recursive', c=2)."
            )

    @classmethod
    def of(cls, given: str | Criterion) -> Criterion:
        """A criterion given by name or as itself."""
        return given if isinstance(given, Criterion) else cls(given)

    @property
    def direction(self) -> Direction:
        """What a requirement asks: more than, at least, or at most its value."""
        if self.name == "t-closeness":
            return "at most"
        return "more than" if "variance" in self.name else "at least"

    def holds(self, diversity: float, required: float) -> bool:
        """Whether a diversity meets a requirement; entropies as that of so many equal shares."""
        return bool(self.holds_all(np.float64(diversity), required))

    def holds_all(self, diversities: Floats | np.float64, required: float) -> Flags:
        """Whether each of many diversities meets a requirement; columns of an engine do as well."""
        if self.name == "entropy":
            return np.asarray(equally_frequent(diversities) >= equally_frequent(required))
        # operators and not numpy's functions, which refuse what an engine works out
        meets = {"at most": operator.le, "more than": operator.gt, "at least": operator.ge}
        return meets[self.direction](diversities, required)

    def measure(self, window: Floats, column: Floats) -> float:
        """The diversity of sorted values, of a sorted column they are part of."""
        if self.name == "packing":
            return float(_pack_values(window, self.apart or 0))
        if self.name == "recursive":
            return float(count_represented(np.unique(window, return_counts=True)[1], self.c or 0))
        return float(MEASURES[self.name](window, column))


def criteria_by_name(
    given: str | Criterion | Mapping[str, str | Criterion], names: Sequence[str]
) -> dict[str, Criterion]:
    """The criterion of each attribute, given for all or by name; the variance where none is named.

    Examples
    --------
    >>> found = criteria_by_name({"X2": "distinct"}, ["X1", "X2"])
    >>> [criterion.name for criterion in found.values()]
    ['variance', 'distinct']
    """
    if not isinstance(given, Mapping):
        return dict.fromkeys(names, Criterion.of(given))
    unknown = [name for name in given if name not in names]
    if unknown:
        raise RecordError(
            f"The criterion names {listed(unknown)}, which is not among the attributes checked: "
            f"{listed(names, 12)}.",
            field="criterion",
            value=given,
        )
    return {name: Criterion.of(given.get(name, "variance")) for name in names}


def count_represented(counts: Ints, c: float) -> int:
    """The largest ell for which values that occur so often are recursively (c, ell)-diverse.

    References
    ----------
    [KS]_ section 4.3; [DM]_ section 4, which refers to the criteria of l-diversity

    Examples
    --------
    >>> count_represented(np.array([1, 3, 2]), 2), count_represented(np.array([3, 2, 1]), 0.5)
    (2, 0)
    """
    falling = np.sort(counts)[::-1]
    ratios = falling[0] / np.cumsum(falling[::-1])[::-1]  # to all from the ell-th on
    return int(np.count_nonzero(ratios < c))


def _robust_variance(window: Floats, _: Floats) -> float:
    """The smallest variance left after dropping a tenth of the values, rounded up."""
    size = len(window) - int(np.ceil(DROPPED * len(window)))
    if size < 2:
        return 0.0
    firsts = np.arange(1, len(window) - size + 2)
    return float(window_variances(window, firsts, firsts + size - 1).min())


def _measure_entropy(window: Floats, _: Floats) -> float:
    edges = np.flatnonzero(np.r_[True, window[1:] != window[:-1], True])
    shares = np.diff(edges) / len(window)
    return float(-(shares * np.log(shares)).sum()) + 0.0


def equally_frequent(entropy: Floats | float) -> Floats:
    """How many equally frequent values have an entropy; a whole number where it is one to 1e-9.

    Examples
    --------
    >>> equally_frequent(np.array([0.0, 1.0986122886681096, 1.5])).round(4).tolist()
    [1.0, 3.0, 4.4817]
    """
    with np.errstate(over="ignore", invalid="ignore"):  # nothing is as diverse as infinity
        found = np.exp(entropy)
        whole = np.rint(found)
        return np.where(np.abs(found - whole) < TOLERANCE, whole, found)


def _pack_values(window: Floats, apart: float) -> int:
    """The largest number of values pairwise at least ``apart``, taken greedily from the lowest."""
    count, place = 0, 0
    while place < len(window):
        count += 1
        place = int(np.searchsorted(window, window[place] + apart, "left"))
    return count


def ordered_distance(part: Floats, whole: Floats) -> float:
    """The earth mover's distance of two sorted lists over the distinct values of the second.

    Neighbouring values are 1/(number of distinct values - 1) apart.

    Examples
    --------
    >>> ordered_distance(np.array([3.0, 4, 5]), np.array([3.0, 4, 5, 6, 7, 8, 9, 10, 11]))
    0.375
    """
    values = whole[np.r_[True, whole[1:] != whole[:-1]]]
    if len(values) < 2:
        return 0.0
    inside, below = (np.searchsorted(v, values, "right") for v in (part, whole))
    apart = np.abs(inside * len(whole) - below * len(part))  # in whole numbers, so that 3/10 is 0.3
    high, low = (int(half.sum()) for half in np.divmod(apart, HALF))
    return (high * HALF + low) / (len(part) * len(whole) * (len(values) - 1))


MEASURES: Mapping[str, Callable[[Floats, Floats], float]] = {
    "variance": lambda window, _: float(np.var(window)) if window[0] < window[-1] else 0.0,
    "robust variance": _robust_variance,
    "distinct": lambda window, _: 1.0 + np.count_nonzero(window[1:] != window[:-1]),
    "entropy": _measure_entropy,
    "packing": lambda *_: 0.0,
    "t-closeness": ordered_distance,
    "recursive": lambda *_: 0.0,
}


def smallest_diversity(
    column: RankedColumn, first: int, last: int, distance: int, criterion: Criterion
) -> float:
    """The least diverse window over the ranks that the closest value may take.

    Parameters
    ----------
    column
        The released column, sorted.
    first, last
        The first and last rank of the closest value, or of two values that are equally close.
    distance
        Places to each side; windows are cut off at the ends of the column.
    criterion
        The measure; for t-closeness the *largest* value is the least diverse.

    Notes
    -----
    A window inside one block of equal values is the least diverse there is, and ends the search.

    Examples
    --------
    >>> import verikit as vk
    >>> column = vk.published("dm_table1_masked").ordered("X1")
    >>> round(smallest_diversity(column, 8, 8, 4, Criterion("variance")), 2)
    24.7
    """
    worst = max if criterion.direction == "at most" else min
    ranks = range(first, last + 1)
    lower = min(int(column.searchsorted(column[first - 1], "right")), last)
    for begin, end in ((first, lower), (lower + 1, last)):
        if end - begin >= 2 * distance and criterion.direction != "at most":
            ranks = range(begin + distance, begin + distance + 1)
    # only t-closeness compares a window with the whole column, which may have to be sorted first
    whole = np.asarray(column) if criterion.direction == "at most" else np.empty(0)
    measured = (
        criterion.measure(column[max(rank - 1 - distance, 0) : rank + distance], whole)
        for rank in ranks
    )
    return worst(measured)


def window_variances(column: Floats, firsts: Ints, lasts: Ints) -> Floats:
    """The variance of many windows of a sorted column at once.

    Notes
    -----
    O(n) by running sums in extended precision, taken around the middle of the column; windows of
    at most 32 values are measured one by one, where differences of sums would lose digits.
    """
    centred = (column - column[len(column) // 2]).astype(np.longdouble)
    sums = np.concatenate([[0], np.cumsum(centred)])
    squares = np.concatenate([[0], np.cumsum(centred**2)])
    low, high = np.asarray(firsts) - 1, np.asarray(lasts)
    sizes = high - low
    means = (sums[high] - sums[low]) / sizes
    variances = ((squares[high] - squares[low]) / sizes - means**2).astype(np.float64)
    small = np.flatnonzero(sizes <= SMALL)
    for size in np.unique(sizes[small]):
        places = small[sizes[small] == size]
        views = np.lib.stride_tricks.sliding_window_view(column, size)
        variances[places] = views[low[places]].var(axis=1)
    variances[column[low] == column[high - 1]] = 0  # rounding left a trace of nothing
    return np.maximum(variances, 0)
