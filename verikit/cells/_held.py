"""What cells say about conditions: which meet them surely, perhaps, and what share of each does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from verikit._support.arrays import Codes, Flags, Floats
from verikit.cells._conditions import Among, Between, Condition
from verikit.cells._ranges import Range
from verikit.errors import RecordError
from verikit.table import Column

__all__ = ["Held", "asked_names", "asked_ranges", "like_the_others", "small"]


class Held(NamedTuple):
    """By cell whether it surely meets conditions, what share of it does, and whether it may.

    The last entry is that of a missing value, which may be anything.
    """

    surely: Flags
    share: Floats
    perhaps: Flags


def asked_names(conditions: Sequence[Condition]) -> set[str] | None:
    """The values that all choices among the conditions leave; None where nothing is chosen."""
    choices = [set(c.values) for c in conditions if isinstance(c, Among)]
    return set.intersection(*choices) if choices else None


def asked_ranges(
    conditions: Sequence[Condition], column: Column, *, numbers: bool = False
) -> list[Range]:
    """The ranges asked for: numbers, or the places of ordered categories."""
    return [_range(c, column, numbers) for c in conditions if isinstance(c, Between)]


def _range(condition: Between, column: Column, numbers: bool) -> Range:
    if column.kind == "nominal" and not numbers:
        raise RecordError(
            f"A range was asked of {column.name!r}, which is nominal and has no order; ask for "
            "some of its values."
        )
    scale = Column(column.name, unit=column.unit) if numbers else column
    ends = [None if e is None else scale.score(e) for e in (condition.low, condition.high)]
    return Range(
        -np.inf if ends[0] is None else ends[0],
        np.inf if ends[1] is None else ends[1],
        condition.closed in ("both", "left"),
        condition.closed in ("both", "right"),
    )


def like_the_others(share: Floats, anything: Flags, counts: npt.NDArray[Any]) -> Floats:
    """Expect of cells that may be anything what the other records show; half if there is none.

    Examples
    --------
    >>> flags = np.array([False, False, True])
    >>> like_the_others(np.array([1.0, 0.0, 0.0]), flags, np.array([3, 1, 5])).tolist()
    [1.0, 0.0, 0.75]
    """
    weights = np.where(anything, 0, counts)
    total = weights.sum()
    return np.where(anything, share @ weights / total if total else 0.5, share)


def small(codes: npt.NDArray[Any], cells: int) -> Codes:
    """Codes in the narrowest type, a missing one past the last."""
    narrow = np.min_scalar_type(cells)
    return np.where(codes < 0, cells, codes).astype(narrow)
