"""What a release and those before it leave open for each person, as whoever has the key tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from verikit._support.arrays import Rows
from verikit.errors import SchemaError, quoted
from verikit.matching import count_values_left
from verikit.models import ApartVerdict, ModelVerdict, judge
from verikit.partition import Requirements, list_requirements
from verikit.release import Key, Ledger
from verikit.table import Microdata
from verikit.words import count


@dataclass(frozen=True, slots=True, eq=False)
class ValuesLeft:
    """Whether a release and those before leave each person as many values as was asked for.

    Parameters
    ----------
    sensitive, ell
        The sensitive column, and how many of its values were asked for.
    left
        By person how many are left, others reckoned with; -1 for who stands in none.
    exact
        Whether none of these can be ruled out by more reckoning.
    """

    sensitive: str
    ell: int
    left: Rows
    exact: bool

    @property
    def value(self) -> int:
        """The fewest values that are left for anybody."""
        people = self.left[self.left >= 0]
        return int(people.min()) if len(people) else self.ell

    @property
    def met(self) -> bool:
        """Whether everybody is left enough."""
        return self.value >= self.ell

    @property
    def why(self) -> str:
        """How many people are left fewer, and how that was reckoned."""
        people = self.left >= 0
        fewer = int((people & (self.left < self.ell)).sum())
        more = "" if self.exact else " More may be impossible than was found."
        return (
            f"{fewer:,} of {count(int(people.sum()), 'person', 'people')} are left fewer than "
            f"{count(self.ell, 'value')} of {quoted(self.sensitive)} by it and what was published "
            f"before, the others reckoned with.{more}"
        )

    def __repr__(self) -> str:
        met = "met" if self.exact else "met as far as was reckoned"
        return (
            f"values left by all releases: {'' if self.exact else 'at most '}{self.value}, "
            f"{self.ell} asked for, {met if self.met else 'not met'}. {self.why}"
        )


Verdict: TypeAlias = ModelVerdict | ApartVerdict | ValuesLeft


def judge_with_key(
    data: Microdata, release: Any, key: Key, requirement: Requirements
) -> tuple[Verdict, ...]:
    """Judge a release by what each class must meet, and with the key by what was before."""
    found: list[Verdict] = []
    for one in list_requirements(None, requirement):
        if one.model != "continued":
            found += judge(release, one)
            continue
        name, ell = data.schema.find_sensitive(one.sensitive), int(one.parameters["ell"])
        if not Ledger().add(data, release, key).list_homes(data, name):
            raise SchemaError(
                f"The release shows no groups of {quoted(name)}, so what it and those before "
                "leave open cannot be counted; require it of a release by groups or classes."
            )
        homes = cast("Ledger", one.ledger).add(data, release, key).list_homes(data, name)
        values = {value for _, groups in homes for held in groups for value in held}
        left = count_values_left(homes)
        found.append(ValuesLeft(name, ell, left, len(values) <= 2 >= len(homes)))
    return tuple(found)
