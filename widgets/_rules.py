"""Rules of a table and of what is published of it: kept, lost and invented ones."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd
import traitlets

from verikit.analyst import associations
from verikit.datasets import load
from verikit.mask import randomize
from verikit.release import TableRelease
from verikit.table import Microdata, require_table
from verikit.utility import rules_kept
from verikit.widgets import _draw as svg
from verikit.widgets._draw import Axis, Plane
from verikit.widgets._panel import Field, Part
from verikit.widgets._pieces import write_note, write_table
from verikit.widgets._releases import as_one_table
from verikit.widgets._view import Answered, Number, View
from verikit.words import column, count

EXAMPLE = "yq_figure1"
SMALL = {"support": 0.2, "confidence": 0.5}
STATES = {
    "kept": ("disc", f'fill="{svg.BLUE}"', "both have it"),
    "lost": ("cross", f'fill="{svg.ORANGE}"', "the original alone has it"),
    "invented": ("triangle", f'fill="{svg.GREEN}"', "the published table alone has it"),
}
WAS = f'fill="{svg.PAPER}" stroke="{svg.BLUE}" stroke-width="1.5"'
LEGEND = [
    *(
        (svg.draw_mark(50, 9, shape, look), f"{state}: {words}")
        for state, (shape, look, words) in STATES.items()
    ),
    (svg.draw_disc(50, 9, 4, WAS), "where a kept one was in the original"),
]
HALO = f'stroke="{svg.PAPER}" stroke-width="4" paint-order="stroke"'
LISTED = 20
NONE = "No rule of either table reaches both thresholds; lower them."


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
    RESULTS = ("result", "rules")

    changed = Number(1, "Values drawn anew in each record (lambda)")
    support = Number(0.08, "Support, as a share", "of all records, who hold a whole rule")
    confidence = Number(0.15, "Confidence, as a share", "of those on its left, who follow it")
    seed = Number(1, "Draw number", "the same number, the same draws")
    rules = traitlets.Instance(
        pd.DataFrame, allow_none=True, read_only=True, help="One line a rule, with its state."
    )

    def __init__(
        self, data: Microdata | None = None, release: TableRelease | None = None, **boxes: Any
    ) -> None:
        self._data = load(EXAMPLE) if data is None else require_table(data, "RulesView")
        self._release = release
        first = SMALL if data is None else {}
        super().__init__(self._data, **(first | boxes))

    def answer(self) -> Answered:
        """The rules of both tables, beside each other."""
        release = self._release
        if release is None:
            release = self.call_once(_randomize, self._data, self.changed, self.seed)
        asked = self._data, release, self.support, self.confidence
        kept, rules = self.call_once(_count_kept, *asked), self.call_once(_find_rules, *asked)
        html = (
            (_draw_rules(rules, kept.means) if len(rules) else write_note(NONE))
            + svg.write_legend(LEGEND)
            + write_note("Support and confidence are given before → after.")
            + write_table(_list_rules(rules), "The rules", most=LISTED, what=("rule", "rules"))
            + write_note("By length, the number of values on the left of the arrow:")
            + write_table(kept.to_frame().reset_index(), "Rules by length")
        )
        return Answered(kept, kept, "kept, lost and invented", html, more={"rules": rules})

    def lay_out(self) -> list[Part]:
        """What counts as a rule, and how the table is published."""
        asked = [
            *self.fields("support", "confidence"),
        ]
        parts = [
            Part(
                "asked",
                "1\u2002What counts as a rule",
                [(_describe_data(self._data), "soft")],
                asked,
            )
        ]
        if self._release is None:
            most = max(len(self._data.schema.quasi), 1)
            fields = [
                self.field("changed", limits=(1, most, 1)),
                self.field("seed"),
                Field("again", "press", "Draw again"),
            ]
            parts.append(Part("made", "What is published", fields=fields))
        return parts


def _describe_data(data: Microdata) -> str:
    hidden = ", ".join(column.title for column in data.schema.sensitive) or "nothing sensitive"
    return f"{count(len(data), 'record')}; rules lead from what others may know to {hidden}."


def _randomize(data: Microdata, changed: Any, seed: Any) -> TableRelease:
    made = randomize(data, changed=changed, probabilities="equal", seed=seed)
    return as_one_table(made.release)


def _count_kept(data: Microdata, release: TableRelease, support: Any, confidence: Any) -> Any:
    return rules_kept(data, release, support=support, confidence=confidence)


def _find_rules(
    data: Microdata, release: TableRelease, support: Any, confidence: Any
) -> pd.DataFrame:
    """One line a rule of either table, with what it is in each and what became of it."""
    asked = {"support": support, "confidence": confidence}
    both = associations(_publish_as_is(data), **asked).merge(
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


def _publish_as_is(data: Microdata) -> TableRelease:
    """The original as if it were published as it is."""
    schema = data.schema.released
    return TableRelease.of(data.frame[list(schema.names)], schema)


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
    plane = Plane(
        _make_axis("support in %", known, 0), _make_axis("confidence in %", known, 1), 240
    )
    drawn, was = [], []
    for state, old, new in zip(rules["state"], found["before"], found["after"], strict=True):
        if state == "kept":
            drawn.append(svg.draw_line(plane.at(*old), plane.at(*new), svg.SOFT, width=2))
            was.append(svg.draw_disc(*plane.at(*old), 4, WAS))
    places = Counter(
        (state, plane.at(*(old if state == "lost" else new)))
        for state, old, new in zip(rules["state"], found["before"], found["after"], strict=True)
    )
    for (state, (x, y)), here in places.items():
        drawn.append(svg.draw_mark(x, y, *STATES[state][:2]))
        if here > 1:
            drawn.append(svg.draw_text(x + 2.5, y - 7, f"×{here}", extra=HALO))
    title = "Rules by support and confidence"
    told = (
        f"{words} Across support, from {plane.across.low:g} to {plane.across.high:g} %; up "
        f"confidence, from {plane.up.low:g} to {plane.up.high:g} %."
    )
    return plane.picture(title, told, "".join(drawn + was))


def _make_axis(label: str, points: list[tuple[float, float]], at: int) -> Axis:
    """An axis in whole steps of five around all values, at most to 100."""
    values = [point[at] for point in points]
    low, high = 5.0 * (min(values) // 5), 5.0 * (max(values) // 5 + 1)
    return Axis(label, max(low - 5, 0.0), min(high, 100.0))
