"""What may be concluded? Statements about one's own data, one of which is true."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import traitlets

from verikit.errors import RecordError, quoted
from verikit.exercises import EXERCISES, Judged, check, start
from verikit.widgets._panel import Card, Field, Panel, Part
from verikit.widgets._pieces import headline, note

__all__ = ["Quiz"]


class Quiz(Panel):
    """The statements of an exercise as buttons; each answer says what was misunderstood.

    Parameters
    ----------
    name
        An exercise that asks which statement is true, such as ``"ka-03"``.
    student
        Whose data it is about.

    Notes
    -----
    ``tried`` holds the letters that were chosen, in their order, ``judged`` the last answer.

    Examples
    --------
    >>> view = Quiz("ka-03", student="ada")
    >>> view.choose("a")
    >>> len(view.tried), view.judged.most
    (1, 1)
    """

    tried = traitlets.Tuple(help="The letters that were chosen.")
    judged = traitlets.Instance(Judged, allow_none=True, read_only=True, help="The last answer.")

    def __init__(self, name: str = "ka-03", *, student: str = "somebody") -> None:
        if name not in EXERCISES or EXERCISES[name].kind != "explain":
            known = ", ".join(one.name for one in EXERCISES.values() if one.kind == "explain")
            raise RecordError(
                f"The quiz was given as {quoted(name)}; expected one of: {known}.",
                field="quiz",
                value=name,
            )
        self._task = start(name, student=student)
        self._error = ""
        super().__init__()

    def choose(self, letter: str) -> None:
        """Choose a statement, as its button does."""
        self.pressed(letter)

    def lay_out(self) -> Sequence[Part]:
        """The question, and a button for each statement."""
        buttons = [
            Field(letter, "press", f"{letter} · {words}", wide=True)
            for letter, words in self._task["statements"].items()
        ]
        asked = self._task.text.partition(" Answer with")[0]
        lines = [(asked, ""), ("Which one of these follows?", "soft")]
        return [Part("statements", "What may be concluded?", lines, buttons)]

    def card(self) -> Card:
        """The answer to the last choice, above the data."""
        shown = self._task.shown_as_html(tables=True)
        if self.judged is None:
            return Card("Your answer", note("Choose a statement.") + shown, self._error)
        letter = escape(str(self.tried[-1]))
        if self.judged.points:
            words = f"Yes, {letter} follows."
            return Card("Your answer", headline(words, "right") + shown, words)
        words = f"{letter} does not follow."
        html = headline(words, "not yet", "unknown") + note(self.judged.sentence) + shown
        return Card("Your answer", html, f"{words} {self.judged.sentence}")

    def pressed(self, place: str) -> None:
        """A statement was chosen."""
        if place not in self._task["statements"]:
            raise RecordError(f"{quoted(place)} is no statement; choose one of the letters.")
        start(self._task.name, student=self._task.student)
        self.set_trait("judged", check(self._task.name, place))
        self.tried = (*self.tried, place)
        self._error = ""
        self.show()

    def refuse(self, error: Exception, place: str) -> None:  # noqa: ARG002
        """Say what is wrong."""
        self._error = str(error)
        self.show()
