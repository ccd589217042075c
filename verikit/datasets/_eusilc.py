"""A reader of the synthetic persons of EU-SILC in Austria: households, incomes, many gaps."""

from __future__ import annotations

from pathlib import Path

from verikit.datasets._files import columns_of, found_file, read_columns, table_of
from verikit.table import Microdata

__all__ = ["eusilc"]

NAMES = (
    "db030", "hsize", "db040", "rb030", "age", "rb090", "pl030", "pb220a", "py010n", "py050n",
    "py090n", "py100n", "py110n", "py120n", "py130n", "py140n", "hy040n", "hy050n", "hy070n",
    "hy080n", "hy090n", "hy110n", "hy130n", "hy145n", "eqSS", "eqIncome", "db090", "rb050",
)  # fmt: skip
NOMINAL = ("db030", "db040", "rb030", "rb090", "pl030", "pb220a")


def eusilc(path: str | Path) -> Microdata:
    """Read the synthetic EU-SILC: 14,827 persons in 6,000 households, none of them real.

    Household size, region, age, sex, economic status and citizenship are what others may know;
    the equivalized income is sensitive; the numbers of household and person identify; all other
    incomes and the weights have the role ``other``.

    Parameters
    ----------
    path
        ``eusilc.csv``, compressed or not, or the folder that holds it.

    Returns
    -------
    Microdata
        The records. What is missing in the file, such as the own incomes of children, is missing.

    Raises
    ------
    FormatError
        If the file is not there or not what it should be.

    Notes
    -----
    Source: the R package laeken, ``data(eusilc)``, written by ``write.csv`` (GPL-2 or later).

    Examples
    --------
    >>> eusilc("no/such/folder")
    Traceback (most recent call last):
    verikit.errors.FormatError: 'no/such/folder' does not exist; give the file eusilc.csv or its
    folder.
    """
    file = found_file(path, "eusilc.csv")
    frame = read_columns(file, NAMES, na_values=["NA"])
    numeric = [name for name in NAMES if name not in NOMINAL]
    quasi = ("hsize", "db040", "age", "rb090", "pl030", "pb220a")
    return table_of(frame, columns_of(NAMES, numeric, quasi, ("eqIncome",), ("db030", "rb030")))
