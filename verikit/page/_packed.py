"""A release as the page holds it: what is said about it as JSON, its values as packed bytes."""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit.errors import SchemaError, quoted
from verikit.release import Release, TableRelease, whole_records
from verikit.subject import kind_of
from verikit.subject.masked._pairs import undone_pairs
from verikit.table import Column
from verikit.words import joined, listed

__all__ = ["Packed", "covered", "packed"]


class Packed(NamedTuple):
    """The description of a release, and the bytes of its columns one after the other."""

    facts: dict[str, Any]
    values: bytes

    @property
    def text(self) -> str:
        """The bytes as text; the same for the same release."""
        return b64encode(gzip.compress(self.values, mtime=0)).decode()


def covered(release: Release) -> list[Column]:
    """The columns that the page can ask for; a release that it cannot judge is refused.

    Examples
    --------
    >>> import verikit as vk
    >>> [column.name for column in covered(vk.published("dm_table1_masked"))]
    ['X1', 'X2', 'X3']
    >>> covered(vk.published("ks_table4"))
    Traceback (most recent call last):
    verikit.errors.SchemaError: A page can hold a table of single values, but this is a generalized
    table, whose cells have no places; use  verikit app  or  verikit check  instead.
    """
    kind = kind_of(release)
    if kind.name == "masked" and whole_records(release):
        columns = [column for column in release.schema if _ranks(release, column)]
        kind = kind_of(release, [column.name for column in columns]) if columns else kind
    if kind.name != "masked":
        raise SchemaError(
            f"A page can hold a table of single values, but this is {kind.words}; use  "
            "verikit app  or  verikit check  instead."
        )
    if not len(release):
        raise SchemaError("The release has no record; a page needs at least one.")
    if not columns:
        raise SchemaError(
            f"No column of {listed(release.schema.names)} can be ranked; a page needs at least one "
            "of numbers, or of categories with an order, without missing values."
        )
    return columns


def _ranks(release: TableRelease, column: Column) -> bool:
    """Whether a column has ranks; of a blank category a person could not say that it is hers.

    Dates are not read on the page, which shows numbers as numbers.
    """
    spans = isinstance(release.frame[column.name].dtype, pd.IntervalDtype)
    blank = any(not name.strip() for name in column.categories or ())
    ranked = column.ranked and not spans and not blank and not column.dated
    return ranked and not np.isnan(release.scores(column.name)).any()


def packed(release: TableRelease, columns: Sequence[Column]) -> Packed:
    """Each column as its values in order, without repeats, and for each record which it has."""
    held = [np.unique(release.scores(c.name) + 0.0, return_inverse=True) for c in columns]
    told = [_described(c, *part) for c, part in zip(columns, held, strict=True)]
    values = b"".join(
        _planes(values.astype("<f8")) + _planes(code.astype("<u4"))[: told[at]["width"] * len(code)]
        for at, (values, code) in enumerate(held)
    )
    facts = {
        "n": len(release),
        "columns": told,
        "schema": [{"name": c.name, "title": c.title} for c in release.schema],
        "parameters": {"places": release.parameters.get("places")},
        "permutation": release.permutation,
        "links": release.reported_links,
        "luck": None if release.reported_luck is None else f"{release.reported_luck:.1f}",
        "undone": undone_pairs(release),
        "told": _method(release),
    }
    return Packed(facts, values)


def _described(column: Column, values: npt.NDArray[Any], _: npt.NDArray[Any]) -> dict[str, Any]:
    return {
        "name": column.name,
        "quoted": quoted(column.name),
        "title": column.title,
        "unit": column.unit,
        "kind": column.kind,
        "categories": column.categories if column.kind != "numeric" else None,
        "distinct": len(values),
        "width": max(1, -(-(len(values) - 1).bit_length() // 8)),
    }


def _planes(numbers: npt.NDArray[Any]) -> bytes:
    """All first bytes, then all second bytes: so they pack well."""
    return numbers.view(np.uint8).reshape(len(numbers), -1).T.tobytes()


def _method(release: TableRelease) -> str:
    if not release.method:
        return ""
    parts = [f"{name.replace('_', ' ')}: {_plain(v)}" for name, v in release.parameters.items()]
    return f"Method: {'; '.join([release.method.replace('_', ' '), *parts])}."


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_plain(part)}" for name, part in value.items())
    if isinstance(value, (list, tuple)):
        return joined(map(_plain, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)
