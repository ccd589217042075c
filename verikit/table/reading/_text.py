"""Text files into tables: encoding, layout and numbers found out where nobody says them."""

from __future__ import annotations

import codecs
import csv
import io
import re
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, BinaryIO

import pandas as pd

from verikit._support.told import Told
from verikit.errors import FormatError, quoted
from verikit.table._values import with_dates, with_digits
from verikit.table.reading._layout import (
    LINES,
    SEPARATORS,
    Layout,
    Line,
    find_footer,
    find_layout,
    note_footer,
)
from verikit.table.reading._numbers import (
    note_disturbed_numbers,
    perhaps_thousands,
    read_numbers,
    without_numbers,
)
from verikit.table.reading._reading import Asked, Reading
from verikit.table.reading._scan import (
    find_code_columns,
    find_truncated_rows,
    may_hold_long_numbers,
)

EXACT: Mapping[str, Any] = (
    {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
    else {"float_precision": "round_trip"}  # what later versions do by themselves
)  # fmt: skip
HEAD, TAIL = 2**18, 2**16
NARROW = ("utf-8", "utf-8-sig", "cp1252", "iso8859-1", "ascii")
LINE = re.compile(r"\bline (\d+)")


def read_text(
    box: list[bytes],
    textual: Collection[str] | None,
    missing: Sequence[str],
    asked: Asked,
    options: Mapping[str, Any],
    reopen: Callable[[], BinaryIO] | None = None,
) -> Reading:
    """Read a text file: separator, encoding, title lines and decimal mark as asked or found.

    Parameters
    ----------
    box
        Its bytes, which are taken out.
    textual
        The columns to keep as text; by default those that hold codes with leading zeros.
    missing
        What stands for a missing value.
    asked
        What was said of the file.
    options
        Further options of `pandas.read_csv`.
    reopen
        Opens the file again, so that its bytes need no room beside its table.
    """
    whole = box.pop()
    encoding, guessed = _choose_encoding(whole, asked)
    content, letters = _to_bytes_of_utf8(whole, encoding)
    separator = {"tab": "\t", "\\t": "\t", "space": " "}.get(str(asked.separator), asked.separator)
    if separator is not None and separator not in SEPARATORS:
        raise FormatError(
            f"The separator was given as {quoted(separator)}; expected one of a comma, a "
            "semicolon, 'tab', a bar '|' or 'space'."
        )
    layout = find_layout(_read_head(content, letters), separator)
    content, footer = _cut_out_records(content, letters, layout, "names" in options)
    opened = reopen if reopen and content is whole else partial(io.BytesIO, content)
    del whole
    names = list(options.get("names", layout.names))
    settings: dict[str, Any] = {
        "sep": layout.separator,
        "names": ["row name", *names] if layout.row_names else names,
        "header": None if "names" in options else 0,
        "encoding": letters,
        "na_values": list(missing),
        "keep_default_na": False,
        "skipinitialspace": True,
        "index_col": False,
        **EXACT,
    } | {name: value for name, value in options.items() if name not in ("names", "compression")}
    if b" " not in content and b"\t" not in content:
        settings["skipinitialspace"] = False  # there are none, and looking takes a quarter longer
    kept, lines = set(textual or ()), int("names" not in options)
    if textual is None:
        words = partial(read_csv, opened, settings | {"dtype": str})
        kept = find_code_columns(
            content, settings["names"], layout.separator, lines, words, missing
        )
    many_digits = may_hold_long_numbers(content)
    del content
    settings["dtype"] = dict.fromkeys(kept.intersection(settings["names"]), str)

    def again(**more: Any) -> pd.DataFrame:
        return read_csv(opened, settings | more, layout.skipped)

    notes = [note for note in (guessed, *layout.notes, *note_footer(footer)) if note]
    if asked.decimal not in (None, ".", ","):
        raise FormatError(
            f"The decimal mark was given as {quoted(asked.decimal)}; expected '.' or ','."
        )
    frame, decimal, found = read_numbers(again(), again, kept, missing, asked.decimal)
    unsure = (
        [] if found or asked.decimal or layout.separator == "," else perhaps_thousands(frame, again)
    )
    notes += [*found, *unsure]
    frame, long = with_digits(without_numbers(frame, missing), again, many_digits)
    if layout.row_names:
        frame = frame.iloc[:, 1:]
    last = len(frame.columns)
    nameless = "names" not in options and last > 1 and frame.columns[-1] == f"column {last}"
    if nameless and bool(frame.iloc[:, -1].isna().all()):
        frame = frame.iloc[:, :-1]
        said = "Its lines end with a separator; the empty column after it was left out."
        notes.append(Told(said, "empty-end"))
    if not options.keys() - {"names", "compression"}:
        width = len(frame.columns) + layout.row_names
        notes += find_truncated_rows(frame, width, opened, Asked(letters, layout.separator), lines)
    if textual is None:
        frame, found = with_dates(frame)
        notes += found
    how = Asked(encoding, layout.separator, decimal)
    return Reading(frame, {}, (*notes, *note_disturbed_numbers(frame, kept), *long), how)


def _to_bytes_of_utf8(content: bytes, encoding: str) -> tuple[bytes, str]:
    """Turn a text into UTF-8, unless its marks are the same bytes anyway; and tell its letters.

    Lines that end with a carriage return alone, as on old computers, end with a line feed then:
    pandas shifts values of theirs that follow a blank line.
    """
    if codecs.lookup(encoding).name not in NARROW:
        content, encoding = content.decode(encoding).removeprefix("\ufeff").encode(), "utf-8"
    if b"\n" not in content:
        content = content.replace(b"\r", b"\n")
    return content, encoding


def _cut_out_records(
    content: bytes, letters: str, layout: Layout, nameless: bool
) -> tuple[bytes, list[Line]]:
    """Cut out what stands below the titles and above the footer; return the footer's lines too."""
    wide = "utf-8" if codecs.lookup(letters).name.startswith("utf-8") else letters
    start, end = 0, len(content)
    if layout.start:
        mark = len(codecs.BOM_UTF8) if wide == "utf-8" and content[:3] == codecs.BOM_UTF8 else 0
        start = mark + len(_read_head(content, letters)[: layout.start].encode(wide))
    below = content.find(b"\n", start) + 1 or content.find(b"\r", start) + 1
    tail = content[max(start if nameless else below, end - TAIL) :].decode(wide, "ignore")
    texts = LINES.findall(tail)
    blanks = " \r\n" if layout.separator == "\t" else " \t\r\n"
    rows = []
    for text in texts:  # each line by itself, as a quoted value of several lines is no footer
        reader = csv.reader([text], delimiter=layout.separator, skipinitialspace=True)
        values = next(reader, []) if text.strip(blanks) else []
        rows.append(Line(tuple(value.strip() for value in values)))
    place = find_footer(rows, len(layout.names) + layout.row_names, layout.counted)
    cut = end - len("".join(texts[place:]).encode(wide))
    if place == len(rows) or content.count(b'"', start, cut) % 2:
        return content[start:], []
    return content[start:cut], [row for row in rows[place:] if row.width]


def _choose_encoding(content: bytes, asked: Asked) -> tuple[str, str]:
    if asked.encoding is None:
        return guess_encoding(content)
    try:
        "".encode(asked.encoding)
    except (LookupError, TypeError, ValueError):
        raise FormatError(
            f"The encoding was given as {quoted(asked.encoding)}; expected one such as 'utf-8', "
            "'latin-1' or 'utf-16'.",
            field="encoding",
            value=asked.encoding,
        ) from None
    return asked.encoding, ""


def _read_head(content: bytes, encoding: str) -> str:
    """Read the beginning of the text, cut at the end of a line."""
    stream = io.TextIOWrapper(io.BytesIO(content), encoding=encoding, newline="")
    head = stream.read(HEAD).removeprefix("\ufeff")
    return head if len(head) < HEAD else head[: head.rfind("\n") + 1] or head


def read_csv(
    opened: Callable[[], BinaryIO], settings: Mapping[str, Any], above: int = 0
) -> pd.DataFrame:
    """Read a CSV file that is opened for it, below some lines; what would be dropped is refused."""
    with warnings.catch_warnings(), opened() as file:
        warnings.simplefilter("error", pd.errors.ParserWarning)  # it would drop what is too long
        try:
            return pd.read_csv(file, **settings)
        except pd.errors.ParserError as error:
            said = LINE.sub(lambda found: f"line {int(found[1]) + above}", str(error))
            error.args = (said,)
            raise


MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
CHUNK, GUESSED_BYTES, MANY_ZEROS = 2**20, 4096, 0.3
CONTROLS = re.compile(rb"[\0-\x08\x0b\x0e-\x1f]")
NO_LETTERS = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")


def guess_encoding(content: bytes) -> tuple[str, str]:
    """Guess the encoding of a text: a mark, zeros of UTF-16, valid UTF-8, else Windows-1252.

    Cyrillic and other 8-bit encodings cannot be told from Windows-1252, so a note says that it was
    guessed.

    Examples
    --------
    >>> guess_encoding("Größe".encode("utf-16-le"))
    ('utf-16-le', 'It was read as UTF-16.')
    >>> guess_encoding("Größe".encode("latin-1"))[0]
    'cp1252'
    """
    for mark, name in MARKS:
        if content.startswith(mark):
            return name, ""
    # UTF-16 without a mark: in most languages every second byte is a zero
    head = content[:GUESSED_BYTES]
    even, odd = (part.count(0) / max(len(part), 1) for part in (head[::2], head[1::2]))
    if (odd > MANY_ZEROS) != (even > MANY_ZEROS):
        wide = "utf-16-le" if odd > even else "utf-16-be"
        return wide, Told("It was read as UTF-16.", "utf-16")
    if _is_utf8(content):
        return "utf-8", ""
    if CONTROLS.search(content[:GUESSED_BYTES]) or NO_LETTERS.search(content):
        raise FormatError(
            "The file is neither text in UTF-8 nor in Windows-1252; save it as CSV in UTF-8, or "
            "name its encoding."
        )
    return "cp1252", Told(
        "Its letters are not in UTF-8 and were read as Windows-1252; if they look wrong, name the "
        "encoding.",
        "letters-guessed",
    )


def _is_utf8(content: bytes) -> bool:
    """Whether bytes are valid UTF-8, decoded in chunks so that no second copy is held."""
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
