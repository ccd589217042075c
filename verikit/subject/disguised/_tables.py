"""The numbers behind a check of a release with a target: distribution, values, groups, facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from verikit.subject._say import rests
from verikit.subject.disguised._find import Inferred

__all__ = ["MOST_LINES", "cut", "facts", "tables"]

MOST_BARS = 16
MOST_LINES = 20


def tables(found: Inferred) -> Mapping[str, pd.DataFrame]:
    """What can be inferred beside the target, value by value where there are many, and groups."""
    found_by_name = {"distribution": _distribution(found)}
    if len(found.here) > MOST_BARS:
        found_by_name["values"] = _values(found).head(MOST_LINES)
    return {**found_by_name, "groups": _groups(found).head(MOST_LINES)}


def cut(found: Inferred) -> dict[str, int]:
    """How many lines of which tables are left out."""
    lines = {"groups": len(found.groups)}
    if len(found.here) > MOST_BARS:
        lines["values"] = int(np.count_nonzero(found.possible))
    return {name: number for name, number in lines.items() if number > MOST_LINES}


def facts(found: Inferred) -> dict[str, Any]:
    """How many groups and people fit, how far the target is, and what was required."""
    node = found.node
    return {
        "groups": len(found.groups),
        "people": found.people,
        "away_from_target": found.away,
        "node": None if node is None else found.coarse.column.shown(found.tree.names[node]),
        "respected": found.respected if node is not None and len(found.groups) else None,
        "nobody's": found.added,
        "sure": found.sure,
        "rests": rests("target"),
    }


def _distribution(found: Inferred) -> pd.DataFrame:
    """One line a value, or a group of values of the finest level with few enough of them."""
    if not len(found.groups):
        return pd.DataFrame(columns=["value", "of 100 for you", "of 100 in the target"])
    names, places = _steps(found)
    here, target = (np.bincount(places, part) for part in (found.here, found.target))
    return pd.DataFrame(
        {"value": names, "of 100 for you": 100 * here, "of 100 in the target": 100 * target}
    )


def _steps(found: Inferred) -> tuple[list[str], Any]:
    """The names of at most so many groups of values, and the place of each value's group."""
    tree = found.coarse.hierarchy
    order = [tree.levels[leaf] for leaf in tree.order()]
    for height in range(tree.height):
        names = [path[height] for path in order]
        codes, kept = pd.factorize(np.array(names, object))
        if len(kept) <= MOST_BARS:
            return list(map(found.coarse.column.shown, kept)), codes
    first = np.sort(np.argsort(-found.here, kind="stable")[: MOST_BARS - 1])
    codes = np.full(len(order), len(first))
    codes[first] = np.arange(len(first))
    return [
        *(found.coarse.column.shown(order[at][0]) for at in first.tolist()),
        "all others",
    ], codes


def _values(found: Inferred) -> pd.DataFrame:
    """One line a value that may be hers: its chance, and that of the target, likeliest first."""
    order = np.argsort(-found.here, kind="stable")
    there = order[found.possible[order]]
    return pd.DataFrame(
        {
            "value": [
                found.coarse.column.shown(found.tree.names[found.tree.leaves[at]])
                for at in there.tolist()
            ],
            "of 100 for you": 100 * found.here[there],
            "of 100 in the target": 100 * found.target[there],
        }
    )


def _groups(found: Inferred) -> pd.DataFrame:
    """One line a group that fits: its people, and in how many cases she is in it."""
    frame = pd.DataFrame(
        {
            "group": found.release.labels.names[found.groups],
            "people": found.release.sizes[found.groups],
            "of 100 cases yours": 100 * found.weights,
        }
    )
    return frame.sort_values(
        "of 100 cases yours", ascending=False, kind="stable", ignore_index=True
    )
