"""What a table by groups teaches whoever learns from all of it, and what he makes of a person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit.cells import cells_of
from verikit.matching._learn_by_groups import (
    ROUNDS,
    Learned,
    balance_chances,
    learn_tables,
    sum_log_chances,
)
from verikit.matching._read_by_groups import Asked, Tables, read_split
from verikit.matching._try_on_pairs import Tested, try_on_pairs
from verikit.release import SplitRelease, TableRelease, by_groups, by_secrets

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
    release: SplitRelease | TableRelease, table: Tables, rounds: int = ROUNDS
) -> Taught:
    """Learn from all groups of a release; what no chance of its rows gains by is left."""
    people, apart = table.people, by_groups(release) and release.permuted
    learned = learn_tables(people, apart=apart, rounds=rounds)
    random = "partition" in release.parameters and not by_secrets(release)
    tested = try_on_pairs(people, table.hashes, apart=apart, random=random)
    logs = tested.strength * sum_log_chances(people, learned.tables)
    factors = balance_chances(people, logs, SETTLED).factors
    some = people.sizes[people.owner] > 0  # of other groups nobody is known
    taught = Taught(table, learned, tested, np.where(some, factors, people.amount))
    if tested.strength:
        rows = np.arange(len(people.group))
        everybody = Asked(pd.DataFrame(), people.codes, rows, people.group, np.ones(len(rows)))
        found = believe(taught, everybody)
        best, _ = find_best(found, found.chance, len(rows), people.values)
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
        logs = tested.strength * sum_log_chances(hers, taught.learned.tables)
        chances = balance_chances(hers, logs, 0, taught.factors).chances
        told = tested.lower(hers, chances, even)
    at, place = hers.slots
    keys = asked.person[place] * hers.values + hers.value[at]
    found, back = np.unique(keys, return_inverse=True)
    weight, many = asked.weight[place], len(found)
    total = [
        np.asarray(np.bincount(back, part * weight, many), np.float64)
        for part in (told, even, chances)
    ]
    return Beliefs(found // hers.values, found % hers.values, *total)


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


class LearnedGuess(NamedTuple):
    """What somebody guesses of one person who learned from the whole table.

    Parameters
    ----------
    value
        The value that looks likeliest.
    chance
        How likely it is at least, in full hundredths.
    by_group
        How likely the likeliest value of her groups is, by the groups alone.
    others
        What somebody guesses who learned from other people only and does not know her groups.
    everywhere
        How frequent the value is among all.
    """

    value: str
    chance: float
    by_group: float
    others: str
    everywhere: float


_KEPT: WeakKeyDictionary[SplitRelease, dict[str, Taught | None]] = WeakKeyDictionary()


def find_lesson(release: SplitRelease, sensitive: str, *, bands: bool = False) -> Taught | None:
    """What a release teaches whoever knows single values; None where nothing is borne out.

    It lies beside the release, for the next person, and goes with it. Of numbers it is about bands.
    """
    if release.schema[sensitive].kind == "numeric" and not bands:
        return None
    taught = _learn_once(release, sensitive)
    return taught if taught and taught.tested.strength else None


def name_failure(release: SplitRelease, sensitive: str) -> str:
    """Why nothing is claimed of what a release teaches: tried in vain, or no groups were alike.

    Empty where something is borne out, or where there are too few groups to learn from.
    """
    taught = _learn_once(release, sensitive)
    if taught is None or taught.tested.strength or taught.tested.others[0] is None:
        return ""
    return "not-learned" if taught.tested.values else "not-tried"


def _learn_once(release: SplitRelease, sensitive: str) -> Taught | None:
    kept = _KEPT.setdefault(release, {})
    if sensitive not in kept:
        quasi, sets = release.schema.quasi, release.holds_sets
        plain = all(cells_of(release.quasi[c.name], c, sets=sets).single for c in quasi)
        some = bool(quasi) and plain
        kept[sensitive] = learn_release(release, read_split(release, sensitive)) if some else None
    return kept[sensitive]


def guess_by_learning(
    release: SplitRelease,
    sensitive: str,
    known: Mapping[str, object],
    groups: Rows,
    weights: Floats,
    *,
    bands: bool = False,
) -> LearnedGuess | None:
    """Guess one person's value by what the whole table teaches; None where nothing is borne out.

    Parameters
    ----------
    release, sensitive
        What was published by groups, and the sensitive column.
    known
        What is known of her.
    groups, weights
        The groups she may be in, and the chance of each.
    bands
        Whether bands of numbers may be guessed.
    """
    taught = find_lesson(release, sensitive, bands=bands)
    if taught is None or not len(groups):
        return None
    table, size = taught.table, taught.table.people.values
    codes = [part.place(known.get(name)) for name, part in table.known.items()]
    places = tuple(np.array([code], np.intp) for code in codes)
    asked = Asked(
        pd.DataFrame(), places, np.zeros(len(groups), np.intp), table.rank[groups], weights
    )
    beliefs = believe(taught, asked)
    best, _ = find_best(beliefs, beliefs.chance, 1, size)
    _, by_group = find_best(beliefs, beliefs.by_group, 1, size)
    chance = np.floor(100 * find_chances(beliefs, best)[0] + 1e-9) / 100
    if chance <= 0:
        return None
    others = table.values[int(guess_by_others(taught, asked)[0])]
    value, everywhere = table.values[int(best[0])], float(table.people.shares[best[0]])
    return LearnedGuess(value, float(chance), float(by_group[0]), others, everywhere)
