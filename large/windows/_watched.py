"""A large table that tells how far it has been read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pandas as pd

from verikit.large._source import Source

__all__ = ["Progress", "Watched"]

Progress: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True)
class Watched:
    """A table, and who is told after each batch how many records of all were read in this pass.

    Parameters
    ----------
    source
        The table.
    progress
        It takes both numbers; what it raises ends the reading.
    """

    source: Source
    progress: Progress

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.source.rows

    def head(self) -> pd.DataFrame:
        """The first records."""
        return self.source.head()

    def batches(self, names: Sequence[str]) -> Iterator[Any]:
        """Some columns, batch by batch."""
        done = 0
        for batch in self.source.batches(names):
            yield batch
            done += batch.num_rows
            self.progress(done, self.rows)

    def spread(self, names: Sequence[str]) -> Iterator[Any]:
        """Some records from several places."""
        return self.source.spread(names)
