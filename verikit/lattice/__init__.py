"""Generalizing whole columns: the lattice of levels and the searches through it."""

from verikit.lattice._classify import Classified, classify
from verikit.lattice._datafly import datafly
from verikit.lattice._incognito import incognito
from verikit.lattice._k_optimize import k_optimize
from verikit.lattice._lattice import Lattice
from verikit.lattice._lattice import Node as Node
from verikit.lattice._levels import ColumnLevels as ColumnLevels
from verikit.lattice._levels import column_levels as column_levels
from verikit.lattice._samarati import samarati
from verikit.lattice._search import VERDICTS as VERDICTS
from verikit.lattice._search import Search, Step
from verikit.lattice._search import at as at
from verikit.lattice._tally import Coded as Coded
from verikit.lattice._tally import dense as dense
from verikit.lattice._tally import joined as joined

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
