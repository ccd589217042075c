"""The folder of a release: tables beside a Frictionless ``datapackage.json``, written and read."""

from __future__ import annotations

import csv
import hashlib
import io
import itertools
import json
import re
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import NoneType
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from verikit import cells
from verikit._support.writing import together
from verikit.errors import FormatError, SchemaError, quoted
from verikit.hierarchy import Hierarchy
from verikit.release._linked_data import LINKED, describe_linked
from verikit.table import Column, Schema, read_frame
from verikit.words import text

PACKAGE = "datapackage.json"
FORMAT = 1
LARGEST = sys.float_info.max
CHECKSUMS = ("sha256", "sha512", "sha1", "md5")


def to_json_value(value: Any) -> Any:
    """Turn parameters into what JSON knows: text, finite numbers, lists and dictionaries."""
    if isinstance(value, Mapping):
        return {text(name): to_json_value(part) for name, part in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [to_json_value(part) for part in value]
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, Fraction):
        return str(value)
    if not isinstance(value, (str, int, float, type(None))) or (
        isinstance(value, (int, float)) and not abs(value) <= LARGEST
    ):
        raise SchemaError.given(
            "A parameter of a release",
            value,
            "text, finite numbers, or lists and dictionaries of them, so that it can be published",
        )
    return value


def publishable_parameters(method: object, parameters: object) -> dict[str, Any]:
    """Check the parameters of a method, and return them as they are published with its name.

    Examples
    --------
    >>> publishable_parameters("noise", {"scale": np.float64(0.5)})
    {'scale': 0.5}
    """
    if not isinstance(method, str):
        raise SchemaError.given("A method", method, "its name as text")
    if not isinstance(parameters, Mapping):
        raise SchemaError(
            f"The parameters of a method were given as {quoted(parameters)}; expected a "
            "dictionary of values by name."
        )
    return {text(name): to_json_value(value) for name, value in parameters.items()}


def write_package(
    folder: Path,
    tables: Mapping[str, tuple[pd.DataFrame, Schema]],
    facts: Mapping[str, Any],
    parquet: bool = False,
) -> Path:
    """Write tables and their description as a Frictionless data package: all of it, or nothing."""
    with together() as new:
        inside = new.folder(folder)
        inside.mkdir()
        resources = [
            _write_table(inside, name, frame, schema, parquet)
            for name, (frame, schema) in tables.items()
        ]
        package = {
            "profile": "tabular-data-package",
            "name": re.sub(r"[^a-z0-9._-]+", "-", inside.name.lower()) or "release",
            **describe_publication(facts.get("about", {})),
            "resources": resources,
            "verikit": {"format": FORMAT, **facts},
        }
        content = json.dumps(package, indent=2, ensure_ascii=False, allow_nan=False)
        (inside / PACKAGE).write_text(content + "\n", encoding="utf-8")
        if facts.get("about"):
            content = json.dumps(describe_linked(package), indent=2, ensure_ascii=False)
            (inside / LINKED).write_text(content + "\n", encoding="utf-8")
    return folder


def describe_publication(about: Mapping[str, str]) -> dict[str, Any]:
    """What a publisher says of a release in the fields that Frictionless has for it.

    Examples
    --------
    >>> describe_publication({"title": "Adults", "publisher": "An office", "licence": "CC0-1.0"})
    {'title': 'Adults', 'contributors': [{'title': 'An office', 'role': 'publisher'}], 'licenses':
    [{'name': 'CC0-1.0'}]}
    """
    email = {"email": about["contact"]} if "@" in about.get("contact", "") else {}
    publisher = {"title": about.get("publisher", ""), **email, "role": "publisher"}
    found = {
        "title": ("title", about.get("title")),
        "people": ("description", about.get("people")),
        "publisher": ("contributors", [publisher]),
        "licence": ("licenses", [{"name": about.get("licence")}]),
    }
    return dict(part for name, part in found.items() if about.get(name))


def _write_table(
    folder: Path, name: str, frame: pd.DataFrame, schema: Schema, parquet: bool
) -> dict[str, Any]:
    path = folder / f"{name}.{'parquet' if parquet else 'csv'}"
    mark, quoting = _choose_marks(frame)
    written = frame.assign(
        **{
            name: [None if pd.isna(value) else cells.cell_text(value) for value in frame[name]]
            for name in frame
            if _is_span(frame[name])
        }
    )
    if parquet:
        try:
            written.to_parquet(path, index=False)
        except ImportError:
            raise FormatError(
                "Parquet files need pyarrow; install it with  pip install pyarrow."
            ) from None
    else:
        written.to_csv(path, index=False, lineterminator="\n", na_rep=mark, quoting=quoting)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {
        "name": name,
        "path": path.name,
        "profile": "tabular-data-resource",
        "encoding": "utf-8",
        "bytes": path.stat().st_size,
        "hash": f"sha256:{digest}",
        "schema": {
            "fields": [describe_column(column, frame[column.name]) for column in schema],
            "missingValues": [mark],
        },
        "verikit": {"rows": len(frame)},
    }


def _choose_marks(frame: pd.DataFrame) -> tuple[str, Literal[0, 2]]:
    """Choose a mark of missing values, and the quoting, so that every text is read as written."""
    texts = [values.cat.categories for _, values in frame.items() if hasattr(values, "cat")]
    words = {text(word) for word in itertools.chain(frame.columns, *texts)}
    marks = itertools.chain([""], map("missing {}".format, itertools.count()))
    mark = next(mark for mark in marks if mark not in words)
    odd = any("\r" in word for word in words)
    return mark, csv.QUOTE_NONNUMERIC if odd else csv.QUOTE_MINIMAL


def _is_span(values: pd.Series[Any]) -> bool:
    return isinstance(values.dtype, pd.IntervalDtype)


def describe_column(column: Column, values: pd.Series[Any]) -> dict[str, Any]:
    spans = _is_span(values)
    numbers = column.kind == "numeric" and not spans and pd.api.types.is_numeric_dtype(values)
    kept: dict[str, Any] = {"role": column.role, "kind": column.kind, "unit": column.unit}
    kept |= {"order": list(column.order)} if column.order is not None else {}
    kept |= {"spans": True} if spans else {}
    kept |= {"words": True} if column.words else {}
    if column.hierarchy is not None:
        kept["hierarchy"] = [list(row) for row in column.hierarchy.levels.values()]
        kept["weights"] = {leaf: str(w) for leaf, w in column.hierarchy.weights.items()}
    ends = {} if column.domain is None else dict(zip(ENDS, column.domain, strict=True))
    return {
        "name": column.name,
        "type": "number" if numbers else "string",
        "title": column.label,
        **({"constraints": ends} if ends else {}),
        "verikit": {name: value for name, value in kept.items() if value not in ("", {})},
    }


ENDS = ("minimum", "maximum")


def read_domain(described: Mapping[str, Any]) -> tuple[float, float] | None:
    """Read the least and the greatest number that a column is said to hold; None for no two."""
    told = described.get("constraints", {})
    found = [told.get(end) for end in ENDS] if isinstance(told, Mapping) else []
    numbers = [one for one in found if isinstance(one, (int, float)) and not isinstance(one, bool)]
    return (numbers[0], numbers[1]) if len(numbers) == 2 and numbers[0] <= numbers[1] else None


def read_column(described: Mapping[str, Any]) -> Column:
    kept = described.get("verikit", {})
    numbers = described.get("type", "string") in ("number", "integer")
    hierarchy = None
    if "hierarchy" in kept:
        levels = {row[0]: tuple(row) for row in kept["hierarchy"]}
        hierarchy = Hierarchy(levels, kept.get("weights", {}))
    return Column(
        described["name"],
        kept.get("role", "quasi"),
        kept.get("kind", "numeric" if numbers else "nominal"),
        hierarchy,
        tuple(kept["order"]) if "order" in kept else None,
        kept.get("unit", ""),
        described.get("title", ""),
        kept.get("words", False),
        read_domain(described) if kept.get("kind") == "numeric" else None,
    )


def read_table(
    fetch: Callable[[str], bytes], resource: Mapping[str, Any]
) -> tuple[pd.DataFrame, Schema]:
    name = str(resource["path"])
    if Path(name).name != name or "\0" in name:
        raise FormatError(
            f"{PACKAGE} points outside its folder, to {quoted(name)}; do not trust it."
        )
    try:
        content = fetch(name)
    except (OSError, KeyError) as error:
        raise FormatError(
            f"{PACKAGE} names the table {quoted(name)}, but it is not there."
        ) from error
    if "hash" in resource:
        check_hash(name, io.BytesIO(content), resource["hash"])
    schema = Schema(tuple(read_column(part) for part in resource["schema"]["fields"]))
    stream = io.BytesIO(content)
    stream.name = name
    textual = [f["name"] for f in resource["schema"]["fields"] if f.get("type") == "string"]
    missing = resource["schema"].get("missingValues", [""])
    as_written = {} if name.endswith(".parquet") else {"sep": ",", "skipinitialspace": False}
    frame = read_frame(stream, textual, missing=missing, **as_written)
    rows = resource.get("verikit", {}).get("rows", len(frame))
    if rows != len(frame):
        raise FormatError(
            f"{PACKAGE} promises {rows} records, but {quoted(name)} holds {len(frame)}."
        )
    for described in resource["schema"]["fields"]:
        column = str(described["name"])
        if described.get("verikit", {}).get("spans") and column in frame:
            spans = cells.parse_intervals(frame[column])
            if spans is None:
                raise FormatError(
                    f"Column {quoted(column)} should hold closed intervals such as '[20, 29]'."
                )
            frame = frame.assign(**{column: spans})
    return frame, schema


def check_hash(name: str, file: io.BufferedReader | io.BytesIO, promised: object) -> None:
    """Make the promised check; a checksum without its kind is an md5, as Frictionless has it."""
    kind, _, digest = str(promised).lower().rpartition(":")
    kind = kind or "md5"
    if not isinstance(promised, str) or kind not in CHECKSUMS or not digest:
        raise FormatError(
            f"{PACKAGE} promises the checksum {quoted(promised)} of {quoted(name)}, which cannot "
            f"be checked; expected one such as 'sha256:...', of {', '.join(CHECKSUMS)}."
        )
    made = partial(hashlib.new, kind, usedforsecurity=False)
    if hashlib.file_digest(file, made).hexdigest() != digest:
        raise FormatError(
            f"{quoted(name)} was changed after {PACKAGE} was written (its checksum differs); ask "
            "the publisher for the release again."
        )


Kinds: TypeAlias = Mapping[str, type | tuple[type, ...]]

WORDS: Mapping[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    NoneType: "null",
}
FACTS: Kinds = {
    "format": int,
    "kind": str,
    "method": str,
    "parameters": dict,
    "permutation": bool,
    "permuted": bool,
    "apart": bool,
    "reported_links": (int, NoneType),
    "reported_luck": (int, float, NoneType),
    "reported_without": (list, NoneType),
    "group": str,
    "about": dict,
}
RESOURCE: Kinds = {"name": str, "path": str, "schema": dict, "verikit": dict}
ROWS: Kinds = {"rows": int}
SCHEMA: Kinds = {"fields": list, "missingValues": list}
FIELD: Kinds = {"name": str, "type": str, "title": str, "verikit": dict}
COLUMN: Kinds = {
    "role": str,
    "kind": str,
    "unit": str,
    "order": list,
    "hierarchy": list,
    "weights": dict,
    "spans": bool,
    "words": bool,
}


def check_package(package: Mapping[str, Any]) -> None:
    """Refuse a description whose parts are not of the kind they should be.

    What is absent is not asked for here.

    Examples
    --------
    >>> check_package({"resources": [], "verikit": {"format": 1, "method": True}})
    Traceback (most recent call last):
    verikit.errors.FormatError: datapackage.json gives 'method' of the release as True; expected
    text.
    """
    _check_kinds(package, {"resources": list, "verikit": dict}, "the release")
    facts = package.get("verikit", {})
    _check_kinds(facts, FACTS, "the release")
    _check_each(facts.get("about", {}).values(), str, "'about' of the release")
    _check_each(facts.get("reported_without") or [], str, "'reported_without' of the release")
    for resource in package.get("resources", []):
        _check_kinds(resource, RESOURCE, "a table")
        _check_kinds(resource.get("verikit", {}), ROWS, "a table")
        schema = resource.get("schema", {})
        _check_kinds(schema, SCHEMA, "a table")
        _check_each(schema.get("missingValues", []), str, "'missingValues' of a table")
        for field in schema.get("fields", []):
            # refuse a column whose description has parts of another kind
            _check_kinds(field, FIELD, "a column")
            kept = field.get("verikit", {})
            _check_kinds(kept, COLUMN, "a column")
            _check_each(kept.get("order", []), str, "'order' of a column")
            _check_each(kept.get("weights", {}).values(), str, "'weights' of a column")
            _check_each(kept.get("hierarchy", []), list, "'hierarchy' of a column")
            for row in kept.get("hierarchy", []):
                _check_each(row or [None], str, "'hierarchy' of a column")


def _check_kinds(part: Any, expected: Kinds, where: str) -> None:
    if not isinstance(part, dict):
        raise FormatError(
            f"{PACKAGE} gives {where} as {quoted(part)}, which does not describe a release; "
            "expected an object."
        )
    for name, kinds in expected.items():
        value = part.get(name)
        # Python counts True among the whole numbers; here only a truth value may be one
        fits = kinds is bool if isinstance(value, bool) else isinstance(value, kinds)
        if name in part and not fits:
            raise FormatError(
                f"{PACKAGE} gives {name!r} of {where} as {quoted(value)}; expected "
                f"{_kind_words(kinds)}."
            )


def _check_each(parts: Any, kind: type, what: str) -> None:
    wrong = next((part for part in parts if not isinstance(part, kind)), parts)
    if wrong is not parts:
        raise FormatError(
            f"{PACKAGE} gives {what} with {quoted(wrong)} in it; expected {_kind_words(kind)} "
            "each time."
        )


def _kind_words(kinds: type | tuple[type, ...]) -> str:
    return " or ".join(WORDS[kind] for kind in (kinds if isinstance(kinds, tuple) else (kinds,)))
