"""Ranges of numbers, as tables of all languages write them."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from verikit._support.arrays import Flags
from verikit.languages import LANGUAGES, own_texts
from verikit.values.numbers import PADDED

__all__ = [
    "AROUND", "BANDS", "BRACKETS", "LOOKS", "ONE_END", "Range", "read_range",
]  # fmt: skip


def any_of(part: str) -> str:
    """Write the words of all languages for a part of a range as one pattern in folded letters."""
    words = [own_texts(language, "bands").get(part) for language in LANGUAGES]
    return "|".join(word.casefold() for word in words if word)


NUMBER = r"-?\d(?:[\d,]*\d)?(?:\.\d+)?(?:e[-+]?\d+)?k?"
END = rf"(?:{NUMBER}|[-+]?(?:inf(?:inity)?|∞))"
DASH = r"\s*(?:-|–|—|\.{2,3}|…)\s*"
TO = rf"\s+(?:{any_of('to')})\s+"
BRACKETS = re.compile(rf"([\[(\]])\s*({END})(?:\s*[,;]\s*|{DASH}|{TO})({END})\s*([\])\[])")
BANDS = (
    re.compile(rf"({NUMBER}){DASH}({NUMBER})"),
    re.compile(rf"(?:(?:{any_of('begins')})\s+)?({NUMBER}){TO}({NUMBER})"),
    re.compile(rf"(?:{any_of('between')})\s+({NUMBER})\s+(?:{any_of('and')})\s+({NUMBER})"),
)

ONE_END = tuple(
    (re.compile(pattern), upper, closed)
    for pattern, upper, closed in (
        (rf"(?:<|{any_of('below')})\s*({NUMBER})", True, False),
        (rf"(?:<=|=<|≤|⩽|{any_of('up_to')})\s*({NUMBER})", True, True),
        (rf"(?:>|{any_of('above')})\s*({NUMBER})", False, False),
        (rf"(?:>=|=>|≥|⩾|{any_of('at_least')})\s*({NUMBER})", False, True),
        (rf"({NUMBER})\s*(?:\+|{any_of('and_more')})", False, True),
        (rf"({NUMBER})\s*(?:{any_of('and_less')})", True, True),
    )
)

AROUND = re.compile(rf"(?<!\w)(?:{any_of('around')})(?!\w)|[€$£]")
THOUSANDS = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
LOOKS = re.compile(
    r"\s*[<>≤≥⩽⩾].*"  # an inequality
    r"|[\[(\]](?=.*\d).*[,;].*[\])\[]"  # two ends
    r"|.*\d.*±.*"
    r"|\d[\d.,]*\s*(?:\+.+|-|–)"  # open ends
    r"|\d*0s"  # decades
)


class Range(NamedTuple):
    """The numbers between two ends, which may belong to it or not."""

    low: float
    high: float
    left: bool = True
    right: bool = True

    def holds(self, values: Any) -> Flags:
        """Which numbers lie in it."""
        above = values >= self.low if self.left else values > self.low
        return above & (values <= self.high if self.right else values < self.high)

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest number of it."""
        low = self.low if self.left else float(np.nextafter(self.low, np.inf))
        return low, self.high if self.right else float(np.nextafter(self.high, -np.inf))


@lru_cache(maxsize=2**14)
def read_range(label: str, name: str = "") -> Range | None:
    """The range that a label names; None where it names none.

    ``name`` is a word that may stand beside it, such as that of its column.

    Examples
    --------
    >>> read_range("[20, 30)"), read_range("Age 20–29")
    (Range(low=20.0, high=30.0, left=True, right=False), Range(low=20.0, high=29.0, left=True,
    right=True))
    >>> read_range("80 and over"), read_range("unter 30").right
    (Range(low=80.0, high=inf, left=True, right=True), False)
    >>> [read_range(label) for label in ("2020-01", "02138", "20", "20-29-30", "nurse")]
    [None, None, None, None, None]
    """
    said = unicodedata.normalize("NFC", label).casefold().replace("−", "-")
    if name:
        said = re.sub(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", " ", said)
    said = " ".join(AROUND.sub(" ", said).split()).strip(" :")
    bracketed = BRACKETS.fullmatch(said)
    if bracketed:
        opening, first, last, closing = bracketed.groups()
        low, high, left, right = _read_end(first), _read_end(last), opening == "[", closing == "]"
        if low is None or high is None or low > high or (low == high and not (left and right)):
            return None
        return Range(low, high, left, right)
    for pattern in BANDS:
        if found := pattern.fullmatch(said):
            return _read_band(*found.groups(), hyphen="-" in said.removeprefix("-"))
    for pattern, upper, closed in ONE_END:
        if found := pattern.fullmatch(said):
            end = _read_end(found[1])
            if end is None or (PADDED.match(found[1]) and len(found[1]) > 2):
                return None
            ends = (-np.inf, end, True, closed) if upper else (end, np.inf, closed, True)
            return Range(*ends)
    return None


def _read_end(written: str) -> float | None:
    """One end as a number: plain, with thousands, in thousands (``50k``), or without bound."""
    if written[-1] in "fy∞":
        return -np.inf if written[0] == "-" else np.inf
    scale = 1000.0 if written[-1] == "k" else 1.0
    digits = written.removesuffix("k")
    if "," in digits:
        if not THOUSANDS.fullmatch(digits):
            return None
        digits = digits.replace(",", "")
    return float(digits) * scale


def _read_band(first: str, last: str, *, hyphen: bool) -> Range | None:
    """Two ends without brackets; months such as ``2020-01`` and ``12-2020`` are none."""
    low, high = _read_end(first), _read_end(last)
    padded = PADDED.match(first) or PADDED.match(last)
    if low is None or high is None or low > high or (padded and len(first) != len(last)):
        return None
    if hyphen and 1 <= low <= 12 and 1900 <= high < 2100:
        return None
    return Range(low, high)
