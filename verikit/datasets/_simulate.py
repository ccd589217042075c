"""Tables of any size that are made up the way the papers make theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import NormalDist

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats
from verikit._support.guard import guard
from verikit._support.requests import whole
from verikit._support.resources import data_path
from verikit._support.seed import generator
from verikit.errors import FormatError, quoted
from verikit.table import Column, Kind, Microdata, Role, Schema, read_frame
from verikit.words import listed

MAX_RECORDS = 10**8  # records: 2.4 GB of numbers


def simulate(name: str, n: int, *, seed: int) -> Microdata:
    """Simulate data as a paper made them, of any size.

    Parameters
    ----------
    name
        ``"dm"``: three independent normal attributes, N(100, 10²), N(1000, 50²), N(5000, 200²).
        ``"census"``: the nine attributes of LHCC's Table 5 with as many values each. Their extract
        was never published, so the rest is ours: schooling and stage of life tie the attributes
        together (age with marital status, education with occupation and salary, ...), one country
        has most people, and no occupation or salary class has more than 8 % of them. Occupation
        and salary class are sensitive.
    n
        The number of records.
    seed
        The randomness.

    Returns
    -------
    Microdata
        The made-up records.

    Raises
    ------
    FormatError
        If there is no such simulator, or not enough memory.
    RecordError
        If the number of records is no whole number from 1 to 100 million, or the seed none from 0
        up.

    References
    ----------
    [DM]_ sections 2 and 5.2; [LHCC]_ Table 5

    Examples
    --------
    >>> simulate("dm", 1000, seed=1)
    Microdata(1,000 records of X1, X2, X3)
    >>> simulate("census", 1000, seed=1).record(0)
    {'Age': 42, 'Gender': '02', 'Education': 10, 'Marital': '03', 'Race': '01',
    'Work-class': '02', 'Country': 34, 'Occupation': '22', 'Salary-class': '14'}
    """
    if name not in SIMULATORS:
        raise FormatError(
            f"There is no simulator {quoted(name)}; verikit has {listed(SIMULATORS)}."
        )
    size, rng = whole(n, "n", 1, MAX_RECORDS), generator(seed)
    with guard(f"A table of {size:,} records"):
        return SIMULATORS[name](size, rng)


def draw_normal(n: int, rng: np.random.Generator) -> Microdata:
    """Draw independent normal attributes, as the paper's running example has them."""
    settings = read_frame(data_path("dm_generation.csv"))
    columns = {
        str(row.attribute): rng.normal(float(row.mean), float(row.sd), n)
        for row in settings.itertuples()
    }
    return Microdata(pd.DataFrame(columns))


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
FIRST_VALUES = {"Age": 15, "Education": 0, "Country": 1}


def draw_census(n: int, rng: np.random.Generator) -> Microdata:
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
        shares = np.cumsum(find_frequencies(name, int(count)))[:-1]
        cuts = [NormalDist().inv_cdf(share) for share in shares.tolist()]
        codes = np.searchsorted(cuts, loads @ traits + own * rng.normal(size=n))
        if name in FIRST_VALUES:
            columns[name] = codes + FIRST_VALUES[name]
            described.append(Column(name))
            continue
        names = tuple(f"{place:02d}" for place in range(1, int(count) + 1))
        columns[name] = pd.Categorical.from_codes(codes, list(names))
        role: Role = "sensitive" if name in ("Occupation", "Salary-class") else "quasi"
        kind: Kind = "ordinal" if name == "Salary-class" else "nominal"
        described.append(Column(name, role, kind, order=names))
    return Microdata(pd.DataFrame(columns), Schema(tuple(described)))


def find_frequencies(name: str, count: int) -> Floats:
    """Find how frequent the values of an attribute are.

    Examples
    --------
    >>> shares = find_frequencies("Occupation", 50)
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


SIMULATORS: Mapping[str, Callable[[int, np.random.Generator], Microdata]] = {
    "census": draw_census,
    "dm": draw_normal,
}
