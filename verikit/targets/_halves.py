"""A tree over numbers in order, each node cut into parts as equal as can be."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from verikit._support.requests import whole
from verikit.hierarchy import Hierarchy, as_list, exact_fraction
from verikit.words import text

__all__ = ["balanced"]


def balanced(values: Iterable[float], ways: int = 2) -> Hierarchy:
    """Give the tree that cuts numbers in order into halves, or thirds, down to single ones.

    A group is called by its least and greatest number, such as ``[1, 4]``.

    Parameters
    ----------
    values
        The numbers, each once.
    ways
        Into how many parts each group is cut.

    Returns
    -------
    Hierarchy
        The tree, all its numbers with the same weight.

    Raises
    ------
    SchemaError
        If no number is given, or something that is none.
    RecordError
        If ways is no whole number from 2 up.

    References
    ----------
    [QZ]_ sections 3.3.1 and 3.7.3

    Examples
    --------
    >>> balanced(range(1, 9)).path(3)
    ('3', '[3, 4]', '[1, 4]', '[1, 8]')
    """
    ways = whole(ways, "ways", least=2)
    found = {
        exact_fraction(value, "A value of the tree"): text(value)
        for value in as_list(values, "Values")
    }
    names = [found[number] for number in sorted(found)]
    if len(names) < 2:
        return Hierarchy({name: (name,) for name in names})
    return Hierarchy.of({_name(names): _parts(names, ways)})


def _parts(names: list[str], ways: int) -> Any:
    """The parts of a group by name; single values stand for themselves."""
    size, longer = divmod(len(names), ways)
    ends = [size * at + min(at, longer) for at in range(ways + 1)]
    parts = [names[a:b] for a, b in pairwise(ends) if a < b]
    return {_name(part): _parts(part, ways) if len(part) > 1 else None for part in parts}


def _name(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"[{names[0]}, {names[-1]}]"
