"""The columns a mask works on, and the order of their values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, TypeAlias

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit._support.requests import number, within
from verikit.errors import RecordError, SchemaError, quoted
from verikit.table import Column, Microdata
from verikit.words import count, listed


def numeric_columns(data: Microdata, method: str) -> list[Column]:
    """The columns a numeric mask works on; others that could identify are refused by name."""
    columns = masked_columns(data, method)
    nominal = [c.name for c in columns if c.kind != "numeric"]
    if nominal:
        hold, them = ("holds", "it") if len(nominal) == 1 else ("hold", "them")
        raise SchemaError(
            f"mask.{method} changes numbers only, but {listed(nominal)} {hold} categories; declare "
            f"{them} 'identifier' to drop {them}, or 'other' to publish {them} unchanged, and then "
            f"people can be found by {them}."
        )
    return columns


def ranked_columns(data: Microdata, method: str) -> list[Column]:
    """The columns a mask of ranks works on; categories without an order are refused by name."""
    columns = masked_columns(data, method)
    unordered = [c.name for c in columns if not c.ranked]
    if unordered:
        hold, them = ("holds", "it") if len(unordered) == 1 else ("hold", "them")
        raise SchemaError(
            f"mask.{method} moves values by rank, but {listed(unordered)} {hold} categories "
            f"without an order; give {them} a hierarchy or an order, or declare {them} 'other' to "
            f"publish {them} unchanged, and then people can be found by {them}."
        )
    return columns


def masked_columns(data: Microdata, method: str) -> list[Column]:
    """The columns a mask works on; missing values in them are refused by name.

    Parameters
    ----------
    data
        The records.
    method
        The name of the mask.

    Returns
    -------
    list of Column
        The quasi-identifying and sensitive columns.

    Raises
    ------
    SchemaError
        If there is no such column, or a value in one is missing.

    Notes
    -----
    Which columns are masked is our own choice: identifiers are dropped, others stay as they are.

    Examples
    --------
    >>> import verikit as vk
    >>> [column.name for column in masked_columns(vk.load("dm_table1"), "rounding")]
    ['X1', 'X2', 'X3']
    """
    columns = [c for c in data.schema if c.role in ("quasi", "sensitive")]
    if not columns:
        raise SchemaError(f"mask.{method} found no quasi-identifying or sensitive column to mask.")
    for column in columns:
        missing = int(data.frame[column.name].array.isna().sum())
        if missing:
            raise SchemaError(
                f"Column {quoted(column.name)} has {count(missing, 'missing value')}, a gap by "
                "which everybody would know the masked record again; fill the gaps, remove their "
                "records (DataFrame.dropna), or give the column the role 'identifier', so that "
                f"mask.{method} leaves it out."
            )
    return columns


def random_order(values: Floats, rng: np.random.Generator) -> Rows:
    """The places of the values from the smallest up, equal ones in random order."""
    order = np.argsort(values)
    ordered = values[order]
    if (ordered[1:] == ordered[:-1]).any():
        order = rng.permutation(len(values))
        order = order[np.argsort(values[order], kind="stable")]
    return order


Grid: TypeAlias = Mapping[str, float] | Literal["own"] | None
Limits: TypeAlias = Mapping[str, Sequence[float]] | None

POWERS = range(9, -13, -1)
ROUNDING = 1e-9
LEAST_STEP = 1e-12


def grid_of(values: Floats) -> float | None:
    """The largest power of ten of which all values are multiples; None where there is none.

    Examples
    --------
    >>> grid_of(np.array([17.0, 42.0])), grid_of(np.array([1.25, 3.5])), grid_of(np.array([300.0]))
    (1.0, 0.01, 100.0)
    """
    for power in POWERS:
        step = float(f"1e{power}")
        if not values.any():
            return 1.0
        parts = values / step
        if (np.abs(parts - np.rint(parts)) <= ROUNDING * np.maximum(1, np.abs(parts))).all():
            return step
    return None


@dataclass(frozen=True, slots=True)
class Grids:
    """The steps and the limits of the columns that have any, as they are used and published.

    Examples
    --------
    >>> grids = Grids.of("own", {"age": [0, 120]}, {"age": np.array([17.0, 42.0])})
    >>> grids.parameters, grids("age", np.array([41.7, -3.0])).tolist()
    ({'grid': {'age': 1.0}, 'limits': {'age': [0.0, 120.0]}}, [42.0, 0.0])
    """

    steps: Mapping[str, float]
    limits: Mapping[str, tuple[float, float]]

    @classmethod
    def of(cls, grid: Grid, limits: Limits, columns: Mapping[str, Floats]) -> Grids:
        """Check what was asked for; a grid of its own is found in each column."""
        steps, ends = steps_of(grid, columns), limits_of(limits, columns)
        for name in steps.keys() & ends.keys():
            low, high = ends[name]
            if np.ceil(low / steps[name]) > np.floor(high / steps[name]):
                raise RecordError(
                    f"No multiple of {steps[name]:g} lies within the limits of {quoted(name)}, "
                    f"{low:g} and {high:g}; give wider limits or a finer grid."
                )
        return cls(steps, ends)

    def __call__(self, name: str, values: Floats) -> Floats:
        """The values of a column on its grid, within its limits."""
        return on_grid(values, self.steps.get(name), self.limits.get(name))

    @property
    def parameters(self) -> dict[str, Any]:
        """What is published: all that was used, and nothing where nothing was asked for."""
        ends = {name: list(pair) for name, pair in self.limits.items()}
        return {n: dict(v) for n, v in (("grid", self.steps), ("limits", ends)) if v}


def steps_of(grid: Grid, columns: Mapping[str, Floats]) -> dict[str, float]:
    """The step of each column that is rounded, as asked for or as its own values have it."""
    if grid is None:
        return {}
    if grid == "own":
        found = {name: grid_of(values) for name, values in columns.items()}
        return {name: step for name, step in found.items() if step is not None}
    if not isinstance(grid, Mapping):
        raise RecordError(
            f"grid was given as {quoted(grid)}; expected 'own', or a step for each column by name.",
            field="grid",
            value=grid,
        )
    _refuse_unknown(grid, columns, "grid")
    return {
        name: within(step, f"grid of {quoted(name)}", LEAST_STEP, field="grid")
        for name, step in grid.items()
    }


def limits_of(limits: Limits, columns: Mapping[str, Floats]) -> dict[str, tuple[float, float]]:
    """The lowest and the highest value that a column may show, by name."""
    if limits is None:
        return {}
    if not isinstance(limits, Mapping):
        raise RecordError(
            f"limits were given as {quoted(limits)}; expected the lowest and the highest value of "
            "each column by name, such as {'age': [0, 120]}.",
            field="limits",
            value=limits,
        )
    _refuse_unknown(limits, columns, "limits")
    return {name: _check_pair(name, pair) for name, pair in limits.items()}


def on_grid(values: Floats, step: float | None, limits: tuple[float, float] | None) -> Floats:
    """Values brought to the nearest limit, then to the nearest multiple of a step within them.

    Examples
    --------
    >>> on_grid(np.array([-3.2, 41.7, 133.9]), 1, (0, 120)).tolist()
    [0.0, 42.0, 120.0]
    >>> on_grid(np.array([0.31, 0.17]), 0.1, (0.05, 1)).tolist()
    [0.3, 0.2]
    """
    if limits is None and step is None:
        return values
    low, high = limits or (-np.inf, np.inf)
    found: Floats = np.clip(values, low, high)
    if step is None:
        return found
    parts = np.clip(np.rint(found / step), np.ceil(low / step), np.floor(high / step))
    exponent = Decimal(str(step)).as_tuple().exponent
    return np.round(parts * step, max(0, -int(exponent)))


def _check_pair(name: str, given: Sequence[float]) -> tuple[float, float]:
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != 2:
        raise RecordError(
            f"The limits of {quoted(name)} were given as {quoted(given)}; expected the lowest and "
            "the highest value, such as [0, 120]."
        )
    low, high = (number(end, f"limits of {name}", field="limits") for end in given)
    if low >= high:
        raise RecordError(
            f"The limits of {quoted(name)} were given as {low:g} and {high:g}; expected the lower "
            "one first."
        )
    return low, high


def _refuse_unknown(given: Mapping[str, object], columns: Mapping[str, Floats], what: str) -> None:
    unknown = [name for name in given if name not in columns]
    if unknown:
        raise RecordError(
            f"{what} names {listed(unknown)}, which is not masked; masked are "
            f"{listed(columns, 12)}."
        )
