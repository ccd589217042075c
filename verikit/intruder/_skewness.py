"""Skewness: a class in which a value is far more frequent than in the table."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd

from verikit._support import requests
from verikit.alike import People, Table
from verikit.intruder._disclosure import Disclosure, found_in, sight
from verikit.words import EVEN_VALUES, share

__all__ = ["skewness"]


def skewness(
    release: Table,
    people: People | None = None,
    *,
    values: Collection[object] | None = None,
    gain: float = 0,
    sensitive: str | None = None,
) -> Disclosure:
    """Find the value that each class makes more likely than the whole table does.

    The attacker knows how frequent each value is overall, and his targets' quasi-identifiers. A
    class may hold enough different values and still shift what he believes of everyone in it.

    Parameters
    ----------
    release
        What was published.
    people
        The quasi-identifiers of the targets, a table of people or one record; None looks at every
        class.
    values
        The values that harm; None takes them all. To be thought 98 % positive is worse than to be
        thought 98 % negative.
    gain
        By how much a share must exceed that of the table; what does not is left out.
    sensitive
        The sensitive column; the one with that role where there is just one.

    Returns
    -------
    Disclosure
        For each class or person the value whose share gained most: its share among the records
        that fit as confidence, and its share of the whole table before.

    Raises
    ------
    SchemaError, RecordError
        If the table cannot be measured, or the people, ``values`` or ``gain`` cannot be used.

    References
    ----------
    [KS]_ section 5.2

    Examples
    --------
    Tests of a hundred people: half are positive, but in one class 49 of 50.

    >>> import pandas as pd
    >>> import verikit as vk
    >>> tests = ["positive"] * 49 + ["negative"] * 50 + ["positive"]
    >>> frame = pd.DataFrame({"Zip": ["47677"] * 50 + ["47602"] * 50, "Test": tests})
    >>> table = vk.Microdata(frame, vk.Schema.guess(frame, Test="sensitive"))
    >>> skewness(table, values=["positive"])
    skewness: A value of Test becomes more likely for 50 of 100 records; most of all positive for
    Zip 47677, in 98 of 100 cases instead of 50 of 100, if within a group each value is equally
    likely for everyone.
    """
    asked = requests.share(gain, "gain")
    view = sight(release, people, sensitive)
    holdings = view.holdings
    part = holdings.count / holdings.classes.sizes[holdings.owner]
    before = holdings.overall[holdings.place] / holdings.total
    harmful = holdings.known
    if values is not None:
        harmful = harmful & np.isin(holdings.place, holdings.places(values, "values"))
    gained = np.where(harmful, part - before, -np.inf)
    best = np.lexsort((holdings.place, -gained, holdings.owner))[holdings.starts]
    kept = best[gained[best] > asked]
    found = {
        "owner": holdings.owner[kept],
        "value": np.array(holdings.named(holdings.place[kept]), dtype=object),
        "confidence": part[kept],
        "before": before[kept],
    }

    def words(whom: str, frame: pd.DataFrame) -> str:
        said = f"A value of {holdings.column.name} becomes more likely for {whom}"
        if not len(frame):
            return f"{said}."
        most = int((frame["confidence"] - frame["before"]).to_numpy().argmax())
        line = frame.iloc[most]
        return (
            f"{said}; most of all {line['value']} for {view.whom(frame, most)}, in "
            f"{share(line['confidence'])} cases instead of {share(line['before'])}, {EVEN_VALUES}."
        )

    return found_in("skewness", view, found, words)
