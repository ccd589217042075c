"""Whether a match is closer than chance would make it, and what the publisher's word adds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit._support.seed import generator
from verikit.ranks import (
    Reach,
    blocks,
    blocks_in,
    closest_others,
    luck,
    ordered_blocks,
    relate_values,
)
from verikit.ranks.null_models import correlated
from verikit.subject.masked._find import Findings, list_names

LINKS_ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Chance:
    """How often others match as closely as she does.

    Parameters
    ----------
    made_up, error
        The share of made-up records, each value drawn from its column, that match as closely; and
        its standard error, 0 where it is exact.
    others, others_error
        The share of published records that match another one as closely, each looked at as she
        is, she counted in; and its standard error, 0 where every record was asked.
    least
        The smallest share that any match could have had: that of a match at 0 places.
    asked
        How many published records were looked at.
    independent
        Whether the columns are nearly independent, so that made-up records make sense; of columns
        without an order this is not said.
    alpha
        The share of people not in the table who are warned by mistake.
    looks
        Among how many looks at the table this share is divided.
    """

    made_up: float
    error: float
    others: float
    others_error: float
    least: float
    asked: int
    independent: bool
    alpha: float
    looks: int

    @property
    def limit(self) -> float:
        """The share up to which chance is no explanation."""
        return self.alpha / self.looks

    @property
    def warns(self) -> bool:
        """Whether such a close match is hard to explain by chance (S6)."""
        return self.others <= self.limit

    @property
    def blind(self) -> bool:
        """Whether no match at all could have warned her (S6')."""
        return self.least > self.limit

    @property
    def disagree(self) -> bool:
        """Whether the two shares lie on different sides of the limit."""
        return (self.made_up <= self.limit) != (self.others <= self.limit)


def compare_with_chance(findings: Findings, alpha: float, looks: int = 1) -> Chance | None:
    """Compare her match with made-up and with other records; None where no test is possible.

    A record with a missing value may match anybody on that attribute, and is asked nothing itself;
    one that shows nothing is left out. It needs scipy.

    References
    ----------
    [DM]_ section 5.2, last paragraph
    """
    if len(findings.attributes) < 2 or len(findings.release) < 2 or not find_spec("scipy"):
        return None
    named = zip(findings.attributes, findings.values, strict=True)
    pairs = sorted(named, key=lambda pair: (pair[0].kinship is not None, pair[0].column.name))
    some: slice | Flags = slice(None)
    complete = None
    if any(a.missing for a in findings.attributes):
        gaps = np.column_stack([np.isnan(values) for values in findings.values])
        some = np.logical_not(gaps.all(axis=1))
        complete = np.logical_not(gaps[some].any(axis=1))
        if np.count_nonzero(complete) < 2:
            return None
    # the ranks of all released records, attribute by attribute, and how they are related to hers
    ends = [(np.empty((len(findings.values[0]), 0), np.int64),) * 2]
    unordered = []
    for a, values in pairs:
        order = findings.release.order(a.column.name)
        if a.kinship is not None:
            cells = list_names(values[some], a.names)
            unordered.append(relate_values(cells, cells, a.column.hierarchy))
        elif a.missing:  # a missing value has all ranks
            low, high = blocks_in(a.ordered, values)
            low[np.isnan(values)] = 0  # told apart from the lowest value, which is no copy of it
            ends.append((low, high))
        else:
            sorted_values = np.asarray(a.ordered)
            ends.append(blocks(values) if order is None else ordered_blocks(sorted_values, order))
    first, last = (np.column_stack(side)[some] for side in zip(*ends, strict=True))
    reach, places = Reach(first, last, unordered), findings.distance
    known = None if complete is None else reach.order[complete[reach.order]]
    ordered = [np.asarray(a.ordered) for a, _ in pairs if a.kinship is None]
    middle = first + last if known is None else (first + last)[known]
    return Chance(
        **measure_made_up(reach, first, last, places, known)._asdict(),
        **measure_strangers(reach, ordered, (first, last), places, alpha / looks, known)._asdict(),
        independent=not unordered and not correlated(middle),
        alpha=alpha,
        looks=looks,
    )


@dataclass(frozen=True, slots=True)
class Candidates:
    """The records she may hide among, if values moved no further than the publisher promises.

    Parameters
    ----------
    places
        The promised bound for each attribute.
    fitting
        How many released records lie within it; hers is one of them.
    """

    places: dict[str, int]
    fitting: int


def count_candidates(findings: Findings, blank: int = 0) -> Candidates | None:
    """Count the records within the published bound; None without bound, or if she is not in it.

    A bound speaks of ranks in the original columns, so it helps only where the release is a
    permutation of them that holds her own values, and of what has no order it says nothing.
    ``blank`` records show nothing, are not among the values that were looked at, and fit whatever
    the bound.
    """
    promised = findings.release.parameters.get("places")
    pairs = zip(findings.attributes, findings.values, strict=True)
    ranked = [(a, values) for a, values in pairs if a.kinship is None]
    names = [a.column.name for a, _ in ranked]
    if not ranked or not findings.release.permutation or not isinstance(promised, dict):
        return None
    if not all(is_count(promised.get(name)) for name in names):
        return None
    if not all(a.closest == a.score for a in findings.attributes):
        return None
    fits = np.ones(len(findings.values[0]), bool)
    for a, values in ranked:
        reach = int(promised[a.column.name])
        low = a.ordered[max(a.block.first - 1 - reach, 0)]
        high = a.ordered[min(a.block.last - 1 + reach, len(a.ordered) - 1)]
        fits &= a.among(values, low, high)
    fitting = int(np.count_nonzero(fits)) + blank
    return Candidates({name: int(promised[name]) for name in names}, fitting) if fitting else None


def is_count(places: object) -> bool:
    """Tell whether something published can be a number of places."""
    return isinstance(places, (int, float)) and 0 <= places < np.inf


def more_than_luck(correct: int, alpha: float = LINKS_ALPHA) -> bool:
    """Whether a number of correct links is more than luck explains: P(Poisson(1) >= N) <= alpha."""
    fewer = sum(1 / math.factorial(count) for count in range(min(correct, 20)))
    return 1 - math.exp(-1) * fewer <= alpha


EXACT_RECORDS, EXACT_ATTRIBUTES = 40, 3
PLAIN, CLOSER = 2_000, 4_000
SMALL, CELLS = 0.15, 200_000
EVERYBODY, SAMPLE = 4_000, 2_000


class MadeUp(NamedTuple):
    """The share of made-up records that match as closely, and its error, 0 where it is exact."""

    made_up: float
    error: float


class Strangers(NamedTuple):
    """How the published records match each other, each looked at as she is.

    ``others`` is the share of them, she counted in, that match as closely as she or closer, with
    its standard error, 0 where all were asked; ``least`` the share that even a match at 0 places
    would have had; ``asked`` how many records were looked at.
    """

    others: float
    others_error: float
    least: float
    asked: int


def measure_made_up(
    reach: Reach, first: Ints, last: Ints, places: int, known: Rows | None = None
) -> MadeUp:
    """The share of made-up records, each value drawn from its column, that match as closely.

    Notes
    -----
    Exact up to 40 records of 3 attributes. Else 2,000 draws; where few of them match, no values
    tie and the table has at most 200,000 cells, 4,000 draws of `luck.karp_luby`, whose error is
    small beside a small share. What is done depends on the table only, not on what is installed.
    Where some records miss a value, the others are ``known``, and values are drawn from these.
    """
    n, m = len(first), first.shape[1] + len(reach.unordered)
    if known is None and n <= EXACT_RECORDS and m <= EXACT_ATTRIBUTES:
        share = float(luck.exact(first, last, [places], None, reach.unordered)[0])
        return MadeUp(min(share, 1.0), 0.0)
    every = reach.order if known is None else known
    rows = every[generator(0).integers(0, len(every), (PLAIN, m))]
    ranked, others = np.split(rows, [first.shape[1]], axis=1)
    asked = np.take_along_axis(first, ranked, axis=0), np.take_along_axis(last, ranked, axis=0)
    related = [p.take(part) for p, part in zip(reach.unordered, others.T, strict=True)]
    share = float(reach.has_near_record(*asked, places, None, related).mean())
    tied = related or known is not None or (first != last).any()
    if share > SMALL or n * m > CELLS or tied:
        return MadeUp(share, standard_error(share, PLAIN))
    shares, errors = luck.karp_luby(first[every], last[every], [places], draws=CLOSER, seed=0)
    return MadeUp(float(shares[0]), float(errors[0]))


def measure_strangers(
    reach: Reach,
    ordered: Sequence[Floats],
    blocks: tuple[Ints, Ints],
    places: int,
    limit: float,
    known: Rows | None = None,
) -> Strangers:
    """Take each published record out, and check it against the rest exactly as she is checked.

    If she has nothing to do with the table, she is one of n + 1 people drawn alike, and her match
    is among the closest k of theirs in k of n + 1 cases, however the attributes hang together.

    Parameters
    ----------
    reach
        The published records.
    ordered
        The published columns, sorted.
    blocks
        First and last ranks of the published records.
    places
        The places to her closest record.
    limit
        The share at which a warning is given; the sample is large enough to get below it.
    known
        The records that miss no value, where some do: as she does not, these alone are asked.

    Notes
    -----
    Every record is asked up to 4,000 of them, beyond that 2,000 drawn with a fixed seed (more
    where the limit is below 1 of 1,000). About 10 ms for 1,000 records of 8 attributes, 30 ms for
    20,000; the tree of all records comes on top.
    """
    order = reach.order if known is None else known
    n, rows = len(order), np.sort(order)
    if n > EVERYBODY:
        sample = min(n, max(SAMPLE, int(np.ceil(2 / limit))))
        rows = order[generator(1).choice(n, sample, replace=False)]
    ends = [(blocks[0][rows, :0],) * 2]
    ends += [closest_others(o, *(b[rows, j] for b in blocks)) for j, o in enumerate(ordered)]
    first, last = (np.column_stack(part) for part in zip(*ends, strict=True))
    related = [part.without_own().take(rows) for part in reach.unordered]
    least, others = (
        (1 + np.count_nonzero(reach.has_near_record(first, last, d, rows, related)))
        / (len(rows) + 1)
        for d in (0, places)
    )
    error = 0.0 if len(rows) == n else standard_error(others, len(rows))
    return Strangers(others, error, least, len(rows))


def standard_error(share: float, draws: int) -> float:
    """The standard error of a share of some draws; never 0, as all of them may be a case alike."""
    return float(max(np.sqrt(share * (1 - share) / draws), 1 / draws))
