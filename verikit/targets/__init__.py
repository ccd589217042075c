"""Target distributions on trees, and how values are generalized until they show one of them."""

from verikit.targets._distributions import normal, of_values, rounded, uniform, zipf
from verikit.targets._halves import balanced

__all__ = ["balanced", "normal", "of_values", "rounded", "uniform", "zipf"]
