"""How many different sets of her values a person tried against one table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["Looks"]

ALL = 2  # the whole record gets half of all warnings by mistake


class Looks:
    """Among how many looks the warnings by mistake are divided, for each set of attributes.

    The shares of all sets add up to no more than 1, whatever is tried and in whatever order; a
    set that was tried before keeps its share.

    Parameters
    ----------
    names
        The attributes of the whole record.

    Examples
    --------
    >>> looks = Looks(["age", "income", "town"])
    >>> looks.at(["age", "income", "town"]), looks.at(["age", "income"]), looks.at(["age", "town"])
    (2, 4, 4)
    >>> looks.saw(["age", "income"], {"chance": {"least": 0.001, "alpha": 0.01}})
    >>> looks.at(["age", "income"]), looks.at(["age", "town"])
    (4, 12)

    With two attributes nothing else can be tried:

    >>> Looks(["age", "town"]).at(["age", "town"])
    1
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = frozenset(names)
        self._tried: dict[frozenset[str], int] = {}

    def at(self, given: Iterable[str]) -> int:
        """Among how many looks the warnings by mistake are divided when these are tried."""
        asked = frozenset(given)
        if len(self._names) <= 2:
            return 1
        if asked == self._names:
            return ALL
        place = self._tried.get(asked, len(self._tried) + 1)
        return ALL * place * (place + 1)

    def saw(self, given: Iterable[str], facts: Mapping[str, Any]) -> None:
        """Count a set that was tried, if its match could have warned at all."""
        asked, chance = frozenset(given), facts.get("chance")
        able = chance is not None and chance["least"] <= chance["alpha"] / self.at(asked)
        if able and asked != self._names:
            self._tried.setdefault(asked, len(self._tried) + 1)
