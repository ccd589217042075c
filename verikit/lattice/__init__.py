"""Generalizing whole columns: the lattice of levels and the searches through it."""

from verikit.lattice._k_optimize import k_optimize
from verikit.lattice._lattice import Coded as Coded
from verikit.lattice._lattice import ColumnLevels as ColumnLevels
from verikit.lattice._lattice import Lattice
from verikit.lattice._lattice import Node as Node
from verikit.lattice._lattice import column_levels as column_levels
from verikit.lattice._lattice import combine_codes as combine_codes
from verikit.lattice._lattice import number_densely as number_densely
from verikit.lattice._searches import VERDICTS as VERDICTS
from verikit.lattice._searches import (
    Classified,
    Search,
    Step,
    classify,
    datafly,
    incognito,
    samarati,
)
from verikit.lattice._searches import describe_node as describe_node

__all__ = [
    "Classified", "Lattice", "Search", "Step", "classify", "datafly", "incognito", "k_optimize",
    "samarati",
]  # fmt: skip
