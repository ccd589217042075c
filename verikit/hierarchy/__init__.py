"""Trees over the values of a column: for generalization, target weights and order."""

from verikit.hierarchy._levels import as_list as as_list
from verikit.hierarchy._levels import exact_fraction as exact_fraction
from verikit.hierarchy._levels import exact_weight as exact_weight
from verikit.hierarchy._tree import Hierarchy

__all__ = ["Hierarchy"]
