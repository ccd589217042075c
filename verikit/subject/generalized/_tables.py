"""The numbers behind a check of a generalized table: attributes, groups, values and facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from verikit.alike import cell_text, grouped
from verikit.cells import rows_that_may_be
from verikit.models import beside
from verikit.subject._say import rests
from verikit.subject.generalized._find import Fits

__all__ = ["facts", "tables"]

MOST_CELLS = 3


def tables(fits: Fits) -> Mapping[str, pd.DataFrame]:
    """What is published in place of her values, the groups that fit, and what they show."""
    return {"attributes": _attributes(fits), "groups": _groups(fits), "values": _values(fits)}


def facts(fits: Fits) -> dict[str, Any]:
    """How many records fit and are suppressed, what made this a generalized table, what is sure."""
    return {
        "fits": len(fits.rows),
        "suppressed": int(fits.hidden.sum()),
        "taken_as_generalized": dict(fits.taken),
        "unread": dict(fits.unread),
        "unnamed": dict(fits.unnamed),
        "sure": fits.sure,
        "rests": rests("records"),
    }


def _attributes(fits: Fits) -> pd.DataFrame:
    """One line a value she gave: what is published in its place, and how many records fit it."""
    lines = []
    for column in fits.columns:
        cells, own = fits.release.frame[column.name], fits.known[column.name]
        found = list(dict.fromkeys(column.shown(cell_text(cell)) for cell in cells.take(fits.rows)))
        rest = len(found) - MOST_CELLS
        published = " or ".join(sorted(found)[:MOST_CELLS]) + (
            f" or {rest} more" if rest > 0 else ""
        )
        alone = int(rows_that_may_be(cells, column, own).sum())
        lines.append(
            {
                "attribute": column.name,
                "own": column.shown(own) if column.dated else own,
                "published": published or None,
                "fit this alone": alone,
            }
        )
    return pd.DataFrame(lines)


def _groups(fits: Fits) -> pd.DataFrame:
    """One line a group of records that fit and look alike: its cells, its number of records."""
    names = [column.name for column in fits.release.schema.quasi]
    if not len(fits.rows):
        return pd.DataFrame(columns=[*names, "records"])
    cells = fits.release.frame[names].take(fits.rows).astype(object).map(cell_text)
    for column in fits.release.schema.quasi:
        if column.dated:
            cells[column.name] = cells[column.name].map(column.shown)
    classes = grouped(cells)
    return beside(classes.cells(), {"records": classes.sizes})


def _values(fits: Fits) -> pd.DataFrame:
    """One line a sensitive value that they show: how many, and its shares here and everywhere."""
    lines = [
        {
            "attribute": shown.column.name,
            "value": value,
            "records": int(count),
            "of 100 here": 100 * shown.share_here(value),
            "of 100 everywhere": 100 * shown.share_everywhere(value),
        }
        for shown in fits.shown
        for value, count in shown.here.items()
    ]
    columns = ["attribute", "value", "records", "of 100 here", "of 100 everywhere"]
    return pd.DataFrame(lines, columns=columns)
