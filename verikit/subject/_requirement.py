"""What a person requires of a release: each measure a field, which a kind judges or refuses."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from verikit._support.requests import whole, within
from verikit._support.told import Told
from verikit.errors import RecordError, quoted
from verikit.ranks.spread import Criterion, criteria_by_name
from verikit.table import number
from verikit.words import joined, listed


@dataclass(frozen=True, slots=True)
class Requirement:
    """What a person requires, as she stated it; None where she requires nothing.

    Parameters
    ----------
    distance, diversity
        Places, and diversity within them, for all attributes at once or one by one.
    criterion
        How diversity is measured, for all attributes at once or one by one.
    k
        How many records are to fit her values.
    ell
        How many different sensitive values they are to show.
    e
        How far apart the lowest and the highest of these are to lie.
    node
        The group of values that may be known of her.
    match
        The row that she takes to be hers, counted from 1.

    What is ``stated`` is what she requires, by measure.

    Examples
    --------
    >>> Requirement(k=3, ell=2).stated
    {'k': 3, 'ell': 2}
    """

    distance: float | Mapping[str, float] | None = None
    diversity: float | Mapping[str, float] | None = None
    criterion: str | Criterion | Mapping[str, str | Criterion] = "variance"
    k: int | None = None
    ell: int | None = None
    e: float | None = None
    node: str | None = None
    match: int | None = None
    stated: dict[str, Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse what can be seen to be wrong without a table."""
        asked = self.criterion if isinstance(self.criterion, Mapping) else ()
        criteria_by_name(self.criterion, [*asked])  # refused before any table is looked at
        for name in ("k", "ell", "match"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, whole(getattr(self, name), name))
        if self.e is not None:
            object.__setattr__(self, "e", within(self.e, "e"))
        measures = {name: getattr(self, name) for name in MEASURES}
        stated = {name: value for name, value in measures.items() if value is not None}
        object.__setattr__(self, "stated", stated)

    def refuse_unless_judged(self, by: Mapping[str, str], what: str) -> None:
        """Refuse what a kind of release cannot judge."""
        unknown = [name for name in self.stated if name not in by]
        if unknown:
            able = joined((f"{name} ({meaning})" for name, meaning in by.items()), "or")
            advice = f"set one for {able} instead" if able else "no requirement can be judged yet"
            said = f"A requirement was set for {joined(unknown)}, but this is {what}; {advice}."
            raise RecordError(Told(said, "not-judged", unknown=unknown), field=unknown[0])

    def among(
        self, names: Sequence[str], *, equal: Collection[str] = (), alike: Collection[str] = ()
    ) -> Required:
        """The places and the diversity required of each of some attributes.

        What is required of all at once is not of the ``equal``, whose values are equal or not and
        so never several places apart; nor is diversity of those ``alike``, which have no window.
        """
        places = _spread_over("distance", names, self.distance, equal)
        spread = _spread_over("diversity", names, self.diversity, alike)
        for name, value in places.items():
            if value is not None and (value < 0 or value != int(value)):
                said = (
                    f"The required distance of {quoted(name)} is {value:g}; give a whole number of "
                    "places from 0 up."
                )
                told = {"name": quoted(name), "value": float(value)}
                raise RecordError(
                    Told(said, "distance-whole", **told), field=f"distance/{name}", value=value
                )
        for name, value in spread.items():
            if value is not None and value < 0:
                said = f"The required diversity of {quoted(name)} is {value:g}; give 0 or more."
                told = {"name": quoted(name), "value": float(value)}
                raise RecordError(
                    Told(said, "diversity-low", **told), field=f"diversity/{name}", value=value
                )
        whole = {name: None if v is None else int(v) for name, v in places.items()}
        return Required(whole, spread, criteria_by_name(self.criterion, names))


MEASURES = tuple(
    part.name for part in fields(Requirement) if part.init and part.name != "criterion"
)


@dataclass(frozen=True, slots=True)
class Required:
    """A required distance and diversity by attribute; None where nothing is required.

    Parameters
    ----------
    distance, diversity
        What is required of each attribute.
    criteria
        How the diversity of each is measured.
    """

    distance: Mapping[str, int | None]
    diversity: Mapping[str, float | None]
    criteria: Mapping[str, Criterion]

    @property
    def empty(self) -> bool:
        """Whether nothing is required."""
        return all(v is None for part in (self.distance, self.diversity) for v in part.values())


def _spread_over(
    what: str,
    names: Sequence[str],
    given: float | Mapping[str, float] | None,
    without: Collection[str] = (),
) -> dict[str, float | None]:
    """What is required of each attribute, as numbers; refused where attributes are not checked."""
    all_at_once = dict.fromkeys((name for name in names if name not in without), given)
    asked: Mapping[str, Any] = given if isinstance(given, Mapping) else all_at_once
    unknown = [name for name in asked if name not in names]
    if unknown:
        raise RecordError(
            f"The required {what} names {listed(unknown)}, which is not among the attributes "
            f"checked: {listed(names, 12)}.",
            field=what,
            value=given,
        )
    found: dict[str, float | None] = dict.fromkeys(names)
    for name in names if given is not None else ():
        try:
            if name in asked:
                of = f" of {name}" if asked is given else ""
                found[name] = number(asked[name], f"required {what}{of}")
        except RecordError as error:
            told = Told(error.told, f"no-{what}", given=quoted(asked[name]))
            place = f"{what}/{name}" if asked is given else what
            raise RecordError(told, field=place, value=asked[name]) from None
    return found
