"""Trees over the values of a column: for generalization, target weights and order."""

from verikit.hierarchy._tree import Hierarchy

__all__ = ["Hierarchy"]
