"""Whole numbers of more digits than a float keeps, which an engine would merge as numbers."""

from __future__ import annotations

from typing import Any

from verikit.errors import SchemaError, quoted
from verikit.scale._engine import Engine
from verikit.scale._source import number_or
from verikit.table import Schema, note_long_number

__all__ = ["keep_long_numbers"]

MANTISSA = 53  # bits of a float


def keep_long_numbers(
    engine: Engine, table: Any, names: list[str], schema: Schema | None
) -> tuple[Any, tuple[str, ...]]:
    """The table with names for the columns of whole numbers that a float would merge, and notes.

    Parameters
    ----------
    engine
        Where the table is.
    table
        Its expression.
    names
        The columns to look at.
    schema
        What they were declared; None where that is to be guessed.

    Raises
    ------
    SchemaError
        If such a column was declared to be numeric.
    """
    whole = [n for n in names if n in table.columns and _is_whole(table[n].type())]
    if schema is not None:  # names are texts, as in memory
        named = [n for n in whole if n in schema.names and schema[n].kind != "numeric"]
        table = table.mutate(**{name: table[name].cast("string") for name in named})
        whole = [name for name in whole if name not in named]
    lost = _find_lost_wholes(engine, table, whole)
    for name, number in lost.items() if schema is not None else ():
        raise SchemaError(
            f"Column {quoted(name)} is numeric but holds {number}, a whole number with more "
            "digits than a number keeps; declare the column nominal."
        )
    notes = tuple(note_long_number(name, number) for name, number in lost.items())
    return table.mutate(**{name: table[name].cast("string") for name in lost}), notes


def _is_whole(kind: Any) -> bool:
    """Whether a type holds whole numbers that may be no float: of 64 bits or more."""
    return (kind.is_integer() and kind.nbytes >= 8) or (kind.is_decimal() and not kind.scale)


def _find_lost_wholes(engine: Engine, table: Any, names: list[str]) -> dict[str, int]:
    """By column the lowest whole number that is no float, where there is one."""
    if not names:
        return {}
    sizes = {f"c{at}": table[name].cast("float64").abs().max() for at, name in enumerate(names)}
    found = engine.fetch(table.aggregate(**sizes)).iloc[0]
    largest = {name: number_or(found[f"c{at}"], 0) for at, name in enumerate(names)}
    large = {name: size for name, size in largest.items() if size >= 2**MANTISSA}
    if not large:
        return {}
    lowest = {
        f"c{at}": table[name].min(where=_is_lost(table[name], size)).cast("string")
        for at, (name, size) in enumerate(large.items())
    }
    found = engine.fetch(table.aggregate(**lowest)).iloc[0]
    told = {name: found[f"c{at}"] for at, name in enumerate(large)}
    return {name: int(number) for name, number in told.items() if isinstance(number, str)}


def _is_lost(values: Any, largest: float) -> Any:
    """Whether a float keeps a whole number not to its last digit, in integers alone.

    From 2**(52 + k) on, the floats among the whole numbers are the multiples of 2**k.
    """
    import ibis

    size, lost = values.cast("float64").abs(), ibis.literal(value=False)
    for bits in range(1, int(largest).bit_length() - MANTISSA + 1):
        beyond = size >= float(2 ** (MANTISSA - 1 + bits))
        lost |= beyond & (values % ibis.literal(2**bits) != 0)
    return lost
