"""What the bytes of a text file show before it is read: its lines, codes and long numbers.

They are looked at in pieces that fit into the cache of a core, so that a million lines of ten
values cost some hundredths of a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Bytes: TypeAlias = npt.NDArray[np.uint8]
Places: TypeAlias = npt.NDArray[np.intp]

CHUNK = 2**18
ALL_EIGHT = 0x0101010101010101  # eight times true
BLANKS = (b"\t", b"\xa0", b"\xaf")  # the last bytes of those that people put before a value
ZERO, TEN, LINE, RETURN, SPACE, QUOTE = ord("0"), 10, ord("\n"), ord("\r"), ord(" "), ord('"')
ASCII = 128
MOST_DIGITS = 19  # of a code, so that it is a whole number of 64 bits


@dataclass(slots=True)
class Scan:
    """What was found in the bytes of a text.

    Parameters
    ----------
    lines
        How many lines it has, without the empty ones at its end.
    behind
        How many lines stand empty at its end.
    lone
        Whether some carriage return stands without a line feed behind it.
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
    lone: bool = False
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


def scan_bytes(content: Bytes, separator: str = ",", width: int = 1, above: int = 1) -> Scan:
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
    >>> found = scan_bytes(np.frombuffer(b"zip,age\r\n02138,41\r\n", np.uint8), ",", 2)
    >>> found.lines, found.behind, found.codes, found.lone, found.long
    (2, 0, {0: 5}, False, False)
    """
    found = Scan(padded=separator == " ")
    top = within = 0
    for _ in range(above):  # which may be blank
        top = find_line_end(content, top)
    for start, end in _find_pieces(content, top):
        held = content[start:end]
        ends = int(np.count_nonzero(held == LINE))
        found.lines += ends
        if np.count_nonzero(held <= QUOTE) > ends or int(held.max()) >= ASCII:
            _find_marks(held, separator, found)
        if start < top:
            continue
        marks = held == ord(separator)
        # A byte stands outside quotes if an even number of them precede it, doubled ones too; the
        # sums wrap at 256, which keeps them even or odd.
        if within or (found.quoted and (held == QUOTE).any()):
            quotes = np.add.accumulate(held == QUOTE, dtype=np.uint8) + np.uint8(within)
            marks &= quotes % 2 == 0
            within = int(quotes[-1]) % 2
        found.separators += int(np.count_nonzero(marks))
        found.long = found.long or _may_hold_long_numbers(held)
        found.powers = found.powers or b"e" in (part := held.tobytes()) or b"E" in part
        framed = content[start - 1 : end] if start else np.r_[np.uint8(LINE), held]
        _find_codes(framed, ord(separator), width, found.codes, start == top)
    if content[-1:].tobytes() != b"\n":
        found.codes = dict.fromkeys(found.codes, 0)
    body = _find_text_end(content)
    behind = content[body:].tobytes()
    ends = behind.count(b"\n") + behind.count(b"\r") - behind.count(b"\r\n")
    found.lines += int(body > 0) - ends
    found.behind = max(ends - 1, 0) if body else ends
    return found


def find_line_end(content: Bytes, start: int, *others: bytes) -> int:
    """Find where the line ends that begins somewhere; with others if no line feed follows."""
    for end in (b"\n", *others):
        for at in range(start, len(content), CHUNK):
            found = content[at : at + CHUNK].tobytes().find(end) + 1
            if found:
                return at + found
    return len(content)


def _find_pieces(content: Bytes, top: int) -> Iterator[tuple[int, int]]:
    """Cut into pieces that end with a line: what stands above the records, and then these."""
    if top:
        yield 0, top
    start = top
    while start < len(content):
        last = content[start : start + CHUNK].tobytes().rfind(b"\n") + 1
        end = start + last if last else find_line_end(content, start)
        yield start, end
        start = end


def _find_text_end(content: Bytes) -> int:
    """Find where the last line ends that is not empty, without its end."""
    for start in range((len(content) - 1) // CHUNK * CHUNK, -1, -CHUNK):
        kept = len(content[start : start + CHUNK].tobytes().rstrip(b"\r\n"))
        if kept:
            return start + kept
    return 0


def _find_marks(held: Bytes, separator: str, found: Scan) -> None:
    """Look for returns, quotes and blanks in a piece that holds other marks than plain ones."""
    part, returns = held.tobytes(), held == RETURN
    count = int(np.count_nonzero(returns))
    if count:
        lone = count - int(np.count_nonzero(returns[:-1] & (held[1:] == LINE)))
        found.lines += lone
        found.lone = found.lone or lone > 0
    found.quoted = found.quoted or b'"' in part or b"\0" in part
    found.spaces = found.spaces or b" " in part or b"\t" in part
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
