"""Conditions put together: all of them, any of them, not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from verikit.cells import Among, Between
from verikit.errors import RecordError
from verikit.words import listed

__all__ = ["DEEPEST", "And", "Not", "Or", "Predicate", "predicates"]

DEEPEST = 50


@dataclass(frozen=True, slots=True, init=False, repr=False)
class And:
    """What meets all of some conditions.

    Parameters
    ----------
    parts
        The conditions, given one after another.

    Examples
    --------
    >>> And(Between("Age", 40, 70), Not(Among("Sex", frozenset("F"))))
    Age from 40 to 70 and not Sex is F
    """

    parts: tuple[Predicate, ...]
    depth: int = field(compare=False)

    def __init__(self, *parts: Predicate) -> None:
        _hold(self, parts)

    def __repr__(self) -> str:
        return " and ".join(map(_inside, self.parts))


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Or:
    """What meets at least one of some conditions.

    Parameters
    ----------
    parts
        The conditions, given one after another.

    Examples
    --------
    >>> And(Or(Between("Age", high=20), Between("Age", 65)), Among("Sex", frozenset("F")))
    (Age up to 20 or Age from 65 on) and Sex is F
    """

    parts: tuple[Predicate, ...]
    depth: int = field(compare=False)

    def __init__(self, *parts: Predicate) -> None:
        _hold(self, parts)

    def __repr__(self) -> str:
        return " or ".join(map(_inside, self.parts))


@dataclass(frozen=True, slots=True, repr=False)
class Not:
    """What does not meet a condition; a missing value meets neither a condition nor its opposite.

    Parameters
    ----------
    part
        The condition.

    Examples
    --------
    >>> Not(Or(Among("Job", frozenset({"clerk"})), Between("Age", high=20)))
    not (Job is clerk or Age up to 20)
    """

    part: Predicate
    depth: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse what is no condition, and what is nested too deeply."""
        object.__setattr__(self, "depth", _depth(predicates((self.part,))))

    def __repr__(self) -> str:
        return f"not {_inside(self.part)}"


Predicate: TypeAlias = Between | Among | And | Or | Not


def predicates(parts: Iterable[object]) -> tuple[Predicate, ...]:
    """The parts, if each of them is a condition."""
    found = tuple(parts)
    wrong = [type(p).__name__ for p in found if not isinstance(p, (Between, Among, And, Or, Not))]
    if wrong:
        raise RecordError(
            f"A query was given {listed(wrong)}; expected Between, Among, And, Or or Not, or say "
            "Query.count({'Age': (40, 70), 'Sex': 'F'})."
        )
    return found  # type: ignore[return-value]


def _hold(junction: And | Or, parts: tuple[Predicate, ...]) -> None:
    if not parts:
        raise RecordError(
            f"{type(junction).__name__} was given no condition; give at least one, or leave it out."
        )
    object.__setattr__(junction, "parts", predicates(parts))
    object.__setattr__(junction, "depth", _depth(parts))


def _depth(parts: tuple[Predicate, ...]) -> int:
    depth = 1 + max(0 if isinstance(part, (Between, Among)) else part.depth for part in parts)
    if depth > DEEPEST:
        raise RecordError(
            f"The conditions are nested {depth} deep; expected at most {DEEPEST}. What one word "
            "joins needs no nesting: And(a, b, c)."
        )
    return depth


def _inside(part: Predicate) -> str:
    several = isinstance(part, (And, Or)) and len(part.parts) > 1
    return f"({part!r})" if several else repr(part)
