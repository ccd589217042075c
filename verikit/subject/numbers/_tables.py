"""The numbers behind a check of permuted numbers: ranges, groups, values and facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from verikit.subject._guess import MOST, values_table
from verikit.subject._say import rests
from verikit.subject.numbers._find import NumberFits
from verikit.table import Column

__all__ = ["facts", "tables"]


def tables(fits: NumberFits) -> Mapping[str, pd.DataFrame]:
    """The ranges that are left, the groups that fit, and the values that may be hers."""
    return {"ranges": _ranges(fits), "groups": _groups(fits), "values": values_table(fits.guesses)}


def facts(fits: NumberFits) -> dict[str, Any]:
    """How many groups, people and rows fit, and how many of these rows show all her values."""
    return {
        "groups": len(fits.groups),
        "people": fits.people,
        "rows": int(fits.copies.sum()),
        "shown": fits.shown,
        "sure": fits.sure,
        "rests": rests("links"),
    }


def _ranges(fits: NumberFits) -> pd.DataFrame:
    """One line a column of numbers: how many are left for her, their ends, those of the table."""
    lines = [
        {
            "attribute": part.column.name,
            "different values": part.different,
            "lowest": _end(part.ends[0], part.column),
            "highest": _end(part.ends[1], part.column),
            "range": part.width,
            "lowest of all": _end(part.whole[0], part.column),
            "highest of all": _end(part.whole[1], part.column),
        }
        for part in fits.left
        if part.different
    ]
    names = ["attribute", "different values", "lowest", "highest", "range"]
    return pd.DataFrame(lines, columns=[*names, "lowest of all", "highest of all"])


def _end(value: float, column: Column) -> float | str:
    """An end of a range, a date as such."""
    return column.shown(value) if column.dated else value


def _groups(fits: NumberFits) -> pd.DataFrame:
    """One line a group that fits: its people, its rows like hers, its numbers and their range."""
    frame = pd.DataFrame(
        {
            "group": fits.release.labels.names[fits.groups],
            "people": fits.sizes[fits.groups],
            "rows like yours": fits.copies,
            "of 100 cases yours": 100 * fits.weights,
        }
    )
    for part in fits.left:
        found, name = fits.in_each_group(part.column), part.column.name
        frame[f"different {name}"] = found.different
        frame[f"range of {name}"] = found.high - found.low
    order = np.argsort(-fits.weights, kind="stable")[:MOST]
    return frame.take(order).reset_index(drop=True)
