"""Mondrian on two attributes: the boxes it cuts, and how many records each holds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
import traitlets

from verikit.datasets import simulate
from verikit.errors import RecordError, SchemaError
from verikit.mask import generalize
from verikit.models import ModelVerdict, describe_boxes, k_anonymity
from verikit.partition import mondrian
from verikit.table import Microdata, Schema, require_table
from verikit.widgets import _draw as svg
from verikit.widgets._draw import Axis, Plane
from verikit.widgets._panel import Part
from verikit.widgets._pieces import write_note, write_table
from verikit.widgets._releases import as_one_table
from verikit.widgets._view import Answered, Number, Option, View, require_option
from verikit.words import count

EXAMPLE, ROUNDED = ("dm", 77, 1), {"X1": 0, "X2": -1, "X3": -1}
CUTS = {
    "strict": "equal values stay together (strict)",
    "relaxed": "equal values may be parted (relaxed)",
}
BOX = f'fill="{svg.SKY}" fill-opacity=".22" stroke="{svg.BLUE}" stroke-width="1.8"'
POINTS, NUMBERED = 1500, 60


class MondrianView(View):
    """The boxes into which Mondrian cuts two attributes, so that each holds k records or more.

    Parameters
    ----------
    data
        The records, with at least two numeric columns; by default made-up ones,
        rounded so that some are equal.
    k
        The size that every box must reach.

    Notes
    -----
    ``result`` is the partition over the two attributes alone; ``verdict`` measures the classes of
    the table published from it.

    References
    ----------
    [KS]_ section 2.5

    Examples
    --------
    >>> view = MondrianView(k=10)
    >>> bool(view.result.sizes.min() >= 10)
    True
    """

    TITLE = "2\u2002The boxes"
    RESULTS = ("result", "verdict")

    k = Number(5, "Records in every box (k)", "at least this many")
    across = Option(None, "From left to right")
    up = Option(None, "Upwards")
    cut = Option("strict", "Cuts", CUTS)
    verdict = traitlets.Instance(
        ModelVerdict, allow_none=True, read_only=True, help="The classes of the published table."
    )

    def __init__(self, data: Microdata | None = None, *, k: int = 5, **boxes: Any) -> None:
        self._data = _make_example() if data is None else require_table(data, "MondrianView")
        self._names = [c.name for c in self._data.schema if c.kind == "numeric"]
        if len(self._names) < 2:
            raise SchemaError(
                f"Boxes need two numeric columns; the table has {len(self._names)} among "
                f"{', '.join(self._data.schema.names)}."
            )
        first = {"across": self._names[0], "up": self._names[1]}
        super().__init__(self._data, **(first | {"k": k} | boxes))

    def answer(self) -> Answered:
        """The boxes over the two attributes."""
        both = self.call_once(_take_both, self._data, self.across, self.up)
        partition = mondrian(both, k=self.k, relaxed=self.cut == "relaxed", seed=0)
        masked = generalize(both, partition=partition, seed=0)
        verdict = k_anonymity(as_one_table(masked.release), k=self.k)
        told = describe_boxes(partition, both)
        html = _draw_boxes(both, verdict, " ".join(told)) + _tabulate_boxes(verdict)
        tag = count(len(partition), "box", "boxes")
        return Answered(partition, told, tag, html, more={"verdict": verdict})

    def lay_out(self) -> list[Part]:
        """How many records a box must hold, and on what it is drawn."""
        names = [(name, self._data.schema[name].title) for name in self._names]
        fields = [
            self.field("k"),
            self.field("across", options=names),
            self.field("up", options=names),
            self.field("cut"),
        ]
        size = f"{count(len(self._data), 'record')}; only the two attributes are cut."
        return [Part("asked", "1\u2002What is cut", [(size, "soft")], fields)]


def _make_example() -> Microdata:
    name, records, seed = EXAMPLE
    return Microdata(simulate(name, records, seed=seed).frame.round(ROUNDED))


def _take_both(data: Microdata, across: Any, up: Any) -> Microdata:
    """The two attributes alone, as what others know."""
    for box, name in (("across", across), ("up", up)):
        require_option(box, name, data.schema.names)
    if across == up:
        raise RecordError(
            f"up was given as {up!r}, which runs across already; choose another.",
            field="up",
            value=up,
        )
    columns = tuple(replace(data.schema[name], role="quasi") for name in (across, up))
    return Microdata(data.frame[[across, up]], Schema(columns))


def _make_axis(both: Microdata, at: int) -> Axis:
    column = both.schema.columns[at]
    scores = both.scores(column.name)
    label = f"{column.title} ({column.unit})" if column.unit else column.title
    return Axis(label, float(scores.min()), float(scores.max()))


def _draw_boxes(both: Microdata, verdict: ModelVerdict, said: str) -> str:
    plane = Plane(_make_axis(both, 0), _make_axis(both, 1))
    names = both.schema.names
    cells, sizes = verdict.classes.cells(), verdict.classes.sizes
    sides = ([(span.left, span.right) for span in cells[name]] for name in names)
    drawn = plane.boxes(zip(*sides, strict=True), BOX)
    xs, ys = (both.scores(name)[:POINTS] for name in names)
    dots = plane.dots(zip(xs, ys, strict=True), svg.GREY, 5)
    sizes_told = "".join(
        _draw_size(plane, *row) for row in zip(*(cells[n] for n in names), sizes, strict=True)
    )
    numbers = sizes_told if len(cells) <= NUMBERED else ""
    left_out = len(both) - len(xs)
    told = write_note(
        "Dots are records, boxes the groups; the number is how many records a box holds."
        + (f" {left_out:,} records are not drawn." if left_out else "")
    )
    title = f"Boxes over {' and '.join(names)}"
    return plane.picture(title, said, drawn + dots + numbers) + told


def _draw_size(plane: Plane, x: pd.Interval, y: pd.Interval, size: int) -> str:
    """How many records a box holds, in its middle."""
    place, middle = plane.at(x.mid, y.mid)
    halo = f'font-weight="700" stroke="{svg.PAPER}" stroke-width="4" paint-order="stroke"'
    return svg.draw_text(place, middle + 5, str(size), anchor="middle", extra=halo)


def _tabulate_boxes(verdict: ModelVerdict) -> str:
    frame = verdict.to_frame().drop(columns="value").sort_values("records", kind="stable")
    frame = frame.rename(columns={"met": "enough"})
    return write_table(
        frame, "The boxes, the smallest first", what=("box", "boxes"), counted=("records",)
    )
