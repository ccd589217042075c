"""What the target editor asks verikit for: a target to begin with, a release that shows it."""

from __future__ import annotations

import warnings
from typing import Any

from verikit import targets
from verikit.errors import RecordError
from verikit.hierarchy import Hierarchy
from verikit.mask import Tolerance, disguise, equal_people
from verikit.release import SplitRelease
from verikit.table import Column, Microdata
from verikit.widgets._releases import in_two_tables

__all__ = ["held", "published", "started", "starts"]

DRAWN, SEED = 250_000, 1
STARTS = {
    "given": "as it was given",
    "uniform": "every value alike",
    "data": "as in the table",
    "normal": "normal, shares in tenths",
    "zipf": "Zipf, shares in tenths",
}


def starts(column: Column, *, given: bool) -> dict[str, str]:
    """The targets to begin with that suit the column."""
    numeric = column.kind == "numeric"
    return {
        name: words
        for name, words in STARTS.items()
        if (given or name != "given") and (numeric or name != "normal")
    }


def started(given: Hierarchy, data: Microdata, column: Column, start: str) -> Hierarchy:
    """The target of that name on the given tree."""
    ways = {
        "given": lambda: given,
        "uniform": lambda: targets.uniform(given),
        "data": lambda: held(given, data, column),
        "normal": lambda: targets.rounded(targets.normal(given, 4)),
        "zipf": lambda: targets.rounded(targets.zipf(given, 1)),
    }
    return ways[start]()


def held(given: Hierarchy, data: Microdata, column: Column) -> Hierarchy:
    """The tree with the shares of the table itself."""
    return targets.of_values(given, data.frame[column.name])


def published(
    data: Microdata, target: Hierarchy, groups: str, fakes: Any, near: Tolerance
) -> SplitRelease:
    """The release; that a target leaves nothing but the root is said by the card."""
    if groups == "quasi":
        cells = len(equal_people(data)) * len(target.levels)
        if cells > DRAWN:
            raise RecordError(
                f"groups was given as 'quasi', which makes {cells:,} chances to compare; the view "
                f"takes up to {DRAWN:,}, so use 'together', or verikit.mask.disguise."
            )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Of .* are the root")
        found = disguise(
            data,
            hierarchy=target,
            groups="quasi" if groups == "quasi" else None,
            fakes=fakes,
            tolerance=near,
            seed=SEED,
        )
    return in_two_tables(found.release)
