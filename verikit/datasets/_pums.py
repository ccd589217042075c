"""A reader of a sample of the census of California: people with their incomes."""

from __future__ import annotations

from pathlib import Path

from verikit.datasets._files import columns_of, found_file, read_columns, table_of
from verikit.table import Microdata

__all__ = ["pums"]

NAMES = ("age", "sex", "educ", "race", "income", "married")


def pums(path: str | Path) -> Microdata:
    """Read the sample of the public use microdata of California that SmartNoise ships.

    A thousand people with age, sex, education, race and marital status, which others may know,
    and their income, which is sensitive. Codes of sex, race and marital status are categories;
    education is a scale from 1 to 16.

    Parameters
    ----------
    path
        ``PUMS.csv``, compressed or not, or the folder that holds it.

    Returns
    -------
    Microdata
        The records.

    Raises
    ------
    FormatError
        If the file is not there or not what it should be.

    Notes
    -----
    Source: microdata of the US Census Bureau, as ``datasets/PUMS.csv`` of opendp/smartnoise-sdk
    (repository under the MIT licence). Nothing is missing.

    Examples
    --------
    >>> pums("no/such/folder")
    Traceback (most recent call last):
    verikit.errors.FormatError: 'no/such/folder' does not exist; give the file PUMS.csv or its
    folder.
    """
    frame = read_columns(found_file(path, "PUMS.csv"), NAMES)
    quasi = ("age", "sex", "educ", "race", "married")
    return table_of(frame, columns_of(NAMES, ("age", "educ", "income"), quasi, ("income",)))
