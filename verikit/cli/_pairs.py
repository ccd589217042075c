"""``NAME=VALUE`` options."""

from __future__ import annotations

from collections.abc import Sequence

from verikit.errors import RecordError, quoted

__all__ = ["pairs"]


def pairs(given: Sequence[str], option: str) -> dict[str, str]:
    """``NAME=VALUE`` options as a dictionary.

    Examples
    --------
    >>> pairs(["age=41", "job=clerk"], "--set")
    {'age': '41', 'job': 'clerk'}
    """
    found: dict[str, str] = {}
    for part in given:
        name, sign, value = part.partition("=")
        if not sign or not name.strip() or not value.strip():
            raise RecordError(
                f"{option} was given {quoted(part)}; expected NAME=VALUE, as in age=41."
            )
        if name.strip() in found:
            raise RecordError(f"{option} names {quoted(name.strip())} twice; give it once.")
        found[name.strip()] = value.strip()
    return found
