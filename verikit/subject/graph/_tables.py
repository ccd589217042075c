"""The numbers behind a check of a published graph: links, what is learned, and facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from verikit.subject._say import rests
from verikit.subject.graph._find import Linked

__all__ = ["MOST_LINES", "facts", "most_after", "names_of", "tables"]

MOST_LINES = 20
MOST_NAMES = 3
FIRST_STEPS, STEPS = 10, 12


def tables(found: Linked) -> Mapping[str, pd.DataFrame]:
    """The links that she may have by group of the other side, and what learned links change."""
    return {"links": _links(found), "learned": _learned(found)}


def facts(found: Linked) -> dict[str, Any]:
    """Her group, how many links its nodes have, how sure a guess is, and what it rests on."""
    there, links = found.there, found.degrees if found.there else np.zeros(1, np.intp)
    return {
        "group": found.size if there else 0,
        "fewest_links": int(links.min()),
        "most_links": int(links.max()),
        "surest": found.surest,
        "groups_linked": len(found.groups) if there else 0,
        "sure": found.sure,
        "rests": rests("nodes"),
    }


def most_after(found: Linked, learned: int) -> float:
    """How sure a guess may be, at most, after so many links of others were learned."""
    if not learned:
        return found.surest
    return 1 / max(found.size - learned, 1)


def names_of(found: Linked, groups: Any) -> list[str]:
    """The names of some groups of the other side, the first few of each."""
    held = found.release.groups(found.others)
    rows = np.flatnonzero(np.isin(held, groups))
    rows = rows[np.argsort(held[rows], kind="stable")]
    starts, ends = (np.searchsorted(held[rows], groups, side) for side in ("left", "right"))
    names = found.release.side(found.others).frame[found.title]
    return [
        _few(names.iloc[rows[a : min(b, a + MOST_NAMES)]], b - a)
        for a, b in zip(starts, ends, strict=True)
    ]


def _few(names: Any, number: int) -> str:
    rest = number - len(names)
    return ", ".join(map(str, names)) + (f" and {rest:,} more" if rest else "")


def _links(found: Linked) -> pd.DataFrame:
    """One line a group of the other side to which hers is linked, the likeliest first."""
    groups = found.groups[:MOST_LINES] if found.there else np.empty(0, np.intp)
    part = slice(len(groups))
    if not len(groups):
        return pd.DataFrame(columns=["any of", "links to your group", "of 100 each"])
    return pd.DataFrame(
        {
            "any of": names_of(found, groups),
            "links to your group": found.links[part],
            "of 100 each": 100 * found.chances[part],
            "of 100 at least one": 100 * found.reaching[part] / found.size,
        }
    )


def _learned(found: Linked) -> pd.DataFrame:
    """One line a number of learned links of others: how sure a guess of hers may be then."""
    size = found.size if found.there and found.apart else 0
    steps = list(range(size)) if size > 1 and len(found.groups) else []
    if len(steps) > STEPS:
        steps = [*steps[:FIRST_STEPS], *steps[FIRST_STEPS - STEPS :]]
    most = [100 * most_after(found, step) for step in steps]
    return pd.DataFrame({"links of others learned": steps, "of 100 at most": most})
