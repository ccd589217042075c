"""Which released records a person fits: those whose cells hold all of her values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit._support.told import Told
from verikit.cells import rows_that_may_be
from verikit.errors import RecordError, quoted
from verikit.release import TableRelease
from verikit.table import Microdata, Schema, require_single_value
from verikit.words import listed

__all__ = ["absent", "candidates", "known_values"]


def candidates(record: Mapping[str, Any], release: Microdata | TableRelease) -> Rows:
    """The places of the records that someone with these quasi-identifiers fits.

    A cell fits if it may be her value: it is the value, a group of the hierarchy above it, a range
    around it, a set such as ``{a, b}`` that names it, a starred form such as ``476**``; or it was
    withheld, is missing, or cannot be read.

    Parameters
    ----------
    record
        Her values by column; a quasi-identifier left out, or None, is not used.
    release
        The table.

    Raises
    ------
    RecordError
        If the record names no quasi-identifier, or a column that the table lacks.

    Examples
    --------
    >>> import verikit as vk
    >>> candidates({"DOB": "1985", "Zip": "36363"}, vk.published("ks_table1")).tolist()
    [3, 6, 9]
    """
    fits = np.ones(len(release), bool)
    for name, value in known_values(record, release.schema).items():
        fits &= rows_that_may_be(release.frame[name], release.schema[name], value)
    return np.flatnonzero(fits)


def known_values(record: Mapping[str, Any], schema: Schema) -> dict[str, Any]:
    """The quasi-identifiers that a record gives, in the order of the schema."""
    if isinstance(record, pd.Series):
        record = {str(name): value for name, value in record.items()}
    if not isinstance(record, Mapping):
        raise RecordError(
            f"The record was given as {type(record).__name__}; expected a dictionary such as "
            "{'age': 41, 'job': 'nurse'}."
        )
    unknown = [name for name in record if name not in schema.names]
    if unknown:
        raise RecordError(
            Told(
                f"The record has {listed(unknown)}, which the table lacks; it has "
                f"{listed(schema.names, 12)}.",
                "lacks",
                unknown=[quoted(name) for name in unknown],
                known=[quoted(name) for name in schema.names],
            )
        )
    for name, value in record.items():
        require_single_value(name, value)
    names = [column.name for column in schema.quasi]
    given = {name: record[name] for name in names if not absent(record.get(name))}
    if not given:
        raise RecordError(
            Told(
                "The record holds no quasi-identifier; give at least one of "
                f"{listed(names, 12) or 'none that the table has'}.",
                "no-known-value" if names else "",
                known=[quoted(name) for name in names],
            )
        )
    return given


def absent(value: Any) -> bool:
    """Whether a record says nothing here: None, or a missing value of a table."""
    missing = value is None or value is pd.NA or value is pd.NaT
    return missing or (isinstance(value, (float, np.floating)) and bool(np.isnan(value)))
