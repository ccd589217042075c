"""Repeat the method that made the groups: which worlds are left, and what is certain in them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, permutations, product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Rows
from verikit._support.plotted import Framed, Plotted
from verikit._support.requests import whole
from verikit.errors import SchemaError
from verikit.partition import (
    PARTITIONERS,
    RefusedCut,
    resists_repetition,
    value_codes,
)
from verikit.release import SplitRelease, by_groups
from verikit.table import Microdata, Schema

Chances: TypeAlias = dict[Any, float]
SHORT = 10**6  # worlds beyond are told by their power of ten


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RepeatedPartition(Framed, Plotted):
    """Which values each published row may have, for somebody who repeats the published method.

    Parameters
    ----------
    rows
        What is published of each person, with the group.
    method
        The published method.
    shown
        By row the values of its group, each with its share.
    possible
        By row the values that it has in some world that was not ruled out, each with its chance if
        all worlds left are equally likely; NaN where they were not counted. In no world that the
        method allows it has another.
    worlds
        In how many ways the values of each group can be given to its rows.
    left
        In how many of them the method makes these groups; None where they were not counted.
    rests
        What this rests on.

    Examples
    --------
    Of four people in one group the method tells that the two oldest have C:

    >>> import verikit as vk
    >>> frame = pd.DataFrame({"age": [20, 20, 21, 22, 24, 27], "ill": list("BAABCC")})
    >>> data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    >>> groups = vk.partition.entropy_diverse(data, ell=2)
    >>> found = repeated_partition(vk.mask.anatomize(data, partition=groups, seed=1).release)
    >>> found.worlds, found.left, found.certain
    (24, 4, 2)
    >>> sorted(found.to_frame()["certain"].dropna())
    ['C', 'C']
    """

    rows: pd.DataFrame
    method: str
    shown: tuple[Chances, ...]
    possible: tuple[Chances, ...]
    worlds: int
    left: int | None
    rests: str

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def certain(self) -> int:
        """How many rows have one possible value only, where their group shows several."""
        pairs = zip(self.shown, self.possible, strict=True)
        return sum(len(possible) == 1 < len(shown) for shown, possible in pairs)

    def __repr__(self) -> str:
        left = "some" if self.left is None else say_number(self.left)
        left = "all" if self.left == self.worlds else left
        return (
            f"repeated partition: {left} of {say_number(self.worlds)} worlds are left; one value "
            f"is possible for {self.certain:,} of {len(self):,} rows whose group shows several; "
            f"{self.rests}."
        )

    def to_frame(self) -> pd.DataFrame:
        """One line a row: how many values are possible, the likeliest, and what is certain."""
        lines = []
        for shown, possible in zip(self.shown, self.possible, strict=True):
            counted = not math.isnan(sum(possible.values()))
            likeliest = max(possible, key=(possible if counted else shown).__getitem__)
            certain = likeliest if len(possible) == 1 else None
            by_group = max(shown.values())
            chance = possible[likeliest]
            lines.append((len(shown), len(possible), likeliest, chance, by_group, certain))
        names = ("shown", "possible", "likeliest", "chance", "by group", "certain")
        told = pd.DataFrame(lines, columns=pd.Index(names), index=self.rows.index)
        return pd.concat([self.rows, told], axis=1)


def say_number(number: int) -> str:
    """Say how many worlds there are, of very many the power of ten.

    Examples
    --------
    >>> say_number(24), say_number(2 * 10**40)
    ('24', 'at least 10^40')
    """
    return f"{number:,}" if number < SHORT else f"at least 10^{int(math.log10(number))}"


class Published(NamedTuple):
    """What is published of groups: the group of each row, and how many of each have each value."""

    method: str
    parameters: Mapping[str, Any]
    known: Microdata
    labels: Rows
    held: Rows
    values: tuple[Any, ...]

    def share_values(self, group: int) -> Chances:
        """Give each value of a group its share."""
        held = self.held[group]
        size = int(held.sum())
        return {self.values[at]: int(held[at]) / size for at in np.flatnonzero(held).tolist()}


class Dealt(NamedTuple):
    """The ways to give values to rows of some groups that a method allows.

    Parameters
    ----------
    left
        How many there are.
    chances
        By row the values that it has in one of them or more, each with its chance.
    """

    left: int
    chances: dict[int, Chances]


def repeated_partition(release: SplitRelease, *, limit: int = 5_000) -> RepeatedPartition:
    """Find the worlds in which the published method makes the published groups.

    A world gives the values of each group to its rows in some way. Where groups depend on who has
    which value, the method makes other groups in some worlds, which are thereby ruled out.

    Parameters
    ----------
    release
        What was published in two tables, with the name of the method that made the groups.
    limit
        How many ways to give values to the rows of groups are looked at together; rows that the
        method never tells apart count as alike. Where there are more, groups are looked at one by
        one, and in pairs.

    Returns
    -------
    RepeatedPartition
        For each published row the values that are possible, and how likely each is.

    Raises
    ------
    SchemaError
        If the release is no pair of tables, its known columns were shuffled, no method is named,
        or the one that is named never makes these groups.
    RecordError
        If the limit is no whole number from 1 up.

    References
    ----------
    [QZ]_ sections 2.4, 2.8, 4.4.5 and 6.1

    Notes
    -----
    The text says that such an attack fails wherever values are permuted in groups. It fails where
    the method resists repetition (`verikit.partition.PARTITIONERS` says which do): then every world
    makes the groups equally likely. Of `entropy_diverse` all that must hold is worked out from what
    is published: each cut that it tried and did not make was refused. Groups that no such cut ties
    together are independent, so the worlds are counted exactly. Beyond the limit cuts through more
    than two groups are left out, and groups with too many worlds of their own; that rules out
    fewer worlds, so what is called certain is certain all the same. Of `diverse`, which draws at
    random, each world counts as often as it makes these groups: exactly, over all orders in which
    records may come and all parts from which groups may be dealt, for up to nine records and as
    many worlds as the limit. Beyond, what its draws tell is not counted, and all values of a group
    are called possible. There no pair of groups rules out a world by itself: a cut along groups is
    kept in every world, and in which parts the others lie is not told. O(limit) for groups that
    are looked at together.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("qz_table2_1")
    >>> groups = vk.partition.max_groups(data, k=3, e=2000, seed=1)
    >>> repeated_partition(vk.mask.permute_sensitive(data, partition=groups, seed=1).release)
    repeated partition: all of 216 worlds are left; one value is possible for 0 of 9 rows whose
    group shows several; max_groups makes these groups as often whoever of a group has which value.
    """
    found = read_published(release)
    limit = whole(limit, "limit")
    ways = [count_ways(held) for held in found.held.tolist()]
    shares = [found.share_values(group) for group in range(len(ways))]
    shown = [shares[group] for group in found.labels.tolist()]
    worlds, possible = math.prod(ways), list(shown)
    left: int | None = worlds
    known = PARTITIONERS.get(found.method)
    if known is not None and known.refused is not None:
        rests = f"if {found.method} made them with the published parameters from these columns"
        cuts = known.refused(found.known, found.labels, found.held, found.parameters)
        for groups, tied in tie_groups(found.labels, cuts):
            dealt = deal_values(found, groups, tied, limit)
            if dealt is None:
                left = None
                dealt = deal_apart(found, groups, tied, limit)
            elif left is not None:
                left = left // math.prod(ways[group] for group in groups) * dealt.left
            for row, chances in dealt.chances.items():
                possible[row] = chances
    elif (weights := weigh_all(found, worlds, limit)) is not None:
        left, possible = weights
        rests = (
            f"if {found.method} made them with the published parameters from these columns; each "
            "world counts as often as it makes them"
        )
    elif resists_repetition(found.method):
        rests = f"{found.method} makes these groups as often whoever of a group has which value"
    else:
        rests = (
            f"what repeating {found.method} rules out was not counted, so that more may be certain"
        )
        left, possible = None, [dict.fromkeys(part, math.nan) for part in shown]
    rows = release.quasi.reset_index(drop=True)
    return RepeatedPartition(rows, found.method, tuple(shown), tuple(possible), worlds, left, rests)


def weigh_all(found: Published, worlds: int, limit: int) -> tuple[int, list[Chances]] | None:
    """Weigh each world by how often the method makes the groups in it; None where nobody can tell.

    How many worlds are left, and by row its values, each with its chance.
    """
    known = PARTITIONERS.get(found.method)
    weigh = known.weigh if known is not None and worlds <= limit else None
    chance = weigh(found.known, found.labels, found.parameters) if weigh is not None else None
    if chance is None:
        return None
    rows = [np.flatnonzero(found.labels == group) for group in range(len(found.held))]
    ways = [
        sorted(set(permutations(np.repeat(np.arange(len(held)), held).tolist())))
        for held in found.held
    ]
    codes = np.empty((worlds, len(found.labels)), np.intp)
    for at, dealt in enumerate(product(*ways)):
        codes[at, np.concatenate(rows)] = [*chain.from_iterable(dealt)]
    weight = np.array([chance(world) for world in codes.tolist()])
    left = int(np.count_nonzero(weight))
    require_worlds(found, left)
    sums = (np.bincount(part, weight, len(found.values)) / weight.sum() for part in codes.T)
    chances = [{found.values[at]: float(part[at]) for at in np.flatnonzero(part)} for part in sums]
    return left, chances


def require_worlds(found: Published, left: int) -> None:
    """Refuse groups that the method makes in no world."""
    if not left:
        raise SchemaError(
            f"In no world does {found.method} make the published groups from the published "
            "columns; its name or its parameters are not those used."
        )


def read_published(release: SplitRelease) -> Published:
    """Read the groups, what they hold, and how they were made."""
    if not by_groups(release):
        raise SchemaError(
            f"repeated_partition was given {type(release).__name__}; expected a SplitRelease, as "
            "mask.anatomize and mask.permute_sensitive make it."
        )
    told = release.parameters.get("partition")
    method = told.get("method") if isinstance(told, Mapping) else None
    if not isinstance(told, Mapping) or not isinstance(method, str) or not method:
        raise SchemaError(
            "The release names no method that made its groups, so there is none to repeat; expected"
            " parameters['partition']['method'], as partitioners of verikit leave it."
        )
    if release.permuted:
        raise SchemaError(
            "The known columns of the release were shuffled inside the groups, so that no row is "
            "a person's; give a release whose known columns stand as they are."
        )
    asked = told.get("sensitive")
    name = release.schema.find_sensitive(asked if isinstance(asked, str) else None)
    schema = Schema(release.known)
    known = Microdata(release.quasi[list(schema.names)], schema)
    column = release.schema[name]
    codes, values = value_codes(Microdata(release.sensitive[[name]], Schema((column,))), name)
    held = np.zeros((len(release.sizes), len(values)), np.intp)
    np.add.at(held, (release.labels.sensitive, codes), 1)
    return Published(method, told, known, release.labels.quasi, held, values)


def count_ways(counts: Sequence[int]) -> int:
    """Count the ways to give values to rows, of which so many have each.

    Examples
    --------
    >>> count_ways([2, 1, 0])
    3
    """
    return math.factorial(sum(counts)) // math.prod(map(math.factorial, counts))


def tie_groups(
    labels: Rows, cuts: Sequence[RefusedCut]
) -> Iterator[tuple[tuple[int, ...], list[RefusedCut]]]:
    """Give the sets of groups that cuts tie together, each with its cuts."""
    sets: dict[frozenset[int], list[RefusedCut]] = {}
    for cut in cuts:
        groups, tied = find_split_groups(labels, cut), [cut]
        for other in [other for other in sets if other & groups]:
            groups, tied = groups | other, sets.pop(other) + tied
        sets[groups] = tied
    for groups, tied in sets.items():
        yield tuple(sorted(groups)), tied


def find_split_groups(labels: Rows, cut: RefusedCut) -> frozenset[int]:
    """Find the groups that have rows on both sides of a cut."""
    return frozenset(np.intersect1d(labels[cut.lower], labels[cut.upper]).tolist())


def deal_apart(
    found: Published, groups: tuple[int, ...], cuts: Sequence[RefusedCut], limit: int
) -> Dealt:
    """Look at groups one by one and in pairs, each with the cuts that go through no other.

    What is ruled out for some of the groups is ruled out whatever the others hold.
    """
    split = [find_split_groups(found.labels, cut) for cut in cuts]
    small = {part for part in split if len(part) == 2} | {frozenset([group]) for group in groups}
    chances: dict[int, Chances] = {
        row: dict.fromkeys(found.share_values(group), math.nan)
        for group in groups
        for row in np.flatnonzero(found.labels == group).tolist()
    }
    for part in sorted(small, key=sorted):
        tied = [cut for cut, through in zip(cuts, split, strict=True) if through <= part]
        dealt = deal_values(found, tuple(sorted(part)), tied, limit) if tied else None
        for row, left in dealt.chances.items() if dealt else ():
            chances[row] = {value: math.nan for value in chances[row] if value in left}
    return Dealt(0, chances)


def deal_values(
    found: Published, groups: tuple[int, ...], cuts: Sequence[RefusedCut], limit: int
) -> Dealt | None:
    """Count the ways to give values to the rows of some groups that explain all cuts.

    None if there are more than the limit to look at. Rows on the same side of each cut are alike.
    """
    sides = [list_alike_rows(found.labels, group, cuts) for group in groups]
    tables: list[Rows] = []
    for group, kinds in zip(groups, sides, strict=True):
        sizes, room = [len(rows) for rows in kinds], limit // math.prod(map(len, tables))
        every = list(islice(fill_kinds(tuple(found.held[group].tolist()), sizes), room + 1))
        if len(every) > room:
            return None
        tables.append(np.array(every, np.intp))
    place = np.indices([len(part) for part in tables]).reshape(len(tables), -1)
    for cut in cuts:
        worlds = [table[at] for table, at in zip(tables, place, strict=True)]
        place = place[:, _explain_cut(found, cut, sides, worlds)]
    require_worlds(found, place.shape[1])
    ways = [[math.prod(map(count_ways, table)) for table in part.tolist()] for part in tables]
    weight = [math.prod(map(list.__getitem__, ways, at)) for at in place.T.tolist()]
    worlds = [table[at] for table, at in zip(tables, place, strict=True)]
    return Dealt(sum(weight), dict(_share_out(found, sides, worlds, weight)))


def list_alike_rows(labels: Rows, group: int, cuts: Sequence[RefusedCut]) -> list[Rows]:
    """List the rows of a group by the sides of all cuts on which they are."""
    rows = np.flatnonzero(labels == group)
    sides = [np.isin(rows, cut.lower) + 2 * np.isin(rows, cut.upper) for cut in cuts]
    _, kind = np.unique(np.array(sides), axis=1, return_inverse=True)
    return [rows[kind.ravel() == at] for at in range(int(kind.max()) + 1)]


def fill_kinds(counts: tuple[int, ...], sizes: Sequence[int]) -> Iterator[list[tuple[int, ...]]]:
    """Give values, of which so many rows have each, to kinds of rows of which there are so many.

    Examples
    --------
    >>> list(fill_kinds((2, 1), [1, 2]))
    [[(1, 0), (1, 1)], [(0, 1), (2, 0)]]
    """
    if len(sizes) == 1:
        yield [counts]
        return
    for part in _choose_values(counts, sizes[0]):
        rest = tuple(map(int.__sub__, counts, part))
        for others in fill_kinds(rest, sizes[1:]):
            yield [part, *others]


def _choose_values(counts: tuple[int, ...], size: int) -> Iterator[tuple[int, ...]]:
    """List the ways to take so many of values that are there so often."""
    if not counts:
        yield ()
        return
    rest = sum(counts[1:])
    for first in range(min(size, counts[0]), max(size - rest, 0) - 1, -1):
        for others in _choose_values(counts[1:], size - first):
            yield (first, *others)


def _explain_cut(
    found: Published, cut: RefusedCut, sides: list[list[Rows]], worlds: list[Rows]
) -> Flags:
    """Tell in which worlds a cut is refused; groups that are not dealt lie on one side of it."""
    dealt = {int(found.labels[kinds[0][0]]) for kinds in sides}
    held = []
    for side in (cut.lower, cut.upper):
        others = [g for g in np.unique(found.labels[side]).tolist() if g not in dealt]
        total = found.held[others].sum(axis=0)
        for kinds, tables in zip(sides, worlds, strict=True):
            inside = [at for at, rows in enumerate(kinds) if rows[0] in side]
            total = total + tables[:, inside].sum(axis=1)
        held.append(total)
    return cut.explains(*held)


def _share_out(
    found: Published, sides: list[list[Rows]], worlds: list[Rows], weight: list[int]
) -> Iterator[tuple[int, Chances]]:
    """Give each row its values, each with its share of the ways."""
    for kinds, tables in zip(sides, worlds, strict=True):
        for at, rows in enumerate(kinds):
            sums = np.array(weight, object) @ tables[:, at].astype(object)
            every = sum(weight) * len(rows)
            chances = {found.values[v]: int(n) / every for v, n in enumerate(sums) if n}
            yield from ((row, chances) for row in rows.tolist())
