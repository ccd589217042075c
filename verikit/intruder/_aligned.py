"""The people an intruder knows beside a release in two tables: which groups each may be in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit.alike import Alignment, Fit
from verikit.errors import SchemaError
from verikit.release import SplitRelease, by_groups
from verikit.table import Microdata, checked_table, refuse_missing
from verikit.words import listed

__all__ = ["Aligned", "aligned"]


class Aligned(NamedTuple):
    """People by what is known of them: those who look alike are looked up once.

    Parameters
    ----------
    alignment
        The release by groups.
    people
        What is known of each person.
    first
        One person of each kind.
    kind
        The kind of each person.
    """

    alignment: Alignment
    people: pd.DataFrame
    first: Rows
    kind: Rows

    def fits(self) -> Iterator[Fit]:
        """The groups that each kind of person fits."""
        for record in self.people.take(self.first).to_dict("records"):
            yield self.alignment.fit({str(name): value for name, value in record.items()})


def aligned(data: Microdata, release: SplitRelease, who: str) -> Aligned:
    """Look up the quasi-identifiers of people in a release."""
    if not by_groups(release):
        raise SchemaError(
            f"{who} was given {type(release).__name__}; expected a SplitRelease, as "
            "mask.anatomize and mask.permute_all make it."
        )
    checked_table(data, who)
    names = [column.name for column in release.schema.quasi]
    lacking = [name for name in names if name not in data.schema.names]
    if lacking or not names:
        raise SchemaError(
            f"The people known lack {listed(lacking) or 'any quasi-identifier'} of the release, "
            f"which has {listed(names) or 'none'}."
        )
    refuse_missing(data, [data.schema[name] for name in names], "refuse")
    people = data.frame[names]
    kind = people.groupby(names, sort=False, observed=True).ngroup().to_numpy(np.intp)
    first = np.unique(kind, return_index=True)[1]
    return Aligned(Alignment(release, names), people, first, kind)
