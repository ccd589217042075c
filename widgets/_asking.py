"""What views that ask questions share: the conditions, a box or two for each column."""

from __future__ import annotations

from typing import Any

import traitlets

from verikit._support import html as _html
from verikit.table import Column, Microdata
from verikit.widgets._panel import Field
from verikit.widgets._view import View, typed

__all__ = ["Asking"]


class Asking(View):
    """A view with a question in ``where``: ranges by two boxes, categories by a list.

    A subclass holds its records in ``_data``.
    """

    where = traitlets.Dict(help="The question: by column a range, a value, or a set of values.")
    _data: Microdata

    def typed(self, place: str, value: str) -> None:
        """A box changed; an end of a range, or a choice, changes the question."""
        kind, _, name = place.partition("/")
        if kind in ("low", "high"):
            low, high = _ends(self.where.get(name))
            ends = (typed(value), high) if kind == "low" else (low, typed(value))
            self.where = {**self.where, name: ends} if ends != (None, None) else self._without(name)
        elif kind == "is":
            self.where = {**self.where, name: value} if value else self._without(name)
        else:
            super().typed(place, value)

    def _without(self, name: str) -> dict[str, Any]:
        return {known: value for known, value in self.where.items() if known != name}

    def asked_of(self, column: Column) -> list[Field]:
        """The boxes of one column."""
        value = self.where.get(column.name)
        title = f"{column.title} ({column.unit})" if column.unit else column.title
        if column.kind == "numeric":
            low, high = ("" if end is None else str(end) for end in _ends(value))
            scores = self._data.scores(column.name)
            told = f"{_html.cell(float(scores.min()))} to {_html.cell(float(scores.max()))} occur"
            return [
                Field(f"low/{column.name}", "text", f"{title} from", low, told, decimal=True),
                Field(f"high/{column.name}", "text", f"{title} to", high, decimal=True),
            ]
        names = column.categories or tuple(self._data.codes(column.name)[1])
        options = (("", "any"), *((str(name), str(name)) for name in names))
        shown = "" if value is None else str(value)
        return [Field(f"is/{column.name}", "choice", title, shown, options=options)]


def _ends(value: Any) -> tuple[Any, Any]:
    """A range as its two ends; one number is a range of one."""
    if isinstance(value, tuple) and len(value) == 2:
        return value
    return (value, value)
