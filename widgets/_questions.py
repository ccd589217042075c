"""A prediction: choose, lock, and only then see what is true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import pandas as pd
import traitlets

from verikit._support import html as _html
from verikit.errors import RecordError, quoted
from verikit.exercises import EXERCISES, Judged, check, glossary, start
from verikit.widgets import _kit as kit
from verikit.widgets._panel import Card, Field, Panel, Part
from verikit.words import count

QUESTION = "Of 20 people, how many does the intruder of the running example find?"
BECAUSE = "The paper's attack finds 6 of them, where drawing lots would find one."


def spell_answer(option: str) -> str:
    """An option inside a sentence: a number as it stands, words as they would be said."""
    return option if option[:1].isdigit() else f"“{option}”"


class Predict(Panel):
    """A question with options; what is true is shown as soon as a choice is locked, not before.

    Parameters
    ----------
    question
        What is to be predicted.
    options
        What can be chosen; as a mapping, also what somebody overlooks who chooses it (nothing
        for the answer).
    answer
        The one of them that is true.
    because
        What is said when the answer is shown.

    Notes
    -----
    ``chosen`` is what was chosen, ``locked`` whether it can be changed no more. Nothing is counted
    and nothing kept: a wrong prediction is what one learns from.

    Examples
    --------
    >>> view = Predict("How many?", [1, 6, 20], answer=6, because="Counted with the key.")
    >>> view.choose("1")
    >>> view.lock()
    >>> view.chosen, view.right
    ('1', False)
    >>> options = {"yes": "Others know more than her name.", "no": ""}
    >>> view = Predict("Is she hidden without her name?", options, answer="no", because="Counted.")
    >>> view.choose("yes")
    >>> view.lock()
    >>> print(view.card().say)
    It is “no”; you expected “yes”. Others know more than her name. Counted.
    """

    chosen = traitlets.Unicode("", help="What was chosen; empty if nothing yet.")
    locked = traitlets.Bool(False, help="Whether the choice is made and the answer shown.")

    def __init__(
        self,
        question: str = QUESTION,
        options: Sequence[object] | Mapping[object, str] = (1, 6, 12, 20),
        *,
        answer: object = 6,
        because: str = BECAUSE,
    ) -> None:
        self._question, self._because = str(question), str(because)
        self._options = [str(option) for option in options]
        told = options if isinstance(options, Mapping) else {}
        self._missed = {str(option): str(words) for option, words in told.items()}
        self._answer, self._error = str(answer), ""
        if self._answer not in self._options or len(set(self._options)) < 2:
            raise RecordError.given("answer", answer, "one of two or more different options")
        bare = [one for one in self._missed if one != self._answer and not self._missed[one]]
        if bare:
            said = f"answer was given as {quoted(answer)}, and options hold no words for "
            said += f"{quoted(bare[0])}; expected what is overlooked by whoever chooses it."
            raise RecordError(said, field="answer", value=answer)
        super().__init__()

    @property
    def right(self) -> bool:
        """Whether the locked choice is the answer."""
        return self.locked and self.chosen == self._answer

    def choose(self, option: object) -> None:
        """Choose an option, as the list does."""
        self.on_value("chosen", str(option))

    def lock(self) -> None:
        """Lock the choice, as the button does."""
        self.on_press("lock")

    def errors(self) -> Mapping[str, str]:
        """What is wrong with the choice."""
        return {"chosen": self._error}

    def lay_out(self) -> Sequence[Part]:
        """The question and its options; once locked, what was chosen."""
        if self.locked:
            lines = [(self._question, ""), (f"You expected: {self.chosen}", "soft")]
            return [Part("guess", "Your prediction", lines)]
        options = (("", "choose …"), *((option, option) for option in self._options))
        choice = Field("chosen", "choice", "I expect", self.chosen, options=options)
        button = Field("lock", "press", "Lock my prediction")
        return [Part("guess", "Predict first", [(self._question, "")], [choice, button])]

    def card(self) -> Card:
        """What is true, once the choice is locked."""
        if not self.locked:
            words = "What is true is shown here as soon as your prediction is locked."
            return Card("The answer", kit.write_note(words), "")
        tag, look, missed = "as you predicted", "", ""
        words = f"It is {spell_answer(self._answer)}"
        if not self.right:
            tag, look, missed = "not as you predicted", "unknown", self._missed.get(self.chosen, "")
            words += f"; you expected {spell_answer(self.chosen)}"
        words, said = f"{words}.", f"{missed} {self._because}".strip()
        html = kit.write_headline(words, tag, look) + kit.write_note(said)
        return Card("The answer", html, f"{words} {said}")

    def on_value(self, place: str, value: str) -> None:  # noqa: ARG002
        """An option was chosen; once locked, nothing changes."""
        if self.locked:
            return
        if value and value not in self._options:
            raise RecordError(f"{quoted(value)} is none of the options; choose one of the list.")
        self.chosen, self._error = value, ""
        self.send_screen()

    def on_press(self, place: str) -> None:  # noqa: ARG002
        """Lock what was chosen."""
        if not self.chosen:
            raise RecordError("Nothing is chosen yet; choose what you expect, then lock it.")
        self.locked = True
        self.send_screen()

    def show_error(self, error: Exception, place: str) -> None:  # noqa: ARG002
        """Say what is wrong beside the list."""
        self._error = str(error)
        self.send_screen()


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
            said = f"The quiz was given as {quoted(name)}; expected one of: {known}."
            raise RecordError(said, field="quiz", value=name)
        self._task = start(name, student=student)
        self._error = ""
        super().__init__()

    def choose(self, letter: str) -> None:
        """Choose a statement, as its button does."""
        self.on_press(letter)

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
            return Card("Your answer", kit.write_note("Choose a statement.") + shown, self._error)
        letter = escape(str(self.tried[-1]))
        if self.judged.points:
            words = f"Yes, {letter} follows."
            return Card("Your answer", kit.write_headline(words, "right") + shown, words)
        words = f"{letter} does not follow."
        why = self.judged.sentence
        head = kit.write_headline(words, "not yet", "unknown") + kit.write_note(why)
        return Card("Your answer", head + shown, f"{words} {why}")

    def on_press(self, place: str) -> None:
        """A statement was chosen."""
        if place not in self._task["statements"]:
            raise RecordError(f"{quoted(place)} is no statement; choose one of the letters.")
        start(self._task.name, student=self._task.student)
        self.set_trait("judged", check(self._task.name, place))
        self.tried = (*self.tried, place)
        self._error = ""
        self.send_screen()

    def show_error(self, error: Exception, place: str) -> None:  # noqa: ARG002
        """Say what is wrong."""
        self._error = str(error)
        self.send_screen()


class Glossary(Panel):
    """A list of terms that shrinks as a word is looked for.

    Parameters
    ----------
    word
        What to look for to begin with.

    Notes
    -----
    ``result`` holds the terms shown, as `verikit.exercises.glossary` gives them.

    Examples
    --------
    >>> Glossary("median").result["ours"].tolist()
    ['in the middle']
    """

    word = traitlets.Unicode("", help="What is looked for.")

    def __init__(self, word: str = "") -> None:
        super().__init__(word=str(word))

    @property
    def result(self) -> pd.DataFrame:
        """The terms that hold the word."""
        return glossary(self.word)

    def lay_out(self) -> Sequence[Part]:
        """One box."""
        told = "ours or of the literature, or part of what it means"
        field = Field("word", "text", "Look for a word", self.word, told)
        return [Part("word", "Glossary", fields=[field])]

    def card(self) -> Card:
        """The terms found."""
        found = self.result
        said = f"{count(len(found), 'term', 'terms')} found."
        terms = "".join(_write_entry(**line) for line in found.to_dict("records"))
        return Card("What words mean", kit.write_note(said) + terms, said)

    def on_value(self, place: str, value: str) -> None:  # noqa: ARG002
        """A word was typed."""
        self.word = value
        self.send_screen()

    def show_error(self, error: Exception, place: str) -> None:  # noqa: ARG002
        """A word that is not found is no error."""
        self.send_screen()


def _write_entry(
    ours: str,
    literature: str,
    symbol: str,
    meaning: str,
    notebook: str,
    iso_20889: str,
    criterion: str,
) -> str:
    """A term, what it means, and where it is from."""
    sign = f" ({escape(symbol)})" if symbol else ""
    there = f"In the literature: {escape(literature)}. " if literature else ""
    there += f"ISO/IEC 20889: {escape(iso_20889)}. " if iso_20889 else ""
    there += f"Criterion: {escape(criterion)}. " if criterion else ""
    said = f"{escape(meaning)}. {there}First in {escape(notebook)}."
    return _html.element("p", f"<b>{escape(ours)}</b>{sign}: {said}")
