"""The releases of the papers that a view can look at, beside one that it was given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from verikit.datasets import describe, published
from verikit.errors import RecordError, SchemaError
from verikit.release import Release

__all__ = ["GIVEN", "checked_release", "chosen", "options"]

GIVEN = "given"


def options(names: Sequence[str], given: object) -> tuple[tuple[str, str], ...]:
    """The choices of a drop-down list: what was given first, then shipped tables by their titles.

    Examples
    --------
    >>> options(["ks_table4"], None)
    (('ks_table4', 'KS Table 4: A group in which all share one crime'),)
    """
    shipped = [(name, f"{_item(name)}: {describe(name)['title']}") for name in names]
    return (((GIVEN, "The table given in Python"),) if given is not None else ()) + tuple(shipped)


def _item(name: str) -> str:
    return f"{describe(name)['paper']} {describe(name)['item']}"


def chosen(name: Any, names: Sequence[str], given: Release | None) -> Release:
    """The release of a choice."""
    if name == GIVEN and given is not None:
        return given
    if name not in names:
        known = ", ".join((*((GIVEN,) if given is not None else ()), *names))
        raise RecordError(f"table was given as {name!r}; expected one of {known}.")
    return published(name)


def checked_release(release: Any, who: str) -> Any:
    """The release that a view was given, if any, or a table; what has no columns is refused.

    Examples
    --------
    >>> checked_release([1, 2], "ClassesView")
    Traceback (most recent call last):
    verikit.errors.SchemaError: ClassesView was given list; expected a release (verikit.open_release
    opens what was published) or Microdata.
    """
    if release is None or hasattr(release, "schema"):
        return release
    raise SchemaError(
        f"{who} was given {type(release).__name__}; expected a release (verikit.open_release opens "
        "what was published) or Microdata."
    )
