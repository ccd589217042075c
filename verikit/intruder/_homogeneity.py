"""Homogeneity: a class whose records share one sensitive value gives it away."""

from __future__ import annotations

import numpy as np
import pandas as pd

from verikit.intruder._disclosure import Disclosure, found_in, out_of_100, sight
from verikit.models._classes import Table
from verikit.models._people import People
from verikit.models._verdict import least_number

__all__ = ["homogeneity"]


def homogeneity(
    release: Table,
    people: People | None = None,
    *,
    least: float = 1,
    sensitive: str | None = None,
) -> Disclosure:
    """Find the classes in which everyone, or nearly everyone, has the same sensitive value.

    The attacker knows that his targets are in the table, and their quasi-identifiers.

    Parameters
    ----------
    release
        What was published.
    people
        The quasi-identifiers of the targets, a table of people or one record; None looks at every
        class, as if everybody's were known.
    least
        From which confidence on a value counts as given away: 1 asks for certainty, less for
        probable inference.
    sensitive
        The sensitive column; the one with that role where there is just one.

    Returns
    -------
    Disclosure
        The classes or people whose most frequent value reaches ``least``; its share among the
        records that fit as confidence, and its share of the whole table before.

    Raises
    ------
    SchemaError, RecordError
        If the table cannot be measured, or the people or ``least`` cannot be used.

    References
    ----------
    [KS]_ sections 3.4 and 4.1, Table 4

    Notes
    -----
    The survey counts three single persons where its table has four, and writes 70 % for eight of
    ten; both are read as the tables have them.

    Examples
    --------
    >>> import verikit as vk
    >>> homogeneity(vk.published("ks_table4"))
    homogeneity: Crime is given away with certainty for 4 of 11 records, first Theft for Marital
    Status Single, DOB 20**, Zip 19552.
    """
    asked = least_number("least", least, (0, 1))
    view = sight(release, people, sensitive)
    holdings = view.holdings
    top = holdings.top()
    share = holdings.count[top] / holdings.classes.sizes
    kept = np.flatnonzero((share >= asked) & holdings.known[top])
    places = holdings.place[top[kept]]
    found = {
        "owner": kept,
        "value": np.array(holdings.named(places), dtype=object),
        "confidence": share[kept],
        "before": holdings.overall[places] / holdings.total,
    }
    sure = "with certainty" if asked == 1 else f"in at least {out_of_100(asked)} cases"

    def words(whom: str, frame: pd.DataFrame) -> str:
        said = f"{holdings.column.name} is given away {sure} for {whom}"
        if len(frame):
            said += f", first {frame['value'].iloc[0]} for {view.whom(frame, 0)}"
        return f"{said}."

    return found_in("homogeneity", view, found, words)
