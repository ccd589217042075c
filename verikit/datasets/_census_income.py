"""A reader of the Census-Income (KDD) data set: 299,285 persons of two surveys."""

from __future__ import annotations

from pathlib import Path

from verikit.datasets._files import columns_of, found_file, read_columns, table_of
from verikit.errors import FormatError, quoted
from verikit.table import Microdata

__all__ = ["census_income"]

NAMES = (
    "age", "class of worker", "industry code", "occupation code", "education", "wage per hour",
    "enrolled last week", "marital status", "major industry", "major occupation", "race",
    "hispanic origin", "sex", "member of a union", "reason for unemployment", "employment",
    "capital gains", "capital losses", "dividends", "tax filer", "previous region",
    "previous state", "household and family", "household summary", "weight", "migration in msa",
    "migration in region", "move within region", "same house a year ago", "from sunbelt",
    "persons worked for employer", "family members under 18", "birth country of father",
    "birth country of mother", "birth country", "citizenship", "own business",
    "questionnaire for veterans", "veterans benefits", "weeks worked", "year", "income",
)  # fmt: skip
NUMERIC = (
    "age", "wage per hour", "capital gains", "capital losses", "dividends", "weight",
    "persons worked for employer", "weeks worked",
)  # fmt: skip
QUASI = ("age", "sex", "race", "marital status", "education", "class of worker", "birth country")
CLASSES = {"- 50000.", "50000+."}


def census_income(path: str | Path) -> Microdata:
    """Read the Census-Income (KDD) data set of the UCI repository from one of its files.

    Age, sex, race, marital status, education, class of worker and country of birth are
    quasi-identifiers; the detailed occupation and the income class are sensitive; the other 33
    columns have the role ``other``.

    Parameters
    ----------
    path
        ``census-income.data`` or ``census-income.test``, compressed or not, or a folder that
        holds the first: 199,523 and 99,762 persons.

    Returns
    -------
    Microdata
        The records. What the file marks by ``?`` is missing; "Not in universe" is a category.

    Raises
    ------
    FormatError
        If the file is not there or not what it should be.

    Notes
    -----
    Source: the Current Population Surveys of 1994 and 1995 of the US Census Bureau, by way of the
    UCI repository, which says CC BY 4.0. The file has no names; these are short forms of those in
    ``census-income.names``. ``NA`` is a category of the Hispanic origin and no missing value.

    Examples
    --------
    >>> census_income("no/such/folder")
    Traceback (most recent call last):
    verikit.errors.FormatError: 'no/such/folder' does not exist; give the file census-income.data
    or its folder.
    """
    file = found_file(path, "census-income.data")
    frame = read_columns(
        file, NAMES, header=None, names=list(NAMES), index_col=False, skipinitialspace=True,
        na_values=["?"],
    )  # fmt: skip
    if not set(frame["income"].unique()) <= CLASSES:
        raise FormatError(
            f"{quoted(file.name)} has other classes of income in its last column, so it is not the "
            "Census-Income data set; expected 42 values a line, the last '- 50000.' or '50000+.'."
        )
    return table_of(frame, columns_of(NAMES, NUMERIC, QUASI, ("occupation code", "income")))
