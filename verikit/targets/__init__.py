"""Target distributions on trees, and how values are generalized until they show one of them."""

from verikit.targets._believed import believed as believed
from verikit.targets._believed import shares_of as shares_of
from verikit.targets._distributions import checked as checked
from verikit.targets._distributions import normal, of_values, rounded, uniform, zipf
from verikit.targets._edges import edges, on_edges
from verikit.targets._fewest import allocation
from verikit.targets._groups import MOST as MOST
from verikit.targets._groups import Near as Near
from verikit.targets._groups import disguised as disguised
from verikit.targets._halves import balanced
from verikit.targets._looks import costs_of_fakes, walk
from verikit.targets._partings import Parting as Parting
from verikit.targets._partings import best_parting as best_parting
from verikit.targets._partings import greedy_parting as greedy_parting
from verikit.targets._partings import top_down as top_down
from verikit.targets._placed import fits as fits
from verikit.targets._respect import Person as Person
from verikit.targets._respect import one_group as one_group
from verikit.targets._respect import respects as respects
from verikit.targets._respect import size as size
from verikit.targets._shown import away as away
from verikit.targets._shown import greatest_shift as greatest_shift
from verikit.targets._shown import shown as shown
from verikit.targets._tolerance import Tolerance
from verikit.targets._tree import Slots as Slots
from verikit.targets._tree import Tree as Tree
from verikit.targets._tree import tree_of as tree_of
from verikit.targets._uneven import uneven as uneven
from verikit.targets._wishes import Unsaid as Unsaid
from verikit.targets._wishes import required as required

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
