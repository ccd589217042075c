"""Trees over the values of a column: for generalization, target weights and order."""

from verikit.hierarchy._tree import Hierarchy
from verikit.hierarchy._tree import as_list as as_list
from verikit.hierarchy._tree import exact_fraction as exact_fraction
from verikit.hierarchy._tree import exact_weight as exact_weight
from verikit.hierarchy._tree import name_keys as name_keys

__all__ = ["Hierarchy"]
