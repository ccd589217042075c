"""The records of a generalized table that a person fits, and what they say of her."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Ints, Rows
from verikit.cells import cells_of, rows_that_may_be
from verikit.matching import (
    Classes,
    candidates,
    cell_text,
    classes_of,
    drop_hidden,
    find_certain_classes,
    find_hidden_rows,
    find_known_values,
    group_rows,
    held_by,
    is_absent,
)
from verikit.models import beside
from verikit.release import TableRelease
from verikit.subject._answer import say_condition
from verikit.subject._known import Given
from verikit.subject._named import is_unnamed
from verikit.table import Column
from verikit.words import text


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What the records that fit show of one sensitive column.

    ``here`` counts the values of the ``fitting`` records and ``everywhere`` those of all
    ``records``, by name, the most frequent first; missing ones are in neither. ``own`` is her own
    value where she gave it, ``kind`` the lowest group of the hierarchy that covers all that is
    shown here, where it says more than its root.
    """

    column: Column
    here: pd.Series[int]
    everywhere: pd.Series[int]
    fitting: int
    records: int
    own: str | None
    kind: str | None

    @property
    def top(self) -> str:
        """The most frequent value."""
        return str(self.here.index[0])

    @property
    def alike(self) -> int:
        """How many values are the most frequent."""
        return int((self.here == self.here.iloc[0]).sum())

    @property
    def share(self) -> float:
        """The share of the most frequent value among the records that fit."""
        return float(self.here.iloc[0] / self.fitting)

    def share_here(self, value: str) -> float:
        """The share of a value among the records that fit."""
        return float(self.here.get(value, 0) / self.fitting)

    def share_everywhere(self, value: str) -> float:
        """The share of a value in the whole table."""
        return float(self.everywhere.get(value, 0) / self.records)

    @property
    def gained(self) -> str:
        """The value whose share exceeds that of the whole table most."""
        return max(
            self.here.index, key=lambda value: self.share_here(value) - self.share_everywhere(value)
        )


@dataclass(frozen=True, slots=True, eq=False)
class Fits(Given):
    """The values she gave, the records that fit them, and which records were suppressed.

    Suppressed records fit almost anyone, so they count only where no other record fits. ``taken``
    has a cell for each column that made a table be taken as generalized, and ``unread`` a label
    for each that could not be read; such a label may be anything. A value in ``unnamed`` stands on
    no label, and only cells that may be anything could be it. A column in ``empty`` shows no value
    at all. ``sure`` is the share from which on a guess is a warning.
    """

    release: TableRelease
    known: Mapping[str, Any]
    rows: Rows
    hidden: Flags
    shown: tuple[Shown, ...]
    taken: Mapping[str, str]
    unread: Mapping[str, str]
    unnamed: Mapping[str, str]
    empty: tuple[Column, ...]
    sure: float = 0.9

    @property
    def suppressed(self) -> bool:
        """Whether only suppressed records fit."""
        return bool(len(self.rows)) and bool(self.hidden[self.rows].all())

    @property
    def certain(self) -> bool:
        """Whether it is promised that every cell holds, or covers, what is true of one person."""
        return self.release.promise in ("as it was", "covers")

    @property
    def by_class(self) -> bool:
        """Whether it was published that records who look alike are suppressed all or none."""
        told = self.release.parameters
        return self.release.promise == "covers" and bool(told.get("levels") or "search" in told)


def find_fits(record: Mapping[str, Any], release: TableRelease, sure: float = 0.9) -> Fits:
    """Find the records that a person fits, and what they show."""
    known = find_known_values(record, release.schema)
    hidden = find_hidden_rows(release)
    rows = drop_hidden(candidates(record, release), hidden)
    shown = [
        _find_shown(column, release.frame[column.name], rows, record.get(column.name))
        for column in release.schema.sensitive
    ]
    told = tuple(part for part in shown if part is not None)
    cells = {name: cells_of(release.frame[name], release.schema[name]) for name in known}
    unread = {name: part.unread[0] for name, part in cells.items() if part.unread}
    unnamed = {
        name: text(known[name]) for name, part in cells.items() if is_unnamed(known[name], part)
    }
    told_how = release.promise != "untold"
    taken = {} if told_how else release.generalized_columns(known)
    empty = [
        release.schema[name] for name, part in cells.items() if part.withheld[part.codes].all()
    ]
    return Fits(release, known, rows, hidden, told, taken, unread, unnamed, tuple(empty), sure)


def _find_shown(column: Column, values: pd.Series[Any], rows: Rows, own: Any) -> Shown | None:
    """What some rows show; None where all their values are missing."""
    everywhere = _count_values(values, column)
    here = _count_values(values.take(rows), column)
    if here.empty:
        return None
    tree, kind = column.hierarchy, None
    shown = int(here.sum()) == len(rows)
    if tree is not None and shown and len(here) > 1 and set(here.index) <= set(tree.nodes):
        covering = tree.cover(here.index)
        kind = covering if covering != tree.root else None
    named = None if is_absent(own) else column.shown(own)
    return Shown(column, here, everywhere, len(rows), len(values), named, kind)


def _count_values(values: pd.Series[Any], column: Column) -> pd.Series[int]:
    """How often each value occurs, the most frequent first and equals by name."""
    found = (
        values.dropna().map(lambda cell: column.shown(cell_text(cell))).astype(str).value_counts()
    )
    return found.sort_index().sort_values(ascending=False, kind="stable")


class Exposed(NamedTuple):
    """Which records are exposed: picked out, or by the sensitive column of this title."""

    records: Flags
    title: str = ""


def find_exposed(fits: Fits) -> list[Exposed]:
    """The records of people who are picked out, and by column those who give its value away.

    A record counts if all that its person may fit, whatever her values, are this one alone, or
    show the same known value. Suppressed records fit almost anyone and are left out.
    """
    release = fits.release
    classes = classes_of(release, "own value")
    seen = np.bincount(classes.labels, fits.hidden, len(classes)) == 0  # suppressed: no group
    told = [np.where(classes.sizes == 1, np.arange(len(classes)), -1)]
    told += [_only_values(fits, classes, shown.column.name) for shown in fits.shown]
    flags = find_certain_classes(release, classes, told, seen)
    titles = ["", *(shown.column.title for shown in fits.shown)]
    return [Exposed(flag[classes.labels], title) for flag, title in zip(flags, titles, strict=True)]


def _only_values(fits: Fits, classes: Classes, name: str) -> Ints:
    """The one known value that each class shows; -1 where it shows none, or several."""
    held = held_by(fits.release, classes, name, "own value")
    alone = (np.bincount(held.owner) == 1) & held.known[held.starts]
    return np.where(alone, held.place[held.starts], -1)


MOST_CELLS = 3


def tables(fits: Fits) -> Mapping[str, pd.DataFrame]:
    """What is published in place of her values, the groups that fit, and what they show."""
    return {
        "attributes": _list_attributes(fits),
        "groups": _list_groups(fits),
        "values": _list_values(fits),
    }


def facts(fits: Fits) -> dict[str, Any]:
    """How many records fit and are suppressed, what made this a generalized table, what is sure."""
    return {
        "fits": len(fits.rows),
        "suppressed": int(fits.hidden.sum()),
        "taken_as_generalized": dict(fits.taken),
        "unread": dict(fits.unread),
        "unnamed": dict(fits.unnamed),
        "sure": fits.sure,
        "rests": say_condition("records"),
    }


def _list_attributes(fits: Fits) -> pd.DataFrame:
    """One line a value she gave: what is published in its place, and how many records fit it."""
    lines = []
    for column in fits.columns:
        cells, own = fits.release.frame[column.name], fits.known[column.name]
        found = list(dict.fromkeys(column.shown(cell_text(cell)) for cell in cells.take(fits.rows)))
        rest = len(found) - MOST_CELLS
        published = " or ".join(sorted(found)[:MOST_CELLS]) + (
            f" or {rest} more" if rest > 0 else ""
        )
        alone = int(rows_that_may_be(cells, column, own).sum())
        lines.append(
            {
                "attribute": column.name,
                "own": column.shown(own) if column.dated else own,
                "published": published or None,
                "fit this alone": alone,
            }
        )
    return pd.DataFrame(lines)


def _list_groups(fits: Fits) -> pd.DataFrame:
    """One line a group of records that fit and look alike: its cells, its number of records."""
    names = [column.name for column in fits.release.schema.quasi]
    if not len(fits.rows):
        return pd.DataFrame(columns=[*names, "records"])
    cells = fits.release.frame[names].take(fits.rows).astype(object).map(cell_text)
    for column in fits.release.schema.quasi:
        if column.dated:
            cells[column.name] = cells[column.name].map(column.shown)
    classes = group_rows(cells)
    return beside(classes.cells(), {"records": classes.sizes})


def _list_values(fits: Fits) -> pd.DataFrame:
    """One line a sensitive value that they show: how many, and its shares here and everywhere."""
    lines = [
        {
            "attribute": shown.column.name,
            "value": value,
            "records": int(count),
            "of 100 here": 100 * shown.share_here(value),
            "of 100 everywhere": 100 * shown.share_everywhere(value),
        }
        for shown in fits.shown
        for value, count in shown.here.items()
    ]
    columns = ["attribute", "value", "records", "of 100 here", "of 100 everywhere"]
    return pd.DataFrame(lines, columns=columns)
