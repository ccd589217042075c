"""What an attack gives away: about whom, which value, and with what confidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Flags, Ints
from verikit._support.plotted import Plotted
from verikit.matching import (
    Holdings,
    People,
    Table,
    as_people_frame,
    find_certain_classes,
    find_hidden_rows,
    held_by_people,
    holdings_of,
    row_text,
)
from verikit.models import beside
from verikit.release import whole_records
from verikit.table import Microdata
from verikit.words import EVEN_VALUES, count, share

__all__ = ["Disclosure", "Sight", "make_disclosure", "see_holdings"]

JOINED = ["first", "second", "alike"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Disclosure(Plotted):
    """Who is disclosed by an attack, what, and with what confidence.

    Parameters
    ----------
    attack
        The attack's name.
    sentence
        What it comes to.
    frame
        One line a finding, the surest first: who, as the columns that the attacker sees; how many
        ``records`` fit; the ``value`` learned; the attacker's ``confidence``; and ``before``, how
        sure he could be without the attack.
    people, total
        How many people the findings are about, of how many.
    fault
        What is wrong with the release even where nobody learns more by it, such as rows that lie
        in their old order; else nothing.
    joined
        Where an attack joins two releases, one line for each person that it joins: her row in the
        ``first`` and in the ``second``, counted from 0, and how many rows that are ``alike`` in one
        of them could stand for hers (1 where it is surely this one). Else no lines.

    Examples
    --------
    >>> import verikit as vk
    >>> found = vk.intruder.homogeneity(vk.published("ks_table4"))
    >>> found.people, found.total
    (4, 11)
    """

    attack: str
    sentence: str
    frame: pd.DataFrame
    people: int
    total: int
    fault: str = ""
    joined: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=JOINED, dtype=int))

    @property
    def gained(self) -> int:
        """In how many findings the attacker is surer than without the attack."""
        return int((self.frame["confidence"] > self.frame["before"]).sum())

    @property
    def certain(self) -> int:
        """How many findings are certain."""
        return int((self.frame["confidence"] == 1).sum())

    @property
    def warns(self) -> bool:
        """Whether the attack shows something that should not be: a gain, or a fault."""
        return self.gained > 0 or bool(self.fault)

    @property
    def verdict(self) -> str:
        """What it comes to in a few words."""
        if self.gained:
            found = count(len(self.frame), "finding")
            return f"{found}, {self.certain:,} of them certain"
        return self.fault or "nothing gained"

    @property
    def means(self) -> str:
        """What was found, as a sentence of its own."""
        return self.sentence[:1].upper() + self.sentence[1:]

    @property
    def why(self) -> str:
        """Nothing: each finding stands in the frame."""
        return ""

    def __repr__(self) -> str:
        return f"{self.attack}: {self.sentence}"

    def to_frame(self) -> pd.DataFrame:
        """Find the findings, one line each."""
        return self.frame.copy()

    def _repr_html_(self) -> str:
        tables = [self.frame.head(12)] if len(self.frame) else []
        return _html.result(repr(self), *tables)


class Sight(NamedTuple):
    """What an attacker sees: classes of look-alikes, or what each person he knows may be."""

    holdings: Holdings
    people: int | None
    table: Table | Holdings | None = None

    @property
    def total(self) -> int:
        """How many people are at stake."""
        return self.holdings.total if self.people is None else self.people

    def concerned(self, owners: npt.NDArray[Any]) -> int:
        """Count how many people some classes stand for."""
        whole = self.people is None
        return int(self.holdings.classes.sizes[owners].sum()) if whole else len(owners)

    def certain(self, told: Ints) -> Flags:
        """Of which classes it is certain what they tell; -1 stands for those that tell nothing.

        People may fit classes whose cells overlap their own, so these must tell the same.
        """
        if not isinstance(self.table, Microdata) and not whole_records(self.table):
            return np.asarray(told >= 0)
        classes = self.holdings.classes
        seen = np.bincount(classes.labels, find_hidden_rows(self.table), len(classes)) == 0
        return find_certain_classes(self.table, classes, [told], seen)[0]

    def whom(self, frame: pd.DataFrame, row: int) -> str:
        """One line of a finding's frame as the person or class it is about."""
        classes = self.holdings.classes
        return row_text(frame.iloc[:, : len(classes.frame.columns)], row, classes.schema)


def see_holdings(release: Table, people: People | None, sensitive: str | None) -> Sight:
    """What an attacker sees who knows everyone's quasi-identifiers, or those of some people."""
    if people is None:
        return Sight(holdings_of(release, sensitive, "own value"), None, release)
    return Sight(held_by_people(people, release, sensitive), len(as_people_frame(people)))


def make_disclosure(
    attack: str,
    view: Sight,
    found: Mapping[str, npt.NDArray[Any]],
    words: Callable[[str, pd.DataFrame], str],
) -> Disclosure:
    """Put findings about classes or people together, the surest first.

    ``found`` gives owner, value, confidence, before and what else is told of each; the sentence is
    ``words`` of whom they are about and of their table.
    """
    owner, holdings = found["owner"], view.holdings
    order = np.lexsort((owner, -found["confidence"]))
    columns: dict[str, npt.NDArray[Any]] = {"records": holdings.classes.sizes[owner]}
    columns |= {name: part for name, part in found.items() if name != "owner"}
    cells = holdings.classes.cells().take(owner).reset_index(drop=True)
    frame = beside(cells, columns).take(order).reset_index(drop=True)
    people = view.concerned(owner)
    kind = "records" if view.people is None else "people known"
    sentence = words(f"{people:,} of {view.total:,} {kind}", frame)
    if not len(holdings.classes):
        sentence = "none of the people known fits any published record."
    return Disclosure(attack, sentence, frame, people, view.total)


def find_frequent(
    attack: str,
    view: Sight,
    held: Holdings,
    asked: float,
    differ: Flags | None = None,
) -> Disclosure:
    """Find the classes or people whose most frequent value reaches the share asked for.

    ``held`` are the values seen as the attack sees them; ``differ``, where it is given, tells
    whose values are not all one, and only those are findings.
    """
    top = held.top()
    part = held.count[top] / held.classes.sizes
    reached = (part >= asked) & held.known[top]
    if asked == 1:
        reached = view.certain(np.where(reached, held.place[top], -1))
    kept = np.flatnonzero(reached if differ is None else reached & differ)
    places = held.place[top[kept]]
    found = {
        "owner": kept,
        "value": np.array(held.shown(places), dtype=object),
        "confidence": part[kept],
        "before": held.overall[places] / held.total,
    }
    what = held.column.name if differ is None else f"The kind of {held.column.name}"
    sure = "with certainty" if asked == 1 else f"in at least {share(asked)} cases, {EVEN_VALUES},"

    def words(whom: str, frame: pd.DataFrame) -> str:
        said = f"{what} is given away {sure} for {whom}"
        if len(frame):
            said += f", first {frame['value'].iloc[0]} for {view.whom(frame, 0)}"
        return f"{said}."

    return make_disclosure(attack, view, found, words)
