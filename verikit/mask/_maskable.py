"""What can be masked: whatever can be ordered, taken from and counted."""

from __future__ import annotations

from typing import Any, Protocol, Self, runtime_checkable

from verikit._support.arrays import Rows
from verikit.errors import SchemaError, quoted
from verikit.table import Microdata

__all__ = ["Maskable", "checked_data", "checked_takes"]


@runtime_checkable
class Maskable(Protocol):
    """Data that a mask may take: `Microdata`, or anything else with an order of its own."""

    def canonical_order(self, *ties: Rows) -> Rows:
        """The places of the records by their values, whatever order they were given in."""

    def take(self, rows: Rows) -> Self:
        """The records at the given places, in that order."""

    def __len__(self) -> int:
        """The number of records."""


def checked_takes(takes: object) -> type[Maskable]:
    """The class of data that a mask takes, if such data can be masked.

    Examples
    --------
    >>> checked_takes(list)
    Traceback (most recent call last):
    verikit.errors.SchemaError: A mask was said to take 'list', which lacks 'canonical_order' or
    'take'; expected a class that can be ordered, taken from and counted.
    """
    if not isinstance(takes, type) or not issubclass(takes, Maskable):
        raise SchemaError(
            f"A mask was said to take {quoted(getattr(takes, '__name__', takes))}, which lacks "
            "'canonical_order' or 'take'; expected a class that can be ordered, taken from and "
            "counted."
        )
    return takes


def checked_data(data: Any, takes: type[Maskable], name: str) -> None:
    """Refuse what a mask does not take."""
    if not isinstance(data, takes):
        made = " (verikit.read makes it from a file or a frame)" if takes is Microdata else ""
        raise SchemaError(
            f"mask.{name} was given {type(data).__name__}; expected {takes.__name__}{made}."
        )
