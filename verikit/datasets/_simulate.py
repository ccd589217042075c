"""Tables of any size that are made up the way the papers make theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from verikit._support.guard import guard
from verikit._support.requests import whole
from verikit._support.resources import data_path
from verikit._support.seed import generator
from verikit.datasets._census import census
from verikit.errors import FormatError, quoted
from verikit.table import Microdata, read_frame
from verikit.words import listed

__all__ = ["SIMULATORS", "simulate"]

MOST = 10**8  # records: 2.4 GB of numbers


def simulate(name: str, n: int, *, seed: int) -> Microdata:
    """Synthetic data as a paper made them, of any size.

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
    size, drawn = whole(n, "n", 1, MOST), generator(seed)
    with guard(f"A table of {size:,} records"):
        return SIMULATORS[name](size, drawn)


def _dm(n: int, rng: np.random.Generator) -> Microdata:
    settings = read_frame(data_path("dm_generation.csv"))
    columns = {
        str(row.attribute): rng.normal(float(row.mean), float(row.sd), n)
        for row in settings.itertuples()
    }
    return Microdata(pd.DataFrame(columns))


SIMULATORS: Mapping[str, Callable[[int, np.random.Generator], Microdata]] = {
    "census": census,
    "dm": _dm,
}
