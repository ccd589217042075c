"""Two tables of the same groups: as many rows in both, or values besides that are nobody's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit.errors import SchemaError, quoted
from verikit.words import count, listed, text

__all__ = ["check_sizes"]


class Grouped(Protocol):
    """The names of the groups, and the place of each row's group among them, table by table."""

    @property
    def names(self) -> pd.Index[Any]:
        """The names."""

    @property
    def quasi(self) -> Rows:
        """The groups of the first table."""

    @property
    def sensitive(self) -> Rows:
        """The groups of the second."""


def check_sizes(labels: Grouped, parameters: Mapping[str, Any]) -> None:
    """Refuse a group with more rows in one table, but for the values that a method added.

    Such a method says in its parameter ``fakes`` how many values each group may hold besides those
    of its people.
    """
    told = parameters.get("fakes", 0)
    added = told if isinstance(told, int) and not isinstance(told, bool) else 0
    groups = len(labels.names)
    people, values = (
        np.bincount(part, minlength=groups) for part in (labels.quasi, labels.sensitive)
    )
    wrong = np.flatnonzero((values < people) | (values > people + added))
    if len(wrong):
        at = int(wrong[0])
        besides = f", and up to {added} values that are nobody's" if added else ""
        raise SchemaError(
            f"Group {quoted(text(labels.names[at]))} has {people[at]} records in the quasi table "
            f"and {values[at]} in the sensitive table{_others(labels, wrong[1:])}; both must hold "
            f"every record once{besides}."
        )


def _others(labels: Grouped, wrong: Rows) -> str:
    """The other groups with the same fault."""
    if not len(wrong):
        return ""
    others = count(len(wrong), "other group disagrees", "other groups disagree")
    return f" ({others} too: {listed(labels.names[wrong])})"
