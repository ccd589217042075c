"""What all masks share: registration, a required seed, canonical and shuffled rows."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Concatenate, ParamSpec, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._seed import checked_seed
from verikit.errors import SchemaError
from verikit.hierarchy import listed
from verikit.lattice import Search
from verikit.partition import Partition
from verikit.release import Key, Masked, TableRelease
from verikit.table import Column, Microdata

__all__ = [
    "METHODS", "Method", "masking", "numeric_columns", "publish", "random_order",
    "ranked_columns",
]  # fmt: skip

P = ParamSpec("P")

BY_RECORD = (Partition, Search)  # arguments that follow the records when these are reordered


@dataclass(frozen=True, slots=True)
class Method:
    """A registered mask.

    Parameters
    ----------
    name, function
        What it is called, and what is called.
    paper
        The key of the paper it follows.
    example
        Arguments that work on any small table; a function among them is given the table first.
    """

    name: str
    function: Callable[..., Masked]
    paper: str
    example: Mapping[str, Any]


METHODS: dict[str, Method] = {}


def masking(
    *, paper: str, example: Mapping[str, Any]
) -> Callable[
    [Callable[Concatenate[Microdata, P], Masked]], Callable[Concatenate[Microdata, P], Masked]
]:
    """Register a mask and give it what all masks share.

    The function sees the records in canonical order, so that the same seed gives the same release
    whatever order the records came in; its key is put back into the order of the given table.
    """

    def register(
        function: Callable[Concatenate[Microdata, P], Masked],
    ) -> Callable[Concatenate[Microdata, P], Masked]:
        @functools.wraps(function)
        def mask(data: Microdata, *args: P.args, **kwargs: P.kwargs) -> Masked:
            seed = _seed(function.__name__, kwargs)
            if not isinstance(data, Microdata):
                raise SchemaError(
                    f"mask.{function.__name__} was given {type(data).__name__}; expected Microdata "
                    "(verikit.read makes it from a file or a frame)."
                )
            if not len(data):
                raise SchemaError("The table has no records, so there is nothing to mask.")
            order = _canonical(data, kwargs)
            kwargs.update({n: v.take(order) for n, v in kwargs.items() if isinstance(v, BY_RECORD)})
            release, key = function(data.take(order), *args, **kwargs)
            return Masked(release, replace(key.take(np.argsort(order)), seed=seed))

        METHODS[function.__name__] = Method(function.__name__, mask, paper, dict(example))
        return cast("Callable[Concatenate[Microdata, P], Masked]", mask)

    return register


def _seed(name: str, kwargs: Mapping[str, Any]) -> int:
    if "seed" not in kwargs:
        raise TypeError(f"{name}() needs the keyword seed, a whole number that you keep secret")
    return checked_seed(kwargs["seed"])


def _canonical(data: Microdata, kwargs: Mapping[str, Any]) -> np.ndarray[Any, np.dtype[np.intp]]:
    labels = [v.labels for v in kwargs.values() if isinstance(v, BY_RECORD)]
    for found in labels:
        if len(found) != len(data):
            raise SchemaError(
                f"The partition has {len(found)} records and the table {len(data)}; make the "
                "partition, or the search, from this table."
            )
    return data.canonical_order(*labels)


def publish(
    data: Microdata,
    columns: Mapping[str, Any],
    *,
    method: str,
    parameters: Mapping[str, Any],
    rng: np.random.Generator,
    permutation: bool = False,
) -> Masked:
    """Put masked columns in place of the original ones, shuffle the rows, drop identifiers."""
    schema = data.schema.released
    places = rng.permutation(len(data))
    frame = pd.DataFrame({name: columns.get(name, data.frame[name].array) for name in schema.names})
    release = TableRelease(frame.take(np.argsort(places)), schema, method, parameters, permutation)
    return Masked(release, Key(places))


def numeric_columns(data: Microdata, method: str) -> list[Column]:
    """The columns a numeric mask works on; others that could identify are refused by name."""
    columns = _masked_columns(data, method)
    nominal = [c.name for c in columns if c.kind != "numeric"]
    if nominal:
        raise SchemaError(
            f"mask.{method} changes numbers only, but {listed(nominal)} hold categories; declare "
            "them 'identifier' to drop them, or 'other' to publish them as they are."
        )
    return columns


def ranked_columns(data: Microdata, method: str) -> list[Column]:
    """The columns a mask of ranks works on; categories without an order are refused by name."""
    columns = _masked_columns(data, method)
    unordered = [c.name for c in columns if not c.ranked]
    if unordered:
        raise SchemaError(
            f"mask.{method} moves values by rank, but {listed(unordered)} hold categories without "
            "an order; give them a hierarchy or an order, or declare them 'other' to publish them "
            "as they are."
        )
    return columns


def _masked_columns(data: Microdata, method: str) -> list[Column]:
    columns = [c for c in data.schema if c.role in ("quasi", "sensitive")]
    if not columns:
        raise SchemaError(f"mask.{method} found no quasi-identifying or sensitive column to mask.")
    for column in columns:
        missing = int(data.frame[column.name].isna().sum())
        if missing:
            raise SchemaError(
                f"Column {column.name!r} has {missing} missing values, which cannot be masked by "
                f"{method}; fill or remove them first."
            )
    return columns


def random_order(values: npt.NDArray[np.float64], rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """The places of the values from the smallest up, equal ones in random order."""
    order = np.argsort(values)
    ordered = values[order]
    if (ordered[1:] == ordered[:-1]).any():
        order = rng.permutation(len(values))
        order = order[np.argsort(values[order], kind="stable")]
    return order
