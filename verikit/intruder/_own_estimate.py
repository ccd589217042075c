"""How many of his links an intruder takes for right, without knowing one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from verikit._support.plotted import Plotted
from verikit.intruder._compared import compared
from verikit.intruder._link import informed
from verikit.intruder._plausibility import plausibility
from verikit.release import TableRelease
from verikit.table import Microdata
from verikit.words import not_compared

__all__ = ["OwnEstimate", "own_estimate"]

Z = 1.959963984540054


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OwnEstimate(Plotted):
    """How many links an intruder expects to be right.

    Parameters
    ----------
    records
        The number of records.
    links, low, high
        The right links that he expects, never below the one that luck gives, and between which
        numbers (95 %).
    by
        What he goes by: the probabilities of ``"published_mechanism"`` or ``"undo_pairs"``, or
        the ``"distances"`` alone.
    not_compared
        The published columns that he does not link by.

    Examples
    --------
    >>> import verikit as vk
    >>> release, key = vk.mask.noise(vk.simulate("dm", 200, seed=1), scale=3, seed=2)
    >>> own_estimate(vk.simulate("dm", 200, seed=1), release).from_luck
    True
    """

    records: int
    links: float
    low: float
    high: float
    by: str
    not_compared: tuple[str, ...] = ()

    @property
    def from_luck(self) -> bool:
        """Whether they cannot be told from luck, which gives one."""
        return self.low <= 1

    def __repr__(self) -> str:
        left = not_compared(self.not_compared)
        return f"{left}\n{self._expected()}" if left else self._expected()

    def _expected(self) -> str:
        interval = f"from {self.low:,.0f} to {self.high:,.0f}"
        if self.from_luck:
            return (
                f"What the intruder expects cannot be told from luck: {interval} of "
                f"{self.records:,} links right by {self.by}, where luck gives 1."
            )
        return (
            f"The intruder expects {self.links:,.0f} of {self.records:,} links to be right by "
            f"{self.by} ({interval}); luck gives 1."
        )


def own_estimate(
    data: Microdata, release: TableRelease, *, attributes: Sequence[str] | None = None
) -> OwnEstimate:
    """Estimate how many links are right, as the intruder can without knowing one.

    Parameters
    ----------
    data, release
        The original and what was published.
    attributes
        What to link by; by default all attributes with an order in both tables.

    Returns
    -------
    OwnEstimate
        The number and its interval, and whether it can be told from luck.

    Raises
    ------
    RecordError, SchemaError
        As `link` raises them.

    References
    ----------
    [DM]_ section 5.1, which leaves the intruder without a way to tell

    Notes
    -----
    Where the method can be repeated, each link has a probability, and these are added up. The
    interval is that of the sum of so many throws. The sum is 4 to 26 % too low where links are
    many, and right within a tenth where they are few. Else distances are compared with those of
    made-up records (`plausibility`), with an interval from resampled records that is much wider;
    where columns are correlated, these tell nothing and the interval is all there is.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.simulate("dm", 200, seed=1)
    >>> own_estimate(data, vk.mask.rank_swap(data, percent=20, seed=2).release)
    The intruder expects 200 of 200 links to be right by undo_pairs (from 200 to 200); luck gives 1.
    """
    tables = compared(data, release, attributes)
    links = informed(data, release, tables)
    n = len(data)
    if links is None:
        told = plausibility(data, release, null="closed_form", attributes=attributes)
        found = np.array([told.success, told.success_low, told.success_high])
        found[np.isnan(found)] = np.array([1 / n, 0, 1])[np.isnan(found)]  # correlated columns
        expected, low, high = map(float, found * n)
        return OwnEstimate(n, expected, low, high, "distances", tables.not_compared)
    right = 1 - links.measure
    sure, half = float(right.sum()), Z * float(np.sqrt((right * (1 - right)).sum()))
    low, high = max(0, sure - half), min(n, sure + half)
    return OwnEstimate(n, max(1.0, sure), low, high, links.attack, tables.not_compared)
