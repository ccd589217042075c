"""Which associations of the original a release still shows, and which it invents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import pandas as pd

from verikit._support import html as _html
from verikit._support.plotted import Plotted
from verikit._support.requests import one_of
from verikit.release import TableRelease
from verikit.table import Microdata, microdata
from verikit.utility._itemsets import itemsets, quasi_sensitive, threshold
from verikit.words import count

__all__ = ["RulesKept", "rules_kept"]

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
    release: TableRelease,
    *,
    support: float = 0.08,
    confidence: float = 0.15,
    what: What = "rules",
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
    release is read as it stands; generalized cells are values of their own, so what was generalized
    is lost. For releases in two tables nothing is mined.

    References
    ----------
    [YQ]_ Definition 11, section 7.3

    Examples
    --------
    >>> import verikit as vk
    >>> data, release = vk.load("yq_figure1"), vk.published("yq_figure5")
    >>> rules_kept(data, release, support=0.2, confidence=0.6)
    3 of 6 associations kept, 1 invented
    """
    one_of(what, "what", get_args(What))
    least, sure = threshold(support, "support"), threshold(confidence, "confidence")
    sensitive = frozenset(column.name for column in microdata(data, "rules_kept").schema.sensitive)
    before, after = (_lengths(itemsets(t, least), what, sensitive, sure) for t in (data, release))
    lengths = sorted({*before.values(), *after.values()})
    lines = [_line(length, before, after) for length in lengths]
    names = ["original", "kept", "lost", "invented"]
    return RulesKept(pd.DataFrame(lines, pd.Index(lengths, name="length"), names, dtype=int))


def _lengths(
    found: Mapping[Any, float], what: What, sensitive: frozenset[str], confidence: float
) -> dict[Any, int]:
    if what == "sets":
        return {items: len(items) for items in found}
    return {rule: len(rule[0]) for rule in quasi_sensitive(found, sensitive, confidence)}


def _line(length: int, before: Mapping[Any, int], after: Mapping[Any, int]) -> list[int]:
    old = {one for one, size in before.items() if size == length}
    new = {one for one, size in after.items() if size == length}
    return [len(old), len(old & new), len(old - new), len(new - old)]
