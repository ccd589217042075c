"""Methods side by side in one currency: what each protects, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.seed import generator
from verikit.datasets import simulate
from verikit.errors import VerikitError
from verikit.mask import METHODS, Knob, noise
from verikit.protector import Choice, Goal, choose, find_cheapest_masking, method_name, trade_off
from verikit.table import Microdata, require_table
from verikit.widgets import _kit as kit
from verikit.widgets._callbacks import StoppedError, guard_box, is_abandoned
from verikit.widgets._panel import Field, Part
from verikit.widgets._view import Answered, Found, Number, Option, View
from verikit.words import count, share

EXAMPLE = ("dm", 100, 1)
USUAL = noise.__name__
SAMPLE = 500  # of a larger table so many records are measured at first
FEW = 20  # records that show which methods take such columns
ATTACKS = {
    "maximum_rank": "nearest rank, as in the paper",
    "assignment": "each row given once",
    "normal_scores": "trust what was masked least",
    "strongest": "all of them (slow)",
}
PROTECTION = {"links": "right links", "places": "places moved (share of all)"}
COST = {
    "rank_correlation": "order kept (rank correlation)",
    "residual_noise": "noise left (standard deviations)",
}
LOOKS = (
    ("triangle", kit.GREEN, "2 3"),
    ("diamond", kit.PURPLE, "10 3 2 3"),
    ("disc", kit.BLUE, ""),
    ("square", kit.ORANGE, "8 4"),
    ("cross", kit.SKY, "5 3"),
)


@dataclass(frozen=True, slots=True)
class Whole:
    """What is being measured of all records: for which goal, which maskings, and what is done."""

    goal: Goal
    seed: Any
    pairs: list[tuple[str, float]]
    frames: list[pd.DataFrame]
    stopped: bool = False

    @property
    def done(self) -> float:
        """The share of the maskings that was measured."""
        return len(self.frames) / len(self.pairs)

    @property
    def is_going(self) -> bool:
        """Whether more is to be measured."""
        return self.done < 1 and not self.stopped

    @property
    def words(self) -> str:
        """How many of the maskings were measured."""
        return f"{len(self.frames)} of {count(len(self.pairs), 'masking')}"

    def describe(self, records: int) -> str:
        """What the numbers rest on."""
        if self.done == 1:
            return f"Measured on all {count(records, 'record')}."
        end = "; it was stopped there." if self.stopped else " so far."
        return f"{self.words} measured on all {count(records, 'record')}{end}"


class TradeOff(View):
    """Mask a table by several methods and amounts, and see protection against utility lost.

    Parameters
    ----------
    data
        The original; by default a hundred made-up records.
    amounts
        For each method the values of its parameter to try, as `verikit.protector.trade_off` takes
        them; by default those of all methods that take such columns.

    Notes
    -----
    Of a table of more than 500 records 500 are drawn and measured; a button measures all of them,
    one masking after the other, until Stop is pressed. So ends the search for the least masking;
    what was found before it stays.

    ``result`` has one line a masking. ``least`` is the least masking found for one method when
    the button was pressed, as long as the same is asked for. All methods get the same seed.

    References
    ----------
    [DM]_ section 5.2, which asks for the optimum amount of permutation before release

    Examples
    --------
    >>> view = TradeOff(amounts={"noise": [0.1, 2], "rank_swap": [2, 50]})
    >>> view.result.groupby("method")["links"].is_monotonic_decreasing.tolist()
    [True, True]
    """

    TITLE = "4\u2002What protection costs"

    links = Number(3, "Right links at most", "empty allows any")
    distance = Number(None, "Places moved at least", "empty asks for none")
    share = Number(1.0, "By this share of records", "from 0 to 1")
    attack = Option("normal_scores", "The intruder’s attack", ATTACKS, checked=False)
    protection = Option("links", "From left to right", PROTECTION)
    cost = Option("rank_correlation", "Upwards", COST)
    method = Option(None, "Method")
    seed = Number(1, "Shuffle number", "the same number, the same masking")
    least = Found(Choice, "The least masking found, if looked for.")

    def __init__(
        self,
        data: Microdata | None = None,
        *,
        amounts: Mapping[str, Sequence[float]] | None = None,
        **boxes: Any,
    ) -> None:
        name, records, seed = EXAMPLE
        self._data = (
            simulate(name, records, seed=seed) if data is None else require_table(data, "TradeOff")
        )
        self._some = draw_sample(self._data)
        self._whole: Whole | None = None
        self._amounts = _list_amounts(self._some) if amounts is None else dict(amounts)
        self._looked: tuple[Any, ...] | None = None
        first = next(iter(self._amounts), None)
        boxes.setdefault("method", USUAL if USUAL in self._amounts else first)
        super().__init__(self._data, **boxes)

    def answer(self) -> Answered:
        """All maskings measured, and the least one of a method if it was looked for."""
        goal = self._make_goal()
        found, told = self._collect_trials(replace(goal, links=0, share=1.0))
        judged = zip(found["links"], found["kept"], strict=True)
        found = found.assign(met=[goal.met(links, kept) for links, kept in judged])
        looked = self._looked == (self.method, goal, self.seed)
        least = self.call_once(self._find_least, self.method, goal, self.seed) if looked else None
        met = int(found["met"].sum())
        html = (
            (kit.write_note(told) if told else "")
            + ("" if least is None else _show_choice(least))
            + draw_trials(found, self.protection, self.cost)
            + tabulate_trials(found)
        )
        tag, look = f"{met} of {len(found)} reach the goal", "" if met else "warning"
        return Answered(
            found, find_cheapest_masking(found, self.cost), tag, html, look, {"least": least}
        )

    def _make_goal(self) -> Goal:
        return Goal(links=self.links, distance=self.distance, share=self.share, attack=self.attack)

    def _measure_all(self, goal: Goal, seed: Any) -> pd.DataFrame:
        """Every masking measured; how few links are few enough is judged of what was found."""
        tell = self._tell_progress
        return trade_off(
            self._some, self._amounts, goal, seed=seed, progress=tell, cancel=is_abandoned
        )

    def _find_least(self, method: Any, goal: Goal, seed: Any) -> Choice:
        return choose(
            self._some, method, goal, seed=seed, progress=self._tell_tries, cancel=is_abandoned
        )

    def _collect_trials(self, goal: Goal) -> tuple[pd.DataFrame, str]:
        """What was measured of all records, if they were asked for; else of those drawn."""
        whole = self._whole
        if whole is not None and (whole.goal, whole.seed) != (goal, self.seed):
            whole = self._whole = None
        if whole is not None and whole.frames:
            return pd.concat(whole.frames, ignore_index=True), whole.describe(len(self._data))
        found = self.call_once(self._measure_all, goal, self.seed)
        if len(self._some) == len(self._data):
            return found, ""
        drawn = f"Measured on {len(self._some):,} of {count(len(self._data), 'record')}, drawn at "
        return found, drawn + "random: right links are counted among these."

    def _begin_measuring(self) -> None:
        """Measure all records, one masking after the other, each shown before the next begins."""
        pairs = [(method, value) for method, values in self._amounts.items() for value in values]
        self._whole = Whole(replace(self._make_goal(), links=0, share=1.0), self.seed, pairs, [])
        self._update()

    def _show_answer(self, answer: Callable[[], Answered]) -> None:
        super()._show_answer(answer)
        if self._whole is not None and self._whole.is_going and self.last_error is None:
            self._measure_next(self._whole)

    def _measure_next(self, whole: Whole) -> None:
        """Measure one more masking of all records."""
        method, value = whole.pairs[len(whole.frames)]
        said = f"{whole.words} measured of all records …"

        def measure() -> pd.DataFrame:
            return trade_off(self._data, {method: [value]}, whole.goal, seed=whole.seed)

        if self._latest.start_apart(measure, self._take_measured, said):
            self._say_alive(said)
        else:
            self._take_measured(measure)

    def _take_measured(self, measured: Callable[[], pd.DataFrame]) -> None:
        with guard_box(self):
            if self._whole is not None:
                self._whole.frames.append(measured())
                self._update()

    def show_error(self, error: Exception, place: str) -> None:
        """Show an error; what was found before a search was stopped is the answer still."""
        whole, kept = self._whole, False
        if isinstance(error, StoppedError) and whole is not None and whole.is_going:
            self._whole = replace(whole, stopped=True) if whole.frames else None
            kept = True
        elif isinstance(error, StoppedError) and self._looked is not None:
            self._looked, kept = None, True
        if kept and self._is_measured():
            self._show_answer(self.answer)
        else:
            super().show_error(error, place)

    def _is_measured(self) -> bool:
        """Whether the maskings were measured for what is asked now."""
        asked = (replace(self._make_goal(), links=0, share=1.0), self.seed)
        return self._calls.get(self._measure_all, ((),))[0] == (asked, {})

    def _tell_progress(self, done: int, total: int) -> None:
        """Say how far the maskings have come, while they are made."""
        self._say_alive(f"{done} of {total} maskings measured …")

    def _tell_tries(self, done: int, most: int) -> None:
        """Say how far the search has come."""
        self._say_alive(f"{done} of at most {most} maskings tried …")

    def on_press(self, place: str) -> None:
        """Look for the least masking of the chosen method."""
        if place == "all":
            self._begin_measuring()
        if place == "find":
            self._looked = (self.method, self._make_goal(), self.seed)
            self._update()

    def lay_out(self) -> list[Part]:
        """The goal, the picture, and the search for the least masking."""
        names = [(name, method_name(name)) for name in self._amounts]
        told = ", ".join(name for _, name in names)
        size = f"{count(len(self._data), 'record')}, masked more and more by {told}."
        goal = self.fields("links", "distance", "share", "attack", "seed")
        drawn = self.fields("protection", "cost")
        least = [self.field("method", options=names), Field("find", "press", "Find it")]
        if len(self._some) < len(self._data):
            everybody = f"Measure all {count(len(self._data), 'record')}"
            drawn.append(Field("all", "press", everybody))
        return [
            Part("goal", "1\u2002What must be reached", [(size, "soft")], goal),
            Part("drawn", "2\u2002What is drawn", fields=drawn),
            Part("least", "3\u2002The least masking that does", fields=least),
        ]


def draw_sample(data: Microdata, most: int = SAMPLE) -> Microdata:
    """The table, or as many of its records as are measured at first, in their order."""
    if len(data) <= most:
        return data
    rows = generator(EXAMPLE[2]).choice(len(data), most, replace=False)
    return data.take(np.sort(rows))


def _list_amounts(data: Microdata) -> dict[str, Sequence[float]]:
    """The amounts to try of each method that takes such columns; of all where none does."""
    knobs = METHODS.knobs()
    ladders = {name: knob.fitting(data) for name, knob in knobs.items()}
    tried: dict[str, Sequence[float]] = {n: values for n, values in ladders.items() if values}
    few = data.take(np.arange(min(len(data), FEW)))
    return {
        n: values for n, values in tried.items() if _takes_columns(knobs[n], few, values[0])
    } or tried


def _takes_columns(knob: Knob, data: Microdata, value: float) -> bool:
    try:
        knob.mask(data, value, seed=0)
    except VerikitError:
        return False
    return True


def _choose_look(method: str) -> tuple[str, str, str]:
    """The mark, colour and dashes of a method, always the same for the same method."""
    knobs = list(METHODS.knobs())
    return LOOKS[knobs.index(method) % len(LOOKS)] if method in knobs else ("disc", kit.GREY, "")


def _show_choice(choice: Choice) -> str:
    """The least masking of one method."""
    title = _html.element("h3", f"The least masking by {escape(choice.method.replace('_', ' '))}")
    return title + "".join(_html.element("p", escape(line)) for line in repr(choice).split("\n"))


def draw_trials(found: pd.DataFrame, protection: str, cost: str) -> str:
    """One line a method, from the least masking to the most; hollow marks miss the goal."""
    across = kit.Axis(PROTECTION[protection], 0, float(found[protection].max()) or 1.0)
    most = 1.0 if cost == "rank_correlation" else float(found[cost].max()) or 1.0
    least = float(found[cost].min())  # at 0, or near the least order that any masking kept
    cut = cost == "rank_correlation" and 0 < least < 1
    lowest = float(np.floor(10 * least) / 10) if cut else min(0.0, least)
    plane = kit.Plane(across, kit.Axis(COST[cost], lowest, most))
    lines, told, marks, knobs = [], [], [], METHODS.knobs()
    for method, part in found.groupby("method", sort=False):
        shape, colour, dashes = _choose_look(str(method))
        points = list(zip(part[protection], part[cost], strict=True))
        pattern = f'stroke-dasharray="{dashes}"' if dashes else ""
        lines.append(plane.path(points, f'stroke="{colour}" stroke-width="1.5" {pattern}'))
        for point, met in zip(points, part["met"], strict=True):
            fill = colour if met else kit.PAPER
            look = f'fill="{fill}" stroke="{colour}" stroke-width="2"'
            lines.append(kit.draw_mark(*plane.at(*point), shape, look))
        ends = f"{points[0][0]:.3g} and {points[0][1]:.3g} to {points[-1][0]:.3g} and "
        name = method_name(str(method))
        told.append(f"{name} from {ends}{points[-1][1]:.3g}")
        if method in knobs:
            name += f" ({knobs[method].measure.replace('{:g}', '…')})"
        look = f'fill="{colour}" stroke="{colour}" stroke-width="2"'
        marks.append((kit.draw_mark(50, 10, shape, look), name))
    title = f"{PROTECTION[protection]} against {COST[cost]}"
    label = f"From the least masking to the most: {'; '.join(told)}."
    said = "Filled marks reach the goal, hollow ones do not. Lines lead to more masking."
    legend = kit.write_legend(marks, 22, 20) + kit.write_note(said)
    return plane.picture(title, label, "".join(lines)) + legend


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
    lines = kit.write_table(frame, "All maskings", most=40, what=("masking", "maskings"))
    return kit.fold_away(f"All {count(len(frame), 'masking')} in numbers", lines, "vk-maskings")
