"""Whether two different cells of one column may be the same value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit.cells._cells import Cells
from verikit.cells._meaning import Meaning
from verikit.cells._ranges import plain_number
from verikit.cells._related import Part, Related, related
from verikit.cells._spans import Spans
from verikit.cells._starred import meet_as_text

__all__ = ["apart", "equal_or_related"]


def apart(cells: Cells) -> bool:
    """Whether no two different cells that a column shows may be the same value.

    Where this is hard to tell the answer is no.

    Examples
    --------
    >>> import pandas as pd
    >>> from verikit.cells import cells_of
    >>> from verikit.table import Column
    >>> ages = [["40-49", "50-59"], ["40-49", "45"], ["40-49", "*"]]
    >>> [apart(cells_of(pd.Series(part, dtype="category"), Column("age"))) for part in ages]
    [True, False, False]
    """
    used = np.flatnonzero(np.bincount(cells.codes, minlength=len(cells) + 1))
    if len(used) < 2:
        return True
    if isinstance(cells, Spans):
        return _disjoint(cells.low[used], cells.high[used])
    read = cells.meanings()
    return _told_apart([read[at] for at in used])


def equal_or_related(cells: Cells, first: Rows, second: Rows) -> Related:
    """How the cells of some rows of a column meet those of others; by equality where it is apart.

    Examples
    --------
    >>> import pandas as pd
    >>> from verikit.cells import cells_of
    >>> from verikit.table import Column
    >>> ages = cells_of(pd.Series(["20-29", "25", "30+"], dtype="category"), Column("age"))
    >>> found = equal_or_related(ages, np.array([1]), np.array([0, 1, 2]))
    >>> [found.meet(found.first.codes, code).item() for code in found.second.codes]
    [True, True, False]
    """
    codes = [cells.codes[rows] for rows in (first, second)]
    if not apart(cells):
        return related(*(replace(cells, codes=part) for part in codes))
    ends = np.arange(len(cells) + 1)
    one, two = (Part(part.astype(np.int64), ends, ends) for part in codes)
    return Related(one, two, len(ends))


def _told_apart(read: Sequence[Meaning]) -> bool:
    """Whether labels share no name, code or number, and none may be anything."""
    if any(part.anything for part in read):
        return False
    names = [name for part in read for name in part.names]
    if len(set(names)) < len(names):
        return False
    if any(part.codes for part in read):
        pairs = meet_as_text(read, read)
        if any(held != [at] for at, held in pairs):
            return False
    return not any(part.ranges for part in read) or _disjoint(*_ends(read))


def _ends(read: Sequence[Meaning]) -> tuple[Floats, Floats]:
    """The least and the greatest number that each label may be; none for other labels."""
    found = []
    for part in read:
        numbers = [number for name in part.names if (number := plain_number(name)) is not None]
        ends = [*numbers, *(end for span in part.spans for end in span.ends)]
        if ends:
            found.append((min(ends), max(ends)))
    low, high = np.array(found, np.float64).T
    return low, high


def _disjoint(low: Floats, high: Floats) -> bool:
    order = np.argsort(low)
    return bool((high[order][:-1] < low[order][1:]).all())
