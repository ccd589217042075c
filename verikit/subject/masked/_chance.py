"""Whether a match is closer than chance would make it, and what the publisher's word adds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from verikit._support.arrays import Ints
from verikit.ranks import Reach, blocks, blocks_in, ordered_blocks
from verikit.ranks.null_models import correlated
from verikit.subject.masked._find import Findings
from verikit.subject.masked._shares import made_up, strangers

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
        Whether the columns are nearly independent, so that made-up records make sense.
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


def chance(findings: Findings, alpha: float, looks: int = 1) -> Chance | None:
    """Compare her match with made-up and with other records; None where no test is possible.

    A record with a missing value may match anybody on that attribute, and is asked nothing itself;
    one that shows nothing is left out. It needs scipy.

    References
    ----------
    [DM]_ section 5.2, last paragraph
    """
    if len(findings.attributes) < 2 or len(findings.release) < 2 or not find_spec("scipy"):
        return None
    first, last = _rank_all(findings)
    complete = None
    if any(a.missing for a in findings.attributes):
        gaps = np.column_stack([np.isnan(values) for values in findings.values])
        some = ~gaps.all(axis=1)
        first, last, complete = first[some], last[some], np.logical_not(gaps[some].any(axis=1))
        if np.count_nonzero(complete) < 2:
            return None
    reach, places = Reach(first, last), findings.distance
    known = None if complete is None else reach.order[complete[reach.order]]
    ordered = [np.asarray(a.ordered) for a in findings.attributes]
    return Chance(
        **made_up(reach, first, last, places, known)._asdict(),
        **strangers(reach, ordered, (first, last), places, alpha / looks, known)._asdict(),
        independent=not correlated(first + last if known is None else (first + last)[known]),
        alpha=alpha,
        looks=looks,
    )


def _rank_all(findings: Findings) -> tuple[Ints, Ints]:
    """Rank all released records, one column an attribute; a missing value has all ranks."""
    ends = []
    for a, values in zip(findings.attributes, findings.values, strict=True):
        order = findings.release.order(a.column.name)
        if a.missing:
            first, last = blocks_in(a.ordered, values)
            first[np.isnan(values)] = 0  # told apart from the lowest value, which is no copy of it
            ends.append((first, last))
        elif order is None:
            ends.append(blocks(values))
        else:
            ends.append(ordered_blocks(np.asarray(a.ordered), order))
    return np.column_stack([e[0] for e in ends]), np.column_stack([e[1] for e in ends])


@dataclass(frozen=True, slots=True)
class Crowd:
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


def crowd(findings: Findings, blank: int = 0) -> Crowd | None:
    """Count the records within the published bound; None without bound, or if she is not in it.

    A bound speaks of places in the original columns, so it helps only where the release is a
    permutation of them that holds her own values. ``blank`` records show nothing, are not among
    the values that were looked at, and fit whatever the bound.
    """
    promised = findings.release.parameters.get("places")
    names = [a.column.name for a in findings.attributes]
    if not findings.release.permutation or not isinstance(promised, dict):
        return None
    if not all(is_count(promised.get(name)) for name in names):
        return None
    if not all(a.closest == a.score for a in findings.attributes):
        return None
    fits = np.ones(len(findings.values[0]), bool)
    for a, values in zip(findings.attributes, findings.values, strict=True):
        reach = int(promised[a.column.name])
        low = a.ordered[max(a.block.first - 1 - reach, 0)]
        high = a.ordered[min(a.block.last - 1 + reach, len(a.ordered) - 1)]
        fits &= a.among(values, low, high)
    fitting = int(np.count_nonzero(fits)) + blank
    return Crowd({name: int(promised[name]) for name in names}, fitting) if fitting else None


def is_count(places: object) -> bool:
    """Tell whether something published can be a number of places."""
    return isinstance(places, (int, float)) and 0 <= places < np.inf


def more_than_luck(correct: int, alpha: float = LINKS_ALPHA) -> bool:
    """Whether a number of correct links is more than luck explains: P(Poisson(1) >= N) <= alpha."""
    fewer = sum(1 / math.factorial(count) for count in range(min(correct, 20)))
    return 1 - math.exp(-1) * fewer <= alpha
