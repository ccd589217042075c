"""Masks of large tables that need nothing of other records but ranks, worked out by an engine."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from verikit._support.requests import whole, within
from verikit._support.seed import generator
from verikit.errors import SchemaError, quoted
from verikit.scale._engine import Engine
from verikit.scale._ranks import number_positions
from verikit.scale._scaled import Scaled
from verikit.scale._source import EngineTable, number_or, score_column
from verikit.table import Column, Schema
from verikit.words import count, listed


class ScaledMask(NamedTuple):
    """What is published, and the key: a table of the engine with ``record`` and ``row``."""

    release: Scaled
    key: Any


def noise(data: Scaled, *, scale: float | Mapping[str, float], seed: int) -> ScaledMask:
    """Add independent normal noise to each column of numbers.

    Parameters
    ----------
    data
        The original, opened with the column that counts its records.
    scale
        The standard deviation of the noise, by column in its unit; or one number, the share of each
        column's own deviation, rounded to two significant digits before it is used.
    seed
        The secret randomness; DuckDB and Spark draw the same.

    Returns
    -------
    ScaledMask
        The release, its rows in an order of their own, and the key.

    Raises
    ------
    SchemaError
        If a column holds categories or missing values, or has no scale.

    References
    ----------
    [DM]_ section 2

    Notes
    -----
    It publishes what `verikit.mask.noise` publishes; the numbers it draws are others.

    Examples
    --------
    >>> import pandas as pd
    >>> from verikit.scale import connect, open_table
    >>> with connect() as engine:
    ...     data = open_table(engine, pd.DataFrame({"n": range(9), "a": range(9)}), row="n")
    ...     noise(data, scale={"a": 2}, seed=7).release.parameters
    {'scale': {'a': 2.0}}
    """
    columns = columns_to_mask(data, "noise", numeric=True)
    scales = _find_scales(data, columns, scale)
    secret, row = Secret(seed), data.held.table[data.held.row]
    values, short = _as_they_are(data), short_names(data.schema)
    for column in columns:
        drawn = secret.normal(row, f"noise of {column.name}") * scales[column.name]
        values[short[column.name]] = score_column(data.held.table, column) + drawn
    told = {} if isinstance(scale, Mapping) else {"scale_digits": 2}
    made = data.held.table.select(record=row, **values)
    return _publish_masked(data, made, secret, "noise", {"scale": scales, **told}, "changed")


def permute(data: Scaled, *, places: int | Mapping[str, int], seed: int) -> ScaledMask:
    """Permute each column inside runs of neighbouring ranks, so that no value moves far.

    The ranks of a column are cut into runs of ``places`` + 1, and the values of each run are dealt
    out anew among its records, each order being equally likely.

    Parameters
    ----------
    data
        The original, opened with the column that counts its records.
    places
        How far a value may move, for all columns or one by one.
    seed
        The secret randomness; DuckDB and Spark draw the same.

    Returns
    -------
    ScaledMask
        The release, a pure permutation that publishes the places, and the key.

    Raises
    ------
    SchemaError
        If a column has no order or misses values.

    References
    ----------
    [DM]_ section 5.2, which counts data swapping among pure permutations

    Notes
    -----
    The runs are our own: swapping record after record cannot be shared out among workers. Equal
    values are ranked at random first, by a digest of the seed and the number of the record, so that
    DuckDB and Spark publish the same. A record at the end of a run stays in it, so that it moves
    less than `verikit.mask.rank_swap` with as many places lets it.

    Examples
    --------
    >>> import pandas as pd
    >>> from verikit.scale import connect, open_table
    >>> with connect() as engine:
    ...     data = open_table(engine, pd.DataFrame({"n": range(9), "a": range(9)}), row="n")
    ...     release, key = permute(data, places=2, seed=7)
    ...     release.parameters, release.permutation
    ({'places': {'a': 2}}, True)
    """
    columns, others = columns_to_mask(data, "permute"), _as_they_are(data)
    names, short = [*others], short_names(data.schema)
    reach = _count_reaches(columns, places)
    secret, engine, table = Secret(seed), data.engine, data.held.table
    made = table.select(record=table[data.held.row], **others)
    for column in columns:
        names.append(short[column.name])
        row = table[data.held.row]
        value = table.select(
            record=row, v=score_column(table, column), shown=table[column.name],
            tie=secret.uniform(row, f"ties of {column.name}"),
            drawn=secret.uniform(row, f"order of {column.name}"),
        )  # fmt: skip
        dealt = _deal_positions(engine, value, reach[column.name] + 1)
        made = made.inner_join(
            dealt.select(of="record", **{names[-1]: dealt.shown}), made.record == dealt.record
        ).select("record", *names)
    return _publish_masked(data, made, secret, "permute", {"places": reach}, "another order")


def _count_reaches(columns: list[Column], places: int | Mapping[str, int]) -> dict[str, int]:
    asked = [column.name for column in columns]
    if not isinstance(places, Mapping):
        return dict.fromkeys(asked, whole(places, "places", least=0))
    if set(places) != set(asked):
        raise SchemaError(
            f"places names {listed(places)}; expected each column once: {listed(asked)}."
        )
    return {name: whole(places[name], "places", least=0) for name in asked}


def _deal_positions(engine: Any, value: Any, size: int) -> Any:
    """Records with the values that fall to them: inside each run, in an order that was drawn."""
    import ibis

    placed = number_positions(engine, value, ("v", "tie", "record"))
    runs = placed.mutate(run=(placed.place - 1) // size)
    drawn = ibis.row_number().over(
        ibis.window(group_by=runs.run, order_by=[runs.drawn, runs.record])
    )
    taken = runs.select("record", slot=runs.run * size + drawn + 1)
    given = placed.select(slot=placed.place, shown=placed.shown)
    return engine.kept(taken.inner_join(given, "slot").select("record", "shown"))


def _as_they_are(data: Scaled) -> dict[str, Any]:
    """The columns that a mask leaves alone."""
    short = short_names(data.schema)
    return {short[c.name]: data.held.table[c.name] for c in data.schema if c.role == "other"}


def _find_scales(
    data: Scaled, columns: list[Column], scale: float | Mapping[str, float]
) -> dict[str, float]:
    names = [column.name for column in columns]
    if isinstance(scale, Mapping):
        if set(scale) != set(names):
            raise SchemaError(
                f"scale names {listed(scale)}; expected each masked column once: {listed(names)}."
            )
        return {name: within(scale[name], f"scale of {quoted(name)}") for name in names}
    share, table = within(scale, "scale"), data.held.table
    spread = {c.name: score_column(table, c).std(how="pop") for c in columns}
    found = data.engine.measure(table, spread)
    return {name: float(f"{share * deviation:.2g}") for name, deviation in found.items()}


def _publish_masked(
    data: Scaled, made: Any, secret: Secret, method: str, parameters: Any, promise: Any
) -> ScaledMask:
    """The rows in an order that was drawn, counted anew, and which record each came from."""
    engine = data.engine
    ordered = number_positions(
        engine, made.mutate(drawn_=secret.uniform(made.record, "order of rows")),
        ("drawn_", "record"),
    )  # fmt: skip
    schema, short = data.schema.released, short_names(data.schema)
    counted = ordered.mutate(row=ordered.place - 1)
    kept = engine.kept(counted.select("record", "row", *[short[name] for name in schema.names]))
    key = kept.select("record", "row")
    released = as_published(engine, kept, schema, ("row", short))
    return ScaledMask(Scaled(released, schema, method, parameters, promise), key)


MASKED = ("quasi", "sensitive")
ALL = (*MASKED, "other")


def columns_to_mask(
    data: Scaled, what: str, roles: Sequence[str] = MASKED, *, numeric: bool = False
) -> list[Column]:
    """The columns that are masked; refused where one cannot be."""
    if data.held.row is None:
        raise SchemaError(
            f"The records of the table are not counted, and {what} has to find them again; open it "
            "with the column that counts them from 0: row='...'."
        )
    columns = [c for c in data.schema if c.role in roles]
    if not columns:
        raise SchemaError(f"{what} found no quasi-identifying or sensitive column to mask.")
    unfit = [c.name for c in columns if (c.kind != "numeric" if numeric else not c.ranked)]
    if unfit:
        raise SchemaError(
            f"{what} needs {'numbers' if numeric else 'columns with an order'}, which "
            f"{listed(unfit)} {'is' if len(unfit) == 1 else 'are'} not; leave them out."
        )
    table = data.held.table
    _check_rows(data, what)
    gaps = {c.name: score_column(table, c).isnull().sum() for c in columns}
    for name, missing in data.engine.measure(table, gaps).items():
        if missing:
            raise SchemaError(
                f"Column {quoted(name)} has {count(int(missing), 'missing value')}, which have no "
                "rank; fill the gaps, or leave the column out."
            )
    return columns


def _check_rows(data: Scaled, what: str) -> None:
    """Refuse numbers that do not count the records: two with one number would draw alike."""
    if not len(data):
        raise SchemaError(f"The table has no records, so {what} has nothing to mask.")
    row = data.held.table[data.held.row]
    told = {"different": row.nunique(), "lowest": row.min(), "highest": row.max()}
    found = data.engine.measure(data.held.table, told)
    if [int(number_or(found[name], -1)) for name in told] != [len(data), 0, len(data) - 1]:
        raise SchemaError(
            f"Column {quoted(data.held.row)} holds {int(found['different']):,} different numbers "
            f"from {found['lowest']} to {found['highest']}; expected each of 0 to {len(data) - 1:,}"
            " once, to count the records."
        )


def short_names(schema: Schema) -> dict[str, str]:
    """Names of our own while a mask is worked out, beside which no other can be meant."""
    return {name: f"c{at}" for at, name in enumerate(schema.names)}


def as_published(
    engine: Engine, table: Any, schema: Schema, names: tuple[str, Mapping[str, str]]
) -> EngineTable:
    """The table with the names it is published by, and that of the column that counts its rows."""
    row, short = names
    while row in schema.names:
        row += "_"
    columns = [table[short[name]].name(name) for name in schema.names]
    return EngineTable(engine, table.select(table["row"].name(row), *columns), row)


DIGITS = "0123456789abcdef"
EACH = 8  # hexadecimal digits of one number


class Secret:
    """What is drawn for each record from a secret seed, whatever worker draws it.

    Parameters
    ----------
    seed
        The secret randomness: 256 bits are drawn from it.

    Notes
    -----
    SHA-256 of the secret, the purpose and the number of the record: who does not know the secret
    learns nothing of one record's draw from those of others.
    """

    def __init__(self, seed: int) -> None:
        self._secret = generator(seed).bytes(32).hex()

    def uniform(self, row: Any, purpose: str, place: int = 0) -> Any:
        """A number between 0 and 1 for each record, as an expression; four places are at hand."""
        import ibis

        digest = (ibis.literal(f"{self._secret} {purpose} ") + row.cast("string")).hexdigest(
            "sha256"
        )
        found = ibis.literal(0.5)
        for at in range(EACH):
            digit = ibis.literal(DIGITS).find(digest.substr(EACH * place + at, 1))
            found += digit.cast("float64") * 16.0 ** (EACH - 1 - at)
        return found / 16.0**EACH

    def normal(self, row: Any, purpose: str) -> Any:
        """A standard normal number for each record (Box and Muller)."""
        far = (self.uniform(row, purpose).ln() * -2.0).sqrt()
        return far * (self.uniform(row, purpose, 1) * (2 * math.pi)).cos()


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
        theirs = table.select(row=table[masked.held.row], v=score_column(table, column), tie=tie)
        first = data.held.table
        mine = first.select(v=score_column(first, column), shown=first[column.name])
        placed = number_positions(engine, theirs, ("v", "tie", "row")).select("row", "place")
        values = number_positions(engine, mine, ("v",)).select("place", "shown")
        mapped = placed.inner_join(values, "place")
        mapped = mapped.select(of="row", **{names[-1]: mapped.shown})
        made = made.inner_join(mapped, made.row == mapped.of).select("row", *names)
    schema = type(data.schema)(tuple(columns))
    shown = as_published(engine, engine.kept(made), schema, (masked.held.row or "row", short))
    return Scaled(shown, schema, masked.method, masked.parameters, "another order")
