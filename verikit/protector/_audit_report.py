"""What an audit found: both views of every record, and which records fail and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Floats, Ints
from verikit._support.plotted import Plotted
from verikit._support.requests import flag
from verikit.protector._baselines import Baselines
from verikit.protector._document import facts, to_json
from verikit.protector._exposure import Exposure
from verikit.protector._page import page
from verikit.subject import Required
from verikit.words import count, not_compared

__all__ = ["AuditReport"]

NAMED = 4  # reasons in words; the numbers of all attributes stand beside them


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AuditReport(Plotted):
    """Both views of every record: the protector's, who has the key, and the subject's.

    Parameters
    ----------
    attributes
        The attributes that were compared.
    protector
        For each record and attribute, the places it was really moved.
    subject
        For each record, the places to the closest released record, as she would find it; None
        where it was not asked for.
    diversity
        For each record and attribute, the diversity within the required distance; None where no
        distance is required.
    requirement
        What was required.
    met
        Whether the release meets the requirement for every record; None where none was set.
    exposure
        What the strongest attack finds; above 2,000 records its links are counted only. None
        where it was not asked for, and where the release has other rows too.
    baselines
        What being in the table gives away; None where links were not counted or the method cannot
        be repeated.
    method
        The published method; empty where it is not told.
    not_compared
        The published columns that took no part.

    Examples
    --------
    >>> import verikit as vk
    >>> data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    >>> found = vk.audit(data, release, vk.Key.of(range(20)))
    >>> found.protector[2].tolist(), int(found.subject[2])
    ([5, 1, 9], 4)
    """

    attributes: tuple[str, ...]
    protector: Ints
    subject: Ints | None
    diversity: Floats | None
    requirement: Required
    exposure: Exposure | None = None
    baselines: Baselines | None = None
    method: str = ""
    not_compared: tuple[str, ...] = ()
    records: int = field(init=False)

    def __post_init__(self) -> None:
        """Count the records."""
        object.__setattr__(self, "records", len(self.protector))

    @property
    def failed(self) -> Flags:
        """For each record and attribute, whether the requirement is not met."""
        return np.column_stack([self._failed(at) for at in range(len(self.attributes))])

    @property
    def met(self) -> bool | None:
        """Whether every record meets the requirement; None where nothing is required."""
        return None if self.requirement.empty else not bool(self.failed.any())

    @property
    def largest(self) -> Mapping[str, int]:
        """The largest distance by attribute that every record keeps ([DM]_ Definition 2)."""
        return dict(zip(self.attributes, self.protector.min(axis=0).tolist(), strict=True))

    def _failed(self, at: int) -> Flags:
        name = self.attributes[at]
        required, least = self.requirement.distance[name], self.requirement.diversity[name]
        failed = np.zeros(self.records, bool)
        if required is not None:
            failed |= self.protector[:, at] < required
        if least is not None and self.diversity is not None:
            failed |= ~self.requirement.criterion.holds_all(self.diversity[:, at], least)
        return failed

    def to_frame(self, most: int | None = None) -> pd.DataFrame:
        """One line a record, worst first; records are counted from 1."""
        worst = self.protector.max(axis=1)
        failed = self.failed
        keys = (np.arange(self.records), worst, *([] if self.subject is None else [self.subject]))
        order = np.lexsort((*keys, -failed.sum(axis=1)))[: self.records if most is None else most]
        frame = pd.DataFrame({"record": order + 1, "protector": worst[order]})
        if self.subject is not None:
            frame["subject"] = self.subject[order]
        for at, name in enumerate(self.attributes):
            frame[f"places {name}"] = self.protector[order, at]
            if self.diversity is not None:
                frame[f"diversity {name}"] = self.diversity[order, at]
        frame["why"] = [self._why(int(record), failed[record]) for record in order]
        return frame

    def html(self, *, internal: bool = False) -> str:
        """The audit as a page of its own.

        Parameters
        ----------
        internal
            Whether it tells of single records, attacks and columns too. Without, it may be handed
            out: it holds no value, no record and no candidate.
        """
        return page(facts(self, flag(internal, "internal")))

    def json(self, *, internal: bool = False) -> str:
        """The same facts as `html` shows, and where internal every record, as JSON."""
        return to_json(facts(self, flag(internal, "internal")))

    def _why(self, record: int, failed: Flags) -> str:
        reasons = [part for at in np.flatnonzero(failed) for part in self._reasons(record, int(at))]
        more = len(reasons) - NAMED
        return "; ".join([*reasons[:NAMED], *([f"and {more} more"] if more > 0 else [])])

    def _reasons(self, record: int, at: int) -> Iterator[str]:
        name, criterion = self.attributes[at], self.requirement.criterion
        required, least = self.requirement.distance[name], self.requirement.diversity[name]
        if required is not None and self.protector[record, at] < required:
            moved = count(int(self.protector[record, at]), "place")
            yield f"{name} moved {moved}, {required:,} required"
        if least is not None and self.diversity is not None:
            value = float(self.diversity[record, at])
            if not criterion.holds(value, least):
                asked = f"{criterion.direction} {least:g} required"
                yield f"{name} has {criterion.name} {value:.5g}, {asked}"

    def __repr__(self) -> str:
        largest = ", ".join(f"{name} {places}" for name, places in self.largest.items())
        lines = [
            not_compared(self.not_compared),
            f"{count(self.records, 'record')}, {count(len(self.attributes), 'attribute')}.",
            f"Every record was moved at least this many places: {largest}.",
        ]
        if self.subject is not None:
            low, mid = int(self.subject.min()), float(np.median(self.subject))
            lines.append(
                f"As subjects see it, the closest record lies {low:,} or more places away, and "
                f"{mid:,.0f} for the middle record."
            )
        if self.exposure is not None:
            lines.extend(said for said in self.exposure.sentences if said != lines[0])
        if self.met is not None:
            failed = int(self.failed.any(axis=1).sum())
            lines.append(
                "The requirement is met for every record."
                if self.met
                else f"The requirement is not met for {failed:,} of "
                f"{count(self.records, 'record')}."
            )
        return "\n".join(filter(None, lines))

    def _repr_html_(self) -> str:
        from verikit._support import html as _html

        return _html.result(repr(self), self.to_frame(12))
