"""Guess sensitive values by what a published table itself teaches, and say how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Floats, Ints, Rows
from verikit._support.plotted import Framed
from verikit.cells import Cells, Spans, cells_of
from verikit.errors import RecordError, SchemaError
from verikit.intruder._group_chances import align_people, find_sensitive
from verikit.intruder._learn_by_groups import (
    Grouped,
    Learned,
    Tested,
    add_logs,
    balance_chances,
    find_strength,
    hash_groups,
    learn_tables,
)
from verikit.matching import Coarse, number_rows, shows_target
from verikit.release import SplitRelease, by_groups
from verikit.table import Microdata
from verikit.targets import believed_shares, target_shares
from verikit.words import chance as cases
from verikit.words import count, listed, text

BANDS = 12  # of a known column of numbers
MOST_VALUES = 60  # numbers of a sensitive column, before they are put into bands
WIDE_BANDS = 20
SETTLED = 30


class Beliefs(NamedTuple):
    """The chance of each value that is possible for each person, person after person."""

    person: Rows
    value: Rows
    chance: Floats


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LearnedValues(Framed):
    """For each person what somebody guesses who learned from the whole table, and others beside.

    Parameters
    ----------
    people
        What is known of each person: the published rows, or the people asked about.
    guess
        The value that looks likeliest; None where no group fits her.
    chance
        How likely it is, as far as groups of which nothing was learned bear it out.
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
    strength
        The power to which the tables were taken; 0 where they helped with no other group, and
        ``chance`` is what the group alone says.
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
                f"learned values: a guess by what the table teaches looks right {hers} {whom}, by "
                f"the group alone {mean}; {tried}."
            )
        why = f"{tried}, that was not borne out" if self.tested else "the groups are too few to try"
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
        places = {name: at for at, name in enumerate(self.values)}
        own = np.array([places.get(text(value), -1) for value in values], np.intp)
        hers = self.beliefs.value == own[self.beliefs.person]
        found = np.bincount(self.beliefs.person[hers], self.beliefs.chance[hers], len(self))
        return np.asarray(found, np.float64)


def learned_values(
    release: SplitRelease,
    people: Microdata | None = None,
    *,
    groups: Sequence[object] | None = None,
    sensitive: str | None = None,
) -> LearnedValues:
    """Guess the sensitive values of people from tables by groups, learning from all groups.

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
        If the groups are not one for each of the people, or unknown.

    Notes
    -----
    Our own form of the attack that [LHCC]_ section 5 names. From even chances tables are counted
    of how often each known value goes with each sensitive one, column by column; from the tables
    chances of each value for each person, balanced so that each value of a group is somebody's
    (Sinkhorn); and again, until they rest. Numbers are put into bands, a node of a tree is shared
    out among its leaves by the target.

    Columns that hang together speak twice for one thing, and tables learned from few people speak
    too loudly, so the chances would be too high. Hence one half of the groups teaches and the other
    is asked: two groups are put together, and of whose people each of their values is, the release
    tells. What is learned is taken to the least power that does as well there as the best, but for
    chance. No chance comes nearer to 1 than that many tries can show. A better learner may exist.

    The balanced chances are no exact counts of all ways to deal out the values. Of two people they
    are the square roots of the exact odds, nearer to even. O(rows x values of a group x columns)
    for each round.

    References
    ----------
    [LHCC]_ section 5

    D. Kifer: Attacks on Privacy and deFinetti's Theorem. SIGMOD 2009, for learning from the table
    itself

    Examples
    --------
    Of 400 people in groups of two different marital states, the groups of others bear out this:

    >>> import verikit as vk
    >>> frame = vk.simulate("census", 400, seed=1).frame[["Age", "Education", "Gender", "Marital"]]
    >>> data = vk.Microdata(frame, vk.Schema.guess(frame, Marital="sensitive"))
    >>> groups = vk.partition.anatomy(data, ell=2, seed=1)
    >>> learned_values(vk.mask.anatomize(data, partition=groups, seed=1).release)
    learned values: a guess by what the table teaches looks right in 54 of 100 cases on average over
    400 people, by the group alone in 50 of 100 cases; tried on 396 values of groups from which was
    not learned.
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
    table = _read_tables(release, find_sensitive(release, sensitive))
    learned = learn_tables(table.people, apart=release.permuted)
    found = find_strength(table.people, table.hashes, apart=release.permuted)
    asked = (
        _ask_for_rows(table, release)
        if people is None
        else _ask_for(table, release, people, groups)
    )
    return _tell(table, asked, learned, found)


class Known(NamedTuple):
    """A known column as places that were learned about; the last is for what is not known."""

    cells: Cells
    places: Rows
    width: int

    @classmethod
    def of(cls, cells: Cells) -> Known:
        """Numbers in bands of about as many people, categories as they are."""
        size = len(cells)
        if not isinstance(cells, Spans) or size <= BANDS:
            return cls(cells, np.arange(size + 1), size + 1)
        bands = _cut_bands(cells, BANDS)
        return cls(cells, np.append(bands, bands[-1] + 1), int(bands[-1]) + 2)

    @property
    def codes(self) -> Rows:
        """The place of each published row."""
        return self.places[self.cells.codes.astype(np.intp)]

    def find(self, value: object) -> int:
        """The place of a value of somebody; of a number that nobody has that of the one below."""
        code = self.cells.code(value)
        if code < 0 and isinstance(self.cells, Spans) and not self.cells.labels:
            score = self.cells.column.score(value)
            code = max(int(np.searchsorted(self.cells.low[:-1], score, "right")) - 1, 0)
        return int(self.places[code]) if code >= 0 else self.width - 1


def _cut_bands(cells: Spans, bands: int) -> Rows:
    """The band of each cell of numbers; all bands hold about as many rows."""
    counts = np.bincount(cells.codes, minlength=len(cells) + 1)[:-1]
    middle = np.cumsum(counts) - counts / 2
    band = (bands * middle / max(counts.sum(), 1)).astype(np.intp)
    return np.unique(band, return_inverse=True)[1]


class Tables(NamedTuple):
    """A release as it is learned from: canonically sorted, so that no order of rows matters."""

    known: dict[str, Known]
    people: Grouped
    order: Rows
    rank: Rows
    hashes: Ints
    values: tuple[str, ...]


def _read_tables(release: SplitRelease, name: str) -> Tables:
    """Code both tables, and sort groups and rows by what they hold."""
    known = {
        column.name: Known.of(cells_of(release.quasi[column.name], column))
        for column in release.schema.quasi
    }
    if not known:
        raise SchemaError("The release has no quasi-identifier, so there is nothing to learn from.")
    owner, value, amount, values = _read_values(release, name)
    codes = tuple(part.codes for part in known.values())
    widths = tuple(part.width for part in known.values())
    people = Grouped(codes, widths, release.labels.quasi, owner, value, amount, len(values))
    hashes = hash_groups(people)
    by_hash = np.argsort(hashes, kind="stable")
    rank = np.empty(len(by_hash), np.intp)
    rank[by_hash] = np.arange(len(by_hash))
    rows = number_rows(list(zip(codes, widths, strict=True)))[0]
    order = np.lexsort((rows, hashes[people.group]))
    pairs = np.lexsort((value, rank[owner]))
    people = Grouped(
        tuple(part[order] for part in codes),
        widths,
        rank[people.group[order]],
        rank[owner[pairs]],
        value[pairs],
        amount[pairs],
        len(values),
    )
    return Tables(known, people, order, rank, hashes[by_hash], values)


def _read_values(release: SplitRelease, name: str) -> tuple[Rows, Rows, Floats, tuple[str, ...]]:
    """Each pair of a group and a sensitive value that it holds, how often, and the values."""
    if shows_target(release):
        return _read_leaves(release)
    cells = cells_of(release.sensitive[name], release.schema[name])
    codes, values = cells.codes.astype(np.intp), cells.names
    if isinstance(cells, Spans) and len(cells) > MOST_VALUES:
        bands = _cut_bands(cells, WIDE_BANDS)
        ends = [np.flatnonzero(bands == band)[[0, -1]] for band in range(int(bands[-1]) + 1)]
        values = (
            *(f"[{text(cells.low[a])}, {text(cells.high[b])}]" for a, b in ends),
            "missing",
        )
        codes = np.append(bands, len(ends))[codes]
    keys, counts = np.unique(release.labels.sensitive * len(values) + codes, return_counts=True)
    return keys // len(values), keys % len(values), counts.astype(np.float64), values


def _read_leaves(release: SplitRelease) -> tuple[Rows, Rows, Floats, tuple[str, ...]]:
    """The same of published nodes, each shared out among the values below it by the target."""
    coarse = Coarse(release)
    tree, leaves = coarse.tree, len(coarse.tree.leaves)
    shares = np.array(
        [believed_shares(tree, row, target_shares(tree)) for row in np.eye(len(tree.names))]
    )
    found = np.zeros((len(release.sizes), leaves))
    np.add.at(found, coarse.owner, shares[coarse.nodes])
    owner, value = np.nonzero(found)
    names = (*(tree.names[leaf] for leaf in tree.leaves), "missing")
    return owner, value, found[owner, value], names


class Asked(NamedTuple):
    """Whom is asked about: her places, and each group she may be in with its chance."""

    frame: pd.DataFrame
    codes: tuple[Rows, ...]
    person: Rows
    group: Rows
    weight: Floats


def _ask_for_rows(table: Tables, release: SplitRelease) -> Asked:
    size = len(release)
    codes = tuple(part.codes for part in table.known.values())
    frame = release.quasi[list(table.known)]
    group = table.rank[release.labels.quasi]
    return Asked(frame, codes, np.arange(size), group, np.ones(size))


def _ask_for(
    table: Tables, release: SplitRelease, people: Microdata, groups: Sequence[object] | None
) -> Asked:
    """The people given, in the groups given, or in all that fit their values."""
    known = align_people(people, release, "learned_values")
    codes = tuple(
        np.array([part.find(value) for value in known.kinds[name]], np.intp)[known.kind]
        for name, part in table.known.items()
    )
    if groups is not None:
        group = table.rank[_find_groups(release, groups, len(people))]
        return Asked(known.people, codes, np.arange(len(people)), group, np.ones(len(people)))
    fits = list(known.fits())
    sizes = np.array([len(fit.groups) for fit in fits], np.intp)
    starts = np.cumsum(sizes) - sizes
    person = np.repeat(np.arange(len(people)), sizes[known.kind])
    first = np.cumsum(sizes[known.kind]) - sizes[known.kind]
    at = np.arange(len(person)) - first[person] + starts[known.kind[person]]
    every = np.concatenate([*(fit.groups for fit in fits), np.empty(0, np.intp)])
    weights = np.concatenate([*(fit.weights for fit in fits), np.empty(0)])
    return Asked(known.people, codes, person, table.rank[every[at]], weights[at])


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


def _tell(table: Tables, asked: Asked, learned: Learned, tested: Tested) -> LearnedValues:
    """The chances of the people asked about, by all that was learned."""
    people = table.people
    logs = tested.strength * add_logs(people, learned.tables)
    settled = balance_chances(people, logs, SETTLED)
    hers = replace(
        people, codes=tuple(part[asked.person] for part in asked.codes), group=asked.group
    )
    logs = tested.strength * add_logs(hers, learned.tables)
    chances = balance_chances(hers, logs, 0, settled.factors).chances
    beliefs = _add_groups(hers, asked, _cap(hers, chances, tested))
    even = balance_chances(hers, np.zeros(len(chances)), 0, people.amount).chances
    size, names = len(asked.frame), np.array([*table.values[:-1], None], object)
    best, chance = _find_best(beliefs, size, people.values)
    _, by_group = _find_best(_add_groups(hers, asked, even), size, people.values)
    tables = {
        name: pd.DataFrame(np.exp(found[:-1]), columns=list(table.values))
        for name, found in zip(table.known, learned.tables, strict=True)
    }
    return LearnedValues(
        asked.frame,
        names[best],
        chance,
        by_group,
        names[_guess_by_others(table, asked, tested)],
        table.values,
        tables,
        tested.strength,
        tested.values,
        learned.rounds,
        beliefs,
    )


def _cap(hers: Grouped, chances: Floats, tested: Tested) -> Floats:
    """No chance above what so many tries can show, but where the group itself says more."""
    at, _ = hers.slots
    totals = np.bincount(hers.owner, hers.amount)
    most = (tested.values + 1) / (tested.values + 2)
    return np.minimum(chances, np.maximum(most, (hers.amount / totals[hers.owner])[at]))


def _add_groups(hers: Grouped, asked: Asked, chances: Floats) -> Beliefs:
    """The chance of each value for each person, over all groups that she may be in."""
    at, place = hers.slots
    keys = asked.person[place] * hers.values + hers.value[at]
    found, back = np.unique(keys, return_inverse=True)
    total = np.asarray(np.bincount(back, chances * asked.weight[place], len(found)), np.float64)
    return Beliefs(found // hers.values, found % hers.values, total)


def _find_best(beliefs: Beliefs, size: int, values: int) -> tuple[Rows, Floats]:
    """The likeliest value of each person, of equal ones the first; a missing one tells nothing."""
    real = beliefs.value < values - 1
    person, value, chance = beliefs.person[real], beliefs.value[real], beliefs.chance[real]
    top = np.zeros(size)
    np.maximum.at(top, person, chance)
    near = chance >= top[person] - 1e-9
    best = np.full(size, values - 1, np.intp)
    best[person[near][::-1]] = value[near][::-1]
    return best, top


def _guess_by_others(table: Tables, asked: Asked, tested: Tested) -> Rows:
    """The guess of somebody who learned from the other half only and knows no group."""
    size, people = len(asked.frame), table.people
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
