"""The attack lab: a release, an attack, what the attacker knows, and what falls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import traitlets

from verikit import intruder
from verikit._support import html as _html
from verikit.cells import cell_text
from verikit.datasets import load, published
from verikit.errors import RecordError
from verikit.intruder import Disclosure
from verikit.matching import holdings_of
from verikit.release import Release, TableRelease, by_groups
from verikit.table import Microdata, Schema
from verikit.widgets import _kit as kit
from verikit.widgets import _view as views
from verikit.widgets._panel import Field, Part
from verikit.widgets._view import Answered, Number, Option, View
from verikit.words import share

WHOM = {"everyone": "everybody in the table", "one": "one person, described below"}
PEOPLE = ("people", "the people given in Python")
KNOWS = {"value": "that exactly one of them has", "ruled_out": "that none of them has"}
GENERALIZED = ("ks_table4", "ks_table1", "ks_table6", "lhcc_table2")


class Attack(NamedTuple):
    """An attack: its name for people, what it does, and what it can be tried on.

    ``pair`` tells that it lays two tables side by side; ``boxes`` names what it asks besides.
    """

    run: Callable[..., Disclosure]
    title: str
    idea: str
    tables: tuple[str, ...]
    boxes: tuple[str, ...] = ()
    pair: bool = False


ATTACKS = {
    "homogeneity": Attack(
        intruder.homogeneity,
        "Homogeneity: one value for all",
        "He looks for people who look alike and all have the same value.",
        GENERALIZED,
        ("least",),
    ),
    "background_knowledge": Attack(
        intruder.background_knowledge,
        "Background knowledge: one thing more",
        "He knows of a value that one of them has, or that none of them can have.",
        GENERALIZED,
        ("knows", "value"),
    ),
    "skewness": Attack(
        intruder.skewness,
        "Skewness: more likely than elsewhere",
        "He compares how frequent a value is among look-alikes and in the whole table.",
        ("tests", *GENERALIZED),
        ("gain",),
    ),
    "similarity": Attack(
        intruder.similarity,
        "Similarity: values of one kind",
        "He knows which values are alike, and looks for groups that hold one kind only.",
        ("ks_table6",),
        ("least",),
    ),
    "unsorted_matching": Attack(
        intruder.unsorted_matching,
        "Unsorted matching: row by row",
        "He has a table of the same people in its old order, and lays it beside the release.",
        ("ks_table3",),
        pair=True,
    ),
    "complementary_release": Attack(
        intruder.complementary_release,
        "Complementary release: two tables joined",
        "He joins two releases about the same people by what they share.",
        ("wards",),
        pair=True,
    ),
    "temporal": Attack(
        intruder.temporal,
        "Temporal: what changed in between",
        "He compares an earlier release with a later one: the difference is the newcomers.",
        ("newcomer",),
        pair=True,
    ),
}


def _make_tests() -> tuple[None, Release]:
    """A hundred tests, half of them positive, but 49 of the 50 in one class."""
    tests = ["positive"] * 49 + ["negative"] * 50 + ["positive"]
    return None, _make_release({"Zip": ["47677"] * 50 + ["47602"] * 50, "Test": tests}, "Test")


def _make_wards() -> tuple[Release, Release]:
    ill = ["flu", "ulcer", "angina", "asthma"]
    first = _make_release({"Sex": list("FFMM"), "Disease": ill}, "Disease")
    return first, _make_release({"Ward": list("ABBA"), "Disease": ill}, "Disease")


def _make_newcomer() -> tuple[Release, Release]:
    ill = ["flu", "ulcer", "flu", "angina"]
    before, after = (
        _make_release({"Zip": ["476**"] * n, "Disease": ill[:n]}, "Disease") for n in (3, 4)
    )
    return before, after


def _make_release(columns: dict[str, list[str]], sensitive: str) -> TableRelease:
    frame = pd.DataFrame(columns)
    schema = Schema.guess(frame).with_column(sensitive, role="sensitive")
    return TableRelease.of(frame, schema)


TABLES = views.list_shipped(*GENERALIZED) | {
    "tests": views.Pick("A hundred test results (KS section 5.2)", _make_tests),
    "wards": views.Pick("Four patients, published twice (our example)", _make_wards),
    "newcomer": views.Pick("Three patients, and a fourth (our example)", _make_newcomer),
    "ks_table3": views.Pick(
        "KS Table 3: four crimes, not shuffled",
        lambda: (load("ks_table3"), published("ks_table3_generalized")),
    ),
}


def open_tables(name: str) -> tuple[Microdata | Release | None, Release]:
    """What the attacker has already, if anything, and the release he attacks."""
    found = TABLES[name].open()
    return found if isinstance(found, tuple) else (None, found)


class AttackLab(View):
    """Attack a release as the survey describes it, and see who falls, with what, and how surely.

    Parameters
    ----------
    release
        What was published; by default tables of the survey, or small examples of ours.
    known
        What the attacker has already, for attacks that compare two tables.
    people
        The quasi-identifiers of people he knows.

    Notes
    -----
    ``result`` is what the attack of `verikit.intruder` found. Of the one person he looks for,
    ``record`` holds what he knows.

    References
    ----------
    [KS]_ sections 3 and 5

    Examples
    --------
    >>> lab = AttackLab()
    >>> lab.result.people, lab.result.total
    (4, 11)
    >>> lab.attack = "background_knowledge"
    >>> lab.result.frame["Zip"].tolist(), lab.result.frame["confidence"].tolist()
    (['36363'], [1.0])
    """

    TITLE = "3\u2002What falls"

    attack = Option("homogeneity", "Attack", {name: one.title for name, one in ATTACKS.items()})
    table = Option("ks_table4", "Table")
    whom = Option("everyone", "He looks for", checked=False)
    record = traitlets.Dict(help="What he knows of the one person he looks for.")
    knows = Option("value", "He knows", KNOWS)
    value = Option("Indecency", "The value")
    least = Number(1, "Given away from", "a share: 1 asks for certainty")
    gain = Number(0, "Gain of more than", "0.2 is 20 of 100 cases")

    def __init__(
        self,
        release: Release | None = None,
        *,
        known: Microdata | Release | None = None,
        people: pd.DataFrame | None = None,
        **boxes: Any,
    ) -> None:
        self._tables, self._people = (known, views.require_release(release, "AttackLab")), people
        self._names: list[str] = []
        self._values: list[str] = []
        self._table = ""
        boxes = {"table": views.GIVEN} | boxes if release is not None else boxes
        boxes = {"whom": PEOPLE[0]} | boxes if people is not None else boxes
        super().__init__("tables of the survey" if release is None else release, **boxes)

    def answer(self) -> Answered:
        """What the attack finds."""
        attack = ATTACKS[self.attack]
        known, release = self._opened()
        # what the form offers for this release
        self._names = [column.name for column in release.schema.quasi]
        self._values = []
        if "value" in ATTACKS[self.attack].boxes:
            holdings = self.call_once(holdings_of, release, None, "own value")
            self._values = holdings.named(np.flatnonzero(holdings.values.notna()))
        if attack.pair:
            found = attack.run(known, release)
        else:
            found = attack.run(release, self._find_people(), **self._asked(attack.boxes))
        tag = found.verdict[:1].upper() + found.verdict[1:]
        # the tables themselves, folded away
        shown, tables = "", {"What he has already": known, "The release": release}
        for title, table in tables.items():
            if table is not None:
                frame = table.quasi if by_groups(table) else table.frame
                records = kit.write_table(frame, title, what=("record", "records"), counted=())
                shown += _html.element("h3", title) + records
        html = show_findings(found) + kit.fold_away("See what he sees", shown, "vk-tables")
        return Answered(found, found, tag, html, "warning" if found.warns else "")

    def _opened(self) -> tuple[Any, Any]:
        """The tables of the attack: those chosen, or its first where these are not for it."""
        offered = ATTACKS[self.attack].tables
        if self.table == views.GIVEN and self._tables[1] is not None:
            self._table = views.GIVEN
            if ATTACKS[self.attack].pair and self._tables[0] is None:
                raise RecordError(
                    "attack compares two tables, but one was given; give what the attacker has "
                    "too: AttackLab(release, known=...)."
                )
            return self._tables
        views.require_option("table", self.table, TABLES, offered)
        self._table = self.table if self.table in offered else offered[0]
        return self.call_once(open_tables, self._table)

    def _find_people(self) -> Any:
        """Whose records he looks for, as an attack takes it."""
        if self.whom == PEOPLE[0] and self._people is not None:
            return self._people
        views.require_option("whom", self.whom, WHOM)
        given = {name: value for name, value in self.record.items() if name in self._names}
        return {n: v for n, v in given.items() if str(v).strip()} if self.whom == "one" else None

    def _asked(self, boxes: tuple[str, ...]) -> dict[str, Any]:
        """What the attack asks besides."""
        if "value" not in boxes:
            return {name: getattr(self, name) for name in boxes}
        value = self.value if self.value in self._values else self._values[0]
        return {"value": value} if self.knows == "value" else {"ruled_out": [value]}

    def on_value(self, place: str, value: str) -> None:
        """A box changed; one of the person's values changes the record."""
        name, _, column = place.partition("/")
        if name == "record" and column:
            self.record = {**self.record, column: value}
        else:
            super().on_value(place, value)

    def lay_out(self) -> list[Part]:
        """The attack and its table, then what the attacker knows."""
        attack = ATTACKS.get(self.attack, ATTACKS["homogeneity"])
        tables = views.list_options({name: TABLES[name] for name in attack.tables}, self._tables[1])
        table = self.field("table", options=tables, value=self._table)
        said = [("A second table of the same people.", "")] if attack.pair else []
        knows = [] if attack.pair else self._list_knowledge(attack)
        return [
            Part(
                "attack",
                "1\u2002The attack",
                fields=[self.field("attack", help=attack.idea), table],
            ),
            Part("knows", "2\u2002What the attacker knows", said, knows),
        ]

    def _list_knowledge(self, attack: Attack) -> list[Field]:
        people = [PEOPLE] if self._people is not None else []
        fields = [self.field("whom", options=[*WHOM.items(), *people])]
        if self.whom == "one":
            typed = {name: str(self.record.get(name, "")) for name in self._names}
            fields += [
                Field(f"record/{name}", "text", name, value, hint="not known")
                for name, value in typed.items()
            ]
        fields += self.fields(*(name for name in attack.boxes if name != "value"))
        if "value" in attack.boxes:
            fields.append(self.field("value", options=[(value, value) for value in self._values]))
        return fields


def show_findings(found: Disclosure) -> str:
    """Each finding as a line of the picture and of the table."""
    frame = found.frame
    if not len(frame):
        return ""
    who = frame.iloc[:, : list(frame.columns).index("value")]
    who = who.drop(columns=["records", "row", "hidden among"], errors="ignore")
    before, now = ([share(part) for part in frame[name]] for name in ("before", "confidence"))
    lines = [
        kit.Shift(
            f"{line.value} · {', '.join(map(cell_text, who.iloc[at]))}",
            line.before,
            line.confidence,
            f"{before[at]} → {now[at]}",
        )
        for at, line in enumerate(frame.head(kit.MOST).itertuples())
    ]
    told = kit.write_note(
        "How sure the attacker is: open disc before the attack, filled square after it."
    )
    shown = frame.drop(columns=["before", "confidence"])
    shown = shown.assign(**{"sure before": before, "sure now": now})
    return (
        told
        + kit.draw_shifts(lines, "How sure")
        + kit.write_table(shown, "What falls", what=("finding", "findings"), counted=("records",))
    )
