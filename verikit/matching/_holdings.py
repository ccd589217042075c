"""Count the sensitive values of each class: what diversity and closeness go by."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit.cells import fold_word, sort_by_likeness
from verikit.errors import RecordError, quoted
from verikit.matching._classes import (
    Classes,
    Table,
    cell_text,
    classes_of,
    code_values,
    find_sensitive,
    renumber,
)
from verikit.release import SplitRelease
from verikit.table import Column, Missing, possible_days
from verikit.words import count, listed, text

__all__ = ["Holdings", "held_by", "held_in", "holdings_of"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Holdings:
    """The sensitive values of each class as pairs of class and value, sorted, with their counts.

    Parameters
    ----------
    classes
        The classes.
    column
        The sensitive column.
    values
        The values that places stand for, in their order.
    owner, place, count
        For each pair its class, its value and how often the class holds it.
    overall
        How often the whole table holds each value.

    Examples
    --------
    >>> import verikit as vk
    >>> holdings = holdings_of(vk.load("ks_table4"))
    >>> holdings.told(2), holdings.told(0)
    ('4 Theft', '1 Indecency, 1 Murder, 1 Piracy')
    """

    classes: Classes
    column: Column
    values: pd.Index[Any]
    owner: Ints
    place: Ints
    count: Ints
    overall: Ints

    def __repr__(self) -> str:
        return f"Holdings({self.column.name} in {len(self.classes)} classes)"

    def to_frame(self) -> pd.DataFrame:
        """One line a class and value it holds: the cells, the value, how often, and its share."""
        cells = self.classes.cells().take(self.owner).reset_index(drop=True)
        found = {
            "value": np.array(self.shown(self.place), dtype=object),
            "records": self.count,
            "share": self.count / self.classes.sizes[self.owner],
        }
        return cells.rename(columns={name: f"{name}_" for name in found}).assign(**found)

    def share_of(self, value: object) -> Floats:
        """Find the share of one value in each class.

        Examples
        --------
        >>> import verikit as vk
        >>> holdings_of(vk.load("ks_table4")).share_of("Theft").tolist()
        [0.0, 0.25, 1.0]
        """
        held = self.place == self.places([value], "value")[0]
        counts = np.bincount(self.owner[held], self.count[held], len(self.classes))
        return np.asarray(counts / self.classes.sizes)

    @property
    def total(self) -> int:
        """The number of records of the whole table."""
        return int(self.overall.sum())

    @property
    def starts(self) -> Rows:
        """The first pair of each class."""
        return np.flatnonzero(np.diff(self.owner, prepend=-1))

    @property
    def known(self) -> Flags:
        """Whether the value of each pair is one; a missing value tells nothing."""
        return np.asarray(self.values.notna())[self.place]

    def places(self, names: Iterable[object], what: str) -> Rows:
        """Find the places of some values, given by name."""
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise RecordError(f"{what} was given as {quoted(names)}; expected a list of values.")
        known = {name: at for at, name in enumerate(self.shown(range(len(self.values))))}
        plain = {name: at for at, name in enumerate(self.named(range(len(self.values))))}
        folded: dict[str, list[str]] = {}
        for name in known:
            folded.setdefault(fold_word(name), []).append(name)
        found, unknown = [], []
        for name in map(self._as_written, names):
            alike = [name] if name in known or name in plain else folded.get(fold_word(name), [])
            found += [known.get(alike[0], plain.get(alike[0], -1))] if len(alike) == 1 else []
            unknown += [name] if len(alike) != 1 else []
        if unknown:
            raise RecordError(
                f"{what} names {listed(unknown)}, which column {self.column.name!r} does not hold; "
                f"it has {listed(sort_by_likeness(unknown[0], known), 8)}."
            )
        return np.array(found, np.intp)

    def _as_written(self, value: object) -> str:
        """The words of a value: of a date those that its column shows."""
        days = possible_days(value) if self.column.dated and isinstance(value, str) else {}
        if len(set(days.values())) == 1 or (self.column.dated and isinstance(value, dt.date)):
            return self.column.shown(self.column.number(value))
        return text(value)

    def top(self) -> Rows:
        """Find the pair of the most frequent value of each class; of equals the first."""
        order = np.lexsort((self.place, -self.count, self.owner))
        return order[self.starts]

    def named(self, places: Iterable[Any]) -> list[str]:
        """Find the values at some places in words."""
        return [cell_text(self.values[place]) for place in places]

    def shown(self, places: Iterable[Any]) -> list[str]:
        """The values at some places as people read them: of dates the dates."""
        return [self.column.shown(name) for name in self.named(places)]

    def told(self, number: int, most: int = 3) -> str:
        """Find what one class holds in words, the most frequent first."""
        pairs = np.flatnonzero(self.owner == number)
        pairs = pairs[np.lexsort((self.place[pairs], -self.count[pairs]))]
        names = self.shown(self.place[pairs[:most]])
        parts = [f"{n} {name}" for n, name in zip(self.count[pairs], names, strict=False)]
        rest = len(pairs) - most
        return ", ".join(parts) + (f" and {count(rest, 'more value')}" if rest > 0 else "")

    def merged(self, groups: npt.NDArray[Any], names: pd.Index[Any]) -> Holdings:
        """The same with groups in place of values: ``groups`` gives the group of each value."""
        keys = self.owner * len(names) + groups[self.place]
        places, found = renumber(keys, len(self.classes) * len(names))
        return replace(
            self,
            column=replace(self.column, unit=""),  # what is merged is no date
            values=names,
            owner=found // len(names),
            place=found % len(names),
            count=np.bincount(places, self.count).astype(np.int64),
            overall=np.bincount(groups, self.overall, minlength=len(names)).astype(np.int64),
        )


@singledispatch
def holdings_of(table: Any, sensitive: str | None = None, missing: Missing = "refuse") -> Holdings:
    """Find the holdings of the classes of a table; holdings that are at hand pass through.

    The classes of a release in two tables are its groups: all that joins them. A kind of table
    that counts by itself registers how (``@holdings_of.register``).
    """
    classes = classes_of(table, missing)
    return held_by(table, classes, sensitive, missing)


@holdings_of.register
def _pass_holdings(table: Holdings, _: str | None = None, __: Missing = "refuse") -> Holdings:
    return table


def held_by(
    table: Table,
    classes: Classes,
    sensitive: str | None = None,
    missing: Missing = "refuse",
    rows: Rows | None = None,
) -> Holdings:
    """Find the holdings of given classes of the records of a table, or of some of its rows."""
    name = find_sensitive(table.schema, sensitive)
    column, labels = held_in(table, name, classes)
    codes, values = code_values(column, name, missing)
    if isinstance(values, pd.RangeIndex):
        codes, there = renumber(codes.astype(np.int64), len(values))
        values = values[there]
    overall = np.bincount(codes, minlength=len(values))
    chosen = codes if rows is None else codes[rows]
    owner, place, count = _count_pairs(labels, len(classes), chosen, len(values))
    return Holdings(classes, table.schema[name], values, owner, place, count, overall)


@singledispatch
def held_in(table: Any, name: str, classes: Classes) -> tuple[pd.Series[Any], Ints]:
    """A sensitive column and the class of each of its values; kinds that hold it apart register."""
    return table.frame[name], classes.labels


@held_in.register(SplitRelease)
def _find_split_column(
    table: SplitRelease, name: str, _classes: Classes
) -> tuple[pd.Series[Any], Ints]:
    return table.sensitive[name], table.labels.sensitive


def _count_pairs(
    labels: Ints, classes: int, codes: npt.NDArray[np.integer[Any]], values: int
) -> tuple[Ints, Ints, Ints]:
    """Count the pairs of class and value that occur, sorted."""
    keys = labels * values
    keys += codes
    if classes * values <= 4 * len(keys):
        counts = np.bincount(keys, minlength=classes * values)
        found = np.flatnonzero(counts)
        return found // values, found % values, counts[found]
    keys.sort()
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    found = keys[starts]
    return found // values, found % values, np.diff(starts, append=len(keys))
