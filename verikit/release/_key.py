"""What stays with the protector: which row came from which record, and the seed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Rows
from verikit._support.partial_files import place_of
from verikit._support.skip_validation import make_unchecked
from verikit._support.writing import Writing, together
from verikit.errors import FormatError, RecordError, SchemaError, quoted
from verikit.release._datapackage import PACKAGE
from verikit.release._kinds import Release, whole_records
from verikit.release._table import TableRelease
from verikit.table import Microdata, take_rows
from verikit.words import listed

if TYPE_CHECKING:
    from verikit.release._ledger import Ledger

ROWS = ""
SPARSE = 8
KEYLESS = (
    OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError,
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Key:
    """What must stay with the protector: which released row came from which record, and the seed.

    Parameters
    ----------
    places
        By name where everything went: for each original record its place in what was published,
        counted from 0. The name ``""`` stands for whole rows, the name of a column for its values
        where they were moved one by one; other kinds of release have names of their own. A record
        that has no place there, as where a sample was published, has -1.
    seed
        The randomness that was used, if known.

    Examples
    --------
    >>> Key.of([2, 0, 1])
    Key(hidden)
    """

    places: Mapping[str, Rows]
    seed: int | None = None

    def __post_init__(self) -> None:
        """Hold read-only copies of the places, each used once."""
        given = self.places if isinstance(self.places, Mapping) else {ROWS: self.places}
        if not given or not all(isinstance(name, str) for name in given):
            raise RecordError(
                f"A key needs places by name, '' for whole rows; the names were given as "
                f"{quoted(list(given))}."
            )
        held = {name: _check_places(places) for name, places in given.items()}
        object.__setattr__(self, "places", MappingProxyType(held))

    @classmethod
    def of(cls, rows: npt.ArrayLike) -> Key:
        """A key made elsewhere, without its seed."""
        return cls({ROWS: np.asarray(rows)})

    @classmethod
    def _of(cls, rows: Rows) -> Key:
        """A key of our own: one row for each record, which nobody else holds."""
        rows.setflags(write=False)
        return make_unchecked(cls, places=MappingProxyType({ROWS: rows}))

    def _of_records(self, order: Rows, seed: int) -> Key:
        """The key, with its seed, of records that were taken in some order to be masked."""
        held = {}
        for name, places in self.places.items():
            held[name] = np.empty_like(places)
            held[name][order] = places
            held[name].setflags(write=False)
        return make_unchecked(Key, places=MappingProxyType(held), seed=seed)

    @property
    def rows(self) -> Rows:
        """For each original record the place of its released row."""
        if ROWS not in self.places:
            raise RecordError(
                f"This is a key of {listed(self.places)}, not of whole rows; give the key that "
                "was made with a release of whole rows."
            )
        return self.places[ROWS]

    @property
    def columns(self) -> Mapping[str, Rows]:
        """The places that have a name: of a column's values, where these lie apart."""
        return {name: places for name, places in self.places.items() if name != ROWS}

    def __len__(self) -> int:
        return len(next(iter(self.places.values())))

    def __repr__(self) -> str:
        return "Key(hidden)"

    def take(self, records: Rows) -> Key:
        """Make the key of the same records in another order."""
        return Key({name: places[records] for name, places in self.places.items()}, self.seed)

    def rows_in(self, release: Release) -> Rows:
        """For each original record the place of its row in a release; -1 where it has none."""
        if len(self) and self.rows.max() >= len(release):
            raise RecordError(
                f"The key points to row {self.rows.max() + 1}, but the release has "
                f"{len(release)}; use the key that was made with it."
            )
        return self.rows

    def undo(self, release: TableRelease) -> Microdata:
        """Put the released records into the order of the originals, as only the protector can."""
        if not whole_records(release):
            raise SchemaError("Only a release of whole records can be put back into their order.")
        rows = self.rows_in(release)
        without = int(np.count_nonzero(rows < 0))
        if without:
            raise RecordError(
                f"{without:,} of {len(rows):,} records have no row in the release, so its rows "
                "cannot be put into their order; take those that have one."
            )
        if all(kept.kind in "if" for kept in release.frame.dtypes):
            return Microdata._of(
                take_rows(release.frame, release.schema, self.rows), release.schema
            )
        return Microdata(release.frame.take(self.rows), release.schema)

    def save(self, path: str | Path) -> Path:
        """Write the key to a file that only its owner may read; never beside the release."""
        with together() as new:
            return self._write_with(new, path)

    def _write_with(self, new: Writing, path: str | Path) -> Path:
        target = place_of(path)
        if any((folder / PACKAGE).exists() for folder in target.parents):
            raise FormatError(
                f"{str(target)!r} lies in the folder of a release; keep the key somewhere else."
            )
        places = {name: part.tolist() for name, part in self.places.items()}
        content = json.dumps({"places": places, "seed": self.seed})
        return new.file(path, content, private=True, advice="a key is never overwritten")

    @classmethod
    def open(cls, path: str | Path) -> Key:
        """Read a key from its file."""
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            if "places" in content:
                places = dict(content["places"])
            else:  # as it was written before there were other places than rows and columns
                places = {ROWS: content["rows"], **content.get("columns", {})}
            return cls({n: np.asarray(v) for n, v in places.items()}, content.get("seed"))
        except KEYLESS as error:
            raise FormatError(
                f"{quoted(Path(path))} is not a key; expected the file that Key.save wrote."
            ) from error


def _check_places(places: npt.ArrayLike) -> Rows:
    """Hold places that count from 0, each used once; a table of flags tells it without a sort."""
    given = np.asarray(places)
    found = given.astype(np.intp) if given.ndim == 1 and given.dtype.kind in "iu" else None
    once = given.ndim == 1 and not len(given)
    there = None if found is None else found[found != -1]
    if there is not None and found is not None and len(found) and not len(there):
        once = True
    elif there is not None and len(there) and there.min() >= 0:
        found = there
        most = int(found.max())
        if most > SPARSE * len(found):
            once = len(np.unique(found)) == len(found)
        else:
            used = np.zeros(most + 1, np.bool_)
            used[found] = True
            once = int(np.count_nonzero(used)) == len(found)
    if not once:
        raise RecordError(
            "A key needs one released row for each record, counted from 0 and used once."
        )
    held = np.array(given, np.intp)
    held.setflags(write=False)
    return held


class Masked(NamedTuple):
    """What a method returns: ``release, key = vk.mask.noise(...)``."""

    release: Release
    key: Key

    def save(
        self,
        folder: str | Path,
        key: str | Path,
        *,
        parquet: bool = False,
        page: bool = False,
        ledger: Ledger | None = None,
    ) -> Path:
        """Write the release as a folder and its key to a file somewhere else: both, or neither.

        If the process is killed, both or neither are there too, but for the moment between their
        last two steps: a key that is left alone there is taken back when the same is saved again.
        A release is never there without its key. A ledger is written beside the key as the last
        step.
        """
        published, place = place_of(folder).resolve(), place_of(key)
        if published in (place, *place.parents):
            raise FormatError(
                f"The key {str(key)!r} would lie in the published folder {str(folder)!r}; keep it "
                "somewhere else."
            )
        with together() as new:
            self.key._write_with(new, key)
            self.release.save(new.folder(folder), parquet=parquet, page=page)
            if ledger is not None:  # last, as what it replaces does not come back
                ledger.write_beside(new, key)
        return Path(folder)
