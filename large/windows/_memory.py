"""How much of a large table may be held at once, and what is said where it is not enough."""

from __future__ import annotations

import os

from verikit.errors import FormatError, quoted

LIMIT_MB = "VERIKIT_MEMORY_MB"
DEFAULT_MB = 1000


def allowed_bytes() -> int:
    """The bytes that may be held: 1,000 MB, or what the environment variable says.

    Examples
    --------
    >>> allowed_bytes()
    1000000000
    """
    said = os.environ.get(LIMIT_MB, str(DEFAULT_MB))
    if not said.isdecimal() or len(said) > 9 or not int(said):
        raise FormatError(
            f"{LIMIT_MB} was set to {quoted(said)}; expected a whole number of megabytes."
        )
    return int(said) * 10**6


def holds_too_much(held: int, last: bool) -> bool:
    """Tell whether no more may be held; refused where a better sample would not help."""
    if last:
        check_room(
            held,
            "The values and records near hers",
            "give more of her values, or ask for fewer places",
        )
    return held > allowed_bytes()


def check_room(needed: int, what: str, advice: str) -> None:
    """Refuse what needs more than may be held.

    Examples
    --------
    >>> check_room(2 * 10**9, "The values near hers", "give fewer attributes")
    Traceback (most recent call last):
    verikit.errors.FormatError: The values near hers take 2,000 MB or more, but 1,000 MB may be
    held; give fewer attributes, or set the environment variable VERIKIT_MEMORY_MB higher.
    """
    limit = allowed_bytes()
    if needed > limit:
        raise FormatError(
            f"{what} take {needed / 1e6:,.0f} MB or more, but {limit / 1e6:,.0f} MB may be "
            f"held; {advice}, or set the environment variable {LIMIT_MB} higher."
        )
