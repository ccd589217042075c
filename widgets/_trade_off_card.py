"""What the card of the trade-off shows: which masking suffices, the curves, the numbers."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit.mask import METHODS
from verikit.protector import Choice, method_name
from verikit.widgets import _draw as svg
from verikit.widgets._draw import Axis, Plane
from verikit.widgets._pieces import write_note, write_table
from verikit.words import count, share

PROTECTION = {"links": "right links", "places": "places moved (share of all)"}
COST = {
    "rank_correlation": "order kept (rank correlation)",
    "residual_noise": "noise left (standard deviations)",
}
LOOKS = (
    ("triangle", svg.GREEN, "2 3"),
    ("diamond", svg.PURPLE, "10 3 2 3"),
    ("disc", svg.BLUE, ""),
    ("square", svg.ORANGE, "8 4"),
    ("cross", svg.SKY, "5 3"),
)


def _choose_look(method: str) -> tuple[str, str, str]:
    """The mark, colour and dashes of a method, always the same for the same method."""
    knobs = list(METHODS.knobs())
    return LOOKS[knobs.index(method) % len(LOOKS)] if method in knobs else ("disc", svg.GREY, "")


def show_choice(choice: Choice | None) -> str:
    """The least masking of one method, where it was looked for."""
    if choice is None:
        return ""
    title = _html.element("h3", f"The least masking by {escape(choice.method.replace('_', ' '))}")
    lines = "".join(_html.element("p", escape(line)) for line in repr(choice).split("\n"))
    return title + lines


def draw_trials(found: pd.DataFrame, protection: str, cost: str) -> str:
    """One line a method, from the least masking to the most; hollow marks miss the goal."""
    across = Axis(PROTECTION[protection], 0, float(found[protection].max()) or 1.0)
    most = 1.0 if cost == "rank_correlation" else float(found[cost].max()) or 1.0
    plane = Plane(across, Axis(COST[cost], _find_lowest(found[cost], cost), most))
    lines, told = [], []
    for method, part in found.groupby("method", sort=False):
        shape, colour, dashes = _choose_look(str(method))
        points = list(zip(part[protection], part[cost], strict=True))
        pattern = f'stroke-dasharray="{dashes}"' if dashes else ""
        lines.append(plane.path(points, f'stroke="{colour}" stroke-width="1.5" {pattern}'))
        for point, met in zip(points, part["met"], strict=True):
            fill = colour if met else svg.PAPER
            look = f'fill="{fill}" stroke="{colour}" stroke-width="2"'
            lines.append(svg.draw_mark(*plane.at(*point), shape, look))
        ends = f"{points[0][0]:.3g} and {points[0][1]:.3g} to {points[-1][0]:.3g} and "
        told.append(f"{method_name(str(method))} from {ends}{points[-1][1]:.3g}")
    title = f"{PROTECTION[protection]} against {COST[cost]}"
    label = f"From the least masking to the most: {'; '.join(told)}."
    return plane.picture(title, label, "".join(lines)) + _draw_legend(
        found["method"].unique().tolist()
    )


def _find_lowest(costs: pd.Series[float], cost: str) -> float:
    """Where the axis begins: at 0, or near the least order that any masking kept."""
    least = float(costs.min())
    if cost != "rank_correlation" or not 0 < least < 1:
        return min(0.0, least)
    return float(np.floor(10 * least) / 10)


def _draw_legend(methods: Iterable[str]) -> str:
    marks = []
    for method in methods:
        shape, colour, _ = _choose_look(method)
        look = f'fill="{colour}" stroke="{colour}" stroke-width="2"'
        marks.append((svg.draw_mark(50, 10, shape, look), _write_measured(method)))
    told = "Filled marks reach the goal, hollow ones do not. Lines lead to more masking."
    return svg.write_legend(marks, 22, 20) + write_note(told)


def _write_measured(method: str) -> str:
    """A method and how its amounts are said."""
    knob = METHODS.knobs().get(method)
    name = method_name(method)
    return name if knob is None else f"{name} ({knob.measure.replace('{:g}', '…')})"


def tabulate_trials(found: pd.DataFrame) -> str:
    """Every masking with what it protects and what it costs."""
    frame = pd.DataFrame(
        {
            "method": [method_name(name) for name in found["method"]],
            "amount": found["amount"].astype(float),
            "right links": found["links"],
            "places moved": [share(value) for value in found["places"]],
            "order kept": found["rank_correlation"],
            "noise left": found["residual_noise"],
            "goal": found["met"],
        }
    )
    lines = write_table(frame, "All maskings", most=40, what=("masking", "maskings"))
    title = f"<summary>All {count(len(frame), 'masking')} in numbers</summary>"
    return _html.element("details", title + lines, id="vk-maskings")
