"""Work out what the groups of two tables tell of people: presence, value, target."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit._support.plotted import Framed, Plotted
from verikit.errors import SchemaError
from verikit.matching import (
    Alignment,
    Coarse,
    Contents,
    Fit,
    printed_chance,
    shows_target,
    spell_people,
)
from verikit.partition import value_codes
from verikit.release import SplitRelease, by_groups
from verikit.table import Microdata, refuse_missing, require_table
from verikit.targets import find_leaves
from verikit.values.spellings import Spellings
from verikit.words import EVEN_VALUES, EVEN_WAYS, listed, share, text


class Aligned(NamedTuple):
    """People by what is known of them: those who look alike are looked up once.

    Parameters
    ----------
    alignment
        The release by groups.
    people
        What is known of each person.
    kinds
        What is known of each kind of person, in the spelling of the release.
    kind
        The kind of each person.
    """

    alignment: Alignment
    people: pd.DataFrame
    kinds: pd.DataFrame
    kind: Rows

    def fits(self) -> Iterator[Fit]:
        """Find the groups that each kind of person fits."""
        for record in self.kinds.to_dict("records"):
            yield self.alignment.fit({str(name): value for name, value in record.items()})


def align_people(
    data: Microdata, release: SplitRelease, who: str, without: str | None = None
) -> Aligned:
    """Look up the quasi-identifiers of people in a release.

    Where all its columns are sensitive these are what is told of the people, ``without`` one.
    """
    if not by_groups(release):
        raise SchemaError(
            f"{who} was given {type(release).__name__}; expected a SplitRelease, as "
            "mask.anatomize and mask.permute_all make it."
        )
    require_table(data, who)
    names = [column.name for column in release.schema.quasi]
    if not release.known:
        held = [column.name for column in release.schema if column.name in data.schema.names]
        names = [name for name in held if name != without]
        release = release.known_as(names)
    lacking = [name for name in names if name not in data.schema.names]
    if lacking or not names:
        raise SchemaError(
            f"The people known lack {listed(lacking) or 'any quasi-identifier'} of the release, "
            f"which has {listed(names) or 'none'}."
        )
    refuse_missing(data, [data.schema[name] for name in names], "refuse")
    people = data.frame[names]
    kind = people.groupby(names, sort=False, observed=True).ngroup().to_numpy(np.intp)
    first = np.unique(kind, return_index=True)[1]
    meant = spell_people(people.take(first), release.quasi, release.schema)
    return Aligned(Alignment(release, names), people, meant, kind)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Presence(Plotted, Framed):
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
        """Find the chances, one line a person."""
        chances = {"groups": self.groups, "lemma": self.lemma, "exact": self.exact}
        return pd.concat([self.people, pd.DataFrame(chances)], axis=1)


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
    known = align_people(data, release, "presence")
    align = known.alignment
    found = [(len(fit.groups), align.lemma(fit), align.presence(fit)) for fit in known.fits()]
    groups, lemma, exact = (np.array(part)[known.kind] for part in zip(*found, strict=True))
    return Presence(known.people, groups, lemma, exact)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ValueChance(Plotted, Framed):
    """For each person what an intruder thinks of her sensitive value, who looks at her group alone.

    Parameters
    ----------
    people
        What is known of each person.
    guess
        The value he takes for hers: the most likely one.
    chance
        How likely it is.
    own
        How likely her true value is; NaN where the table does not tell it.
    printed
        What formula (1) of the paper gives for her true value, which is no chance.
    """

    people: pd.DataFrame
    guess: npt.NDArray[Any]
    chance: Floats
    own: Floats
    printed: Floats

    def __len__(self) -> int:
        return len(self.people)

    def __repr__(self) -> str:
        return (
            f"value chance: the surest guess is {np.nanmax(self.chance, initial=0):.2g} likely, "
            f"on average over {len(self):,} people {np.nanmean(self.chance):.2g}, {EVEN_VALUES}."
        )

    def to_frame(self) -> pd.DataFrame:
        """Find the chances, one line a person."""
        names = ("guess", "chance", "own", "printed")
        chances = pd.DataFrame({name: getattr(self, name) for name in names})
        return pd.concat([self.people, chances], axis=1)


def value_chance(
    data: Microdata, release: SplitRelease, *, sensitive: str | None = None
) -> ValueChance:
    """Find how likely each sensitive value is for people whose groups are known, and nothing else.

    That is so if within a group each value is equally likely for everyone. Whoever learns from the
    whole table which values go with which (`learned_values`), or repeats a method that made the
    groups from the sensitive values, may do better.

    Parameters
    ----------
    data
        The people an intruder knows to be in the data.
    release
        What was published in two tables.
    sensitive
        The sensitive column; needed only if several are.

    Returns
    -------
    ValueChance
        For each person the most likely value, and the chance of her own.

    Raises
    ------
    SchemaError
        If the release is no pair of tables, the people lack one of its quasi-identifiers, or the
        sensitive column is not clear.

    Notes
    -----
    In a group of n records a value that occurs c times has the chance c / n, as under anatomy:
    counting every way to align the columns gives just that. The formula in print divides besides
    by how many values each attribute has in the group; its chances do not add up to 1, and its
    example multiplies them back in. If a person fits several groups, each counts by how many rows
    with her values it is expected to hold. O(groups) for each kind of person.

    References
    ----------
    [LHCC]_ Theorem 1, Example 3

    Examples
    --------
    Bob has Emphysema with chance 1/5; printed is a formula that gives 1/50.

    >>> import verikit as vk
    >>> found = value_chance(vk.load("lhcc_table1"), vk.published("lhcc_table4"))
    >>> float(found.own[0]), float(found.printed[0])
    (0.2, 0.02)
    """
    name = release.find_sensitive(sensitive) if by_groups(release) else None
    known = align_people(data, release, "value_chance", name)
    name = release.find_sensitive(name)
    contents = Contents(release, name)
    fits = list(known.fits())
    chances = [contents.chances(fit) for fit in fits]
    best = np.array([int(np.argmax(part)) if part.any() else -1 for part in chances])
    found = list(zip(fits, chances, strict=True))
    own, printed = _find_chances_of_true_values(data, known, contents, found, name)
    return ValueChance(
        known.people,
        np.array([*contents.values, None], object)[best][known.kind],
        np.array([part.max(initial=0) for part in chances])[known.kind],
        own,
        printed,
    )


def _find_chances_of_true_values(
    data: Microdata,
    known: Aligned,
    contents: Contents,
    found: list[tuple[Fit, Floats]],
    name: str,
) -> tuple[Floats, Floats]:
    """Find the chance of each person's true value, and what the printed formula gives for it."""
    own = np.full(len(known.kind), np.nan)
    printed, align = own.copy(), known.alignment
    if name not in data.schema.names:
        return own, printed
    places = {value: place for place, value in enumerate(contents.values)}
    true = data.frame[name].map(text, na_action="ignore")
    column = data.schema[name]
    if column.kind != "numeric":
        held = align.release.sensitive[name]
        true = true.astype(object).map(Spellings.of(column, held).find, na_action="ignore")
    for row, value in enumerate(true):
        fit, chances = found[known.kind[row]]
        place = places.get("missing" if pd.isna(value) else value, -1)
        own[row], printed[row] = 0.0, 0.0  # where no group holds the value
        if place >= 0:
            own[row] = chances[place]
            for group, weight in zip(fit.groups.tolist(), fit.weights, strict=True):
                # formula (1), over all groups that she fits; anatomy divides by nothing more
                distinct = align.distinct(group) if align.release.permuted else []
                count = contents.count(group, place)
                printed[row] += weight * printed_chance(count, int(align.sizes[group]), distinct)
    return own, printed


WAYS = ("knowing the target", "not knowing it", "knowing all shares", "without the release")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TargetChance(Plotted, Framed):
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
        """Find the chances of the true values, one line a person."""
        return pd.concat([self.people, pd.DataFrame(dict(self.own))], axis=1)


def target_chance(
    data: Microdata, release: SplitRelease, *, sensitive: str | None = None
) -> TargetChance:
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
    sensitive
        The sensitive column; needed only if several are.

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
    known = align_people(data, release, "target_chance")
    coarse = Coarse(release, release.find_sensitive(sensitive))
    name = coarse.column.name
    if name not in data.schema.names:
        raise SchemaError(f"The people known lack {name!r}, the sensitive column.")
    refuse_missing(data, [data.schema[name]], "refuse")
    codes, values = value_codes(data, name)
    leaves = find_leaves(coarse.tree, values, name)[codes]
    overall = np.bincount(leaves, minlength=len(coarse.tree.leaves)) / max(len(leaves), 1)
    own = {way: np.empty(len(leaves)) for way in WAYS}
    right = {way: np.empty(len(leaves)) for way in WAYS}
    order = np.argsort(known.kind, kind="stable")
    ends = np.searchsorted(known.kind[order], np.arange(len(known.kinds) + 1))
    seen: dict[bytes, list[Floats]] = {}  # people who fit the same groups share the chances
    readings = (None, np.ones(len(overall)), overall)
    for at, fit in enumerate(known.fits()):
        rows = order[ends[at] : ends[at + 1]]
        key = fit.groups.tobytes() + fit.weights.tobytes()
        if key not in seen:
            found = [coarse.chances(fit.groups, fit.weights, by) for by in readings]
            seen[key] = [*found, overall]
        for way, chances in zip(WAYS, seen[key], strict=True):
            own[way][rows] = chances[leaves[rows]]
            best = chances >= chances.max() - 1e-12
            right[way][rows] = best[leaves[rows]] / best.sum()
    return TargetChance(known.people, own, {way: float(part.sum()) for way, part in right.items()})
