"""Ranks in a table that an engine reads: in parts that hold neighbouring values, put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from verikit.errors import RecordError, quoted
from verikit.ranks.spread import Criterion
from verikit.scale._engine import Engine
from verikit.subject import Required

PART = 500_000
MOST = 256
SAMPLE = 20_000
SLACK = 4 * float(np.finfo(np.float64).eps)


def number_positions(engine: Engine, table: Any, order: Sequence[str]) -> Any:
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

    held = engine.kept(table)
    value = held[order[0]]
    parted = held.mutate(part=_part_of(value, _choose_cuts(engine, held, value)))
    sizes = engine.fetch(parted.group_by("part").agg(n=lambda t: t.count())).sort_values("part")
    offsets = sizes.assign(offset=sizes["n"].cumsum() - sizes["n"])[["part", "offset"]]
    within = ibis.row_number().over(
        ibis.window(group_by=parted.part, order_by=[parted[name] for name in order])
    )
    counted = parted.mutate(within=within)
    joined = counted.inner_join(engine.of_frame(offsets.reset_index(drop=True)), "part")
    found = engine.kept(
        joined.mutate(place=joined.within + joined.offset + 1).drop("part", "offset", "within")
    )
    engine.drop(held)
    return found


def closest_blocks(engine: Engine, asked: Any, published: Any) -> Any:
    """The ranks of the published value closest to each; see `verikit.ranks.closest_blocks`.

    Parameters
    ----------
    engine
        Where the values are.
    asked, published
        Tables with the columns ``record`` and ``v``, a number: those that are asked about, and
        those that have ranks.

    Returns
    -------
    Table
        Every ``record`` and ``v`` of both tables, ``here`` being 1 for a published one, with
        ``first`` and ``last``; of a published one these are its own ranks.

    Notes
    -----
    Parts begin with a published value. So the closest values of all that lies in a part lie in it,
    or begin the next one, and parts need to know nothing else of each other. Frames only ever begin
    at the edge of a part: Spark works out the others anew for each row.
    """
    import ibis

    cuts = _choose_cuts(engine, published, published.v)
    edges = engine.of_frame(_measure_parts(engine, published, cuts))
    both = asked.select("record", "v", here=ibis.literal(0, "int64")).union(
        published.select("record", "v", here=ibis.literal(1, "int64"))
    )
    beside = _find_neighbours(both.mutate(part=_part_of(both.v, cuts)))
    joined = beside.inner_join(edges, "part")
    return _choose_closest(
        joined.mutate(
            high=ibis.coalesce(joined.high, joined.above_v),
            high_last=ibis.coalesce(joined.high_last, joined.n + joined.above_times),
        )
    )


def _choose_cuts(engine: Engine, table: Any, values: Any) -> list[float]:
    """Values of a column that cut it into parts, found in a sample."""
    size = int(engine.fetch(table.count()))
    number = min(-(-size // PART), MOST)
    if number < 2:
        return []
    some = table.select(v=values)
    share = min(SAMPLE / size, 1.0)
    sample = engine.fetch(some.sample(share) if share < 0.5 else some)["v"].to_numpy(np.float64)
    if not len(sample):
        return []
    at = np.arange(1, number) / number
    return [float(cut) for cut in np.unique(np.quantile(sample, at, method="lower"))]


def _part_of(values: Any, cuts: Sequence[float], first: int = 0) -> Any:
    """The number of the part that a value belongs to: how many cuts are not greater."""
    import ibis

    if not cuts:
        return ibis.literal(first, "int64")
    half = len(cuts) // 2
    below = _part_of(values, cuts[:half], first)
    above = _part_of(values, cuts[half + 1 :], first + half + 1)
    return ibis.ifelse(values < _write_exactly(cuts[half]), below, above)


def _write_exactly(number: float) -> Any:
    """A number as text, which every engine reads without losing a digit."""
    import ibis

    return ibis.literal(repr(number)).cast("float64")


def _measure_parts(engine: Engine, published: Any, cuts: Sequence[float]) -> pd.DataFrame:
    """By part what lies below it, and the published values that begin the next one."""
    begins = published.v.isin([*map(_write_exactly, cuts)]) if cuts else published.v.isnull()
    parted = published.select(part=_part_of(published.v, cuts), begins=begins.cast("int64"))
    found = engine.fetch(
        parted.group_by("part").agg(n=lambda t: t.count(), times=lambda t: t.begins.sum())
    )
    parts = range(len(cuts) + 1)
    counted = found.set_index("part").reindex(parts, fill_value=0)
    return pd.DataFrame(
        {
            "part": np.arange(len(parts), dtype=np.int64),
            "offset": (counted["n"].cumsum() - counted["n"]).to_numpy(np.int64),
            "n": counted["n"].to_numpy(np.int64),
            "above_v": np.array([*cuts, np.nan]),
            "above_times": counted["times"].shift(-1).to_numpy(np.float64),
        }
    )


def _find_neighbours(table: Any) -> Any:
    """Within its part: the published values to both sides of each, and the ranks that they have.

    A published value, and one that is equal to it, has itself on both sides.
    """
    import ibis

    equal = ibis.window(group_by=[table.part, table.v])
    counted = table.mutate(
        upto=table.here.sum().over(_frame_blocks(table, table.v)),
        equal=table.here.sum().over(equal),
        low=_of_seen(table, table.v).max().over(_frame_blocks(table, table.v)),
    )
    up, down = _frame_blocks(counted, counted.v), _frame_blocks(counted, counted.v.desc())
    start = counted.upto - counted.equal + 1
    return counted.mutate(
        low_first=_of_seen(counted, start).max().over(up),
        high=_of_seen(counted, counted.v).min().over(down),
        high_last=_of_seen(counted, counted.upto).min().over(down),
    ).drop("equal")


def _frame_blocks(table: Any, order: Any) -> Any:
    """What comes before a row in its part, and what is equal to it."""
    import ibis

    return ibis.range_window(group_by=table.part, order_by=order, preceding=None, following=0)


def _of_seen(table: Any, value: Any) -> Any:
    """A value where it was published."""
    import ibis

    return ibis.ifelse(table.here > 0, value, ibis.null(value.type()))


def _choose_closest(table: Any) -> Any:
    """The closer of both sides; both where a value lies half-way."""
    import ibis

    low, high = table.low, table.high
    lean = (table.v - low) - (high - table.v)
    half_way = lean.abs() <= SLACK * ibis.greatest(low.abs(), high.abs())
    lower = high.isnull() | (low.notnull() & (half_way | (lean <= 0)))
    upper = low.isnull() | (high.notnull() & (half_way | (lean > 0)))
    first = ibis.ifelse(lower, table.low_first, table.upto + 1)
    last = ibis.ifelse(upper, table.high_last, table.upto)
    return table.select(
        "record", "v", "here",
        first=(first + table.offset).cast("int64"), last=(last + table.offset).cast("int64"),
    )  # fmt: skip


ABLE = ("variance", "distinct")


def check_criterion(required: Required) -> None:
    """Refuse a diversity that no window of a fixed reach can tell.

    Parameters
    ----------
    required
        What is required of each attribute.
    """
    asked = [name for name, least in required.diversity.items() if least is not None]
    unable = [name for name in asked if required.criteria[name].name not in ABLE]
    if unable:
        raise RecordError(
            f"An engine measures diversity as {' or '.join(ABLE)}, not as "
            f"{quoted(required.criteria[unable[0]].name)}; choose one of these, or audit a table "
            "in memory."
        )
    for name in asked:
        if required.distance[name] is None:
            raise RecordError(
                f"Diversity is required of {quoted(name)} and no distance, so that its window would"
                " differ from record to record; give the distance within which it is required."
            )


def least_spread(engine: Engine, table: Any, ranks: Any, reach: int, criterion: Criterion) -> Any:
    """The least diverse window over the ranks that the closest value may take.

    Parameters
    ----------
    engine
        Where the tables are.
    table
        The published values, in a column ``v``, and a ``record`` that settles ties.
    ranks
        The ranks of the closest values; see `closest_blocks`.
    reach
        Places to each side; windows are cut off at the ends of the column.
    criterion
        ``variance`` or ``distinct``.

    Returns
    -------
    Table
        The lines of ``ranks`` with their ``least``.
    """
    placed = number_positions(engine, table, ("v", "record"))
    measured = _slide_windows(_overlap_parts(placed, reach), reach, criterion)
    blocks = engine.kept(
        measured.group_by("v").agg(
            begin=lambda t: t.place.min(),
            end=lambda t: t.place.max(),
            least=lambda t: t.found.min(),
        )
    )
    engine.drop(placed)
    return _of_ranks(ranks, blocks)


def _overlap_parts(placed: Any, reach: int) -> Any:
    """The rows in parts of neighbouring places, and beside each part those within reach of it."""
    size = max(PART, reach)
    at = placed.place - 1
    part, within = at // size, at % size
    kept = placed.select("v", "place", part=part.cast("int64"), core=True)
    before = placed.filter(within < reach).select(
        "v", "place", part=(part - 1).cast("int64"), core=False
    )
    after = placed.filter(within >= size - reach).select(
        "v", "place", part=(part + 1).cast("int64"), core=False
    )
    return kept.union(before, after)


def _slide_windows(rows: Any, reach: int, criterion: Criterion) -> Any:
    """The diversity of the window around each place."""
    import ibis

    ordered = ibis.window(group_by=rows.part, order_by=rows.v)
    rows = rows.mutate(different=ibis.dense_rank().over(ordered))
    around = ibis.window(group_by=rows.part, order_by=rows.place, preceding=reach, following=reach)
    low, high = rows.different.min().over(around), rows.different.max().over(around)
    if criterion.name == "distinct":
        found = (high - low + 1).cast("float64")
    else:
        found = ibis.ifelse(low == high, 0.0, rows.v.var(how="pop").over(around))
    return rows.mutate(found=found).filter(lambda t: t.core).select("v", "place", "found")


def _of_ranks(ranks: Any, blocks: Any) -> Any:
    """The lesser of the two blocks that the closest values may lie in; mostly they are one."""
    import ibis

    lower = blocks.select(begin="begin", low="least")
    upper = blocks.select(end="end", high="least")
    names = ranks.columns
    once = ranks.inner_join(lower, [("first", "begin")]).select(*names, "low")
    twice = once.inner_join(upper, [("last", "end")])
    return twice.select(*names, least=ibis.least(twice.low, twice.high))
