"""What the views for learning share: boxes that are traits, and one answer never out of step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Any, ClassVar, NamedTuple, TypeVar

import pandas as pd
import traitlets

from verikit import _html
from verikit.errors import RecordError
from verikit.models._classes import written
from verikit.widgets import _card as cards
from verikit.widgets._guard import guarded, sentence
from verikit.widgets._panel import Card, Field, Panel

__all__ = [
    "MOST",
    "Answered",
    "View",
    "chance",
    "count",
    "headline",
    "listing",
    "note",
    "share",
    "typed",
    "whole",
]

T = TypeVar("T")
MOST = 12


class Answered(NamedTuple):
    """What a view found: its result, the card's HTML, the words a screen reader says."""

    result: Any
    html: str
    say: str
    more: Mapping[str, Any] = {}


class View(Panel):
    """A panel whose boxes are traits: what is typed here or set in Python is answered at once.

    A subclass names its boxes, lays them out in `parts`, and asks verikit in `answer`. An error
    stands at the box whose name begins its sentence; the last answer is greyed, and ``result`` is
    None until there is a new one.
    """

    TITLE: ClassVar[str] = ""
    BOXES: ClassVar[tuple[str, ...]] = ()
    NUMBERS: ClassVar[tuple[str, ...]] = ()
    RESULTS: ClassVar[tuple[str, ...]] = ("result",)

    result = traitlets.Any(
        None, allow_none=True, read_only=True, help="What verikit answered; None if nothing now."
    )

    def __init__(self, about: object, **boxes: Any) -> None:
        self._about = about
        self._errors: dict[str, str] = {}
        self._shown = ""
        self._said = ""
        self._calls: dict[Callable[..., Any], tuple[tuple[Any, ...], Any]] = {}
        super().__init__(**boxes)
        self._update()
        self.observe(self._update, list(self.BOXES))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._about!r})"

    def answer(self) -> Answered:
        """Ask verikit for what the boxes say now."""
        raise NotImplementedError

    @guarded()
    def _update(self, _: Any = None) -> None:
        self._errors = {}
        found = self.answer()
        self._shown, self._said = found.html, found.say
        for name, value in {"last_error": None, "result": found.result, **found.more}.items():
            self.set_trait(name, value)
        self.show()

    def refuse(self, error: Exception, place: str) -> None:
        """Show an error at its box, and call nothing current."""
        self._said = words = sentence(error)
        named = next((name for name in self.BOXES if _concerns(words, name)), "")
        self._errors[place or named] = words
        for name in self.RESULTS:
            self.set_trait(name, None)
        self.set_trait("last_error", error)
        self.show()

    def typed(self, place: str, value: str) -> None:
        """A box changed: its trait changes, and the answer with it."""
        if place in self.BOXES:
            self.set_trait(place, typed(value) if place in self.NUMBERS else value)

    def card(self) -> Card:
        """The answer; or what is wrong, above the last answer, greyed."""
        if not self._errors:
            return Card(self.TITLE, self._shown, self._said)
        boxes = {field.id for part in self.parts() for field in part.fields}
        loose = [words for place, words in self._errors.items() if place not in boxes]
        shown = "".join(map(cards.problem, loose))
        old = cards.outdated(self._shown) if self._shown else ""
        return Card(self.TITLE, shown + old, self._said)

    def call(self, function: Callable[..., T], *given: Any) -> T:
        """Call a function, or return what it found if it was given the same last time."""
        before = self._calls.get(function)
        if before is None or before[0] != given:
            before = self._calls[function] = (given, function(*given))
        return before[1]

    def box(self, name: str, label: str, help: str = "") -> Field:  # noqa: A002
        """A box for one number."""
        value = getattr(self, name)
        shown = "" if value is None else str(value)
        return Field(name, "text", label, shown, help, self._errors.get(name, ""), decimal=True)

    def slider(
        self, name: str, label: str, value: float, limits: tuple[float, float, float]
    ) -> Field:
        """A slider with its box, from the first limit to the second by the third."""
        error = self._errors.get(name, "")
        return Field(name, "range", label, str(value), error=error, limits=limits)

    def choice(
        self,
        name: str,
        label: str,
        options: Iterable[tuple[str, str]],
        help: str = "",  # noqa: A002
    ) -> Field:
        """A drop-down list of values and the words for them."""
        error = self._errors.get(name, "")
        value = getattr(self, name)
        shown = "" if value is None else str(value)
        return Field(name, "choice", label, shown, help, error, options=tuple(options))


def _concerns(words: str, name: str) -> bool:
    """Whether a sentence begins with the name of a box, with or without an article."""
    return words.startswith((f"{name} ", f"The {name} "))


def typed(value: str) -> Any:
    """What was typed as a number if it is one; nothing for an empty box; else the text itself.

    Examples
    --------
    >>> typed(" 3 "), typed("0.5"), typed(""), typed("three")
    (3, 0.5, None, 'three')
    """
    words = value.strip()
    for kind in (int, float):
        try:
            return kind(words)
        except ValueError:
            continue
    return words or None


def whole(name: str, value: object, low: int) -> int:
    """A whole number from a bound up, or a sentence that begins with the name of its box.

    Examples
    --------
    >>> whole("step", 3, 0)
    3
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < low:
        raise RecordError(f"{name} was given as {value!r}; expected a whole number from {low} up.")
    return value


def headline(words: str, tag: str, look: str = "") -> str:
    """The first lines of a card: a tag with its sign, and what it all comes to.

    ``look`` is empty, ``warning`` or ``unknown``.
    """
    sign = {"": "✓", "warning": "⚠\ufe0e", "unknown": "?"}[look]
    lines = [
        _html.element(
            "span", f'<span aria-hidden="true">{sign}</span> {escape(tag)}', class_="vk-tag"
        ),
        _html.element("p", f"<b>{escape(words)}</b>", class_="vk-first"),
    ]
    return _html.element("div", "".join(lines), class_=f"vk-head {look}".strip())


def note(words: str) -> str:
    """A quiet line."""
    return _html.element("p", escape(words), class_="soft")


def chance(p: float) -> str:
    """A probability as so many cases.

    Examples
    --------
    >>> chance(0.25), chance(0.00059), chance(3e-9)
    ('in 25 of 100 cases', 'in 1 of 1,695 cases', 'in less than 1 of a million cases')
    """
    if p >= 1:
        return "in all cases"
    if p >= 0.01:
        return f"in {100 * p:.0f} of 100 cases"
    return f"in 1 of {1 / p:,.0f} cases" if p >= 1e-6 else "in less than 1 of a million cases"


def share(part: float) -> str:
    """A share in per cent, never rounded to all or nothing where it is neither.

    Examples
    --------
    >>> share(1.0), share(0.3333), share(0.999), share(0.0001)
    ('100 %', '33 %', 'more than 99 %', 'less than 1 %')
    """
    if 0 < part < 0.005:
        return "less than 1 %"
    return "more than 99 %" if 0.995 <= part < 1 else f"{100 * part:.0f} %"


def listing(frame: pd.DataFrame, label: str, *, most: int = MOST, what: str = "lines") -> str:
    """A table that can be scrolled by keyboard; of a long one its first lines."""
    shown = frame.head(most)
    for name in shown.columns:
        if any(isinstance(value, pd.Interval) for value in shown[name]):
            shown = shown.assign(**{name: [_span(value) for value in shown[name]]})
    wide = _html.element("div", _html.table(shown), style=f"min-width:{5 * shown.shape[1]}rem")
    inside = wide if shown.shape[1] > 4 else _html.table(shown)
    content = _html.element(
        "div", inside, class_="vk-scroll", role="region", tabindex="0", aria_label=label
    )
    rest = len(frame) - len(shown)
    return content + (note(f"and {rest:,} more {what}") if rest > 0 else "")


def _span(value: Any) -> Any:
    """A closed interval with few digits; another with its brackets; anything else as it is."""
    if not isinstance(value, pd.Interval):
        return value
    if value.closed != "both":
        return written(value)
    low, high = _html.cell(value.left), _html.cell(value.right)
    return low if low == high else f"{low} to {high}"


def count(number: int, word: str, words: str = "") -> str:
    """A number with its word.

    Examples
    --------
    >>> count(1, "class", "classes"), count(0, "class", "classes"), count(2000, "record")
    ('1 class', '0 classes', '2,000 records')
    """
    return f"{number:,} {word if number == 1 else words or word + 's'}"
