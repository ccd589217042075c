"""Conditions of a question as the text of a database: only names and values, quoted."""

from __future__ import annotations

from verikit.query import FIRST, LAST, Cut, Joined, Leaf, Names, Numbers, Tree
from verikit.words import text

__all__ = ["name_sql", "where_sql"]

WHOLE = 2**53


def where_sql(tree: Tree) -> str:
    """A tree of conditions in SQL, where a missing value meets none.

    Examples
    --------
    >>> print(where_sql(Leaf("Age", Numbers(((20.0, 0), (30.5, 1))))))
    ("Age" >= 20 and "Age" <= cast('30.5' as double))
    """
    if isinstance(tree, Joined):
        word = " and " if tree.every else " or "
        return "(" + word.join(map(where_sql, tree.parts)) + ")"
    name = name_sql(tree.name)
    return _names(name, tree) if isinstance(tree.values, Names) else _numbers(name, tree.values)


def _names(name: str, leaf: Leaf) -> str:
    values = leaf.values
    if not isinstance(values, Names):
        raise TypeError("expected names")
    if not values.names:
        return f"{name} is not null" if values.besides else "false"
    listed = ", ".join(map(_quoted, sorted(values.names)))
    return f"{name} {'not in' if values.besides else 'in'} ({listed})"


def _numbers(name: str, values: Numbers) -> str:
    ranges = zip(values.cuts[::2], values.cuts[1::2], strict=True)
    parts = [_range(name, *ends) for ends in ranges]
    if not parts:
        return "false"
    return parts[0] if len(parts) == 1 else "(" + " or ".join(parts) + ")"


def _range(name: str, start: Cut, end: Cut) -> str:
    found = []
    if start != FIRST:
        found.append(f"{name} {'>' if start[1] else '>='} {_number(start[0])}")
    if end != LAST:
        found.append(f"{name} {'<=' if end[1] else '<'} {_number(end[0])}")
    if not found:
        return f"{name} is not null"
    return found[0] if len(found) == 1 else f"({' and '.join(found)})"


def _number(value: float) -> str:
    """A number that the database reads as the very same one."""
    if float(value).is_integer() and abs(value) < WHOLE:
        return text(value)
    return f"cast('{float(value)!r}' as double)"


def _quoted(value: str) -> str:
    doubled = value.replace("'", "''")
    return f"'{doubled}'"


def name_sql(name: str) -> str:
    """The name of a column, whatever stands in it.

    Examples
    --------
    >>> print(name_sql('age at "42"s'))
    "age at ""42""s"
    """
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
