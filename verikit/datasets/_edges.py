"""Readers of who has what: authors and their papers, customers and their products."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from verikit._support.requests import one_of
from verikit.datasets._files import found_file, read_columns

__all__ = ["acl", "baskets"]


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
    edges = read_columns(found_file(path, "edges.csv"), ("paper", "author"))
    names = ("paper", "anthology_id", "year", "venue")
    papers = read_columns(found_file(path, "papers.csv"), names)
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
    edges = read_columns(found_file(path, f"{name}_edges.csv"), ("transaction", "item"))
    levels = ("level2", "level1") if name == "groceries" else ()
    items = read_columns(found_file(path, f"{name}_items.csv"), ("item", "labels", *levels))
    found = edges.merge(items, on="item", validate="many_to_one").drop(columns="item")
    told = {"transaction": "customer", "labels": "product"}
    return found.rename(columns=told | {"level2": "group", "level1": "department"})
