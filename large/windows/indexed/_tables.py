"""The numbers behind a check against an index: one line an attribute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    from verikit.large.indexed._check import Bounded

__all__ = ["facts", "tables"]


def tables(found: Bounded) -> Mapping[str, pd.DataFrame]:
    """Hers, and the fewest and the most places to the records that may be the closest."""
    lines = {
        "attribute": list(found.known),
        "own": list(found.known.values()),
        "fewest_places": [found.bounds.fewest[name] for name in found.known],
        "most_places": [found.bounds.most[name] for name in found.known],
        "largest_bucket": [found.release.of(name).widest for name in found.known],
        "required_distance": np.array([found.required.distance[n] for n in found.known], object),
    }
    return {"attributes": pd.DataFrame(lines)}


def facts(found: Bounded) -> dict[str, Any]:
    """Between what the distance lies, and how many records may be the closest."""
    bounds = found.bounds
    return {"lower": bounds.lower, "upper": bounds.upper, "matches": bounds.near}
