"""Where the table of a text file begins and ends, and what separates its values."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, zip_longest

from verikit._support.digits import plain_digits
from verikit._support.told import Told
from verikit.errors import FormatError, SchemaError, quoted
from verikit.words import listed

SEPARATORS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar", " ": "a space"}
LOOKED_AT, YEAR, TITLES = 200, 4, 20
NUMBER = re.compile(r"[+-]?[\d.,\s]*\d[\d.,]*%?")
LINES = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
BY_SPACES = re.compile(r'"[^"]*"(?: "[^"]*")+\s*')
ROW_NAMES = Told(
    "Its records begin with row names, as R writes them, which were left out.", "row-names"
)
HINT = re.compile(r"sep=(.)\s*$", re.IGNORECASE)


def _is_number(value: str) -> bool:
    return NUMBER.fullmatch(plain_digits(value)) is not None


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
    def words(self) -> bool:
        """Whether none of its values is a number, and none is empty."""
        return all(value and not _is_number(value) for value in self.values)

    @property
    def width(self) -> int:
        """How many values it has, without the empty ones at its end."""
        return max((place for place, value in enumerate(self.values, 1) if value), default=0)

    def shorter(self, usual: int) -> bool:
        """Whether it is too short for a record, and for names above row names."""
        return self.width == 1 < usual or self.width < usual - 1

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
    texts = LINES.findall(head)
    above, hinted = _above(texts)
    told = separator or hinted
    sep = told or _separator(texts[above:])
    lines = _records(texts, above, sep)
    if not lines:
        said = "The file is empty; expected a line of column names, then the records."
        raise FormatError(Told(said, "empty-file"))
    first = _header(lines)
    header, titles, below = lines[first], lines[:first], lines[first + 1 :]
    usual = _usual(below)
    names = _behind_row_names(header.values, usual)
    row_names = usual == len(names) + 1 == len(below[0].values) and _all_different(below)
    names = names if row_names else header.values
    notes = titles_left_out([line.title for line in titles])
    notes += _numbers_as_names(header.values, below) * (not row_names)
    if row_names:
        notes.append(ROW_NAMES)
    if sep == " ":
        notes.append(Told("Its values are separated by spaces.", "spaces"))
    return Layout(
        sep, header.start, header.skipped, names_of(names), row_names,
        len(header.values) == 1 and _are_counted(below), tuple(notes),
    )  # fmt: skip


def _behind_row_names(names: tuple[str, ...], usual: int) -> tuple[str, ...]:
    """The names without an empty first one, as R's write.csv leaves it above its row names."""
    return names[1:] if len(names) == usual > 1 and not names[0] and all(names[1:]) else names


def titles_left_out(titles: Sequence[str]) -> list[str]:
    """The sentence for the titles above the names, if there are some.

    Examples
    --------
    >>> titles_left_out(["Income of 2024", "By the office"])
    ["Above the names of its columns stand 2 lines, which were left out: 'Income of 2024' to 'By
    the office'."]
    """
    if not titles:
        return []
    first, last = quoted(titles[0]), quoted(titles[-1])
    if len(titles) == 1:
        said = f"Above the names of its columns stands {first}, which was left out."
        return [Told(said, "title", title=first)]
    said = f"Above the names of its columns stand {len(titles)} lines, which were left out: "
    said += f"{first} to {last}."
    return [Told(said, "titles", lines=len(titles), first=first, last=last)]


def footer_left_out(lines: Sequence[Line]) -> list[str]:
    """The sentence for the lines below the records, if there are some."""
    if not lines:
        return []
    first, last = quoted(lines[0].title), quoted(lines[-1].title)
    if len(lines) == 1:
        said = f"Below its records, after an empty line, stands {first}, which was left out."
        return [Told(said, "footer", footer=first)]
    said = f"Below its records, after an empty line, stand {len(lines)} lines, which were left "
    said += f"out: {first} to {last}."
    return [Told(said, "footers", lines=len(lines), first=first, last=last)]


def footer_of(rows: Sequence[Line], usual: int, counted: bool = False) -> int:
    """The place of the first line, blank ones among them, that stands below all records.

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
    >>> footer_of(rows, 2), footer_of(rows[:1], 2), footer_of([rows[0], *rows[2:]], 2)
    (1, 1, 3)
    """
    end = len(rows)
    while end and len(rows) - end < TITLES and _is_no_record(rows[end - 1], usual, counted):
        end -= 1
    if end > 1 and not rows[end - 2].width:
        return len(rows)  # blank lines stand between records too
    for place in range(end, len(rows) - 1):
        blank, line = rows[place : place + 2]
        if not blank.width and _begins_footer(line, blank, usual):
            first = place
            while first > end and rows[first - 1].values == blank.values:
                first -= 1
            return first
    return len(rows)


def _begins_footer(line: Line, blank: Line, usual: int) -> bool:
    if not line.width or not line.values[0] or _is_number(line.values[0]):
        return False
    wide = len(line.values)
    alike = wide == len(blank.values) if blank.values else wide < usual
    return usual == 1 or (alike and line.shorter(usual))


def _is_no_record(line: Line, usual: int, counted: bool) -> bool:
    if usual == 1:
        return not line.width or (counted and line.words)
    return line.width < usual


def _numbers_as_names(names: Sequence[str], below: Sequence[Line]) -> list[str]:
    """Say of the first name that is a number above numbers that a record may stand there.

    Numbers that count on, such as years, are names.
    """
    columns = zip_longest(*(line.values for line in below))
    odd = [
        name
        for name, column in zip(names, columns, strict=False)
        if _is_number(name) and any(column) and all(map(_is_number, filter(None, column)))
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
    in_one_column = all(_is_number(line.strip()) for line in some[1:])
    if found not in some[0] and in_one_column:
        return "\t"  # numbers with decimal commas
    return found


def _regular(lines: Sequence[str], sep: str) -> tuple[float, int]:
    """The share of the lines with the usual number of values, if that is not one; the number."""
    counts = Counter(len(row) for row in csv.reader(lines, delimiter=sep) if row)
    usual, often = max(counts.items(), key=lambda found: (found[1], found[0]))
    return (often / len(lines), usual) if usual > 1 else (0.0, 1)


def _records(texts: Sequence[str], above: int, sep: str) -> list[Line]:
    begins = [0, *accumulate(map(len, texts))]
    reader = csv.reader(texts[above:], delimiter=sep, skipinitialspace=True)
    lines: list[Line] = []
    skipped, apart = above, False
    while len(lines) < LOOKED_AT:
        try:
            values = tuple(value.strip() for value in next(reader))
        except (StopIteration, csv.Error):
            break
        if any(values):
            lines.append(Line(values, begins[skipped], skipped, apart))
        skipped, apart = above + reader.line_num, not any(values)
    return lines


def _header(lines: Sequence[Line]) -> int:
    """The place of the line with the names: the first, or the first words below titles."""
    for place in range(1, min(len(lines) - 1, TITLES)):
        names, usual = lines[place], _usual(lines[place:])
        if len(names.values) == usual and names.words and _are_titles(lines, place, usual):
            return place
    return 0


def _are_titles(lines: Sequence[Line], place: int, usual: int) -> bool:
    """Whether all lines above the names are titles: shorter than these, or before an empty line."""
    above, below = lines[:place], lines[place + 1 :]
    if all(line.shorter(usual) for line in above):
        return True
    if place == 1:
        return lines[1].apart and len(above[0].values) <= usual and not below[0].words
    return lines[place].apart and usual == 1 and _are_counted(below)


def _usual(lines: Sequence[Line]) -> int:
    """How many values most lines have."""
    counts = Counter(len(line.values) for line in lines)
    return counts.most_common(1)[0][0] if lines else 0


def _are_counted(lines: Sequence[Line]) -> bool:
    """Whether lines are numbers, but for words at their end."""
    words = [line.words for line in lines]
    return False in words and words == sorted(words)


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
