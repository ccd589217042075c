"""What the bytes of a text file show before it is read: its lines, codes and long numbers.

They are looked at in pieces that fit into the cache of a core, so that a million lines of ten
values cost some hundredths of a second.
"""

from __future__ import annotations

import io
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Self, TypeAlias

import numpy as np
import numpy.typing as npt

Bytes: TypeAlias = npt.NDArray[np.uint8]
Places: TypeAlias = npt.NDArray[np.intp]

CHUNK, IN_MEMORY = 2**18, 2**20
ALL_EIGHT = 0x0101010101010101  # eight times true
BLANKS = (b"\t", b"\xa0", b"\xaf")  # the last bytes of those that people put before a value
ZERO, TEN, LINE, RETURN, SPACE, QUOTE = ord("0"), 10, ord("\n"), ord("\r"), ord(" "), ord('"')
SPACES_ALONE = re.compile(rb"(?m)^ +\r?$")
MOST_DIGITS = 19  # of a code, so that it is a whole number of 64 bits


class Content(io.RawIOBase):
    r"""The bytes of a text, or of a part of it, which are read from its file when asked for.

    Parameters
    ----------
    file
        The open file.
    start, end
        Where in it they begin and end.

    Examples
    --------
    >>> content = Content.of([b"age\n", b"41\n"])
    >>> len(content), content[4:], content.cut(4).open().read()
    (7, b'41\n', b'41\n')
    """

    def __init__(self, file: BinaryIO, start: int, end: int) -> None:
        self.file, self.start, self.end, self.at = file, start, end, start

    @classmethod
    def of(cls, parts: Iterable[bytes] | BinaryIO) -> Self:
        """All of an open file; or parts, which are put into one, on the disk if they are large."""
        file: Any = parts
        if not hasattr(parts, "seek"):
            file = tempfile.SpooledTemporaryFile(IN_MEMORY)  # noqa: SIM115 which ends with this
            file.writelines(parts)
        return cls(file, 0, file.seek(0, os.SEEK_END))

    def __len__(self) -> int:
        return self.end - self.start

    def __getitem__(self, part: slice) -> bytes:
        start, end, _ = part.indices(len(self))
        self.file.seek(self.start + start)
        return self.file.read(max(end - start, 0))

    def cut(self, start: int, end: int | None = None) -> Self:
        """A part of it."""
        end = len(self) if end is None else end
        return type(self)(self.file, self.start + start, self.start + end)

    def parts(self) -> Iterator[bytes]:
        """It, part by part."""
        return (self[at : at + CHUNK] for at in range(0, len(self), CHUNK))

    def open(self) -> BinaryIO:
        """It as a file of its own, which may be read beside others."""
        return io.BufferedReader(self.cut(0), CHUNK)

    def readable(self) -> bool:
        """Whether it can be read, as a file says it."""
        return True

    def readinto(self, room: Any) -> int:
        """Read what comes next, as a file does."""
        self.file.seek(self.at)
        part = self.file.read(min(len(room), self.end - self.at))
        room[: len(part)] = part
        self.at += len(part)
        return len(part)


@dataclass(slots=True)
class Scan:
    """What was found in the bytes of a text.

    Parameters
    ----------
    lines
        How many lines it has, without the empty ones at its end.
    behind
        How many lines stand empty at its end.
    uneven
        Whether a carriage return stands without a line feed behind it, or spaces that separate
        values fill a line: pandas shifts values behind these.
    quoted
        Whether it holds quotes, or zeros between its letters.
    padded
        Whether blanks other than spaces stand before a zero, or spaces separate values.
    spaces
        Whether it holds spaces or tabs.
    long
        Whether some number may have more than 15 digits, so that a float may not keep it.
    powers
        Whether some number may have an exponent.
    separators
        How many of them stand outside quotes below the names.
    codes
        By the place of a column in which a value begins with a zero and a digit, how many digits
        each of its values has, where all are digits and of one length; 0 where they are not.
    """

    lines: int = 0
    behind: int = 0
    uneven: bool = False
    quoted: bool = False
    padded: bool = False
    spaces: bool = False
    long: bool = False
    powers: bool = False
    separators: int = 0
    codes: dict[int, int] = field(default_factory=dict)

    @property
    def large(self) -> bool:
        """Whether some number may be one of which a float does not keep the last digit."""
        return self.long or self.powers


def scan_bytes(
    content: Content | bytes, separator: str = ",", width: int = 1, above: int = 1
) -> Scan:
    r"""Look at all bytes of a text once.

    Parameters
    ----------
    content
        The bytes.
    separator
        What separates its values.
    width
        How many values belong to a record.
    above
        How many lines stand above the records.

    Examples
    --------
    >>> found = scan_bytes(b"zip,age\r\n02138,41\r\n", ",", 2)
    >>> found.lines, found.behind, found.codes, found.uneven, found.long
    (2, 0, {0: 5}, False, False)
    """
    found = Scan(padded=separator == " ")
    top = within = 0
    for _ in range(above):  # which may be blank
        top = find_line_end(content, top)
    for start, part in cut_lines(content, top):
        framed = np.frombuffer(b"\n" + part, np.uint8)
        held = framed[1:]
        ends = int(np.count_nonzero(held == LINE))
        found.lines += ends
        if np.count_nonzero(held <= QUOTE) > ends or not part.isascii():
            _find_marks(held, part, separator, found)
        if start < top:
            continue
        marks = held == ord(separator)
        # A byte stands outside quotes if an even number of them precede it, doubled ones too; the
        # sums wrap at 256, which keeps them even or odd.
        if within or (found.quoted and b'"' in part):
            quotes = np.add.accumulate(held == QUOTE, dtype=np.uint8) + np.uint8(within)
            marks &= quotes % 2 == 0
            within = int(quotes[-1]) % 2
        found.separators += int(np.count_nonzero(marks))
        found.long = found.long or _may_hold_long_numbers(held)
        found.powers = found.powers or b"e" in part or b"E" in part
        _find_codes(framed, ord(separator), width, found.codes, start == top)
    if content[-1:] != b"\n":
        found.codes = dict.fromkeys(found.codes, 0)
    body = _find_text_end(content)
    behind = content[body:]
    ends = behind.count(b"\n") + behind.count(b"\r") - behind.count(b"\r\n")
    found.lines += int(body > 0) - ends
    found.behind = max(ends - 1, 0) if body else ends
    return found


def find_line_end(content: Content | bytes, start: int, *others: bytes) -> int:
    """Find where the line ends that begins somewhere; with others if no line feed follows."""
    for end in (b"\n", *others):
        for at in range(start, len(content), CHUNK):
            found = content[at : at + CHUNK].find(end) + 1
            if found:
                return at + found
    return len(content)


def cut_lines(content: Content | bytes, top: int = 0) -> Iterator[tuple[int, bytes]]:
    r"""Cut into pieces that end with a line, each with its place: what stands above the top first.

    Examples
    --------
    >>> list(cut_lines(b"age\n41\n52\n", 4))
    [(0, b'age\n'), (4, b'41\n52\n')]
    """
    if top:
        yield 0, content[:top]
    start = top
    while part := content[start : start + CHUNK]:
        last = part.rfind(b"\n") + 1
        part = part[:last] if last else content[start : find_line_end(content, start)]
        yield start, part
        start += len(part)


def _find_text_end(content: Content | bytes) -> int:
    """Find where the last line ends that is not empty, without its end."""
    for start in range((len(content) - 1) // CHUNK * CHUNK, -1, -CHUNK):
        kept = len(content[start : start + CHUNK].rstrip(b"\r\n"))
        if kept:
            return start + kept
    return 0


def _find_marks(held: Bytes, part: bytes, separator: str, found: Scan) -> None:
    """Look for returns, quotes and blanks in a piece that holds other marks than plain ones."""
    returns = held == RETURN
    count = int(np.count_nonzero(returns))
    if count:
        lone = count - int(np.count_nonzero(returns[:-1] & (held[1:] == LINE)))
        found.lines += lone
        found.uneven = found.uneven or lone > 0
    found.quoted = found.quoted or b'"' in part or b"\0" in part
    found.spaces = found.spaces or b" " in part or b"\t" in part
    if separator == " " and SPACES_ALONE.search(part):
        found.uneven = True
    blanks = [one for one in BLANKS if one in part and one != separator.encode()]
    found.padded = found.padded or any(one + b"0" in part for one in blanks)


def _may_hold_long_numbers(held: Bytes) -> bool:
    """Whether fifteen digits and points stand in a row: they fill eight bytes of an even place."""
    marks = held[: len(held) // 8 * 8] - ord(".")
    return bool(((marks < 12).view(np.uint64) == ALL_EIGHT).any())  # . / 0 to 9


def _find_codes(
    held: Bytes, separator: int, width: int, found: dict[int, int], first: bool
) -> None:
    """Find the places in their lines of the values that begin with a zero and a digit.

    Each is put to what was ``found``, with the length of the values there if all are digits.
    """
    # Bytes are compared as an array, so that a column of a million codes costs milliseconds: a
    # value begins behind a separator or a line end, blanks passed over.
    marks = held == separator
    marks |= held == LINE
    zeros = held[1:] == ZERO
    zeros &= marks[:-1] | (held[:-1] == SPACE)
    at = np.flatnonzero(zeros[:-1])
    at = at[held[at + 2] - ZERO < TEN]
    if not len(at) and not any(found.values()):
        return
    ends = np.flatnonzero(marks)
    even = len(ends) % width == 1 % width and bool((held[ends[::width]] == LINE).all())
    even = (
        even and held[-1] == LINE and np.count_nonzero(held == LINE) == (len(ends) - 1) // width + 1
    )
    while len(spaces := np.flatnonzero(held[at] == SPACE)):
        at[spaces] -= 1
    place = np.searchsorted(ends, at)
    place = place[(place < len(ends)) & (ends[np.minimum(place, len(ends) - 1)] == at)]
    begins = np.flatnonzero(held[ends] == LINE) if not even else np.arange(0, len(ends), width)
    for one in set((place - begins[np.searchsorted(begins, place, side="right") - 1]).tolist()):
        found.setdefault(one, MOST_DIGITS if first else 0)
    for one in [place for place, digits in found.items() if digits]:
        before, behind = ends[one:-1:width], ends[one + 1 :: width]
        found[one] = _count_digits(held, before + 1, behind, found[one]) if even else 0


def _count_digits(held: Bytes, begins: Places, ends: Places, known: int) -> int:
    """Count the digits of values, 0 where they are others or not all of one length.

    What stands within them is not looked at: what is read as a whole number has no marks there.
    """
    ends = ends - (held[ends - 1] == RETURN)
    lengths, first = ends - begins, held[begins[0] : ends[0]].tobytes()
    length = len(first) if first.isdigit() else 0  # a date has marks within
    sides = (held[begins] - ZERO < TEN) & (held[ends - 1] - ZERO < TEN)
    same = known in (MOST_DIGITS, length) and bool((lengths == length).all() and sides.all())
    return length if same and length < MOST_DIGITS else 0
