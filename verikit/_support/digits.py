"""Digits of other scripts, as those of ASCII."""

from __future__ import annotations

import unicodedata

from verikit._support.rules import RULES

MARKS = str.maketrans(*RULES["other_marks"])


def plain_digits(text: str) -> str:
    """A text with the digits 0 to 9 for those of any script, and plain marks between them.

    Examples
    --------
    >>> plain_digits("٣١"), plain_digits("３１．５"), plain_digits("31")
    ('31', '31.5', '31')
    """
    if text.isascii() or not any(letter.isdecimal() for letter in text):
        return text
    plain = (str(unicodedata.decimal(one)) if one.isdecimal() else one for one in text)
    return "".join(plain).translate(MARKS)
