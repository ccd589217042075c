"""The numbers behind a check of a randomized table: rows, attributes, values and facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from verikit.subject._guess import MOST, values_table
from verikit.subject._say import rests
from verikit.subject.randomized._find import Redrawn
from verikit.words import joined

__all__ = ["facts", "tables"]


def tables(found: Redrawn) -> Mapping[str, pd.DataFrame]:
    """The rows that may be hers, the values she gave, and the sensitive values of these rows."""
    return {
        "rows": _rows(found),
        "your_values": _drawn(found),
        "values": values_table(found.guesses),
    }


def facts(found: Redrawn) -> dict[str, Any]:
    """How many rows may be hers, and the chances that the sentences name."""
    some = found.possible > 0
    return {
        "equal": found.equal,
        "possible": found.possible,
        "same": found.same,
        "as_it_was": found.as_it_was if found.equal else None,
        "surest": found.surest if some else None,
        "gaps": found.gaps,
        "sure": found.sure,
        "rests": rests("drawn"),
    }


def _rows(found: Redrawn) -> pd.DataFrame:
    """One line a set of attributes in which rows differ: how many, and how likely hers."""
    sets = np.flatnonzero((found.counts > 0) & (found.chances > 0))
    each = 100 * found.chances[sets] / (found.total or 1.0)
    best = np.argsort(-each, kind="stable")[:MOST]
    names = list(found.known)
    lines = {
        "differ in": [
            joined(name for k, name in enumerate(names) if number >> k & 1) or "nothing"
            for number in sets[best].tolist()
        ],
        "rows": found.counts[sets[best]],
        "of 100 cases yours, each": each[best],
        "of 100 cases yours, together": each[best] * found.counts[sets[best]],
    }
    return pd.DataFrame(lines)


def _drawn(found: Redrawn) -> pd.DataFrame:
    """One line a value she gave: how many rows show it, and how many rows were drawn anew."""
    sets, told = np.arange(len(found.counts)), found.told
    return pd.DataFrame(
        {
            "attribute": list(found.known),
            "own": list(found.known.values()),
            "rows that show it": [
                int(found.counts[(sets >> k & 1) == 0].sum()) for k in range(len(found.known))
            ],
            "of 100 rows drawn anew": [
                100 * told.changed * told.weights[told.names.index(name)] for name in found.known
            ],
        }
    )
