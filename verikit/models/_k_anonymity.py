"""k-anonymity: everyone looks like at least k - 1 others."""

from __future__ import annotations

import numpy as np

from verikit._support.requests import whole
from verikit.alike import Classes, Holdings, Table, classes_of
from verikit.models._verdict import ModelVerdict, verdict
from verikit.table import Missing
from verikit.words import count

__all__ = ["k_anonymity"]


def k_anonymity(
    release: Table | Holdings, *, k: int | None = None, missing: Missing = "refuse"
) -> ModelVerdict:
    """Count the records that share all their quasi-identifiers; the smallest count is k.

    Parameters
    ----------
    release
        The table, masked or not.
    k
        How many records each class should hold at least; None only measures.
    missing
        What to do where a quasi-identifier is missing: ``"refuse"``, or let a missing value be a
        value of its own, as a reader of the table sees it.

    Returns
    -------
    ModelVerdict
        The size of the smallest class, of each class, and of the class of each record.

    Raises
    ------
    SchemaError
        If there is no record or no quasi-identifier, or values are missing.
    RecordError
        If k is no whole number from 1 up.

    Notes
    -----
    O(n) for n records, and a sort of the distinct classes.

    References
    ----------
    [KS]_ Definition 1, Table 1

    Examples
    --------
    >>> import verikit as vk
    >>> k_anonymity(vk.published("ks_table1"), k=3)
    k-anonymity: 3, 3 asked for, met. The smallest of 3 classes holds 3 records: Marital Status
    Married, DOB 198*, Zip 36363.
    """
    asked = None if k is None else whole(k, "k")
    classes = _classes(release, missing)
    sizes = classes.sizes
    worst = int(np.argmin(sizes))
    why = (
        f"The smallest of {count(len(classes), 'class', 'classes')} holds "
        f"{count(sizes[worst], 'record')}: {classes.name(worst)}."
    )
    met = None if asked is None else sizes >= asked
    return verdict("k-anonymity", classes, sizes, worst, why, (asked, met))


def _classes(release: Table | Holdings, missing: Missing) -> Classes:
    return release.classes if isinstance(release, Holdings) else classes_of(release, missing)
