"""What a published method guarantees, whatever an intruder knows: epsilon, of what, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from math import erfc, exp, fsum, inf, log, sqrt
from typing import TypeAlias

from verikit._support.requests import within
from verikit.errors import RecordError, SchemaError, quoted
from verikit.release import Published, Release, TableRelease, by_groups, by_nodes, whole_records
from verikit.words import joined, listed

HALVINGS = 100
GUARDED = "the method and parameters published being those used, with a seed that nobody knows"


@dataclass(frozen=True, slots=True, repr=False)
class Guarantee:
    """By how much a method lets a release tell two originals apart, at most.

    Parameters
    ----------
    method
        The method that the release names.
    epsilon
        The most that the logarithm of the chance to publish this differs between two originals a
        unit apart; None where there is no such number.
    unit
        What differs between two originals a unit apart.
    invariants
        What is the same in all originals that are compared, and so is not protected at all.
    rests
        What it rests on; where there is none, why.
    by_column
        The epsilon of each column, where columns are masked one by one.
    by_places
        Whether the unit is a place, so that people who lie farther apart are told apart better.
    delta
        By how much chances may differ beyond epsilon.
    deviation
        Of normal noise, its standard deviation by the most that a unit changes; else 0.

    Examples
    --------
    >>> import verikit as vk
    >>> release, _ = vk.mask.mallows(vk.load("dm_table1"), theta=0.1, seed=7)
    >>> found = guarantee(release)
    >>> found.by_column, round(found.odds(places=3), 2), round(found.chance(7, places=3), 2)
    ({'X1': 0.1, 'X2': 0.1, 'X3': 0.1}, 4.48, 0.43)
    """

    method: str
    epsilon: float | None
    unit: str = ""
    invariants: tuple[str, ...] = ()
    rests: str = GUARDED
    by_column: Mapping[str, float] = field(default_factory=dict)
    by_places: bool = False
    delta: float = 0.0
    deviation: float = 0.0

    def odds(self, places: int = 1) -> float:
        """The most that odds change between two originals in which two people are exchanged.

        Parameters
        ----------
        places
            How many ranks apart their values are at most, in each column, equal ones at their
            farthest; it matters only where the unit is a place.

        Notes
        -----
        Two people who are exchanged are two records. Values d ranks apart change sides with each
        other and with the d - 1 between them: at most 2 d - 1 pairs.
        """
        if self.epsilon is None or self.delta:
            return inf
        return exp(self.epsilon * ((2 * places - 1) if self.by_places else 2))

    def chance(self, among: int, places: int = 1) -> float:
        """The most that anybody is right who says which row became of a person.

        Parameters
        ----------
        among
            How many people it may be about, who are as likely to him before he sees the release;
            for swapping, those of her stratum.
        places
            How many ranks apart any of them are from her at most, in each column.

        Notes
        -----
        He knows all originals, and goes by the masked columns alone. For each other person there is
        an exchange with her that makes the same release, at most `odds` times less likely; so hers
        is at most ``odds`` of ``odds + among - 1``.
        """
        odds = self.odds(places)
        return 1.0 if odds == inf else odds / (odds + among - 1)

    def __repr__(self) -> str:
        if self.epsilon is None:
            return f"{self.method or 'no method named'}: no epsilon, since {self.rests}."
        beyond = f" and delta {self.delta:.2g}" if self.delta else ""
        same = "; ".join(self.invariants) or "nothing"
        return (
            f"{self.method}: epsilon {self.epsilon:.4g}{beyond} for {self.unit}; the same in all "
            f"originals compared: {same}. It rests on {self.rests}."
        )


FindGuarantee: TypeAlias = Callable[[TableRelease], Guarantee]
FOUND_BY: dict[str, FindGuarantee | str] = {}  # by mask what finds it, or why there is none


def add_guarantees(guarantees: Sequence[Guarantee], *, delta: float | None = None) -> Guarantee:
    """Add up what several releases or answers of the same records guarantee together.

    Parameters
    ----------
    guarantees
        Those of each; the seeds must be different ones.
    delta
        The delta of all together, where some have normal noise: their sum is then sharper. By
        default deltas are added as well.

    Returns
    -------
    Guarantee
        The sum of all epsilons and deltas, or none where one of them has none.

    Raises
    ------
    RecordError
        If none is given, or they are of different units or invariants, which do not add up; or a
        delta is given, but none has normal noise, or one has a delta without.

    References
    ----------
    J. Dong, A. Roth, W. J. Su: Gaussian differential privacy. Journal of the Royal Statistical
    Society B 84(1), 2022, for answers with normal noise

    Notes
    -----
    Chances of releases that are drawn independently are multiplied, so the logarithms of their
    ratios add up. That different units are refused is our own choice.

    Normal answers together tell two originals apart as one does whose squared precision is the sum
    of theirs: with deviations d, one of deviation (sum of 1/d^2)^(-1/2). Of this one the least
    epsilon for the given delta is found by halving; what has no delta is added to it.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("dm_table1")
    >>> two = [vk.mask.mallows(data, theta=t, seed=7 + i).release for i, t in enumerate([0.1, 0.2])]
    >>> round(add_guarantees([guarantee(release) for release in two]).epsilon, 4)
    0.9
    """
    if (
        not isinstance(guarantees, Sequence)
        or not len(guarantees)
        or not all(isinstance(one, Guarantee) for one in guarantees)
    ):
        raise RecordError.given("guarantees", guarantees, "a list of one guarantee or more")
    first = guarantees[0]
    none = [one for one in guarantees if one.epsilon is None]
    if none:
        return none[0]
    kinds = {(one.unit, one.invariants, one.by_places) for one in guarantees}
    if len(kinds) > 1:
        raise RecordError(
            f"The guarantees are for {listed(sorted({one.unit for one in guarantees}), 12)}, with "
            f"{len({one.invariants for one in guarantees})} kinds of invariants; expected the same "
            "unit and invariants, as others do not add up."
        )
    found = replace(
        first,
        method=joined(dict.fromkeys(one.method for one in guarantees)),
        epsilon=fsum(one.epsilon or 0.0 for one in guarantees),
        rests=joined(dict.fromkeys(one.rests for one in guarantees)),
        by_column={},
        delta=fsum(one.delta for one in guarantees),
        deviation=0.0,
    )
    if delta is None:
        return found
    normal = [one.deviation for one in guarantees if one.deviation]
    if not normal or any(one.delta and not one.deviation for one in guarantees):
        raise RecordError(
            "A delta of all together was given, for which some answers must have normal noise, and "
            "all others no delta; leave it out."
        )
    together = 1 / sqrt(fsum(1 / part**2 for part in normal))
    asked = within(delta, "delta", 0, 1)
    if not 0 < asked < 1:
        raise RecordError.given("delta", delta, "a number between 0 and 1", field="delta")
    epsilon = halve(lambda tried: find_normal_delta(tried, together) <= asked)
    rest = fsum(one.epsilon or 0.0 for one in guarantees if not one.deviation)
    alone = together if len(normal) == len(guarantees) else 0.0
    return replace(found, epsilon=epsilon + rest, delta=asked, deviation=alone)


def find_normal_delta(epsilon: float, deviation: float) -> float:
    """Find by how much chances differ beyond epsilon, for answers 1 apart with normal noise.

    Examples
    --------
    >>> round(find_normal_delta(1.0, 1.0), 4)
    0.1269
    """
    half, cut = 1 / (2 * deviation), epsilon * deviation
    above = erfc((cut - half) / sqrt(2)) / 2
    below = erfc((cut + half) / sqrt(2)) / 2
    return above - (exp(epsilon + log(below)) if below else 0.0)


def halve(enough: Callable[[float], bool]) -> float:
    """Find by halving the least number from 0 up that is enough, as all larger ones are.

    Examples
    --------
    >>> round(halve(lambda tried: tried >= 3), 6)
    3.0
    """
    low, high = 0.0, 1.0
    while not enough(high):
        low, high = high, 2 * high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def guarantee(release: Release) -> Guarantee:
    """Say what the published method guarantees about a release, whatever anybody knows.

    Parameters
    ----------
    release
        What was published, with its method and parameters.

    Returns
    -------
    Guarantee
        Epsilon, its unit and invariants; or none, and the reason.

    Raises
    ------
    SchemaError
        If no release was given, or parameters do not fit it.

    See Also
    --------
    amplification : how unequal the originals are that can become a row drawn anew

    References
    ----------
    J. Bailie, R. Gong, X.-L. Meng: A refreshment stirred, not shaken (II): Invariant-preserving
    deployments of differential privacy for the US Decennial Census. arXiv 2501.08449, 2025
    [YQ]_ Definition 8, the ratio of the chances of two originals

    Notes
    -----
    To tell it of each method is our own. Swapping, with the odds o = p / (1 - p) of being drawn:
    one more record moved in a stratum of b changes the chance of an exchange by a factor of
    o D(m) / D(m + 1), where D counts the exchanges of m records that leave none in place and
    1 <= D(m + 1) / D(m) <= b + 1; two moved instead of none change it by o squared. Exchanging d
    records changes the number of moved ones by at most d. So epsilon is ln(b + 1) - ln(o) up to
    p = .5, and the larger of that and ln(o) above. Orders by distance: exchanging two neighbours
    changes the number of pairs that change sides by one. Attributes drawn each by itself: with the
    chance p to be kept and the share f of its rarest value, a value is likelier from itself than
    from another by a factor of 1 + p / ((1 - p) f) at most. All of it is checked in the tests by
    counting all outcomes of up to 7 records. O(n) for the sizes of the strata.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("yq_figure1")
    >>> swapped = vk.mask.swap(data, match=[], swap=["Job"], rate=0.5, seed=7).release
    >>> round(guarantee(swapped).epsilon, 4)
    2.3979
    >>> guarantee(vk.mask.rank_swap(vk.load("dm_table1"), percent=20, seed=7).release)
    rank_swap: no epsilon, since some orders cannot come out of it, and whoever sees one knows for
    certain which originals it was not.
    """
    if not isinstance(release, Published):
        raise SchemaError(
            f"guarantee was given {type(release).__name__}; expected a release, which names its "
            "method and parameters."
        )
    import_module("verikit.mask")  # where masks are registered, with what they guarantee
    told = FOUND_BY.get(release.method, "")
    if callable(told) and whole_records(release):
        return told(release)
    return Guarantee(release.method, None, rests=str(told or _find_reason(release)))


def _find_reason(release: Release) -> str:
    """Say why nothing is guaranteed, where the method itself does not."""
    if release.promise == "covers" or by_groups(release) or by_nodes(release):
        return (
            "what is published of a group or a row holds for its people for certain, so that an "
            "original in which it does not cannot make this release"
        )
    if not release.method:
        return "the release does not say how it was made"
    return f"nothing is proved of what {quoted(release.method)} draws"
