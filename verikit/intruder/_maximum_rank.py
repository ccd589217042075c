"""Linking by the largest distance in rank: the attack of the permutation paradigm."""

from __future__ import annotations

from verikit.intruder._compared import Compared
from verikit.intruder._links import Links
from verikit.ranks import all_matches

__all__ = ["maximum_rank"]


def maximum_rank(tables: Compared) -> Links:
    """Every released row whose largest distance in rank is smallest ([DM]_ section 5.1)."""
    found = all_matches(*tables.ranks)
    measure = found.distance.repeat(found.counts).astype(float)
    return Links("maximum_rank", tables, found.starts, found.rows, measure)
