"""Small tables for exercises, drawn at random."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from verikit.table import Column, Microdata, Schema

__all__ = ["FROM_ONE", "ILLNESSES", "NEAR", "different", "table", "village"]

FROM_ONE = (
    "Rows are counted from 0 here, as the task prints them; the tables that verikit makes count "
    "from 1."
)
NEAR = 1e-6

ILLNESSES = ("flu", "asthma", "diabetes", "migraine", "ulcer", "gout", "angina")
AGES = ("20-29", "30-39", "40-49", "50-59", "60-69")
ZIPS = ("1010*", "1020*", "1030*")


def table(columns: Mapping[str, Any], sensitive: str | Iterable[str] = "Illness") -> Microdata:
    """A table whose text columns are nominal, with one or more sensitive columns."""
    hidden = {sensitive} if isinstance(sensitive, str) else set(sensitive)
    frame = pd.DataFrame(dict(columns))
    made = [
        Column(
            name,
            "sensitive" if name in hidden else "quasi",
            "numeric" if pd.api.types.is_numeric_dtype(frame[name]) else "nominal",
        )
        for name in frame.columns
    ]
    return Microdata(frame, Schema(tuple(made)))


def different(values: Iterable[float]) -> bool:
    """Whether no two values are equal, or differ by rounding only.

    Examples
    --------
    >>> different([0.1, 0.2, 0.3]), different([0.3, 0.1 + 0.2])
    (True, False)
    """
    return bool(np.diff(np.sort(np.asarray(list(values), dtype=float))).min(initial=np.inf) > NEAR)


def village(
    rng: np.random.Generator,
    people: int = 24,
    least: int = 1,
    most: int = 5,
    chances: Sequence[float] = (0.4, 0.3, 0.2, 0.1),
) -> Microdata:
    """People of some classes of age and postal code, in random order, with an illness each."""
    cells = [(age, code) for age in AGES for code in ZIPS]
    sizes: list[int] = []
    while sum(sizes) != people or len(sizes) > len(cells):
        sizes = []
        while sum(sizes) < people:
            sizes.append(int(rng.integers(least, most + 1)))
    chosen = rng.permutation(len(cells))[: len(sizes)]
    rows = [cells[cell] for cell, size in zip(chosen, sizes, strict=True) for _ in range(size)]
    order = rng.permutation(people)
    return table(
        {
            "Age": [rows[i][0] for i in order],
            "Zip": [rows[i][1] for i in order],
            "Illness": rng.choice(ILLNESSES[: len(chances)], people, p=chances),
        }
    )
