"""Put an original, a release and people beside each other by their ranks."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit._support.plotted import Plotted
from verikit._support.requests import whole
from verikit.cells import cells_of
from verikit.errors import InfeasibleError, RecordError, SchemaError, quoted
from verikit.intruder._covers import (
    cover_by_cells,
    cover_by_groups,
    find_ends,
    find_ends_by_group,
    find_wide_columns,
    place_among,
)
from verikit.matching import number_rows
from verikit.ranks import (
    MixedTables,
    blocks,
    closest_blocks,
    distance_of,
    normal_scores,
    ordered_blocks,
    relate_values,
)
from verikit.release import Release, SplitRelease, TableRelease, by_groups, whole_records
from verikit.table import Microdata, require_microdata
from verikit.words import count, listed, not_compared, text


class Compared(NamedTuple):
    """Both tables put beside each other: by blocks of ranks, and by groups where there is no order.

    Blocks have one row a record and one column an attribute of ``ranked``; ``unordered`` relates
    the values of the others, by a `Kinship`, or a `Cover` where rows may be several values.
    ``not_compared`` names the published columns that are neither, and
    ``reordered`` those ranked ones that hold the original's values in some order. ``covered`` tells
    whether rows may be several values: of cells that cover them, or of a group.
    """

    ranked: tuple[str, ...]
    first: Ints
    last: Ints
    released_first: Ints
    released_last: Ints
    not_compared: tuple[str, ...] = ()
    unordered: Mapping[str, Any] = MappingProxyType({})
    reordered: tuple[str, ...] = ()
    covered: bool = False

    def __len__(self) -> int:
        return len(self.first)

    @property
    def attributes(self) -> tuple[str, ...]:
        """All that is compared: first what has ranks."""
        return (*self.ranked, *self.unordered)

    @property
    def ranks(self) -> tuple[Ints, Ints, Ints, Ints]:
        """The first and last ranks of the records, then those of the released rows."""
        return self.first, self.last, self.released_first, self.released_last

    @property
    def scores(self) -> tuple[Floats, Floats]:
        """The normal scores of both tables, taken in the middle of each block."""
        middle = (self.first + self.last) / 2, (self.released_first + self.released_last) / 2
        return normal_scores(middle[0], len(self)), normal_scores(middle[1], len(self))

    def places(self, records: Rows, rows: Rows) -> Ints:
        """Count how many places pairs of a record and a released row are apart, by attribute."""
        up = self.released_first[rows] - self.last[records]
        down = self.first[records] - self.released_last[rows]
        gaps: Ints = np.maximum(np.maximum(up, down), 0)
        if not self.unordered:
            return gaps
        places = [part.count_places(records, rows) for part in self.unordered.values()]
        return np.concatenate([gaps, np.stack(places, axis=-1)], axis=-1)

    def number_unordered(self, names: Collection[str]) -> tuple[Rows, Rows]:
        """Number the combinations of some attributes without an order, in both tables alike."""
        parts = [self.unordered[name] for name in names]
        if not parts:
            return np.zeros(len(self), np.intp), np.zeros(len(self.released_first), np.intp)
        both = [np.concatenate([part.own[:, -1], part.released[:, -1]]) for part in parts]
        numbers, _ = number_rows([(part + 1, int(part.max()) + 2) for part in both])
        return numbers[: len(self)], numbers[len(self) :]

    def reorder(self, records: Rows, rows: Rows) -> Compared:
        """Find the same tables with their records and rows in another order."""
        released = self.released_first[rows], self.released_last[rows]
        original = self.first[records], self.last[records]
        parts = {name: part.reorder(records, rows) for name, part in self.unordered.items()}
        left, same = self.not_compared, self.reordered
        return Compared(self.ranked, *original, *released, left, parts, same)

    def select_attributes(self, attributes: Sequence[str]) -> Compared:
        """Find the same tables on some of the attributes."""
        names = tuple(name for name in attributes if name in self.ranked)
        at = [self.ranked.index(name) for name in names]
        left = tuple(name for name in self.attributes if name not in attributes)
        first, last, *released = (np.ascontiguousarray(part[:, at]) for part in self.ranks)
        left = (*left, *self.not_compared)
        parts = {name: part for name, part in self.unordered.items() if name in attributes}
        kinds = parts, self.reordered, self.covered
        return Compared(names, first, last, released[0], released[1], left, *kinds)

    @property
    def one_by_one(self) -> bool:
        """Whether there is a row of single values for each record, and none besides."""
        return not self.covered and len(self.released_first) == len(self)


def rank_tables(
    data: Microdata, release: TableRelease, attributes: Sequence[str] | None = None
) -> Compared:
    """Rank both tables on the attributes named, or on all that both hold and that have an order."""
    refuse_unlike(data, release)
    names = names_of(data, release, attributes, ranked=True)
    return require_one_by_one(_compare(data, release, names, {}, []), "This comparison by rank")


def compare_tables(
    data: Microdata,
    release: Release,
    attributes: Sequence[str] | None = None,
    *,
    unordered: Collection[str] | None = None,
) -> Compared:
    """Compare both tables on the attributes named, or on all that both hold, each by its kind.

    ``unordered`` names those that are not to be ranked; by default all without a declared order.
    Where cells stand for several values, or a group for its rows, values of an order are placed
    among those of the original.
    """
    refuse_unlike(data, release, groups=True)
    names = names_of(data, release, attributes)
    if unordered is None:
        unordered = [name for name in names if distance_of(data.schema[name]) != "ranks"]
    if by_groups(release):
        return _compare_groups(data, release, names, unordered)
    release = cast("TableRelease", release)
    wide, parts = find_wide_columns(data, release, names), dict[str, Any]()
    for name in names:
        if name in unordered:
            own, shown = data.frame[name], release.frame[name]
            tree = data.schema[name].hierarchy
            cells = name in wide
            parts[name] = (
                cover_by_cells(data, release, name) if cells else relate_values(own, shown, tree)
            )
    return _compare(data, release, names, parts, wide)


def _compare_groups(
    data: Microdata, release: SplitRelease, names: Sequence[str], unordered: Collection[str]
) -> Compared:
    """Compare an original with tables by groups: a row may be any value of its group."""
    columns, parts = {}, dict[str, Any]()
    for name in names:
        hidden = release.schema[name].role == "sensitive"
        grouped = hidden or release.permuted
        if name in unordered and grouped:
            parts[name] = cover_by_groups(data, release, [name])
        elif name in unordered:
            parts[name] = cover_by_cells(data, release, name)
        else:
            shown = (release.sensitive if hidden else release.quasi)[name]
            cells = cells_of(shown, release.schema[name], sets=release.holds_sets)
            ends = find_ends(cells, data.schema[name])
            if grouped:
                labels = release.labels.sensitive if hidden else release.labels.quasi
                ends = find_ends_by_group(ends, labels, release.labels.quasi)
            own = require_scores(data, name, "original")
            columns[name] = (*blocks(own), *place_among(own, *ends))
    sides = _stack_blocks([*columns.values()], len(data), len(release))
    left = left_out(release, names)
    return Compared((*columns,), *sides, left, parts, (), covered=True)


def compare_values(
    data: Microdata, release: TableRelease, attributes: Sequence[str] | None = None
) -> Compared:
    """Compare both tables by equality alone, whatever order and groups the values have."""
    refuse_unlike(data, release)
    names = names_of(data, release, attributes)
    parts = {name: relate_values(data.frame[name], release.frame[name]) for name in names}
    return require_one_by_one(_compare(data, release, names, parts, []), "This attack")


def compare_as_masked(
    data: Microdata, release: TableRelease, attributes: Sequence[str] | None = None
) -> Compared:
    """Compare both tables as who repeats the method can: by the order that it moved values by.

    Where no order was declared, that is the one in which a tree has its lines.
    """
    refuse_unlike(data, release)
    names = names_of(data, release, attributes)
    columns = [data.schema[name] for name in names]
    never = [
        column.name
        for column in columns
        if distance_of(column) != "ranks"
        and not (column.ranked and column.role in ("quasi", "sensitive"))
    ]
    tables = compare_tables(data, release, names, unordered=never)
    return require_one_by_one(tables, "An attack that repeats the method")


def refuse_unlike(data: Microdata, release: Release, *, groups: bool = False) -> None:
    """Refuse what cannot be linked by rank."""
    require_microdata(data, "link")
    if not (whole_records(release) or (groups and by_groups(release))):
        raise SchemaError(
            f"The release was given as {type(release).__name__}; linking by rank needs a release "
            "of one table with the columns of the original.",
            field="release",
            value=release,
        )
    refuse_other("Linking by rank", data, kinds=(Microdata,))
    if not len(data) or not len(release):
        raise RecordError(
            f"The original has {len(data):,} records and the release {len(release):,}; linking by "
            "rank needs at least one of both."
        )


def require_one_by_one(tables: Compared, who: str) -> Compared:
    """Stop where there is no row of single values for each record."""
    if not tables.one_by_one:
        why = (
            "cells that stand for several values, or groups of rows"
            if tables.covered
            else f"{len(tables.released_first):,} rows for {count(len(tables), 'record')}"
        )
        raise InfeasibleError(
            f"{who} needs a row of single values for each record, and the release has {why}; the "
            "attack 'maximum_rank' takes it."
        )
    return tables


def _compare(
    data: Microdata,
    release: TableRelease,
    names: Sequence[str],
    unordered: Mapping[str, Any],
    wide: Collection[str],
) -> Compared:
    ranked = tuple(name for name in names if name not in unordered)
    columns, same = [], []
    for name in ranked:
        own = require_scores(data, name, "original")
        if name in wide:
            cells = cells_of(release.frame[name], release.schema[name], sets=release.holds_sets)
            columns.append((*blocks(own), *place_among(own, *find_ends(cells, data.schema[name]))))
            continue
        theirs = require_scores(release, name, "release")
        if len(own) != len(theirs):  # so that Algorithm 1 maps no rank to a rank
            columns.append((*blocks(own), *place_among(own, theirs, theirs)))
            continue
        columns.append((*blocks(own), *blocks(theirs)))
        if own.max() == theirs.max() and np.array_equal(np.sort(own), np.sort(theirs)):
            same.append(name)
    sides = _stack_blocks(columns, len(data), len(release))
    left = left_out(release, names)
    return Compared(ranked, *sides, left, unordered, tuple(same), covered=bool(wide))


def _stack_blocks(
    columns: Sequence[tuple[Ints, ...]], records: int, rows: int
) -> tuple[Ints, Ints, Ints, Ints]:
    """Put the blocks of some attributes beside each other: first and last, of records and rows."""
    if not columns:
        own, theirs = np.empty((records, 0), np.int64), np.empty((rows, 0), np.int64)
        return own, own, theirs, theirs
    first, last, low, high = (np.column_stack(part) for part in zip(*columns, strict=True))
    return first, last, low, high


def names_of(
    data: Microdata,
    release: Release,
    attributes: Sequence[str] | None,
    *,
    ranked: bool = False,
) -> tuple[str, ...]:
    """The attributes to link by: those named, or all that both tables hold and that will do."""
    shared = [column.name for column in data.schema if column.name in release.schema.names]
    if attributes is None:
        names = [name for name in shared if not ranked or distance_of(data.schema[name]) == "ranks"]
        if not names:
            order = "with an order " if ranked else ""
            raise SchemaError(
                f"No attribute {order}is in both tables; the original has "
                f"{listed(data.schema.names, 12)}, the release {listed(release.schema.names, 12)}."
            )
        return tuple(names)
    if isinstance(attributes, str) or not isinstance(attributes, Collection) or not len(attributes):
        raise RecordError(
            f"The attributes were given as {quoted(attributes)}; expected a list of names such as "
            f"{shared[:2]!r}.",
            field="attributes",
            value=attributes,
        )
    asked = [name if isinstance(name, str) else text(name) for name in attributes]
    if len(set(asked) & set(shared)) < len(asked):
        raise RecordError(
            f"The attributes {listed(asked, 12)} must each be named once and be in both "
            f"tables, which share {listed(shared, 12)}."
        )
    lacking = [name for name in asked if ranked and distance_of(data.schema[name]) != "ranks"]
    if lacking:
        raise SchemaError(
            f"Ranks are compared here, which need a declared order, and {listed(lacking, 12)} came "
            "without one; declare it, or leave out what has none."
        )
    return tuple(asked)


def left_out(release: Release, names: Collection[str]) -> tuple[str, ...]:
    """Find the columns of a release that are not among those to link by."""
    return tuple(name for name in release.schema.names if name not in names)


class ComparedRelease(NamedTuple):
    """A released table, ready to be asked for people.

    Parameters
    ----------
    release
        The table.
    ordered
        The released columns with ranks, sorted.
    first, last
        The blocks of ranks of the released rows, one row each and one column an attribute.
    unordered
        The other attributes that people are located by.
    """

    release: TableRelease
    ordered: Mapping[str, Floats]
    first: Ints
    last: Ints
    unordered: tuple[str, ...]

    def locate(self, people: Microdata, who: str) -> MixedTables:
        """Put people beside the released rows, by the released values closest to theirs."""
        ends = [(np.empty((len(people), 0), np.int64),) * 2]
        ends += [
            closest_blocks(column, require_scores(people, name, who))
            for name, column in self.ordered.items()
        ]
        first, last = (np.column_stack(part) for part in zip(*ends, strict=True))
        frame, schema = self.release.frame, self.release.schema
        parts = [
            relate_values(people.frame[name], frame[name], schema[name].hierarchy)
            for name in self.unordered
        ]
        return MixedTables(first, last, self.first, self.last, parts)


def compare_release(
    tables: tuple[Microdata, TableRelease, Microdata],
    attributes: Sequence[str] | None,
    who: str,
    without: str | None = None,
) -> ComparedRelease:
    """Get a release ready on the attributes named, or on all that all tables hold."""
    data, release, _ = tables
    names = list_shared(tables, attributes, who, without)
    unordered = tuple(name for name in names if distance_of(data.schema[name]) != "ranks")
    ordered, ends = {}, [(np.empty((len(release), 0), np.int64),) * 2]
    for name in names:
        if name not in unordered:
            column = require_scores(release, name, "release")
            order = np.argsort(column)
            ordered[name] = column[order]
            ends.append(ordered_blocks(ordered[name], order))
    first, last = (np.column_stack(part) for part in zip(*ends, strict=True))
    return ComparedRelease(release, ordered, first, last, unordered)


def list_shared(
    tables: tuple[Microdata, TableRelease, Microdata],
    attributes: Sequence[str] | None,
    who: str,
    without: str | None = None,
) -> tuple[str, ...]:
    """List the attributes named, or all that people, release and others hold."""
    data, release, control = tables
    require_microdata(data, who)
    require_microdata(control, who)
    if not whole_records(release):
        raise SchemaError(
            f"The release was given as {type(release).__name__}; {who} needs a release of one "
            "table with the columns of the original."
        )
    for part, what in ((data, "original"), (control, "control"), (release, "release")):
        if not len(part):
            raise SchemaError(f"The {what} has no records; {who} needs at least one.")
    names = tuple(n for n in names_of(data, release, attributes) if n != without)
    lacking = [name for name in names if name not in control.schema.names]
    if lacking or not names:
        raise SchemaError(
            f"The people known must have {listed(lacking, 12) or 'another attribute'}, which "
            f"{who} goes by; they have {listed(control.schema.names, 12)}."
        )
    return names


def require_scores(people: Microdata | TableRelease, name: str, where: str) -> Floats:
    """Find the values of people as numbers; refused where some are missing, and have no rank."""
    scores = people.scores(name)
    missing = int(np.isnan(scores).sum())
    if missing:
        raise SchemaError(
            f"Column {name!r} of the {where} has {count(missing, 'missing value')} and so no "
            "ranks; leave it out by naming the other attributes."
        )
    return scores


MADE_BY = {
    Microdata: "verikit.read makes it from a file or a frame",
    TableRelease: "verikit.open_release and TableRelease.of make it",
}


def refuse_other(who: str, *given: object, kinds: tuple[type, ...]) -> None:
    """Stop where something given is of none of the kinds that an attack takes.

    Examples
    --------
    >>> refuse_other("temporal", [1, 2], kinds=(TableRelease,))
    Traceback (most recent call last):
    verikit.errors.SchemaError: temporal was given list; expected TableRelease
    (verikit.open_release and TableRelease.of make it).
    """
    for part in given:
        if not isinstance(part, kinds):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise SchemaError(
                f"{who} was given {type(part).__name__}; expected {wanted} ({MADE_BY[kinds[0]]})."
            )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Links(Plotted):
    """The links of an attack: which released rows are candidates for each original record.

    Whether a link is right cannot be seen here: the intruder has no key
    (`verikit.protector.correct_links`).

    Parameters
    ----------
    attack
        The attack that made them.
    compared
        Both tables beside each other; by likelihood, all values are equal or not.
    starts, rows
        The candidates: of record i ``rows[starts[i]:starts[i + 1]]``, counted from 0.
    measure
        What the attack went by, for each candidate: smaller is closer.
    note
        What should be known of them, if anything.
    attempts
        The links of the single attacks, where several were tried.
    certain
        For each record, whether its link is proved; None where the attack proves nothing.

    Examples
    --------
    >>> import verikit as vk
    >>> links = vk.link(vk.load("dm_table1"), vk.published("dm_table1_masked"))
    >>> links.to_frame().iloc[0].to_dict()
    {'record': 1, 'row': 1, 'X1': 4, 'X2': 1, 'X3': 3, 'places': 4}
    """

    attack: str
    compared: Compared
    starts: Rows
    rows: Rows
    measure: Floats
    note: str = ""
    attempts: Mapping[str, Links] | None = None
    certain: Flags | None = None

    @property
    def means(self) -> str:
        """What the links say by themselves, without a key."""
        said = "Which links are right cannot be seen without the key."
        return " ".join(filter(None, (not_compared(self.not_compared), said)))

    @property
    def why(self) -> str:
        """How many records have several candidates."""
        several = int((self.counts > 1).sum())
        return f"{count(several, 'record has', 'records have')} several candidates."

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that were linked by."""
        return self.compared.attributes

    @property
    def not_compared(self) -> tuple[str, ...]:
        """The published columns that were not linked by."""
        return self.compared.not_compared

    @property
    def counts(self) -> Rows:
        """The number of candidates of each record."""
        return np.diff(self.starts)

    @property
    def sole(self) -> Rows:
        """The only candidate of each record; -1 where there are none or several."""
        alone = self.counts == 1
        found = np.full(len(self), -1, dtype=self.rows.dtype)
        found[alone] = self.rows[self.starts[:-1][alone]]
        return found

    @property
    def records(self) -> Rows:
        """The record of each candidate, as long as `rows`."""
        return np.repeat(np.arange(len(self)), self.counts)

    @property
    def places(self) -> Ints:
        """How many places each candidate is from its record, by attribute."""
        return self.compared.places(self.records, self.rows)

    @property
    def distances(self) -> Ints:
        """For each record the places to its first candidate, at worst over the attributes.

        A record without a candidate has -1.
        """
        found = np.full(len(self), -1, np.int64)
        some = np.flatnonzero(self.counts)
        first = self.rows[self.starts[some]]
        found[some] = self.compared.places(some, first).max(axis=1)
        return found

    @property
    def chosen(self) -> Rows:
        """How many records each released row is a candidate for."""
        return np.bincount(self.rows, minlength=len(self.compared.released_first))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def of(self, record: int) -> pd.DataFrame:
        """Find the candidates of one record, counted from 0, with their places by attribute."""
        record = whole(record, "record", least=0, most=len(self) - 1)
        return self._tabulate(slice(self.starts[record], self.starts[record + 1]))

    def to_frame(self, most: int | None = None) -> pd.DataFrame:
        """One line a candidate ([DM]_ Table 4); records and rows are counted from 1."""
        return self._tabulate(slice(most))

    def _tabulate(self, part: slice) -> pd.DataFrame:
        records, rows = self.records[part], self.rows[part]
        places = self.compared.places(records, rows)
        frame = pd.DataFrame(places, columns=list(self.attributes))
        frame.insert(0, "record", records + 1)
        frame.insert(1, "row", rows + 1)
        return frame.assign(places=places.max(axis=1))

    def __repr__(self) -> str:
        several, chosen = int((self.counts > 1).sum()), self.chosen
        shared, unused = int((chosen > 1).sum()), int((chosen == 0).sum())
        linked = int((self.counts > 0).sum())
        of = "" if linked == len(self) else f"{linked:,} of "
        rows = count(shared, "released row is a candidate", "released rows are candidates")
        left = not_compared(self.not_compared)
        said = f"{left}\n" if left else ""
        said += f"{of}{count(len(self), 'record')} linked by {', '.join(self.attributes)} "
        said += f"({self.attack}).\n{count(several, 'has', 'have')} several candidates; {rows} of "
        said += f"several records, {unused:,} of none.\n"
        said += "Which links are right cannot be seen from here"
        said += "." if self.certain is None or not self.certain.any() else ", but some are proved."
        return f"{said}\n{self.note}" if self.note else said

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.to_frame(12))
