"""Prior knowledge: what somebody who knows all original combinations makes of a redrawn row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Flags, Floats, Ints
from verikit._support.plotted import Plotted
from verikit._support.seed import generator
from verikit.errors import RecordError, SchemaError
from verikit.release import Redraw, TableRelease, require_redraw
from verikit.table import Microdata, codes_like, require_microdata, shares_of, single_codes
from verikit.words import count, listed

__all__ = ["PriorKnowledge", "prior_knowledge"]

CLOSE = 1e-12


class Combinations:
    """The combinations of values that occur, with how often, and the rows that may be theirs.

    Parameters
    ----------
    codes, counts
        One line a combination, and how many records have it.
    rows
        One line a published row, coded alike.
    """

    def __init__(self, codes: Ints, counts: Ints, rows: Ints) -> None:
        self.codes, self.counts, self.rows = codes, counts, rows
        rng = generator(0)
        self.radix: Any = 2 * rng.integers(2**62, size=codes.shape[1], dtype=np.uint64) + 1

    def without(self, apart: Sequence[int]) -> tuple[Any, Any]:
        """Keys of combinations and rows by all columns but some; equal keys agree in these.

        A key is a random 64-bit sum, by which two unlike combinations are taken for alike with a
        chance below one in a million for a million of them.
        """
        rest = [k for k in range(self.codes.shape[1]) if k not in apart]
        keys = [
            (part[:, rest].astype(np.uint64) * self.radix[rest]).sum(axis=1, dtype=np.uint64)
            for part in (self.codes, self.rows)
        ]
        return keys[0], keys[1]

    def found(self, apart: Sequence[int]) -> tuple[Ints, Ints]:
        """For each row the records that agree with it besides some columns, and the most alike."""
        keys, asked = self.without(apart)
        order = np.argsort(keys)
        starts = np.flatnonzero(np.r_[True, keys[order][1:] != keys[order][:-1]])
        held, counts = keys[order][starts], self.counts[order]
        at = np.minimum(np.searchsorted(held, asked), len(held) - 1)
        there = held[at] == asked
        totals, most = np.add.reduceat(counts, starts), np.maximum.reduceat(counts, starts)
        return np.where(there, totals[at], 0), np.where(there, most[at], 0)

    @cached_property
    def same(self) -> Ints:
        """For each row the number of records with just its values."""
        return self.found(())[0]

    def others(self, column: int) -> Ints:
        """For each row the most records with one combination that differs in just this column."""
        keys, asked = self.without((column,))
        order = np.lexsort((-self.counts, keys))
        ordered = keys[order]
        at = np.minimum(np.searchsorted(ordered, asked), len(order) - 1)
        following = np.minimum(at + 1, len(order) - 1)
        itself = self.codes[order[at], column] == self.rows[:, column]
        place = np.where(itself & (ordered[at] == asked), following, at)
        return np.where(ordered[place] == asked, self.counts[order[place]], 0) * (
            (place != at) | ~itself
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PriorKnowledge(Plotted):
    """What is known of the original values of each row to one who knows all combinations.

    Parameters
    ----------
    unchanged
        The chance that the row is as it was.
    best
        The chance of the likeliest original.
    guess_unchanged
        Whether "nothing changed" is the likeliest, or as likely as any.
    printed_bound, bound
        Proposition 10's bound on the chance of the likeliest, and one that holds; no number where
        several attributes were changed, for which there is neither, and where the first is 0/0.
    """

    unchanged: Floats
    best: Floats
    guess_unchanged: Flags
    printed_bound: Floats
    bound: Floats

    def __len__(self) -> int:
        return len(self.best)

    def __repr__(self) -> str:
        return (
            f"prior knowledge: {100 * self.best.mean():.3g} % of the {count(len(self), 'row')} are "
            f"guessed right to expect, {int(self.guess_unchanged.sum()):,} by 'nothing changed'"
        )

    def to_frame(self) -> pd.DataFrame:
        """One line a row."""
        names = ("unchanged", "best", "guess_unchanged", "printed_bound", "bound")
        return pd.DataFrame({name: getattr(self, name) for name in names})

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.to_frame().head(12))


def prior_knowledge(data: Microdata, release: TableRelease) -> PriorKnowledge:
    """Find how well the original values of each row are guessed by one who knows all combinations.

    Parameters
    ----------
    data
        The original, of whose quasi-identifiers he knows every combination and how often it occurs.
    release
        A release of `verikit.mask.randomize`.

    Returns
    -------
    PriorKnowledge
        For each row the posterior chance that it is as it was, and that of the best guess.

    Raises
    ------
    SchemaError
        If the release tells no probabilities, the original lacks one of its quasi-identifiers, or
        values are missing.
    RecordError
        If a row cannot come from this original.

    Notes
    -----
    A record becomes the row with a known chance; with how often each combination occurs these give
    the posterior (6), here for any probabilities and any number of changed attributes. The bound of
    Proposition 10 does not hold: its step (8) needs that what is asked for is no more frequent than
    what is left after deleting a value. The larger of supp(q')/min supp(q'-q'_i) and
    max supp(q)/supp(q'-q'_w) bounds it. O(n log n) for each set of changed attributes, of which
    there are up to 2^m.

    References
    ----------
    [YQ]_ section 4.2.2, formula (6), Proposition 10, section 6

    Examples
    --------
    The third row, a clerk of 20 to 30 in the USA, does not occur in the original: her age was
    changed for certain, and the best guess is right with 1/2 rather than 17 %.

    >>> import verikit as vk
    >>> found = prior_knowledge(vk.load("yq_figure1"), vk.published("yq_figure5"))
    >>> found.to_frame().loc[2, ["unchanged", "best"]].tolist()
    [0.0, 0.5]
    """
    require_microdata(data, "prior_knowledge")
    told = require_redraw(release, "prior_knowledge")
    known, shares = _find_combinations(data, release, told)
    chances = told.transition_chances(told.names, shares)
    total, best = _find_posterior(known, told, shares, chances)
    if (total <= 0).any():
        row = int(np.argmin(total))
        raise RecordError(
            f"Row {row + 1} of the release cannot come from any record of this original; give the "
            "table that it was made from."
        )
    unchanged = known.same * chances[:, 0] / total
    printed, bound = _find_bounds(known, told, shares)
    return PriorKnowledge(
        unchanged, best / total, unchanged >= best / total - CLOSE, printed, bound
    )


def _find_combinations(
    data: Microdata, release: TableRelease, told: Redraw
) -> tuple[Combinations, Floats]:
    """Find the combinations of the original, and by row the shares of its values."""
    lacking = [name for name in told.names if name not in data.schema.names]
    if lacking:
        raise SchemaError(f"The original lacks {listed(lacking)}, which the release holds.")
    columns, rows, shares = [], [], []
    for name in told.names:
        codes, values = single_codes(data.frame[name], name, "the original")
        own, found = codes_like(release.frame[name], values, name, "the release")
        columns.append(codes)
        rows.append(own)
        shares.append(shares_of(codes, len(found))[own])
    codes, counts = np.unique(np.column_stack(columns), axis=0, return_counts=True)
    return Combinations(codes, counts, np.column_stack(rows)), np.column_stack(shares)


def _find_posterior(
    known: Combinations, told: Redraw, shares: Floats, chances: Floats
) -> tuple[Floats, Floats]:
    """By row the weight of all originals, and of the likeliest.

    A combination that agrees in more columns than a set leaves is likelier than what the set says
    of it, so the largest over all sets is that of the likeliest.
    """
    total, best = np.zeros(len(shares)), known.same * chances[:, 0]
    only = told.chances_by_set(told.names)
    for number in np.flatnonzero((chances > 0).any(axis=0)).tolist():
        apart = [k for k in range(len(told.names)) if number >> k & 1]
        records, most = known.found(apart)
        total += only[number] * shares[:, apart].prod(axis=1) * records
        best = np.maximum(best, most * chances[:, number])
    return total, best


def _find_bounds(known: Combinations, told: Redraw, shares: Floats) -> tuple[Floats, Floats]:
    """Proposition 10's bound and one that holds, where one attribute is changed."""
    if told.changed > 1:
        nothing = np.full(len(shares), np.nan)
        return nothing, nothing
    m = len(told.names)
    weighed = shares * np.array(told.weights)
    rest = np.column_stack([known.found((k,))[0] for k in range(m)])
    others = np.column_stack([known.others(k) for k in range(m)])
    with np.errstate(divide="ignore", invalid="ignore"):
        first = known.same / rest.min(axis=1)
        parts = np.where(rest > 0, others / rest, 0.0)
    likeliest = (others * weighed).max(axis=1, keepdims=True)
    of_best = np.where(others * weighed >= likeliest - CLOSE, weighed, 0).max(axis=1)
    printed = np.maximum(first, of_best / weighed.sum(axis=1))
    return printed, np.maximum(np.nan_to_num(first), parts.max(axis=1))
