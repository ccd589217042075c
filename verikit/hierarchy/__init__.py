"""Trees over the values of a column: for generalization, target weights and order."""

from verikit.hierarchy._levels import exact as exact
from verikit.hierarchy._levels import exact_weight as exact_weight
from verikit.hierarchy._levels import several as several
from verikit.hierarchy._tree import Hierarchy

__all__ = ["Hierarchy"]
