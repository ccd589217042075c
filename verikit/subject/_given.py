"""Which of a release's columns she gave a value of, for every kind that compares her values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verikit.subject._naming import names_rows
from verikit.table import Column

__all__ = ["Given"]


class Given:
    """What was found of a person by values of hers: the columns they are in, and the others.

    Parameters
    ----------
    release
        What was published, with a schema.
    known
        Her values by column, as they were understood.
    """

    __slots__ = ()
    release: Any
    known: Mapping[str, Any]

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns she gave a value of."""
        return tuple(self.release.schema[name] for name in self.known)

    @property
    def left_out(self) -> tuple[Column, ...]:
        """The quasi-identifiers she gave no value of."""
        asked = (c for c in self.release.schema.quasi if c.name not in self.known)
        return tuple(column for column in asked if not names_rows(self.release, column))
