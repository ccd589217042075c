"""What the views for learning share: boxes that are traits, and one answer never out of step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, TypeVar, cast

import traitlets

from verikit._support.requests import one_of
from verikit.datasets import describe, load, published
from verikit.errors import RecordError, SchemaError
from verikit.models import Requirement
from verikit.release import Key, Release, SplitRelease, TableRelease
from verikit.subject import card as cards
from verikit.table import Microdata
from verikit.widgets._callbacks import (
    guard_box,
    is_abandoned,
    raise_stopped,
    say_error,
)
from verikit.widgets._kit import Told, write_head
from verikit.widgets._panel import Card, Field, Panel

T = TypeVar("T")
WORKING = "Working…"
GIVEN = "given"
REQUIRED = "such as t_closeness,t=0.2; or several, with ; between"
REQUIRED_AT = dict.fromkeys(("model", "c", "t", "e", "ground", "sensitive"), "requirement")


class Answered(NamedTuple):
    """What a view found: its result, what that says of itself, and the rest of the card.

    ``told`` is the result, or what verikit says of it: a view has no verdict of its own. ``tag``
    and ``look`` stand beside it, ``html`` below.
    """

    result: Any
    told: Told
    tag: str
    html: str
    look: str = ""
    more: Mapping[str, Any] = {}


class Found(traitlets.Instance[Any]):
    """What a view found besides its result: it can be read, and is None where nothing is now."""

    def __init__(self, kind: type, help: str) -> None:  # noqa: A002
        super().__init__(kind, allow_none=True, read_only=True, help=help)


class Box(traitlets.Any):
    """A box that a person sets, with its label and a hint, by which it is told in Python too."""

    def __init__(self, default: object, label: str, hint: str, help: str) -> None:  # noqa: A002
        super().__init__(default, allow_none=True, help=help or f"{label}: {hint}".rstrip(": "))
        self.label, self.hint = label, hint


class Number(Box):
    """A box for a number, or a slider between limits: low, high and step."""

    def __init__(
        self,
        default: object,
        label: str = "",
        hint: str = "",
        *,
        limits: tuple[float, float, float] | None = None,
        help: str = "",  # noqa: A002
    ) -> None:
        super().__init__(default, label, hint, help)
        self.limits = limits


class Option(Box):
    """A drop-down list: its options with their words, none where they depend on the table.

    What is not among the options is refused by the view, unless the library is to say so.
    """

    def __init__(
        self,
        default: object,
        label: str = "",
        options: Mapping[str, str] = MappingProxyType({}),
        *,
        hint: str = "",
        checked: bool = True,
    ) -> None:
        super().__init__(default, label, hint, "")
        self.options, self.checked = options, checked


class View(Panel):
    """A panel whose boxes are traits: what is typed here or set in Python is answered at once.

    A subclass declares its boxes, each a `Number`, an `Option` or another trait that can be set,
    lays them out in `lay_out`, and asks verikit in `answer`. An error stands at the box of its
    ``field``, or at another that ``SHOWN_AT`` names for it; the last answer is greyed, and
    ``result`` is None until there is a new one.
    """

    TITLE: ClassVar[str] = ""
    BOXES: ClassVar[tuple[str, ...]] = ()
    RESULTS: ClassVar[tuple[str, ...]] = ()
    SHOWN_AT: ClassVar[Mapping[str, str]] = {}

    result = traitlets.Any(
        None, allow_none=True, read_only=True, help="What verikit answered; None if nothing now."
    )

    def __init_subclass__(cls, **options: Any) -> None:
        """Collect the boxes that a view declares, and what it finds."""
        super().__init_subclass__(**options)
        views = [base for base in cls.__mro__[::-1] if issubclass(base, View)]
        traits = {
            name: part
            for view in views
            for name, part in vars(view).items()  # no part of the screen, such as ``_esm``
            if isinstance(part, traitlets.TraitType) and name[0] != "_"
        }
        cls.BOXES = tuple(name for name, part in traits.items() if not part.read_only)
        cls.RESULTS = tuple(name for name, part in traits.items() if part.read_only)

    def __init__(self, about: object, **boxes: Any) -> None:
        self._about = about
        self._errors: dict[str, str] = {}
        self.told: Told | None = None
        self._shown = ""
        self._said = ""
        self._calls: dict[Callable[..., Any], tuple[Any, Any]] = {}
        super().__init__(**boxes)
        self._update()
        self.observe(self._update, list(self.BOXES))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._about!r})"

    def answer(self) -> Answered:
        """Ask verikit for what the boxes say now."""
        raise NotImplementedError

    def _update(self, _: Any = None) -> None:
        if not self._latest.postpone(self._update_now):
            self._update_now()

    def _update_now(self) -> None:
        if not self._latest.start_apart(self._find_answer, self._show_answer, WORKING):
            self._show_answer(self._find_answer)

    def _find_answer(self) -> Answered:
        for name in self.BOXES:
            entry = getattr(type(self), name)
            if isinstance(entry, Option) and entry.options and entry.checked:
                require_option(name, getattr(self, name), entry.options)
        return self.answer()

    ask_again = _update

    def _show_answer(self, answer: Callable[[], Answered]) -> None:
        with guard_box(self):
            self._errors = {}
            found = answer()
            self.told = found.told
            self._shown = self.in_words(write_head(found.told, found.tag, found.look) + found.html)
            self._said = self.in_words(f"{found.told.means} {found.told.why}".strip())
            for name, value in {"last_error": None, "result": found.result, **found.more}.items():
                self.set_trait(name, value)
            self.send_screen()

    def in_words(self, written: str) -> str:
        """What is shown and said, as people write it."""
        return written

    def show_error(self, error: Exception, place: str) -> None:
        """Show an error at its box, and call nothing current."""
        self.set_trait("last_error", error)
        self._said = say_error(error)
        field = getattr(error, "field", "")
        box = place or self.find_box(self.SHOWN_AT.get(field, field))
        self._errors[box] = self._said
        for name in self.RESULTS:
            self.set_trait(name, None)
        self.send_screen()

    def on_value(self, place: str, value: str) -> None:
        """A box changed: its trait changes, and the answer with it."""
        if place in self.BOXES:
            is_number = isinstance(getattr(type(self), place), Number)
            self.set_trait(place, read_value(value) if is_number else value)

    def on_press(self, place: str) -> None:
        """Another draw of the randomness."""
        if place == "again" and "seed" in self.BOXES:
            seed = getattr(self, "seed", None)
            self.set_trait("seed", seed + 1 if isinstance(seed, int) else 1)

    def errors(self) -> Mapping[str, str]:
        """What is wrong now, by box."""
        return self._errors

    def card(self) -> Card:
        """The answer; or what is wrong, above the last answer, greyed."""
        if not self._errors:
            return Card(self.TITLE, self._shown, self._said)
        boxes = {field.id for part in self.lay_out() for field in part.fields}
        loose = [words for place, words in self._errors.items() if place not in boxes]
        shown = "".join(map(cards.write_problem, loose))
        old = cards.write_outdated(self._shown) if self._shown else ""
        return Card(self.TITLE, shown + old, self._said)

    def call_once(self, function: Callable[..., T], *given: Any, **named: Any) -> T:
        """Call a function, or return what it found if it was given the same last time."""
        before: tuple[Any, Any] | None = self._calls.get(function)
        if before is None or before[0] != (given, named):
            before = ((given, named), function(*given, **named))
            if is_abandoned():  # and what it found may be half of it
                raise_stopped()
            self._calls[function] = before
        return before[1]

    def field(self, name: str, **changes: Any) -> Field:
        """The box of a trait as it is declared, but for what depends on the table."""
        entry, value = getattr(type(self), name), getattr(self, name)
        if "options" in changes:
            changes["options"] = tuple(dict(changes["options"]).items())
        made = Field(name, "text", entry.label, "" if value is None else str(value), entry.hint)
        if isinstance(entry, Option):
            options = tuple(entry.options.items())
            return replace(made, **{"kind": "choice", "options": options} | changes)
        limits = changes.get("limits", entry.limits)
        if limits is None:
            return replace(made, **{"decimal": True} | changes)
        known = isinstance(value, (int, float)) and not isinstance(value, bool)
        shown = str(value if known else entry.default_value)
        return replace(made, **{"kind": "range", "value": shown, "limits": limits} | changes)

    def fields(self, *names: str) -> list[Field]:
        """The boxes of traits as they are declared."""
        return [self.field(name) for name in names]


def require_option(
    name: str, value: object, known: Iterable[str], offered: Iterable[str] = ()
) -> None:
    """Refuse what is none of the options of a box, and say which are offered."""
    if value not in list(known):
        raise RecordError.given(name, value, f"one of {', '.join(offered or known)}")


def read_value(value: str) -> Any:
    """What was typed as a number if it is one; nothing for an empty box; else the text itself.

    Examples
    --------
    >>> read_value(" 3 "), read_value("0.5"), read_value(""), read_value("three")
    (3, 0.5, None, 'three')
    """
    words = value.strip()
    for kind in (int, float):
        try:
            return kind(words)
        except ValueError:
            continue
    return words or None


def read_required(written: object) -> list[Requirement]:
    """Read the requirements that a box holds, several with ; between.

    Examples
    --------
    >>> read_required("k_anonymity,k=3; t_closeness,t=0.2")
    [Requirement('k_anonymity', k=3), Requirement('t_closeness', t=0.2)]
    """
    return [Requirement.read(part) for part in str(written or "").split(";") if part.strip()]


def check_whole(name: str, value: object, low: int) -> int:
    """A whole number from a bound up, or a sentence that begins with the name of its box.

    Examples
    --------
    >>> check_whole("step", 3, 0)
    3
    """
    if not isinstance(value, int) or isinstance(value, bool) or value < low:
        raise RecordError.given(name, value, f"a whole number from {low} up")
    return value


class Pick(NamedTuple):
    """What a person can choose: the words for it, and how it is opened."""

    words: str
    open: Callable[[], Any]


def list_shipped(*names: str) -> dict[str, Pick]:
    """Releases of the papers, under their titles.

    Examples
    --------
    >>> list_shipped("ks_table4")["ks_table4"].words
    'KS Table 4: A group in which all share one crime'
    """
    told = {name: describe(name) for name in names}
    return {
        name: Pick(f"{facts['paper']} {facts['item']}: {facts['title']}", partial(published, name))
        for name, facts in told.items()
    }


def list_options(
    offered: Mapping[str, Pick], given: object, words: str = "The table given in Python"
) -> tuple[tuple[str, str], ...]:
    """The choices of a drop-down list: what was given first, then what is offered."""
    first = ((GIVEN, words),) if given is not None else ()
    return first + tuple((name, pick.words) for name, pick in offered.items())


def open_chosen(name: Any, offered: Mapping[str, Pick], given: Any) -> Any:
    """What a choice stands for."""
    if name == GIVEN and given is not None:
        return given
    known = [known for known, _ in list_options(offered, given)]
    return offered[one_of(name, "table", known)].open()


def open_example() -> tuple[Microdata, TableRelease, Key]:
    """Twenty records, their release as printed, and its key: the rows were not shuffled."""
    data = load("dm_table1")
    return data, as_one_table(published("dm_table1_masked")), Key.of(range(len(data)))


def as_one_table(release: Release) -> TableRelease:
    """Take a release for the kind that its method always makes: whole records."""
    return cast("TableRelease", release)


def as_two_tables(release: Release) -> SplitRelease:
    """Take a release for the kind that its method always makes: tables joined by groups."""
    return cast("SplitRelease", release)


def require_release(release: Any, who: str) -> Any:
    """The release that a view was given, if any, or a table; what has no columns is refused.

    Examples
    --------
    >>> require_release([1, 2], "ClassesView")
    Traceback (most recent call last):
    verikit.errors.SchemaError: ClassesView was given list; expected a release (verikit.open_release
    opens what was published) or Microdata.
    """
    if release is None or hasattr(release, "schema"):
        return release
    raise SchemaError(
        f"{who} was given {type(release).__name__}; expected a release (verikit.open_release opens "
        "what was published) or Microdata."
    )
