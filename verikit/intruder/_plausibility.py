"""Whether such close matches could be chance: the intruder's own judgement of his links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast, get_args

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit import words
from verikit._support import html as _html
from verikit._support.plotted import Plotted
from verikit._support.requests import one_of, whole
from verikit._support.seed import checked_seed, generator
from verikit.errors import RecordError, SchemaError
from verikit.intruder._compared import Compared, compared
from verikit.intruder._null import Null, NullDistances, null_distances
from verikit.ranks import luck
from verikit.release import TableRelease, whole_records
from verikit.table import Microdata

__all__ = ["Plausibility", "plausibility"]

Floats = npt.NDArray[np.float64]
Ranks = npt.NDArray[np.int64]
RESAMPLES = 199
STEPS = 32
MANY_TIES = 0.1
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
    observed: Ranks
    points: Ranks
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
        """What may be concluded, as ``verdict`` says it."""
        return self.verdict

    @property
    def why(self) -> str:
        """How often chance alone explains the difference, and what the intruder concludes."""
        said = (
            f"Chance alone makes them differ this much {words.chance(self.permutation_p)}. "
            f"{self.own_estimate}"
        )
        return f"{said} {self.note}".strip()

    def to_frame(self) -> pd.DataFrame:
        """The two distributions ([DM]_ Tables 5 and 6): the shares at each distance looked at.

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
        if low <= 1:
            return (
                f"By distances alone the intruder cannot tell his links from luck: {low:,.0f} to "
                f"{high:,.0f} of {n:,} may be right."
            )
        return (
            f"By distances alone the intruder expects {self.success * n:,.0f} right links "
            f"({low:,.0f} to {high:,.0f}); luck gives 1."
        )

    def __repr__(self) -> str:
        n = len(self.observed)
        names = ", ".join(self.attributes)
        said = [
            f"{words.count(n, 'record')} compared by {names} with others ({self.null}).",
            f"Hellinger distance {self.hellinger:.3f}, p {self.permutation_p:.2g}.",
            f"Kolmogorov-Smirnov {self.kolmogorov_smirnov:.3f}, p {self.kolmogorov_smirnov_p:.2g}.",
            self.verdict,
            *([self.own_estimate] if np.isfinite(self.success) else []),
        ]
        return "\n".join([*said, *([self.note] if self.note else [])])

    def _repr_html_(self) -> str:
        said = "".join(_html.element("p", _html.cell(line)) for line in repr(self).split("\n"))
        return _html.element("div", said + _html.table(self.to_frame().head(16)), class_="vk")


def plausibility(
    data: Microdata | TableRelease,
    release: TableRelease | None = None,
    *,
    null: Null = "exact",
    attributes: Sequence[str] | None = None,
    draws: int = 10_000,
    seed: int = 0,
) -> Plausibility:
    """Compare how closely records match a release with how closely others do.

    Parameters
    ----------
    data, release
        The original and what was published; or a release alone, whose records are then compared
        with their closest other record.
    null
        Who the others are. Made-up records, each value drawn from its column: ``"exact"`` counts
        all of them, ``"karp_luby"`` estimates that for many attributes, ``"closed_form"`` is at
        once and near for independent columns, and ``"monte_carlo"`` draws some, as the paper
        does. Or other people, which is right for correlated columns too: ``"leave_one_out"`` takes
        the released records' distances to each other, and ``"conformal"`` ranks each record anew
        among them.
    attributes
        What to compare by; by default all attributes with an order in both tables.
    draws
        How many records ``"monte_carlo"`` makes up.
    seed
        The randomness of drawing and of the permutation test, fixed so that nothing depends on it.

    Returns
    -------
    Plausibility
        Both distributions, how much they differ, and p for each record.

    Raises
    ------
    RecordError
        If the null is unknown or the tables do not fit.
    InfeasibleError
        If the exact null would take too long.

    References
    ----------
    [DM]_ section 5.2, Tables 5 and 6, Figures 1 to 3

    Notes
    -----
    The paper concludes from alike distributions that links are chance. That does not follow: in
    its own example with alike distributions six links of twenty are right where luck gives one. So
    a small p is a warning, and a large one says nothing. Nor is the share of random records that
    match within a distance the probability that a match is random.

    Examples
    --------
    All 8000 records that can be put together from the running example, counted.

    >>> import verikit as vk
    >>> found = plausibility(vk.load("dm_table1"), vk.published("dm_table1_masked"))
    >>> (8000 * found.to_frame()["others"]).round().astype(int).tolist()
    [20, 469, 1519, 2411, 2076, 1030, 342, 114, 19]
    """
    one_of(null, "null", get_args(Null))
    draws, seed = whole(draws, "draws"), checked_seed(seed)
    alone = whole_records(data) and release is None
    if not alone and not (isinstance(data, Microdata) and whole_records(release)):
        raise SchemaError(
            f"plausibility was given {type(data).__name__} and {type(release).__name__}; expected "
            "the original and a release, or a release alone."
        )
    if alone and null in ("leave_one_out", "conformal"):
        raise RecordError(
            f"The null {null!r} compares with the released records themselves, and so needs the "
            "original; of a release alone take 'exact' or another null of made-up records."
        )
    own = data if isinstance(data, Microdata) else Microdata(data.frame, data.schema)
    other = cast("TableRelease", data if alone else release)
    tables = compared(own, other, attributes)
    found = null_distances(tables, null, draws, seed, alone=alone)
    p = _conformal(own, other, tables) if null == "conformal" else _p(found)
    return _judged(tables, found, p, null, seed, alone=alone)


def _conformal(data: Microdata, release: TableRelease, tables: Compared) -> Floats:
    values = [np.column_stack([t.scores(n) for n in tables.attributes]) for t in (release, data)]
    return luck.conformal(*values)


def _p(found: NullDistances) -> Floats:
    at = np.minimum(np.searchsorted(found.points, found.observed), len(found.points) - 1)
    share: Floats = found.share[at]
    return (1 + found.sample * share) / (1 + found.sample) if found.sample else share


def _judged(
    tables: Compared, found: NullDistances, p: Floats, null: Null, seed: int, *, alone: bool
) -> Plausibility:
    n = len(found.observed)
    share = np.searchsorted(np.sort(found.observed), found.points, "right") / n
    others = np.maximum.accumulate(np.clip(found.share, 0, 1))
    one, other = _parts(share), _parts(others)
    furthest = float(np.abs(share - others).max())
    return Plausibility(
        null,
        tables.attributes,
        found.observed,
        found.points,
        share,
        found.share,
        found.error,
        p,
        hellinger=float(_hellinger(one, other)),
        total_variation=float(np.abs(one - other).sum() / 2),
        kolmogorov_smirnov=furthest,
        kolmogorov_smirnov_p=_smirnov(furthest, n, found.sample),
        permutation_p=_resampled(share, others, n, found.sample, seed),
        **_success(share, others, n, seed, tellable=not alone and _made_up(tables, null)),
        note=_note(tables, found, null),
    )


def _parts(share: Floats) -> Floats:
    """The share at each distance looked at, and beyond them all."""
    return np.diff(share, prepend=0, append=1)


def _hellinger(one: Floats, other: Floats) -> Floats:
    apart: Floats = np.sqrt(np.maximum(1 - np.sqrt(one * other).sum(axis=-1), 0))
    return apart


def _made_up(tables: Compared, null: Null) -> bool:
    """Whether chance matches are as far off as made-up records, which unrelated columns allow."""
    related = luck.correlated(tables.released_first + tables.released_last)
    return null not in ("leave_one_out", "conformal") and not related


def _success(
    share: Floats, others: Floats, n: int, seed: int, *, tellable: bool
) -> dict[str, float]:
    """The share of right links, never below that of luck, and its bootstrap interval."""
    names = ("success", "success_low", "success_high")
    if not tellable:
        return dict.fromkeys(names, np.nan)
    parts = np.maximum(_parts(share), 0)
    drawn = generator(seed).multinomial(n, parts / parts.sum(), RESAMPLES)
    again = luck.estimated_success(np.cumsum(drawn, axis=1)[:, :-1] / n, others)
    ends = np.clip(np.quantile(again, [0.025, 0.975]), 0, 1)
    found = np.clip(luck.estimated_success(share, others), 1 / n, 1)
    return dict(zip(names, map(float, (found, *ends)), strict=True))


def _smirnov(distance: float, n: int, count: int) -> float:
    from scipy.special import kolmogorov

    size = n * count / (n + count) if count else n
    return float(kolmogorov(np.sqrt(size) * distance))


def _resampled(share: Floats, others: Floats, n: int, count: int, seed: int) -> float:
    """How often records resampled without a difference differ as much, in a few wide steps."""
    steps = np.unique(np.searchsorted(others, np.linspace(0, 1, STEPS + 1)[1:-1]))
    steps = steps[steps < len(others)]
    one, other = _parts(share[steps]), _parts(others[steps])
    rng = generator(seed)
    if count:
        pooled = np.rint(n * one + count * other).astype(np.int64)
        drawn = rng.multivariate_hypergeometric(pooled, n, RESAMPLES, method="marginals")
        found = _hellinger(drawn / n, (pooled - drawn) / count)
    else:
        found = _hellinger(rng.multinomial(n, other / other.sum(), RESAMPLES) / n, other)
    return float((1 + np.count_nonzero(found >= _hellinger(one, other) - 1e-12)) / (1 + RESAMPLES))


def _note(tables: Compared, found: NullDistances, null: Null) -> str:
    said = []
    if len(tables.attributes) == 1:
        said.append("With one attribute every record matches at 0 places, so nothing can be told.")
    elif found.share[0] >= 0.05:
        said.append("So many others match exactly that no match can be called close.")
    if null not in ("leave_one_out", "conformal") and luck.correlated(
        tables.released_first + tables.released_last
    ):
        said.append(
            "The columns are correlated, which made-up records ignore: they lie farther off than "
            "people would. Compare with 'leave_one_out'."
        )
    if np.mean(tables.first < tables.last) > MANY_TIES:
        said.append(
            "Many original values are equal. Distances are the smallest that any way of telling "
            "them apart gives, so matches look closer, and the estimate of right links is too high."
        )
    if not found.sample and len(found.points) <= found.points[-1]:
        said.append("Some distances were left out; p is that of the next one, never too small.")
    return " ".join(said)
