"""Presence: whether a person can be shown to be in the data at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Floats, Rows
from verikit._support.plotted import Plotted
from verikit.intruder._aligned import aligned
from verikit.release import SplitRelease
from verikit.table import Microdata
from verikit.words import EVEN_WAYS

__all__ = ["Presence", "presence"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Presence(Plotted):
    """For each person how likely it is, seen from a release, that such a record was in the data.

    Parameters
    ----------
    people
        What is known of each person.
    groups
        How many groups her values fit.
    lemma
        The chance that one given row of a group holds all her values, at most over the groups.
    exact
        The chance that some record of the data held them all.
    """

    people: pd.DataFrame
    groups: Rows
    lemma: Floats
    exact: Floats

    def __len__(self) -> int:
        return len(self.people)

    def __repr__(self) -> str:
        certain = int(np.count_nonzero(self.exact >= 1))
        rest = self.exact[self.exact < 1]
        others = (
            f", at most {rest.max():.2g} likely for the others, {EVEN_WAYS}" if len(rest) else ""
        )
        return f"presence: certain for {certain:,} of {len(self):,} people{others}."

    def to_frame(self) -> pd.DataFrame:
        """The chances, one line a person."""
        chances = {"groups": self.groups, "lemma": self.lemma, "exact": self.exact}
        return pd.concat([self.people, pd.DataFrame(chances)], axis=1)

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.to_frame().head(12))


def presence(data: Microdata, release: SplitRelease) -> Presence:
    """How likely it is, seen from the release, that records with these values were in the data.

    That is so if every way to undo the shuffling is equally likely. Whoever learns from the whole
    table which values go with which may do better.

    Parameters
    ----------
    data
        The people an intruder knows by their quasi-identifiers, in the data or not.
    release
        What was published in two tables.

    Returns
    -------
    Presence
        For each person the paper's bound and the exact chance.

    Raises
    ------
    SchemaError
        If the release is no pair of tables, or the people lack one of its quasi-identifiers.

    Notes
    -----
    The paper's bound is the chance for *one given row* of a group and does not bound the chance
    for the group, which is up to as many times larger as the group has rows. The exact chance
    counts every way to align the shuffled columns of a group; groups are independent. Where rows
    stand as they are, as in anatomy, presence is certain. O(groups) for each kind of person.

    References
    ----------
    [LHCC]_ Lemma 1, Example 3

    Examples
    --------
    Bob's age and sex in the permuted tables: 2/25 for one given row, 2/5 for the group.

    >>> import verikit as vk
    >>> found = presence(vk.load("lhcc_table1"), vk.published("lhcc_table4"))
    >>> print(*found.to_frame().loc[0])
    65 M 1 0.08 0.4
    """
    known = aligned(data, release, "presence")
    align = known.alignment
    found = [(len(fit.groups), align.lemma(fit), align.presence(fit)) for fit in known.fits()]
    groups, lemma, exact = (np.array(part)[known.kind] for part in zip(*found, strict=True))
    return Presence(known.people, groups, lemma, exact)
