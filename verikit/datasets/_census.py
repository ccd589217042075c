"""A census made up from the domains of Table 5, with attributes that hang together."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit._support.resources import data_path
from verikit.table import Column, Kind, Microdata, Role, Schema, read_frame

__all__ = ["census"]


# How strongly each attribute follows schooling, and stage of life.
LOADINGS = {
    "Age": (0.0, 0.9),
    "Gender": (0.1, 0.0),
    "Education": (0.8, -0.15),
    "Marital": (0.0, 0.75),
    "Race": (0.35, 0.0),
    "Work-class": (0.55, 0.2),
    "Country": (0.4, -0.1),
    "Occupation": (0.7, 0.1),
    "Salary-class": (0.7, 0.35),
}
FIRST = {"Age": 15, "Education": 0, "Country": 1}


def census(n: int, rng: np.random.Generator) -> Microdata:
    """Draw records; two hidden traits, schooling and stage of life, tie the attributes together.

    Each attribute is a normal variable with its loadings on the two traits, cut at the quantiles
    of its frequencies.
    """
    attributes = read_frame(data_path("lhcc_table5.csv"), ["attribute", "type"])
    traits = rng.normal(size=(2, n))
    columns: dict[str, object] = {}
    described = []
    for name, count in zip(attributes["attribute"], attributes["distinct_values"], strict=True):
        loads = np.array(LOADINGS[name])
        own = np.sqrt(1 - (loads**2).sum())
        codes = np.searchsorted(_cuts(name, int(count)), loads @ traits + own * rng.normal(size=n))
        columns[name], column = _column(name, codes, int(count))
        described.append(column)
    return Microdata(pd.DataFrame(columns), Schema(tuple(described)))


def _column(name: str, codes: Rows, count: int) -> tuple[object, Column]:
    if name in FIRST:
        return codes + FIRST[name], Column(name)
    role: Role = "sensitive" if name in ("Occupation", "Salary-class") else "quasi"
    names = tuple(f"{place:02d}" for place in range(1, count + 1))
    kind: Kind = "ordinal" if name == "Salary-class" else "nominal"
    return pd.Categorical.from_codes(codes, list(names)), Column(name, role, kind, order=names)


def _cuts(name: str, count: int) -> list[float]:
    """Where a standard normal variable passes from each value to the next."""
    shares = np.cumsum(frequencies(name, count))[:-1]
    return [NormalDist().inv_cdf(share) for share in shares.tolist()]


def frequencies(name: str, count: int) -> Floats:
    """How frequent the values of an attribute are.

    Examples
    --------
    >>> shares = frequencies("Occupation", 50)
    >>> round(float(shares.max()), 3), round(float(shares.min()), 3)
    (0.071, 0.009)
    """
    place = np.arange(count, dtype=np.float64)
    hill = {"Age": (24, 22), "Education": (9, 3), "Salary-class": (12, 13)}
    if name in hill:
        top, width = hill[name]
        weights = np.exp(-(((place - top) / width) ** 2)) + 0.02
    elif name == "Occupation":
        weights = ((7 * place + 3) % count + 4) ** -0.8
    elif name == "Country":
        weights = np.where(place == 0, 4.0, 1 / (place + 4) ** 1.2)
    else:
        weights = {"Gender": 0.9, "Marital": 0.6, "Race": 0.4, "Work-class": 0.6}[name] ** place
    return weights / weights.sum()
