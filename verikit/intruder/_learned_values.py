"""Guess sensitive values by what a published table itself teaches, and say how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit._support.plotted import Framed, Plotted
from verikit._support.requests import whole
from verikit.errors import RecordError, SchemaError
from verikit.intruder._group_chances import align_people
from verikit.matching import (
    ROUNDS,
    Asked,
    Beliefs,
    Tables,
    Taught,
    ask_for_rows,
    believe,
    expand_ranges,
    find_best,
    find_chances,
    guess_by_others,
    learn_release,
    read_classes,
    read_split,
    require_quasi,
    spell_people,
)
from verikit.release import SplitRelease, TableRelease, by_groups, whole_records
from verikit.table import Microdata, refuse_missing
from verikit.values.ranges import read_range
from verikit.words import chance as cases
from verikit.words import count, listed, text


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LearnedValues(Framed, Plotted):
    """For each person what somebody guesses who learned from the whole table, and others beside.

    Parameters
    ----------
    people
        What is known of each person: the published rows, or the people asked about.
    guess
        The value that is likeliest at least; None where no group fits her.
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
    alone
        Whether a generalized table was read by somebody who knows nobody else in it.
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
    alone: bool

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
        if self.alone:
            return (
                f"learned values: a guess by the group alone looks right {mean} {whom}; nobody "
                "else is known, and learning from the other groups of such a table, their values "
                "spread evenly in their cells, was at times too sure where it was measured, so "
                "nothing beyond that is claimed."
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
    release: SplitRelease | TableRelease,
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
        What was published by `mask.anatomize`, `permute_sensitive`, `permute_all` or `disguise`,
        or by `mask.generalize` and other masks whose cells cover the truth.
    people
        Whom the intruder knows to be in the data; the published rows where it is left out. Shuffled
        rows are nobody's, so it is needed for them. Generalized ones do not show what is known of
        whom, so they teach him as much as he knows people; left out, nothing beyond the share.
    groups
        The group of each of the people, by its published name, if he knows it; else all that fit
        her values. In a generalized table the rows that look the same are a group, and the number
        of any of them, counted from 0, names it.
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
        If the release is neither a pair of tables nor one whose cells cover the truth, its rows
        are nobody's and no people are given, they lack one of its quasi-identifiers, or the
        sensitive column is not clear.
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
    does as well there as the best, but for chance; and for each tenth of the way from the share in
    the group to certainty the part is found that is borne out (least squares). Less two standard
    errors it is told. What speaks against a likeliest value counts thrice at least, as one column
    alone may forbid it. All of that follows from the release; nothing is drawn.

    A generalized table shows which values stand in a class, and not what is known of whom: who
    knows all its people learns as much as from two tables with these groups. Those who fit several
    classes are asked about and not learned from.

    Of who has a generalized table alone, and knows one person, nothing beyond the share in the
    group is claimed. Tried was to learn from the other groups, their values spread evenly in their
    boxes, column by column, which value of her group is hers. In boxes of 10 and of 50 people at
    least (`partition.mondrian`) 2.0 and 1.5 more of 100 were named rightly in Adult (occupation; by
    the group 27.4 and 25.3), 1.0 and 1.2 (relationship; 64.0 and 63.3), and 0.4 and 0.4 of 8,000
    simulated people (occupation; 17.6 and 11.6), with standard errors of 0.1 to 0.2. But in
    three of the six its chances were too high in some tenth (relationship, boxes of 10: of 3,238
    people told .46 on average .40 were right). Nor does the table bear it out: people spread in the
    boxes gave no strength above 0 in any of the six.

    Of the people of five real tables (two censuses, housing and two income surveys) and simulated
    ones who were told a chance, as many were right at least, in each tenth, but for luck; often
    many more, so the chance is a careful one. Groups made by who has which value
    (`partition.diverse`, `entropy_diverse`) are tried on all values, as no argument says that those
    of one group are like those of others; there the chance is far below. One exception is known: a
    number in three columns, drawn to be hard (told .73, right .64 of 424 of 10,000). A better
    learner may exist. No chance comes nearer to 1 than that many tries can show; with fewer than
    40 groups nothing is claimed.

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
    most = min(whole(rounds, "rounds", least=0), ROUNDS)
    if people is None and groups is not None:
        raise SchemaError("Groups were given without the people who are in them; give both.")
    if whole_records(release) and release.promise in ("as it was", "covers"):
        table, asked = _ask_for_classes(release, sensitive, people, groups)
        alone = people is None or len(people) == 1
        return _tell(learn_release(release, table, most), asked, alone=alone)
    if not by_groups(release):
        promise = f" with the promise {release.promise!r}" if whole_records(release) else ""
        raise SchemaError(
            f"learned_values was given {type(release).__name__}{promise}; expected a SplitRelease, "
            "as mask.anatomize and mask.permute_all make it, or a TableRelease whose cells cover "
            "the truth."
        )
    if people is None and release.permuted:
        raise SchemaError(
            "The columns of this release were shuffled one by one, so its rows are nobody's; give "
            "the people asked about: people=..."
        )
    taught = learn_release(release, read_split(release, release.find_sensitive(sensitive)), most)
    if people is None:
        asked = ask_for_rows(taught.table, release)
    else:
        asked = _ask_for_people(taught.table, release, people, groups)
    return _tell(taught, asked)


def _tell(taught: Taught, asked: Asked, *, alone: bool = False) -> LearnedValues:
    """The guesses of the people asked about."""
    table, learned, tested, _ = taught
    people, size = table.people, len(asked.frame)
    beliefs = believe(taught, asked)
    best, _ = find_best(beliefs, beliefs.chance, size, people.values)
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
        alone,
    )


def _ask_for_people(
    table: Tables, release: SplitRelease, people: Microdata, groups: Sequence[object] | None
) -> Asked:
    """Ask about people, in the groups given, or in all that fit their values."""
    known = align_people(people, release, "learned_values")
    codes = tuple(
        np.array([part.find(value) for value in known.kinds[name]], np.intp)[known.kind]
        for name, part in table.known.items()
    )
    if groups is not None:
        group = table.rank[_find_groups(release, groups, len(people))]
        return Asked(known.people, codes, np.arange(len(people)), group, np.ones(len(people)))
    fits = list(known.fits())
    ends = np.cumsum([len(fit.groups) for fit in fits])
    starts = np.append(0, ends)[:-1]
    at, person = expand_ranges(starts[known.kind], ends[known.kind])
    group = np.concatenate([fit.groups for fit in fits])[at]
    weight = np.concatenate([fit.weights for fit in fits])[at]
    return Asked(known.people, codes, person, table.rank[group], weight)


def _ask_for_classes(
    release: TableRelease,
    sensitive: str | None,
    people: Microdata | None,
    groups: Sequence[object] | None,
) -> tuple[Tables, Asked]:
    """Read a generalized table beside people, or its own rows, and ask about these."""
    quasi, name = require_quasi(release), release.schema.find_sensitive(sensitive)
    if people is None:  # of whom their cells are known, the same for all of a class
        cells = release.frame[[c.name for c in quasi]]
        return read_classes(release, name, cells, np.arange(len(cells)))
    lacking = [c.name for c in quasi if c.name not in people.schema.names]
    if lacking:
        raise SchemaError(f"The people known lack {listed(lacking)} of the release.")
    refuse_missing(people, [people.schema[c.name] for c in quasi], "refuse")
    known = people.frame[[c.name for c in quasi]].reset_index(drop=True)
    rows = None
    if groups is not None:
        rows = np.array([whole(row, "a group", least=0, most=len(release) - 1) for row in groups])
        if len(rows) != len(known):
            raise RecordError(
                f"groups holds {len(rows):,} for {count(len(known), 'person', 'people')}; "
                "expected the group of each."
            )
    return read_classes(release, name, spell_people(known, release.frame, release.schema), rows)


def _find_groups(release: SplitRelease, groups: Sequence[object], size: int) -> Rows:
    """The places of published groups by their names."""
    if len(groups) != size:
        raise RecordError(
            f"groups holds {len(groups):,} for {count(size, 'person', 'people')}; "
            "expected the group of each."
        )
    places = {text(name): at for at, name in enumerate(release.labels.names)}
    unknown = [name for name in groups if text(name) not in places]
    if unknown:
        raise RecordError(
            f"The groups given name {listed(dict.fromkeys(map(text, unknown)))}, which the release "
            f"lacks; it has {listed(release.labels.names)}."
        )
    return np.array([places[text(name)] for name in groups], np.intp)
