"""WorldsView: every original that a release allows as a card, crossed out by what one learns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from verikit._support import html as _html
from verikit._support.arrays import Flags
from verikit._support.requests import whole
from verikit.analyst import Spread, Worlds, worlds
from verikit.datasets import published
from verikit.errors import VerikitError
from verikit.release import Release
from verikit.table import Microdata
from verikit.widgets import _kit as kit
from verikit.widgets._panel import Part
from verikit.widgets._view import Answered, Found, Number, View, require_release
from verikit.words import count, number, share, text

EXAMPLE = "lhcc_table3"
QUESTION = "select count(*) from t where sex = 'F' and disease = 'Flu'"
CARDS, ROWS, ANSWERS = 6, 12, 12
MARKS = (
    (kit.draw_disc(50, 9, 6, kit.HOLLOW), "before one learns anything"),
    (kit.draw_box(50, 9, (14, 14), f'fill="{kit.ORANGE}"'), "in the originals that are left"),
)


class WorldsView(View):
    """Every original that a small release allows, the answer to a question in each, and its chance.

    Parameters
    ----------
    release
        What was published; by default the nine patients of a paper in two tables.

    Notes
    -----
    ``result`` is the answer in the originals that are left, ``left`` those originals. Of many some
    are shown as cards, at even distances.

    References
    ----------
    [LHCC]_ section 3

    Examples
    --------
    >>> view = WorldsView(learned="disease = 'Flu'", row=1)
    >>> view.result
    The answer is from 0 to 1, 0.5 on average. Chances rest on every link and every value of a cell
    being equally likely.
    """

    TITLE = "2\u2002The originals that are possible"

    question = Number("select count(*) from t", "Question", "in SQL")
    learned = Number(None, "What one learns", "a condition such as age < 30; empty: nothing")
    row = Number(None, "Of which row", "as published, from 1; empty: of some row")
    left = Found(Worlds, "The originals that agree with what was learned.")

    def __init__(self, release: Release | None = None, **boxes: Any) -> None:
        made = published(EXAMPLE) if release is None else require_release(release, "WorldsView")
        self._worlds = worlds(made)
        super().__init__(made, **({"question": QUESTION} if release is None else {}) | boxes)

    def answer(self) -> Answered:
        """The answer in each original that agrees with what was learned."""
        every, agrees = self._worlds, np.ones(len(self._worlds), np.bool_)
        with self._at_box("question"):
            answers, before = every.find_answers(self.question), every.answer(self.question)
        left = every
        if self.learned is not None:
            with self._at_box("learned"):
                row = None if self.row is None else whole(self.row, "row") - 1
                agrees = every.agree(str(self.learned), row=row)
                left = every.given(str(self.learned), row=row)
        found = left.answer(self.question)
        html = draw_answers(before, found) + self._write_cards(answers, agrees)
        tag = f"{number(len(left))} of {count(len(every), 'original')} left"
        return Answered(found, found, tag, html, more={"left": left})

    @contextmanager
    def _at_box(self, box: str) -> Iterator[None]:
        """What is wrong in here is said at a box, unless it is said of another."""
        try:
            yield
        except VerikitError as error:
            error.field = error.field if error.field in self.BOXES else box
            raise

    def lay_out(self) -> list[Part]:
        """The question, and what somebody learns besides."""
        about = (
            "An original is a table from which this release could have been made. What somebody "
            "learns crosses out the originals that contradict it."
        )
        fields = [self.field("question", decimal=False, wide=True)]
        fields += [self.field("learned", decimal=False, wide=True), self.field("row")]
        return [
            Part("asked", "1\u2002What is asked, and what one learns", [(about, "soft")], fields)
        ]

    def _write_cards(self, answers: Any, agrees: Flags) -> str:
        """Some originals as tables, each with its answer; those that contradict are crossed out."""
        total = len(self._worlds)
        shown = np.unique(np.linspace(0, total - 1, min(CARDS, total)).astype(int)).tolist()
        cards = [write_card(at, self._worlds[at], answers[at], bool(agrees[at])) for at in shown]
        look = "display:grid;grid-template-columns:repeat(auto-fill,minmax(16rem,1fr));gap:1rem"
        words = f"{count(len(shown), 'original')} of {total:,}" if len(shown) < total else "All"
        return kit.write_note(f"{words}:") + _html.element("div", "".join(cards), style=look)


def draw_answers(before: Spread, after: Spread) -> str:
    """The chance of each answer, before and after something was learned."""
    then, now = (dict(zip(one.answers, one.chances, strict=True)) for one in (before, after))
    lines = [
        kit.Shift(
            number(answer), chance, now.get(answer, 0.0),
            f"{share(chance).removesuffix(' of 100')} → {share(now.get(answer, 0.0))}",
        )
        for answer, chance in list(then.items())[:ANSWERS]
    ]  # fmt: skip
    more = len(then) - len(lines)
    note = kit.write_note(f"and {count(more, 'larger answer')}") if more else ""
    return kit.draw_shifts(lines, "Chance of each answer") + kit.write_legend(MARKS) + note


def write_card(at: int, world: Microdata, answer: Any, agrees: bool) -> str:
    """One original as a table with its answer; struck out where it contradicts."""
    frame = world.frame.map(text)
    frame.insert(0, "row", [str(place) for place in range(1, len(frame) + 1)])
    value = "no answer" if np.isnan(answer) else f"answer {number(float(answer))}"
    sign = "✓" if agrees else "✗ contradicted:"
    head = _html.element("b", f"{sign} original {at + 1:,}: {value}")
    struck = "" if agrees else "text-decoration:line-through"
    inside = kit.write_table(frame, f"Original {at + 1:,}", most=ROWS, what=("row", "rows"))
    return _html.element("div", head + _html.element("div", inside, style=struck))
