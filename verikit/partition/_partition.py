"""Groups of records, shared by all methods that publish by groups."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Rows
from verikit._support.plotted import Plotted
from verikit.errors import SchemaError
from verikit.words import count

__all__ = ["Partition"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Partition(Plotted):
    """Which group each record belongs to: groups are numbered from 0 without gaps.

    Parameters
    ----------
    labels
        One group number a record, in the order of the records.
    method, parameters
        How the groups were made, complete but for the randomness.
    residue
        How many records were left over by the method and put into a group afterwards.

    Examples
    --------
    >>> groups = Partition.of(["b", "a", "b"])
    >>> groups.labels.tolist(), groups.sizes.tolist(), len(groups)
    ([0, 1, 0], [2, 1], 2)
    """

    labels: Rows
    method: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    residue: int = 0

    def __post_init__(self) -> None:
        """Hold a read-only copy, checked to count from 0 without gaps."""
        given = np.asarray(self.labels)
        whole = given.ndim == 1 and (given.dtype.kind in "iu" or not len(given))
        labels = given.astype(np.intp) if whole else np.array([-1])
        if len(labels) and (labels.min() < 0 or (np.bincount(labels) == 0).any()):
            raise SchemaError(
                "Group labels must count from 0 without gaps, one a record; Partition.of numbers "
                "labels of any kind."
            )
        labels.setflags(write=False)
        object.__setattr__(self, "labels", labels)

    @classmethod
    def of(cls, labels: npt.ArrayLike) -> Partition:
        """Number groups given by labels of any kind, in the order in which they first appear."""
        codes = pd.factorize(pd.Series(labels))[0]
        without = int((codes < 0).sum())
        if without:
            raise SchemaError(
                f"{without} of {len(codes)} records have no group; every record belongs to one."
            )
        return cls(codes)

    def __len__(self) -> int:
        return int(self.labels.max()) + 1 if len(self.labels) else 0

    def __repr__(self) -> str:
        method = f"; method {self.method}" if self.method else ""
        residue = f", {self.residue} of them left over and added" if self.residue else ""
        records, groups = count(len(self.labels), "record"), count(len(self), "group")
        return f"Partition({records} in {groups}{residue}{method})"

    def to_frame(self) -> pd.DataFrame:
        """How many groups there are of each size, the smallest first."""
        sizes, groups = np.unique(self.sizes, return_counts=True)
        return pd.DataFrame({"records in a group": sizes, "groups": groups})

    def _repr_html_(self) -> str:
        from verikit._support import html

        return html.result(repr(self), self.to_frame().head(12))

    @property
    def sizes(self) -> Rows:
        """The number of records in each group."""
        return np.bincount(self.labels, minlength=len(self))

    def groups(self) -> list[Rows]:
        """The places of the records of each group."""
        order = np.argsort(self.labels, kind="stable")
        return np.split(order, np.cumsum(self.sizes)[:-1]) if len(self) else []

    def take(self, rows: Rows) -> Partition:
        """The same groups, with the same numbers, for the records in another order."""
        return replace(self, labels=self.labels[rows])
