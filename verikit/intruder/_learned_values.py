"""Guess sensitive values by what a published table itself teaches, and say how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit._support.plotted import Framed, Plotted
from verikit._support.requests import whole
from verikit.errors import RecordError, SchemaError
from verikit.intruder._group_chances import find_sensitive
from verikit.intruder._learn_by_groups import (
    ROUNDS,
    Learned,
    add_logs,
    balance_chances,
    learn_tables,
)
from verikit.intruder._read_by_groups import (
    Asked,
    Tables,
    ask_for_people,
    ask_for_rows,
    read_split,
)
from verikit.intruder._try_on_pairs import Tested, try_on_pairs
from verikit.release import SplitRelease, by_groups, by_secrets
from verikit.table import Microdata
from verikit.values.ranges import read_range
from verikit.words import chance as cases
from verikit.words import count, text

SETTLED = 30
LEAST_GAIN = 1e-6  # in the mean chance of the rows, or learning is left


class Beliefs(NamedTuple):
    """The chance of each value that is possible for each person, person after person.

    Parameters
    ----------
    person, value
        The places of both.
    chance
        By what was learned, as far as it is borne out; those of one person may add up to less
        than 1.
    by_group
        By the group alone.
    learned
        By what was learned, taken at its word.
    """

    person: Rows
    value: Rows
    chance: Floats
    by_group: Floats
    learned: Floats


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LearnedValues(Framed, Plotted):
    """For each person what somebody guesses who learned from the whole table, and others beside.

    Parameters
    ----------
    people
        What is known of each person: the published rows, or the people asked about.
    guess
        The value that looks likeliest; None where no group fits her.
    chance
        How likely it is at least, as far as groups from which was not learned bear it out.
    by_group
        How likely the likeliest value of her group is, by the group alone.
    others
        What somebody guesses who learned from other people only and does not know her group: a
        right guess of his is nothing that her own record gave away.
    values
        The sensitive values; bands of numbers where there are many.
    tables
        By column and known value, how many times likelier it is with each sensitive value than
        among all: what was learned.
    lines
        By column the line of its table in which the value of each person stands; -1 for none.
    strength
        The power to which the tables were taken; 0 where other groups do not bear it out, and
        ``guess`` and ``chance`` are what the group alone says.
    tested
        On how many values of groups from which was not learned that was tried.
    rounds
        How often chances and tables were worked out from each other until they came to rest.
    beliefs
        The chance of every value for every person.
    """

    people: pd.DataFrame
    guess: npt.NDArray[Any]
    chance: Floats
    by_group: Floats
    others: npt.NDArray[Any]
    values: tuple[str, ...]
    tables: Mapping[str, pd.DataFrame]
    lines: Mapping[str, Rows]
    strength: float
    tested: int
    rounds: int
    beliefs: Beliefs

    def __len__(self) -> int:
        return len(self.people)

    def __repr__(self) -> str:
        mean, hers = (
            cases(float(part.mean()) if len(self) else 0.0) for part in (self.by_group, self.chance)
        )
        whom = f"on average over {count(len(self), 'person', 'people')}"
        tried = f"tried on {count(self.tested, 'value')} of groups from which was not learned"
        if self.strength:
            return (
                f"learned values: a guess by what the table teaches is right {hers} at least "
                f"{whom}, by the group alone {mean}; {tried}."
            )
        why = (
            f"{tried}, that was not borne out"
            if self.tested
            else "the groups are too few to try, or none are alike"
        )
        return (
            f"learned values: a guess by the group alone looks right {mean} {whom}; whether the "
            f"table teaches more: {why}."
        )

    def to_frame(self) -> pd.DataFrame:
        """Find the guesses, one line a person."""
        names = ("guess", "chance", "by_group", "others")
        found = pd.DataFrame({name: getattr(self, name) for name in names})
        return pd.concat([self.people.reset_index(drop=True), found], axis=1)

    def chance_of(self, values: Sequence[object]) -> Floats:
        """How likely a value of one's own looks for each person; 0 where her groups lack it."""
        if len(values) != len(self):
            raise RecordError(
                f"values holds {len(values):,} for {count(len(self), 'person', 'people')}; "
                "expected one for each."
            )
        return find_chances(self.beliefs, self.find_places(values))

    def find_places(self, values: Sequence[object]) -> Rows:
        """The place of each value, or of the band that holds it; -1 where there is none."""
        codes, names = pd.factorize(np.array([text(value) for value in values], object))
        places = {name: at for at, name in enumerate(self.values)}
        bands = {at: read_range(name) for at, name in enumerate(self.values)}
        found = np.full(len(names), -1, np.intp)
        for place, name in enumerate(names):
            known = pd.to_numeric(name, errors="coerce")
            held = (at for at, band in bands.items() if band is not None and band.holds(known))
            found[place] = places[name] if name in places else next(held, -1)
        return found[codes]


def learned_values(
    release: SplitRelease,
    people: Microdata | None = None,
    *,
    groups: Sequence[object] | None = None,
    sensitive: str | None = None,
    rounds: int = ROUNDS,
) -> LearnedValues:
    """Guess the sensitive values of people from a table by groups, learning from all groups.

    A group says of all its people the same. But which known values stand in groups together with
    which sensitive ones, over the whole table, tells which of the group's values is whose: in
    groups of a man and a woman with a husband and a wife there is little to guess.

    Parameters
    ----------
    release
        What was published by `mask.anatomize`, `permute_sensitive`, `permute_all` or `disguise`.
    people
        Whom the intruder knows to be in the data; the published rows where it is left out. Shuffled
        rows are nobody's, so it is needed for them.
    groups
        The group of each of the people, by its published name, if he knows it; else all that fit
        her values.
    sensitive
        The sensitive column; needed only if several are.
    rounds
        How often chances and tables are worked out from each other, at most: with 0 the group alone
        speaks. Fewer rounds show the learning go.

    Returns
    -------
    LearnedValues
        For each person the guess and its chance, beside what the group alone says and what
        somebody says who learned from other people only.

    Raises
    ------
    SchemaError
        If the release is no pair of tables, its rows are nobody's and no people are given, they
        lack one of its quasi-identifiers, or the sensitive column is not clear.
    RecordError
        If the groups are not one for each of the people, or unknown, or the rounds are no whole
        number from 0 up.

    Notes
    -----
    Our own form of the attack that [LHCC]_ section 5 names. From even chances tables are counted
    of how often each known value goes with each sensitive one, column by column; from the tables
    chances of each value for each person, balanced so that each value of a group is somebody's
    (Sinkhorn); and again, until they rest or for eight rounds. Numbers are put into bands, a node
    of a tree is shared out among its leaves by the target.

    Columns that hang together speak twice for one thing, and tables learned from few people speak
    too loudly, so the chances would be too high. Hence one half of the groups teaches and the other
    is asked: two groups are put together, and of whose people each of their values is, the release
    tells. The two are as alike as the people of one; where no groups are, as with many that are
    neighbourhoods of what is known, nothing is claimed. A value counts as far as it stands in
    groups together with those of the other group. What is learned is taken to the least power that
    does as well there as the best, but for chance; and for each tenth of the chances the part of
    their distance from the share in the group is found that is borne out (least squares). Less two
    standard errors it is told. All of that follows from the release; nothing is drawn.

    Of the people of five real tables (two censuses, housing and two income surveys) and simulated
    ones who were told a chance, as many were right at least, in each tenth, but for luck; often
    many more, so the chance is a careful one. Groups made by who has which value
    (`partition.diverse`, `entropy_diverse`) are tried on all values, as no argument says that those
    of one group are like those of others; there the chance is far below. The exceptions were drawn
    to be hard: one number in four columns with a sensitive value that follows it (told .64, right
    .58 of 372 in one tenth). A better learner may exist. No chance comes nearer to 1 than that many
    tries can show; with fewer than 40 groups nothing is claimed.

    Where the groups hold neighbours in the order of the sensitive numbers, as (k, e) groups do,
    the learner loses: taken at its word it guessed ages in 10,000 records of Adult worse than the
    group alone (25 against 28 of 100), and other groups do not bear it out. Groups that all show
    one target teach nothing of single values.

    The balanced chances are no exact counts of all ways to deal out the values. Of two people they
    have the square roots of the exact odds. On 200 tables of at most nine people and given tables
    of chances they were off by 0.08 on average, by 0.24 at most, nearer to even for nine of ten
    likeliest values and never above the exact chance by more than 0.09; none was called certain
    that was not. The power that is tried makes up for it. O(rows x values of a group x columns) for
    each round.

    References
    ----------
    [LHCC]_ section 5

    D. Kifer: Attacks on Privacy and deFinetti's Theorem. SIGMOD 2009, for learning from the table
    itself

    Examples
    --------
    Of 3,000 people in groups of two different marital states, the groups of others bear out this:

    >>> import verikit as vk
    >>> known = ["Age", "Education", "Gender", "Marital"]
    >>> frame = vk.simulate("census", 3_000, seed=1).frame[known]
    >>> data = vk.Microdata(frame, vk.Schema.guess(frame, Marital="sensitive"))
    >>> groups = vk.partition.anatomy(data, ell=2, seed=1)
    >>> learned_values(vk.mask.anatomize(data, partition=groups, seed=1).release)
    learned values: a guess by what the table teaches is right in 53 of 100 cases at least on
    average over 3,000 people, by the group alone in 50 of 100 cases; tried on 1,320 values of
    groups from which was not learned.
    """
    if not by_groups(release):
        raise SchemaError(
            f"learned_values was given {type(release).__name__}; expected a SplitRelease, as "
            "mask.anatomize and mask.permute_all make it."
        )
    if people is None and (release.permuted or groups is not None):
        raise SchemaError(
            "The columns of this release were shuffled one by one, so its rows are nobody's; give "
            "the people asked about: people=..."
            if release.permuted
            else "Groups were given without the people who are in them; give both."
        )
    taught = learn_release(release, sensitive, rounds)
    if people is None:
        asked = ask_for_rows(taught.table, release)
    else:
        asked = ask_for_people(taught.table, release, people, groups)
    return _tell(taught, asked)


class Taught(NamedTuple):
    """What a release teaches whoever learns from all of it, and what is borne out of that.

    Parameters
    ----------
    table
        Its people and groups.
    learned
        Which known values go with which sensitive ones.
    tested
        How far other groups bear that out.
    factors
        By pair of a group and a value what balances the chances.
    """

    table: Tables
    learned: Learned
    tested: Tested
    factors: Floats


def learn_release(
    release: SplitRelease, sensitive: str | None = None, rounds: int = ROUNDS
) -> Taught:
    """Learn from all groups of a release; what no chance of its rows gains by is left."""
    most = min(whole(rounds, "rounds", least=0), ROUNDS)
    table = read_split(release, find_sensitive(release, sensitive))
    people = table.people
    learned = learn_tables(people, apart=release.permuted, rounds=most)
    random = "partition" in release.parameters and not by_secrets(release)
    tested = try_on_pairs(people, table.hashes, apart=release.permuted, random=random)
    logs = tested.strength * add_logs(people, learned.tables)
    taught = Taught(table, learned, tested, balance_chances(people, logs, SETTLED).factors)
    if tested.strength:
        rows = np.arange(len(people.group))
        everybody = Asked(pd.DataFrame(), people.codes, rows, people.group, np.ones(len(rows)))
        found = believe(taught, everybody)
        best, _ = find_best(found, found.learned, len(rows), people.values)
        _, by_group = find_best(found, found.by_group, len(rows), people.values)
        if find_chances(found, best).mean() <= by_group.mean() + LEAST_GAIN:
            even = people.amount.astype(np.float64)
            return taught._replace(tested=tested._replace(strength=0.0), factors=even)
    return taught


def believe(taught: Taught, asked: Asked) -> Beliefs:
    """Find the chances of the people asked about, by all that was learned."""
    people, tested = taught.table.people, taught.tested
    codes = tuple(part[asked.person] for part in asked.codes)
    hers = replace(people, codes=codes, group=asked.group)
    even = balance_chances(hers, np.zeros(len(hers.slots[0])), 0, people.amount).chances
    chances = told = even
    if tested.strength:
        logs = tested.strength * add_logs(hers, taught.learned.tables)
        chances = balance_chances(hers, logs, 0, taught.factors).chances
        told = tested.lower(chances, even)
    at, place = hers.slots
    keys = asked.person[place] * hers.values + hers.value[at]
    found, back = np.unique(keys, return_inverse=True)
    weight, many = asked.weight[place], len(found)
    total = [
        np.asarray(np.bincount(back, part * weight, many), np.float64)
        for part in (told, even, chances)
    ]
    return Beliefs(found // hers.values, found % hers.values, *total)


def _tell(taught: Taught, asked: Asked) -> LearnedValues:
    """The guesses of the people asked about."""
    table, learned, tested, _ = taught
    people, size = table.people, len(asked.frame)
    beliefs = believe(taught, asked)
    best, _ = find_best(beliefs, beliefs.learned, size, people.values)
    _, by_group = find_best(beliefs, beliefs.by_group, size, people.values)
    names = np.array([*table.values[:-1], None], object)
    tables = {
        name: pd.DataFrame(np.exp(part[:-1, :-1]), list(known.names), list(table.values[:-1]))
        for (name, known), part in zip(table.known.items(), learned.tables, strict=True)
    }
    lines = {
        name: np.where(codes < part.width - 1, codes, -1)
        for (name, part), codes in zip(table.known.items(), asked.codes, strict=True)
    }
    return LearnedValues(
        asked.frame,
        names[best],
        find_chances(beliefs, best),
        by_group,
        names[guess_by_others(taught, asked)],
        table.values,
        tables,
        lines,
        tested.strength,
        tested.values,
        learned.rounds,
        beliefs,
    )


def find_best(beliefs: Beliefs, chances: Floats, size: int, values: int) -> tuple[Rows, Floats]:
    """The likeliest value of each person, of equal ones the first; a missing one tells nothing."""
    real = beliefs.value < values - 1
    person, value, chance = beliefs.person[real], beliefs.value[real], chances[real]
    top = np.zeros(size)
    np.maximum.at(top, person, chance)
    near = chance >= top[person] - 1e-9
    best = np.full(size, values - 1, np.intp)
    best[person[near][::-1]] = value[near][::-1]
    return best, top


def find_chances(beliefs: Beliefs, values: Rows) -> Floats:
    """The chance of one value for each person."""
    hers = beliefs.value == values[beliefs.person]
    found = np.bincount(beliefs.person[hers], beliefs.chance[hers], len(values))
    return np.asarray(found, np.float64)


def guess_by_others(taught: Taught, asked: Asked) -> Rows:
    """The guess of somebody who learned from the other half only and knows no group."""
    people, tested = taught.table.people, taught.tested
    size = len(asked.codes[0])
    best = np.zeros(size, np.intp)
    shares = np.log(np.maximum(people.shares[:-1], 1e-12))
    half = np.zeros(size, bool)
    half[asked.person] = tested.half[asked.group]
    for which, learned in enumerate(tested.others):
        rows = np.flatnonzero(half == bool(which))
        for part in np.array_split(rows, len(rows) // 65_536 + 1):
            logs = np.tile(shares, (len(part), 1))
            if learned is not None:
                for codes, found in zip(asked.codes, learned.tables, strict=True):
                    logs += found[codes[part], :-1]
            best[part] = logs.argmax(1)
    return best
