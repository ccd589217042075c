"""How many records of a large table have a copy among the others."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Floats
from verikit.large._memory import allowed
from verikit.large._stream import Stream

__all__ = ["share_of_copies", "share_of_unique"]

ODD = np.uint64(0x9E3779B97F4A7C15)


def share_of_copies(stream: Stream, names: Sequence[str]) -> float:
    """The share of records that show the same values as another one, in all of some columns.

    Notes
    -----
    Records are told apart by codes of 64 bits, which two of 10^8 different ones share once in a
    thousand tables. Where these do not fit into memory, the table is read several times, each time
    for a part of the codes.
    """
    if hasattr(stream.source, "copies"):  # the table's own engine counts them
        copies = stream.source.copies([stream.schema[name] for name in names])
        return float(copies / len(stream))
    parts = -(-24 * len(stream) // allowed())
    copies = sum(_copies(stream, names, part, parts) for part in range(parts))
    return copies / len(stream)


def share_of_unique(stream: Stream, name: str) -> float:
    """The share of records whose value of one column nobody shares.

    Notes
    -----
    A missing value is nobody's own, unless it is the only one.
    """
    if hasattr(stream.source, "missing"):
        missing = int(stream.source.missing(stream.schema[name]))
    else:
        missing = sum(int(np.isnan(part[0]).sum()) for part in stream.scores([name]))
    copies = share_of_copies(stream, [name]) * len(stream)
    return 1 - (round(copies) + missing * (missing > 1)) / len(stream)


def _copies(stream: Stream, names: Sequence[str], part: int, parts: int) -> int:
    codes = [np.empty(0, np.uint64)]
    for columns in stream.scores(names):
        found = _codes(columns)
        codes.append(found if parts == 1 else found[found % np.uint64(parts) == part])
    ordered = np.sort(np.concatenate(codes))
    same = ordered[1:] == ordered[:-1]
    return int(np.count_nonzero(np.r_[False, same] | np.r_[same, False])) if len(ordered) else 0


def _codes(columns: Sequence[Floats]) -> npt.NDArray[np.uint64]:
    missing = np.any([np.isnan(column) for column in columns], axis=0)
    known = [column[~missing] for column in columns] if missing.any() else columns
    code = np.zeros(len(known[0]), np.uint64)
    for column in known:
        code ^= (column + 0.0).view(np.uint64)  # one zero, whatever its sign
        for shift in (32, 29, 32):
            code ^= code >> np.uint64(shift)
            code *= ODD
    return code
