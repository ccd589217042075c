"""The errors of groups of numbers, and partitioners beside each other, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from verikit._support.arrays import Floats
from verikit._support.html import cell
from verikit.partition._partition import Partition
from verikit.words import Said, count

__all__ = ["Grouped", "compared", "described", "ends"]

Ends: TypeAlias = list[tuple[float, float]]


class Grouped(NamedTuple):
    """One partitioner in words, and the smallest and largest value of each of its groups."""

    words: str
    ends: Ends

    @property
    def errors(self) -> list[float]:
        """The range of each group."""
        return [high - low for low, high in self.ends]


def ends(scores: Floats, groups: Partition) -> Ends:
    """The smallest and largest value of each group, in ascending order.

    Examples
    --------
    >>> ends(np.array([4.0, 1, 2]), Partition.of([0, 1, 1]))
    [(1.0, 2.0), (4.0, 4.0)]
    """
    low, high = np.full(len(groups), np.inf), np.full(len(groups), -np.inf)
    np.minimum.at(low, groups.labels, scores)
    np.maximum.at(high, groups.labels, scores)
    return sorted(zip(low.tolist(), high.tolist(), strict=True))


def compared(lines: Sequence[Grouped]) -> Said:
    """The best of both errors in a sentence.

    Examples
    --------
    >>> compared([Grouped("most groups", [(1.0, 2.0), (4.0, 4.0)])]).means
    'The errors of all groups add up to 1 at best, and the widest is 1 at best.'
    """
    total = min(sum(line.errors) for line in lines)
    widest = min(max(line.errors) for line in lines)
    return Said(
        f"The errors of all groups add up to {cell(total)} at best, and the widest is "
        f"{cell(widest)} at best."
    )


def described(lines: Sequence[Grouped]) -> str:
    """Every partitioner in words."""
    return " ".join(
        f"{line.words[:1].upper()}{line.words[1:]}: {count(len(line.ends), 'group')}, sum of errors"
        f" {cell(sum(line.errors))}, widest {cell(max(line.errors))}."
        for line in lines
    )
