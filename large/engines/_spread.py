"""How much the published values around each rank differ, in windows that an engine slides along."""

from __future__ import annotations

from typing import Any

from verikit.errors import RecordError, quoted
from verikit.ranks.spread import Criterion
from verikit.scale import _ranks
from verikit.scale._engine import Engine
from verikit.subject import Required

__all__ = ["check_criterion", "least_spread"]

ABLE = ("variance", "distinct")


def check_criterion(required: Required) -> None:
    """Refuse a diversity that no window of a fixed reach can tell.

    Parameters
    ----------
    required
        What is required of each attribute.
    """
    asked = [name for name, least in required.diversity.items() if least is not None]
    if asked and required.criterion.name not in ABLE:
        raise RecordError(
            f"An engine measures diversity as {' or '.join(ABLE)}, not as "
            f"{quoted(required.criterion.name)}; choose one of these, or audit a table in memory."
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
    placed = _ranks.positions(engine, table, ("v", "record"))
    measured = _slid(_overlapping(placed, reach), reach, criterion)
    blocks = engine.kept(
        measured.group_by("v").agg(
            begin=lambda t: t.place.min(),
            end=lambda t: t.place.max(),
            least=lambda t: t.found.min(),
        )
    )
    engine.drop(placed)
    return _of_ranks(ranks, blocks)


def _overlapping(placed: Any, reach: int) -> Any:
    """The rows in parts of neighbouring places, and beside each part those within reach of it."""
    size = max(_ranks.PART, reach)
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


def _slid(rows: Any, reach: int, criterion: Criterion) -> Any:
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
