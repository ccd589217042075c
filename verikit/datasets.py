"""The papers' tables, the papers' synthetic data, and readers of real data sets."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from verikit._read import read_frame
from verikit._resources import data_path
from verikit.errors import FormatError, InfeasibleError
from verikit.hierarchy import Hierarchy, listed
from verikit.release import TableRelease
from verikit.table import Column, Microdata, Schema, read

__all__ = ["available", "describe", "load", "published", "simulate"]


def available() -> tuple[str, ...]:
    """The names of all tables that ship with verikit.

    Examples
    --------
    >>> "dm_table1" in available()
    True
    """
    return tuple(sorted(path.stem for path in data_path("").glob("*.toml")))


@cache
def describe(name: str) -> Mapping[str, Any]:
    """What is known about a shipped table: title, paper, item, columns, corrections.

    Examples
    --------
    >>> describe("dm_table1")["item"]
    'Table 1'
    """
    if name not in available():
        raise FormatError(f"There is no table {name!r}; verikit has {listed(available(), 40)}.")
    with data_path(f"{name}.toml").open("rb") as file:
        return tomllib.load(file)


def load(name: str) -> Microdata:
    """A table of one of the papers, as printed.

    Examples
    --------
    >>> load("dm_table1").record(2)
    {'X1': 100.87, 'X2': 902.21, 'X3': 5108.54}
    """
    schema = _schema(describe(name))
    return read(data_path(f"{name}.csv"), schema)


def published(name: str) -> TableRelease:
    """A table that a paper prints as a release, with its method and parameters.

    Identifiers, which a paper may print starred out, are left away.

    Examples
    --------
    >>> published("dm_table1_masked").parameters["scale"]
    {'X1': 5, 'X2': 25, 'X3': 100}
    """
    facts = describe(name).get("release")
    if facts is None:
        raise FormatError(
            f"{name!r} is no release but an original or a result; load({name!r}) gives it."
        )
    schema = _schema(describe(name))
    frame = read_frame(data_path(f"{name}.csv"), schema.textual)
    return TableRelease(
        frame[list(schema.released.names)],
        schema.released,
        facts["method"],
        facts.get("parameters", {}),
        facts.get("permutation", False),
    )


def _schema(description: Mapping[str, Any]) -> Schema:
    return Schema(
        tuple(
            Column(
                part["name"],
                part["role"],
                part["kind"],
                Hierarchy.of(part["hierarchy"]) if "hierarchy" in part else None,
                tuple(part["order"]) if "order" in part else None,
                part.get("unit", ""),
                part.get("label", ""),
            )
            for part in description["columns"]
        )
    )


def simulate(name: str, n: int, *, seed: int) -> Microdata:
    """Synthetic data as a paper made them, of any size.

    Parameters
    ----------
    name
        ``"dm"``: three independent normal attributes, N(100, 10²), N(1000, 50²), N(5000, 200²).
    n
        The number of records.
    seed
        The randomness.

    Raises
    ------
    FormatError
        If there is no such simulator.
    InfeasibleError
        If no record is asked for.

    References
    ----------
    [DM]_ sections 2 and 5.2

    Examples
    --------
    >>> simulate("dm", 1000, seed=1)
    Microdata(1000 records of X1, X2, X3)
    """
    if name not in SIMULATORS:
        raise FormatError(f"There is no simulator {name!r}; verikit has {listed(SIMULATORS)}.")
    if n < 1:
        raise InfeasibleError(f"{n} records were asked for; at least 1 can be made.")
    return SIMULATORS[name](int(n), np.random.default_rng(seed))


def _dm(n: int, rng: np.random.Generator) -> Microdata:
    settings = read_frame(data_path("dm_generation.csv"))
    columns = {
        str(row.attribute): rng.normal(float(row.mean), float(row.sd), n)
        for row in settings.itertuples()
    }
    return Microdata(pd.DataFrame(columns))


SIMULATORS: Mapping[str, Callable[[int, np.random.Generator], Microdata]] = {"dm": _dm}
