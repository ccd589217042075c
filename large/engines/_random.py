"""Randomness that every engine draws alike: a digest of a secret, a purpose and a record."""

from __future__ import annotations

import math
from typing import Any

from verikit._support.seed import generator

__all__ = ["Secret"]

DIGITS = "0123456789abcdef"
EACH = 8  # hexadecimal digits of one number


class Secret:
    """What is drawn for each record from a secret seed, whatever worker draws it.

    Parameters
    ----------
    seed
        The secret randomness: 256 bits are drawn from it.

    Notes
    -----
    SHA-256 of the secret, the purpose and the number of the record: who does not know the secret
    learns nothing of one record's draw from those of others.
    """

    def __init__(self, seed: int) -> None:
        self._secret = generator(seed).bytes(32).hex()

    def uniform(self, row: Any, purpose: str, place: int = 0) -> Any:
        """A number between 0 and 1 for each record, as an expression; four places are at hand."""
        import ibis

        digest = (ibis.literal(f"{self._secret} {purpose} ") + row.cast("string")).hexdigest(
            "sha256"
        )
        found = ibis.literal(0.5)
        for at in range(EACH):
            digit = ibis.literal(DIGITS).find(digest.substr(EACH * place + at, 1))
            found += digit.cast("float64") * 16.0 ** (EACH - 1 - at)
        return found / 16.0**EACH

    def normal(self, row: Any, purpose: str) -> Any:
        """A standard normal number for each record (Box and Muller)."""
        far = (self.uniform(row, purpose).ln() * -2.0).sqrt()
        return far * (self.uniform(row, purpose, 1) * (2 * math.pi)).cos()
