"""The errors of verikit: each is a ``ValueError`` and says in one sentence what to do."""

from math import isfinite
from pathlib import PurePath
from typing import Any, Self

__all__ = ["FormatError", "InfeasibleError", "RecordError", "SchemaError", "VerikitError"]

QUOTED = 80
SENTENCE = 560


def shortened(text: str, most: int = QUOTED) -> str:
    """A text cut to a length, with a mark where something was left out.

    Examples
    --------
    >>> shortened("a rather long name", most=10)
    'a rather …'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def quoted(value: object) -> str:
    """A given value as a message repeats it: in quotes if it is text, never long.

    Of the path of a file the end is kept, which names the file.

    Examples
    --------
    >>> quoted(2.5), quoted("clerk"), len(quoted("x" * 1_000_000)), quoted(10**5000)
    ('2.5', "'clerk'", 80, 'a number of 5,001 digits')
    >>> quoted(PurePath("folder/" * 100 + "file.csv"))[-25:]
    "r/folder/folder/file.csv'"
    """
    if isinstance(value, PurePath):
        name = str(value)
        over = len(repr(name)) > QUOTED
        return repr("…" + name[-(QUOTED - 3) :]) if over else repr(name)
    if isinstance(value, str):
        return shortened(repr(shortened(value, QUOTED - 2)))
    if isinstance(value, int) and abs(value) >= 10**QUOTED:  # which Python may refuse to write
        digits = int(value.bit_length() * 0.30102999566398114)
        return f"a number of {digits + (abs(value) >= 10**digits):,} digits"
    try:
        return shortened(repr(value))
    except Exception:
        return f"a {shortened(type(value).__name__)} that cannot be written out"


class VerikitError(ValueError):
    """What was given does not fit; the message tells what was expected and what to do.

    Parameters
    ----------
    message
        The sentence, in English; ``told`` keeps it, whatever language the error is said in.
    field
        The parameter or the column that it is about; empty where it is about no single one.
    value
        What was given for it.

    Examples
    --------
    >>> VerikitError("k was given as 0; expected at least 1.", field="k", value=0).as_dict()
    {'kind': 'VerikitError', 'field': 'k', 'value': 0, 'sentence': 'k was given as 0; expected at
    least 1.'}
    """

    def __init__(self, message: str = "", *, field: str = "", value: object = None) -> None:
        """Keep the beginning and the end of a sentence that repeats too much of its input."""
        if len(message) > SENTENCE:
            message = f"{message[: SENTENCE // 2]} … {message[-SENTENCE // 2 :]}"
        self.told, self.field, self.value = message, field, value
        super().__init__(message)

    @classmethod
    def given(cls, name: str, value: object, expected: str, *, field: str = "") -> Self:
        """Refuse what was given for something: the value is repeated, and what was expected said.

        Examples
        --------
        >>> (
        ...     str(RecordError.given("k", "two", "a whole number")),
        ...     RecordError.given("k", 0, "1").field,
        ... )
        ("k was given as 'two'; expected a whole number.", 'k')
        """
        said = f"{name} was given as {quoted(value)}; expected {expected}."
        return cls(said, field=field or (name if name.isidentifier() else ""), value=value)

    def as_dict(self) -> dict[str, Any]:
        """Give the error as JSON takes it; what is no number or short text as it is quoted."""
        return {
            "kind": type(self).__name__,
            "field": self.field,
            "value": self.value if _fits_json(self.value) else quoted(self.value),
            "sentence": str(self),
        }


def _fits_json(value: Any) -> bool:
    """Whether a value is nothing, a short text, or a number that JSON can hold."""
    if isinstance(value, str):
        return len(value) <= QUOTED
    if isinstance(value, float):
        return isfinite(value)
    return value is None or (isinstance(value, int) and abs(value) < 10**QUOTED)


class SchemaError(VerikitError):
    """A table and its description (columns, roles, kinds, hierarchies) disagree."""


class RecordError(VerikitError):
    """A record, a value or a request about one record cannot be used as given."""


class InfeasibleError(VerikitError):
    """What was asked for cannot be reached with these data; the message names what can."""


class FormatError(VerikitError):
    """A file, a folder or a name cannot be read as what it should be."""
