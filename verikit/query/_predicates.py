"""Put conditions together: all of them, any of them, not; and write them in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from verikit.cells import Among, Between
from verikit.errors import RecordError
from verikit.words import listed, text

__all__ = [
    "MAX_DEPTH", "And", "Not", "Or", "Predicate", "check_predicates", "quote_name",
    "quote_text", "write_sql",
]  # fmt: skip

MAX_DEPTH = 50


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
        _hold_parts(self, parts)

    def __repr__(self) -> str:
        return " and ".join(map(_write_inside, self.parts))


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
        _hold_parts(self, parts)

    def __repr__(self) -> str:
        return " or ".join(map(_write_inside, self.parts))


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
        object.__setattr__(self, "depth", _find_depth(check_predicates((self.part,))))

    def __repr__(self) -> str:
        return f"not {_write_inside(self.part)}"


Predicate: TypeAlias = Between | Among | And | Or | Not


def check_predicates(parts: Iterable[object]) -> tuple[Predicate, ...]:
    """Refuse parts of which one is no condition."""
    found = tuple(parts)
    wrong = [type(p).__name__ for p in found if not isinstance(p, (Between, Among, And, Or, Not))]
    if wrong:
        raise RecordError(
            f"A query was given {listed(wrong)}; expected Between, Among, And, Or or Not, or say "
            "Query.count({'Age': (40, 70), 'Sex': 'F'})."
        )
    return found  # type: ignore[return-value]


def _hold_parts(junction: And | Or, parts: tuple[Predicate, ...]) -> None:
    if not parts:
        raise RecordError(
            f"{type(junction).__name__} was given no condition; give at least one, or leave it out."
        )
    object.__setattr__(junction, "parts", check_predicates(parts))
    object.__setattr__(junction, "depth", _find_depth(parts))


def _find_depth(parts: tuple[Predicate, ...]) -> int:
    depth = 1 + max(0 if isinstance(part, (Between, Among)) else part.depth for part in parts)
    if depth > MAX_DEPTH:
        raise RecordError(
            f"The conditions are nested {depth} deep; expected at most {MAX_DEPTH}. What one word "
            "joins needs no nesting: And(a, b, c)."
        )
    return depth


def _write_inside(part: Predicate) -> str:
    several = isinstance(part, (And, Or)) and len(part.parts) > 1
    return f"({part!r})" if several else repr(part)


def write_sql(where: Sequence[Predicate], aggregate: str, of: str | None, table: str) -> str:
    """Write one select statement, in which names and texts are quoted.

    Examples
    --------
    >>> write_sql((Not(Between("Age", 40, 70)),), "count", None, "t")
    'select count(*) from t where not "Age" between 40 and 70'
    """
    plain = table.isidentifier() and table.isascii()
    asked = "count(*)" if of is None else f"{aggregate}({quote_name(of)})"
    words = ["select", asked, "from", table if plain else quote_name(table)]
    if where:
        met = _write_condition(where[0]) if len(where) == 1 else _join_sql(where, "and")
        words += ["where", met]
    return " ".join(words)


def _write_condition(part: Predicate) -> str:
    if isinstance(part, Not):
        return f"not {_join_sql((part.part,), '')}"
    if not isinstance(part, (Between, Among)):
        return _join_sql(part.parts, "and" if isinstance(part, And) else "or")
    name = quote_name(part.column)
    if isinstance(part, Among):
        values = [quote_text(value) for value in sorted(part.values)]
        return f"{name} = {values[0]}" if len(values) == 1 else f"{name} in ({', '.join(values)})"
    ends = [quote_text(e) if isinstance(e, str) else text(e) for e in (part.low, part.high)]
    if part.closed == "both" and part.low is not None and part.high is not None:
        return f"{name} between {ends[0]} and {ends[1]}"
    found = []
    if part.low is not None:
        found.append(f"{name} {'>=' if part.closed in ('both', 'left') else '>'} {ends[0]}")
    if part.high is not None:
        found.append(f"{name} {'<=' if part.closed in ('both', 'right') else '<'} {ends[1]}")
    return found[0] if len(found) == 1 else f"({' and '.join(found)})"


def _join_sql(parts: Sequence[Predicate], word: str) -> str:
    """Join conditions by a word; what could be taken apart otherwise stands in brackets."""
    found = [
        _write_condition(p) if isinstance(p, (Between, Among)) else f"({_write_condition(p)})"
        for p in parts
    ]
    return f" {word} ".join(found)


def quote_text(value: str) -> str:
    """Quote a text for a database, whatever stands in it."""
    doubled = value.replace("'", "''")
    return f"'{doubled}'"


def quote_name(name: str) -> str:
    """Quote the name of a column, whatever stands in it.

    Examples
    --------
    >>> print(quote_name('age at "42"s'))
    "age at ""42""s"
    """
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
