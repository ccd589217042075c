"""How many different sets of her values a person tried against one table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

ALL = 2  # the whole record gets half of all warnings by mistake, and each size below half the rest


class AlphaSpending:
    """Among how many looks the warnings by mistake are divided, for each set of attributes.

    The shares of all sets add up to no more than 1, whatever is tried and in whatever order; a
    set that was tried before keeps its share. Sets of one size share: the whole record gets a half,
    those that leave one attribute out a quarter, and so on. Boxes are filled one after another, and
    whoever leaves the last one empty has tried smaller sets on the way.

    Parameters
    ----------
    names
        The attributes of the whole record.

    Examples
    --------
    >>> looks = AlphaSpending(["age", "income", "rent", "town"])
    >>> looks.at(["age", "income", "rent", "town"])
    2
    >>> looks.at(["age", "income"]), looks.at(["age", "town"]), looks.at(["age", "rent", "town"])
    (8, 8, 8)
    >>> looks.count_attempt(["age", "income"], {"chance": {"least": 0.001, "alpha": 0.01}})
    >>> looks.at(["age", "income"]), looks.at(["age", "town"]), looks.at(["age", "rent", "town"])
    (8, 24, 8)

    With two attributes nothing else can be tried:

    >>> AlphaSpending(["age", "town"]).at(["age", "town"])
    1
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = frozenset(names)
        self._tried: dict[int, list[frozenset[str]]] = {}

    def at(self, given: Iterable[str]) -> int:
        """Among how many looks the warnings by mistake are divided when these are tried."""
        asked, most = frozenset(given), len(self._names) - 2
        if most <= 0:
            return 1
        if asked == self._names:
            return ALL
        share = ALL ** min(len(self._names) - len(asked) + 1, most)
        before = self._tried.get(len(asked), [])
        place = before.index(asked) if asked in before else len(before)
        return share * (place + 1) * (place + 2)

    def count_attempt(self, given: Iterable[str], facts: Mapping[str, Any]) -> None:
        """Count a set that was tried, if its match could have warned at all."""
        asked, chance = frozenset(given), facts.get("chance")
        able = chance is not None and chance["least"] <= chance["alpha"] / self.at(asked)
        before = self._tried.setdefault(len(asked), [])
        if able and asked not in before:
            before.append(asked)
