"""What a person's file holds: the table, what the file says about its columns, how it was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from verikit.errors import FormatError, quoted

__all__ = ["MISSING", "Asked", "Reading", "Told"]

MISSING = ("", "NA", "NaN", "nan")


@dataclass(frozen=True, slots=True)
class Told:
    """What a file says about one column.

    Parameters
    ----------
    label
        Words for the screen.
    """

    label: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """How a person says that her file is written; what is left out is found out.

    Parameters
    ----------
    encoding
        The encoding of its letters, such as ``"latin-1"``.
    separator
        What stands between two values.
    decimal
        What stands before the decimal places.
    sheet
        The name of a sheet, or of a table in a file that holds several.
    labels
        The DDI codebook that holds the words for its columns and values.
    missing
        The marks that stand for a missing value.
    """

    encoding: str | None = None
    separator: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    labels: Any = None
    missing: Sequence[str] | None = None

    def __post_init__(self) -> None:
        """Take one mark for several, and refuse what is none."""
        if self.missing is None:
            return
        marks = (self.missing,) if isinstance(self.missing, str) else self.missing
        if not isinstance(marks, Sequence) or not all(isinstance(one, str) for one in marks):
            raise FormatError(
                f"The marks of missing values were given as {quoted(self.missing)}; expected "
                "texts, such as ['?', 'n/a']."
            )
        object.__setattr__(self, "missing", tuple(marks))


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A table as it was read.

    Parameters
    ----------
    frame
        Its records.
    told
        What the file says about its columns, by name.
    notes
        In sentences how it was read, where another reading was possible.
    how
        How a text file was taken to be written; None for other formats.
    """

    frame: pd.DataFrame
    told: Mapping[str, Told] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    how: Asked | None = None
