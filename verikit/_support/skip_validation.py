"""Values that verikit itself made: not checked a second time."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any, TypeVar, cast

T = TypeVar("T")


def make_unchecked(kind: type[T], **values: Any) -> T:
    """A frozen value of some kind, made without its checks from what they have been through.

    Examples
    --------
    >>> from verikit.hierarchy import Hierarchy
    >>> make_unchecked(Hierarchy, levels={"a": ("a", "any")}, weights={}).levels
    {'a': ('a', 'any')}
    """
    made = object.__new__(kind)
    for field in fields(cast("Any", kind)):
        if field.name in values:
            value = values[field.name]
        elif field.default_factory is not MISSING:
            value = field.default_factory()
        elif field.default is not MISSING:
            value = field.default
        else:
            continue  # worked out from the others, or left for the caller to set
        object.__setattr__(made, field.name, value)
    return made


def change_unchecked(value: T, **changes: Any) -> T:
    """The same value with some of its fields changed to what needs no check."""
    names = [field.name for field in fields(cast("Any", value))]
    kept = {name: getattr(value, name) for name in names if name not in changes}
    return make_unchecked(type(value), **kept, **changes)
