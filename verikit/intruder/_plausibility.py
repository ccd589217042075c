"""Whether such close matches could be chance: the intruder's own judgement of his links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast, get_args

import numpy as np

from verikit._support.arrays import Floats
from verikit._support.requests import one_of, whole
from verikit._support.seed import checked_seed, generator
from verikit.errors import RecordError, SchemaError
from verikit.intruder._compared import Compared, compared
from verikit.intruder._difference import RESAMPLES, hellinger, parts, resampled_p, smirnov_p
from verikit.intruder._null import Null, NullDistances, null_distances
from verikit.intruder._plausibility_result import Plausibility
from verikit.ranks import luck
from verikit.release import TableRelease, whole_records
from verikit.table import Microdata

__all__ = ["plausibility"]

MANY_TIES = 0.1


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
    one, other = parts(share), parts(others)
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
        hellinger=float(hellinger(one, other)),
        total_variation=float(np.abs(one - other).sum() / 2),
        kolmogorov_smirnov=furthest,
        kolmogorov_smirnov_p=smirnov_p(furthest, n, found.sample),
        permutation_p=resampled_p(share, others, n, found.sample, seed),
        **_success(share, others, n, seed, tellable=not alone and _made_up(tables, null)),
        note=_note(tables, found, null),
        not_compared=tables.not_compared,
    )


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
    seen = np.maximum(parts(share), 0)
    drawn = generator(seed).multinomial(n, seen / seen.sum(), RESAMPLES)
    again = luck.estimated_success(np.cumsum(drawn, axis=1)[:, :-1] / n, others)
    ends = np.clip(np.quantile(again, [0.025, 0.975]), 0, 1)
    found = np.clip(luck.estimated_success(share, others), 1 / n, 1)
    return dict(zip(names, map(float, (found, *ends)), strict=True))


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
