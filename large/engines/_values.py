"""Between what a sum, an average or an extreme lies, and what to expect of it, by an engine."""

from __future__ import annotations

from collections.abc import Callable
from math import nan
from typing import Any, NamedTuple

from verikit.errors import RecordError
from verikit.query import Moments
from verikit.scale._engine import Engine
from verikit.scale._held import Held
from verikit.scale._known import PartTable, Told
from verikit.scale._source import number_or, score
from verikit.table import Column

__all__ = ["Found", "chosen_rows", "drawn_values"]

ROUNDS = 100


class Found(NamedTuple):
    """The ends, the estimate and the moments; whether nothing or something surely is meant."""

    ends: tuple[float, float]
    estimate: float
    moments: Moments | None
    empty: bool
    certain: bool


def chosen_rows(engine: Engine, asked: tuple[Any, Held, Column], aggregate: str) -> Found:
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
        v=score(table, column), sure=held.surely, share=held.share, may=held.perhaps
    ).filter(lambda t: t.v.notnull() & t.may)
    forced, open_ = rows.sure, ~rows.sure
    told = _summed(engine, rows, forced, open_, rows.share)
    if aggregate in ("min", "max"):
        return _extreme(told, aggregate)
    return _ended(engine, rows, told, aggregate, ((forced, open_), (forced, open_)))


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
        v=score(table, column), of=table[part.block].cast("string") if part.block else ""
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
    summed = _summed(engine, rows, *sides[0], rows["mean"] / rows.n)
    if aggregate in ("min", "max"):
        found = _extreme(summed, aggregate)
    else:
        found = _ended(engine, rows, summed, aggregate, sides)
        if asked and told.pairs is not None:
            moments = _moments(engine, rows, aggregate, exact=told.exact)
            estimate = found.estimate if moments is None else moments.mean
            found = found._replace(moments=moments, estimate=estimate)
    engine.drop(rows)
    return found


def _summed(engine: Engine, rows: Any, forced: Any, open_: Any, share: Any) -> dict[str, float]:
    """What all bounds and the estimate need at once."""
    found = engine.fetch(
        rows.aggregate(
            rows=rows.count(), forced=forced.sum(), open=open_.sum(),
            meant=share.sum(), expected=(share * rows.v).sum(),
            least=rows.v.min(), most=rows.v.max(),
        )
    ).iloc[0]  # fmt: skip
    return {name: number_or(found[name]) for name in found.index}


def _extreme(told: dict[str, float], aggregate: str) -> Found:
    if told["open"]:
        raise RecordError(
            f"The {aggregate} was asked for where it is open which records are meant, which an "
            "engine does not bound; load the release to ask it."
        )
    value = told["least" if aggregate == "min" else "most"] if told["rows"] else nan
    return Found((value, value), value, None, not told["rows"], bool(told["forced"]))


Sides = tuple[tuple[Any, Any], tuple[Any, Any]]


def _ended(engine: Engine, rows: Any, told: dict[str, float], aggregate: str, sides: Any) -> Found:
    """The ends of a sum or an average, and the estimate."""
    empty = not told["forced"] and not told["open"]
    if empty:
        return Found((0.0, 0.0), 0.0 if aggregate == "sum" else nan, None, True, False)
    end: Callable[..., float] = _least_sum if aggregate == "sum" else _least_average
    low = end(engine, rows, *sides[0], 1.0)
    high = -end(engine, rows, *sides[1], -1.0) + 0.0
    if aggregate == "sum":
        estimate = told["expected"]
    else:
        estimate = told["expected"] / told["meant"] if told["meant"] else nan
    return Found((low, high), estimate, None, False, bool(told["forced"]))


def _least_sum(engine: Engine, rows: Any, forced: Any, open_: Any, sign: float) -> float:
    values = rows.v * sign
    return number_or(engine.fetch(values.sum(where=forced | (open_ & (values < 0)))))


def _least_average(engine: Engine, rows: Any, forced: Any, open_: Any, sign: float) -> float:
    """The forced values, and others as long as they lie below the average (Dinkelbach).

    Each round is one query; the average falls until no value lies between it and the last one.
    """
    values = rows.v * sign
    start = engine.fetch(
        rows.aggregate(s=values.sum(where=forced), n=forced.sum(), low=values.min(where=open_))
    ).iloc[0]
    total, size = number_or(start["s"]), number_or(start["n"])
    found = total / size if size else float(start["low"])
    for _ in range(ROUNDS):
        lower = open_ & (values < found)
        more = engine.fetch(rows.aggregate(s=values.sum(where=lower), n=lower.sum())).iloc[0]
        if not number_or(more["n"]):
            break
        new = (total + float(more["s"])) / (size + float(more["n"]))
        if new >= found:
            break
        found = new
    return found


def _moments(engine: Engine, rows: Any, aggregate: str, *, exact: bool) -> Moments | None:
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
    found = engine.fetch(
        b.aggregate(
            mean=(b.center * b["mean"]).sum(),
            variance=(b.center * b.center * of_hits + apart).sum(),
            size=b.least.sum(),
        )
    ).iloc[0]
    mean, variance, size = (number_or(found[name]) for name in ("mean", "variance", "size"))
    if aggregate == "sum":
        return Moments(mean, variance)
    return Moments(mean / size, variance / size**2) if exact and size else None
