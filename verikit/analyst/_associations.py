"""Associations: which sensitive values go with which quasi-identifying ones in a release."""

from __future__ import annotations

import pandas as pd

from verikit._support.guard import guard
from verikit.errors import RecordError
from verikit.release import TableRelease
from verikit.table import Schema
from verikit.utility import itemsets, quasi_sensitive, threshold

__all__ = ["associations"]


@guard("The release or a threshold", RecordError)
def associations(
    release: TableRelease, *, support: float = 0.08, confidence: float = 0.15
) -> pd.DataFrame:
    """Find the rules from quasi-identifying to sensitive values, as the release shows them.

    Parameters
    ----------
    release
        What was published, in one table; a table itself is taken too.
    support
        The share of the records that must hold all values of a rule.
    confidence
        Of the records that hold its quasi-identifying values, the share that must hold the
        sensitive ones.

    Returns
    -------
    pandas.DataFrame
        One line a rule, the surest first: ``left`` and ``right`` as text, ``length`` (the number of
        values on the left), ``support``, ``confidence``, and ``lift``, the confidence over the
        share of the right side.

    Raises
    ------
    RecordError
        If a threshold is no share above 0.
    SchemaError
        If the release is not one table, has no record, or values are missing.
    FormatError
        If mlxtend is not installed.

    Notes
    -----
    Frequent sets are found by mlxtend among the values that are frequent themselves.
    Where values were changed, supports and confidences are those of the changed table.

    References
    ----------
    [YQ]_ Definition 11, section 5.1

    Examples
    --------
    Three of four clerks have hypertension.

    >>> import verikit as vk
    >>> found = associations(vk.load("yq_figure1"), support=0.3, confidence=0.6)
    >>> found[["left", "right"]].iloc[0].tolist(), round(found["confidence"].iloc[0], 2)
    (['Job Clerk', 'Disease Hypertension'], np.float64(0.75))
    """
    least, sure = threshold(support, "support"), threshold(confidence, "confidence")
    sets = itemsets(release, least)
    schema = release.schema
    sensitive = frozenset(column.name for column in release.schema.sensitive)
    lines = [
        (_said(left, schema), _said(right, schema), len(left), share, trust, trust / sets[right])
        for (left, right), (share, trust) in quasi_sensitive(sets, sensitive, sure).items()
    ]
    names = ["left", "right", "length", "support", "confidence", "lift"]
    frame = pd.DataFrame(lines, columns=names)
    order = ["confidence", "support", "left", "right"]
    return frame.sort_values(order, ascending=[False, False, True, True], ignore_index=True)


def _said(items: frozenset[tuple[str, str]], schema: Schema) -> str:
    return ", ".join(f"{name} {schema[name].shown(value)}" for name, value in sorted(items))
