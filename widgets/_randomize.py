"""Random anonymization cell by cell: what was drawn anew, what it was before, and the shares."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags
from verikit.analyst import associations
from verikit.datasets import load
from verikit.intruder import link
from verikit.mask import randomize
from verikit.protector import cell_texts, compare_redrawn, correct_links
from verikit.release import Key, Release, TableRelease
from verikit.table import Microdata, require_table
from verikit.utility import rules_kept
from verikit.widgets import _kit as kit
from verikit.widgets import _view as views
from verikit.widgets._panel import Field, Part
from verikit.widgets._view import Answered, Found, Number, Option, View
from verikit.words import column, count, text

EXAMPLE = "yq_figure1"
CHANCES = {
    "equal": "equal chances",
    "diversity": "in proportion to how varied a column is",
}
READERS = {
    "protector": "the protector: who was changed, and how",
    "everybody": "everybody: the table as it is published",
}
ROWS = ("row", "rows")
BARS, SHOWN, LINKED = 8, 12, 1500
SMALL = {"support": 0.2, "confidence": 0.5}
STATES = {
    "kept": ("disc", f'fill="{kit.BLUE}"', "both have it"),
    "lost": ("cross", f'fill="{kit.ORANGE}"', "the original alone has it"),
    "invented": ("triangle", f'fill="{kit.GREEN}"', "the published table alone has it"),
}
WAS = f'fill="{kit.PAPER}" stroke="{kit.BLUE}" stroke-width="1.5"'
LEGEND = [
    *(
        (kit.draw_mark(50, 9, shape, look), f"{state}: {words}")
        for state, (shape, look, words) in STATES.items()
    ),
    (kit.draw_disc(50, 9, 4, WAS), "where a kept one was in the original"),
]
LISTED = 20
NONE = "No rule of either table reaches both thresholds; lower them."


class RandomizeView(View):
    """Which cells a random anonymization changes, and what becomes of the shares of values.

    The view is for protectors and teachers: it shows the original beside what is published.

    Parameters
    ----------
    data
        The records, with two values at least in each quasi-identifier; by default ten patients.
    changed
        How many quasi-identifiers of each record are drawn anew (the paper's lambda).

    Notes
    -----
    ``result`` is the release; the key stays inside the view.

    References
    ----------
    [YQ]_ Algorithms 1 and 2, Figure 5

    Examples
    --------
    >>> view = RandomizeView(changed=2)
    >>> view.result.parameters
    {'changed': 2, 'probabilities': 'equal'}
    """

    TITLE = "2\u2002What was changed"

    changed = Number(1, "Values drawn anew in each record (lambda)")
    chances = Option("equal", "Which one, if one is drawn", CHANCES)
    reader = Option("protector", "Seen by", READERS)
    column = Option(None, "Shares of")
    seed = Number(1, "Draw number", "the same number, the same draws")

    def __init__(self, data: Microdata | None = None, *, changed: int = 1, **boxes: Any) -> None:
        self._data = load(EXAMPLE) if data is None else require_table(data, "RandomizeView")
        self._names = [column.name for column in self._data.schema.quasi]
        first = {"column": self._names[0] if self._names else None}
        super().__init__(self._data, **(first | {"changed": changed} | boxes))

    def answer(self) -> Answered:
        """What is published, which cells are other than before, and how many people are linked."""
        release, key = self.call_once(_randomize, self._data, self.changed, self.chances, self.seed)
        views.require_option("column", self.column, self._names)
        found = compare_redrawn(self._data, release, key, self._names, self.changed)
        title = self._data.schema[self.column].title
        shares = _compare_shares(self._data, release.frame, self.column)
        html = (
            self._table(release, key, found.other)
            + kit.draw_shifts(shares, f"Shares of {title} before and after")
            + kit.write_note("Circle: in the original. Square: in the published table.")
            + self._count_linked(release, key)
        )
        return Answered(release, found, count(len(self._data), "record"), html)

    def _table(self, release: TableRelease, key: Key, other: Flags) -> str:
        """The published rows; for the protector in the old order, with what stood there before."""
        if self.reader == "everybody":
            words = "Rows are in a new order, and nothing marks what was drawn anew."
            return kit.write_note(words) + kit.write_table(
                release.frame, "The published table", what=ROWS, counted=()
            )
        frame = release.frame.iloc[key.rows[:SHOWN]].reset_index(drop=True)
        old, new = (
            cell_texts(shown, self._names) for shown in (self._data.frame.head(SHOWN), frame)
        )
        for place, name in enumerate(self._names):
            pairs = zip(old[:, place], new[:, place], other[:SHOWN, place], strict=True)
            frame[name] = [f"{a} → {b}" if apart else b for a, b, apart in pairs]
        frame.insert(0, "row", np.arange(1, len(frame) + 1))
        words = "In the old order, which only the key knows; an arrow leads from the old value."
        rest = len(release) - len(frame)
        more = kit.write_note(f"and {count(rest, 'more row')}") if rest > 0 else ""
        return (
            kit.write_note(words)
            + kit.write_table(frame, "What was changed", most=SHOWN, counted=())
            + more
        )

    def _count_linked(self, release: TableRelease, key: Key) -> str:
        """How many people are found again by one who knows all originals, with what it means."""
        if len(self._data) > LINKED:
            return kit.write_note(f"Links are counted here for tables of up to {LINKED:,} records.")
        links = self.call_once(link, self._data, release, attack="likelihood")
        found = self.call_once(correct_links, links, key)
        return kit.write_note(
            f"Somebody who knows all originals, and what is published, links {found.count} of "
            f"{count(found.records, 'record')} to their own row alone; luck gives "
            f"{found.luck:.2g} on average. A changed row does not make its person safe: the "
            "values that stayed may still tell who she is."
        )

    def lay_out(self) -> list[Part]:
        """How many are drawn, with what chances, who looks, and which column is drawn."""
        most = max(len(self._names), 1)
        columns = [(name, self._data.schema[name].title) for name in self._names]
        fields = [
            self.field("changed", limits=(1, most, 1)),
            *self.fields("chances", "reader"),
            self.field("column", options=columns),
            self.field("seed"),
            Field("again", "press", "Draw again"),
        ]
        about = (
            f"{count(len(self._data), 'record')}; each drawn value is that of a random record in "
            "the same column, and may be the old one."
        )
        return [Part("asked", "1\u2002What is drawn anew", [(about, "soft")], fields)]


def _randomize(data: Microdata, changed: Any, chances: str, seed: Any) -> tuple[TableRelease, Key]:
    equal = chances == "equal" or changed != 1
    made = randomize(data, changed=changed, probabilities="equal" if equal else None, seed=seed)
    return views.as_one_table(made.release), made.key


def _compare_shares(data: Microdata, released: pd.DataFrame, name: str) -> list[kit.Shift]:
    """The most frequent values of a column, with their shares before and after."""
    before = data.frame[name].value_counts(normalize=True)
    after = released[name].astype(data.frame[name].dtype).value_counts(normalize=True)
    lines = []
    for value, share in before[before > 0].head(BARS).items():
        now = float(after.get(value, 0.0))
        words = f"{100 * share:.1f} % before, {100 * now:.1f} % now"
        lines.append(kit.Shift(text(value), float(share), now, words))
    return lines


class RulesView(View):
    """Which rules from quasi-identifying to sensitive values survive in what is published.

    Parameters
    ----------
    data
        The original, one column of it sensitive; by default ten patients.
    release
        What was published of it, in one table; without one a random anonymization is made here.

    Notes
    -----
    ``result`` tells how many rules are kept, lost and invented by length; ``rules`` has one line a
    rule with support and confidence in both tables.

    References
    ----------
    [YQ]_ Definition 11, section 7.3, Figures 7 and 8

    Examples
    --------
    >>> view = RulesView(support=0.2, confidence=0.6, seed=1)
    >>> int(view.result.by_length["original"].sum())
    6
    """

    TITLE = "2\u2002Which rules survive"

    changed = Number(1, "Values drawn anew in each record (lambda)")
    support = Number(0.08, "Support, as a share", "of all records, who hold a whole rule")
    confidence = Number(0.15, "Confidence, as a share", "of those on its left, who follow it")
    seed = Number(1, "Draw number", "the same number, the same draws")
    rules = Found(pd.DataFrame, "One line a rule, with its state.")

    def __init__(
        self, data: Microdata | None = None, release: Release | None = None, **boxes: Any
    ) -> None:
        self._data = load(EXAMPLE) if data is None else require_table(data, "RulesView")
        self._release = release
        first = SMALL if data is None else {}
        super().__init__(self._data, **(first | boxes))

    def answer(self) -> Answered:
        """The rules of both tables, beside each other."""
        release = self._release
        if release is None:
            equal = {"changed": self.changed, "probabilities": "equal", "seed": self.seed}
            release = views.as_one_table(self.call_once(randomize, self._data, **equal).release)
        asked = {"support": self.support, "confidence": self.confidence}
        kept = self.call_once(rules_kept, self._data, release, **asked)
        rules = self.call_once(_find_rules, self._data, release, **asked)
        html = (
            (_draw_rules(rules, kept.means) if len(rules) else kit.write_note(NONE))
            + kit.write_legend(LEGEND)
            + kit.write_note("Support and confidence are given before → after.")
            + kit.write_table(_list_rules(rules), "The rules", most=LISTED, what=("rule", "rules"))
            + kit.write_note("By length, the number of values on the left of the arrow:")
            + kit.write_table(kept.to_frame().reset_index(), "Rules by length")
        )
        return Answered(kept, kept, "kept, lost and invented", html, more={"rules": rules})

    def lay_out(self) -> list[Part]:
        """What counts as a rule, and how the table is published."""
        hidden = ", ".join(column.title for column in self._data.schema.sensitive)
        about = f"{count(len(self._data), 'record')}; rules lead from what others may know to "
        lines = [(f"{about}{hidden or 'nothing sensitive'}.", "soft")]
        asked = self.fields("support", "confidence")
        parts = [Part("asked", "1\u2002What counts as a rule", lines, asked)]
        if self._release is None:
            most = max(len(self._data.schema.quasi), 1)
            fields = [
                self.field("changed", limits=(1, most, 1)),
                self.field("seed"),
                Field("again", "press", "Draw again"),
            ]
            parts.append(Part("made", "What is published", fields=fields))
        return parts


def _find_rules(data: Microdata, release: Release, support: Any, confidence: Any) -> pd.DataFrame:
    """One line a rule of either table, with what it is in each and what became of it."""
    asked, schema = {"support": support, "confidence": confidence}, data.schema.released
    as_it_is = TableRelease.of(data.frame[list(schema.names)], schema)
    both = associations(as_it_is, **asked).merge(
        associations(release, **asked),
        on=["left", "right", "length"],
        how="outer",
        suffixes=("_before", "_after"),
        indicator="state",
    )
    names = {"both": "kept", "left_only": "lost", "right_only": "invented"}
    both["state"] = both["state"].astype(str).map(names)
    order = sorted(both.index, key=lambda row: list(STATES).index(both.loc[row, "state"]))
    return both.loc[order].reset_index(drop=True)


def _list_rules(rules: pd.DataFrame) -> pd.DataFrame:
    """The rules as a person reads them."""
    return pd.DataFrame(
        {
            "rule": [f"{a} → {b}" for a, b in zip(rules["left"], rules["right"], strict=True)],
            "it is": rules["state"],
            "support, %": _write_both(rules, "support"),
            "confidence, %": _write_both(rules, "confidence"),
        }
    )


def _write_both(rules: pd.DataFrame, what: str) -> list[str]:
    """A measure of each rule before and after, as far as it is known."""
    ends = [100 * rules[f"{what}_{when}"].astype(float) for when in ("before", "after")]
    told = column([value for end in ends for value in end])
    return [
        f"{old} → {new}" for old, new in zip(told[: len(rules)], told[len(rules) :], strict=True)
    ]


def _draw_rules(rules: pd.DataFrame, words: str) -> str:
    """Support across and confidence up: a mark a rule, a line from where a kept one was."""
    ends = ("before", "after")
    found = {
        end: list(zip(100 * rules[f"support_{end}"], 100 * rules[f"confidence_{end}"], strict=True))
        for end in ends
    }
    known = [x for end in ends for x in found[end] if not pd.isna(x[0])]
    plane = kit.Plane(
        _make_axis("support in %", known, 0), _make_axis("confidence in %", known, 1), 240
    )
    drawn, was = [], []
    for state, old, new in zip(rules["state"], found["before"], found["after"], strict=True):
        if state == "kept":
            drawn.append(kit.draw_line(plane.at(*old), plane.at(*new), kit.SOFT, width=2))
            was.append(kit.draw_disc(*plane.at(*old), 4, WAS))
    places = Counter(
        (state, plane.at(*(old if state == "lost" else new)))
        for state, old, new in zip(rules["state"], found["before"], found["after"], strict=True)
    )
    for (state, (x, y)), here in places.items():
        drawn.append(kit.draw_mark(x, y, *STATES[state][:2]))
        if here > 1:
            drawn.append(kit.draw_text(x + 2.5, y - 7, f"×{here}", extra=kit.HALO))
    title = "Rules by support and confidence"
    told = (
        f"{words} Across support, from {plane.across.low:g} to {plane.across.high:g} %; up "
        f"confidence, from {plane.up.low:g} to {plane.up.high:g} %."
    )
    return plane.picture(title, told, "".join(drawn + was))


def _make_axis(label: str, points: list[tuple[float, float]], at: int) -> kit.Axis:
    """An axis in whole steps of five around all values, at most to 100."""
    values = [point[at] for point in points]
    low, high = 5.0 * (min(values) // 5), 5.0 * (max(values) // 5 + 1)
    return kit.Axis(label, max(low - 5, 0.0), min(high, 100.0))
