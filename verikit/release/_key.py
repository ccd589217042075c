"""What stays with the protector: which released row came from which record, and the seed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from verikit._support.unfinished import place_of
from verikit._support.writing import Writing, together
from verikit.errors import FormatError, RecordError, SchemaError, quoted
from verikit.release._kind import whole_records
from verikit.release._package import PACKAGE
from verikit.release._table import TableRelease
from verikit.table import Microdata

__all__ = ["KEYLESS", "Key"]


Rows: TypeAlias = npt.NDArray[np.intp]
KEYLESS = (
    OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError,
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Key:
    """What must stay with the protector: which released row came from which record, and the seed.

    Parameters
    ----------
    rows
        For each original record the place of its released row, counted from 0.
    seed
        The randomness that was used, if known.
    columns
        For a release in two tables, where a record's values lie apart: by column the place of
        each record's value.

    Examples
    --------
    >>> Key.of([2, 0, 1])
    Key(hidden)
    """

    rows: Rows
    seed: int | None = None
    columns: Mapping[str, Rows] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Hold read-only copies of the places, each used once."""
        object.__setattr__(self, "rows", _places(self.rows))
        columns = {name: _places(places) for name, places in self.columns.items()}
        object.__setattr__(self, "columns", columns)

    @classmethod
    def of(cls, rows: npt.ArrayLike) -> Key:
        """A key made elsewhere, without its seed."""
        return cls(np.asarray(rows))

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return "Key(hidden)"

    def take(self, records: Rows) -> Key:
        """The key of the same records in another order."""
        columns = {name: places[records] for name, places in self.columns.items()}
        return Key(self.rows[records], self.seed, columns)

    def undo(self, release: TableRelease) -> Microdata:
        """The released records in the order of the originals: what only the protector can see."""
        if not whole_records(release):
            raise SchemaError("Only a release of whole records can be put back into their order.")
        if len(self) and self.rows.max() >= len(release):
            raise RecordError(
                f"The key points to row {self.rows.max() + 1}, but the release has "
                f"{len(release)}; use the key that was made with it."
            )
        return Microdata(release.frame.take(self.rows), release.schema)

    def save(self, path: str | Path) -> Path:
        """Write the key to a file that only its owner may read; never beside the release."""
        with together() as new:
            return self._write(new, path)

    def _write(self, new: Writing, path: str | Path) -> Path:
        target = place_of(path)
        if any((folder / PACKAGE).exists() for folder in target.parents):
            raise FormatError(
                f"{str(target)!r} lies in the folder of a release; keep the key somewhere else."
            )
        columns = {name: places.tolist() for name, places in self.columns.items()}
        content = json.dumps({"rows": self.rows.tolist(), "seed": self.seed, "columns": columns})
        return new.file(path, content, private=True, advice="a key is never overwritten")

    @classmethod
    def open(cls, path: str | Path) -> Key:
        """Read a key from its file."""
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            columns = {n: np.asarray(v) for n, v in content.get("columns", {}).items()}
            return cls(np.asarray(content["rows"]), content.get("seed"), columns)
        except KEYLESS as error:
            raise FormatError(
                f"{quoted(str(path))} is not a key; expected the file that Key.save wrote."
            ) from error


def _places(places: npt.ArrayLike) -> Rows:
    given = np.asarray(places)
    whole = given.ndim == 1 and (given.dtype.kind in "iu" or not len(given))
    ordered = np.sort(given) if whole else given
    if not whole or (ordered[:1] < 0).any() or (ordered[1:] == ordered[:-1]).any():
        raise RecordError(
            "A key needs one released row for each record, counted from 0 and used once."
        )
    found = given.astype(np.intp)
    found.setflags(write=False)
    return found
