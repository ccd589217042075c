"""Target distributions on trees, and how values are generalized until they show one of them."""

from verikit.targets._distributions import normal, of_values, rounded, uniform, zipf
from verikit.targets._edges import edges, on_edges
from verikit.targets._fewest import allocation
from verikit.targets._halves import balanced
from verikit.targets._looks import costs_of_fakes, walk
from verikit.targets._tolerance import Tolerance

__all__ = [
    "Tolerance",
    "allocation",
    "balanced",
    "costs_of_fakes",
    "edges",
    "normal",
    "of_values",
    "on_edges",
    "rounded",
    "uniform",
    "walk",
    "zipf",
]
