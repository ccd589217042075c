"""Test whether such close matches could be chance: null distances and differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, cast, get_args

import numpy as np
import pandas as pd

from verikit import words
from verikit._support import html as _html
from verikit._support.arrays import Floats, Ints
from verikit._support.plotted import Plotted
from verikit._support.requests import one_of, row_numbers, whole
from verikit._support.seed import checked_seed, generator
from verikit.errors import RecordError, SchemaError
from verikit.intruder._ranked_tables import Compared, compare_tables, require_one_by_one
from verikit.ranks import MixedTables, luck
from verikit.release import TableRelease, whole_records
from verikit.table import Microdata

MAX_TIED = 0.1


def plausibility(
    data: Microdata | TableRelease,
    release: TableRelease | None = None,
    *,
    null: Null = "exact",
    attributes: Sequence[str] | None = None,
    match: Sequence[int] | None = None,
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
        among them, by attributes with an order.
    attributes
        What to compare by; by default all attributes in both tables.
    match
        Somebody's links: for each record the row that is taken for its own, counted from 0; the
        distances compared are then those to these rows, and not to the closest ones. Others are
        still measured by their closest row.
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
    tables = require_one_by_one(compare_tables(own, other, attributes), "plausibility")
    if null == "conformal" and tables.unordered:
        left = words.listed([*tables.unordered])
        raise RecordError(
            f"The null 'conformal' ranks records anew, and {left} came without a declared order; "
            "name the other attributes, or take 'leave_one_out'."
        )
    linked = None
    if match is not None:
        if alone or null == "conformal":
            raise RecordError(
                "Links are compared with made-up records or by 'leave_one_out', and need the "
                "original; leave out match, or give both tables and another null."
            )
        rows = row_numbers(match, "match", len(own), len(other))
        linked = tables.places(np.arange(len(own)), rows).max(axis=1)
    found = find_null_distances(tables, null, draws, seed, alone=alone, observed=linked)
    if null == "conformal":
        values = [np.column_stack([t.scores(n) for n in tables.attributes]) for t in (other, own)]
        p = luck.conformal(*values)
    else:
        at = np.minimum(np.searchsorted(found.points, found.observed), len(found.points) - 1)
        p = found.share[at]
        if found.sample:
            p = (1 + found.sample * p) / (1 + found.sample)
    return _make_plausibility(tables, found, p, null, seed, closest=not alone and match is None)


def _make_plausibility(
    tables: Compared, found: NullDistances, p: Floats, null: Null, seed: int, *, closest: bool
) -> Plausibility:
    n, other = len(found.observed), null in ("leave_one_out", "conformal")
    # chance matches are as far off as made-up records where columns are unrelated
    related = bool(tables.ranked) and luck.correlated(tables.released_first + tables.released_last)
    tellable = closest and not (other or related or tables.unordered)
    share = np.searchsorted(np.sort(found.observed), found.points, "right") / n
    others = np.maximum.accumulate(np.clip(found.share, 0, 1))
    steps = find_steps(share), find_steps(others)
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
        hellinger=float(find_hellinger_distance(*steps)),
        total_variation=float(np.abs(np.subtract(*steps)).sum() / 2),
        kolmogorov_smirnov=furthest,
        kolmogorov_smirnov_p=find_smirnov_p(furthest, n, found.sample),
        permutation_p=find_resampled_p(share, others, n, found.sample, seed),
        **_estimate_success(share, others, n, seed, tellable=tellable),
        note=_write_note(tables, found, misleading=related and not other),
        not_compared=tables.not_compared,
    )


def _estimate_success(
    share: Floats, others: Floats, n: int, seed: int, *, tellable: bool
) -> dict[str, float]:
    """Find the share of right links, never below that of luck, and its bootstrap interval."""
    names = ("success", "success_low", "success_high")
    if not tellable:
        return dict.fromkeys(names, np.nan)
    seen = np.maximum(find_steps(share), 0)
    drawn = generator(seed).multinomial(n, seen / seen.sum(), RESAMPLES)
    again = luck.estimated_success(np.cumsum(drawn, axis=1)[:, :-1] / n, others)
    ends = np.clip(np.quantile(again, [0.025, 0.975]), 0, 1)
    found = np.clip(luck.estimated_success(share, others), 1 / n, 1)
    return dict(zip(names, map(float, (found, *ends)), strict=True))


def _write_note(tables: Compared, found: NullDistances, *, misleading: bool) -> str:
    said = []
    if len(tables.attributes) == 1:
        said.append("With one attribute every record matches at 0 places, so nothing can be told.")
    elif found.share[0] >= 0.05:
        said.append("So many others match exactly that no match can be called close.")
    if misleading:
        said.append(
            "The columns are correlated, which made-up records ignore: they lie farther off than "
            "people would. Compare with 'leave_one_out'."
        )
    if tables.ranked and np.mean(tables.first < tables.last) > MAX_TIED:
        said.append(
            "Many original values are equal. Distances are the smallest that any way of telling "
            "them apart gives, so matches look closer, and the estimate of right links is too high."
        )
    if not found.sample and len(found.points) <= found.points[-1]:
        said.append("Some distances were left out; p is that of the next one, never too small.")
    return " ".join(said)


Null: TypeAlias = Literal[
    "exact", "karp_luby", "closed_form", "monte_carlo", "leave_one_out", "conformal"
]

NEARLY_ALL = 0.9995
MAX_FINE_POINTS, MAX_COARSE_POINTS = 256, 44
LARGE_TABLE, SMALL_TABLE = 5_000, 1_000


class NullDistances(NamedTuple):
    """At which distances others match, and where the records do.

    Parameters
    ----------
    observed
        The distance of each record to the closest released one.
    points
        The distances looked at.
    share, error
        The share of others that match within each, and its standard error.
    sample
        How many others the shares rest on; 0 where they are no sample.
    """

    observed: Ints
    points: Ints
    share: Floats
    error: Floats
    sample: int


def find_null_distances(
    tables: Compared,
    null: Null,
    draws: int,
    seed: int,
    *,
    alone: bool = False,
    observed: Ints | None = None,
) -> NullDistances:
    """Measure the records against a release, and what would be found without them.

    Of a release ``alone`` each record is measured against the others. Distances ``observed`` by
    somebody's links stand in for those to the closest rows.
    """
    drawn = luck.by_rank(tables.first, tables.last)
    released, unordered = tables.ranks[2:], [*tables.unordered.values()]
    others = [part.among_rows() for part in unordered]
    if alone:
        observed = luck.leave_one_out(*released, others)
    elif observed is None:
        observed = MixedTables(*tables.ranks, unordered).measure_distances()
    if null == "monte_carlo":
        first, last, made_up = luck.made_up(drawn, draws, seed, unordered)
        found = MixedTables(first, last, *released, made_up).measure_distances()
        return _measure_sample(observed, found)
    if null in ("leave_one_out", "conformal"):
        return _measure_sample(observed, luck.leave_one_out(*released, others))
    points = _choose_points(tables, observed, drawn, null)
    if null == "karp_luby":
        # the same draws for the same rows in any order
        groups = [part.number_groups()[1] for part in unordered]
        order = np.lexsort(np.hstack([*released, *groups]).T)
        released = released[0][order], released[1][order]
        unordered = [part.reorder(np.arange(len(tables)), order) for part in unordered]
        share, error = luck.karp_luby(*released, points, drawn, unordered, seed=seed)
    else:
        count = luck.exact if null == "exact" else luck.closed_form
        share = count(*released, points, drawn, unordered)
        error = np.zeros(len(points))
    needed = (points <= observed.max()) | (np.r_[0, share[:-1]] < 1)
    return NullDistances(observed, points[needed], share[needed], error[needed], 0)


def _measure_sample(observed: Ints, others: Ints) -> NullDistances:
    points = np.union1d(np.flatnonzero(np.bincount(observed)), np.flatnonzero(np.bincount(others)))
    points = np.union1d(0, points)
    share = np.searchsorted(np.sort(others), points, "right") / len(others)
    error = np.sqrt(share * (1 - share) / len(others))
    return NullDistances(observed, points, share, error, len(others))


def _choose_points(tables: Compared, observed: Ints, drawn: luck.Blocks, null: Null) -> Ints:
    """The distances to look at: all up to where nearly all others match, or a choice of them."""
    released, unordered = tables.ranks[2:], [*tables.unordered.values()]
    top = max(1, int(observed.max()))
    while (
        top < len(tables) and luck.closed_form(*released, [top], drawn, unordered)[0] < NEARLY_ALL
    ):
        top = min(2 * top, len(tables))
    most = MAX_FINE_POINTS if len(tables) <= LARGE_TABLE else MAX_COARSE_POINTS
    if null == "karp_luby" or (null == "exact" and len(tables) > SMALL_TABLE):
        most = MAX_COARSE_POINTS
    if top < most:
        return np.arange(top + 1)
    seen = np.flatnonzero(np.bincount(observed))
    seen = seen[np.linspace(0, len(seen) - 1, min(len(seen), most)).astype(np.intp)]
    return np.unique(np.r_[0, seen, np.linspace(0, top, most // 4).astype(np.int64)])


RESAMPLES = 199
MAX_STEPS = 32


def find_steps(share: Floats) -> Floats:
    """Find the share at each distance looked at, and beyond them all."""
    return np.diff(share, prepend=0, append=1)


def find_hellinger_distance(one: Floats, other: Floats) -> Floats:
    """Find how much two distributions differ, from 0 to 1; many ones in lines are told apart."""
    apart: Floats = np.sqrt(np.maximum(1 - np.sqrt(one * other).sum(axis=-1), 0))
    return apart


def find_smirnov_p(distance: float, n: int, count: int) -> float:
    """Find how often chance alone makes them differ as much at some distance."""
    from scipy.special import kolmogorov

    size = n * count / (n + count) if count else n
    return float(kolmogorov(np.sqrt(size) * distance))


def find_resampled_p(share: Floats, others: Floats, n: int, count: int, seed: int) -> float:
    """Find how often records resampled without a difference differ as much, in a few wide steps."""
    steps = np.unique(np.searchsorted(others, np.linspace(0, 1, MAX_STEPS + 1)[1:-1]))
    steps = steps[steps < len(others)]
    one, other = find_steps(share[steps]), find_steps(others[steps])
    rng = generator(seed)
    if count:
        pooled = np.rint(n * one + count * other).astype(np.int64)
        drawn = rng.multivariate_hypergeometric(pooled, n, RESAMPLES, method="marginals")
        found = find_hellinger_distance(drawn / n, (pooled - drawn) / count)
    else:
        found = find_hellinger_distance(
            rng.multinomial(n, other / other.sum(), RESAMPLES) / n, other
        )
    return float(
        (1 + np.count_nonzero(found >= find_hellinger_distance(one, other) - 1e-12))
        / (1 + RESAMPLES)
    )


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
        columns are correlated or have no order, for other nulls than made-up records, and for a
        release alone.
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
