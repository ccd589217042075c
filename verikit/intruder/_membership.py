"""Membership: whether a person can be told to be in a masked table at all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verikit._support.arrays import Ints
from verikit.intruder._baseline import Baseline
from verikit.intruder._located import located
from verikit.release import TableRelease
from verikit.table import Microdata

__all__ = ["membership"]


def membership(
    data: Microdata,
    release: TableRelease,
    *,
    control: Microdata,
    attributes: Sequence[str] | None = None,
) -> Baseline:
    """Tell people of a masked table from others by how close they lie to it.

    Of all people asked, as many as are in the table are said to be in it: those who lie closest
    to one of its rows, and whoever lies as close as the last of them.

    Parameters
    ----------
    data, release
        People of the table, and the table.
    control
        People of the same population who are not in it.
    attributes
        What to go by; by default all attributes with an order that all of them hold.

    Returns
    -------
    Baseline
        The share of both who are said to be in the table. The naive guess says so of as many, by
        lot.

    Raises
    ------
    SchemaError
        If the tables share no such attribute, there are no people, or values are missing.
    RecordError
        If an attribute is unknown.

    References
    ----------
    [DM]_ Algorithm 3, for the distance of a person to a table

    M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnádi: A Unified Framework for Quantifying Privacy
    Risk in Synthetic Data. Proceedings on Privacy Enhancing Technologies 2023(2), for the attack
    beside its control and a naive guess

    Notes
    -----
    A baseline: whoever repeats the method of a release tells more. It says nothing of one person.
    O(n log n) an attribute, and one search in a k-d tree for each person.

    Examples
    --------
    Published as it is, a table holds everybody in it at no distance at all.

    >>> import verikit as vk
    >>> some, others = (vk.simulate("dm", 300, seed=seed) for seed in (1, 2))
    >>> found = membership(some, vk.TableRelease.of(some.frame), control=others)
    >>> found.found, found.control, found.more_than_control
    (1.0, 0.0, True)
    """
    table = located((data, release, control), attributes, "membership")
    inside = table.distances(data, "original")
    outside = table.distances(control, "control")
    limit = np.sort(np.concatenate([inside, outside]))[len(inside) - 1]
    said, wrongly = int((inside <= limit).sum()), int((outside <= limit).sum())
    return Baseline(
        "membership",
        "",
        people=len(inside),
        others=len(outside),
        found=said / len(inside),
        control=wrongly / len(outside),
        naive=(said + wrongly) / (len(inside) + len(outside)),
        pairs=_closer(inside, outside),
    )


def _closer(inside: Ints, outside: Ints) -> float:
    """The share of pairs of which the one inside lies closer; equals count half."""
    ordered = np.sort(outside)
    farther = len(ordered) - np.searchsorted(ordered, inside, "right")
    as_far = np.searchsorted(ordered, inside, "right") - np.searchsorted(ordered, inside, "left")
    return float((farther + as_far / 2).mean() / len(ordered))
