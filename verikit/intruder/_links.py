"""What linking gives: for each original record the released rows it could be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Flags, Floats, Ints, Rows
from verikit._support.plotted import Plotted
from verikit._support.requests import whole
from verikit.intruder._likelihood import Agreed
from verikit.intruder._ranked_tables import Compared
from verikit.words import count, not_compared

__all__ = ["Links"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Links(Plotted):
    """The links of an attack: which released rows are candidates for each original record.

    Whether a link is right cannot be seen here: the intruder has no key
    (`verikit.protector.correct_links`).

    Parameters
    ----------
    attack
        The attack that made them.
    compared
        Both tables by rank; by likelihood, as codes: there values agree, 0 places, or differ, 1.
    starts, rows
        The candidates: of record i ``rows[starts[i]:starts[i + 1]]``, counted from 0.
    measure
        What the attack went by, for each candidate: smaller is closer.
    note
        What should be known of them, if anything.
    attempts
        The links of the single attacks, where several were tried.
    certain
        For each record, whether its link is proved; None where the attack proves nothing.

    Examples
    --------
    >>> import verikit as vk
    >>> links = vk.link(vk.load("dm_table1"), vk.published("dm_table1_masked"))
    >>> links.to_frame().iloc[0].to_dict()
    {'record': 1, 'row': 1, 'X1': 4, 'X2': 1, 'X3': 3, 'places': 4}
    """

    attack: str
    compared: Compared | Agreed
    starts: Rows
    rows: Rows
    measure: Floats
    note: str = ""
    attempts: Mapping[str, Links] | None = None
    certain: Flags | None = None

    @property
    def means(self) -> str:
        """What the links say by themselves, without a key."""
        said = "Which links are right cannot be seen without the key."
        return " ".join(filter(None, (not_compared(self.not_compared), said)))

    @property
    def why(self) -> str:
        """How many records have several candidates."""
        several = int((self.counts > 1).sum())
        return f"{count(several, 'record has', 'records have')} several candidates."

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that were linked by."""
        return self.compared.attributes

    @property
    def not_compared(self) -> tuple[str, ...]:
        """The published columns that were not linked by."""
        return self.compared.not_compared

    @property
    def counts(self) -> Rows:
        """The number of candidates of each record."""
        return np.diff(self.starts)

    @property
    def sole(self) -> Rows:
        """The only candidate of each record; -1 where there are none or several."""
        alone = self.counts == 1
        found = np.full(len(self), -1, dtype=self.rows.dtype)
        found[alone] = self.rows[self.starts[:-1][alone]]
        return found

    @property
    def records(self) -> Rows:
        """The record of each candidate, as long as `rows`."""
        return np.repeat(np.arange(len(self)), self.counts)

    @property
    def places(self) -> Ints:
        """How many places each candidate is from its record, by attribute."""
        return self.compared.places(self.records, self.rows)

    @property
    def distances(self) -> Ints:
        """For each record the places to its first candidate, at worst over the attributes.

        A record without a candidate has -1.
        """
        found = np.full(len(self), -1, np.int64)
        some = np.flatnonzero(self.counts)
        first = self.rows[self.starts[some]]
        found[some] = self.compared.places(some, first).max(axis=1)
        return found

    @property
    def chosen(self) -> Rows:
        """How many records each released row is a candidate for."""
        return np.bincount(self.rows, minlength=len(self))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def of(self, record: int) -> pd.DataFrame:
        """Find the candidates of one record, counted from 0, with their places by attribute."""
        record = whole(record, "record", least=0, most=len(self) - 1)
        return self._frame(slice(self.starts[record], self.starts[record + 1]))

    def to_frame(self, most: int | None = None) -> pd.DataFrame:
        """One line a candidate ([DM]_ Table 4); records and rows are counted from 1."""
        return self._frame(slice(most))

    def _frame(self, part: slice) -> pd.DataFrame:
        records, rows = self.records[part], self.rows[part]
        places = self.compared.places(records, rows)
        frame = pd.DataFrame(places, columns=list(self.attributes))
        frame.insert(0, "record", records + 1)
        frame.insert(1, "row", rows + 1)
        return frame.assign(places=places.max(axis=1))

    def __repr__(self) -> str:
        several, chosen = int((self.counts > 1).sum()), self.chosen
        shared, unused = int((chosen > 1).sum()), int((chosen == 0).sum())
        linked = int((self.counts > 0).sum())
        of = "" if linked == len(self) else f"{linked:,} of "
        rows = count(shared, "released row is a candidate", "released rows are candidates")
        left = not_compared(self.not_compared)
        said = f"{left}\n" if left else ""
        said += f"{of}{count(len(self), 'record')} linked by {', '.join(self.attributes)} "
        said += f"({self.attack}).\n{count(several, 'has', 'have')} several candidates; {rows} of "
        said += f"several records, {unused:,} of none.\n"
        said += "Which links are right cannot be seen from here"
        said += "." if self.certain is None or not self.certain.any() else ", but some are proved."
        return f"{said}\n{self.note}" if self.note else said

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.to_frame(12))
