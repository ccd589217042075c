"""t-closeness: everyone's class resembles the whole table in its sensitive values."""

from __future__ import annotations

import numpy as np

from verikit._support.requests import one_of, within
from verikit.alike import Holdings, Table, holdings_of
from verikit.models._ground import GROUNDS, Ground, reading
from verikit.models._verdict import ModelVerdict, verdict
from verikit.table import Missing

__all__ = ["t_closeness"]


def t_closeness(
    release: Table | Holdings,
    *,
    t: float | None = None,
    ground: Ground = "equal",
    sensitive: str | None = None,
    missing: Missing = "refuse",
) -> ModelVerdict:
    """Measure how far the sensitive values of each class are from those of the whole table.

    The distance is the earth mover's: the least work of turning one distribution into the other,
    where moving a share costs the share times the ground distance between the two values.

    Parameters
    ----------
    release
        The table, masked or not.
    t
        How far each class may be at most, from 0 (alike) to 1; None only measures.
    ground
        How far two values are from each other: ``"equal"`` all alike; ``"ordered"`` by steps in
        the order of numbers or ordinal categories; ``"hierarchical"`` by the level of the lowest
        group they share.
    sensitive
        The sensitive column; the one with that role where there is just one.
    missing
        ``"refuse"`` missing values, or let each be a value of its own (with equal distances only).

    Returns
    -------
    ModelVerdict
        The largest distance, that of each class, and for each record.

    Raises
    ------
    SchemaError
        If there is no record, no quasi-identifier or no sensitive column, if the sensitive column
        is itself a quasi-identifier, if values are missing, or if the column has not the order or
        the hierarchy that the ground distance needs.
    RecordError
        If t is not a share from 0 to 1, or there is no such ground distance.

    Notes
    -----
    The survey leaves the ground distance open; these are the three of the authors it cites. The
    steps of an order are those of its declared categories, or of the distinct numbers in the
    table. The levels of a hierarchy are those of its rows: where branches are of different length,
    `Hierarchy.of` fills short ones up at the value, so two values whose group lies one below the
    root of a tree of height 3 are 2/3 apart, where counting from the bottom of their own branch
    gives 1/3; rows that repeat the group (``["a", "group", "group", "any"]``) are read so. The
    result says which. One sparse pass over the pairs of class and value that occur.

    References
    ----------
    [KS]_ Definition 3

    Examples
    --------
    >>> import verikit as vk
    >>> t_closeness(vk.published("ks_table6"), t=0.5).per_class.round(4).tolist()
    [0.6364, 0.5455, 0.6364]
    >>> t_closeness(vk.published("ks_table6"), ground="hierarchical").per_class.round(4).tolist()
    [0.5152, 0.5455, 0.5909]
    """
    asked = None if t is None else within(t, "t", 0, 1)
    one_of(ground, "ground", tuple(GROUNDS))
    holdings = holdings_of(release, sensitive, missing)
    classes = holdings.classes
    distance = GROUNDS[ground](holdings)
    worst = int(np.argmax(distance))
    why = (
        f"The class {classes.name(worst)} is at a distance of {distance[worst]:.2f} from the whole "
        f"table in {holdings.column.name}{reading(holdings, ground)}; it holds "
        f"{holdings.told(worst)}."
    )
    met = None if asked is None else distance <= asked
    return verdict("t-closeness", classes, distance, worst, why, (asked, met))
