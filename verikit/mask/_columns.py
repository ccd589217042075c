"""The columns a mask works on, and the order of their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, TypeAlias

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit._support.requests import number, within
from verikit.errors import RecordError, SchemaError, quoted
from verikit.table import Column, Microdata
from verikit.words import count, listed


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


def numeric_columns(data: Microdata, method: str) -> list[Column]:
    """The columns a numeric mask works on; others that could identify are refused by name."""
    return _require_columns(
        data,
        method,
        lambda column: column.kind == "numeric",
        "changes numbers only",
        "categories; declare {them} 'identifier' to drop {them}, or",
    )


def ranked_columns(data: Microdata, method: str) -> list[Column]:
    """The columns a mask of ranks works on; categories without an order are refused by name."""
    return _require_columns(
        data,
        method,
        lambda column: column.ranked,
        "moves values by rank",
        "categories without an order; give {them} a hierarchy or an order, or declare {them}",
    )


def _require_columns(
    data: Microdata, method: str, fits: Callable[[Column], bool], does: str, remedy: str
) -> list[Column]:
    columns = masked_columns(data, method)
    unfit = [column.name for column in columns if not fits(column)]
    if unfit:
        hold, them = ("holds", "it") if len(unfit) == 1 else ("hold", "them")
        raise SchemaError(
            f"mask.{method} {does}, but {listed(unfit)} {hold} {remedy.format(them=them)} 'other' "
            f"to publish {them} unchanged, and then people can be found by {them}."
        )
    return columns


def numbers_by_column(
    given: float | Mapping[str, float], names: Sequence[str], what: str, high: float = np.inf
) -> dict[str, float]:
    """Read a number for each column, from 0 up: one for all, or each under its name."""
    by_name = given if isinstance(given, Mapping) else dict.fromkeys(names, given)
    lacking = [name for name in names if name not in by_name]
    unknown = [name for name in by_name if name not in names]
    if lacking or unknown:
        raise SchemaError(
            f"{what} must name each masked column once: it lacks {listed(lacking) or 'none'} and "
            f"names {listed(unknown) or 'none'} that is not masked; 0 publishes a column as it is."
        )
    return {n: within(by_name[n], f"{what} of {quoted(n)}", 0, high, field=what) for n in names}


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
    >>> grids.parameters, grids.round_values("age", np.array([41.7, -3.0])).tolist()
    ({'grid': {'age': 1.0}, 'limits': {'age': [0.0, 120.0]}}, [42.0, 0.0])
    """

    steps: Mapping[str, float]
    limits: Mapping[str, tuple[float, float]]

    @classmethod
    def of(cls, grid: Grid, limits: Limits, columns: Mapping[str, Floats]) -> Grids:
        """Check what was asked for; a grid of its own is found in each column."""
        steps, ends = _read_steps(grid, columns), _read_limits(limits, columns)
        for name in steps.keys() & ends.keys():
            low, high = ends[name]
            if np.ceil(low / steps[name]) > np.floor(high / steps[name]):
                raise RecordError(
                    f"No multiple of {steps[name]:g} lies within the limits of {quoted(name)}, "
                    f"{low:g} and {high:g}; give wider limits or a finer grid."
                )
        return cls(steps, ends)

    def round_values(self, name: str, values: Floats) -> Floats:
        """Bring the values of a column to the nearest multiple of its step within its limits.

        Examples
        --------
        >>> Grids({"x": 1}, {"x": (0, 120)}).round_values("x", np.array([-3.2, 41.7, 133.9]))
        array([  0.,  42., 120.])
        >>> Grids({"x": 0.1}, {"x": (0.05, 1)}).round_values("x", np.array([0.31, 0.17]))
        array([0.3, 0.2])
        """
        if name not in self.steps and name not in self.limits:
            return values
        step, (low, high) = self.steps.get(name), self.limits.get(name, (-np.inf, np.inf))
        found: Floats = np.clip(values, low, high)
        if step is None:
            return found
        parts = np.clip(np.rint(found / step), np.ceil(low / step), np.floor(high / step))
        exponent = Decimal(str(step)).as_tuple().exponent
        return np.round(parts * step, max(0, -int(exponent)))

    @property
    def parameters(self) -> dict[str, Any]:
        """What is published: all that was used, and nothing where nothing was asked for."""
        ends = {name: list(pair) for name, pair in self.limits.items()}
        return {n: dict(v) for n, v in (("grid", self.steps), ("limits", ends)) if v}


def _read_steps(grid: Grid, columns: Mapping[str, Floats]) -> dict[str, float]:
    """Read the step of each column that is rounded, as asked for or as its own values have it."""
    if grid == "own":
        found = {name: grid_of(values) for name, values in columns.items()}
        return {name: step for name, step in found.items() if step is not None}
    given = _require_mapping(
        grid, columns, "grid", "was", "'own', or a step for each column by name"
    )
    return {
        name: within(step, f"grid of {quoted(name)}", LEAST_STEP, field="grid")
        for name, step in given.items()
    }


def _read_limits(limits: Limits, columns: Mapping[str, Floats]) -> dict[str, tuple[float, float]]:
    """Read the lowest and the highest value that a column may show, by name."""
    expected = "the lowest and the highest value of each column by name, such as {'age': [0, 120]}"
    found = {}
    for name, pair in _require_mapping(limits, columns, "limits", "were", expected).items():
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise RecordError(
                f"The limits of {quoted(name)} were given as {quoted(pair)}; expected the lowest "
                "and the highest value, such as [0, 120]."
            )
        low, high = (number(end, f"limits of {name}", field="limits") for end in pair)
        if low >= high:
            raise RecordError(
                f"The limits of {quoted(name)} were given as {low:g} and {high:g}; expected the "
                "lower one first."
            )
        found[name] = low, high
    return found


def _require_mapping(
    given: Any, columns: Mapping[str, Floats], what: str, verb: str, expected: str
) -> Mapping[str, Any]:
    """Refuse what is no mapping, or names columns that are not masked; nothing is empty."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise RecordError(
            f"{what} {verb} given as {quoted(given)}; expected {expected}.",
            field=what,
            value=given,
        )
    unknown = [name for name in given if name not in columns]
    if unknown:
        raise RecordError(
            f"{what} names {listed(unknown)}, which is not masked; masked are "
            f"{listed(columns, 12)}."
        )
    return given
