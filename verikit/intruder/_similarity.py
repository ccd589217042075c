"""Similarity: a class whose sensitive values differ and yet are of one kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from verikit._support import requests
from verikit._support.arrays import Ints
from verikit.alike import Holdings, People, Table
from verikit.errors import SchemaError
from verikit.intruder._disclosure import Disclosure, frequent_in, sight
from verikit.words import listed, text

__all__ = ["similarity"]


def similarity(
    release: Table,
    people: People | None = None,
    *,
    kinds: Mapping[Any, str] | None = None,
    least: float = 1,
    sensitive: str | None = None,
) -> Disclosure:
    """Find the classes whose sensitive values are of one kind, though not all the same.

    The attacker knows his targets' quasi-identifiers, and which values are alike.

    Parameters
    ----------
    release
        What was published.
    people
        The quasi-identifiers of the targets, a table of people or one record; None looks at every
        class.
    kinds
        The kind of each value; None takes the groups right above the values in the hierarchy of
        the sensitive column. For numbers give each value its range.
    least
        From which share of one kind on it counts as given away.
    sensitive
        The sensitive column; the one with that role where there is just one.

    Returns
    -------
    Disclosure
        The classes or people of whose records one kind has at least the share ``least``: the kind,
        its share as confidence, and its share of the whole table before.

    Raises
    ------
    SchemaError, RecordError
        If the table cannot be measured, the people or ``least`` cannot be used, or a value has no
        kind.

    References
    ----------
    [KS]_ section 5.3, Table 6

    Examples
    --------
    >>> import verikit as vk
    >>> similarity(vk.published("ks_table6"))
    similarity: The kind of Disease is given away with certainty for 4 of 11 records, first
    neurological for Marital Status Single, DOB 20**, Zip 19552.
    """
    asked = requests.share(least, "least")
    view = sight(release, people, sensitive)
    alike = view.holdings.merged(*_kinds(view.holdings, kinds))
    differ = np.bincount(view.holdings.owner, minlength=len(alike.classes)) > 1
    return frequent_in("similarity", view, alike, asked, differ)


def _kinds(holdings: Holdings, kinds: Mapping[Any, str] | None) -> tuple[Ints, pd.Index[Any]]:
    """The kind of each value as a place in the list of kinds, and that list."""
    names, tree = holdings.named(range(len(holdings.values))), holdings.column.hierarchy
    if kinds is not None:
        told = requests.instance(kinds, Mapping, "similarity", "kinds such as {'flu': 'lungs'}")
        known = {text(value): text(kind) for value, kind in told.items()}
    elif tree is not None:
        known = {name: tree.parent(name) or name for name in names if name in tree.nodes}
    else:
        raise SchemaError(
            f"Column {holdings.column.name!r} has no hierarchy that tells which values are alike; "
            "give it one, or give kinds={'value': 'kind', ...}."
        )
    there = holdings.values.notna() & (holdings.overall > 0)
    bad = [name for name, held in zip(names, there, strict=True) if held and name not in known]
    if bad:
        raise SchemaError(
            f"{listed(bad)} in column {holdings.column.name!r} is of no kind; give every value one."
        )
    codes, found = pd.factorize(np.array([known.get(n) for n in names], dtype=object), sort=True)
    codes = np.where(codes < 0, len(found), codes)
    return codes.astype(np.int64), pd.Index([*found, None], dtype=object)
