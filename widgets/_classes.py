"""The classes of a release, and how well each one hides the people in it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from verikit import models
from verikit.cells import cell_text
from verikit.matching import Holdings, holdings_of
from verikit.release import Release
from verikit.widgets import _kit as kit
from verikit.widgets import _view as views
from verikit.widgets._panel import Part
from verikit.widgets._view import Answered, Number, Option, View
from verikit.words import count

SHIPPED = views.list_shipped("ks_table4", "ks_table1", "ks_table6", "lhcc_table2")
MEASURES = {
    "k": "Records that look alike (k)",
    "ell": "Values they may have (l)",
    "t": "Distance from the whole table (t)",
}
COUNTS = {
    "distinct": "how many different values",
    "entropy": "as many equally frequent ones",
}
COUNTERS = {"distinct": models.distinct_diversity, "entropy": models.entropy_diversity}
GROUNDS = {
    "equal": "all values equally far",
    "ordered": "by steps in their order",
    "hierarchical": "by the groups they share",
}
MISSING = {"refuse": "are refused", "own value": "count as a value of their own"}


class Measured(NamedTuple):
    """The three models on one release, over the same classes."""

    k: models.ModelVerdict
    ell: models.ModelVerdict
    t: models.ModelVerdict


class ClassesView(View):
    """The classes of a release, the worst first: how large, how diverse, how close to the table.

    Parameters
    ----------
    release
        What was published; by default a table of the survey.

    Notes
    -----
    ``result`` holds the three verdicts. Boxes left empty ask for nothing: the models only measure.

    References
    ----------
    [KS]_ Definitions 1 to 3, Tables 1, 4 and 6

    Examples
    --------
    >>> view = ClassesView()
    >>> view.result.k.value, view.result.ell.value, round(view.result.t.value, 3)
    (3, 1, 0.636)
    >>> view.table = "ks_table6"
    >>> view.result.ell.value
    3
    """

    TITLE = "2\u2002How well each class hides its people"

    table = Option("ks_table4", "Table")
    sensitive = Option(None, "What must not be learned")
    sort = Option("ell", "Sort and draw by", MEASURES)
    k = Number(None, "Least records (k)", "empty asks for nothing")
    ell = Number(None, "Least values (l)")
    t = Number(None, "Largest distance (t)", "0 is alike, 1 is as far as can be")
    diversity = Option("distinct", "Values are counted as", COUNTS)
    ground = Option("equal", "Two values differ", GROUNDS, checked=False)
    missing = Option("refuse", "Missing values", MISSING, checked=False)

    def __init__(self, release: Release | None = None, **boxes: Any) -> None:
        self._release = views.require_release(release, "ClassesView")
        self._columns: list[str] = []
        if release is not None:
            boxes = {"table": views.GIVEN} | boxes
        super().__init__("the tables of the survey" if release is None else release, **boxes)

    def answer(self) -> Answered:
        """The three verdicts, the worst class first."""
        release = self.call_once(views.open_chosen, self.table, SHIPPED, self._release)
        self._columns = [column.name for column in release.schema.sensitive]
        name = (
            self.sensitive if self.sensitive in self._columns else next(iter(self._columns), None)
        )
        holdings = self.call_once(holdings_of, release, name, self.missing)
        found = Measured(
            models.k_anonymity(holdings, k=self.k),
            COUNTERS[self.diversity](holdings, ell=self.ell),
            models.t_closeness(holdings, t=self.t, ground=self.ground),
        )
        verdict: models.ModelVerdict = getattr(found, self.sort)
        order = np.argsort(verdict.per_class * (-1 if self.sort == "t" else 1), kind="stable")
        html = _draw_classes(self.sort, verdict, order) + _tabulate_classes(found, holdings, order)
        tag = {None: "only measured", True: "as asked", False: "not as asked"}[verdict.met]
        return Answered(found, verdict, tag, html, "warning" if verdict.warns else "")

    def lay_out(self) -> list[Part]:
        """The table, and what is asked of its classes."""
        first = [self.field("table", options=views.list_options(SHIPPED, self._release))]
        if len(self._columns) > 1:
            names = [(name, name) for name in self._columns]
            first.append(self.field("sensitive", options=names))
        asked = self.fields("sort", "k", "ell", "t")
        ways = self.fields("diversity", "ground", "missing")
        return [
            Part("asked", "1\u2002The table and what is asked of it", fields=[*first, *asked]),
            Part("ways", "How it is measured", fields=ways, fold="Change how it is measured…"),
        ]


def _draw_classes(measure: str, verdict: models.ModelVerdict, order: np.ndarray) -> str:
    places = order[: kit.MOST]
    met = verdict.met_per_class
    unit = {"k": "record", "ell": "value", "t": ""}[measure]
    lines = []
    for at in places:
        value, enough = float(verdict.per_class[at]), None if met is None else bool(met[at])
        words = f"{value:.3g} {unit and unit + 's'}".rstrip()
        if unit and value.is_integer():
            words = count(int(value), unit)
        sign = {None: "", True: "✓ ", False: "✕ "}[enough]
        label = ", ".join(map(cell_text, verdict.classes.cells().iloc[at]))
        lines.append(kit.Bar(label, value, sign + words, enough))
    limit = None
    if verdict.threshold is not None:
        side = "at most" if measure == "t" else "at least"
        limit = (float(verdict.threshold), f"{side} {verdict.threshold:g} asked for")
    more = len(order) - len(places)
    rest = (
        kit.write_note(f"{count(more, 'better class', 'better classes')} not drawn") if more else ""
    )
    return kit.draw_bars(lines, MEASURES[measure], limit) + rest


def _tabulate_classes(found: Measured, holdings: Holdings, order: np.ndarray) -> str:
    shown = order[: kit.MOST]
    told = [holdings.told(int(place)) for place in shown] + [""] * (len(order) - len(shown))
    numbers = {
        "records (k)": found.k.per_class[order],
        "values (l)": found.ell.per_class[order],
        "distance (t)": found.t.per_class[order],
        f"{holdings.column.name} there": np.array(told, dtype=object),
    }
    frame = models.beside(holdings.classes.cells().take(order), numbers)
    return kit.write_table(frame, "The classes", what=("class", "classes"), counted=tuple(numbers))
