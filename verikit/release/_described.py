"""What ``datapackage.json`` says, checked once where it is opened."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import Any, TypeAlias

from verikit.errors import FormatError, quoted
from verikit.release._package import PACKAGE

__all__ = ["check_package"]

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
    "reported_links": (int, NoneType),
    "reported_luck": (int, float, NoneType),
    "reported_without": (list, NoneType),
    "group": str,
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
    _check(package, {"resources": list, "verikit": dict}, "the release")
    facts = package.get("verikit", {})
    _check(facts, FACTS, "the release")
    _check_each(facts.get("reported_without") or [], str, "'reported_without' of the release")
    for resource in package.get("resources", []):
        _check(resource, RESOURCE, "a table")
        _check(resource.get("verikit", {}), ROWS, "a table")
        schema = resource.get("schema", {})
        _check(schema, SCHEMA, "a table")
        _check_each(schema.get("missingValues", []), str, "'missingValues' of a table")
        for field in schema.get("fields", []):
            _check_field(field)


def _check_field(field: Any) -> None:
    _check(field, FIELD, "a column")
    kept = field.get("verikit", {})
    _check(kept, COLUMN, "a column")
    _check_each(kept.get("order", []), str, "'order' of a column")
    _check_each(kept.get("weights", {}).values(), str, "'weights' of a column")
    _check_each(kept.get("hierarchy", []), list, "'hierarchy' of a column")
    for row in kept.get("hierarchy", []):
        _check_each(row or [None], str, "'hierarchy' of a column")


def _check(part: Any, expected: Kinds, where: str) -> None:
    if not isinstance(part, dict):
        raise FormatError(
            f"{PACKAGE} gives {where} as {quoted(part)}, which does not describe a release; "
            "expected an object."
        )
    for name, kinds in expected.items():
        if name in part and not _is(part[name], kinds):
            raise FormatError(
                f"{PACKAGE} gives {name!r} of {where} as {quoted(part[name])}; expected "
                f"{_words(kinds)}."
            )


def _check_each(parts: Any, kind: type, what: str) -> None:
    wrong = next((part for part in parts if not isinstance(part, kind)), parts)
    if wrong is not parts:
        raise FormatError(
            f"{PACKAGE} gives {what} with {quoted(wrong)} in it; expected {_words(kind)} each time."
        )


def _is(value: object, kinds: type | tuple[type, ...]) -> bool:
    if isinstance(value, bool):  # which Python counts among the whole numbers
        return kinds is bool
    return isinstance(value, kinds)


def _words(kinds: type | tuple[type, ...]) -> str:
    return " or ".join(WORDS[kind] for kind in (kinds if isinstance(kinds, tuple) else (kinds,)))
