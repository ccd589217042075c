"""A prediction: choose, lock, and only then see what is true."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import traitlets

from verikit.errors import RecordError, quoted
from verikit.widgets._panel import Card, Field, Panel, Part
from verikit.widgets._pieces import headline, note

__all__ = ["Predict"]

QUESTION = "Of 20 people, how many does the intruder of the running example find?"
BECAUSE = "The paper's attack finds 6 of them, where drawing lots would find one."


def spelled(option: str) -> str:
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
            raise RecordError(
                f"answer was given as {quoted(answer)}; expected one of two or more different "
                "options.",
                field="answer",
                value=answer,
            )
        bare = [one for one in self._missed if one != self._answer and not self._missed[one]]
        if bare:
            raise RecordError(
                f"answer was given as {quoted(answer)}, and options hold no words for "
                f"{quoted(bare[0])}; expected what is overlooked by whoever chooses it.",
                field="answer",
                value=answer,
            )
        super().__init__()

    @property
    def right(self) -> bool:
        """Whether the locked choice is the answer."""
        return self.locked and self.chosen == self._answer

    def choose(self, option: object) -> None:
        """Choose an option, as the list does."""
        self.typed("chosen", str(option))

    def lock(self) -> None:
        """Lock the choice, as the button does."""
        self.pressed("lock")

    def errors(self) -> Mapping[str, str]:
        """What is wrong with the choice."""
        return {"chosen": self._error}

    def lay_out(self) -> Sequence[Part]:
        """The question and its options; once locked, what was chosen."""
        if self.locked:
            return [
                Part(
                    "guess",
                    "Your prediction",
                    [(self._question, ""), (f"You expected: {self.chosen}", "soft")],
                )
            ]
        options = (("", "choose …"), *((option, option) for option in self._options))
        choice = Field("chosen", "choice", "I expect", self.chosen, options=options)
        button = Field("lock", "press", "Lock my prediction")
        return [Part("guess", "Predict first", [(self._question, "")], [choice, button])]

    def card(self) -> Card:
        """What is true, once the choice is locked."""
        if not self.locked:
            words = "What is true is shown here as soon as your prediction is locked."
            return Card("The answer", note(words), "")
        if self.right:
            tag, look, words = "as you predicted", "", f"It is {spelled(self._answer)}."
        else:
            tag, look = "not as you predicted", "unknown"
            words = f"It is {spelled(self._answer)}; you expected {spelled(self.chosen)}."
        missed = "" if self.right else self._missed.get(self.chosen, "")
        said = f"{missed} {self._because}".strip()
        return Card("The answer", headline(words, tag, look) + note(said), f"{words} {said}")

    def typed(self, place: str, value: str) -> None:  # noqa: ARG002
        """An option was chosen; once locked, nothing changes."""
        if self.locked:
            return
        if value and value not in self._options:
            raise RecordError(f"{quoted(value)} is none of the options; choose one of the list.")
        self.chosen, self._error = value, ""
        self.show()

    def pressed(self, place: str) -> None:  # noqa: ARG002
        """Lock what was chosen."""
        if not self.chosen:
            raise RecordError("Nothing is chosen yet; choose what you expect, then lock it.")
        self.locked = True
        self.show()

    def refuse(self, error: Exception, place: str) -> None:  # noqa: ARG002
        """Say what is wrong beside the list."""
        self._error = str(error)
        self.show()
