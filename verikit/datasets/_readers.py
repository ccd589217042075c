"""Readers of real data sets, each from its own files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from verikit._support.requests import instance, one_of
from verikit.errors import FormatError, quoted
from verikit.hierarchy import Hierarchy
from verikit.table import Column, Microdata, Schema
from verikit.words import listed


def find_file(path: str | Path, *names: str) -> Path:
    """Find a file itself, or the first of some names, compressed or not, in a folder.

    Examples
    --------
    >>> find_file("no/such/folder", "PUMS.csv")
    Traceback (most recent call last):
    verikit.errors.FormatError: 'no/such/folder' does not exist; give the file PUMS.csv or its
    folder.
    """
    instance(path, (str, Path), "The reader", "a file or a folder")
    place = Path(path)
    offered = [place, *(place / f"{name}{end}" for name in names for end in ("", ".gz"))]
    file = next((offer for offer in offered if offer.is_file()), None)
    if file is None:
        wrong = f"holds no {names[0]}" if place.exists() else "does not exist"
        raise FormatError(f"{quoted(path)} {wrong}; give the file {names[0]} or its folder.")
    return file


def read_columns(file: Path, expected: Sequence[str], **options: Any) -> pd.DataFrame:
    """Read a text file into a frame, which must have the columns of its data set and no others."""
    frame = _read_csv(file, **options)
    if list(frame.columns) != list(expected) or not len(frame):
        raise FormatError(
            f"{quoted(file.name)} has {len(frame)} lines and {len(frame.columns)} columns that do "
            f"not all fit; expected the {len(expected)} columns of this data set, from "
            f"{quoted(expected[0])} to {quoted(expected[-1])}."
        )
    return frame


def _read_csv(file: Path, **options: Any) -> pd.DataFrame:
    try:
        return pd.read_csv(file, keep_default_na=False, **options)
    except (OSError, ValueError) as error:
        raise FormatError(f"{quoted(file.name)} cannot be read as a table: {error}.") from error


def make_table(
    frame: pd.DataFrame,
    numeric: Iterable[str],
    quasi: Iterable[str] = (),
    sensitive: Iterable[str] = (),
    identifier: Iterable[str] = (),
) -> Microdata:
    """Give columns their roles and kinds; what is named nowhere is nominal and ``other``."""
    roles = dict.fromkeys(frame, "other")
    for role, named in (("quasi", quasi), ("sensitive", sensitive), ("identifier", identifier)):
        roles |= dict.fromkeys(named, role)
    kinds = dict.fromkeys(frame, "nominal") | dict.fromkeys(numeric, "numeric")
    columns = [Column(name, roles[name], kinds[name]) for name in frame]  # type: ignore[arg-type]
    return Microdata(frame, Schema(tuple(columns)))


ADULT = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
    "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week",
    "native-country", "salary-class",
)  # fmt: skip
ADULT_QUASI = (
    "age", "workclass", "education", "marital-status", "occupation", "race", "sex",
    "native-country",
)  # fmt: skip
ADULT_NUMERIC = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")
ADULT_CLASSES = ("<=50K", ">50K")


def adult(
    path: str | Path, hierarchies: str | Path | None = None, *, complete: bool = True
) -> Microdata:
    """Read the Adult data set of the UCI repository from its own files.

    Eight columns are quasi-identifiers (age, work class, education, marital status, occupation,
    race, sex, country), the salary class is sensitive, the others have the role ``other``.

    Parameters
    ----------
    path
        ``adult.data`` or ``adult.test``, compressed or not, or a folder that holds the first.
    hierarchies
        A folder of files ``adult_hierarchy_<column>.csv``, one line a value, from the value to
        the root, separated by semicolons.
    complete
        Whether to leave out the records with an unknown value, as the papers do: 30,162 of the
        32,561 records of ``adult.data`` are complete. Otherwise unknown values are missing.

    Returns
    -------
    Microdata
        The records.

    Raises
    ------
    FormatError
        If a file is not there or not what it should be.

    Notes
    -----
    A column with the role ``other`` is published as it is, and some of these tell much: the
    weight ``fnlwgt`` is nearly unique, ``education-num`` repeats the education. Give them another
    role before publishing anything: ``data.schema.with_column("fnlwgt", role="identifier")``.

    References
    ----------
    [YQ]_ section 7.1

    Examples
    --------
    >>> adult("no/such/folder")
    Traceback (most recent call last):
    verikit.errors.FormatError: 'no/such/folder' does not exist; give the file adult.data or its
    folder.
    """
    file = find_file(path, "adult.data")
    how = {"header": None, "index_col": False, "skipinitialspace": True, "comment": "|"}
    frame = _read_csv(file, names=list(ADULT), na_values=["?"], **how)
    salaries = frame["salary-class"].astype(str).str.rstrip(".")
    odd = sorted(set(salaries) - set(ADULT_CLASSES))
    if odd or not len(frame):
        raise FormatError(
            f"{file.name!r} has {listed(odd) or 'nothing'} in its last column, so it is not the "
            f"Adult data set; expected {len(ADULT)} values a line, the last "
            f"{' or '.join(ADULT_CLASSES)}."
        )
    frame["salary-class"] = salaries
    frame = frame.dropna() if complete else frame
    data = make_table(frame, ADULT_NUMERIC, ADULT_QUASI, ("salary-class",))
    schema = data.schema
    if hierarchies is None:
        return data
    files = {name: Path(hierarchies) / f"adult_hierarchy_{name}.csv" for name in ADULT}
    trees = {name: Hierarchy.read_csv(file) for name, file in files.items() if file.is_file()}
    if not trees:
        raise FormatError(
            f"{str(hierarchies)!r} holds no hierarchy; expected files such as "
            "adult_hierarchy_age.csv."
        )
    for name, tree in trees.items():
        schema = schema.with_column(name, hierarchy=tree)
    return Microdata(data.frame, schema)


HOUSING = (
    "ID", "longitude", "latitude", "housing_median_age", "mean_rooms", "mean_bedrooms",
    "population", "households", "median_income", "median_house_value", "ocean_proximity",
)  # fmt: skip


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
    frame = read_columns(find_file(path, "cahousing.csv"), HOUSING, sep=";")
    return make_table(frame, HOUSING[1:10], HOUSING[3:10], identifier=("ID",))


CENSUS_INCOME = (
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
CENSUS_NUMERIC = (
    "age", "wage per hour", "capital gains", "capital losses", "dividends", "weight",
    "persons worked for employer", "weeks worked",
)  # fmt: skip
CENSUS_QUASI = (
    "age", "sex", "race", "marital status", "education", "class of worker", "birth country",
)  # fmt: skip
CENSUS_CLASSES = {"- 50000.", "50000+."}


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
    file = find_file(path, "census-income.data")
    frame = read_columns(
        file,
        CENSUS_INCOME,
        header=None,
        names=list(CENSUS_INCOME),
        index_col=False,
        skipinitialspace=True,
        na_values=["?"],
    )
    if not set(frame["income"].unique()) <= CENSUS_CLASSES:
        raise FormatError(
            f"{quoted(file.name)} has other classes of income in its last column, so it is not the "
            "Census-Income data set; expected 42 values a line, the last '- 50000.' or '50000+.'."
        )
    return make_table(frame, CENSUS_NUMERIC, CENSUS_QUASI, ("occupation code", "income"))


def acl(path: str | Path) -> pd.DataFrame:
    """Read who wrote which paper of the ACL Anthology: 387,368 pairs, authors as numbers.

    Parameters
    ----------
    path
        The folder with ``edges.csv`` and ``papers.csv``, compressed or not.

    Returns
    -------
    pandas.DataFrame
        One line a pair: ``author``, ``paper``, and of the paper ``year`` and ``venue``.

    Raises
    ------
    FormatError
        If a file is not there or not what it should be.

    Notes
    -----
    Source: acl-org/acl-anthology (Apache-2.0; the Anthology states CC BY-NC-SA 3.0 for papers
    before 2016 and CC BY 4.0 after). Names of authors were replaced by numbers. 717 papers have
    no author, and no line.

    Examples
    --------
    >>> acl("no/such/folder")
    Traceback (most recent call last):
    verikit.errors.FormatError: 'no/such/folder' does not exist; give the file edges.csv or its
    folder.
    """
    edges = read_columns(find_file(path, "edges.csv"), ("paper", "author"))
    names = ("paper", "anthology_id", "year", "venue")
    papers = read_columns(find_file(path, "papers.csv"), names)
    found = edges.merge(papers, on="paper", validate="many_to_one")
    return found[["author", "paper", "year", "venue"]]


def baskets(path: str | Path, name: str = "groceries") -> pd.DataFrame:
    """Read which customer bought which product.

    Parameters
    ----------
    path
        The folder with the pairs and the items, compressed or not.
    name
        ``groceries``: 9,835 baskets of 169 products, 43,367 pairs; or ``epub``: 15,729 sessions
        in which 936 documents were downloaded, 25,893 pairs.

    Returns
    -------
    pandas.DataFrame
        One line a pair: ``customer``, ``product``, and of groceries their ``group`` and, above
        it, ``department``.

    Raises
    ------
    FormatError
        If a file is not there or not what it should be.
    RecordError
        If there are no such baskets.

    Notes
    -----
    Source: Groceries and Epub of the R package arules (GPL-3), written as pairs.

    Examples
    --------
    >>> baskets("no/such/folder")
    Traceback (most recent call last):
    verikit.errors.FormatError: 'no/such/folder' does not exist; give the file groceries_edges.csv
    or its folder.
    """
    one_of(name, "name", ("groceries", "epub"))
    edges = read_columns(find_file(path, f"{name}_edges.csv"), ("transaction", "item"))
    levels = ("level2", "level1") if name == "groceries" else ()
    items = read_columns(find_file(path, f"{name}_items.csv"), ("item", "labels", *levels))
    found = edges.merge(items, on="item", validate="many_to_one").drop(columns="item")
    renamed = {"transaction": "customer", "labels": "product"}
    return found.rename(columns=renamed | {"level2": "group", "level1": "department"})


EUSILC = (
    "db030", "hsize", "db040", "rb030", "age", "rb090", "pl030", "pb220a", "py010n", "py050n",
    "py090n", "py100n", "py110n", "py120n", "py130n", "py140n", "hy040n", "hy050n", "hy070n",
    "hy080n", "hy090n", "hy110n", "hy130n", "hy145n", "eqSS", "eqIncome", "db090", "rb050",
)  # fmt: skip
EUSILC_NOMINAL = ("db030", "db040", "rb030", "rb090", "pl030", "pb220a")


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
    file = find_file(path, "eusilc.csv")
    frame = read_columns(file, EUSILC, na_values=["NA"])
    numeric = [name for name in EUSILC if name not in EUSILC_NOMINAL]
    quasi = ("hsize", "db040", "age", "rb090", "pl030", "pb220a")
    return make_table(frame, numeric, quasi, ("eqIncome",), ("db030", "rb030"))


PUMS = ("age", "sex", "educ", "race", "income", "married")


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
    frame = read_columns(find_file(path, "PUMS.csv"), PUMS)
    quasi = ("age", "sex", "educ", "race", "married")
    return make_table(frame, ("age", "educ", "income"), quasi, ("income",))
