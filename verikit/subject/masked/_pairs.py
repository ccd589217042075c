"""Whether the way a table was masked can be undone by somebody who knows everybody's values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from verikit.mask import rank_swap
from verikit.ranks import blocks


def is_swapped_in_pairs(release: Any) -> bool:
    """Whether the release says that its values were swapped in pairs."""
    scheme = release.parameters.get("scheme", "pairs")
    return bool(release.method == rank_swap.__name__ and scheme == "pairs")


def undone_pairs(release: Any, unique: Callable[[Any, str], float] | None = None) -> bool:
    """Whether values were swapped in pairs, in columns most of whose values are unique (S14).

    Each link then implies others, until nearly everybody is linked (`verikit.intruder.undo_pairs`).

    Parameters
    ----------
    release
        The published table, a `TableRelease` or what stands for one that is not loaded.
    unique
        What gives the share of values of a column that nobody shares; by default they are sorted.

    Notes
    -----
    Two columns at least must be swapped: one alone implies nothing. With two, nearly all values
    must be unique, and values that may move to more than half of the ranks leave too many starts
    open.
    """
    if not is_swapped_in_pairs(release):
        return False
    told = release.parameters.get("places")
    places = told if isinstance(told, dict) else {}
    moved = [n for n in _list_ranked(release) if _read_count(places.get(n)) > 0]
    if len(moved) < 2 or (len(moved) == 2 and _moves_far(release, places, moved)):
        return False
    share = np.mean([(unique or _share_unique)(release, name) for name in moved])
    return bool(share > (0.95 if len(moved) == 2 else 0.5))


def _list_ranked(release: Any) -> list[str]:
    frame = getattr(release, "frame", {})  # what is not loaded holds no intervals
    spans = {n for n in frame if isinstance(frame[n].dtype, pd.IntervalDtype)}
    return [c.name for c in release.schema if c.ranked and c.name not in spans]


def _read_count(places: object) -> float:
    return float(places) if isinstance(places, (int, float)) else 0.0


def _moves_far(release: Any, places: dict[str, object], moved: list[str]) -> bool:
    return max(_read_count(places[name]) for name in moved) > len(release) / 2


def _share_unique(release: Any, name: str) -> float:
    """The share of published values of one column that nobody shares."""
    ordered = release.ordered(name)
    first, last = blocks(ordered, ordered)
    return float((first == last).mean()) if len(ordered) else 0.0
