"""What every screen shares: a form beside a card, and messages between person and Python.

What a person types, and what she is answered, travels in messages. Nothing of it is a synchronized
trait, so nothing of it can end in a saved notebook.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar, Literal

import anywidget
import traitlets

from verikit._support import html as _html
from verikit._support.svg import show_as_images
from verikit._support.told import mark_language
from verikit.errors import FormatError
from verikit.languages import form_text, screen_words, use_language
from verikit.widgets._callbacks import (
    Debouncer,
    StoppedError,
    guard_box,
    is_abandoned,
    raise_stopped,
)

STOP, AGAIN = "stop", "again"
SCRIPTS = ("_words.js", "_current.js", "_panel.js")
LIMIT = 500 * 10**6
HERE = Path(__file__).parent
STYLE = HERE / "_panel.css"
ACTIVE = re.compile(r' (?:data-(?:press|drag|low|high|step)|tabindex)="[^"]*"')
FOLDED = re.compile(r'<details id="[^"]*"')
SLIP = re.compile(r'<div class="vk-slip">.*?</div>', re.DOTALL)
SHOWN = ("text", "choice", "range")


@dataclass(frozen=True, slots=True)
class Field:
    """One box of a form; ``error`` is said beside it, in the language ``lang`` if it is another."""

    id: str
    kind: Literal["text", "choice", "range", "file", "press"]
    label: str
    value: str = ""
    help: str = ""
    error: str = ""
    lang: str = ""
    hint: str = ""
    options: tuple[tuple[str, str], ...] = ()
    limits: tuple[float, float, float] = (0, 0, 0)
    accept: str = ""
    decimal: bool = False
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """A titled part of a form: lines of text with their style, then boxes, folded or not."""

    id: str
    title: str
    lines: Sequence[tuple[str, str]] = ()
    fields: Sequence[Field] = ()
    fold: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """The answer: HTML that is escaped already, and the words a screen reader says."""

    title: str
    html: str
    say: str


@dataclass(slots=True)
class Upload:
    """A file on its way, piece by piece."""

    id: int
    place: str
    name: str
    size: int
    content: bytearray = field(default_factory=bytearray, repr=False)

    def stream(self) -> BytesIO:
        """The whole file, named, as verikit's readers take it."""
        stream = BytesIO(self.content)
        stream.name = self.name
        return stream


class Panel(anywidget.AnyWidget):
    """A form and a card; a subclass says what they show and what a typed value does.

    Every message of the page is answered by a screen, which tells the newest message whose value
    is in it; of many that come in together, all are answered by one. ``ALONE`` names the boxes
    whose values build on the last answer: these wait for nothing.
    """

    ALONE: ClassVar[tuple[str, ...]] = ()
    _esm = "\n".join(
        (
            f"const SCREEN = {json.dumps(screen_words(), ensure_ascii=False)};",
            *((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS),
        )
    )
    _css = STYLE
    last_error = traitlets.Instance(
        Exception, allow_none=True, read_only=True, help="What went wrong last; None if nothing."
    )

    def __init__(self, **traits: Any) -> None:
        self._turn = self._told = 0
        self._typed = ""
        self._latest = Debouncer(self._say_alive)
        self._upload: Upload | None = None
        super().__init__(**traits)
        self.on_msg(self._on_message)

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def lay_out(self) -> Sequence[Part]:
        """The form as it should be now, whatever is wrong in its boxes."""
        raise NotImplementedError

    def errors(self) -> Mapping[str, str]:
        """What is wrong now, by box; by the empty name what concerns none."""
        return {}

    def parts(self) -> list[Part]:
        """The form as it should be now, with what is wrong at each box."""
        told: dict[str, dict[str, Any]] = {
            box: {"error": said, **mark_language(said)} for box, said in self.errors().items()
        }
        return [
            replace(part, fields=[replace(one, **told.get(one.id, {})) for one in part.fields])
            for part in self.lay_out()
        ]

    def find_box(self, field: str) -> str:
        """The box of a parameter or a column; of several the one typed into last, else the first.

        The boxes of a column are called by it (``low/age``, ``high/age``), and what is required of
        it by what is required (``diversity/age``), for which there may be one box for all.
        """
        boxes = [box.id for part in self.lay_out() for box in part.fields]
        ends = [box for box in boxes if field and box.endswith(f"/{field}")]
        whole = field.partition("/")[0]
        found = [field] if field in boxes else ends or [box for box in boxes if box == whole]
        return self._typed if self._typed in found else next(iter(found), "")

    def card(self) -> Card:
        """The card as it should be now."""
        raise NotImplementedError

    def write_saved(self) -> str:
        """What a saved notebook shows where no Python runs: form and card as they are now."""
        with use_language(self.spoken_language):
            return write_copy(self.parts(), self.card())

    @property
    def spoken_language(self) -> str:
        """The language of form and card."""
        return "en"

    def language_choices(self) -> Mapping[str, Any] | None:
        """The languages to choose among, and the heading of a page; None where there is one."""
        return None

    def on_languages(self, languages: object) -> None:
        """A page was opened in a browser that asks for these languages."""

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The view, with a copy beside it for code hosts, exports and pages of documentation."""
        found = super()._repr_mimebundle_(**options)
        if found is not None:
            found[0]["text/html"] = self.write_saved()
        return found

    def on_value(self, place: str, value: str) -> None:
        """A value was typed into a box."""

    def on_press(self, place: str) -> None:
        """A button was pressed."""

    def ask_again(self) -> None:
        """Answer once more, after the answer was stopped."""

    def was_stopped(self) -> bool:
        """Whether there is no answer because somebody stopped it."""
        return isinstance(self.last_error, StoppedError)

    def on_upload(self, stream: BytesIO) -> None:
        """A file arrived; it is kept nowhere but in the stream."""

    def show_error(self, error: Exception, place: str) -> None:
        """Show an error where it belongs."""
        raise NotImplementedError

    def send_screen(self) -> None:
        """Send form and card together, so that they never disagree; a check that waits will."""
        if self._latest.has_work:
            return
        self._told = self._turn
        with use_language(self.spoken_language):
            parts = self.parts()
            if self.was_stopped():
                press = Field(AGAIN, "press", form_text("once-more"))
                said = [(form_text("no-answer"), "")]
                parts.insert(0, Part(AGAIN, form_text("halted"), said, [press]))
            card = asdict(self.card())
            more = {"language": self.spoken_language, "choices": self.language_choices()}
        form = [asdict(part) for part in parts]
        self.send({"kind": "screen", "turn": self._turn, "parts": form, "card": card, **more})

    def _on_message(self, _: Any, message: dict[str, Any], buffers: Sequence[Any]) -> None:
        self._turn = max(self._turn, message.get("turn", 0))
        kind, place = message.get("kind"), message.get("field", "")
        with self._latest.take_message():
            hear = HANDLERS.get(kind) if isinstance(kind, str) else None
            if hear is not None:
                hear(self, place, message, buffers)

    def _say_alive(self, words: str) -> None:
        """Say that something is being done; quietly where all that was asked is answered."""
        if is_abandoned():  # nobody waits for what says so
            raise_stopped()
        known = self._told >= self._turn
        said = {"say": words, "hushed": known, "stop": self._latest.can_stop}
        self.send({"kind": "wait", **said})

    def on_stop(self) -> None:
        """Somebody pressed Stop: what was begun is left as it is."""

    def _on_value(self, place: str, message: dict[str, Any], _: Sequence[Any]) -> None:
        """A value was given: it is answered, even if it changes nothing.

        One that is as before takes back what was wrong at its box, and could not be stored.
        """
        if place.partition("/")[0] in self.ALONE:
            self._latest.now()
        self._typed = place
        with guard_box(self, place):
            self.on_value(place, message["value"])
        if self._told < self._turn and not self._latest.has_work and place in self.errors():
            self.ask_again()
        self._answer_to_this()

    def _on_press(self, place: str, *_: Any) -> None:
        """A button was pressed: it is answered, even if it changes nothing."""
        if place == STOP:
            self._latest.stop()
            self._upload = None
            self.on_stop()
            self.send_screen()
            return
        self._latest.now()
        if place == AGAIN:
            self.ask_again()
        with guard_box(self, place):
            self.on_press(place)
        self._answer_to_this()

    def _on_hello(self, _: str, message: dict[str, Any], __: Sequence[Any]) -> None:
        """A page was opened."""
        self.on_languages(message.get("languages"))
        self.send_screen()

    def _answer_to_this(self) -> None:
        if self._told < self._turn:
            self.send_screen()

    def _on_offer(self, place: str, message: dict[str, Any], _: Sequence[Any]) -> None:
        """A file is offered: refuse it by its size, or ask for its first piece."""
        with guard_box(self, place):
            self._upload = None
            name, size = Path(str(message["name"])).name, int(message["size"])
            if size > LIMIT:
                told = {"size": round(size / 1e6), "most": LIMIT // 10**6}
                with use_language(self.spoken_language):
                    raise FormatError(form_text("large", name=repr(name), **told))
            self._upload = Upload(message["id"], message["field"], name, size)
            self.send({"kind": "more", "id": message["id"], "start": 0})

    def _on_piece(self, _: str, message: dict[str, Any], buffers: Sequence[Any]) -> None:
        """A piece arrived of the file that is on its way; of another it says nothing."""
        upload = self._upload
        if upload is not None and upload.id == message.get("id"):
            with guard_box(self, upload.place):
                self._take_piece(upload, message["start"], buffers[0])

    def _on_lost(self, _: str, message: dict[str, Any], *__: Any) -> None:
        """The file that is on its way can no longer be read."""
        if self._upload is not None and self._upload.id == message.get("id"):
            self._upload = None
            self.send_screen()

    def _take_piece(self, upload: Upload, start: int, piece: Any) -> None:
        """A piece arrived: ask for the next, or hand the whole over and forget it."""
        if start != len(upload.content):
            return
        upload.content += piece
        if len(upload.content) < upload.size:
            self.send({"kind": "more", "id": upload.id, "start": len(upload.content)})
            return
        self._upload = None
        with use_language(self.spoken_language):
            self.send({"kind": "wait", "say": form_text("opening", name=upload.name)})
        self.on_upload(upload.stream())


HANDLERS: Mapping[str, Callable[[Panel, str, dict[str, Any], Sequence[Any]], None]] = {
    "set": Panel._on_value,
    "press": Panel._on_press,
    "offer": Panel._on_offer,
    "hello": Panel._on_hello,
    "piece": Panel._on_piece,
    "lost": Panel._on_lost,
}


def write_copy(parts: Sequence[Part], card: Card) -> str:
    """A form and its card as HTML that stands by itself and asks nothing from outside.

    Parameters
    ----------
    parts
        The form; its boxes become lines of text.
    card
        The answer; nothing in it can be pressed, and there is no slip of it.

    Returns
    -------
    str
        One element with the style it needs.

    Examples
    --------
    >>> from verikit.widgets._panel import Card, Field, Part
    >>> part = Part("k", "How many", fields=[Field("k", "range", "Group size", "3")])
    >>> copy = write_copy([part], Card("What it means", '<g data-press="a">three</g>', "three"))
    >>> "Group size" in copy, "<g>three</g>" in copy, "data-press=" in copy
    (True, True, False)
    """
    form = _html.element("div", "".join(map(_write_part, parts)), class_="vk-form")
    top = _html.element("h2", escape(card.title)) + _html.element(
        "p", escape(form_text("copy")), class_="soft"
    )
    # without what only a running page can do; texts are escaped in it, tags are not
    still = show_as_images(FOLDED.sub("<details", ACTIVE.sub("", SLIP.sub("", card.html))))
    answer = _html.element("div", still, class_="vk-answer")
    grid = _html.element(
        "div", form + _html.element("section", top + answer, class_="vk-card"), class_="vk-grid"
    )
    style = _html.element("style", STYLE.read_text(encoding="utf-8"))
    return _html.element("div", style + grid, class_="vk-panel vk-saved")


def _write_part(part: Part) -> str:
    lines = [_html.element("p", escape(text), class_=kind) for text, kind in part.lines]
    boxes = [_write_box(field) for field in part.fields if field.kind in SHOWN]
    return _html.element(
        "section", _html.element("h2", escape(part.title)) + "".join(lines + boxes)
    )


def _write_box(field: Field) -> str:
    """One box as a line: what it asks, what stood in it, and what was wrong with that."""
    words = dict(field.options).get(field.value, field.value) or "–"
    told = _html.element("b", escape(field.label)) + ": " * bool(field.label) + escape(words)
    lang = {"lang": field.lang} if field.lang else {}
    wrong = _html.element("p", escape(field.error), class_="vk-error", **lang)
    return _html.element("p", told) + wrong * bool(field.error)
