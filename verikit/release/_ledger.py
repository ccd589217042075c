"""What was published of the people of a table, kept beside the key: never inside a release."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Rows
from verikit._support.partial_files import place_of
from verikit._support.writing import Writing, together
from verikit.errors import FormatError, RecordError, quoted
from verikit.release._key import KEYLESS, ROWS, Key
from verikit.release._kinds import Release, by_groups, whole_records
from verikit.release._split import SplitRelease
from verikit.table import Microdata
from verikit.words import count, listed, text

LEDGER = "verikit-ledger.json"
PRIME = np.uint64(0x9E3779B97F4A7C15)
Hashes: TypeAlias = npt.NDArray[np.uint64]
Homes: TypeAlias = tuple[Rows, tuple[Mapping[str, int], ...]]  # whose group, what each holds
Counted: TypeAlias = Callable[[list[Homes]], Rows]


class Entry(NamedTuple):
    """One release that was made of a table: what it was, how it was made, and who stood with whom.

    Parameters
    ----------
    release, groups
        A hash of what was published, and one of its groups; none where it has no groups.
    method, parameters
        How it was made.
    homes
        By person the number of her group; a person goes by a hash of her identifiers, or of her
        record where there are none, and records that are equal have one each.
    amounts
        By sensitive column and group how often it holds each value; no groups where it has none.
    """

    release: str
    groups: str
    method: str
    parameters: Mapping[str, Any]
    homes: Mapping[str, tuple[int, ...]]
    amounts: Mapping[str, tuple[Mapping[str, int], ...]]

    def count_uneven(self, name: str) -> int:
        """Count the people who are in groups that hold a value several times."""
        groups = self.amounts.get(name, ())
        return sum(sum(held.values()) for held in groups if max(held.values()) > 1)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ledger:
    """What was published of the people of a table, and which values each was published among.

    Whoever has two releases of one table by other groups may tell what neither gives away. The
    ledger knows each release that was made, so that a second one is noticed before it is given
    away, and lets `verikit.partition.continued` go on with the same values for each person.

    Parameters
    ----------
    entries
        The releases.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("lhcc_table1")
    >>> first, second = (
    ...     vk.mask.anatomize(data, partition=vk.partition.anatomy(data, ell=2, seed=s), seed=s)
    ...     for s in (1, 2)
    ... )
    >>> ledger = Ledger().add(data, *first)
    >>> ledger.warn(data, *first), len(ledger.warn(data, *second))
    ((), 1)
    """

    entries: tuple[Entry, ...] = ()

    def __repr__(self) -> str:
        return f"Ledger(hidden; {count(len(self.entries), 'release')})"

    @classmethod
    def beside(cls, key: str | Path) -> Ledger:
        """Open the ledger that lies beside a key; an empty one where there is none yet."""
        place = place_of(key).parent / LEDGER
        return cls.open(place) if place.exists() else cls()

    @classmethod
    def open(cls, path: str | Path) -> Ledger:
        """Read a ledger from its file."""
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            entries = []
            for entry in content["entries"]:
                homes = {one: tuple(map(int, places)) for one, places in entry["homes"].items()}
                amounts = {name: tuple(map(dict, held)) for name, held in entry["amounts"].items()}
                for groups in filter(None, amounts.values()):  # every group is there
                    _ = [groups[at] for places in homes.values() for at in places]
                entries.append(Entry(**{**entry, "homes": homes, "amounts": amounts}))
        except (*KEYLESS, IndexError) as error:
            raise FormatError(
                f"{quoted(Path(path))} is not a ledger; expected the file that Ledger.save wrote."
            ) from error
        return cls(tuple(entries))

    def save(self, path: str | Path) -> Path:
        """Write the ledger to a file that only its owner may read; it replaces the one before."""
        with together() as new:
            return self._write_with(new, place_of(path))

    def save_beside(self, key: str | Path) -> Path:
        """Write the ledger beside a key."""
        with together() as new:
            return self.write_beside(new, key)

    def write_beside(self, new: Writing, key: str | Path) -> Path:
        """Write the ledger beside a key, together with what else is written."""
        return self._write_with(new, place_of(key).parent / LEDGER)

    def _write_with(self, new: Writing, path: Path) -> Path:
        content = json.dumps({"entries": [e._asdict() for e in self.entries]}, default=str)
        # a first one is taken back with the rest where a later step fails
        return new.file(path, content, private=True, replace=path.exists())

    def warn(
        self, data: Microdata, release: Release, key: Key, *, count_left: Counted | None = None
    ) -> tuple[str, ...]:
        """Say what a release would give away together with those before, of the same people.

        Parameters
        ----------
        data
            The original records.
        release, key
            What is to be published, and its key.
        count_left
            What counts the values that are left for each person, as
            `verikit.matching.count_values_left` does with regard to the others; by default these
            are the values that all of her own groups hold.

        Returns
        -------
        tuple of str
            Sentences; none where every group holds just the values among which each of its people
            was published before, each once, or nothing was published of them.
        """
        entry = _describe(data, release, key)
        others = Ledger(tuple(e for e in self.entries if e.release != entry.release))
        known = {one for e in others.entries for one in e.homes}
        again = sum(one in known for one in name_people(data))
        if not again:
            return ()
        methods = listed({each.method: None for each in others.entries})
        before = f"what was made of them before ({methods})"
        said = []
        everything = Ledger((*others.entries, entry))
        for name in entry.amounts if entry.groups else ():
            old = others.list_signatures(data, name)
            now = Ledger((entry,)).list_signatures(data, name)
            fewer = sum(not one <= two for one, two in zip(old, now, strict=True))
            homes = [book.list_homes(data, name) for book in (others, everything)]
            if count_left is not None and homes[0]:
                alone, joined = map(count_left, homes)
                fewer = int((joined < alone).sum())
            if fewer:
                said.append(
                    f"At least {count(fewer, 'person is', 'people are')} left fewer values of "
                    f"{name!r} by this and {before}. Publish one of the two, or go on by "
                    "verikit.partition.continued (--again)."
                )
                continue
            more = sum(bool(one) and one != two for one, two in zip(old, now, strict=True))
            uneven = sum(each.count_uneven(name) for each in everything.entries)
            new = any(each.groups != entry.groups for each in others.entries)
            if new and (more or uneven):
                said.append(
                    f"{count(more, 'person shares', 'people share')} a group of more values of "
                    f"{name!r} than before, and {uneven:,} one that holds a value several times: "
                    "what is left for others may then make some of them certain. "
                    "verikit.partition.find_left_over names whom to hold back."
                )
        if not all(each.groups for each in everything.entries):
            said.append(
                f"It is another release of {count(again, 'person', 'people')}: whoever puts it "
                f"together with {before} may learn what neither gives away; how much was not "
                "tested."
            )
        return tuple(said)

    def add(self, data: Microdata, release: Release, key: Key) -> Ledger:
        """Make the ledger with one more release.

        Parameters
        ----------
        data
            The original records.
        release, key
            What was published, and its key.
        """
        entry = _describe(data, release, key)
        return Ledger((*(e for e in self.entries if e.release != entry.release), entry))

    def list_signatures(self, data: Microdata, name: str) -> list[frozenset[str]]:
        """List for each record the values that all of her groups held; none for newcomers.

        Parameters
        ----------
        data
            The records.
        name
            The sensitive column.
        """
        found, seen = [frozenset[str]()] * len(data), np.zeros(len(data), np.bool_)
        for home, groups in self.list_homes(data, name):
            sets = [frozenset(held) for held in groups]
            for at in np.flatnonzero(home >= 0).tolist():
                hers = sets[home[at]]
                found[at] = found[at] & hers if seen[at] else hers
                seen[at] = True
        return found

    def list_homes(self, data: Microdata, name: str) -> list[Homes]:
        """List by release of groups that shows a column each record's group, and what groups hold.

        Parameters
        ----------
        data
            The records.
        name
            The sensitive column.

        Returns
        -------
        list
            By release the group of each record, -1 for newcomers, and by group how often it holds
            each value.
        """
        people = pd.Series(name_people(data))
        turns = people.groupby(people).cumcount().tolist()  # of equal records each has one
        found = []
        for entry in self.entries:
            if entry.amounts.get(name):
                hers = [entry.homes.get(one, ()) for one in people]
                home = [h[at] if at < len(h) else -1 for h, at in zip(hers, turns, strict=True)]
                found.append((np.array(home, np.intp), entry.amounts[name]))
        return found


def name_people(data: Microdata) -> list[str]:
    """Name each person by a hash of her identifiers, or of her record where there are none.

    Examples
    --------
    >>> import pandas as pd, verikit as vk
    >>> tables = [pd.DataFrame({"age": ages}) for ages in ([20, 30], [30.0, 20.0])]
    >>> one, two = (name_people(vk.Microdata(t, vk.Schema.guess(t))) for t in tables)
    >>> one == two[::-1]
    True
    """
    named = [column.name for column in data.schema if column.role == "identifier"]
    hashes = _hash_rows(data.frame[named or sorted(data.schema.names)])
    return [f"{one:016x}" for one in hashes.tolist()]


def _hash_rows(frame: pd.DataFrame) -> Hashes:
    """A number for each row that is the same wherever a row shows the same."""
    found = np.zeros(len(frame), np.uint64)
    for name in frame.columns:
        codes, values = pd.factorize(frame[name])
        told = [sha256(f"{name}\0{text(value)}".encode()).digest() for value in values]
        hashes = np.array([*(int.from_bytes(part[:8], "big") for part in told), 0], np.uint64)
        found = (found ^ hashes[codes]) * PRIME
        found ^= found >> np.uint64(29)
    return found


def _describe(data: Microdata, release: Release, key: Key) -> Entry:
    """What a ledger holds of a release."""
    if len(key) != len(data):
        raise RecordError(
            f"The key is of {len(key):,} records, and the data have {len(data):,}; give the key "
            "that was made with the release, and its original."
        )
    tables = [np.sort(_hash_rows(table)) for table, _ in release.tables().values()]
    shown = sha256(b"".join(part.tobytes() for part in tables)).hexdigest()
    labels, groups = _find_labels(release, key), ""
    homes: dict[str, list[int]] = {}
    amounts: dict[str, tuple[dict[str, int], ...]] = {}
    at = np.zeros(len(data), np.intp)
    if labels is not None:
        at = np.unique(labels, return_inverse=True)[1]
    for one, home in zip(name_people(data), at.tolist(), strict=True):
        homes.setdefault(one, []).append(home)
    if labels is not None:
        sums = np.zeros(int(at.max(initial=-1)) + 1, np.uint64)
        np.add.at(sums, at, _hash_rows(data.frame[sorted(data.schema.names)]))
        groups = sha256(np.sort(sums).tobytes()).hexdigest()
        for column in release.schema.sensitive:
            amounts[column.name] = _count_values(data.frame[column.name], at)
    people = {one: tuple(places) for one, places in homes.items()}
    return Entry(shown, groups, release.method, dict(release.parameters), people, amounts)


def find_groups(release: SplitRelease, key: Key) -> Rows:
    """Find the group of each original record, by its place among those of a split release."""
    names = [ROWS, *(column.name for column in release.known)]
    places = next((key.places[name] for name in names if name in key.places), None)
    if places is None or (len(places) and places.max() >= len(release)):
        raise RecordError("The key was not made with this release; give the one that was.")
    return release.labels.quasi[places]


def _find_labels(release: Any, key: Key) -> Rows | None:
    """The group of each original record, or the class of its row; None where values moved."""
    if by_groups(release):
        return find_groups(release, key)
    quasi = [column.name for column in release.schema.quasi]
    if not (whole_records(release) and release.promise in ("as it was", "covers") and quasi):
        return None
    classes = release.frame.groupby(quasi, observed=True, dropna=False, sort=False).ngroup()
    return np.asarray(classes.to_numpy(np.intp)[key.rows])


def _count_values(values: pd.Series[Any], labels: Rows) -> tuple[dict[str, int], ...]:
    """How often each group holds each value."""
    codes, found = pd.factorize(values)
    names = [*map(text, found), "missing"]
    counts: list[dict[str, int]] = [{} for _ in range(int(labels.max(initial=-1)) + 1)]
    pairs, many = np.unique(labels * len(names) + codes % len(names), return_counts=True)
    for pair, times in zip(pairs.tolist(), many.tolist(), strict=True):
        counts[pair // len(names)][names[pair % len(names)]] = times
    return tuple(counts)
