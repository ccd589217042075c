"""The protector's bench: one screen from a table to a folder that may go out."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import pandas as pd
import traitlets

from verikit._support import html as _html
from verikit.cli import (
    describe_roles,
    list_parameters,
    propose_schema,
    read_parameters,
    read_schema,
)
from verikit.datasets import load
from verikit.errors import FormatError, RecordError, SchemaError
from verikit.mask import METHODS, Knob
from verikit.protector import Goal, choose
from verikit.table import Microdata, read, require_table
from verikit.widgets import _bench_card as card
from verikit.widgets import _bench_export as export
from verikit.widgets import _bench_try as trying
from verikit.widgets import _kit as kit
from verikit.widgets._bench_try import Try, make_try
from verikit.widgets._callbacks import StoppedError, guard_box, is_abandoned, raise_stopped
from verikit.widgets._panel import Field, Part
from verikit.widgets._view import Answered, Number, Option, View, require_option
from verikit.words import count

EXAMPLE = "people"
KINDS = {"numeric": "numbers", "nominal": "words without an order"}
MOST = 100
ABOUT = ("title", "publisher", "contact", "dossier")


class Bench(View):
    """From a table to a release: columns, method, before and after, risk, history, publication.

    Parameters
    ----------
    data
        The original; by default thirty-two invented people.
    path
        A file instead, named from where the person stands.
    schema
        The file that describes its columns, as ``verikit schema`` writes it.
    seed
        The secret randomness of the first masking; drawn where none is given.

    Notes
    -----
    It computes nothing: `verikit.audit`, `verikit.utility` and `verikit.intruder` say what is
    shown, `verikit.choose` finds the least masking, and ``verikit publish`` writes the folder.
    Nothing is computed before ``confirmed``. ``result`` has one line a masking tried; ``tries``
    holds them. The seed is shown nowhere, and written to a private file only.

    Examples
    --------
    >>> bench = Bench(seed=1)
    >>> bench.confirmed, bench.method = True, "generalize"
    >>> bench.try_settings(k="4")
    >>> bench.result["tried"].tolist(), float(bench.result["links"][0])
    (['Generalize, k 4'], 0.90625)
    """

    TITLE = "Before, after, and who is found"

    path = Option("", "A table on this computer", hint="such as people.csv", checked=False)
    roles = traitlets.Dict(help="By column what it is: quasi, sensitive, identifier or other.")
    kinds = traitlets.Dict(help="By column whether it holds numbers or words.")
    confirmed = traitlets.Bool(False, help="Whether a person has confirmed roles and kinds.")
    method = Option("generalize", "Method")
    settings = traitlets.Dict(help="What is set for the method, as text.")
    links = Number(None, "Goal: right links at most", "empty asks for nothing")
    across = Option("links", "From left to right", card.ACROSS)
    up = Option("answers", "Upwards", card.UP)
    title = Option("", "Title of the table", hint="such as Adults, 1994", checked=False)
    publisher = Option("", "Who publishes it", checked=False)
    contact = Option("", "To whom a person can write", checked=False)
    dossier = Option("", "Dossier for who decides", hint="such as dossier.html", checked=False)
    out = Option("release", "Folder to give away", checked=False)
    private = Option("bench-private", "Folder for you alone", checked=False)

    def __init__(
        self,
        data: Microdata | None = None,
        *,
        path: str | None = None,
        schema: str | None = None,
        seed: int | None = None,
        **boxes: Any,
    ) -> None:
        self._seed = secrets.randbits(53) if seed is None else seed
        self._here = Path(os.environ.get("VERIKIT_START", "."))
        if data is None:
            path = path or os.environ.get("VERIKIT_TABLE")
            schema = schema or os.environ.get("VERIKIT_SCHEMA")
        self.tries: list[Try] = []
        self._asked: Callable[[], Any] | None = None
        self._path, self._published = "", ""
        self._back: list[int] = []
        self._written: set[tuple[str, int]] = set()
        self._take(load(EXAMPLE) if data is None else require_table(data, "Bench"))
        super().__init__(self._given, **boxes)
        if not self.settings:
            self.settings = trying.list_settings(self.method)
        self.observe(self._change_method, "method")
        self.observe(self._unconfirm, ["roles", "kinds"])
        if path:
            self._begin_reading(path, schema)

    def _read(self, path: str, schema: str | None = None) -> Microdata:
        described = read_schema(str(self._here / schema)) if schema else None
        return read(str(self._here / Path(path).expanduser()), described)

    def _take(self, data: Microdata, path: str = "") -> None:
        """Make a table the one at the bench; the roles of one that says none are guessed."""
        if len(data.schema) > MOST:
            raise SchemaError(
                f"The table has {len(data.schema):,} columns; the bench takes {MOST} at most, so "
                "leave out what is not to be published."
            )
        guessed = all(column.role == "quasi" for column in data.schema)
        self._given = Microdata(data.frame, propose_schema(data)) if guessed else data
        self._path, self.tries, self._back, self._at = path, [], [], 0

    def _describe(
        self, data: Microdata, roles: Mapping[str, str], kinds: Mapping[str, str]
    ) -> Microdata:
        """The table with the roles and kinds that were said of it."""
        schema = data.schema
        for name, kind in kinds.items():
            if name in schema.names and kind != schema[name].kind:
                schema = schema.with_column(name, kind=kind, hierarchy=None, order=None)
        for name, role in roles.items():
            if name in schema.names:
                schema = schema.with_column(name, role=role)
        return Microdata(data.frame, schema)

    def _change_method(self, _: Any) -> None:
        if self.method in card.list_methods():
            self.settings = trying.list_settings(self.method)

    def _unconfirm(self, _: Any) -> None:
        self.confirmed = False

    # -- what is asked for, and answered ----------------------------------------------------------

    def try_settings(self, **settings: str) -> None:
        """Try the chosen method, with some settings changed."""
        self.settings = self.settings | settings
        self.on_press("try")

    def answer(self) -> Answered:
        """Do what was asked for, and show the masking that was chosen among all tried."""
        require_option("method", self.method, card.list_methods())
        goal = None if self.links is None else Goal(links=self.links)
        asked, self._asked = self._asked, None
        if asked is not None:
            asked()
        data = self.call_once(self._describe, self._given, self.roles, self.kinds)
        if not self.tries:
            ready = "Roles are confirmed: choose a method." if self.confirmed else ""
            html = (kit.write_note(ready) if ready else "") + card.show_columns(data)
            tag = "confirmed" if self.confirmed else "to be confirmed"
            return Answered(None, describe_roles(data.schema), tag, html, "unknown")
        lines = pd.DataFrame([{"method": one.method} | one.line for one in self.tries])
        lines["met"] = [
            None if goal is None or one.line["found"] is None else goal.met(one.line["found"], 1.0)
            for one in self.tries
        ]
        lines["met"] = lines["met"].astype(object)
        at, tried = self._at, self.tries[self._at]
        exposed = tried.report.exposure
        told = describe_roles(tried.data.schema) if exposed is None else exposed.found
        several = len({id(one.data) for one in self.tries}) > 1
        html = (
            self._published
            + card.draw_map(lines, self.across, self.up, at, several=several)
            + _html.element("h3", escape(f"Try {at + 1}: {tried.words}"))
            + card.show_before_and_after(tried)
            + card.show_exposed(tried)
            + self._show_commands(tried, at)
        )
        look = {None: "unknown", True: "", False: "warning"}[lines["met"][at]]
        return Answered(lines, told, f"try {at + 1} of {len(self.tries)}", html, look)

    def show(self, at: int | str) -> None:
        """Go back to one of the tries, counted from 0; Undo takes this back."""
        require_option("shown", str(at), [str(known) for known in range(len(self.tries))])
        self._back, self._at = [*self._back, self._at], int(at)
        self._update()

    def _begin(self, work: Callable[[], Any]) -> None:
        """Do what takes long, apart; what was done before it is stopped stays."""

        def ask() -> None:
            if not self.confirmed:
                raise RecordError(
                    "Roles and kinds of the columns were not confirmed; read them, change what is "
                    "wrong, and confirm them first."
                )
            work()

        self._asked = ask
        self._update()

    def show_error(self, error: Exception, place: str) -> None:
        """Show an error; where somebody stopped, what was tried before it is the answer."""
        if isinstance(error, StoppedError):
            self._show_answer(self.answer)
        else:
            super().show_error(error, place)

    def _keep(self, tried: Try) -> None:
        """Put a masking on the map, unless nobody waits for it any more."""
        if is_abandoned():
            raise_stopped()
        self._back += [self._at] if self.tries else []
        self.tries = [*self.tries, tried]
        self._at = len(self.tries) - 1

    def _try(self, *settings: Mapping[str, str]) -> None:
        data = self.call_once(self._describe, self._given, self.roles, self.kinds)
        for at, chosen in enumerate(settings):
            asked = (self.method, chosen, self._seed, data)
            same = [n for n, one in enumerate(self.tries) if one.asked == asked]
            if same:
                self._back, self._at = [*self._back, self._at], same[0]
                continue
            tell = partial(self._tell_step, f"{at + 1} of {len(settings)}: " * (len(settings) > 1))
            self._keep(make_try(data, self.method, chosen, self._seed, tell))

    def _tell_step(self, before: str, words: str) -> None:
        if is_abandoned():
            raise_stopped()
        self._say_alive(f"{before}{words}")

    def _find_knob(self) -> Knob | None:
        """What says how much the method masks, where a number does."""
        knobs = METHODS[self.method].knobs if self.method in METHODS else ()
        return next((knob for knob in knobs if knob.ladder and not knob.fixed), None)

    def _list_ladder(self) -> list[dict[str, str]]:
        """The settings of several maskings, from little to much."""
        knob = self._find_knob()
        name = (
            knob.parameter if knob else "k" if "levels" in list_parameters(self.method) else "ell"
        )
        values = knob.fitting(self._given) if knob else (2, 5, 10, 20)
        return [self.settings | {name: f"{value:g}"} for value in values]

    def _find_least(self) -> None:
        """Look for the least masking that reaches the goal, and try it."""
        knob = self._find_knob()
        if knob is None or self.links is None:
            raise RecordError(
                "To find the least masking, give the right links at most.", field="links"
            )
        data = self._describe(self._given, self.roles, self.kinds)
        found = choose(
            data, knob.name, Goal(links=self.links), seed=self._seed,
            progress=lambda n, most: self._tell_step("", f"{n} of at most {most} maskings tried …"),
            cancel=is_abandoned,
        )  # fmt: skip
        self._try(dict.fromkeys(self.settings, "") | {knob.parameter: str(found.value)})

    # -- what is pressed and typed ----------------------------------------------------------------

    def on_press(self, place: str) -> None:
        """Confirm, try, go back, publish."""
        name, _, which = place.partition("/")
        if name == "confirm":
            self.confirmed = True
        elif name == "try":
            self._begin(partial(self._try, dict(self.settings)))
        elif name == "ladder":
            self._begin(lambda: self._try(*self._list_ladder()))
        elif name == "least":
            self._begin(self._find_least)
        elif name == "draw":
            self._seed = secrets.randbits(53)
            self._begin(partial(self._try, dict(self.settings)))
        elif name == "show":
            self.show(which)
        elif name == "undo" and self._back:
            *self._back, self._at = self._back
            self._update()
        elif name in ("write", "publish"):
            self._begin(partial(self._publish, run=name == "publish"))

    def on_value(self, place: str, value: str) -> None:
        """A box changed: a role, a kind, a setting, or one that is a trait."""
        name, _, column = place.partition("/")
        if name in ("roles", "kinds"):
            require_option(place, value, card.ROLES if name == "roles" else KINDS)
            changed = getattr(self, name) | {column: value}
            asked = {"roles": self.roles, "kinds": self.kinds} | {name: changed}
            self._describe(self._given, **asked)
            setattr(self, name, changed)
        elif name == "settings":
            self.settings = self.settings | {column: value.strip()}
        elif name == "shown":
            self.show(value)
        elif name == "path":
            self._begin_reading(value.strip())
        else:
            super().on_value(place, value)

    def _begin_reading(self, path: str, schema: str | None = None) -> None:
        """Open another table; what is wrong with it stands at the box, and the one before stays."""

        def take(found: Callable[[], Microdata]) -> None:
            with guard_box(self, "path"):
                self._take(require_table(found(), "Bench"), path)
                self._about = self._given
                self.roles, self.kinds, self.path = {}, {}, path
                self._unconfirm(None)
                self._update()

        read_it = partial(self._read, path, schema)
        if path and not self._latest.start_apart(read_it, take, f"Opening {Path(path).name} …"):
            take(read_it)

    def write_saved(self) -> str:
        """What a saved notebook shows: nothing of single records, and no paths."""
        shown, self._shown = self._shown, self._shown.partition(card.EXPOSED)[0]
        try:
            return super().write_saved()
        finally:
            self._shown = shown

    # -- what leaves the bench --------------------------------------------------------------------

    def _list_commands(self, at: int) -> tuple[str, str, list[list[str]]]:
        stem = f"{self.private}/try-{at + 1}"
        original = self._path or f"{self.private}/original.csv"
        about = {name: str(getattr(self, name) or "") for name in ABOUT}
        tried, out = self.tries[at], str(self.out)
        return original, stem, export.list_commands(tried, original, stem, out, about)

    def _show_commands(self, tried: Try, at: int) -> str:
        """The same as commands and as Python; the seed lies in a file of hers."""
        _, stem, commands = self._list_commands(at)
        said = kit.write_note(
            f"They read columns and seed from {stem}.toml and {stem}.seed, which Write the "
            "commands makes; keep them, and the key, to yourself."
        )
        texts = (export.write_shell(commands), export.write_python(tried, commands, stem))
        code = "".join(
            _html.element("h4", title)
            + _html.element("pre", _html.element("code", escape(text)), tabindex="0")
            for title, text in zip(("Commands", "Python"), texts, strict=True)
        )
        return kit.fold_away("The same as commands and as Python", said + code, "vk-commands")

    def _publish(self, *, run: bool) -> None:
        """Write the private files of the masking that is shown, and publish it if asked to."""
        if not self.tries:
            raise RecordError("Nothing was tried yet; try a method first.")
        at, tried = self._at, self.tries[self._at]
        original, stem, commands = self._list_commands(at)
        if (stem, tried.seed) not in self._written:
            texts = {
                ".sh": export.write_shell(commands) + "\n",
                ".py": export.write_python(tried, commands, stem),
            }
            export.write_files(tried, self._here, original, stem, texts)
            self._written.add((stem, tried.seed))
        said = f"Written: {stem}.sh and {stem}.py, with what they read. Keep them to yourself."
        self._published = _html.element("p", escape(said))
        if run:
            told = self._run_command(commands[1])
            title = _html.element("h3", escape(f"Published in {self.out}: try {at + 1}"))
            self._published = title + "".join(
                _html.element("p", escape(line)) for line in told.splitlines() if line.strip()
            )

    def _run_command(self, arguments: list[str]) -> str:
        """Run a command as it stands and tell its progress; Stop ends it with nothing written."""
        with subprocess.Popen(  # noqa: S603 - ours, with what was typed as single arguments
            [sys.executable, "-m", "verikit", *arguments],
            cwd=self._here, text=True, encoding="utf-8",
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as running:  # fmt: skip
            errors = []
            for line in running.stderr or ():
                errors.append(line.strip())
                if is_abandoned():
                    running.terminate()
                    raise_stopped()
                self._say_alive(line.strip())
            said = running.stdout.read() if running.stdout else ""
        if running.returncode:
            raise FormatError(
                " ".join(errors[-1:]).removeprefix("verikit: ") or "Nothing was published."
            )
        warned = [line for line in errors if line.startswith("warning:")]
        return "\n".join([*warned, said])

    # -- the form ---------------------------------------------------------------------------------

    def lay_out(self) -> list[Part]:
        """The table and its columns; once these are confirmed the method, the history, the end."""
        size = f"{count(len(self._given), 'record')}, {count(len(self._given.schema), 'column')}"
        parts = [
            Part(
                "table",
                "1\u2002The table",
                [(size, "soft")],
                [self.field("path", kind="text", wide=True)],
            ),
            self._lay_out_columns(),
        ]
        if self.confirmed:
            parts += self._lay_out_method()
        if self.tries:
            tries = [(str(at), f"{at + 1}: {one.words}") for at, one in enumerate(self.tries)]
            shown = Field(
                "shown", "choice", "Try that is shown", str(self._at), options=tuple(tries)
            )
            undo = [Field("undo", "press", "Undo")] if self._back else []
            fields = [
                shown,
                *undo,
                *self.fields("across", "up"),
            ]
            parts.append(Part("history", "4\u2002What was tried", fields=fields))
            boxes = [self.field(n, kind="text", wide=True) for n in (*ABOUT, "out", "private")]
            boxes += [
                Field("write", "press", "Write the commands"),
                Field("publish", "press", "Publish"),
            ]
            parts.append(Part("publish", "5\u2002Give it away", fields=boxes))
        return parts

    def _lay_out_columns(self) -> Part:
        fields = []
        for column in self._given.schema:
            name = column.name
            role, kind = self.roles.get(name, column.role), self.kinds.get(name, column.kind)
            fields.append(
                Field(f"roles/{name}", "choice", name, role, options=(*card.ROLES.items(),))
            )
            if "numeric" in (column.kind, kind):  # which may be codes
                label = f"{name} holds"
                fields.append(
                    Field(f"kinds/{name}", "choice", label, kind, options=(*KINDS.items(),))
                )
        if not self.confirmed:
            fields.append(Field("confirm", "press", "These are right"))
        said = "Confirmed." if self.confirmed else "Guessed: read each, and change what is wrong."
        fold = "Look at them again" if self.confirmed else ""
        return Part("columns", "2\u2002What each column is", [(said, "soft")], fields, fold)

    def _lay_out_method(self) -> list[Part]:
        methods = card.list_methods()
        told = [(METHODS[self.method].words, "soft")] if self.method in methods else []
        said = read_parameters(METHODS[self.method].function) if told else {}
        fields = [self.field("method", options=methods.items())]
        more: list[Field] = []
        starts = trying.list_settings(self.method) if told else {}
        for name, value in self.settings.items():
            words = (trying.GROUPED.get(name) or said.get(name, ("", ""))[1]).partition(". ")[0]
            box = Field(f"settings/{name}", "text", name, str(value), words, wide=len(words) > 60)
            (fields if starts.get(name) or name in ("k", "ell") else more).append(box)
        fields += [self.field("links"), Field("try", "press", "Try it")]
        knob = self._find_knob()
        if knob is not None or "partition" in (list_parameters(self.method) if told else ()):
            fields.append(Field("ladder", "press", "Try from little to much"))
        if knob is not None:
            fields.append(Field("least", "press", "Find the least for the goal"))
        fields.append(Field("draw", "press", "Try with other randomness"))
        parts = [Part("method", "3\u2002How it is masked", told, fields)]
        return (
            [*parts, Part("more", "More of it", fields=more, fold="What else can be set")]
            if more
            else parts
        )
