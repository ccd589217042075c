"""Read tables by groups as people, and the values that their groups hold, to learn from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Ints, Rows
from verikit.cells import Cells, Spans, cells_of
from verikit.errors import SchemaError
from verikit.matching._candidates import find_people_rows
from verikit.matching._classes import group_rows, number_rows
from verikit.matching._group_contents import Coarse, shows_target
from verikit.matching._learn_by_groups import Grouped, hash_groups
from verikit.release import SplitRelease, TableRelease
from verikit.targets import believed_shares, target_shares
from verikit.words import text

BANDS = 12  # of a known column of numbers
MOST_VALUES = 60  # numbers of a sensitive column, before they are put into bands
WIDE_BANDS = 20


class Known(NamedTuple):
    """A known column as places that are learned about; the last is for what is not known.

    Parameters
    ----------
    cells
        The column as it was published.
    places
        The place of each of its cells.
    names
        What each place but the last stands for.
    """

    cells: Cells
    places: Rows
    names: tuple[str, ...]

    @classmethod
    def of(cls, cells: Cells) -> Known:
        """Numbers in bands of about as many people, categories as they are."""
        if not isinstance(cells, Spans) or len(cells) <= BANDS:
            return cls(cells, np.arange(len(cells) + 1), cells.names[:-1])
        bands, names = _cut_bands(cells, BANDS)
        return cls(cells, np.append(bands, len(names)), names)

    @property
    def width(self) -> int:
        """How many places there are."""
        return len(self.names) + 1

    @property
    def codes(self) -> Rows:
        """The place of each row."""
        return self.places[self.cells.codes.astype(np.intp)]

    def place(self, value: object) -> int:
        """The place of a value that is published; the last for any other."""
        code = -1 if value is None else self.cells.code(value)
        return int(self.places[code]) if code >= 0 else self.width - 1

    def find(self, value: object) -> int:
        """The place of a value of somebody; of a number that nobody has that of the one below."""
        code = self.cells.code(value)
        if code < 0 and isinstance(self.cells, Spans) and not self.cells.labels:
            score = self.cells.column.score(value)
            code = max(int(np.searchsorted(self.cells.low[:-1], score, "right")) - 1, 0)
        return int(self.places[code]) if code >= 0 else self.width - 1


def _cut_bands(cells: Spans, bands: int) -> tuple[Rows, tuple[str, ...]]:
    """The band of each cell of numbers, all of about as many rows, and what the bands are."""
    counts = np.bincount(cells.codes, minlength=len(cells) + 1)[:-1]
    middle = np.cumsum(counts) - counts / 2
    found = np.unique((bands * middle / max(counts.sum(), 1)).astype(np.intp), return_inverse=True)[
        1
    ]
    ends = [np.flatnonzero(found == band)[[0, -1]] for band in range(int(found[-1]) + 1)]
    names = [
        text(low) if low == high else f"[{text(low)}, {text(high)}]"
        for low, high in ((cells.low[first], cells.high[last]) for first, last in ends)
    ]
    return found, tuple(names)


class Tables(NamedTuple):
    """A release as it is learned from: sorted by what it holds, so that no order of rows matters.

    Parameters
    ----------
    known
        The columns that are known, by name.
    people
        Its people, and what their groups hold.
    rank
        The number of each published group among those of the people.
    hashes
        A number of each group that follows from what it holds.
    values
        The sensitive values; the last stands for a missing one.
    """

    known: dict[str, Known]
    people: Grouped
    rank: Rows
    hashes: Ints
    values: tuple[str, ...]


class Held(NamedTuple):
    """Each pair of a group and a sensitive value that it holds, how often, and the values."""

    owner: Rows
    value: Rows
    amount: Floats
    values: tuple[str, ...]


class Asked(NamedTuple):
    """Whom is asked about: her places, and each group she may be in with its chance."""

    frame: pd.DataFrame
    codes: tuple[Rows, ...]
    person: Rows
    group: Rows
    weight: Floats


def read_split(release: SplitRelease, name: str) -> Tables:
    """Read two tables: each row is a person, in a group that holds sensitive values."""
    quasi = release.schema.quasi
    if not quasi:
        raise SchemaError("The release has no quasi-identifier, so there is nothing to learn from.")
    sets = release.holds_sets
    known = {c.name: Known.of(cells_of(release.quasi[c.name], c, sets=sets)) for c in quasi}
    if shows_target(release):
        held = _count_leaves(Coarse(release, name), len(release.sizes))
    else:
        cells = cells_of(release.sensitive[name], release.schema[name], sets=sets)
        held = _count_values(cells, release.labels.sensitive)
    return _sort_tables(known, [part.codes for part in known.values()], release.labels.quasi, held)


def read_classes(
    release: TableRelease, name: str, people: pd.DataFrame, rows: Rows | None
) -> tuple[Tables, Asked]:
    """Read a generalized table and people of whom all is known: its classes hold sensitive values.

    Parameters
    ----------
    release, name
        What was published, and the sensitive column.
    people
        What is known of people, who are in the table.
    rows
        A row of the class of each, where it is known; else she may be in all classes that she fits.

    Notes
    -----
    Only those who fit one class are learned from. Classes that look the same are one.
    """
    names, size = [c.name for c in release.schema.quasi], len(people)
    labels = group_rows(release.frame[names]).labels
    if rows is None:
        owner, found = find_people_rows(people, release)
        count = int(labels.max()) + 1
        keys, many = np.unique(owner * count + labels[found], return_counts=True)
        person, group = keys // count, keys % count
        weight = many / np.bincount(person, many, size)[person]
    else:
        person, group, weight = np.arange(size), labels[rows], np.ones(size)
    known = {n: Known.of(cells_of(people[n], release.schema[n])) for n in names}
    codes = [part.codes for part in known.values()]
    alone = weight == 1
    cells = cells_of(release.frame[name], release.schema[name], sets=release.holds_sets)
    hers = [part[person[alone]] for part in codes]
    table = _sort_tables(known, hers, group[alone], _count_values(cells, labels))
    return table, Asked(people, tuple(codes), person, table.rank[group], weight)


def ask_for_rows(table: Tables, release: SplitRelease) -> Asked:
    """Ask about the published rows themselves."""
    size = len(release)
    codes = tuple(part.codes for part in table.known.values())
    frame = release.quasi[list(table.known)]
    return Asked(frame, codes, np.arange(size), table.rank[release.labels.quasi], np.ones(size))


def _sort_tables(known: dict[str, Known], codes: Sequence[Rows], group: Rows, held: Held) -> Tables:
    """Sort groups by what they hold, and people by what is known of them."""
    widths = tuple(part.width for part in known.values())
    owner, value, amount, values = held
    people = Grouped(tuple(codes), widths, group, owner, value, amount, len(values))
    hashes = hash_groups(people)
    by_hash = np.argsort(hashes, kind="stable")
    rank = np.empty(len(by_hash), np.intp)
    rank[by_hash] = np.arange(len(by_hash))
    rows = number_rows(list(zip(codes, widths, strict=True)))[0]
    order, pairs = np.lexsort((rows, hashes[group])), np.lexsort((value, rank[owner]))
    people = Grouped(
        tuple(part[order] for part in codes),
        widths,
        rank[group[order]],
        rank[owner[pairs]],
        value[pairs],
        amount[pairs],
        len(values),
    )
    return Tables(known, people, rank, hashes[by_hash], values)


def _count_values(cells: Cells, labels: Rows) -> Held:
    """Count the values of each group; many numbers in bands."""
    codes, names = cells.codes.astype(np.intp), cells.names
    if isinstance(cells, Spans) and len(cells) > MOST_VALUES:
        bands, found = _cut_bands(cells, WIDE_BANDS)
        codes, names = np.append(bands, len(found))[codes], (*found, "missing")
    keys, counts = np.unique(labels * len(names) + codes, return_counts=True)
    return Held(keys // len(names), keys % len(names), counts.astype(np.float64), names)


def _count_leaves(coarse: Coarse, groups: int) -> Held:
    """Count the values of each group, a published node shared out below it by the target."""
    tree = coarse.tree
    by_target, nodes = target_shares(tree), np.eye(len(tree.names))
    shares = np.array([believed_shares(tree, node, by_target) for node in nodes])
    found = np.zeros((groups, len(tree.leaves)))
    np.add.at(found, coarse.owner, shares[coarse.nodes])
    owner, value = np.nonzero(found)
    names = (*(tree.names[leaf] for leaf in tree.leaves), "missing")
    return Held(owner, value, found[owner, value], names)
