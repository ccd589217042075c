"""What an intruder believes of each person's value under a release that shows a target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Floats, Rows
from verikit._support.plotted import Plotted
from verikit.alike import Coarse, Fit, shows_target
from verikit.errors import SchemaError
from verikit.intruder._aligned import aligned
from verikit.partition import value_codes
from verikit.release import SplitRelease
from verikit.table import Microdata, refuse_missing
from verikit.words import listed, share, text

__all__ = ["TargetChance", "target_chance"]

WAYS = ("knowing the target", "not knowing it", "knowing all shares", "without the release")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TargetChance(Plotted):
    """For each person how likely her true value looks, by what an intruder knows besides.

    Parameters
    ----------
    people
        What is known of each person.
    own
        By what he knows, the chance of each person's true value.
    right
        By what he knows, of how many people the likeliest value is the true one; among equally
        likely ones he draws.

    Examples
    --------
    >>> import verikit as vk
    >>> frame = pd.DataFrame({"zip": list("ppqqqq"), "pay": [30, 30, 40, 40, 50, 60]})
    >>> columns = (vk.Column("zip", kind="nominal"), vk.Column("pay", "sensitive"))
    >>> data = vk.Microdata(frame, vk.Schema(columns))
    >>> target = vk.targets.balanced([30, 40, 50, 60])
    >>> found = target_chance(data, vk.mask.disguise(data, hierarchy=target, seed=7).release)
    >>> {name: round(people, 2) for name, people in found.right.items()}
    {'knowing the target': 1.5, 'not knowing it': 1.5, 'knowing all shares': 2.0, 'without the
    release': 2.0}
    """

    people: pd.DataFrame
    own: Mapping[str, Floats]
    right: Mapping[str, float]

    def __len__(self) -> int:
        return len(self.people)

    def __repr__(self) -> str:
        said = [f"{share(self.right[way] / max(len(self), 1))} people {way}" for way in WAYS]
        return f"target chance: the likeliest value is right for {'; '.join(said)}."

    def to_frame(self) -> pd.DataFrame:
        """The chances of the true values, one line a person."""
        return pd.concat([self.people, pd.DataFrame(dict(self.own))], axis=1)

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.to_frame().head(12))


def target_chance(data: Microdata, release: SplitRelease) -> TargetChance:
    """How likely each person's value looks to an intruder who reads published groups of values.

    He finds her groups by her quasi-identifiers. What stands for several values he reads by the
    target that was published; or, not knowing it, for all of them alike; or by how frequent they
    are among all people, if he knows that. Beside it stands the guess of someone who knows only
    the latter, and no release.

    Parameters
    ----------
    data
        The people, with their true values.
    release
        What was published by `mask.disguise` or `mask.personalize`.

    Returns
    -------
    TargetChance
        The chance of each true value in each of four ways, and how often the likeliest is right.

    Raises
    ------
    SchemaError
        If the release shows no target, or the people lack one of its columns or hold a value
        outside its tree.

    References
    ----------
    [QZ]_ sections 3.2 and 3.3, Definition 3.3.1

    Notes
    -----
    The paper measures privacy by an intruder who knows the target and believes it. Where people
    differ from it, one who knows how frequent values really are may learn more than the target
    says; so may one who reckons with the method, which publishes as few groups of values as it
    can: what six people show of an even target may leave 3/16 for two values and 5/16 for two.
    O(nodes) for each kind of people and each way.

    Examples
    --------
    Two groups that show the same target; the true values differ, and who knows all shares reads
    them out of what is coarse.

    >>> import verikit as vk
    >>> frame = pd.DataFrame({"zip": list("ppqq"), "pay": [30, 40, 30, 30]})
    >>> columns = (vk.Column("zip", kind="nominal"), vk.Column("pay", "sensitive"))
    >>> data = vk.Microdata(frame, vk.Schema(columns))
    >>> target = vk.targets.balanced([30, 40])
    >>> release = vk.mask.disguise(data, hierarchy=target, groups="quasi", seed=7).release
    >>> found = target_chance(data, release)
    >>> [chances.tolist() for chances in found.own.values()][::2]
    [[0.5, 0.5, 0.5, 0.5], [0.5, 0.5, 0.75, 0.75]]
    """
    if not shows_target(release):
        raise SchemaError(
            f"target_chance was given {type(release).__name__} that shows no target; expected a "
            "release of mask.disguise or mask.personalize."
        )
    known = aligned(data, release, "target_chance")
    coarse = Coarse(release)
    leaves = _leaves(data, coarse)
    overall = np.bincount(leaves, minlength=len(coarse.tree.leaves)) / max(len(leaves), 1)
    own = {way: np.empty(len(leaves)) for way in WAYS}
    right = {way: np.empty(len(leaves)) for way in WAYS}
    order = np.argsort(known.kind, kind="stable")
    ends = np.searchsorted(known.kind[order], np.arange(len(known.first) + 1))
    seen: dict[bytes, tuple[Floats, ...]] = {}
    for at, fit in enumerate(known.fits()):
        rows = order[ends[at] : ends[at + 1]]
        for way, chances in zip(WAYS, _beliefs(coarse, fit, overall, seen), strict=True):
            own[way][rows] = chances[leaves[rows]]
            best = chances >= chances.max() - 1e-12
            right[way][rows] = best[leaves[rows]] / best.sum()
    return TargetChance(known.people, own, {way: float(part.sum()) for way, part in right.items()})


def _beliefs(
    coarse: Coarse, fit: Fit, overall: Floats, seen: dict[bytes, tuple[Floats, ...]]
) -> tuple[Floats, ...]:
    """The chance of each value in the four ways; people who fit the same groups share them."""
    key = fit.groups.tobytes() + fit.weights.tobytes()
    if key not in seen:
        alike = np.ones(len(overall))
        readings = (None, alike, overall)
        found = [coarse.chances(fit.groups, fit.weights, by) for by in readings]
        seen[key] = (*found, overall)
    return seen[key]


def _leaves(data: Microdata, coarse: Coarse) -> Rows:
    """The place of each person's true value among those of the tree."""
    column = coarse.column
    if column.name not in data.schema.names:
        raise SchemaError(f"The people known lack {column.name!r}, the sensitive column.")
    refuse_missing(data, [data.schema[column.name]], "refuse")
    codes, values = value_codes(data, column.name)
    names = list(map(text, values))
    lacking = coarse.hierarchy.missing(names)
    if lacking:
        raise SchemaError(f"The published tree lacks the values {listed(lacking)} of the people.")
    return np.array([coarse.hierarchy.span(name)[0] for name in names], np.intp)[codes]
