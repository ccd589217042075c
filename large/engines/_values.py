"""Between what a sum, an average or an extreme lies, and what to expect of it, by an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any, NamedTuple, TypeAlias

from verikit.errors import RecordError
from verikit.query import Blocks, Leaf, Moments, Tree
from verikit.scale._engine import Engine
from verikit.scale._scaled import ConditionMatch, Rows
from verikit.scale._source import number_or, score_column
from verikit.table import Column

ROUNDS = 100


class Found(NamedTuple):
    """The ends, the estimate and the moments; whether nothing or something surely is meant."""

    ends: tuple[float, float]
    estimate: float
    moments: Moments | None
    empty: bool
    certain: bool


def chosen_rows(engine: Engine, asked: tuple[Any, ConditionMatch, Column], aggregate: str) -> Found:
    """Of rows of which each surely, perhaps or never belongs to a selection.

    Parameters
    ----------
    engine
        Where they are.
    asked
        The rows, what each says, and the column.
    aggregate
        What is asked of the column.
    """
    table, held, column = asked
    rows = table.select(
        v=score_column(table, column), sure=held.surely, share=held.share, may=held.perhaps
    ).filter(lambda t: t.v.notnull() & t.may)
    forced, open_ = rows.sure, ~rows.sure
    told = _bound_sum(engine, rows, forced, open_, rows.share)
    if aggregate in ("min", "max"):
        return _bound_extreme(told, aggregate)
    return _find_end(engine, rows, told, aggregate, ((forced, open_), (forced, open_)))


def drawn_values(
    engine: Engine,
    part: PartTable,
    column: Column,
    hits: tuple[Any, Told],
    aggregate: str,
    *,
    asked: bool,
) -> Found:
    """Of so many values of each block, whichever they are.

    Parameters
    ----------
    engine, part, column
        Where the values are.
    hits
        By block at least, expected and at most how many are meant.
    aggregate
        What is asked of the column.
    asked
        Whether anything was asked, so that links matter.
    """
    import ibis

    blocks, told = hits
    pairs = told.mean * 0.0 if told.pairs is None else told.pairs
    counts = blocks.select(
        block="block", n="n", least=told.low.round(), most=told.high.round(), mean=told.mean,
        pairs=pairs,
    )  # fmt: skip
    table = part.rows.table
    values = table.select(
        v=score_column(table, column), of=table[part.block].cast("string") if part.block else ""
    )
    beside = values.inner_join(counts, values.of == counts.block)
    rows = engine.kept(
        beside.mutate(
            up=ibis.row_number().over(ibis.window(group_by=beside.of, order_by=beside.v)),
            down=ibis.row_number().over(ibis.window(group_by=beside.of, order_by=beside.v.desc())),
        ).filter(lambda t: t.most > 0)
    )
    sides = tuple(
        (rows[way] < rows.least, (rows[way] >= rows.least) & (rows[way] < rows.most))
        for way in ("up", "down")
    )
    summed = _bound_sum(engine, rows, *sides[0], rows["mean"] / rows.n)
    if aggregate in ("min", "max"):
        found = _bound_extreme(summed, aggregate)
    else:
        found = _find_end(engine, rows, summed, aggregate, sides)
        if asked and told.pairs is not None:
            moments = _measure_moments(engine, rows, aggregate, exact=told.exact)
            estimate = found.estimate if moments is None else moments.mean
            found = found._replace(moments=moments, estimate=estimate)
    engine.drop(rows)
    return found


def _bound_sum(engine: Engine, rows: Any, forced: Any, open_: Any, share: Any) -> dict[str, float]:
    """What all bounds and the estimate need at once."""
    return _measure_numbers(
        engine, rows, rows=rows.count(), forced=forced.sum(), open=open_.sum(), meant=share.sum(),
        expected=(share * rows.v).sum(), least=rows.v.min(), most=rows.v.max(),
    )  # fmt: skip


def _measure_numbers(engine: Engine, table: Any, **measures: Any) -> dict[str, float]:
    """What some aggregates of a table come to; 0 where nothing is added up."""
    return {name: number_or(found) for name, found in engine.measure(table, measures).items()}


def _bound_extreme(told: dict[str, float], aggregate: str) -> Found:
    if told["open"]:
        raise RecordError(
            f"The {aggregate} was asked for where it is open which records are meant, which an "
            "engine does not bound; load the release to ask it."
        )
    value = told["least" if aggregate == "min" else "most"] if told["rows"] else nan
    return Found((value, value), value, None, not told["rows"], bool(told["forced"]))


Sides = tuple[tuple[Any, Any], tuple[Any, Any]]


def _find_end(
    engine: Engine, rows: Any, told: dict[str, float], aggregate: str, sides: Any
) -> Found:
    """The ends of a sum or an average, and the estimate."""
    empty = not told["forced"] and not told["open"]
    if empty:
        return Found((0.0, 0.0), 0.0 if aggregate == "sum" else nan, None, True, False)
    (least, free), (most, open_) = sides
    if aggregate == "sum":
        estimate = told["expected"]
        below, above = free & (rows.v < 0), open_ & (rows.v > 0)
        ends = {"low": rows.v.sum(where=least | below), "high": rows.v.sum(where=most | above)}
        found = _measure_numbers(engine, rows, **ends)
        low, high = found["low"], found["high"] + 0.0
    else:
        estimate = told["expected"] / told["meant"] if told["meant"] else nan
        low = _least_average(engine, rows, least, free, 1.0)
        high = -_least_average(engine, rows, most, open_, -1.0) + 0.0
    return Found((low, high), estimate, None, False, bool(told["forced"]))


def _least_average(engine: Engine, rows: Any, forced: Any, open_: Any, sign: float) -> float:
    """The forced values, and others as long as they lie below the average (Dinkelbach).

    Each round is one query; the average falls until no value lies between it and the last one.
    """
    values = rows.v * sign
    measures = {"s": values.sum(where=forced), "n": forced.sum(), "low": values.min(where=open_)}
    total, size, low = _measure_numbers(engine, rows, **measures).values()
    found = total / size if size else low
    for _ in range(ROUNDS):
        lower = open_ & (values < found)
        more = _measure_numbers(engine, rows, s=values.sum(where=lower), n=lower.sum())
        if not more["n"]:
            break
        new = (total + more["s"]) / (size + more["n"])
        if new >= found:
            break
        found = new
    return found


def _measure_moments(engine: Engine, rows: Any, aggregate: str, *, exact: bool) -> Moments | None:
    """Those of a sum, from the average and the spread of each block; see `verikit.query`."""
    import ibis

    by_block = rows.group_by("of").agg(
        n=rows.n.max(), mean=rows["mean"].max(), pairs=rows.pairs.max(), least=rows.least.max(),
        center=rows.v.mean(), apart=rows.v.var(how="pop") * rows.n.max(),
    )  # fmt: skip
    b = by_block
    one, two = b["mean"] / b.n, b.pairs / ibis.greatest(b.n * (b.n - 1.0), 1.0)
    of_hits = ibis.greatest(b["mean"] + b.pairs - b["mean"] * b["mean"], 0.0)
    apart = ibis.ifelse(b.n > 1, (one - two) * b.apart, 0.0)
    mean, variance, size = _measure_numbers(
        engine, b, mean=(b.center * b["mean"]).sum(),
        variance=(b.center * b.center * of_hits + apart).sum(), size=b.least.sum(),
    ).values()  # fmt: skip
    if aggregate == "sum":
        return Moments(mean, variance)
    return Moments(mean / size, variance / size**2) if exact and size else None


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
    plan = None if tree is None else _plan_parts(blocks, tree, atoms)
    counted = _with_block(parts[0]).group_by("verikit_block")
    table = counted.agg(n=lambda t: t.count().cast("float64")).rename(block="verikit_block")
    exact: dict[int, bool] = {}
    for place in sorted({place for place, _ in atoms}):
        asked = {at: one for at, (home, one) in enumerate(atoms) if home == place}
        counts, clear = _count_blocks(parts[place], asked)
        table = table.left_join(counts, table.block == counts.verikit_block).drop("verikit_block")
        exact |= clear
    if plan is None:
        return table, _compute_exactly(table.n)
    return table, _expected_counts(plan, table, exact)


def _plan_parts(blocks: Blocks, tree: Tree, atoms: list[tuple[int, Tree]]) -> Plan:
    """The parts of a tree that one part of the release answers, and how they are joined."""
    homes = blocks.find_homes(tree)
    if len(homes) == 1 or isinstance(tree, Leaf):
        atoms.append((min(homes), tree))
        return ("atom", len(atoms) - 1)
    branches = blocks.split_branches(tree)
    apart = sum(len(found) for found, _ in branches) == len(homes)
    parts = tuple(_plan_parts(blocks, branch, atoms) for _, branch in branches)
    return ("every" if tree.every else "some", parts, apart)


def _with_block(part: PartTable) -> Any:
    import ibis

    table = part.rows.table
    block = ibis.literal("") if part.block is None else table[part.block].cast("string")
    return table.mutate(verikit_block=block)


def _count_blocks(part: PartTable, asked: Mapping[int, Tree]) -> tuple[Any, dict[int, bool]]:
    """By block how many rows of one part meet each of some trees."""
    table = _with_block(part)
    counts: dict[str, Any] = {}
    clear: dict[int, bool] = {}
    for at, tree in asked.items():
        table, held = part.rows.match_tree(tree, table)
        columns = {"low": held.surely, "mean": held.share, "high": held.perhaps}
        names = {f"verikit_{name}_{at}": column.cast("float64") for name, column in columns.items()}
        table = table.mutate(**names)
        clear[at] = held.clear
        counts |= {name: (lambda t, name=name: t[name].sum()) for name in names}
    return table.group_by("verikit_block").agg(**counts), clear


def _compute_exactly(count: Any) -> Told:
    return Told(count, count, count, count * (count - 1.0), True)


def _expected_counts(plan: Plan, table: Any, exact: Mapping[int, bool]) -> Told:
    if plan[0] == "atom":
        at = plan[1]
        low, mean, high = (
            table[f"verikit_{name}_{at}"].fill_null(0.0) for name in ("low", "mean", "high")
        )
        return _compute_exactly(low) if exact[at] else Told(low, mean, high, None, False)
    parts = [_expected_counts(part, table, exact) for part in plan[1]]
    if plan[0] == "every":
        return _meets_all(parts, table.n, apart=plan[2])
    opposites = [_negate_counts(part, table.n) for part in parts]
    return _negate_counts(_meets_all(opposites, table.n, apart=plan[2]), table.n)


def _meets_all(parts: Sequence[Told], n: Any, *, apart: bool) -> Told:
    import ibis

    links = ibis.greatest(n * (n - 1.0), 1.0)
    low, mean, pairs = n, n, links if apart else None
    for part in parts:
        low = low + part.low - n
        mean = mean * part.mean / n
        pairs = None if pairs is None or part.pairs is None else pairs * part.pairs / links
    high = ibis.least(*(part.high for part in parts))
    return Told(ibis.greatest(low, 0.0), mean, high, pairs, False)


def _negate_counts(part: Told, n: Any) -> Told:
    if part.exact:
        return _compute_exactly(n - part.low)
    pairs = part.pairs
    if pairs is not None:
        pairs = n * (n - 1.0) - (n - 1.0) * 2.0 * part.mean + pairs
    return Told(n - part.high, n - part.mean, n - part.low, pairs, False)


def sum_blocks(engine: Engine, table: Any, told: Told) -> dict[str, float]:
    """What all blocks come to: low, mean, high, pairs, and the squared means."""
    pairs = told.mean * 0.0 if told.pairs is None else told.pairs
    return _measure_numbers(
        engine, table, low=told.low.sum(), mean=told.mean.sum(), high=told.high.sum(),
        pairs=pairs.sum(), squares=(told.mean * told.mean).sum(),
    )  # fmt: skip
