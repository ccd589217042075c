"""A reader of the California housing table: eight columns of numbers, many of them tied."""

from __future__ import annotations

from pathlib import Path

from verikit.datasets._files import columns_of, found_file, read_columns, table_of
from verikit.table import Microdata

__all__ = ["cahousing"]

NAMES = (
    "ID", "longitude", "latitude", "housing_median_age", "mean_rooms", "mean_bedrooms",
    "population", "households", "median_income", "median_house_value", "ocean_proximity",
)  # fmt: skip
QUASI = NAMES[3:10]


def cahousing(path: str | Path) -> Microdata:
    """Read the California housing table: 20,640 blocks of houses, not people.

    It serves as a table of numbers of which many are equal. The place, the number and the
    nearness to the ocean have the role ``other`` or ``identifier``; the rest is quasi-identifying.

    Parameters
    ----------
    path
        ``cahousing.csv``, compressed or not, or the folder that holds it.

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
    Source: Pace and Barry 1997 in StatLib, as ``data/cahousing/cahousing.csv`` of
    kaylode/k-anonymity (repository under the MIT licence; that of the data is not stated).
    Nothing is missing.

    Examples
    --------
    >>> cahousing("no/such/folder")
    Traceback (most recent call last):
    verikit.errors.FormatError: 'no/such/folder' does not exist; give the file cahousing.csv or
    its folder.
    """
    frame = read_columns(found_file(path, "cahousing.csv"), NAMES, sep=";")
    return table_of(frame, columns_of(NAMES, NAMES[1:10], QUASI, identifier=("ID",)))
