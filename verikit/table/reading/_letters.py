"""The letters of a text file: its encoding where nobody names one."""

from __future__ import annotations

import codecs
import re

from verikit._support.told import Told
from verikit.errors import FormatError

__all__ = ["encoding_of"]

MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
CHUNK, HEAD, MANY = 2**20, 4096, 0.3
CONTROLS = re.compile(rb"[\0-\x08\x0b\x0e-\x1f]")
NO_LETTERS = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")


def encoding_of(content: bytes) -> tuple[str, str]:
    """The encoding of a text, and a note where it was guessed.

    Examples
    --------
    >>> encoding_of("Größe".encode("utf-16-le"))
    ('utf-16-le', 'It was read as UTF-16.')
    >>> encoding_of("Größe".encode("latin-1"))[0]
    'cp1252'
    """
    for mark, name in MARKS:
        if content.startswith(mark):
            return name, ""
    wide = _wide(content[:HEAD])
    if wide:
        return wide, Told("It was read as UTF-16.", "utf-16")
    if _is_utf8(content):
        return "utf-8", ""
    if CONTROLS.search(content[:HEAD]) or NO_LETTERS.search(content):
        raise FormatError(
            "The file is neither text in UTF-8 nor in Windows-1252; save it as CSV in UTF-8, or "
            "name its encoding."
        )
    return "cp1252", Told(
        "Its letters are not in UTF-8 and were read as Windows-1252; if they look wrong, name the "
        "encoding.",
        "letters-guessed",
    )


def _wide(head: bytes) -> str:
    """UTF-16 without a mark: every second byte is a zero."""
    even, odd = (part.count(0) / max(len(part), 1) for part in (head[::2], head[1::2]))
    if odd > MANY > even:
        return "utf-16-le"
    return "utf-16-be" if even > MANY > odd else ""


def _is_utf8(content: bytes) -> bool:
    if content.isascii():
        return True
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(content), CHUNK):
            decoder.decode(content[start : start + CHUNK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True
