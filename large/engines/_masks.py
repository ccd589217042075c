"""Masks of large tables that need nothing of other records but ranks, worked out by an engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from verikit._support.requests import whole, within
from verikit.errors import SchemaError, quoted
from verikit.scale._columns import as_published, columns_to_mask, short_names
from verikit.scale._random import Secret
from verikit.scale._ranks import positions
from verikit.scale._scaled import Scaled
from verikit.scale._source import score
from verikit.table import Column
from verikit.words import listed

__all__ = ["ScaledMask", "noise", "permute"]


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
    scales = _scales(data, columns, scale)
    secret, row = Secret(seed), data.held.table[data.held.row]
    values, short = _as_they_are(data), short_names(data.schema)
    for column in columns:
        drawn = secret.normal(row, f"noise of {column.name}") * scales[column.name]
        values[short[column.name]] = score(data.held.table, column) + drawn
    told = {} if isinstance(scale, Mapping) else {"scale_digits": 2}
    made = data.held.table.select(record=row, **values)
    return _published(data, made, secret, "noise", {"scale": scales, **told}, "changed")


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
    reach = _reaches(columns, places)
    secret, engine, table = Secret(seed), data.engine, data.held.table
    made = table.select(record=table[data.held.row], **others)
    for column in columns:
        names.append(short[column.name])
        row = table[data.held.row]
        value = table.select(
            record=row, v=score(table, column), shown=table[column.name],
            tie=secret.uniform(row, f"ties of {column.name}"),
            drawn=secret.uniform(row, f"order of {column.name}"),
        )  # fmt: skip
        dealt = _dealt(engine, value, reach[column.name] + 1)
        made = made.inner_join(
            dealt.select(of="record", **{names[-1]: dealt.shown}), made.record == dealt.record
        ).select("record", *names)
    return _published(data, made, secret, "permute", {"places": reach}, "another order")


def _reaches(columns: list[Column], places: int | Mapping[str, int]) -> dict[str, int]:
    asked = [column.name for column in columns]
    if not isinstance(places, Mapping):
        return dict.fromkeys(asked, whole(places, "places", least=0))
    if set(places) != set(asked):
        raise SchemaError(
            f"places names {listed(places)}; expected each column once: {listed(asked)}."
        )
    return {name: whole(places[name], "places", least=0) for name in asked}


def _dealt(engine: Any, value: Any, size: int) -> Any:
    """Records with the values that fall to them: inside each run, in an order that was drawn."""
    import ibis

    placed = positions(engine, value, ("v", "tie", "record"))
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


def _scales(
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
    found = data.engine.fetch(
        table.aggregate(
            **{f"s{at}": score(table, c).std(how="pop") for at, c in enumerate(columns)}
        )
    ).iloc[0]
    return {name: float(f"{share * found[f's{at}']:.2g}") for at, name in enumerate(names)}


def _published(
    data: Scaled, made: Any, secret: Secret, method: str, parameters: Any, promise: Any
) -> ScaledMask:
    """The rows in an order that was drawn, counted anew, and which record each came from."""
    engine = data.engine
    ordered = positions(
        engine, made.mutate(drawn_=secret.uniform(made.record, "order of rows")),
        ("drawn_", "record"),
    )  # fmt: skip
    schema, short = data.schema.released, short_names(data.schema)
    counted = ordered.mutate(row=ordered.place - 1)
    kept = engine.kept(counted.select("record", "row", *[short[name] for name in schema.names]))
    key = kept.select("record", "row")
    released = as_published(engine, kept, schema, ("row", short))
    return ScaledMask(Scaled(released, schema, method, parameters, promise), key)
