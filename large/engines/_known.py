"""How many records of each block meet a tree, as columns of a table of blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from verikit.query import Blocks, Leaf, Tree
from verikit.scale._engine import Engine
from verikit.scale._held import Rows
from verikit.scale._source import number_or

__all__ = ["Part", "PartTable", "Told", "known_blocks", "totals"]

Plan: TypeAlias = "tuple[Any, ...]"


class Part(NamedTuple):
    """Columns that were published together: their names and their cells, all of them people's."""

    names: tuple[str, ...]
    columns: Rows
    people: None = None


class PartTable(NamedTuple):
    """The rows of a part, and the column that holds their block."""

    rows: Rows
    block: str | None


class Told(NamedTuple):
    """At least, expected, at most how many records of a block; see `verikit.query`."""

    low: Any
    mean: Any
    high: Any
    pairs: Any
    exact: bool


def known_blocks(blocks: Blocks, parts: Sequence[PartTable], tree: Tree | None) -> tuple[Any, Told]:
    """One line a block with its size ``n``, and what is told of it.

    Parameters
    ----------
    blocks
        What is known of the release but its rows.
    parts
        The rows of its parts.
    tree
        What is asked.
    """
    atoms: list[tuple[int, Tree]] = []
    plan = None if tree is None else _plan(blocks, tree, atoms)
    table, exact = _sizes(parts[0]), dict[int, bool]()
    for place in sorted({place for place, _ in atoms}):
        asked = {at: one for at, (home, one) in enumerate(atoms) if home == place}
        counts, clear = _counted(parts[place], asked)
        table = table.left_join(counts, table.block == counts.verikit_block).drop("verikit_block")
        exact |= clear
    if plan is None:
        return table, _exactly(table.n)
    return table, _told(plan, table, exact)


def _plan(blocks: Blocks, tree: Tree, atoms: list[tuple[int, Tree]]) -> Plan:
    """The parts of a tree that one part of the release answers, and how they are joined."""
    homes = blocks.find_homes(tree)
    if len(homes) == 1 or isinstance(tree, Leaf):
        atoms.append((min(homes), tree))
        return ("atom", len(atoms) - 1)
    branches = blocks.split_branches(tree)
    apart = sum(len(found) for found, _ in branches) == len(homes)
    parts = tuple(_plan(blocks, branch, atoms) for _, branch in branches)
    return ("every" if tree.every else "some", parts, apart)


def _with_block(part: PartTable) -> Any:
    import ibis

    table = part.rows.table
    block = ibis.literal("") if part.block is None else table[part.block].cast("string")
    return table.mutate(verikit_block=block)


def _sizes(part: PartTable) -> Any:
    counted = _with_block(part).group_by("verikit_block").agg(n=lambda t: t.count().cast("float64"))
    return counted.rename(block="verikit_block")


def _counted(part: PartTable, asked: Mapping[int, Tree]) -> tuple[Any, dict[int, bool]]:
    """By block how many rows of one part meet each of some trees."""
    table = _with_block(part)
    counts: dict[str, Any] = {}
    clear: dict[int, bool] = {}
    for at, tree in asked.items():
        table, held = part.rows.asked(tree, table)
        columns = {"low": held.surely, "mean": held.share, "high": held.perhaps}
        names = {f"verikit_{name}_{at}": column.cast("float64") for name, column in columns.items()}
        table = table.mutate(**names)
        clear[at] = held.clear
        counts |= {name: (lambda t, name=name: t[name].sum()) for name in names}
    return table.group_by("verikit_block").agg(**counts), clear


def _exactly(count: Any) -> Told:
    return Told(count, count, count, count * (count - 1.0), True)


def _told(plan: Plan, table: Any, exact: Mapping[int, bool]) -> Told:
    if plan[0] == "atom":
        at = plan[1]
        low, mean, high = (
            table[f"verikit_{name}_{at}"].fill_null(0.0) for name in ("low", "mean", "high")
        )
        return _exactly(low) if exact[at] else Told(low, mean, high, None, False)
    parts = [_told(part, table, exact) for part in plan[1]]
    if plan[0] == "every":
        return _every(parts, table.n, apart=plan[2])
    opposites = [_opposite(part, table.n) for part in parts]
    return _opposite(_every(opposites, table.n, apart=plan[2]), table.n)


def _every(parts: Sequence[Told], n: Any, *, apart: bool) -> Told:
    import ibis

    links = ibis.greatest(n * (n - 1.0), 1.0)
    low, mean, pairs = n, n, links if apart else None
    for part in parts:
        low = low + part.low - n
        mean = mean * part.mean / n
        pairs = None if pairs is None or part.pairs is None else pairs * part.pairs / links
    high = ibis.least(*(part.high for part in parts))
    return Told(ibis.greatest(low, 0.0), mean, high, pairs, False)


def _opposite(part: Told, n: Any) -> Told:
    if part.exact:
        return _exactly(n - part.low)
    pairs = part.pairs
    if pairs is not None:
        pairs = n * (n - 1.0) - (n - 1.0) * 2.0 * part.mean + pairs
    return Told(n - part.high, n - part.mean, n - part.low, pairs, False)


def totals(engine: Engine, table: Any, told: Told) -> dict[str, float]:
    """What all blocks come to: low, mean, high, pairs, and the squared means."""
    pairs = told.mean * 0.0 if told.pairs is None else told.pairs
    parts = {"low": told.low, "mean": told.mean, "high": told.high, "pairs": pairs,
             "squares": told.mean * told.mean}  # fmt: skip
    found = engine.fetch(table.aggregate(**{name: part.sum() for name, part in parts.items()}))
    return {name: number_or(found[name].iloc[0]) for name in parts}
