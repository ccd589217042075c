"""Learn from a table by groups which values go with which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Floats, Ints, Rows
from verikit.matching._classes import number_rows
from verikit.ranks import expand_ranges

ROUNDS = 8  # of learning, at most: later ones follow their own guesses
REST = 1e-3  # how little a chance changes on average where learning has come to rest
BALANCES = 3  # of rows and values in each round; they go on from those of the round before
PRIOR = 20.0  # so many people speak beside those of a value, and say nothing
LEAST_LOG = -60.0
PLACES = 3  # of what is learned, so that it can be passed on in few bytes


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
    return Learned(tuple(np.round(table, PLACES) for table in tables), turn)


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


def sum_log_chances(people: Grouped, tables: Sequence[Floats]) -> Floats:
    """What the tables say of each person with each value of her group."""
    pairs = zip(tables, people.places, strict=True)
    return np.asarray(sum(table.ravel()[places] for table, places in pairs))


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
