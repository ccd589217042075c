"""Where the table of a text file begins and ends, and what separates its values."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, zip_longest
from typing import Literal

from verikit._support.rules import CELLS, LIMITS, RULES
from verikit.errors import FormatError, SchemaError, quoted
from verikit.languages import tell
from verikit.values.names import list_repeated
from verikit.values.numbers import plain_digits
from verikit.words import listed

YEAR = 4
LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


def _is_number(value: str) -> bool:
    return CELLS.number_like.fullmatch(plain_digits(value)) is not None


@dataclass(frozen=True, slots=True)
class Layout:
    """How the lines of a file make a table.

    Parameters
    ----------
    separator
        What stands between two values.
    start
        How many letters stand above the names of the columns.
    skipped
        How many lines these are.
    titled
        How many of these lines are not blank.
    names
        The names of the columns.
    row_names
        Whether each record begins with a name of its own, which no column name stands above.
    counted
        Whether the records are numbers in one column, so that words below them are none.
    notes
        What of this was found out, in sentences.
    """

    separator: str
    start: int
    skipped: int
    titled: int
    names: tuple[str, ...]
    row_names: bool
    counted: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A record of the file, the letters and lines above it, and what stands between."""

    values: tuple[str, ...]
    start: int = 0
    skipped: int = 0
    apart: bool = False

    @property
    def all_words(self) -> bool:
        """Whether none of its values is a number, and none is empty."""
        return all(value and not _is_number(value) for value in self.values)

    @property
    def width(self) -> int:
        """How many values it has, without the empty ones at its end."""
        return max((place for place, value in enumerate(self.values, 1) if value), default=0)

    def is_shorter(self, usual: int) -> bool:
        """Whether it is too short for a record, and for names above row names."""
        return self.width == 1 < usual or self.width < usual - 1

    @property
    def title(self) -> str:
        """It as one text."""
        return " ".join(filter(None, self.values))


def find_layout(head: str, separator: str | None = None) -> Layout:
    r"""Find separator, title lines, names and row names in the beginning of a file.

    Parameters
    ----------
    head
        The beginning of the file, cut at the end of a line.
    separator
        What separates the values, if somebody said it.

    Examples
    --------
    >>> found = find_layout("Published in 2024\n\nage;income\n31;100,5\n45;200\n")
    >>> found.separator, found.skipped, found.names
    (';', 2, ('age', 'income'))
    """
    texts = LINES.findall(head)
    above, hinted = _skip_comments(texts)
    told = separator or hinted
    sep = told or _guess_separator(texts[above:])
    lines = _read_lines(texts, above, sep)
    if not lines:
        raise FormatError(tell("empty-file"))
    first = _find_header(lines)
    header, titles, below = lines[first], lines[:first], lines[first + 1 :]
    usual = _usual_width(below)
    names = header.values
    if len(names) == usual > 1 and not names[0] and all(names[1:]):
        names = names[1:]  # R's write.csv leaves an empty name above its row names
    row_names = usual == len(names) + 1 == len(below[0].values)
    row_names = row_names and len({line.values[0] for line in below}) == len(below)
    names = names if row_names else header.values
    notes = note_left_out("title", [line.title for line in titles])
    notes += [tell("row-names")] if row_names else _note_numeric_names(header.values, below)
    if sep == " ":
        notes.append(tell("spaces"))
    titled = sum(any(split_line(one, sep)) for one in texts[: header.skipped])
    return Layout(
        sep, header.start, header.skipped, titled, names_of(names), row_names,
        len(header.values) == 1 and _are_counted(below), tuple(notes),
    )  # fmt: skip


def split_line(text: str, separator: str) -> tuple[str, ...]:
    r"""Split a line by itself into its values, without blanks around them; a blank one has none.

    Examples
    --------
    >>> split_line('31, "a, b" \n', ","), split_line(" \n", ",")
    (('31', 'a, b'), ())
    """
    if not text.strip(" \r\n" if separator == "\t" else " \t\r\n"):
        return ()
    values = next(csv.reader([text], delimiter=separator, skipinitialspace=True), [])
    return tuple(value.strip() for value in values)


def note_left_out(where: Literal["title", "footer"], lines: Sequence[str]) -> list[str]:
    """Note the lines above the names, or below the records, if there are some.

    Examples
    --------
    >>> note_left_out("title", ["Income of 2024", "By the office"])
    ["Above the names of its columns stand 2 lines, which were left out: 'Income of 2024' to 'By
    the office'."]
    """
    if not lines:
        return []
    first, last = quoted(lines[0]), quoted(lines[-1])
    if len(lines) == 1:
        return [tell(where, **{where: first})]
    return [tell(f"{where}s", lines=len(lines), first=first, last=last)]


def find_footer(rows: Sequence[Line], usual: int, counted: bool = False) -> int:
    """Find the first line, blank ones among them, that stands below all records.

    What stands there comes after a blank line, is shorter than a record, and begins with words; it
    is as wide as the records if the blank line is, as programs for tables write them.

    Parameters
    ----------
    rows
        The last lines, a blank one as a line without values, or with empty ones.
    usual
        How many values a record has.
    counted
        Whether the records are numbers in one column, so that words are none.

    Examples
    --------
    >>> rows = [Line(("31", "5")), Line(()), Line(("Source: the office",)), Line(("May",))]
    >>> find_footer(rows, 2), find_footer(rows[:1], 2), find_footer([rows[0], *rows[2:]], 2)
    (1, 1, 3)
    """
    end = len(rows)
    while end and len(rows) - end < LIMITS.titles:
        last = rows[end - 1]  # which is perhaps no record
        if last.width and not (counted and last.all_words) if usual == 1 else last.width >= usual:
            break
        end -= 1
    if end > 1 and not rows[end - 2].width:
        return len(rows)  # blank lines stand between records too
    for place in range(end, len(rows) - 1):
        blank, line = rows[place : place + 2]
        if blank.width or not line.width or not line.values[0] or _is_number(line.values[0]):
            continue
        wide = len(line.values)
        alike = wide == len(blank.values) if blank.values else wide < usual
        if usual == 1 or (alike and line.is_shorter(usual)):
            first = place
            while first > end and rows[first - 1].values == blank.values:
                first -= 1
            return first
    return len(rows)


def _note_numeric_names(names: Sequence[str], below: Sequence[Line]) -> list[str]:
    """Say of the first name that is a number above numbers that a record may stand there.

    Numbers that count on, such as years, are names.
    """
    columns = zip_longest(*(line.values for line in below))
    odd = [
        name
        for name, column in zip(names, columns, strict=False)
        if _is_number(name) and any(column) and all(map(_is_number, filter(None, column)))
    ]
    if not odd:
        return []
    years = len(odd) > 1 and odd[0].isdecimal() and len(odd[0]) <= YEAR
    if years and odd == [str(int(odd[0]) + at) for at in range(len(odd))]:
        return []
    return [tell("no-names", cell=quoted(odd[0]))]


def _skip_comments(lines: Sequence[str]) -> tuple[int, str | None]:
    """Count the lines of comments that stand first, and find the separator that one names."""
    hinted = None
    for place, line in enumerate(lines):
        hint = CELLS.hint.fullmatch(line.rstrip("\r\n"))
        hinted = hint.group(1) if hint else hinted
        if line.strip() and not hint and not line.startswith("#"):
            return place, hinted
    return len(lines), hinted


def _guess_separator(lines: Sequence[str]) -> str:
    """Guess the separator: what most lines have the same number of, and the first line most of."""
    some = [line for line in lines[: LIMITS.lines] if line.strip()]
    if not some:
        return ","
    if CELLS.by_spaces.fullmatch(some[0].rstrip()) and not any(
        sep in some[0] for sep in RULES["separators"]
    ):
        return " "

    def rate_regularity(sep: str) -> tuple[float, int, int]:
        """The share of the lines with the usual number of values, that number, and its marks."""
        counts = Counter(len(row) for row in csv.reader(some, delimiter=sep) if row)
        usual, often = max(counts.items(), key=lambda found: (found[1], found[0]))
        marks = some[0].count(sep)
        return (often / len(some), usual, marks) if usual > 1 else (0.0, 1, marks)

    found = max(RULES["separators"], key=rate_regularity)
    in_one_column = all(_is_number(line.strip()) for line in some[1:])
    if found not in some[0] and in_one_column:
        return "\t"  # numbers with decimal commas
    return found


def _read_lines(texts: Sequence[str], above: int, sep: str) -> list[Line]:
    begins = [0, *accumulate(map(len, texts))]
    reader = csv.reader(texts[above:], delimiter=sep, skipinitialspace=True)
    lines: list[Line] = []
    skipped, apart = above, False
    while len(lines) < LIMITS.lines:
        try:
            values = tuple(value.strip() for value in next(reader))
        except (StopIteration, csv.Error):
            break
        if any(values):
            lines.append(Line(values, begins[skipped], skipped, apart))
        skipped, apart = above + reader.line_num, not any(values)
    return lines


def _find_header(lines: Sequence[Line]) -> int:
    """Find the line with the names: the first, or the first words below titles."""
    for place in range(1, min(len(lines) - 1, LIMITS.titles)):
        names, usual = lines[place], _usual_width(lines[place:])
        if len(names.values) != usual or not names.all_words:
            continue
        # titles stand above: each shorter than a record, or set off by an empty line
        above, below = lines[:place], lines[place + 1 :]
        titled = all(line.is_shorter(usual) for line in above)
        if not titled and place == 1:
            wide = len(above[0].values) > usual
            titled = names.apart and not wide and not below[0].all_words
        elif not titled:
            titled = names.apart and usual == 1 and _are_counted(below)
        if titled:
            return place
    return 0


def _usual_width(lines: Sequence[Line]) -> int:
    """Count the values that most lines have."""
    counts = Counter(len(line.values) for line in lines)
    return counts.most_common(1)[0][0] if lines else 0


def _are_counted(lines: Sequence[Line]) -> bool:
    """Whether lines are numbers, but for words at their end."""
    words = [line.all_words for line in lines]
    return False in words and words == sorted(words)


def names_of(values: Sequence[str]) -> tuple[str, ...]:
    """Name the columns; one without a name is called by its place."""
    names = [name or f"column {place}" for place, name in enumerate(values, 1)]
    if repeated := list_repeated(names):
        raise SchemaError(
            f"The file has several columns named {listed(repeated)}; rename them, or write a line "
            "of names above the first record if there is none."
        )
    return tuple(names)
