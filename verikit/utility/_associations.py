"""Compare the associations of original and release: item sets, rules and their support."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import count_codes
from verikit._support.html import cell
from verikit._support.plotted import Plotted
from verikit._support.requests import one_of, share
from verikit.errors import RecordError
from verikit.ranks import Block, blocks
from verikit.release import Probabilities, Redraw, Release
from verikit.table import Microdata, code_of_value, require_microdata, require_table, single_codes
from verikit.utility._itemsets import itemsets, quasi_sensitive
from verikit.words import count, listed

if TYPE_CHECKING:
    from verikit.utility._information_loss import Noise


What: TypeAlias = Literal["rules", "sets"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RulesKept(Plotted):
    """The associations that original and release share, by length.

    Parameters
    ----------
    by_length
        One line a length, the number of values (of rules: of those on the left): how many
        associations the original has, and how many are kept, lost and invented.
    """

    by_length: pd.DataFrame

    @property
    def kept(self) -> int:
        """How many associations of the original the release shows too."""
        return int(self.by_length["kept"].sum())

    @property
    def share(self) -> float:
        """The relative percentage, as a share; no number where the original has none."""
        total = int(self.by_length["original"].sum())
        return self.kept / total if total else float("nan")

    @property
    def means(self) -> str:
        """How many rules survive, in one sentence."""
        total, new = (int(self.by_length[name].sum()) for name in ("original", "invented"))
        return f"{self.kept:,} of {count(total, 'rule')} survive, {new:,} invented."

    @property
    def why(self) -> str:
        """What it does not mean that a rule survives."""
        return (
            "A rule that survives need not be as strong as it was, and an invented one holds for "
            "nobody but the published rows. That few survive does not mean that people are safe."
        )

    def __repr__(self) -> str:
        total, new = (int(self.by_length[name].sum()) for name in ("original", "invented"))
        return f"{self.kept:,} of {total:,} associations kept, {new:,} invented"

    def to_frame(self) -> pd.DataFrame:
        """One line a length."""
        return self.by_length

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.by_length.reset_index())


def rules_kept(
    data: Microdata,
    release: Release,
    *,
    support: float = 0.08,
    confidence: float = 0.15,
    what: What = "rules",
    spread: bool = True,
) -> RulesKept:
    """Compare the associations of a release with those of its original.

    Parameters
    ----------
    data
        The original.
    release
        What was published of it.
    support
        The share of the records that must hold all values of an association.
    confidence
        Of the records that hold the quasi-identifying values of a rule, the share that must hold
        the sensitive ones.
    what
        ``"rules"`` from quasi-identifying to sensitive values, or ``"sets"`` of any values.
    spread
        Whether a generalized cell is spread evenly over the values that it covers, each column by
        itself; else it is a value of its own, and what was generalized is lost.

    Returns
    -------
    RulesKept
        How many were kept, lost and invented, by length.

    Raises
    ------
    RecordError
        If a threshold is no share above 0, or there is no such kind of association.
    SchemaError
        If a table has no record, or values are missing.
    FormatError
        If mlxtend is not installed.

    Notes
    -----
    The paper's figure of lengths reads as sets over all attributes, its relative percentage as
    rules; on Adult the two lead to quite different numbers, so it must be said which is meant. The
    release is read as it stands, but for generalized cells: of these the support is the one to
    expect if every value that a cell covers is equally likely (or as the weights of its tree say)
    and the columns of a row have nothing to do with each other. Of tables joined by groups it is
    the one to expect if every link inside a group is equally likely, as Figure 7 asks.

    References
    ----------
    [YQ]_ Definition 11, formulas (12) and (13), section 7.3, Figure 7

    Examples
    --------
    >>> import verikit as vk
    >>> data, release = vk.load("yq_figure1"), vk.published("yq_figure5")
    >>> rules_kept(data, release, support=0.2, confidence=0.6)
    3 of 6 associations kept, 1 invented
    """
    one_of(what, "what", get_args(What))
    least = share(support, "support", above=True)
    sure = share(confidence, "confidence", above=True)
    sensitive = frozenset(
        column.name for column in require_microdata(data, "rules_kept").schema.sensitive
    )
    before, after = (
        _find_lengths(itemsets(t, least, spread=spread), what, sensitive, sure)
        for t in (data, release)
    )
    lengths, lines = sorted({*before.values(), *after.values()}), []
    for length in lengths:
        old, new = ({one for one, n in of.items() if n == length} for of in (before, after))
        lines.append([len(old), len(old & new), len(old - new), len(new - old)])
    names = ["original", "kept", "lost", "invented"]
    return RulesKept(pd.DataFrame(lines, pd.Index(lengths, name="length"), names, dtype=int))


def _find_lengths(
    found: Mapping[Any, float], what: What, sensitive: frozenset[str], confidence: float
) -> dict[Any, int]:
    if what == "sets":
        return {items: len(items) for items in found}
    return {rule: len(rule[0]) for rule in quasi_sensitive(found, sensitive, confidence)}


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
    require_table(data, "support_change")
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
        holds = codes == code_of_value(value, found, data.schema[name])
        shares.append(float(holds.mean()))
        apart |= (~holds).astype(np.int64) << k
    chance = told.transition_chances(asked, np.array(shares))
    count = count_codes(apart, len(chance))
    n, support = len(data), float(count[0]) / len(data)
    expected = float(count @ chance) / n
    spread = float(count @ (chance * (1 - chance))) / n**2
    if not support:
        return SupportChange(0.0, expected, nan, nan)
    return SupportChange(support, expected, expected / support - 1, spread / support**2)


class Way(NamedTuple):
    """One value of one record on its way, and the places it may take before and after."""

    attribute: str
    records: int
    original: float
    masked: float
    mapped: float
    before: Block
    after: Block

    @property
    def values(self) -> tuple[float, float, float]:
        """The value as it was, with noise, and after reverse mapping."""
        return self.original, self.masked, self.mapped

    @property
    def moved(self) -> int:
        """The fewest places between the two, upwards positive."""
        up, down = self.after.first - self.before.last, self.before.first - self.after.last
        return up if up > 0 else -max(down, 0)

    @property
    def means(self) -> str:
        """What became of the value, in one sentence."""
        towards = "up" if self.moved > 0 else "down"
        moved = f"{count(abs(self.moved), 'place')} {towards}" if self.moved else "by no place"
        return f"{cell(self.original)} becomes {cell(self.mapped)}: the noise moved it {moved}."

    @property
    def why(self) -> str:
        """Which places it had, and which part of its noise changed none."""
        before, after = map(_find_value_places, (self.before, self.after))
        moved, left = map(_write_signed, (self.masked - self.original, self.masked - self.mapped))
        return (
            f"Its {self.attribute}, {cell(self.original)}, has {before} of {self.records:,}. With "
            f"noise it is {cell(self.masked)} and has {after}; the original value of that place is "
            f"{cell(self.mapped)}. Of the noise, {moved}, this leaves {left}, which changes no "
            "place."
        )


def way(data: Microdata, masked: Microdata, noise: Noise, name: str, row: int) -> Way:
    """Follow one value of one record from the original through the noise to its place."""
    original, changed = data.scores(name), masked.scores(name)
    return Way(
        name,
        len(data),
        float(original[row]),
        float(changed[row]),
        float(noise.mapped[name].iloc[row]),
        Block(*(int(ranks[row]) for ranks in blocks(original))),
        Block(*(int(ranks[row]) for ranks in blocks(changed))),
    )


def _find_value_places(block: Block) -> str:
    if block.first == block.last:
        return f"place {block.first:,}"
    return f"a place from {block.first:,} to {block.last:,}"


def _write_signed(value: float) -> str:
    return f"{'+' if value >= 0 else '−'}{cell(abs(value))}"
