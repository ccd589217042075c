"""The node that each person requires, read from a column of the table or from a level."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from verikit._support.arrays import Ints
from verikit._support.requests import one_of, whole
from verikit.errors import RecordError, SchemaError, quoted
from verikit.table import Microdata
from verikit.targets._tree import Tree
from verikit.words import count, listed, text

__all__ = ["Unsaid", "required"]

Unsaid: TypeAlias = Literal["refuse", "strictest"]


def required(
    data: Microdata, tree: Tree, leaves: Ints, requirement: str | int, missing: Unsaid
) -> list[int]:
    """Give the number of the node that each person requires; it holds her value and has weight."""
    one_of(missing, "missing", ("refuse", "strictest"))
    if isinstance(requirement, str):
        found = _named(data, tree, requirement, missing)
    else:
        found = _level(tree, leaves, requirement)
    _check(data, tree, leaves, found)
    return found


def _named(data: Microdata, tree: Tree, name: str, missing: Unsaid) -> list[int]:
    if name not in data.schema.names or data.schema[name].role in ("sensitive", "identifier"):
        raise SchemaError(
            f"requirement was given as {quoted(name)}; expected the name of a column that holds "
            f"nodes of the hierarchy, among {listed(data.schema.names, 12)}, or a level.",
            field="requirement",
            value=name,
        )
    values = data.frame[name]
    without = int(values.isna().sum())
    if without and missing == "refuse":
        raise RecordError(
            f"{count(without, 'person', 'people')} without a requirement in column "
            f"{quoted(name)}; ask for it, or say missing='strictest' to take the root."
        )
    names = [tree.names[tree.root] if gone else text(value) for value, gone in _pairs(values)]
    strange = [node for node in dict.fromkeys(names) if node not in tree.numbers]
    if strange:
        raise RecordError(
            f"Column {quoted(name)} requires {listed(strange)}, which are no nodes of the "
            f"hierarchy; it has {listed(tree.names, 8)}."
        )
    return [tree.numbers[node] for node in names]


def _pairs(values: Any) -> Any:
    return zip(values.tolist(), values.isna().tolist(), strict=True)


def _level(tree: Tree, leaves: Ints, level: object) -> list[int]:
    try:
        levels = whole(level, "requirement", least=0)
    except RecordError:
        raise RecordError(
            f"requirement was given as {quoted(level)}; expected the name of a column, or a level "
            "from 0 up.",
            field="requirement",
            value=level,
        ) from None
    parent = {child: node for node, below in enumerate(tree.children) for child in below}
    found = list(tree.leaves)
    for height in range(levels):
        if all(node == tree.root for node in found):
            raise RecordError(
                f"requirement was given as level {levels:,}, which does not exist; the hierarchy "
                f"has levels 0 to {height}.",
                field="requirement",
                value=levels,
            )
        found = [parent.get(node, node) for node in found]
    return [found[leaf] for leaf in leaves.tolist()]


def _check(data: Microdata, tree: Tree, leaves: Ints, found: list[int]) -> None:
    for leaf, node in zip(leaves.tolist(), found, strict=True):
        if not tree.first[node] <= leaf < tree.last[node]:
            raise RecordError(
                f"A person requires {quoted(tree.names[node])}, which does not hold her value "
                f"{quoted(tree.names[tree.leaves[leaf]])}; correct one of them in the table of "
                f"{count(len(data), 'record')}."
            )
        if not tree.weight[node]:
            raise RecordError(
                f"A person requires {quoted(tree.names[node])}, to which the target gives no "
                "weight, so that nothing can be shown below it; give a value of it weight, or ask "
                "her for a larger node."
            )
