"""What comparing close matches with chance found, and what may be concluded from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from verikit import words
from verikit._support import html as _html
from verikit._support.arrays import Floats, Ints
from verikit._support.plotted import Plotted
from verikit.errors import RecordError

__all__ = ["Plausibility"]

RARE = 0.05


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Plausibility(Plotted):
    """How far records are from a release, beside how far others are.

    Parameters
    ----------
    null
        Who the others are.
    attributes
        What was compared.
    observed
        The distance of each record to the closest released one.
    points
        The distances looked at.
    share_observed, share_others, error
        The shares of records and of others that match within each, and the error of the latter.
    p
        For each record the share of others that match as closely. A small one warns; a large one
        allows no conclusion.
    hellinger, total_variation, kolmogorov_smirnov
        How much the two distributions differ, each between 0 and 1.
    kolmogorov_smirnov_p, permutation_p
        How often chance alone would make them differ as much: by the Kolmogorov-Smirnov distance,
        and by the Hellinger distance of resampled records.
    success, success_low, success_high
        The share of right links as the intruder estimates it by distances, without knowing one,
        never below that of luck; and its interval (95 %), from resampled records. NaN where
        columns are correlated, for other nulls than made-up records, and for a release alone.
    note
        What should be known of the comparison.
    not_compared
        The published columns that took no part.

    Examples
    --------
    >>> import verikit as vk
    >>> found = vk.plausibility(vk.load("dm_table1"), vk.published("dm_table1_masked"))
    >>> found.to_frame().round(4).head(4)
       distance  records  others  error
    0         0      0.0  0.0025    0.0
    1         1      0.0  0.0586    0.0
    2         2      0.2  0.1899    0.0
    3         3      0.4  0.3014    0.0
    """

    null: str
    attributes: tuple[str, ...]
    observed: Ints
    points: Ints
    share_observed: Floats
    share_others: Floats
    error: Floats
    p: Floats
    hellinger: float
    total_variation: float
    kolmogorov_smirnov: float
    kolmogorov_smirnov_p: float
    permutation_p: float
    success: float
    success_low: float
    success_high: float
    note: str = ""
    not_compared: tuple[str, ...] = ()

    @property
    def differs(self) -> bool:
        """Whether chance alone makes them differ as much in fewer than 5 of 100 cases."""
        return self.permutation_p < RARE

    @property
    def closer(self) -> bool:
        """Whether they differ, and the records are those that match more closely."""
        return self.differs and bool(np.sum(self.share_observed - self.share_others) > 0)

    @property
    def verdict(self) -> str:
        """What may be concluded, and no more."""
        if self.closer:
            return (
                "Records match more closely than the others: an intruder has reason to trust his "
                "links."
            )
        if self.differs:
            return "Records match less closely than the others: they say nothing about these links."
        return "Both match alike, and from that nothing follows: links may be right all the same."

    @property
    def means(self) -> str:
        """What was not compared, and what may be concluded, as ``verdict`` says it."""
        return " ".join(filter(None, (words.not_compared(self.not_compared), self.verdict)))

    @property
    def why(self) -> str:
        """How often chance alone explains the difference, and what the intruder concludes."""
        said = (
            f"Chance alone makes them differ this much {words.chance(self.permutation_p)}. "
            f"{self.own_estimate}"
        )
        return f"{said} {self.note}".strip()

    def to_frame(self) -> pd.DataFrame:
        """Find the two distributions ([DM]_ Tables 5 and 6): the shares at each distance looked at.

        Where not every distance was looked at, a line holds what lies above the one before.
        """
        return pd.DataFrame(
            {
                "distance": self.points,
                "records": np.diff(self.share_observed, prepend=0),
                "others": np.diff(self.share_others, prepend=0),
                "error": self.error,
            }
        )

    def within(self, distance: int) -> float:
        """The share of others that match within a distance; the closest one looked at above it."""
        at = int(np.searchsorted(self.points, distance))
        if at == len(self.points) and self.share_others[-1] < 1:
            raise RecordError(
                f"Distance {distance:g} lies beyond {self.points[-1]:g}, the largest that was "
                "looked at, and not all others match within it; ask for a smaller one."
            )
        return float(self.share_others[min(at, len(self.points) - 1)])

    @property
    def own_estimate(self) -> str:
        """What the intruder concludes of his own links from these distances, in one sentence."""
        n = len(self.observed)
        if not np.isfinite(self.success):
            return "How many links are right cannot be estimated from these distances."
        low, high = self.success_low * n, self.success_high * n
        right = round(self.success * n)
        if low <= 1:
            return (
                f"By distances alone the intruder cannot tell his links from luck: {low:,.0f} to "
                f"{high:,.0f} of {n:,} may be right."
            )
        return (
            f"By distances alone the intruder expects {words.count(right, 'right link')} "
            f"({low:,.0f} to {high:,.0f}); luck gives 1."
        )

    def __repr__(self) -> str:
        n = len(self.observed)
        names = ", ".join(self.attributes)
        said = [
            words.not_compared(self.not_compared),
            f"{words.count(n, 'record')} compared by {names} with others ({self.null}).",
            f"Hellinger distance {self.hellinger:.3f}, p {self.permutation_p:.2g}.",
            f"Kolmogorov-Smirnov {self.kolmogorov_smirnov:.3f}, p {self.kolmogorov_smirnov_p:.2g}.",
            self.verdict,
            self.own_estimate if np.isfinite(self.success) else "",
            self.note,
        ]
        return "\n".join(filter(None, said))

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.to_frame().head(16))
