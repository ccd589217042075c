"""A question written in SQL."""

from __future__ import annotations

from collections.abc import Sequence

from verikit.cells import Among, Between
from verikit.query._predicate import And, Not, Predicate
from verikit.words import text

__all__ = ["written"]


def written(where: Sequence[Predicate], aggregate: str, of: str | None, table: str) -> str:
    """One select statement; names and texts are quoted.

    Examples
    --------
    >>> written((Not(Between("Age", 40, 70)),), "count", None, "t")
    'select count(*) from t where not "Age" between 40 and 70'
    """
    plain = table.isidentifier() and table.isascii()
    asked = "count(*)" if of is None else f"{aggregate}({_name(of)})"
    met = " and ".join(map(_inside, where)) if len(where) > 1 else "".join(map(_text, where))
    told = ["select", asked, "from", table if plain else _name(table)]
    return " ".join([*told, "where", met] if met else told)


def _text(part: Predicate) -> str:
    if isinstance(part, Between):
        return _range(part)
    if isinstance(part, Among):
        values = [_quoted(value) for value in sorted(part.values)]
        asked = f"= {values[0]}" if len(values) == 1 else f"in ({', '.join(values)})"
        return f"{_name(part.column)} {asked}"
    if isinstance(part, Not):
        return f"not {_inside(part.part)}"
    return (" and " if isinstance(part, And) else " or ").join(map(_inside, part.parts))


def _inside(part: Predicate) -> str:
    """A condition as it stands among others: what could be taken apart otherwise in brackets."""
    return _text(part) if isinstance(part, (Between, Among)) else f"({_text(part)})"


def _range(part: Between) -> str:
    name = _name(part.column)
    if part.closed == "both" and part.low is not None and part.high is not None:
        return f"{name} between {_end(part.low)} and {_end(part.high)}"
    found = []
    if part.low is not None:
        found.append(f"{name} {'>=' if part.closed in ('both', 'left') else '>'} {_end(part.low)}")
    if part.high is not None:
        found.append(
            f"{name} {'<=' if part.closed in ('both', 'right') else '<'} {_end(part.high)}"
        )
    return found[0] if len(found) == 1 else f"({' and '.join(found)})"


def _end(end: float | str) -> str:
    return _quoted(end) if isinstance(end, str) else text(end)


def _quoted(value: str) -> str:
    doubled = value.replace("'", "''")
    return f"'{doubled}'"


def _name(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
