"""Reverse mapping between two large tables, worked out by an engine."""

from __future__ import annotations

from verikit.errors import SchemaError
from verikit.scale._columns import ALL, as_published, columns_to_mask, short_names
from verikit.scale._random import Secret
from verikit.scale._ranks import positions
from verikit.scale._scaled import Scaled
from verikit.scale._source import score
from verikit.words import count, listed

__all__ = ["reverse_map"]


def reverse_map(data: Scaled, masked: Scaled, *, seed: int) -> Scaled:
    """Give each masked value the original value of the same rank ([DM]_ Algorithm 1).

    Parameters
    ----------
    data, masked
        The original and the masked table, of as many records and opened with the columns that
        count them.
    seed
        Seed for breaking ties.

    Returns
    -------
    Scaled
        The masked table with original values in it, a pure permutation.

    Raises
    ------
    SchemaError
        If the tables share no column that can be ranked, differ in length, or miss values.

    References
    ----------
    [DM]_ Algorithm 1, Table 1

    Notes
    -----
    Two sorts and two joins a column. Equal masked values are ranked at random, as they are by
    `verikit.ranks.reverse_map`, and so the same values fall to them together; to which of them each
    falls depends on what is drawn, and differs. In memory each original value has a random key,
    made by arithmetic on 64 bits that engines refuse as an overflow. Here each row has one, a
    digest of the seed and its number, which DuckDB and Spark write alike; fractions they do not.

    Examples
    --------
    >>> import verikit as vk
    >>> from verikit.scale import connect, open_table
    >>> frames = [vk.load(name).frame for name in ("dm_table1", "dm_table1_masked")]
    >>> with connect() as engine:
    ...     tables = [open_table(engine, frame.assign(n=range(20)), row="n") for frame in frames]
    ...     float(reverse_map(*tables, seed=1).whole().frame["X1"][0])
    108.21
    """
    columns = [
        c for c in columns_to_mask(data, "reverse_map", ALL) if c.name in masked.schema.names
    ]
    columns_to_mask(masked, "reverse_map", ALL)
    if len(data) != len(masked) or not columns:
        raise SchemaError(
            f"The tables have {count(len(data), 'record')} and {len(masked):,}, and share "
            f"{listed([c.name for c in columns]) or 'no column'}; expected as many records, and "
            "the same columns."
        )
    secret, engine, table = Secret(seed), data.engine, masked.held.table
    made, names, short = table.select(row=table[masked.held.row]), [], short_names(data.schema)
    for column in columns:
        names.append(short[column.name])
        tie = secret.uniform(table[masked.held.row], f"ties of {column.name}")
        theirs = table.select(row=table[masked.held.row], v=score(table, column), tie=tie)
        first = data.held.table
        mine = first.select(v=score(first, column), shown=first[column.name])
        placed = positions(engine, theirs, ("v", "tie", "row")).select("row", "place")
        values = positions(engine, mine, ("v",)).select("place", "shown")
        mapped = placed.inner_join(values, "place")
        mapped = mapped.select(of="row", **{names[-1]: mapped.shown})
        made = made.inner_join(mapped, made.row == mapped.of).select("row", *names)
    schema = type(data.schema)(tuple(columns))
    shown = as_published(engine, engine.kept(made), schema, (masked.held.row or "row", short))
    return Scaled(shown, schema, masked.method, masked.parameters, "another order")
