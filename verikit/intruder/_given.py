"""What an attack was given: refused in a sentence where it is no table at all."""

from __future__ import annotations

from verikit.errors import SchemaError
from verikit.release import TableRelease
from verikit.table import Microdata

__all__ = ["refuse_other"]

MADE_BY = {
    Microdata: "verikit.read makes it from a file or a frame",
    TableRelease: "verikit.open_release and TableRelease.of make it",
}


def refuse_other(who: str, *given: object, kinds: tuple[type, ...]) -> None:
    """Stop where something given is of none of the kinds that an attack takes.

    Examples
    --------
    >>> refuse_other("temporal", [1, 2], kinds=(TableRelease,))
    Traceback (most recent call last):
    verikit.errors.SchemaError: temporal was given list; expected TableRelease
    (verikit.open_release and TableRelease.of make it).
    """
    for part in given:
        if not isinstance(part, kinds):
            wanted = " or ".join(kind.__name__ for kind in kinds)
            raise SchemaError(
                f"{who} was given {type(part).__name__}; expected {wanted} ({MADE_BY[kinds[0]]})."
            )
