"""Two distributions: how closely records match a release, and how closely others do."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from verikit.datasets import load, simulate
from verikit.errors import RecordError, SchemaError
from verikit.intruder import Plausibility, link, plausibility
from verikit.mask import noise
from verikit.protector import CorrectLinks, correct_links
from verikit.release import Key, TableRelease
from verikit.table import Microdata, require_table
from verikit.widgets import _kit as kit
from verikit.widgets import _view as views
from verikit.widgets._panel import Part
from verikit.widgets._view import Answered, Found, Number, Option, View
from verikit.words import count, share

TABLES = {
    "published": views.Pick("20 records, as the paper prints them", views.open_example),
    "example": views.Pick("the same 20, masked here", lambda: (load("dm_table1"), None, None)),
    "made": views.Pick(
        "1,000 made-up records, masked here", lambda: (simulate("dm", 1000, seed=SEED), None, None)
    ),
}
NULLS = {
    "exact": "all made-up records, counted",
    "closed_form": "made-up records, by a formula",
    "monte_carlo": "10,000 made-up records, drawn",
    "leave_one_out": "the other people in the table",
    "conformal": "other people, each ranked anew",
}
MOST_COUNTED = {1: 5_000, 2: 5_000, 3: 5_000, 4: 300, 5: 100, 6: 20}  # records by attributes
DRAWN, QUICK = "monte_carlo", 300
SEED = 1
WORDS = "the tables given in Python"
NEARLY_ALL, MARKED = 0.999, 40
RECORDS = f'stroke="{kit.BLUE}" stroke-width="2.5"'
OTHERS = f'stroke="{kit.ORANGE}" stroke-width="2.5" stroke-dasharray="7 5"'


class Case(NamedTuple):
    """What is compared: the original, a release of it, and the key if it is known."""

    data: Microdata
    release: TableRelease
    key: Key | None


class PlausibilityView(View):
    """How closely records match their release, beside how closely others would, as noise moves.

    Parameters
    ----------
    data, release, key
        The original, what was published, and the key if it is known; without a release noise is
        added here. By default the running example.

    Notes
    -----
    Of a given table with more than 300 records the others are drawn at first, not counted.
    ``result`` is the comparison, ``correct`` how many links are right, which the intruder does
    not know, or None without a key.

    References
    ----------
    [DM]_ section 5.2, Tables 5 and 6, Figures 1 to 3

    Examples
    --------
    >>> view = PlausibilityView()
    >>> (8000 * view.result.to_frame()["others"]).round().astype(int).tolist()
    [20, 469, 1519, 2411, 2076, 1030, 342, 114, 19]
    >>> view.correct.count
    6
    """

    TITLE = "2\u2002How close records and others come"

    table = Option("published", "Records")
    noise = Number(0.5, "Noise, in standard deviations", limits=(0.05, 3, 0.05))
    null = Option("exact", "The others", NULLS, checked=False)
    correct = Found(CorrectLinks, "How many links are right; the key's.")

    def __init__(
        self,
        data: Microdata | None = None,
        release: TableRelease | None = None,
        key: Key | None = None,
        **boxes: Any,
    ) -> None:
        if data is None and release is not None:
            raise SchemaError(
                "PlausibilityView was given a release without its original; give both."
            )
        if data is not None:
            require_table(data, "PlausibilityView")
        self._given = None if data is None else (data, release, key)
        first = {} if data is None else {"table": views.GIVEN}
        if data is not None and len(data) > QUICK:
            first["null"] = DRAWN  # counting takes more than a tenth of a second a step
        super().__init__("the running example" if data is None else data, **(first | boxes))

    def answer(self) -> Answered:
        """Both distributions, and what may be concluded from them."""
        noise = self.noise if self._makes_release() else None
        case = self.call_once(_make_case, self.table, noise, self._given)
        null, why = _draw_others(case, self.null)
        found = self.call_once(plausibility, case.data, case.release, null=null)
        correct = None
        if case.key is not None:
            links = self.call_once(link, case.data, case.release)
            correct = self.call_once(correct_links, links, case.key)
        html = (
            (
                kit.write_note(f"In truth {correct.count:,} are right.")
                if correct is not None
                else ""
            )
            + (kit.write_note(why) if why else "")
            + draw_matches(found, NULLS.get(null, null))
            + tabulate_chances(found)
        )
        tag = "the distributions differ" if found.differs else "the distributions are alike"
        look = "warning" if found.closer else "unknown"
        return Answered(found, found, tag, html, look, {"correct": correct})

    def _makes_release(self) -> bool:
        """Whether the release is made here."""
        if self.table == views.GIVEN and self._given is not None:
            return self._given[1] is None
        return self.table != "published"

    def lay_out(self) -> list[Part]:
        """What is compared, and with whom."""
        fields = [self.field("table", options=views.list_options(TABLES, self._given, WORDS))]
        if self._makes_release():
            fields.append(self.field("noise"))
        fields.append(self.field("null"))
        lines = [("An intruder asks: could my links be chance?", "soft")]
        return [Part("asked", "1\u2002What is compared", lines, fields)]


def _make_case(table: str, amount: Any, given: tuple[Any, Any, Any] | None) -> Case:
    """The original, its release and its key."""
    data, release, key = views.open_chosen(table, TABLES, given)
    if release is not None:
        return Case(data, release, key)
    try:
        release, key = noise(data, scale=amount, seed=SEED)
        return Case(data, views.as_one_table(release), key)
    except RecordError as error:
        said = f"noise cannot be added: {error}"
        raise RecordError(said, field="noise", value=amount) from error


def _draw_others(case: Case, null: Any) -> tuple[Any, str]:
    """Who the others are: a sample of made-up records where counting them all takes too long."""
    attributes = sum(column.name in case.release.schema.names for column in case.data.schema)
    if null != "exact" or len(case.data) <= MOST_COUNTED.get(attributes, 0):
        return null, ""
    size = f"{count(len(case.data), 'record')} of {count(attributes, 'attribute')}"
    return DRAWN, f"With {size} not all made-up records are counted: 10,000 of them were drawn."


def draw_matches(found: Plausibility, others: str) -> str:
    """The share that matches within each distance: records solid, others dashed."""
    both = np.minimum(found.share_observed, found.share_others)
    nearly = min(int(np.searchsorted(both, NEARLY_ALL)), len(found.points) - 1)
    last = max(int(found.points[nearly]), 1)
    plane = kit.Plane(
        kit.Axis("places to the closest record", 0, float(last)), kit.Axis("share within", 0, 1)
    )
    lines = ""
    for shares, look, fill in (
        (found.share_observed, RECORDS, ("disc", kit.BLUE)),
        (found.share_others, OTHERS, ("square", kit.ORANGE)),
    ):
        shown = [(x, y) for x, y in zip(found.points, shares, strict=True) if x <= last]
        lines += plane.path(shown, look)
        if len(shown) <= MARKED:
            shape, colour = fill
            lines += "".join(
                kit.draw_mark(*plane.at(*p), shape, f'fill="{colour}" transform="scale(.55)"')
                for p in shown
            )
    middle = {
        name: int(found.points[min(int(np.searchsorted(shares, 0.5)), len(shares) - 1)])
        for name, shares in {"records": found.share_observed, "others": found.share_others}.items()
    }
    label = (
        f"Half of the records match within {count(middle['records'], 'place')}, half of the others "
        f"within {middle['others']}. Hellinger distance {found.hellinger:.3f}, largest gap "
        f"{share(found.kolmogorov_smirnov)}."
    )
    looks = {"the records": RECORDS, f"the others: {others}": OTHERS}
    marks = [(f'<line x1="0" x2="34" y1="9" y2="9" {look}/>', who) for who, look in looks.items()]
    return (
        plane.picture("Two distributions", label, lines)
        + kit.write_legend(marks, 34)
        + kit.write_note(label)
    )


def tabulate_chances(found: Plausibility) -> str:
    """The two distributions distance by distance."""
    frame = found.to_frame()
    shown = pd.DataFrame(
        {
            "places": frame["distance"],
            "records, %": 100 * frame["records"],
            "others, %": 100 * frame["others"],
            "records within, %": 100 * found.share_observed,
            "others within, %": 100 * found.share_others,
        }
    )
    return kit.write_table(shown, "The two distributions", most=20, what=("distance", "distances"))
