"""Homogeneity: a class whose records share one sensitive value gives it away."""

from __future__ import annotations

from verikit._support import requests
from verikit.alike import People, Table
from verikit.intruder._disclosure import Disclosure, frequent_in, sight

__all__ = ["homogeneity"]


def homogeneity(
    release: Table,
    people: People | None = None,
    *,
    least: float = 1,
    sensitive: str | None = None,
) -> Disclosure:
    """Find the classes in which everyone, or nearly everyone, has the same sensitive value.

    The attacker knows that his targets are in the table, and their quasi-identifiers.

    Parameters
    ----------
    release
        What was published.
    people
        The quasi-identifiers of the targets, a table of people or one record; None looks at every
        class, as if everybody's were known.
    least
        From which confidence on a value counts as given away: 1 asks for certainty, less for
        probable inference.
    sensitive
        The sensitive column; the one with that role where there is just one.

    Returns
    -------
    Disclosure
        The classes or people whose most frequent value reaches ``least``; its share among the
        records that fit as confidence, and its share of the whole table before.

    Raises
    ------
    SchemaError, RecordError
        If the table cannot be measured, or the people or ``least`` cannot be used.

    References
    ----------
    [KS]_ sections 3.4 and 4.1, Table 4

    Notes
    -----
    Where cells overlap, people may fit classes with other cells than those of their own row. Asked
    for certainty, only classes are named of which it is true whatever the values of their people
    are; asked for less, the share is that of the class alone, and ``people`` tells what others add.

    The survey counts three single persons where its table has four, and writes 70 % for eight of
    ten; both are read as the tables have them.

    Examples
    --------
    >>> import verikit as vk
    >>> homogeneity(vk.published("ks_table4"))
    homogeneity: Crime is given away with certainty for 4 of 11 records, first Theft for Marital
    Status Single, DOB 20**, Zip 19552.
    """
    asked = requests.share(least, "least")
    view = sight(release, people, sensitive)
    return frequent_in("homogeneity", view, view.holdings, asked)
