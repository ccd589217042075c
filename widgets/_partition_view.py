"""Groups of numbers: sorted values as dots, groups as brackets, five ways to make them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from verikit import partition
from verikit._support import requests
from verikit.datasets import simulate
from verikit.errors import RecordError, SchemaError
from verikit.mask import generalize
from verikit.models import ModelVerdict, describe_boxes, k_anonymity
from verikit.partition import (
    Grouped,
    Partition,
    compare_errors,
    describe_errors,
    group_ends,
    mondrian,
)
from verikit.table import Microdata, Schema, require_table
from verikit.widgets import _kit as kit
from verikit.widgets import _view as views
from verikit.widgets._panel import Part
from verikit.widgets._view import Answered, Found, Number, Option, View
from verikit.words import column, count, text

EXAMPLE = (1, 2, 3, 5, 5, 6, 6, 8)
OVERLAPPING = "min_max_error, overlapping"
WAYS = {
    "min_sum_error": "least sum of errors",
    "min_max_error": "least widest error",
    OVERLAPPING: "least widest, may overlap",
    "max_groups": "most groups",
    "sequential": "filled in random order",
}
SLOW_FROM = 400
SEED = 1
DOTS, BRACKETS, LANES, NAMED = 300, 45, 4, 10
LANE, HEAD = 17.0, 26.0
LOOKS = (
    (kit.BLUE, ""),
    (kit.ORANGE, 'stroke-dasharray="9 3"'),
    (kit.GREEN, 'stroke-dasharray="2 3"'),
    (kit.PURPLE, 'stroke-dasharray="9 3 2 3"'),
    (kit.GREY, 'stroke-dasharray="4 4"'),
)
SIMULATED, ROUNDED = ("dm", 77, 1), {"X1": 0, "X2": -1, "X3": -1}
CUTS = {
    "strict": "equal values stay together (strict)",
    "relaxed": "equal values may be parted (relaxed)",
}
BOX = f'fill="{kit.SKY}" fill-opacity=".22" stroke="{kit.BLUE}" stroke-width="1.8"'
POINTS, NUMBERED = 1500, 60


class PartitionView(View):
    """Drag k and e, and see the groups of numbers that each partitioner makes, with their errors.

    Parameters
    ----------
    data
        The records, a column of numbers sensitive; by default the eight numbers of the text.
    k
        How many different values each group must hold.
    e
        How far apart its largest and its smallest value must lie.
    sensitive
        The column of numbers; needed only if several columns are sensitive.

    Notes
    -----
    ``result`` holds the partitions by name. The error of a group is its range: so far a question
    about some of its records may be off. Groups whose ranges may overlap are looked for among 400
    different values at most.

    References
    ----------
    [QZ]_ sections 2.6 and 2.7.1, Problem 2.6.3

    Examples
    --------
    >>> view = PartitionView(k=4, e=5)
    >>> {name: len(groups) for name, groups in view.result.items()}["min_max_error, overlapping"]
    2
    """

    TITLE = "2\u2002The groups, and their errors"

    k = Number(2, "Different values in each group (k)")
    e = Number(1, help="How far apart the ends of each group must lie.")

    def __init__(
        self,
        data: Microdata | None = None,
        *,
        k: int = 2,
        e: float = 1,
        sensitive: str | None = None,
        **boxes: Any,
    ) -> None:
        if data is None:
            frame = pd.DataFrame({"place": range(1, len(EXAMPLE) + 1), "value": EXAMPLE})
            data = Microdata(frame, Schema.guess(frame, value="sensitive"))
        self._data = require_table(data, "PartitionView")
        first = partition.min_sum_error(self._data, k=1, e=0, sensitive=sensitive, seed=SEED)
        self._column = self._data.schema[str(first.parameters["sensitive"])]
        scores = self._data.scores(self._column.name)
        self._values = sorted(set(scores.tolist()))
        super().__init__(self._data, **({"k": k, "e": e} | boxes))

    def answer(self) -> Answered:
        """The groups of every partitioner, and what they cost."""
        made = self.call_once(self._make_groups, self.k, requests.within(self.e, "e"))
        scores = self._data.scores(self._column.name)
        lines = [Grouped(WAYS[name], group_ends(scores, groups)) for name, groups in made.items()]
        unit = f" ({self._column.unit})" if self._column.unit else ""
        title = f"{self._column.title}{unit}"
        html = (
            draw_brackets(self._values, lines, title)
            + count_undrawn(lines)
            + tabulate_errors(lines)
            + kit.write_note(
                "The error of a group is its range. Small errors make answers close; they do not "
                "say that people are safe. k and e say how many values somebody must rule out to "
                "know one, and how far apart they lie; what is merely likely they leave open."
            )
        )
        if OVERLAPPING not in made:
            html += kit.write_note(
                f"Overlapping ranges are looked for among {SLOW_FROM} different values at most; "
                "partition.min_max_error(..., overlapping=True) takes more."
            )
        tag = f"k = {text(self.k)}, e = {text(self.e)}: met by every group"
        return Answered(made, compare_errors(lines), tag, html)

    def lay_out(self) -> list[Part]:
        """How many different values, and how far apart."""
        widest = self._values[-1] - self._values[0]
        unit = f", in {self._column.unit}" if self._column.unit else ""
        fields = [
            self.field("k", limits=(1, len(self._values), 1)),
            self.field(
                "e",
                label=f"Range of each group at least (e{unit})",
                limits=(0, widest, self._step(widest)),
            ),
        ]
        about = (
            f"{count(len(self._data), 'record')} with {count(len(self._values), 'different value')}"
            f" of {self._column.title}, {text(widest)} apart at most."
        )
        return [Part("asked", "1\u2002How far numbers stay apart", [(about, "soft")], fields)]

    def _step(self, widest: float) -> float:
        """About a hundred steps, whole ones where all values are whole."""
        step = 1.0
        while step * 150 < widest:
            step *= 10
        if all(value.is_integer() for value in self._values):
            return step
        while step > widest / 20 > 0:
            step /= 10
        return step

    def _make_groups(self, k: Any, e: Any) -> dict[str, Partition]:
        made, hidden = {}, self._column.name
        for name in WAYS:
            if name == OVERLAPPING and len(self._values) > SLOW_FROM:
                continue
            find: Callable[..., Partition] = getattr(partition, name.partition(",")[0])
            more = {"overlapping": True} if name == OVERLAPPING else {}
            made[name] = find(self._data, k=k, e=e, sensitive=hidden, seed=SEED, **more)
        return made


def tabulate_errors(lines: Sequence[Grouped]) -> str:
    """The partitioners side by side; the least of each error is marked."""
    sums = [sum(line.errors) for line in lines]
    widest = [max(line.errors) for line in lines]
    frame = pd.DataFrame(
        {
            "groups made for": [line.words for line in lines],
            "groups": [len(line.ends) for line in lines],
            "sum of errors": _mark_least(sums),
            "widest error": _mark_least(widest),
        }
    )
    return kit.write_table(frame, "The errors of each partitioner")


def draw_brackets(values: Sequence[float], lines: Sequence[Grouped], title: str) -> str:
    """The values as dots, and below them a row of brackets for each partitioner."""
    low, high = values[0], values[-1]

    def at(value: float) -> float:
        return 3 + 94 * (value - low) / (high - low) if high > low else 50.0

    content, top = _draw_values(values, at(low), [at(value) for value in values]), 64.0
    for line, look in zip(lines, LOOKS, strict=False):
        lanes = _find_lanes(line)
        words = f"{line.words}: {count(len(line.ends), 'group')}"
        content += kit.draw_text(0, top + 14, words)
        for (low_end, high_end), lane in zip(line.ends, lanes, strict=True):
            if lane >= 0:
                span = (at(low_end), at(high_end))
                content += _draw_bracket(span, top + HEAD + LANE * lane, look)
        top += HEAD + LANE * (max(lanes) + 1) + 10
    name = f"{title}: {count(len(values), 'different value')} as dots, groups as brackets"
    return kit.draw_picture(top, name, describe_errors(lines), content)


def _draw_bracket(span: tuple[float, float], top: float, look: tuple[str, str]) -> str:
    (start, end), (colour, dash) = span, look
    sides = [kit.draw_line((x, top - 5), (x, top + 3), colour, width=2.5) for x in span]
    below = kit.draw_line((start, top + 3), (end, top + 3), colour, width=2.5, extra=dash)
    return "".join(sides) + below


def _draw_values(values: Sequence[float], start: float, places: Sequence[float]) -> str:
    parts = [kit.draw_line((start, 36), (places[-1], 36))]
    if len(values) <= DOTS:
        parts += [kit.draw_disc(place, 36, 4, f'fill="{kit.GREY}"') for place in places]
    else:
        parts.append(kit.draw_line((start, 36), (places[-1], 36), kit.GREY, width=7))
    shown = range(len(values)) if len(values) <= NAMED else (0, len(values) - 1)
    for place in shown:
        anchor = "start" if place == 0 else "end" if place == len(values) - 1 else "middle"
        parts.append(kit.draw_text(places[place], 22, text(values[place]), anchor=anchor))
    return "".join(parts)


def _find_lanes(line: Grouped) -> list[int]:
    """How far down each bracket is drawn, so that none covers another; -1 where it is not."""
    used: list[float] = []
    found = []
    for place, (low, high) in enumerate(line.ends):
        lane = next((n for n, end in enumerate(used) if low >= end), len(used))
        if lane >= LANES or place >= BRACKETS:
            found.append(-1)
            continue
        used[lane:] = [high, *used[lane + 1 :]]
        found.append(lane)
    return found


def count_undrawn(lines: Sequence[Grouped]) -> str:
    """How many brackets had no room."""
    left = [(line.words, sum(lane < 0 for lane in _find_lanes(line))) for line in lines]
    told = [f"{words}: {count(number, 'more bracket')}" for words, number in left if number]
    return kit.write_note(f"Not drawn, {'; '.join(told)}.") if told else ""


def _mark_least(values: Sequence[float]) -> list[str]:
    """The numbers of a column, the least of them marked."""
    shown = zip(values, column(values), strict=True)
    return [f"{told} (least)" if value == min(values) else told for value, told in shown]


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

    k = Number(5, "Records in every box (k)", "at least this many")
    across = Option(None, "From left to right")
    up = Option(None, "Upwards")
    cut = Option("strict", "Cuts", CUTS)
    verdict = Found(ModelVerdict, "The classes of the published table.")

    def __init__(self, data: Microdata | None = None, *, k: int = 5, **boxes: Any) -> None:
        name, records, seed = SIMULATED
        example = Microdata(simulate(name, records, seed=seed).frame.round(ROUNDED))
        self._data = example if data is None else require_table(data, "MondrianView")
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
        verdict = k_anonymity(views.as_one_table(masked.release), k=self.k)
        told = describe_boxes(partition, both)
        frame = verdict.to_frame().drop(columns="value").sort_values("records", kind="stable")
        html = _draw_boxes(both, verdict, " ".join(told)) + kit.write_table(
            frame.rename(columns={"met": "enough"}),
            "The boxes, the smallest first",
            what=("box", "boxes"),
            counted=("records",),
        )
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


def _take_both(data: Microdata, across: Any, up: Any) -> Microdata:
    """The two attributes alone, as what others know."""
    for box, name in (("across", across), ("up", up)):
        views.require_option(box, name, data.schema.names)
    if across == up:
        said = f"up was given as {up!r}, which runs across already; choose another."
        raise RecordError(said, field="up", value=up)
    columns = tuple(replace(data.schema[name], role="quasi") for name in (across, up))
    return Microdata(data.frame[[across, up]], Schema(columns))


def _make_axis(both: Microdata, at: int) -> kit.Axis:
    column = both.schema.columns[at]
    scores = both.scores(column.name)
    label = f"{column.title} ({column.unit})" if column.unit else column.title
    return kit.Axis(label, float(scores.min()), float(scores.max()))


def _draw_boxes(both: Microdata, verdict: ModelVerdict, said: str) -> str:
    plane = kit.Plane(_make_axis(both, 0), _make_axis(both, 1))
    names = both.schema.names
    cells, sizes = verdict.classes.cells(), verdict.classes.sizes
    sides = ([(span.left, span.right) for span in cells[name]] for name in names)
    drawn = plane.boxes(zip(*sides, strict=True), BOX)
    xs, ys = (both.scores(name)[:POINTS] for name in names)
    dots = plane.dots(zip(xs, ys, strict=True), kit.GREY, 5)
    numbers = ""
    if len(cells) <= NUMBERED:
        bold = f'font-weight="700" {kit.HALO}'
        for x, y, size in zip(*(cells[name] for name in names), sizes, strict=True):
            place, middle = plane.at(x.mid, y.mid)
            numbers += kit.draw_text(place, middle + 5, str(size), anchor="middle", extra=bold)
    left_out = len(both) - len(xs)
    told = kit.write_note(
        "Dots are records, boxes the groups; the number is how many records a box holds."
        + (f" {left_out:,} records are not drawn." if left_out else "")
    )
    title = f"Boxes over {' and '.join(names)}"
    return plane.picture(title, said, drawn + dots + numbers) + told
