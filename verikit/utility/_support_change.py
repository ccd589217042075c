"""How far a random redrawing moves the support of some values: bias and variance, exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan

import numpy as np

from verikit.errors import RecordError
from verikit.release import Probabilities, Redraw
from verikit.table import Microdata, checked_table, place_of, single_codes
from verikit.words import listed

__all__ = ["SupportChange", "support_change"]


@dataclass(frozen=True, slots=True, repr=False)
class SupportChange:
    """What becomes of the share of records that hold some values.

    Parameters
    ----------
    support
        The share in the original.
    expected
        The share to expect in a release.
    bias, variance
        The mean and the variance of the relative difference of the two; no number where no record
        of the original holds the values.
    """

    support: float
    expected: float
    bias: float
    variance: float

    def __repr__(self) -> str:
        return (
            f"support {self.support:.4g}, {self.expected:.4g} to expect: relative bias "
            f"{self.bias:+.4g}, variance {self.variance:.4g}"
        )


def support_change(
    data: Microdata,
    values: Mapping[str, object],
    *,
    changed: int = 1,
    probabilities: Probabilities = "equal",
) -> SupportChange:
    """Work out what a random redrawing does to the share of records that hold some values.

    Parameters
    ----------
    data
        The original, whose shares are drawn from.
    values
        Values of quasi-identifiers by name; values of columns that stay as they are may be among
        them.
    changed, probabilities
        As `verikit.mask.randomize` takes them; ``"equal"`` by default.

    Returns
    -------
    SupportChange
        The support before, the one to expect, and bias and variance of the relative difference.

    Raises
    ------
    SchemaError
        If there is no quasi-identifier or no record, or values are missing.
    RecordError
        If no value is asked for, or so many attributes cannot be changed.

    Notes
    -----
    Each record holds the values in the release with a chance of its own, independently of all
    others; these chances are added up. Formula (11) in print does not fall with the number of
    records and is too large or too small; for one changed attribute and equal probabilities the
    variance here is [s A(1-A) + sum (s_i - s) B_i(1-B_i)]/(n s²) with A = 1 - |q|/m + sum P_i/m
    and B_i = P_i/m. Under Algorithm 2 all ways to lose the values count, as in (9).

    References
    ----------
    [YQ]_ Proposition 12, formulas (4), (5), (10) and (11), section 6

    Examples
    --------
    >>> import verikit as vk
    >>> support_change(vk.load("yq_figure1"), {"Job": "Clerk", "Country": "USA"})
    support 0.2, 0.2267 to expect: relative bias +0.1333, variance 0.3067
    """
    checked_table(data, "support_change")
    if not isinstance(values, Mapping) or not values or not set(values) <= set(data.schema.names):
        raise RecordError(
            f"The values name {listed(values, 12) if isinstance(values, Mapping) else 'nothing'}; "
            f"expected some of the columns {listed(data.schema.names, 12)}."
        )
    told = Redraw.of([c.name for c in data.schema.quasi], changed, probabilities)
    asked, shares = list(values), []
    apart = np.zeros(len(data), np.int64)
    for k, (name, value) in enumerate(values.items()):
        codes, found = single_codes(data.frame[name], name, "the table")
        holds = codes == place_of(value, found, data.schema[name])
        shares.append(float(holds.mean()))
        apart |= (~holds).astype(np.int64) << k
    chance = told.becomes(asked, np.array(shares))
    count = np.bincount(apart, minlength=len(chance))
    n, support = len(data), float(count[0]) / len(data)
    expected = float(count @ chance) / n
    spread = float(count @ (chance * (1 - chance))) / n**2
    if not support:
        return SupportChange(0.0, expected, nan, nan)
    return SupportChange(support, expected, expected / support - 1, spread / support**2)
