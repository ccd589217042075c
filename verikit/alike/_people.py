"""People whom someone knows, and what the records that they fit hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from verikit.alike._candidates import candidates
from verikit.alike._classes import Classes, Table
from verikit.alike._holdings import Holdings, held_by
from verikit.alike._suppressed import hidden_rows, in_sight
from verikit.errors import RecordError, SchemaError
from verikit.release import whole_records
from verikit.table import Microdata
from verikit.words import text

__all__ = ["People", "held_by_people", "people_frame"]

People: TypeAlias = Mapping[str, Any] | pd.DataFrame | Microdata


def held_by_people(people: People, release: Table, sensitive: str | None = None) -> Holdings:
    """What the records that people fit hold: one class a person who fits any.

    Suppressed records fit almost anyone, so they count only for a person who fits no other.
    The table's own shares stay those of all its records, and a missing value is one of its own.

    Examples
    --------
    >>> import verikit as vk
    >>> held = held_by_people({"Zip": "19552"}, vk.published("ks_table4"))
    >>> held.told(0), held.total
    ('4 Theft', 11)
    """
    if not isinstance(release, Microdata) and not whole_records(release):
        raise SchemaError(
            f"People were to be found in {type(release).__name__}; expected Microdata or a "
            "TableRelease."
        )
    known = people_frame(people)
    one = isinstance(people, (Mapping, pd.Series))
    names = [name for name in known.columns if one or name in release.schema.names]
    hidden = hidden_rows(release)
    records = known[names].to_dict("records") or [{}] * len(known)  # pandas 2 gives none for none
    fitting = [candidates(record, release) for record in records]
    rows = [in_sight(found, hidden) for found in fitting]
    sizes = np.array([len(found) for found in rows], np.int64)
    fits = np.flatnonzero(sizes)
    labels = np.repeat(np.arange(len(fits)), sizes[fits])
    cells = known.take(np.repeat(fits, sizes[fits])).reset_index(drop=True)
    persons = Classes(labels, sizes[fits], cells)
    return held_by(release, persons, sensitive, "own value", np.concatenate(rows))


def people_frame(people: People) -> pd.DataFrame:
    """The people whom someone knows, one line each: a table of them, or one record."""
    if isinstance(people, Microdata):
        found = people.frame
    elif isinstance(people, pd.DataFrame):
        found = people.rename(columns=text).reset_index(drop=True)
    elif isinstance(people, (Mapping, pd.Series)):
        found = pd.DataFrame([dict(people)]).rename(columns=text)
    else:
        raise RecordError(
            f"People were given as {type(people).__name__}; expected a table of them, or one "
            "record such as {'age': 41, 'job': 'nurse'}."
        )
    if not len(found):
        raise RecordError("The table of people is empty; give at least one person.")
    return found
