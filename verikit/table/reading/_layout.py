"""Where the table of a text file begins, and what separates its values."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from verikit._support.told import Told
from verikit.errors import FormatError, SchemaError, quoted
from verikit.words import listed

__all__ = ["ROW_NAMES", "SEPARATORS", "Layout", "layout_of", "names_of", "title_left_out"]

SEPARATORS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar", " ": "a space"}
LOOKED_AT, YEAR = 200, 4
NUMBER = re.compile(r"[+-]?[\d.,\s]*\d[\d.,]*%?")
BY_SPACES = re.compile(r'"[^"]*"(?: "[^"]*")+\s*')
ROW_NAMES = Told(
    "Its records begin with row names, as R writes them, which were left out.", "row-names"
)
HINT = re.compile(r"sep=(.)\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Layout:
    """How the lines of a file make a table.

    Parameters
    ----------
    separator
        What stands between two values.
    skipped
        How many lines stand above the names of the columns.
    names
        The names of the columns.
    row_names
        Whether each record begins with a name of its own, which no column name stands above.
    notes
        What of this was found out, in sentences.
    """

    separator: str
    skipped: int
    names: tuple[str, ...]
    row_names: bool
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A record of the file, and where it begins and ends."""

    values: tuple[str, ...]
    start: int
    end: int

    @property
    def words(self) -> bool:
        """Whether none of its values is a number, and none is empty."""
        return all(value and not NUMBER.fullmatch(value) for value in self.values)

    @property
    def title(self) -> str:
        """It as one text."""
        return " ".join(filter(None, self.values))


def layout_of(head: str, separator: str | None = None) -> Layout:
    r"""Find separator, title lines, names and row names in the beginning of a file.

    Parameters
    ----------
    head
        The beginning of the file, cut at the end of a line.
    separator
        What separates the values, if somebody said it.

    Examples
    --------
    >>> found = layout_of("Published in 2024\n\nage;income\n31;100,5\n45;200\n")
    >>> found.separator, found.skipped, found.names
    (';', 2, ('age', 'income'))
    """
    above, hinted = _above(head.splitlines())
    told = separator or hinted
    sep = told or _separator(head.splitlines()[above:])
    lines = _records(head, above, sep)
    if not lines:
        said = "The file is empty; expected a line of column names, then the records."
        raise FormatError(Told(said, "empty-file"))
    first = _header(lines)
    header, titles = lines[first], [line.title for line in lines[:first]]
    usual = _usual([len(line.values) for line in lines[first + 1 :]])
    names = _behind_row_names(header.values, usual)
    row_names = usual == len(names) + 1 and _all_different(lines[first + 1 :])
    names = names if row_names else header.values
    notes = [title_left_out(title) for title in titles[:1]]
    notes += _numbers_as_names(header.values, lines[first + 1 :]) * (not row_names)
    if row_names:
        notes.append(ROW_NAMES)
    if sep == " ":
        notes.append(Told("Its values are separated by spaces.", "spaces"))
    return Layout(sep, header.start, names_of(names), row_names, tuple(notes))


def _behind_row_names(names: tuple[str, ...], usual: int) -> tuple[str, ...]:
    """The names without an empty first one, as R's write.csv leaves it above its row names."""
    return names[1:] if len(names) == usual > 1 and not names[0] and all(names[1:]) else names


def title_left_out(title: str) -> str:
    """The sentence for a title above the names."""
    said = f"Above the names of its columns stands {quoted(title)}, which was left out."
    return Told(said, "title", title=quoted(title))


def _numbers_as_names(names: Sequence[str], below: Sequence[Line]) -> list[str]:
    """Say of the first name that is a number above numbers that a record may stand there.

    Numbers that count on, such as years, are names.
    """
    columns = zip_longest(*(line.values for line in below))
    odd = [
        name
        for name, column in zip(names, columns, strict=False)
        if NUMBER.fullmatch(name) and all(NUMBER.fullmatch(one) for one in column if one)
    ]
    if not odd or _count_on(odd):
        return []
    said = f"Its first line holds {quoted(odd[0])} and was taken for the names of its columns; "
    said += "if it is a record, write a line of names above it."
    return [Told(said, "no-names", cell=quoted(odd[0]))]


def _count_on(names: Sequence[str]) -> bool:
    first = names[0]
    if len(names) < 2 or not first.isdecimal() or len(first) > YEAR:
        return False
    return list(names) == [str(int(first) + at) for at in range(len(names))]


def _above(lines: Sequence[str]) -> tuple[int, str | None]:
    """How many lines of comments stand first, and the separator that one of them names."""
    hinted = None
    for place, line in enumerate(lines):
        hint = HINT.match(line)
        hinted = hint.group(1) if hint else hinted
        if line.strip() and not hint and not line.startswith("#"):
            return place, hinted
    return len(lines), hinted


def _separator(lines: Sequence[str]) -> str:
    """What most lines have the same number of; of several what the first line has most of."""
    some = [line for line in lines[:LOOKED_AT] if line.strip()]
    if not some:
        return ","
    if BY_SPACES.fullmatch(some[0]) and not any(sep in some[0] for sep in ",;\t|"):
        return " "

    found = max(",;\t|", key=lambda sep: (*_regular(some, sep), some[0].count(sep)))
    in_one_column = all(NUMBER.fullmatch(line.strip()) for line in some[1:])
    if found not in some[0] and in_one_column:
        return "\t"  # numbers with decimal commas
    return found


def _regular(lines: Sequence[str], sep: str) -> tuple[float, int]:
    """The share of the lines with the usual number of values, if that is not one; the number."""
    counts = Counter(len(row) for row in csv.reader(lines, delimiter=sep) if row)
    usual, often = max(counts.items(), key=lambda found: (found[1], found[0]))
    return (often / len(lines), usual) if usual > 1 else (0.0, 1)


def _records(head: str, above: int, sep: str) -> list[Line]:
    texts = head.splitlines(keepends=True)[above:]
    reader = csv.reader(texts, delimiter=sep, skipinitialspace=True)
    lines: list[Line] = []
    start = above
    while len(lines) < LOOKED_AT:
        try:
            values = next(reader)
        except (StopIteration, csv.Error):
            break
        end = above + reader.line_num
        if any(value.strip() for value in values):
            lines.append(Line(tuple(value.strip() for value in values), start, end))
        start = end
    return lines


def _header(lines: Sequence[Line]) -> int:
    """The place of the line with the names: the first that is no title."""
    for place, line in enumerate(lines[:-2]):
        if not _is_title(line, lines[place + 1 :]):
            return place
    return max(len(lines) - 2, 0)


def _is_title(line: Line, below: Sequence[Line]) -> bool:
    """Whether the names stand below: as words, more of them, or after an empty line."""
    names, record = below[:2]
    usual = _usual([len(one.values) for one in below])
    if len(names.values) != usual or not names.words:
        return False
    shorter = len(line.values) == 1 < usual or len(line.values) < usual - 1
    apart = names.start > line.end and len(line.values) <= usual and not record.words
    return shorter or apart


def _usual(counts: Sequence[int]) -> int:
    return Counter(counts).most_common(1)[0][0] if counts else 0


def _all_different(lines: Sequence[Line]) -> bool:
    names = [line.values[0] for line in lines]
    return len(set(names)) == len(names)


def names_of(values: Sequence[str]) -> tuple[str, ...]:
    """The names of the columns; one without a name is called by its place."""
    names = [name or f"column {place}" for place, name in enumerate(values, 1)]
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if repeated:
        raise SchemaError(
            f"The file has several columns named {listed(repeated)}; rename them, or write a line "
            "of names above the first record if there is none."
        )
    return tuple(names)
