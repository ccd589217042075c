"""Seeds: the only source of randomness, checked once."""

from __future__ import annotations

import numpy as np

from verikit._support.requests import whole


def checked_seed(seed: object) -> int:
    """The seed as a whole number of at least 0.

    Examples
    --------
    >>> checked_seed(np.int64(7))
    7
    >>> checked_seed(True)
    Traceback (most recent call last):
    verikit.errors.RecordError: The seed was given as True; expected a whole number from 0 up.
    """
    return whole(seed, "The seed", least=0, field="seed")


def generator(seed: object, *stream: int) -> np.random.Generator:
    """Random numbers of their own, the same for the same seed; another stream has others."""
    first = whole(seed, "The seed", least=0, field="seed")
    return np.random.default_rng([first, *stream] if stream else first)
