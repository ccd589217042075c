"""Generalizing whole columns: the lattice of levels and the searches through it."""

from verikit.lattice._classify import Classified, classify
from verikit.lattice._datafly import datafly
from verikit.lattice._incognito import incognito
from verikit.lattice._k_optimize import k_optimize
from verikit.lattice._lattice import Lattice
from verikit.lattice._samarati import samarati
from verikit.lattice._search import Search, Step

__all__ = [
    "Classified",
    "Lattice",
    "Search",
    "Step",
    "classify",
    "datafly",
    "incognito",
    "k_optimize",
    "samarati",
]
