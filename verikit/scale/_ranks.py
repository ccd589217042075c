"""Ranks in a table that an engine reads: in parts that hold neighbouring values, put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from verikit.scale._engine import Engine

__all__ = ["closest_blocks", "positions"]

PART = 500_000
MOST = 256
SAMPLE = 20_000
SLACK = 4 * float(np.finfo(np.float64).eps)


def positions(engine: Engine, table: Any, order: Sequence[str]) -> Any:
    """The place of each row, from 1 to their number, by a column and others where it ties.

    Parameters
    ----------
    engine, table
        Where the rows are.
    order
        The column of numbers, and the columns that settle its ties.

    Returns
    -------
    Table
        The rows with their ``place``.

    Notes
    -----
    A sample cuts the column into parts of neighbouring values. Each part is ranked by itself, and
    what lies below it is added: no worker sorts the whole column.
    """
    import ibis

    parted = engine.kept(table.mutate(part=_part(engine, table, table[order[0]])))
    sizes = engine.fetch(parted.group_by("part").agg(n=lambda t: t.count())).sort_values("part")
    offsets = sizes.assign(offset=sizes["n"].cumsum() - sizes["n"])[["part", "offset"]]
    joined = parted.inner_join(engine.of_frame(offsets.reset_index(drop=True)), "part")
    within = ibis.row_number().over(
        ibis.window(group_by=joined.part, order_by=[joined[name] for name in order])
    )
    found = engine.kept(joined.mutate(place=within + joined.offset + 1).drop("part", "offset"))
    engine.drop(parted)
    return found


def closest_blocks(engine: Engine, table: Any, asked: str, published: str) -> Any:
    """By value the ranks of the published value closest to it; see `verikit.ranks.closest_blocks`.

    Parameters
    ----------
    engine, table
        Where the values are.
    asked, published
        Columns of numbers: those that are asked about, and those that have ranks.

    Returns
    -------
    Table
        Every value ``v`` of both columns, with ``first`` and ``last``; of a published one these
        are its own ranks.
    """
    both = table.select(v=table[asked], here=0).union(table.select(v=table[published], here=1))
    values = both.group_by("v").agg(here=lambda t: t.here.sum())
    parted = engine.kept(values.mutate(part=_part(engine, values, values.v)))
    edges = engine.of_frame(_edges(engine, parted))
    joined = parted.inner_join(edges, "part")
    found = engine.kept(_chosen(_beside(_summed(joined))))
    engine.drop(parted)
    return found


def _part(engine: Engine, table: Any, values: Any) -> Any:
    """The number of the part that a value belongs to."""
    import ibis

    size = int(engine.fetch(table.count()))
    number = min(max(-(-size // PART), 1), MOST)
    if number == 1:
        return ibis.literal(0, "int64")
    some = table.select(v=values)
    share = min(SAMPLE / size, 1.0)
    sample = engine.fetch(some.sample(share) if share < 0.5 else some)["v"].to_numpy(np.float64)
    cuts = np.unique(np.quantile(sample, np.arange(1, number) / number)) if len(sample) else ()
    found = ibis.literal(0, "int64")
    for cut in cuts:
        found += (values >= float(cut)).cast("int64")
    return found


def _edges(engine: Engine, parted: Any) -> pd.DataFrame:
    """By part what lies below it, and the published values that stand next to it on each side."""
    seen = parted.here > 0
    found = engine.fetch(
        parted.group_by("part").agg(
            n=parted.here.sum(),
            lowest=parted.v.min(where=seen),
            highest=parted.v.max(where=seen),
            low_times=parted.here.argmin(parted.v, where=seen),
            high_times=parted.here.argmax(parted.v, where=seen),
        )
    ).sort_values("part", ignore_index=True)  # fmt: skip
    offset = found["n"].cumsum() - found["n"]
    told = pd.DataFrame(
        {
            "part": found["part"],
            "offset": offset,
            "below_v": found["highest"].ffill().shift(),
            "below_times": found["high_times"].where(found["n"] > 0).ffill().shift(),
            "above_v": found["lowest"].bfill().shift(-1),
            "above_times": found["low_times"].where(found["n"] > 0).bfill().shift(-1),
            "upto": offset + found["n"],
        }
    )
    return told.astype({name: "float64" for name in told if name not in ("part", "offset", "upto")})


def _summed(joined: Any) -> Any:
    """How many published values are not greater."""
    import ibis

    up = ibis.window(group_by=joined.part, order_by=joined.v, preceding=None, following=0)
    return joined.mutate(cum=joined.here.sum().over(up) + joined.offset)


def _beside(table: Any) -> Any:
    """The published values to both sides, or the value itself if it is one, with their ranks."""
    import ibis

    up = ibis.window(group_by=table.part, order_by=table.v, preceding=None, following=0)
    down = ibis.window(group_by=table.part, order_by=table.v, preceding=0, following=None)
    seen = table.here > 0

    def of_seen(value: Any, kind: str = "float64") -> Any:
        return ibis.ifelse(seen, value, ibis.null(kind))

    start = (table.cum - table.here + 1).cast("float64")
    return table.mutate(
        low=ibis.coalesce(of_seen(table.v).max().over(up), table.below_v),
        low_first=ibis.coalesce(
            of_seen(start).max().over(up), table.offset - table.below_times + 1
        ),
        high=ibis.coalesce(of_seen(table.v).min().over(down), table.above_v),
        high_first=ibis.ifelse(seen, table.cum - table.here + 1, table.cum + 1),
        high_last=ibis.coalesce(
            of_seen(table.cum.cast("float64")).min().over(down), table.upto + table.above_times
        ),
    )


def _chosen(table: Any) -> Any:
    """The closer of both sides; both where a value lies half-way."""
    import ibis

    lean = (table.v - table.low) - (table.high - table.v)
    size = ibis.greatest(table.low.abs(), table.high.abs())
    half_way = lean.abs() <= SLACK * size
    lower = table.high.isnull() | (table.low.notnull() & (half_way | (lean <= 0)))
    upper = table.low.isnull() | (table.high.notnull() & (half_way | (lean > 0)))
    return table.select(
        "v",
        first=ibis.ifelse(lower, table.low_first, table.high_first).cast("int64"),
        last=ibis.ifelse(upper, table.high_last, table.cum).cast("int64"),
    )
