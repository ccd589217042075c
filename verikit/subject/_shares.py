"""How often others match as closely as she does, in bounded time at every size of table."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from verikit import nulls
from verikit._reach import Reach
from verikit._seed import generator

__all__ = ["Share", "made_up", "others"]

Ranks = npt.NDArray[np.int64]

EXACT_RECORDS, EXACT_ATTRIBUTES = 40, 3
PLAIN, CLOSER = 2_000, 4_000
SMALL = 0.15
EVERYBODY, SAMPLE = 4_000, 2_000


class Share(NamedTuple):
    """A share of cases and its standard error, 0 where it is exact."""

    share: float
    error: float


def made_up(reach: Reach, first: Ranks, last: Ranks, places: int) -> Share:
    """The share of made-up records, each value drawn from its column, that match as closely.

    Notes
    -----
    Exact up to 40 records of 3 attributes. Else 2,000 draws; where few of them
    match, 4,000 draws of `nulls.karp_luby`, whose error is small beside a small share. What is
    done depends on the size of the table only, not on what is installed.
    """
    n, m = first.shape
    if n <= EXACT_RECORDS and m <= EXACT_ATTRIBUTES:
        return Share(min(float(nulls.exact(first, last, [places])[0]), 1.0), 0.0)
    rows = reach.order[generator(0).integers(0, n, (PLAIN, m))]
    asked = np.take_along_axis(first, rows, axis=0), np.take_along_axis(last, rows, axis=0)
    share = float(reach.holds(*asked, places).mean())
    if share > SMALL:
        return Share(share, _error(share, PLAIN))
    shares, errors = nulls.karp_luby(first, last, [places], draws=CLOSER, seed=0)
    return Share(float(shares[0]), float(errors[0]))


def others(reach: Reach, first: Ranks, last: Ranks, places: int) -> Share:
    """The share of released records whose closest other record is as close, hers counted in.

    Notes
    -----
    Every record is asked up to 4,000 of them, beyond that 2,000 drawn with a fixed seed.
    """
    asked = _asked(reach, len(first))
    found = np.count_nonzero(reach.holds(first[asked], last[asked], places, own=asked))
    share = (1 + found) / (len(asked) + 1)
    return Share(share, 0.0 if len(asked) == len(first) else _error(share, len(asked)))


def _asked(reach: Reach, n: int) -> npt.NDArray[np.intp]:
    if n <= EVERYBODY:
        return np.arange(n)
    return reach.order[generator(1).choice(n, SAMPLE, replace=False)]


def _error(share: float, draws: int) -> float:
    """The standard error of a share of some draws; never 0, as all of them may be a case alike."""
    return float(max(np.sqrt(share * (1 - share) / draws), 1 / draws))
