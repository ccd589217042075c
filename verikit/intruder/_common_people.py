"""Find which classes of two tables hold the same people: overlaps and maximum flow."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Floats, Ints
from verikit._support.requests import whole
from verikit.cells import Related, cells_of, relate_cells
from verikit.errors import SchemaError
from verikit.intruder._disclosure import Disclosure
from verikit.intruder._ranked_tables import (
    Compared,
    compare_tables,
    compare_values,
    names_of,
    refuse_other,
    refuse_unlike,
)
from verikit.matching import CompatiblePairs, find_compatible_pairs, row_text
from verikit.models import beside
from verikit.ranks import distance_of, find_nearest
from verikit.release import TableRelease
from verikit.table import Column, Microdata, Schema
from verikit.words import count, listed, not_compared

MAX_STEPS = 3_000_000


class Links(NamedTuple):
    """Pairs of classes that must hold the same people, and how many at least.

    ``exact`` is false where not all pairs could be looked at: then more may be settled.
    """

    first: Ints
    second: Ints
    people: Ints
    exact: bool = True


class Flow(NamedTuple):
    """One way to join all people: how many of each kind are joined with each kind they meet.

    Both ``first`` and ``second`` number kinds from 0, of two sides with ``sizes``.
    """

    first: Ints
    second: Ints
    people: Ints
    sizes: tuple[Ints, Ints]


def find_settled_links(meets: CompatiblePairs, left: Ints, right: Ints) -> Links:
    """Link classes by as many people as every way to join all records links them.

    ``left`` and ``right`` are the numbers of people in the classes of the two releases, whose
    kinds meet.

    Notes
    -----
    A way to join all is a maximum flow. A pair of kinds keeps its people in every other way if both
    lie in different strongly connected components of what the flow leaves open; where they lie in
    one, people are sent other ways until none can be. Linear for p pairs of kinds beside the flow,
    where each kind is one person; else at most ``MAX_STEPS`` more, and then pairs stay unsettled.
    """
    kinds = meets.first, meets.second
    sizes = [
        np.bincount(of, people, minlength=size).astype(np.int64)
        for of, people, size in zip(kinds, (left, right), meets.shape, strict=True)
    ]
    flow = _find_flow(*meets.pairs(), (sizes[0], sizes[1]))
    people, exact = _find_least_people(flow)
    found = []
    members = []  # the classes of each kind
    for of in kinds:
        order = np.argsort(of, kind="stable")
        members.append(np.split(order, np.flatnonzero(np.diff(of[order])) + 1))
    for pair in np.flatnonzero(people).tolist():
        ends = int(flow.first[pair]), int(flow.second[pair])
        missing = [int(part[end] - people[pair]) for part, end in zip(sizes, ends, strict=True)]
        own, other = (
            part[end][of[part[end]] > without]
            for part, end, of, without in zip(members, ends, (left, right), missing, strict=True)
        )
        sure = left[own][:, None] + right[other] - sum(missing) - int(people[pair])
        at, to = np.nonzero(sure > 0)
        found.append(np.column_stack([own[at], other[to], sure[at, to]]))
    pairs = np.concatenate(found or [np.zeros((0, 3), np.int64)])
    one, other, number = pairs[np.lexsort(pairs.T[1::-1])].T
    return Links(one, other, number, exact)


def _find_flow(first: Ints, second: Ints, sizes: tuple[Ints, Ints]) -> Flow:
    """A way to join all people of both sides; refused where there is none."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    count, other = map(len, sizes)
    start, end = count + other, count + other + 1
    most = np.minimum(sizes[0][first], sizes[1][second])
    ends = (
        np.r_[np.full(count, start), first, count + np.arange(other)],
        np.r_[np.arange(count), count + second, np.full(other, end)],
    )
    rooms = np.r_[sizes[0], most, sizes[1]].astype(np.int32)
    # people of the first side flow to the second through the pairs that meet
    found = maximum_flow(csr_array((rooms, ends), shape=(end + 1, end + 1)), start, end)
    if not found.flow_value == sizes[0].sum() == sizes[1].sum():
        raise SchemaError(
            "The releases contradict each other: a record of one fits none that is left of the "
            "other, so they are not of the same people."
        )
    part = found.flow.tocoo()
    kept = (part.row < count) & (part.data > 0)
    keys, order = first * max(other, 1) + second, np.argsort(first * max(other, 1) + second)
    held = np.searchsorted(keys[order], part.row[kept] * np.int64(other) + part.col[kept] - count)
    people = np.zeros(len(first), np.int64)
    people[order[held]] = part.data[kept]
    return Flow(first, second, people, sizes)


def _find_least_people(flow: Flow) -> tuple[Ints, bool]:
    """How many people each pair of kinds has at least, and whether all pairs were looked at."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    count = len(flow.sizes[0])
    most = np.minimum(flow.sizes[0][flow.first], flow.sizes[1][flow.second])
    more, some = flow.people < most, flow.people > 0
    ends = (
        np.r_[flow.first[more], count + flow.second[some]],
        np.r_[count + flow.second[more], flow.first[some]],
    )
    size = count + len(flow.sizes[1])
    graph = csr_array((np.ones(len(ends[0]), np.int8), ends), shape=(size, size))
    # people can change places only round a cycle, and a cycle lies in one strong component
    component = connected_components(graph, connection="strong")[1]
    inside = component[flow.first] == component[count + flow.second]
    least = np.where(inside, 0, flow.people)
    open_ = np.flatnonzero(inside & some & (more | (flow.people > 1)))
    if not len(open_):
        return least, True
    ways = _OtherWays(flow, inside)
    for pair in open_.tolist():
        least[pair] = ways.find_fewest(pair)
    return least, ways.steps <= MAX_STEPS


class _OtherWays:
    """A way to join all people that is changed, pair by pair, to one with fewer of that pair."""

    def __init__(self, flow: Flow, inside: Flags) -> None:
        self.first, self.second = flow.first.tolist(), flow.second.tolist()
        self.people = flow.people.tolist()
        self.of_first: list[list[int]] = [[] for _ in flow.sizes[0]]
        self.of_second: list[list[int]] = [[] for _ in flow.sizes[1]]
        for pair in np.flatnonzero(inside).tolist():
            self.of_first[self.first[pair]].append(pair)
            self.of_second[self.second[pair]].append(pair)
        self.steps = 0

    def find_fewest(self, pair: int) -> int:
        """Find the fewest people of a pair of kinds; none where that would take too long."""
        while self.people[pair]:
            path = self._find_path_around(pair)
            if self.steps > MAX_STEPS:
                return 0
            if not path:
                break
            moved = min(self.people[part] for part in (pair, *path[1::2]))
            for part in (pair, *path[1::2]):
                self.people[part] -= moved
            for part in path[::2]:
                self.people[part] += moved
        return int(self.people[pair])

    def _find_path_around(self, pair: int) -> list[int]:
        """Pairs by which people of a pair go another way: every other one gets them."""
        start, goal = self.first[pair], self.second[pair]
        came: dict[int, int] = {}  # by kind of the second side, the pair that leads there
        back: dict[int, int] = {start: -1}  # by kind of the first side, the pair left for it
        waiting = deque([start])
        while waiting and goal not in came:
            for out in self.of_first[waiting.popleft()]:
                end = self.second[out]
                self.steps += 1
                if out == pair or end in came:
                    continue
                came[end] = out
                for into in self.of_second[end]:
                    self.steps += 1
                    if self.people[into] and self.first[into] not in back:
                        back[self.first[into]] = into
                        waiting.append(self.first[into])
        if goal not in came:
            return []
        path = [came[goal]]
        while self.first[path[-1]] != start:
            left = back[self.first[path[-1]]]
            path += [left, came[self.second[left]]]
        return path


def shared_columns(first: Schema, second: Schema) -> list[str]:
    """Find the columns that two tables share, except identifiers."""
    names = [c.name for c in first if c.role != "identifier" and c.name in second.names]
    if not names:
        raise SchemaError(
            f"The tables share no column: one has {listed(first.names)}, the other "
            f"{listed(second.names)}; the attack joins what they share."
        )
    return names


def find_overlaps(
    first: pd.DataFrame, second: pd.DataFrame, names: Sequence[str], schemas: tuple[Schema, Schema]
) -> CompatiblePairs:
    """Find which rows of two tables some person fits both of, by kinds of rows."""
    return find_compatible_pairs(_relate_columns(first, second, names, schemas))


def find_rows_in_place(
    first: pd.DataFrame, second: pd.DataFrame, names: Sequence[str], schemas: tuple[Schema, Schema]
) -> Flags:
    """Find which rows some person fits both of at the same place."""
    columns = _relate_columns(first, second, names, schemas)
    fits = [column.meet(column.first.codes, column.second.codes) for column in columns]
    return np.asarray(np.logical_and.reduce(fits))


def _relate_columns(
    first: pd.DataFrame, second: pd.DataFrame, names: Sequence[str], schemas: tuple[Schema, Schema]
) -> list[Related]:
    return [
        relate_cells(
            cells_of(first[name], schemas[0][name]), cells_of(second[name], schemas[1][name])
        )
        for name in names
    ]


def find_width(cells: pd.Series[Any], column: Column) -> Floats:
    """How much each cell leaves open: the length of its span, or the number of values it may be.

    Examples
    --------
    >>> find_width(pd.Series(["47677", "476**", "*"]), Column("Zip", kind="nominal")).tolist()
    [1.0, 100.0, inf]
    """
    coded = cells_of(cells, column)
    return coded.width()[coded.codes]


RARE = 0.05


def unsorted_matching(data: Microdata | TableRelease, release: TableRelease) -> Disclosure:
    """Lay a known table beside a release, row by row, and see whether they fit.

    The attacker has a table of the same people in its original order: a register, or an earlier
    release of other columns. Where more rows fit at their own place than chance explains, the
    release was not shuffled, and each row belongs to the person at its place.

    Parameters
    ----------
    data
        What the attacker has.
    release
        What was published.

    Returns
    -------
    Disclosure
        The rows that fit at their place: what the attacker knows there, the ``row``, what the
        release adds as ``value``, and the confidence that it belongs there; ``before`` is that of
        picking one of the released rows that fit.

    Raises
    ------
    SchemaError
        If the tables have not as many rows, or no column in common.

    References
    ----------
    [KS]_ section 3.1, Table 3

    Notes
    -----
    If a share a of all rows were at their place and the others shuffled, a n + (1 - a) luck rows
    would fit, where luck is the mean number over all orders; a is read off from the number that
    do. Where every row fits every other there is nothing to read off, and the confidence stays
    that of picking at random. The release is called not shuffled where at most 5 of 100 shuffled
    ones would show as many rows at their place, by the Poisson law with that mean.

    Examples
    --------
    >>> import verikit as vk
    >>> unsorted_matching(vk.load("ks_table3"), vk.published("ks_table3_generalized"))
    unsorted matching: 4 of 4 rows fit at their own place, where a shuffled table would show 1.0.
    """
    refuse_other("unsorted_matching", data, kinds=(Microdata, TableRelease))
    refuse_other("unsorted_matching", release, kinds=(TableRelease,))
    if len(data) != len(release) or not len(data):
        raise SchemaError(
            f"The known table has {len(data)} rows and the release {len(release)}; only tables "
            "with as many rows, and at least one, can be laid side by side."
        )
    names = shared_columns(data.schema, release.schema)
    tables = data.frame, release.frame, names, (data.schema, release.schema)
    rows = np.flatnonzero(find_rows_in_place(*tables))
    fits = find_overlaps(*tables)
    sizes = np.bincount(fits.second, minlength=fits.shape[1])
    by_kind = np.zeros(fits.shape[0], np.int64)  # how many released rows each kind of row fits
    for first, second in fits:
        by_kind += np.bincount(first, sizes[second], minlength=len(by_kind)).astype(np.int64)
    partners = by_kind[fits.first]
    luck = float(partners.mean())
    before, total = 1 / partners[rows], len(data)
    kept = max(0.0, (len(rows) - luck) / (total - luck)) if luck < total else 0.0
    # what the release tells beyond the known table, or else its sensitive columns
    new = [name for name in release.schema.names if name not in data.schema.names]
    hidden = [column.name for column in release.schema.sensitive]
    added = release.frame[new or hidden or list(release.schema.names)]
    found = {
        "row": rows + 1,
        "records": partners[rows],
        "value": np.array([row_text(added, int(row)) for row in rows], dtype=object),
        "confidence": before + (1 - before) * kept,
        "before": before,
    }
    frame = beside(data.frame.take(rows).reset_index(drop=True), found)
    order = np.argsort(-found["confidence"], kind="stable")
    sentence = (
        f"{len(rows):,} of {len(data):,} rows fit at their own place, where a shuffled table "
        f"would show {luck:,.1f}."
    )
    ordered = frame.take(order).reset_index(drop=True)
    chance = 1.0  # of a shuffled table to show as many rows in place, by the Poisson law
    if luck:
        fewer = (k * math.log(luck) - luck - math.lgamma(k + 1) for k in range(len(rows)))
        chance = 1 - math.fsum(map(math.exp, fewer))
    fault = "not shuffled" if chance <= RARE else ""
    return Disclosure("unsorted matching", sentence, ordered, len(rows), len(data), fault)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FoundRecords:
    """People whose own record stands in a release, whole or nearly.

    Parameters
    ----------
    places
        How many places a released record may be away in each attribute.
    per_record
        By person whether some released record is so near, or holds all her values.
    whole_per_record
        By person whether some released record holds all her values.
    luck
        How many people to expect near such a record, had each column been shuffled by itself.
        Columns that go together give more.
    alike
        How many people are as near to somebody else in the original itself.
    not_compared
        The published columns of which nothing but equal values count, or that were left out.

    Examples
    --------
    >>> import verikit as vk
    >>> find_records(vk.load("dm_table1"), vk.published("dm_table1_masked"))
    4 of 20 people have their own record in the release, within 2 places in every attribute;
    luck gives about 4.6, and 2 are as near to somebody else. 0 have it there whole.
    """

    places: int
    per_record: Flags
    whole_per_record: Flags
    luck: float
    alike: int
    not_compared: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """How many people have their own record there, whole or nearly."""
        return int(self.per_record.sum())

    @property
    def excess(self) -> float:
        """How many more these are than luck gives, and than are near to somebody else anyway."""
        return max(0.0, self.count - max(self.luck, self.alike))

    @property
    def whole(self) -> int:
        """How many people have their own record there with all values."""
        return int(self.whole_per_record.sum())

    def to_frame(self) -> pd.DataFrame:
        """One line a person, counted from 1: whether her record is there, nearly and whole."""
        return pd.DataFrame(
            {
                "record": np.arange(len(self.per_record)) + 1,
                "near": self.per_record,
                "whole": self.whole_per_record,
            }
        )

    def __repr__(self) -> str:
        left, every = not_compared(self.not_compared), "every"
        if left:
            left, every = f"{left}\n", "every other"
        return (
            f"{left}{self.count:,} of {len(self.per_record):,} people have their own record in the "
            f"release, within {count(self.places, 'place')} in {every} attribute;\n"
            f"luck gives about {self.luck:.2g}, and {count(self.alike, 'is', 'are')} as near to "
            f"somebody else. {count(self.whole, 'has', 'have')} it there whole."
        )


def find_records(
    data: Microdata,
    release: TableRelease,
    attributes: Sequence[str] | None = None,
    *,
    places: int = 2,
) -> FoundRecords:
    """Find the people whose own record stands in a release, whole or within a few places.

    A masking that hands whole records from one person to another leaves no link right, and yet
    gives every record away. This takes no key: whoever is said to own a record, it is there.

    Parameters
    ----------
    data
        The original.
    release
        The masked table, in any order.
    attributes
        What to compare; everything that both tables hold unless told.
    places
        How many places a record may be away in each attribute that has an order.

    Returns
    -------
    FoundRecords
        The people, and how many luck would give.

    Raises
    ------
    RecordError
        If the tables have different numbers of records, or places is no whole number from 0 up.
    SchemaError
        If no attribute is in both, or values of one with an order are missing.

    References
    ----------
    [DM]_ section 3

    Notes
    -----
    Places are gaps between ranks in the two tables, ties counting as what they can be at least. An
    attribute without an order counts for whole records only, and is named as not compared. Where
    none has an order, only whole records are looked for.

    Examples
    --------
    Two people exchange their records: both records are still there.

    >>> import verikit as vk
    >>> data = vk.load("dm_table1")
    >>> exchanged = vk.TableRelease.of(data.frame.iloc[[1, 0, *range(2, 20)]], data.schema)
    >>> found = find_records(data, exchanged)
    >>> found.count, found.whole
    (20, 20)
    """
    steps = whole(places, "places", least=0)
    refuse_unlike(data, release)
    names = names_of(data, release, attributes, ranked=False)
    ranked = [name for name in names if distance_of(data.schema[name]) == "ranks"]
    there, again = _find_whole_records(data, release, names)
    if not ranked:
        equal = compare_values(data, release, names)
        shares = [part.sharing[:, -1] / len(data) for part in equal.unordered.values()]
        luck = _expect_by_luck(np.prod(shares, axis=0), len(release))
        return FoundRecords(steps, there, there, luck, int(again.sum()), equal.not_compared)
    tables = compare_tables(data, release, ranked)
    near = there | (find_nearest(*tables.ranks)[0] <= steps)
    if len(data) > 1:
        sides = tables.first, tables.last
        again = find_nearest(*sides, *sides, own=np.arange(len(data)))[0] <= steps
    luck = _expect_by_luck(_share_near(tables, steps), len(release))
    return FoundRecords(steps, near, there, luck, int(again.sum()), tables.not_compared)


def _find_whole_records(
    data: Microdata, release: TableRelease, names: Sequence[str]
) -> tuple[Flags, Flags]:
    """Find which records the release holds with all their values, and which the data do twice."""
    n = len(data)
    codes = [
        pd.factorize(pd.concat([data.frame[name], release.frame[name]]).astype(object))[0]
        for name in names
    ]
    rows = np.unique(np.column_stack(codes), axis=0, return_inverse=True)[1].reshape(-1)
    there: Flags = np.isin(rows[:n], rows[n:])
    return there, (np.bincount(rows[:n]) > 1)[rows[:n]]


def _share_near(tables: Compared, places: int) -> Floats:
    """Find for each record how likely a record of independent columns is near it."""
    share = np.ones(len(tables))
    for at in range(len(tables.attributes)):
        first, last = np.sort(tables.released_first[:, at]), np.sort(tables.released_last[:, at])
        below = np.searchsorted(first, tables.last[:, at] + places, side="right")
        above = np.searchsorted(last, tables.first[:, at] - places, side="left")
        share *= (below - above) / len(first)
    return share


def _expect_by_luck(share: Floats, rows: int) -> float:
    """Find the people to expect near some row, by the chance of each to be near one."""
    return float((1 - (1 - share) ** rows).sum())
