"""Reverse mapping by hand: a value, its place, the value mapped to it, and the noise that stays."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, cast

from verikit import mask, utility
from verikit._support import svg
from verikit._support.html import cell, element
from verikit.datasets import load
from verikit.errors import RecordError, SchemaError
from verikit.table import Microdata, require_table
from verikit.utility import Noise, way
from verikit.widgets import _kit as kit
from verikit.widgets._panel import Field, Part
from verikit.widgets._view import Answered, Number, Option, View, require_option
from verikit.words import count, listed

if TYPE_CHECKING:
    from verikit.release import TableRelease


EXAMPLE = "dm_table1"
STEPS = ("original", "with noise", "reverse-mapped")


class ReverseMapping(View):
    """The way of one value through noise and reverse mapping, with a noise level to drag.

    Parameters
    ----------
    data
        The records, their attributes numbers; by default the running example.
    seed
        The randomness of the noise and of breaking ties.

    Notes
    -----
    ``result`` is what `verikit.utility.residual_noise` finds for the whole table.

    References
    ----------
    [DM]_ Algorithm 1, Tables 1 and 2

    Examples
    --------
    >>> view = ReverseMapping(seed=1)
    >>> view.scale = 0
    >>> float(view.result.total.abs().to_numpy().max())
    0.0
    """

    TITLE = "2\u2002Where it goes"

    attribute = Option(None, "Attribute")
    record = Number(1, "Record")
    scale = Number(0.5, "Noise, in standard deviations", limits=(0, 2, 0.05))
    seed = Number(None, "Noise number", "the same number, the same noise")

    def __init__(self, data: Microdata | None = None, *, seed: int = 1, **boxes: Any) -> None:
        self._data = load(EXAMPLE) if data is None else require_table(data, "ReverseMapping")
        numbers = [c.name for c in self._data.schema if c.kind == "numeric"]
        self._names = [name for name in numbers if self._data.schema[name].role != "identifier"]
        if not self._names:
            raise SchemaError(
                "ReverseMapping needs a numeric column to mask; the table has "
                f"{listed(self._data.schema.names)}."
            )
        first = self._names[0]
        super().__init__(self._data, **{"attribute": first, "seed": seed, **boxes})

    def answer(self) -> Answered:
        """The noise of the whole table, and the way of one value through it."""
        require_option("attribute", self.attribute, self._names)
        n = len(self._data)
        if not isinstance(self.record, int) or not 1 <= self.record <= n:
            raise RecordError(
                f"record was given as {self.record!r}; expected a whole number from 1 to {n}.",
                field="record",
                value=self.record,
            )
        masked, noise = self.call_once(_add_noise, self._data, self.scale, self.seed)
        found = way(self._data, masked, noise, self.attribute, self.record - 1)
        # the value on three lines of one scale
        columns = (
            self._data.scores(self.attribute),
            masked.scores(self.attribute),
            noise.mapped[self.attribute].to_numpy(),
        )
        lines = [
            svg.ValueLine(step, column.tolist(), value)
            for step, column, value in zip(STEPS, columns, found.values, strict=True)
        ]
        html = svg.value_lines(lines, found.means) + _show_sizes(noise, self.attribute)
        return Answered(noise, found, f"Record {self.record:,}", html)

    def lay_out(self) -> list[Part]:
        """How much noise, and which value is followed."""
        n = len(self._data)
        fields = [
            self.field("scale"),
            self.field("attribute", options=[(name, name) for name in self._names]),
            self.field("record", limits=(1, n, 1)),
            self.field("seed"),
            Field("again", "press", "Other noise"),
        ]
        size = f"{count(len(self._data), 'record')}, {count(len(self._data.schema), 'attribute')}"
        return [Part("asked", "1\u2002A value and its noise", [(size, "soft")], fields)]


def _add_noise(data: Microdata, scale: Any, seed: Any) -> tuple[Microdata, Noise]:
    """The masked records in the order of the original, and what of their noise is permutation."""
    release, key = mask.noise(data, scale=scale, seed=seed)
    masked = key.undo(cast("TableRelease", release))
    return masked, utility.residual_noise(data, masked, seed=seed)


def _show_sizes(noise: Noise, attribute: str) -> str:
    """How large the noise is over all records, and how much of it is left beside the places."""
    sizes = noise.to_frame()[["attribute", "total", "residual"]]
    _, *found = sizes[sizes["attribute"] == attribute].iloc[0]
    names = ("all noise", "left after reverse mapping")
    lines = [(name, float(size), cell(size)) for name, size in zip(names, found, strict=True)]
    said = f"{attribute}: all noise {lines[0][2]}, left after reverse mapping {lines[1][2]}."
    shown = sizes.rename(columns={"total": "all noise", "residual": "left over"})
    title = element("h3", escape(f"Mean size of the noise in {attribute}, over all records"))
    return title + svg.bars(lines, said) + kit.write_table(shown, "The sizes")
