"""One guard where things come in: the errors of libraries as one sentence of ours."""

from __future__ import annotations

import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from verikit.errors import FormatError, VerikitError, quoted, shortened

try:
    from lzma import LZMAError
except ModuleNotFoundError:  # as in a Python that runs in a browser
    LZMAError = zlib.error  # type: ignore[assignment, misc]

CAUSES: tuple[tuple[tuple[type[BaseException], ...], str], ...] = (
    (
        (zlib.error, LZMAError, EOFError, zipfile.BadZipFile, tarfile.TarError),
        "is damaged or was cut short; ask for it again",
    ),
    (
        (NotImplementedError,),
        "is packed in a way that cannot be read; unpack it, or pack it again as an ordinary zip",
    ),
    ((RecursionError,), "is nested too deeply; write it with fewer levels"),
    ((OverflowError,), "holds a number that is too large; expected numbers up to 1e308"),
    ((MemoryError,), "needs more memory than there is; give less at once"),
    ((UnicodeError,), "holds characters that cannot be read or written; correct them"),
)
FOREIGN: tuple[type[BaseException], ...] = (
    *(kind for kinds, _ in CAUSES for kind in kinds),
    OSError,
)


@contextmanager
def guard(what: str, kind: type[VerikitError] = FormatError) -> Iterator[None]:
    """Turn what damaged, huge or hostile input makes of a library into one sentence.

    Wrong types and values are refused where they are used; this is for what only the library
    notices. Mistakes of our own (a ``KeyError``, a ``TypeError``) go through, so that they are
    seen. It guards a block, or as a decorator a whole function.

    Parameters
    ----------
    what
        What came in, as the subject of the sentence.
    kind
        The error to raise.

    Examples
    --------
    >>> with guard("'people.zip'"):
    ...     raise EOFError
    Traceback (most recent call last):
    verikit.errors.FormatError: 'people.zip' is damaged or was cut short; ask for it again.
    """
    try:
        yield
    except (VerikitError, BrokenPipeError):
        raise
    except FOREIGN as error:
        refusal = kind(f"{what} {_cause(error)}.")
        raise refusal from error


def _cause(error: BaseException) -> str:
    for kinds, said in CAUSES:
        if isinstance(error, kinds):
            return said
    reason = " ".join(str(getattr(error, "strerror", None) or error).split()).rstrip(".")
    return f"cannot be read or written: {shortened(reason) or type(error).__name__}"


def named(source: Any) -> str:
    """What a file is called in a sentence: its name without its folders, in quotes.

    Examples
    --------
    >>> named("/home/ann/people.csv"), named(b"")
    ("'people.csv'", 'What was given')
    """
    name = getattr(source, "name", source)
    if not isinstance(name, (str, Path)):
        return "What was given"
    return quoted(Path(name).name or str(name))
