"""What a publisher promises about the values in a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, cast, get_args

from verikit.errors import SchemaError
from verikit.table import Schema
from verikit.words import listed

__all__ = ["Promise", "Promised", "checked_promise", "promise_of", "reported_without"]

Promise: TypeAlias = Literal["as it was", "covers", "another order", "changed", "untold"]


class Promised:
    """A table with a promise about its values."""

    __slots__ = ()

    promise: Promise
    schema: Schema
    reported_without: tuple[str, ...] | None

    @property
    def permutation(self) -> bool:
        """Whether every column holds just the original values in another order."""
        return self.promise == "another order"

    @property
    def not_compared(self) -> tuple[str, ...]:
        """The published columns that the reported links leave out.

        Where that is not told they are those without an order, by which no attack by rank goes.
        """
        if self.reported_without is not None:
            return self.reported_without
        return tuple(column.name for column in self.schema if not column.ranked)


def checked_promise(promise: object) -> Promise:
    """The promise, or which ones there are.

    ``"as it was"``: every row holds what is true of one person. ``"covers"``: every cell holds or
    covers it. ``"another order"``: every column holds the true values, not all of them in the rows
    of their people. ``"changed"``: values may be nobody's. ``"untold"``: nothing is known.

    Examples
    --------
    >>> checked_promise("covers")
    'covers'
    >>> checked_promise("exact")
    Traceback (most recent call last):
    verikit.errors.SchemaError: The promise of a release was given as 'exact'; expected one of
    'as it was', 'covers', 'another order', 'changed', 'untold'.
    """
    known = get_args(Promise)
    if not isinstance(promise, str) or promise not in known:
        raise SchemaError(
            f"The promise of a release was given as {_short(promise)}; expected one of "
            f"{listed(known)}."
        )
    return cast("Promise", promise)


def promise_of(promise: object, *, permutation: object) -> Promise:
    """The promise beside the older flag for a pure permutation, with which it must agree."""
    given = checked_promise(promise)
    if not permutation or given == "another order":
        return given
    if given != "untold":
        raise SchemaError(
            f"A permutation was told with the promise {given!r}; expected 'another order', or no "
            "promise."
        )
    return "another order"


def reported_without(facts: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The columns that a description says no attack went by; None where it says nothing of it."""
    told = facts.get("reported_without")
    return None if told is None else tuple(told)


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:79]}…"
