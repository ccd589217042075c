"""Text files into tables: encoding, layout and numbers found out where nobody says them."""

from __future__ import annotations

import codecs
import csv
import io
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, tee
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.memory import release_unused
from verikit._support.rules import CELLS, LIMITS, PARTS, RULES
from verikit.errors import FormatError, quoted
from verikit.languages import tell
from verikit.table._values import with_dates, with_digits
from verikit.table.reading._layout import (
    LINES,
    Layout,
    Line,
    find_footer,
    find_layout,
    names_of,
    note_left_out,
    split_line,
)
from verikit.table.reading._numbers import (
    keep_truths_apart,
    note_disturbed_numbers,
    perhaps_thousands,
    read_numbers,
    without_numbers,
)
from verikit.table.reading._pieces import PIECE, join_pieces
from verikit.table.reading._reading import TO_CSV, Asked, Lines, Reading
from verikit.table.reading._scan import (
    Content,
    Scan,
    cut_lines,
    find_line_end,
    scan_bytes,
)
from verikit.values.names import make_categories

EXACT: Mapping[str, Any] = (
    {} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
    else {"float_precision": "round_trip"}  # what later versions do by themselves
)  # fmt: skip
UTF8_MARKS = re.compile(b"(?:" + codecs.BOM_UTF8 + b")+")
SINGLE = ("cp1252", "iso8859-1", "ascii")  # letters of one byte
LINE_NUMBER = re.compile(r"\bline (\d+)")
ROW_NAME = "\0"  # what no column is called
MIN_ROWS_TO_COUNT = 10_000  # below, a file is read again sooner than its separators are counted


def read_text(
    content: Content,
    textual: Collection[str] | None,
    missing: Sequence[str],
    asked: Asked,
    options: Mapping[str, Any],
) -> Reading:
    """Read a text file: separator, encoding, title lines and decimal mark as asked or found.

    Parameters
    ----------
    content
        Its bytes; they are read in pieces, several times, so that they need no room.
    textual
        The columns to keep as text; by default those that hold codes with leading zeros.
    missing
        What stands for a missing value.
    asked
        What was said of the file.
    options
        Further options of `pandas.read_csv`.
    """
    content, encoding, guessed = _read_content(content, asked)
    letters = "utf-8" if _look_up_letters(encoding) not in SINGLE else encoding
    separator = {"tab": "\t", "\\t": "\t", "space": " "}.get(str(asked.separator), asked.separator)
    if separator is not None and separator not in [*RULES["separators"], " "]:
        raise FormatError(
            f"The separator was given as {quoted(separator)}; expected one of a comma, a "
            "semicolon, 'tab', a bar '|' or 'space'."
        )
    layout, named = find_layout(_read_head(content, letters), separator), "names" in options
    content, footer = _cut_out_records(content, letters, layout, named)
    if letters == "utf-8" and content[:3] == codecs.BOM_UTF8:
        content = Content.of(chain([codecs.BOM_UTF8], content.parts()))  # pandas takes the first
    names = list(options.get("names", layout.names))
    names = [ROW_NAME, *names] if layout.row_names else names
    settings = _settings_of(layout, names, letters, missing, options)
    table = Table(content, settings, layout, not options.keys() - {"names", "compression"})
    scan = table.scan()
    uneven = scan.uneven
    try:
        reading = _read_table(table, scan, textual, asked)
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        uneven = "EOF" not in str(error)
        if not (table.plain and uneven):
            raise
    if table.plain and uneven:
        even = table.write_evenly()
        reading = _read_table(even, even.scan(), textual, asked)
    below = [line.title for line in footer if line.width]
    found = (guessed, *layout.notes, *note_left_out("footer", below))
    notes = [note for note in found if note]
    lines = table.count_lines(len(reading.frame), scan) if table.plain else None
    if lines is not None:
        blank = lines.blank + layout.skipped - layout.titled + len(footer) - len(below)
        lines = replace(lines, title=layout.titled, blank=blank, footer=len(below))
    how = replace(reading.how or asked, encoding=encoding)
    return replace(reading, notes=(*notes, *reading.notes), how=how, lines=lines)


def read_written(
    content: Content,
    textual: Collection[str] | None,
    missing: Sequence[str],
    options: Mapping[str, Any],
) -> pd.DataFrame:
    """Read a CSV file in UTF-8 as it is written: names in its first line, nothing to be guessed.

    Parameters
    ----------
    content, textual, missing, options
        As `read_text` has them; ``skipinitialspace`` and ``sep`` among the options say whether
        blanks before a value count for nothing, and what separates values.
    """
    letters = options.get("encoding", "utf-8-sig")
    lines = io.TextIOWrapper(content.open(), letters, newline="")
    first = next((line for line in lines if line.strip()), "")
    if not first:
        raise FormatError(tell("empty-file"))
    separator = options.get("sep") or max(RULES["separators"], key=first.count)
    lines = io.TextIOWrapper(content.open(), letters, newline="")
    spaces = options.get("skipinitialspace", True)
    rows = csv.reader(lines, delimiter=separator, skipinitialspace=spaces)
    found = [name.strip() if spaces else name for name in next(filter(None, rows))]
    names = [*options["names"]] if "names" in options else names_of(found)
    layout = Layout(separator, 0, 0, 0, tuple(names), False, False, ())
    settings = _settings_of(layout, names, letters, missing, options)
    table = Table(content, settings, layout, "names" not in options)
    scan = table.scan()
    frame, table, _ = _read_columns(table, scan, textual)
    return with_digits(frame, table.read_pieces, scan)[0]


def _settings_of(
    layout: Layout,
    names: Sequence[str],
    letters: str,
    missing: Sequence[str],
    options: Mapping[str, Any],
) -> dict[str, Any]:
    """What `pandas.read_csv` is told; options that somebody gave stand above the others."""
    return {
        "sep": layout.separator,
        "names": names,
        "header": None if "names" in options else 0,
        "encoding": letters,
        "na_values": list(missing),
        "keep_default_na": False,
        "skipinitialspace": True,
        "index_col": False,
        **EXACT,
    } | {name: value for name, value in options.items() if name not in ("names", "compression")}


@dataclass(frozen=True, slots=True)
class Table:
    """The names and the records of a text file, and how pandas reads them.

    Parameters
    ----------
    content
        What stands below the titles and above the footer.
    settings
        The options of `pandas.read_csv`.
    layout
        How its lines make a table.
    plain
        Whether nobody asked for other options.
    most
        How many records it has at the most.
    """

    content: Content
    settings: Mapping[str, Any]
    layout: Layout
    plain: bool
    most: int = 0

    @property
    def named(self) -> bool:
        """Whether the names of its columns stand above its records."""
        return self.settings["header"] == 0

    def scan(self) -> Scan:
        """Look at all of its bytes."""
        names = self.settings["names"]
        return scan_bytes(self.content, self.layout.separator, len(names), int(self.named))

    def read_records(self, *more: str) -> Iterator[tuple[list[str] | None, int]]:
        """Read the values of each record, None of a blank line, and how many lines it takes."""
        separator, before = self.settings["sep"], 0
        blanks = " \r\n" if separator == "\t" else " \t\r\n"
        with suppress(csv.Error):
            lines = io.TextIOWrapper(self.content.open(), self.settings["encoding"], newline="")
            kept, seen = tee(chain(lines, more))
            reader = csv.reader(kept, delimiter=separator, skipinitialspace=True)
            for values in reader:
                taken = reader.line_num - before
                text = "".join(islice(seen, taken))
                yield (values if text.strip(blanks) else None), taken
                before = reader.line_num

    def read(self, **more: Any) -> pd.DataFrame:
        """Read it with some more options."""
        frame = join_pieces(self.read_pieces(**more), self.most)
        release_unused()
        return frame

    def read_pieces(self, parts: int = 1, **more: Any) -> Iterator[pd.DataFrame]:
        """Read it piece by piece, in so many parts each, with some more options.

        What would be dropped is refused.
        """
        settings, size = {**self.settings, **more}, {"chunksize": max(PIECE // parts, 1)}
        plainly = pd.option_context("mode.string_storage", "python")  # not put into Arrow, and back
        with warnings.catch_warnings(), plainly:
            warnings.simplefilter("error", pd.errors.ParserWarning)  # what is too long would go
            try:
                if not self.plain:
                    yield pd.read_csv(self.content.open(), **settings)
                    return
                with pd.read_csv(self.content.open(), **settings, **size) as pieces:
                    yield from pieces
            except pd.errors.ParserError as error:
                above = self.layout.skipped
                said = LINE_NUMBER.sub(lambda found: f"line {int(found[1]) + above}", str(error))
                error.args = (said,)
                raise

    def write_evenly(self) -> Table:
        """Write its records anew, without what is missing behind the last of their values."""
        names, separator = self.settings["names"], self.settings["sep"]
        missing, stream = {"", *self.settings["na_values"]}, io.StringIO(newline="")
        writer = csv.writer(stream, delimiter=separator, lineterminator="\n", quoting=csv.QUOTE_ALL)
        written, line = not self.named, self.layout.skipped
        for values, taken in self.read_records(ROW_NAME):
            line += taken
            if values == [ROW_NAME]:
                break
            if any(value.strip() not in missing for value in (values or ())[len(names) :]):
                raise FormatError(
                    "The file has records with more values than its first line has names "
                    f"({len(values or ())} in line {line}); name each column, or remove the values."
                )
            if values is not None:
                writer.writerow((values if written else [*values, *names])[: len(names)])
                written = True
        else:
            raise FormatError(
                "The file ends inside a quoted value; close the quotes, or ask for it again."
            )
        content = Content.of(io.BytesIO(stream.getvalue().encode()))
        return replace(self, content=content, settings={**self.settings, "encoding": "utf-8"})

    def count_lines(self, records: int, scan: Scan) -> Lines:
        """Count its lines by what became of them; as many records must have been read.

        Where no line is blank and no value holds several, their number says it.
        """
        if scan.lines == records + self.named:
            return Lines(names=int(self.named), records=records, blank=scan.behind)
        found = [(values is None, taken) for values, taken in self.read_records()]
        held = [taken for blank, taken in found if not blank]
        names = sum(held[: int(self.named)])
        if len(held) != records + self.named:
            raise FormatError(
                f"{len(held) - self.named:,} records stand in the file, and {records:,} were read; "
                f"{TO_CSV}."
            )
        blank = sum(taken for blank, taken in found if blank)
        return Lines(names=names, records=sum(held) - names, blank=blank)

    def find_short_record(self, frame: pd.DataFrame, separators: int) -> list[str]:
        """Say which record is the first that ends before its last value.

        The last value of such a record is missing, and a separator of a large file, so that most
        files need not be looked at again.
        """
        records, width = len(frame), len(frame.columns) + self.layout.row_names
        if width < 2 or not frame.iloc[:, -1].isna().any():
            return []
        even = separators in ((width - 1) * records, width * records)  # or all end with one more
        if records > MIN_ROWS_TO_COUNT and even:
            return []
        held = (values for values, _ in self.read_records() if values is not None)
        counts = enumerate(map(len, islice(held, int(self.named), None)), 1)
        row = next((at for at, count in counts if count < width), 0)
        if not 0 < row <= records or not pd.isna(frame.iloc[row - 1, -1]):
            return []
        return [tell("short-record", row=row, records=records)]


def _read_table(table: Table, scan: Scan, textual: Collection[str] | None, asked: Asked) -> Reading:
    """Read the values of a table."""
    if asked.decimal not in (None, ".", ","):
        raise FormatError(
            f"The decimal mark was given as {quoted(asked.decimal)}; expected '.' or ','."
        )
    layout, missing = table.layout, table.settings["na_values"]
    frame, table, kept = _read_columns(table, scan, textual)
    again = table.read
    frame = keep_truths_apart(frame, again)
    frame, decimal, found = read_numbers(frame, again, kept, missing, asked.decimal, scan.large)
    unsure = not (found or asked.decimal or layout.separator == ",")
    notes = [*found, *(perhaps_thousands(frame, again, missing) if unsure else ())]
    frame, long = with_digits(without_numbers(frame, missing), table.read_pieces, scan, kept)
    last = len(frame.columns)
    nameless = table.named and last > 1 and frame.columns[-1] == f"column {last}"
    if nameless and bool(frame.iloc[:, -1].isna().all()):
        frame = frame.iloc[:, :-1]
        notes.append(tell("empty-end"))
    how = Asked(table.settings["encoding"], layout.separator, decimal)
    if table.plain:
        notes += table.find_short_record(frame, scan.separators)
    if textual is None:
        frame, found = with_dates(frame)
        notes += found
    return Reading(frame, {}, (*notes, *note_disturbed_numbers(frame, kept), *long), how)


def _read_columns(
    table: Table, scan: Scan, textual: Collection[str] | None
) -> tuple[pd.DataFrame, Table, dict[str, int]]:
    """Read a table with codes as words; give also how to read it again, and these columns."""
    # looking for spaces where there are none takes a quarter longer
    settings = {**table.settings} if scan.spaces else {**table.settings, "skipinitialspace": False}
    table = replace(table, settings=settings, most=scan.lines)
    kept, names = dict.fromkeys(textual or (), 0), table.settings["names"]
    if textual is None:
        words = partial(table.read_pieces, dtype=str)
        kept = find_code_columns(table.content, scan, names, words, table.settings["na_values"])
    even = {n: digits for n, digits in kept.items() if digits and table.plain and n != ROW_NAME}
    frame = table.read(dtype={name: str for name in names if name in kept and name not in even})
    if even and not all(frame[name].dtype == np.int64 for name in even):
        frame = table.read(dtype={name: str for name in names if name in kept})
    elif even:
        frame = frame.assign(**{name: _as_codes(frame[name], even[name]) for name in even})
    return frame.iloc[:, int(table.layout.row_names) :], table, kept


def _read_content(content: Content, asked: Asked) -> tuple[Content, str, str]:
    """Find the bytes of a text, in UTF-8 unless its marks are the same bytes anyway.

    Returned are also its letters, and a note of them. Lines that end with a carriage return alone,
    as on old computers, end with a line feed then: pandas shifts values of theirs that follow a
    blank line.
    """
    head = content[:GUESSED_BYTES]
    found = guess_wide_encoding(head) if asked.encoding is None else (asked.encoding, "")
    if found and _look_up_letters(found[0]) not in ("utf-8", "utf-8-sig", *SINGLE):
        decoded = codecs.iterdecode(content.parts(), found[0])
        content = Content.of(part.encode() for part in decoded)
    encoding, note = found or guess_encoding(content)
    marks = UTF8_MARKS.match(content[:GUESSED_BYTES])
    if marks and _look_up_letters(encoding) not in SINGLE:
        content = content.cut(len(marks[0]))
    if not any(b"\n" in part for part in content.parts()):
        content = Content.of(part.replace(b"\r", b"\n") for part in content.parts())
    return content, encoding, note


def _cut_out_records(
    content: Content, letters: str, layout: Layout, nameless: bool
) -> tuple[Content, list[Line]]:
    """Cut out what stands below the titles and above the footer; return what stands below too."""
    start, end = 0, len(content)
    if layout.start:
        start = len(_read_head(content, letters)[: layout.start].encode(letters))
    below = start if nameless else find_line_end(content, start, b"\r")
    tail = str(content[max(below, end - LIMITS.tail) :], letters, "ignore")
    texts = LINES.findall(tail)
    # each line by itself, as a quoted value of several lines is no footer
    rows = [Line(split_line(text, layout.separator)) for text in texts]
    place = find_footer(rows, len(layout.names) + layout.row_names, layout.counted)
    above = content.cut(start, end - len("".join(texts[place:]).encode(letters)))
    if place == len(rows) or sum(part.count(b'"') for part in above.parts()) % 2:
        return content.cut(start), []
    return above, rows[place:]


def _look_up_letters(encoding: str) -> str:
    try:
        "".encode(encoding)
        return codecs.lookup(encoding).name
    except (LookupError, TypeError, ValueError):
        raise FormatError(
            f"The encoding was given as {quoted(encoding)}; expected one such as 'utf-8', "
            "'latin-1' or 'utf-16'.",
            field="encoding",
            value=encoding,
        ) from None


def _read_head(content: Content, encoding: str) -> str:
    """Read the beginning of the text, cut at the end of a line."""
    head = io.TextIOWrapper(content.open(), encoding=encoding, newline="").read(LIMITS.head)
    return head if len(head) < LIMITS.head else head[: head.rfind("\n") + 1] or head


MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
GUESSED_BYTES = 4096
CONTROLS = re.compile(rb"[\0-\x08\x0b\x0e-\x1f]")
NO_LETTERS = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")


def guess_wide_encoding(head: bytes) -> tuple[str, str] | None:
    """Find the encoding by how a text begins: a mark, or zeros of UTF-16; None where neither is.

    Examples
    --------
    >>> guess_wide_encoding("Größe".encode("utf-16-le")), guess_wide_encoding(b"age")
    (('utf-16-le', 'It was read as UTF-16.'), None)
    """
    for mark, name in MARKS:
        if head.startswith(mark):
            return name, ""
    # UTF-16 without a mark: in most languages every second byte is a zero
    even, odd = (part.count(0) / max(len(part), 1) for part in (head[::2], head[1::2]))
    if (odd > LIMITS.zeros) != (even > LIMITS.zeros):
        wide = "utf-16-le" if odd > even else "utf-16-be"
        return wide, tell("utf-16")
    return None


def guess_encoding(content: Content) -> tuple[str, str]:
    """Guess the encoding of a text without marks: UTF-8 where it is valid, else Windows-1252.

    Cyrillic and other 8-bit encodings cannot be told from Windows-1252, so a note says that it was
    guessed.

    Examples
    --------
    >>> guess_encoding(Content.of(["Größe".encode("latin-1")]))[0]
    'cp1252'
    """
    try:
        for _ in codecs.iterdecode(content.parts(), "utf-8"):
            pass
    except UnicodeDecodeError:
        pass
    else:
        return "utf-8", ""
    if CONTROLS.search(content[:GUESSED_BYTES]) or any(map(NO_LETTERS.search, content.parts())):
        raise FormatError(
            "The file is neither text in UTF-8 nor in Windows-1252; save it as CSV in UTF-8, or "
            "name its encoding."
        )
    return "cp1252", tell("letters-guessed")


CODED = re.compile(rb"0(?<![\w.]0)\d")


def find_code_columns(
    content: Content,
    scan: Scan,
    names: Sequence[str],
    read: Callable[[], Iterable[pd.DataFrame]],
    missing: Sequence[str] = (),
) -> dict[str, int]:
    r"""Name the columns that hold codes with leading zeros, which are no numbers.

    Parameters
    ----------
    content
        The file.
    scan
        What was found in it.
    names
        The names of its columns.
    read
        Reads all of it as text, in pieces; asked only where quotes, blanks or line ends are in
        the way, or a mark of missing values may be taken for a code.
    missing
        The marks that stand for a missing value.

    Returns
    -------
    dict
        By name how many digits each of its values has, where all are digits and of one length; 0
        where they are not, or this was not looked at.

    Examples
    --------
    >>> content = Content.of([b"zip,age\n02138,41\n"])
    >>> find_code_columns(content, scan_bytes(content, ",", 2), ["zip", "age"], list)
    {'zip': 5}
    """
    if scan.quoted or scan.uneven or scan.padded:
        held = any(CODED.search(part.replace(b"\0", b"")) for _, part in cut_lines(content))
        return dict.fromkeys(_names_with_codes(read()) if held else (), 0)
    named = {names[at]: digits for at, digits in scan.codes.items() if at < len(names)}
    if named and any(map(PARTS.code.search, missing)):
        named = {name: named[name] for name in _names_with_codes(read()) & named.keys()}
    odd = any(map(CELLS.plain.fullmatch, missing))
    return dict.fromkeys(named, 0) if odd else named


def _names_with_codes(pieces: Iterable[pd.DataFrame]) -> set[str]:
    found = set[str]()
    for piece in pieces:
        for name in piece.columns.difference(list(found)):
            words = map(str.strip, piece[name].dropna().unique())
            found |= {name} if any(map(PARTS.code.search, words)) else set()
    return found


def _as_codes(numbers: pd.Series[Any], digits: int) -> pd.Series[Any]:
    """Write whole numbers as codes of so many digits, each of them once.

    Examples
    --------
    >>> _as_codes(pd.Series([2138, 10115]), 5).tolist()
    ['02138', '10115']
    """
    values = numbers.to_numpy()
    found = pd.Index(np.sort(pd.unique(values)))
    places = np.empty(len(values), np.min_scalar_type(-len(found)))
    for at in range(0, len(values), PIECE):
        places[at : at + PIECE] = found.get_indexer(values[at : at + PIECE])
    names = [*map(f"%0{digits}d".__mod__, found.tolist())]
    return pd.Series(make_categories(places, names, kind=object), index=numbers.index)
