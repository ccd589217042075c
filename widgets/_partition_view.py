"""Groups of numbers: sorted values as dots, groups as brackets, five ways to make them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import traitlets

from verikit import partition
from verikit._support import requests
from verikit.partition import Grouped, Partition, compared, ends
from verikit.table import Microdata, Schema, require_table
from verikit.widgets import _bracket_card as cards
from verikit.widgets._panel import Part
from verikit.widgets._pieces import note
from verikit.widgets._view import Answered, View
from verikit.words import count, text

__all__ = ["PartitionView"]

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
    BOXES = ("k", "e")
    NUMBERS = ("k", "e")

    k = traitlets.Any(2, help="How many different values each group must hold.")
    e = traitlets.Any(1, help="How far apart the ends of each group must lie.")

    def __init__(
        self,
        data: Microdata | None = None,
        *,
        k: int = 2,
        e: float = 1,
        sensitive: str | None = None,
        **boxes: Any,
    ) -> None:
        self._data = _example() if data is None else require_table(data, "PartitionView")
        first = partition.min_sum_error(self._data, k=1, e=0, sensitive=sensitive, seed=SEED)
        self._column = self._data.schema[str(first.parameters["sensitive"])]
        scores = self._data.scores(self._column.name)
        self._values = sorted(set(scores.tolist()))
        super().__init__(self._data, **({"k": k, "e": e} | boxes))

    def answer(self) -> Answered:
        """The groups of every partitioner, and what they cost."""
        made = self.call(self._made, self.k, requests.within(self.e, "e"))
        scores = self._data.scores(self._column.name)
        lines = [Grouped(WAYS[name], ends(scores, groups)) for name, groups in made.items()]
        unit = f" ({self._column.unit})" if self._column.unit else ""
        title = f"{self._column.title}{unit}"
        html = (
            cards.drawn(self._values, lines, title)
            + cards.undrawn(lines)
            + cards.table(lines)
            + note(
                "The error of a group is its range. Small errors make answers close; they do not "
                "say that people are safe. k and e say how many values somebody must rule out to "
                "know one, and how far apart they lie; what is merely likely they leave open."
            )
        )
        if OVERLAPPING not in made:
            html += note(
                f"Overlapping ranges are looked for among {SLOW_FROM} different values at most; "
                "partition.min_max_error(..., overlapping=True) takes more."
            )
        tag = f"k = {text(self.k)}, e = {text(self.e)}: met by every group"
        return Answered(made, compared(lines), tag, html)

    def lay_out(self) -> list[Part]:
        """How many different values, and how far apart."""
        k = self.k if isinstance(self.k, int) and not isinstance(self.k, bool) else 2
        e = self.e if isinstance(self.e, (int, float)) and not isinstance(self.e, bool) else 0
        widest = self._values[-1] - self._values[0]
        unit = f", in {self._column.unit}" if self._column.unit else ""
        fields = [
            self.slider("k", "Different values in each group (k)", k, (1, len(self._values), 1)),
            self.slider(
                "e", f"Range of each group at least (e{unit})", e, (0, widest, self._step(widest))
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

    def _made(self, k: Any, e: Any) -> dict[str, Partition]:
        made, hidden = {}, self._column.name
        for name in WAYS:
            if name == OVERLAPPING and len(self._values) > SLOW_FROM:
                continue
            find: Callable[..., Partition] = getattr(partition, name.partition(",")[0])
            more = {"overlapping": True} if name == OVERLAPPING else {}
            made[name] = find(self._data, k=k, e=e, sensitive=hidden, seed=SEED, **more)
        return made


def _example() -> Microdata:
    frame = pd.DataFrame({"place": range(1, len(EXAMPLE) + 1), "value": EXAMPLE})
    return Microdata(frame, Schema.guess(frame, value="sensitive"))
