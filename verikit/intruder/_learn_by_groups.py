"""Learn from a table by groups which values go with which, and how far that can be relied on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit.matching import expand_ranges, number_rows

ROUNDS = 8  # of learning, at most: later ones follow their own guesses
REST = 1e-3  # how little a chance changes on average where learning has come to rest
BALANCES = 3  # of rows and values in each round; they go on from those of the round before
PRIOR = 20.0  # so many people speak beside those of a value, and say nothing
LEAST_LOG = -60.0
STRENGTHS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0)
FEWEST = 20  # groups of a half, so that luck can be told
PAIRS = 1_000  # of groups that are put together in each half, at most
TAUGHT = 100_000  # people of a half from whom is learned, about


@dataclass(frozen=True, eq=False)
class Grouped:
    """People whose groups are known, and how much of each value each group holds.

    Parameters
    ----------
    codes
        For each column the place of each person's value.
    widths
        How many places each column has; the last stands for what is not known.
    group
        The group of each person.
    owner, value, amount
        Each pair of a group and a value that it holds, sorted, and how often it does.
    values
        How many values there are.
    """

    codes: tuple[Rows, ...]
    widths: tuple[int, ...]
    group: Rows
    owner: Rows
    value: Rows
    amount: Floats
    values: int

    @cached_property
    def sizes(self) -> Rows:
        """The people of each group."""
        return np.bincount(self.group, minlength=int(self.owner[-1]) + 1)

    @cached_property
    def starts(self) -> Rows:
        """The first pair of each group, and one past the last."""
        return np.searchsorted(self.owner, np.arange(len(self.sizes) + 1))

    @cached_property
    def slots(self) -> tuple[Rows, Rows]:
        """Each person with each value that her group holds: the pair of both, and the person."""
        return expand_ranges(self.starts[self.group], self.starts[self.group + 1])

    @cached_property
    def first(self) -> Rows:
        """The place of the first of her values for each person."""
        sizes = np.diff(self.starts)[self.group]
        return np.cumsum(sizes) - sizes

    @cached_property
    def shares(self) -> Floats:
        """The share of each value in all groups."""
        found = np.bincount(self.value, self.amount, self.values)
        return np.asarray(found / found.sum())

    @cached_property
    def places(self) -> tuple[Rows, ...]:
        """For each column where a table of values holds each person with each of her values."""
        at, person = self.slots
        held = self.value[at]
        return tuple(codes[person] * self.values + held for codes in self.codes)

    def take(self, groups: Rows, merged: Rows) -> tuple[Grouped, Rows]:
        """Some groups under new numbers, several of which may be one; also the people taken."""
        number = np.full(len(self.sizes), -1, np.intp)
        number[groups] = merged
        people, pairs = np.flatnonzero(number[self.group] >= 0), number[self.owner] >= 0
        keys = number[self.owner[pairs]] * self.values + self.value[pairs]
        found, place = np.unique(keys, return_inverse=True)
        taken = replace(
            self,
            codes=tuple(codes[people] for codes in self.codes),
            group=number[self.group[people]],
            owner=found // self.values,
            value=found % self.values,
            amount=np.asarray(np.bincount(place, self.amount[pairs], len(found)), np.float64),
        )
        return taken, people


class Balanced(NamedTuple):
    """The chance of each value of each person, and a factor of each pair of group and value."""

    chances: Floats
    factors: Floats


def balance_chances(
    people: Grouped, logs: Floats, rounds: int, factors: Floats | None = None
) -> Balanced:
    """Find chances in the ratios of some weights that use up the values of each group.

    Each person's chances add up to 1, and those of a value in a group to how often the group holds
    it (Sinkhorn, iterative proportional fitting).

    Parameters
    ----------
    people
        The people and their groups.
    logs
        The logarithm of the weight of each of her values, person after person.
    rounds
        How often values and people are balanced.
    factors
        Those of an earlier balance, to go on from.

    Notes
    -----
    Where every way to deal out the values of a group is as likely as the product of its weights,
    these chances are not the exact ones, which want all ways counted. Of two people with two values
    they are the square roots of the exact odds: nearer to even, in the same order.
    """
    at, person = people.slots
    top = np.maximum.reduceat(logs, people.first)
    weights = np.exp(np.maximum(logs - top[person], LEAST_LOG))
    found = np.ones(len(people.amount)) if factors is None else factors
    held = people.amount * (people.sizes / _add_up(people))[people.owner]
    for _ in range(rounds):
        chances = _share_out(people, weights * found[at])
        used = np.bincount(at, chances, len(found))
        found = found * held / np.maximum(used, 1e-300)
    return Balanced(_share_out(people, weights * found[at]), found)


def _add_up(people: Grouped) -> Floats:
    """How many values each group holds, which are those of its people and others made up."""
    return np.maximum(np.bincount(people.owner, people.amount, len(people.sizes)), 1e-300)


def _share_out(people: Grouped, weights: Floats) -> Floats:
    return np.asarray(weights / np.add.reduceat(weights, people.first)[people.slots[1]])


class Learned(NamedTuple):
    """What goes with what: a table for each column, and how much of it can be relied on.

    Parameters
    ----------
    tables
        For each column by value known and sensitive value the logarithm of how much likelier the
        first is with the second than without.
    rounds
        How often chances and tables were worked out from each other.
    """

    tables: tuple[Floats, ...]
    rounds: int


def learn_tables(people: Grouped, *, apart: bool = False, rounds: int = ROUNDS) -> Learned:
    """Learn which known values go with which sensitive ones from groups that hold both.

    From chances, at first the same for everyone of a group, tables are counted, from the tables
    new chances, until they rest.

    Parameters
    ----------
    people
        The people and their groups.
    apart
        Whether columns were shuffled one by one, so that each is linked to the values by itself.
    rounds
        How often tables and chances are worked out from each other, at most.
    """
    even = balance_chances(people, np.zeros(len(people.slots[0])), 1)
    held = [even] * (len(people.codes) if apart else 1)
    tables: list[Floats] = [np.zeros((width, people.values)) for width in people.widths]
    turn = 0
    while turn < rounds:
        turn += 1
        both = [held[min(at, len(held) - 1)] for at in range(len(people.codes))]
        tables = [_count_table(people, at, part.chances) for at, part in enumerate(both)]
        logs = [table.ravel()[places] for table, places in zip(tables, people.places, strict=True)]
        before, logs = held, logs if apart else [np.sum(logs, axis=0)]
        held = [
            balance_chances(people, part, BALANCES, old.factors)
            for part, old in zip(logs, before, strict=True)
        ]
        moved = [np.abs(a.chances - b.chances).mean() for a, b in zip(held, before, strict=True)]
        if max(moved) < REST:
            break
    return Learned(tuple(tables), turn)


def _count_table(people: Grouped, at: int, chances: Floats) -> Floats:
    """Count one column by chances: how much likelier each value is with each sensitive one.

    A value of few people is drawn to what holds for all, so that nobody learns from her own guess.
    """
    shape = people.widths[at], people.values
    counts = np.bincount(people.places[at], chances, shape[0] * shape[1]).reshape(shape)
    shares = counts[:-1].sum(0) / max(counts[:-1].sum(), 1e-300)  # of those of whom it is known
    even = (counts.sum(1, keepdims=True) + PRIOR) * shares
    found = np.where(shares > 0, (counts + PRIOR * shares) / np.where(even > 0, even, 1), 1)
    found[-1] = 1.0  # what is not known speaks for nothing, nor what nobody has
    return np.log(found)


def add_logs(people: Grouped, tables: Sequence[Floats]) -> Floats:
    """What the tables say of each person with each value of her group."""
    pairs = zip(tables, people.places, strict=True)
    return np.asarray(sum(table.ravel()[places] for table, places in pairs))


class Tested(NamedTuple):
    """How far what was learned can be relied on, as groups tell from which was not learned.

    Parameters
    ----------
    strength
        The power to which what was learned is taken; 0 where it helped with no other group.
    values
        On how many values of other groups it was tried.
    half
        In which half each group is.
    others
        By half the tables that were learned from the other one.
    """

    strength: float
    values: int
    half: Flags
    others: tuple[Learned | None, Learned | None]


def find_strength(people: Grouped, hashes: Ints, *, apart: bool = False) -> Tested:
    """Try what one half of the groups teaches on the other half.

    Two groups are put together as if only their union were known, and it is asked of whose people
    each value is: which the release tells. The strength is the least that does as well as the best
    one, but for chance.

    Parameters
    ----------
    people
        The people and their groups.
    hashes
        A number of each group that follows from what it holds, and from nothing else.
    apart
        Whether columns were shuffled one by one.
    """
    order = np.argsort(hashes, kind="stable")
    half = np.asarray(hashes & 1, bool)
    parts = [order[half[order] == which] for which in (False, True)]
    if min(map(len, parts)) < FEWEST:
        return Tested(0.0, 0, half, (None, None))
    taught = [learn_tables(_take_some(people, part), apart=apart) for part in parts]
    losses, values = [], 0
    for part, learned in zip(parts, reversed(taught), strict=True):
        found, tried = _try_tables(people, part[: 2 * PAIRS], learned)
        losses.append(found)
        values += tried
    both = np.concatenate(losses, axis=1)
    best = int(both.sum(1).argmin())
    more = both - both[best]
    fair = more.sum(1) <= np.sqrt(np.square(more).sum(1))
    return Tested(STRENGTHS[int(np.argmax(fair))], values, half, (taught[1], taught[0]))


def _take_some(people: Grouped, groups: Rows) -> Grouped:
    """As many of some groups as hold the people from whom is learned."""
    enough = int(np.searchsorted(np.cumsum(people.sizes[groups]), TAUGHT)) + 1
    return people.take(groups[:enough], np.arange(len(groups[:enough])))[0]


def _try_tables(people: Grouped, groups: Rows, learned: Learned) -> tuple[Floats, int]:
    """By strength and pair of groups: how badly the values of one are told from the other's."""
    pairs = len(groups) // 2
    first, groups = groups[:pairs], groups[: 2 * pairs]  # groups that are alike are neighbours
    both, rows = people.take(groups, np.tile(np.arange(pairs), 2))
    leads = np.zeros(len(people.sizes), bool)
    leads[first] = True
    one, _ = people.take(first, np.arange(pairs))
    every, own = (part.owner * people.values + part.value for part in (both, one))
    place = np.searchsorted(every, own)
    share = np.zeros(len(both.amount))
    share[place] = one.amount / both.amount[place]
    logs, (at, person) = add_logs(both, learned.tables), both.slots
    hers = leads[people.group[rows]][person]
    losses = []
    for strength in STRENGTHS:
        chances = balance_chances(both, strength * logs, 5 * BALANCES).chances
        told = np.bincount(at, chances * hers, len(share)) / np.bincount(at, chances, len(share))
        told = np.clip(told, 1e-3, 1 - 1e-3)
        loss = -both.amount * (share * np.log(told) + (1 - share) * np.log(1 - told))
        losses.append(np.bincount(both.owner, loss))
    return np.array(losses), round(float(both.amount.sum()))


def hash_groups(people: Grouped) -> Ints:
    """A number of each group that follows from what it holds, whatever order it is in."""
    rows = number_rows(list(zip(people.codes, people.widths, strict=True)))[0]
    held = people.value.astype(np.uint64) << np.uint64(32) | people.amount.astype(np.uint64)
    found = np.zeros(len(people.sizes), np.uint64)
    np.add.at(found, people.group, mix_bits(rows.astype(np.uint64)))
    np.add.at(found, people.owner, mix_bits(~held))
    return (mix_bits(found) >> np.uint64(1)).astype(np.int64)


def mix_bits(keys: np.ndarray) -> np.ndarray:
    """Numbers that look drawn by lot, the same for the same key (the finalizer of splitmix64)."""
    keys = (keys + np.uint64(0x9E3779B97F4A7C15)) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))
