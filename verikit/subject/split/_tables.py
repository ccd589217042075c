"""The numbers behind a check of tables joined by groups: groups, values and facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from verikit.subject._say import rests
from verikit.subject.split._find import GroupFits

__all__ = ["facts", "tables"]


def tables(fits: GroupFits) -> Mapping[str, pd.DataFrame]:
    """The groups that fit, and the sensitive values that may be hers."""
    return {"groups": _groups(fits), "values": _values(fits)}


def facts(fits: GroupFits) -> dict[str, Any]:
    """How many groups and people fit, and the two chances that she is shown to be there."""
    return {
        "groups": len(fits.fit.groups),
        "people": fits.people,
        "presence": fits.presence,
        "lemma": fits.lemma,
        "sure": fits.sure,
        "rests": rests("links"),
    }


def _groups(fits: GroupFits) -> pd.DataFrame:
    """One line a group that fits: its people, how many rows show her values, its weight."""
    fit = fits.fit
    frame = pd.DataFrame(
        {
            "group": fits.release.labels.names[fit.groups],
            "people": fits.release.sizes[fit.groups],
            "rows like yours": fit.copies,
            "of 100 cases yours": 100 * fit.weights,
        }
    )
    return frame.sort_values(
        "of 100 cases yours", ascending=False, kind="stable", ignore_index=True
    )


def _values(fits: GroupFits) -> pd.DataFrame:
    """One line a sensitive value that may be hers: its chances, the likeliest first."""
    lines = [
        {
            "attribute": guess.column.name,
            "value": guess.column.shown(guess.values[place]),
            "of 100 here": 100 * guess.here[place],
            "of 100 everywhere": 100 * guess.everywhere[place],
            "formula in print": 100 * guess.printed[place],
        }
        for guess in fits.guesses
        for place in np.argsort(-guess.here, kind="stable")[: guess.possible]
    ]
    columns = ["attribute", "value", "of 100 here", "of 100 everywhere", "formula in print"]
    return pd.DataFrame(lines, columns=columns)
