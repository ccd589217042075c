"""Readers of real data sets, each from its own files."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from verikit._support.requests import instance, one_of
from verikit.errors import FormatError, quoted
from verikit.hierarchy import Hierarchy
from verikit.table import Column, Microdata, Role, Schema, read_frame
from verikit.words import listed

ROLES: tuple[Role, ...] = ("quasi", "sensitive", "identifier")


def find_file(path: str | Path, name: str) -> Path:
    """Find a file itself, or one of some name, compressed or not, in a folder.

    Examples
    --------
    >>> find_file("no/such/folder", "PUMS.csv")
    Traceback (most recent call last):
    verikit.errors.FormatError: 'no/such/folder' does not exist; give the file PUMS.csv or its
    folder.
    """
    instance(path, (str, Path), "The reader", "a file or a folder")
    place = Path(path)
    offered = (place, place / name, place / f"{name}.gz")
    file = next(filter(Path.is_file, offered), None)
    if file is None:
        wrong = f"holds no {name}" if place.exists() else "does not exist"
        raise FormatError(f"{quoted(path)} {wrong}; give the file {name} or its folder.")
    return file


@cache
def _describe_sets() -> dict[str, Any]:
    """Describe each data set: its file, its columns, their roles, and how the file is written."""
    return tomllib.loads(Path(__file__).with_name("sets.toml").read_text(encoding="utf-8"))


def read_columns(path: str | Path, name: str) -> pd.DataFrame:
    """Read the file of a data set, which must have its columns and no others."""
    about = _describe_sets()[name]
    file, names = find_file(path, about["file"]), about["columns"]
    how = {"names": names, "header": None, "sep": ",", "comment": "|"} if "classes" in about else {}
    words = [one for one in names if one not in about.get("numeric", names)]
    frame = read_frame(file, words, missing=about.get("missing", ()), **how)
    odd = sorted({*frame.iloc[:, -1].astype(str)} - {*about["classes"]}) if how else []
    if list(frame.columns) != names or not len(frame) or odd:
        last = f" and {listed(odd)} in the last" if odd else ""
        raise FormatError(
            f"{quoted(file.name)} has {len(frame)} lines and {len(frame.columns)} columns that do "
            f"not all fit{last}; expected the {len(names)} columns of this data set, from "
            f"{quoted(names[0])} to {quoted(names[-1])}."
        )
    return frame


def make_table(frame: pd.DataFrame, name: str) -> Microdata:
    """Give the columns of a data set their roles and kinds; the others are ``other``."""
    about = _describe_sets()[name]
    roles = {one: role for role in ROLES for one in about.get(role, ())}
    columns = [
        Column(one, roles.get(one, "other"), "numeric" if one in about["numeric"] else "nominal")
        for one in about["columns"]
    ]
    return Microdata(frame, Schema(tuple(columns)))


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
    frame = read_columns(path, "adult")
    frame["salary-class"] = frame["salary-class"].str.rstrip(".")
    data = make_table(frame.dropna() if complete else frame, "adult")
    if hierarchies is None:
        return data
    files = {name: Path(hierarchies) / f"adult_hierarchy_{name}.csv" for name in frame}
    trees = {name: Hierarchy.read_csv(file) for name, file in files.items() if file.is_file()}
    if not trees:
        raise FormatError(
            f"{str(hierarchies)!r} holds no hierarchy; expected files such as "
            "adult_hierarchy_age.csv."
        )
    schema = data.schema
    for name, tree in trees.items():
        schema = schema.with_column(name, hierarchy=tree)
    return Microdata(data.frame, schema)


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
    return make_table(read_columns(path, "cahousing"), "cahousing")


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
    return make_table(read_columns(path, "census_income"), "census_income")


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
    edges, papers = read_columns(path, "acl_edges"), read_columns(path, "acl_papers")
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
    edges, items = read_columns(path, f"{name}_edges"), read_columns(path, f"{name}_items")
    found = edges.merge(items, on="item", validate="many_to_one").drop(columns="item")
    renamed = {"transaction": "customer", "labels": "product"}
    return found.rename(columns=renamed | {"level2": "group", "level1": "department"})


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
    return make_table(read_columns(path, "eusilc"), "eusilc")


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
    return make_table(read_columns(path, "pums"), "pums")
