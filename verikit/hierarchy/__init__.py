"""Trees over the values of a column: for generalization, target weights and order."""

from verikit.hierarchy._tree import Hierarchy
from verikit.hierarchy._tree import as_list as as_list
from verikit.hierarchy._tree import exact_weight as exact_weight

__all__ = ["Hierarchy"]
