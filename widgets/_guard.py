"""Callbacks that never fail in silence: what went wrong is said in one sentence."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast

from verikit.errors import VerikitError
from verikit.languages import form_text, translate

__all__ = ["guarded", "sentence"]

P = ParamSpec("P")


class Refusing(Protocol):
    """What can show an error."""

    def refuse(self, error: Exception, place: str) -> None:
        """Show an error where it belongs."""


W = TypeVar("W", bound=Refusing)


def sentence(error: Exception) -> str:
    """What to tell a person about an error.

    Examples
    --------
    >>> from verikit.errors import RecordError
    >>> sentence(RecordError("'age' was given as 'x'; expected a number."))
    "'age' was given as 'x'; expected a number."
    >>> sentence(ZeroDivisionError("division by zero"))
    'Could not do that. ZeroDivisionError: division by zero'
    """
    if isinstance(error, VerikitError):
        return translate(error.told)
    return form_text("failed", error=f"{type(error).__name__}: {error}")


def guarded(
    place: str = "",
) -> Callable[[Callable[Concatenate[W, P], Any]], Callable[Concatenate[W, P], None]]:
    """Run a callback of a widget; an error goes to the widget's ``refuse``, with its place."""

    def decorate(callback: Callable[Concatenate[W, P], Any]) -> Callable[Concatenate[W, P], None]:
        @functools.wraps(callback)
        def run(widget: W, *args: P.args, **kwargs: P.kwargs) -> None:
            try:
                callback(widget, *args, **kwargs)
            except Exception as error:
                widget.refuse(error, place)

        return cast("Callable[Concatenate[W, P], None]", run)

    return decorate
