"""Whether a match is closer than chance would make it, and what the publisher's word adds."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from verikit.mask import METHODS
from verikit.ranks import blocks, ordered_blocks
from verikit.ranks._reach import Reach
from verikit.ranks.luck import correlated
from verikit.release import Masked, TableRelease
from verikit.subject.masked._find import Findings, find
from verikit.subject.masked._shares import made_up, strangers
from verikit.table import Microdata

__all__ = [
    "Chance", "Crowd", "Repeated", "chance", "crowd", "more_than_luck", "repeat",
]  # fmt: skip

LINKS_ALPHA = 0.05
CONFIDENCE = 0.95

Ranks = npt.NDArray[np.int64]


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

    It needs scipy.

    References
    ----------
    [DM]_ section 5.2, last paragraph
    """
    if len(findings.attributes) < 2 or len(findings.release) < 2 or not find_spec("scipy"):
        return None
    first, last = _all_blocks(findings)
    reach, places = Reach(first, last), findings.distance
    ordered = [a.ordered for a in findings.attributes]
    return Chance(
        **made_up(reach, first, last, places)._asdict(),
        **strangers(reach, ordered, (first, last), places, alpha / looks)._asdict(),
        independent=not correlated(first + last),
        alpha=alpha,
        looks=looks,
    )


def _all_blocks(findings: Findings) -> tuple[Ranks, Ranks]:
    orders = [findings.release.order(a.column.name) for a in findings.attributes]
    pairs = [
        blocks(a.values) if order is None else ordered_blocks(a.ordered, order)
        for a, order in zip(findings.attributes, orders, strict=True)
    ]
    return np.column_stack([p[0] for p in pairs]), np.column_stack([p[1] for p in pairs])


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


def crowd(findings: Findings) -> Crowd | None:
    """Count the records within the published bound; None without bound, or if she is not in it.

    A bound speaks of places in the original columns, so it helps only where the release is a
    permutation of them that holds her own values.
    """
    promised = findings.release.parameters.get("places")
    names = [a.column.name for a in findings.attributes]
    if not findings.release.permutation or not isinstance(promised, dict):
        return None
    if not all(_is_count(promised.get(name)) for name in names):
        return None
    if not all(a.closest == a.score for a in findings.attributes):
        return None
    fits = np.ones(len(findings.release), bool)
    for a in findings.attributes:
        reach = int(promised[a.column.name])
        low = a.ordered[max(a.block.first - 1 - reach, 0)]
        high = a.ordered[min(a.block.last - 1 + reach, len(a.ordered) - 1)]
        fits &= (a.values >= low) & (a.values <= high)
    fitting = int(np.count_nonzero(fits))
    return Crowd({name: int(promised[name]) for name in names}, fitting) if fitting else None


def _is_count(places: object) -> bool:
    return isinstance(places, (int, float)) and 0 <= places < np.inf


@dataclass(frozen=True, slots=True)
class Repeated:
    """How often an attacker finds her when the published method is repeated on this table.

    Parameters
    ----------
    found, runs
        In how many of the runs the closest record was hers; a tie of k records counts 1/k.
    low, high
        The bounds that hold in 95 of 100 such tests (Clopper and Pearson).
    luck
        The share that guessing would give.
    """

    found: float
    runs: int
    low: float
    high: float
    luck: float


def repeat(findings: Findings, runs: int, seed: int = 0) -> Repeated | None:
    """Repeat the published method with her record in place of the closest one, and link her.

    None where the method is unknown, cannot be repeated from its parameters, or depends on all
    records at once, as microaggregation does; or where she left attributes out.
    """
    settings = _settings(findings)
    if settings is None:
        return None
    data, row = _with_her(findings), int(findings.rows[0])
    method = METHODS[findings.release.method].function
    found = sum(_found(data, row, method(data, **settings, seed=seed + i)) for i in range(runs))
    return Repeated(found, runs, *_clopper_pearson(found, runs), 1 / len(data))


def _settings(findings: Findings) -> dict[str, Any] | None:
    """The published parameters as arguments of the method, if it can be repeated from them."""
    release = findings.release
    given = {a.column.name for a in findings.attributes}
    left_out = {c.name for c in release.schema if c.role in ("quasi", "sensitive")} - given
    method = METHODS.get(release.method)
    if method is None or not method.repeatable or left_out:
        return None
    takes = inspect.signature(method.function).parameters
    settings = {n: v for n, v in release.parameters.items() if n in takes and n != "seed"}
    needed = {n for n, p in takes.items() if p.default is p.empty and n not in ("data", "seed")}
    return None if needed - settings.keys() else settings


def _with_her(findings: Findings) -> Microdata:
    """The release with her record in place of the closest one."""
    row = int(findings.rows[0])
    frame = findings.release.frame.astype(object)
    for a in findings.attributes:
        numeric = a.column.kind == "numeric"
        frame.loc[row, a.column.name] = a.score if numeric else str(a.own)
    return Microdata(frame, findings.release.schema)


def _found(data: Microdata, row: int, masked: Masked) -> float:
    rows = find(data.record(row), cast("TableRelease", masked.release)).rows
    return 1 / len(rows) if masked.key.rows[row] in rows else 0.0


def _clopper_pearson(found: float, runs: int) -> tuple[float, float]:
    from scipy.special import betaincinv

    tail = (1 - CONFIDENCE) / 2
    low = float(betaincinv(found, runs - found + 1, tail)) if found > 0 else 0.0
    high = float(betaincinv(found + 1, runs - found, 1 - tail)) if found < runs else 1.0
    return low, high


def more_than_luck(correct: int, alpha: float = LINKS_ALPHA) -> bool:
    """Whether a number of correct links is more than luck explains: P(Poisson(1) >= N) <= alpha."""
    fewer = sum(1 / math.factorial(count) for count in range(min(correct, 20)))
    return 1 - math.exp(-1) * fewer <= alpha
