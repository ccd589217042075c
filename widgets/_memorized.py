"""People whom a model repeats, and the scores by nearest records that miss them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.requests import whole
from verikit._support.seed import generator
from verikit.datasets import simulate
from verikit.intruder import Memorized, memorized
from verikit.mask import synthesize
from verikit.release import TableRelease
from verikit.table import Microdata, require_table
from verikit.widgets import _kit as kit
from verikit.widgets._panel import Part
from verikit.widgets._trade_off import draw_sample
from verikit.widgets._view import Answered, Number, Option, View
from verikit.words import count

SIMULATED, SEED = 1000, 1
SHOWN = ("Age", "Gender", "Education", "Marital", "Salary-class")
MOST = 60
MODELS = {
    "margins": "each column on its own",
    "copula": "columns hang together (copula)",
    "trees": "trees, column by column",
}


class MemorizedView(View):
    """A synthetic table that repeats more and more people, beside the scores that should tell.

    Parameters
    ----------
    data
        The people from whom the model learns; by default made-up ones.
    control
        Others of the same population; by default a half of the people, drawn at random, from whom
        the model then does not learn.

    Notes
    -----
    Twice as many rows are drawn from the model as people are in the table, and so many of them
    replaced by people as the slider says. ``result`` is what `verikit.intruder.memorized` finds. Of
    a table of more than 1,000 records 1,000 are drawn.

    Examples
    --------
    >>> view = MemorizedView(leaked=20)
    >>> view.result.least, view.result.nearest.passed
    (11, True)
    """

    TITLE = "2\u2002Who is memorized, and what the scores say"

    leaked = Number(20, "People repeated as they are")
    model = Option("margins", "The other rows", MODELS)

    def __init__(
        self, data: Microdata | None = None, control: Microdata | None = None, **boxes: Any
    ) -> None:
        if data is None:
            data = simulate("census", SIMULATED, seed=SEED).only(*SHOWN)
        people = draw_sample(require_table(data, "MemorizedView"), SIMULATED)
        if control is None:
            order = generator(SEED).permutation(len(people))
            people, control = (people.take(np.sort(half)) for half in np.array_split(order, 2))
        self._people, self._control = people, require_table(control, "MemorizedView")
        super().__init__(people, **{"leaked": min(20, len(people))} | boxes)

    def answer(self) -> Answered:
        """Who is memorized, and beside it the distances of rows and of others."""
        most = min(MOST, len(self._people))
        leaked = whole(self.leaked, "leaked", least=0, most=most)
        found = self.call_once(self._measure, self.model, leaked)
        html = draw_people(found, leaked) + draw_scores(found)
        tag = f"{count(leaked, 'person', 'people')} repeated in truth"
        return Answered(found, found, tag, html, "warning" if found.least else "unknown")

    def _measure(self, model: str, leaked: int) -> Memorized:
        """Draw a table, replace some of its rows by people, and look for them."""
        drawn = synthesize(self._people, model=model, rows=2 * len(self._people), seed=SEED)  # type: ignore[arg-type]
        if leaked:
            repeated = self._people.frame[[*drawn.schema.names]].head(leaked)
            rows = pd.concat([repeated, drawn.frame.iloc[leaked:]], ignore_index=True)
            drawn = TableRelease.of(rows, drawn.schema, promise=drawn.promise)
        return memorized(self._people, drawn, control=self._control)

    def lay_out(self) -> list[Part]:
        """How many people are repeated, and by what model the rest is drawn."""
        known, others = len(self._people), len(self._control)
        told = (
            f"The model learns from {count(known, 'person', 'people')} and draws {2 * known:,} "
            f"rows; {count(others, 'other is', 'others are')} kept apart."
        )
        fields = [
            self.field("leaked", limits=(0, min(MOST, known), 1)),
            self.field("model"),
        ]
        return [Part("leak", "1\u2002How much the model leaks", [(told, "soft")], fields)]


def draw_people(found: Memorized, leaked: int) -> str:
    """How many people are repeated, found, and memorized at least."""
    lines = [
        kit.Bar("repeated in truth", leaked, f"{leaked:,}"),
        kit.Bar("found too near to the table", found.found, f"{found.found:,}"),
        kit.Bar("memorized at least", found.least, f"{found.least:,}"),
        kit.Bar("found by luck", found.luck, f"about {found.luck:.2g}", met=False),
    ]
    return draw_titled(lines, f"People, of {found.people:,}")


def draw_scores(found: Memorized) -> str:
    """How far rows lie from the nearest person, in distances of the others."""
    names = ("the nearest 5 of 100 rows", "rows in the middle")
    pairs = zip(names, found.nearest.rows, found.nearest.others, strict=True)
    lines = [
        kit.Bar(name, rows / others if others else 1.0, f"{rows:.2f}, others {others:.2f}",
                rows >= others)
        for name, rows, others in pairs
    ]  # fmt: skip
    told = found.nearest.sentences(memorized=found.least > 0)
    title, limit = "Columns apart from the nearest person (DCR)", (1.0, "as far as others")
    return draw_titled(lines, title, limit) + kit.write_note(" ".join(told))


def draw_titled(lines: list[kit.Bar], title: str, limit: tuple[float, str] | None = None) -> str:
    """Bars below their title."""
    return _html.element("h3", title) + kit.draw_bars(lines, title, limit)
