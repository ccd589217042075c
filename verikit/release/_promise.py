"""What a publisher promises about the values in a release."""

from __future__ import annotations

from typing import Literal, TypeAlias, cast, get_args

from verikit.errors import SchemaError
from verikit.words import listed

__all__ = ["Promise", "Promised", "checked_promise", "promise_of"]

Promise: TypeAlias = Literal["as it was", "covers", "another order", "changed", "untold"]


class Promised:
    """A table with a promise about its values."""

    __slots__ = ()

    promise: Promise

    @property
    def permutation(self) -> bool:
        """Whether every column holds just the original values in another order."""
        return self.promise == "another order"


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


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:79]}…"
