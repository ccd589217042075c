"""Find which sensitive values several releases leave open for people, put together."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from verikit._support.arrays import AnyInts, Flags, Floats, Ints, Rows
from verikit.cells import Cells, Spans, cells_of
from verikit.errors import SchemaError
from verikit.matching._candidates import (
    find_hidden_rows,
    match_people,
    spell_people,
    suppresses_classes,
)
from verikit.matching._classes import group_rows
from verikit.matching._group_contents import Alignment, Contents
from verikit.matching._rank_windows import find_values_within, refuse_too_many
from verikit.matching._settle_by_counts import Bounds, settle_by_counts
from verikit.ranks import expand_ranges
from verikit.release import SplitRelease, TableRelease, by_groups
from verikit.words import listed, text

HELD = ("as it was", "covers", "another order")  # promises that values are those of the people
OTHER = "another value"  # one that no release names


class LeftOpen(NamedTuple):
    """Which values are open for each person: pairs of person and value, sorted.

    Parameters
    ----------
    owner, place
        The person and the value of each pair.
    chance
        How likely the value is hers; NaN where that cannot be said.
    free
        By person whether any value may be hers; then she is in no pair.
    """

    owner: Ints
    place: Rows
    chance: Floats
    free: Flags

    def counts(self) -> Rows:
        """Count the values that are open for each person; -1 where any may be hers."""
        found = np.bincount(self.owner, minlength=len(self.free))
        return np.where(self.free, -1, found)

    def add_up(self) -> LeftOpen:
        """The same with chances of each person that add up to 1."""
        totals = np.bincount(self.owner, self.chance, len(self.free))
        with np.errstate(invalid="ignore", divide="ignore"):
            chance = self.chance / totals[self.owner]
        return self._replace(chance=np.where(self.counts()[self.owner] == 1, 1.0, chance))


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """The values that a column may hold, over several releases, and what each cell may be.

    Parameters
    ----------
    names
        The values in words; between two numbers that ranges name stands what lies between them.
    cells
        By release the column's cells.
    starts, members
        By release where the values that each of its cells may be begin, and these.
    """

    names: tuple[str, ...]
    cells: tuple[Cells, ...]
    starts: tuple[Rows, ...]
    members: tuple[Rows, ...]

    @classmethod
    def of(cls, columns: Sequence[Cells]) -> Values:
        """Find the values of a column that releases show, each in its own cells."""
        if all(isinstance(cells, Spans) for cells in columns):
            return _read_numbers(columns)
        found = [c.names[:-1] if isinstance(c, Spans) else c.values for c in columns]
        names = sorted({text(name) for part in found for name in part})
        tables = [
            np.column_stack([*(c.may_be(name) for name in names), _may_be_another(c)])
            for c in columns
        ]
        starts = tuple(np.r_[0, np.cumsum(table.sum(axis=1))] for table in tables)
        members = tuple(np.nonzero(table)[1] for table in tables)
        return cls((*names, OTHER), tuple(columns), starts, members)


def _may_be_another(cells: Cells) -> Flags:
    """Which cells may be a value that no release names."""
    coded = [bool(part.codes or part.ranges) for part in cells.read]
    return cells.anything | np.array([*coded, *[True] * (len(cells) + 1 - len(coded))])


def _read_numbers(columns: Sequence[Any]) -> Values:
    """The ends of all cells and, where some are ranges, what lies between them."""
    ends = np.unique(np.concatenate([part for c in columns for part in (c.low, c.high)]))
    points = ends = ends[np.isfinite(ends)]
    names = list(map(text, ends))
    if len(ends) and any((c.low[:-1] != c.high[:-1]).any() for c in columns):
        middles = (ends[1:] + ends[:-1]) / 2
        points = np.r_[-np.inf, np.insert(ends, np.arange(1, len(ends)), middles), np.inf]
        between = [f"between {a} and {b}" for a, b in itertools.pairwise(names)]
        inner = [each for pair in zip(names, [*between, ""], strict=True) for each in pair][:-1]
        names = [f"less than {names[0]}", *inner, f"more than {names[-1]}"]
    spans = [
        (np.searchsorted(points, c.low, "left"), np.searchsorted(points, c.high, "right"))
        for c in columns
    ]
    starts = tuple(np.r_[0, np.cumsum(high - low)] for low, high in spans)
    members = tuple(expand_ranges(low, high)[0] for low, high in spans)
    return Values(tuple(names), tuple(columns), starts, members)


class Inside(NamedTuple):
    """What the groups of a release hold, and whom each holds.

    Parameters
    ----------
    group
        The group of each person; -1 where several fit her.
    owner, cell, amount
        Each pair of a group and a cell that it holds, sorted, and how often it does.
    """

    group: Rows
    owner: Rows
    cell: Rows
    amount: Rows

    @classmethod
    def of(cls, owner: Ints, groups: Rows, size: int, labels: Rows, cells: Cells) -> Inside:
        """Find who is in one group, of all groups that fit people."""
        least, most = np.full(size, len(labels)), np.full(size, -1)
        np.minimum.at(least, owner, groups)
        np.maximum.at(most, owner, groups)
        keys, amount = np.unique(labels * (len(cells) + 1) + cells.codes, return_counts=True)
        group = np.where(least == most, most, -1)
        return cls(group, keys // (len(cells) + 1), keys % (len(cells) + 1), amount)


Pairs: TypeAlias = tuple[Ints, Ints, Floats]  # person, cell, and how likely it is hers


def _open_values(
    release: Any, name: str, at: int, values: Values, people: pd.DataFrame, rows: Rows | None
) -> tuple[LeftOpen, Inside | None]:
    """Find which values one release leaves open for people, and in which groups they are.

    Parameters
    ----------
    release
        What was published.
    name
        The sensitive column.
    at, values
        The place of the release among those that ``values`` were read of.
    people
        What is known of each person.
    rows
        The row of each person, where it is known.
    """
    cells, size = values.cells[at], len(people)
    if release.promise not in HELD:
        nothing = np.empty(0, np.int64)
        return LeftOpen(nothing, nothing, np.empty(0), np.ones(size, np.bool_)), None
    if by_groups(release):
        pairs, inside = _list_cells_of_groups(release, name, cells, people, rows)
    elif release.promise == "another order":
        pairs = _list_cells_in_order(release, name, cells, people, rows)
        everybody = np.zeros(size, np.intp)
        inside = Inside.of(np.arange(size), everybody, size, np.zeros(len(release), int), cells)
    else:
        pairs, inside = _list_cells_of_rows(release, name, cells, people, rows)
    return _spread(pairs, cells, values, at, size), inside


def _list_cells_of_groups(
    release: SplitRelease, name: str, cells: Cells, people: pd.DataFrame, rows: Rows | None
) -> tuple[Pairs, Inside]:
    """Each person with the cells of the groups she may be in; her group is that of her row."""
    if rows is not None:
        owner, groups, weight = np.arange(len(rows)), release.labels.quasi[rows], np.ones(len(rows))
    else:
        known = spell_people(people, release.quasi, release.schema)
        owner, groups, weight = Alignment(release, list(known)).fit_all(known)
    held = Contents(release, name)
    at, pair = expand_ranges(held.starts[groups], held.starts[groups + 1])
    share = weight[pair] * held.counts[at] / release.sizes[groups[pair]]
    inside = Inside.of(owner, groups, len(people), release.labels.sensitive, cells)
    return (owner[pair], held.places[at], share), inside


def _list_cells_of_rows(
    release: TableRelease, name: str, cells: Cells, people: pd.DataFrame, rows: Rows | None
) -> tuple[Pairs, Inside]:
    """Each person with the cells of the rows that may be hers; her group is what looks the same."""
    known = spell_people(people, release.frame, release.schema)
    seen, size = group_rows(release.frame[list(known.columns)]).labels, len(people)
    if rows is not None:
        owner, inside = np.arange(size), Inside.of(np.arange(size), seen[rows], size, seen, cells)
        return (owner, cells.codes[rows].astype(np.int64), np.ones(size)), inside
    hidden = find_hidden_rows(release) & suppresses_classes(release)
    alike = group_rows(release.frame[[*known.columns, name]])  # records that show the same
    first = alike.first()
    owner, found = match_people(known, release, hidden, first)
    many = alike.sizes[found]
    share = many / np.bincount(owner, many, len(known))[owner]
    rows = first[found]
    inside = Inside.of(owner, seen[rows], size, seen, cells)
    return (owner, cells.codes[rows].astype(np.int64), share), inside


def _list_cells_in_order(
    release: TableRelease, name: str, cells: Cells, people: pd.DataFrame, rows: Rows | None
) -> Pairs:
    """Each person with the cells within the told places, or with every one: one of them is hers."""
    found = find_values_within(release, name, people, rows)
    if found is None:
        shown, size = np.unique(cells.codes).astype(np.int64), len(people)
        refuse_too_many(size * len(shown), size)
        owner, code = np.repeat(np.arange(size), len(shown)), np.tile(shown, size)
    else:
        owner, code = found[0], cells.codes[found[1]].astype(np.int64)
    return owner, code, np.full(len(owner), np.nan)


def _spread(pairs: Pairs, cells: Cells, values: Values, at: int, size: int) -> LeftOpen:
    """From pairs of person and cell to pairs of person and value, each once."""
    owner, code, share = pairs
    free = np.zeros(size, np.bool_)
    free[owner[cells.anything[code]]] = True
    kept = ~free[owner]
    owner, code, share = owner[kept], code[kept], share[kept]
    starts = values.starts[at]
    member, pair = expand_ranges(starts[code], starts[code + 1])
    width = len(values.names)
    keys = owner[pair] * width + values.members[at][member]
    several = (starts[code + 1] - starts[code] > 1)[pair]
    shares = np.where(several, np.nan, share[pair])  # which of several it is, nobody tells
    found, inverse = np.unique(keys, return_inverse=True)
    chance = np.bincount(inverse, shares, len(found)).astype(np.float64)
    unsaid = np.isnan(np.bincount(found // width, chance, size))
    chance[unsaid[found // width]] = np.nan
    return LeftOpen(found // width, found % width, chance, free)


class Found(NamedTuple):
    """What releases leave open for people.

    Parameters
    ----------
    values
        The values.
    everywhere
        How frequent each is, over the releases that tell.
    alone
        What each release leaves open by itself.
    apart
        What all of them do for each person, without regard to the others.
    together
        What all of them do.
    """

    values: Values
    everywhere: Floats
    alone: tuple[LeftOpen, ...]
    apart: LeftOpen
    together: LeftOpen


def intersect(parts: Sequence[LeftOpen], everywhere: Floats) -> LeftOpen:
    """Keep the values that every release leaves open; their chances multiplied.

    Each chance is weighed against how frequent the value is ``everywhere``, so that what two
    releases say alike counts once. Where a release does not tell how likely a value is, it has no
    say in that.
    """
    found, width = parts[0], len(everywhere)
    for other in parts[1:]:
        one, two = _fill_in(found, other), _fill_in(other, found)
        keys, first, second = np.intersect1d(
            one.owner * width + one.place,
            two.owner * width + two.place,
            assume_unique=True,
            return_indices=True,
        )
        chances = one.chance[first], two.chance[second]
        both = chances[0] * chances[1] / everywhere[keys % width]
        chance = np.where(np.isnan(chances[0]), chances[1], chances[0])
        chance = np.where(np.isnan(both), chance, both)
        found = LeftOpen(keys // width, keys % width, chance, found.free & other.free)
    return found.add_up()


def _fill_in(part: LeftOpen, other: LeftOpen) -> LeftOpen:
    """Give people for whom all is open what the other leaves open for them."""
    taken = part.free[other.owner]
    if not taken.any():
        return part
    return LeftOpen(
        np.concatenate([part.owner, other.owner[taken]]),
        np.concatenate([part.place, other.place[taken]]),
        np.concatenate([part.chance, np.full(int(taken.sum()), np.nan)]),
        part.free,
    )


def find_values_left(
    releases: Sequence[Any],
    name: str,
    people: pd.DataFrame,
    rows: Sequence[Rows | None] | None = None,
) -> Found:
    """Find which values of a column each release leaves open for people, and then all together.

    Parameters
    ----------
    releases
        Those that show the column.
    name
        The sensitive column.
    people
        What is known of each person; she is taken to be in every release.
    rows
        By release the row of each person, where it is known.

    Returns
    -------
    Found
        The values, and what each release leaves open, and what all do.

    Raises
    ------
    SchemaError
        If a release holds nothing that is known of the people.

    Notes
    -----
    A value that is left out is impossible if all people are in every release and their promises
    hold; one that is left need not be possible, see `settle_by_counts`. Chances are exact where
    nothing but she joins the releases. O(p sqrt(p)) for p pairs of person and value.
    """
    shown = [
        cells_of(
            (each.sensitive if by_groups(each) else each.frame)[name],
            each.schema[name],
            sets=each.holds_sets,
        )
        for each in releases
    ]
    values = Values.of(shown)
    parts, shares, held = [], [], []
    for at, release in enumerate(releases):
        quasi = [c.name for c in release.schema.quasi]
        names = [each for each in people.columns if each in quasi]
        if not names:
            raise SchemaError(
                f"Release {at + 1} knows its people by {listed(quasi) or 'nothing'}, and of the "
                f"people are known {listed(people.columns) or 'nothing'}; give releases, or "
                "people, with a column in common."
            )
        row = None if rows is None else rows[at]
        known = people[names]
        kinds = np.arange(len(known)) if row is not None else _number_kinds(known)
        first = np.unique(kinds, return_index=True)[1]
        found, inside = _open_values(release, name, at, values, known.take(first), row)
        parts.append(_give_to_all(found, kinds))
        shares.append(_count_shares(values, at))
        if inside is not None:
            held.append((at, inside._replace(group=inside.group[kinds])))
    told = [part for part in shares if part is not None] or [np.ones(len(values.names))]
    everywhere = np.mean(told, axis=0)
    together = apart = intersect(parts, np.where(everywhere > 0, everywhere, 1.0))
    if len(people) > 1 and len(held) > 1 and apart.counts().all():
        together = _settle_by_others(apart, [_bound_counts(*part, values, apart) for part in held])
    return Found(values, everywhere, tuple(parts), apart, together)


def count_values_left(parts: Sequence[tuple[AnyInts, Sequence[Mapping[str, int]]]]) -> Rows:
    """Count the values left for people whose group is known in every release that holds them.

    Parameters
    ----------
    parts
        By release the group of each person, -1 where it does not hold her, and how often each group
        holds each value.

    Returns
    -------
    array of int
        By person how many values all releases leave, with regard to the others; -1 where none
        holds her, 0 if releases contradict each other about her.

    Notes
    -----
    See `settle_by_counts`: of two values and two releases that is exact, else some that are left
    may be impossible.
    """
    names = sorted({value for _, groups in parts for held in groups for value in held})
    number = {name: at for at, name in enumerate(names)}
    places = np.arange(len(names) + 1)
    whole = (places,) * len(parts), (places[:-1],) * len(parts)
    values, inner, alone = Values(tuple(names), (), *whole), [], []
    for home, groups in parts:
        lines = [(at, number[v], n) for at, held in enumerate(groups) for v, n in held.items()]
        owner, cell, amount = np.array(sorted(lines), np.intp).reshape(-1, 3).T
        group = np.asarray(home, np.intp)
        here = np.flatnonzero(group >= 0)
        starts = np.searchsorted(owner, np.arange(len(groups) + 1))
        at, person = expand_ranges(starts[group[here]], starts[group[here] + 1])
        alone.append(LeftOpen(here[person], cell[at], np.ones(len(at)), group < 0))
        inner.append(Inside(group, owner, cell, amount))
    found = intersect(alone, np.ones(len(names)))
    if found.counts().all():
        sides = [_bound_counts(at, inside, values, found) for at, inside in enumerate(inner)]
        found = _settle_by_others(found, sides)
    return found.counts()


def _bound_counts(at: int, inside: Inside, values: Values, found: LeftOpen) -> Bounds:
    """How many people of each group of a release have each value, for the pairs that are open."""
    width, starts, nobody = len(values.names), values.starts[at], -1
    group = np.where(found.free, nobody, inside.group)
    keys, slot = np.unique(group[found.owner] * width + found.place, return_inverse=True)
    member, pair = expand_ranges(starts[inside.cell], starts[inside.cell + 1])
    wanted = inside.owner[pair] * width + values.members[at][member]
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    seen, amount = keys[place] == wanted, inside.amount[pair]
    sure = seen & (np.diff(starts)[inside.cell] == 1)[pair]
    least, most = (np.bincount(place[p], amount[p], len(keys)) for p in (sure, seen))
    groups = np.r_[np.bincount(inside.owner, inside.amount), 0]  # those in no group come last
    others = groups - np.bincount(group[group >= 0], minlength=len(groups))
    hers = np.where(keys >= 0, keys // width, nobody)
    least = np.where(hers >= 0, np.maximum(least - others[hers], 0), 0)
    most = np.where(hers >= 0, np.where(others[hers] < 0, -1, most), len(found.owner))
    return Bounds(slot, least.astype(np.int64), most.astype(np.int64))


def _settle_by_others(found: LeftOpen, sides: Sequence[Bounds]) -> LeftOpen:
    """Leave out what is some other's in every world; nothing where there is no world."""
    left = settle_by_counts(found.owner, found.place, sides)
    if left is None or left.all():
        return found
    kept = LeftOpen(found.owner[left], found.place[left], found.chance[left], found.free)
    return kept.add_up()


def _number_kinds(known: pd.DataFrame) -> Ints:
    names = list(known)
    return known.groupby(names, sort=False, observed=True, dropna=False).ngroup().to_numpy(np.int64)


def _give_to_all(found: LeftOpen, kinds: Ints) -> LeftOpen:
    """From what is open for each kind of people to what is for each of them."""
    ends = np.searchsorted(found.owner, np.arange(len(found.free) + 1))
    at, owner = expand_ranges(ends[kinds], ends[kinds + 1])
    return LeftOpen(owner, found.place[at], found.chance[at], found.free[kinds])


def _count_shares(values: Values, at: int) -> Floats | None:
    """How frequent each value is in a release; None where cells stand for several."""
    starts, cells = values.starts[at], values.cells[at]
    counts = np.bincount(cells.codes, minlength=len(starts) - 1)
    if (np.diff(starts)[counts > 0] != 1).any():
        return None
    held = np.flatnonzero(counts)
    shares = np.bincount(values.members[at][starts[held]], counts[held], len(values.names))
    return np.asarray(shares / shares.sum(), np.float64)
