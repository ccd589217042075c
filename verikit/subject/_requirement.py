"""What a person requires of a release: places and diversity, attribute by attribute."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from verikit.errors import RecordError, quoted
from verikit.ranks.spread import Criterion
from verikit.table import number
from verikit.words import listed

__all__ = ["Requirement"]


@dataclass(frozen=True, slots=True)
class Requirement:
    """A required distance and diversity by attribute; None where nothing is required.

    Parameters
    ----------
    distance, diversity
        What is required of each attribute.
    criterion
        How diversity is measured.
    """

    distance: Mapping[str, int | None]
    diversity: Mapping[str, float | None]
    criterion: Criterion

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        distance: int | Mapping[str, int] | None,
        diversity: float | Mapping[str, float] | None,
        criterion: str | Criterion,
    ) -> Requirement:
        """Read a requirement given for all attributes at once or one by one."""
        places = _spread("distance", names, distance)
        spread = _spread("diversity", names, diversity)
        for name, value in places.items():
            if value is not None and (value < 0 or value != int(value)):
                raise RecordError(
                    f"The required distance of {quoted(name)} is {value:g}; give a whole number of "
                    "places from 0 up."
                )
        for name, value in spread.items():
            if value is not None and value < 0:
                raise RecordError(
                    f"The required diversity of {quoted(name)} is {value:g}; give 0 or more."
                )
        whole = {name: None if v is None else int(v) for name, v in places.items()}
        return cls(whole, spread, Criterion.of(criterion))

    @property
    def empty(self) -> bool:
        """Whether nothing is required."""
        return all(v is None for part in (self.distance, self.diversity) for v in part.values())

    def met(self, name: str, attained: int, diversity: float) -> bool | None:
        """Whether one attribute meets the requirement; None where nothing is required of it."""
        required, least = self.distance[name], self.diversity[name]
        if required is None and least is None:
            return None
        far = required is None or attained >= required
        return far and (least is None or self.criterion.holds(diversity, least))

    def notes(self) -> tuple[str, ...]:
        """What can be said of the requirement itself."""
        strict = self.criterion.direction == "more than"
        hopeless = [
            name
            for name, places in self.distance.items()
            if strict and places == 0 and self.diversity[name] is not None
        ]
        if not hopeless:
            return ()
        said = (
            f"With 0 places the window of {listed(hopeless)} can hold a single value, whose "
            f"{self.criterion.name} 0 is never more than what you require; require at least 1 "
            "place."
        )
        return (said,)


def _spread(
    what: str, names: Sequence[str], given: float | Mapping[str, float] | None
) -> dict[str, float | None]:
    if not isinstance(given, Mapping):
        value = None if given is None else number(given, f"required {what}")
        return dict.fromkeys(names, value)
    unknown = [name for name in given if name not in names]
    if unknown:
        raise RecordError(
            f"The required {what} names {listed(unknown)}, which is not among the attributes "
            f"checked: {listed(names, 12)}."
        )
    return {
        name: number(given[name], f"required {what} of {name}") if name in given else None
        for name in names
    }
