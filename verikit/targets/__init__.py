"""Target distributions on trees, and how values are generalized until they show one of them."""

from verikit.targets._disguise_group import MAX_FAKES as MAX_FAKES
from verikit.targets._disguise_group import Tolerance, costs_of_fakes
from verikit.targets._disguise_group import disguise_group as disguise_group
from verikit.targets._distributions import Slots as Slots
from verikit.targets._distributions import Tree as Tree
from verikit.targets._distributions import (
    balanced,
    edges,
    normal,
    of_values,
    on_edges,
    rounded,
    uniform,
    zipf,
)
from verikit.targets._distributions import require_target as require_target
from verikit.targets._distributions import tree_of as tree_of
from verikit.targets._groupings import Grouping as Grouping
from verikit.targets._groupings import group_exactly as group_exactly
from verikit.targets._groupings import group_greedily as group_greedily
from verikit.targets._groupings import group_top_down as group_top_down
from verikit.targets._least_values import find_least_values as find_least_values
from verikit.targets._published_nodes import allocation, walk
from verikit.targets._published_nodes import believed_shares as believed_shares
from verikit.targets._published_nodes import can_be_placed as can_be_placed
from verikit.targets._published_nodes import find_leaves as find_leaves
from verikit.targets._published_nodes import find_shifts as find_shifts
from verikit.targets._published_nodes import find_uneven_groups as find_uneven_groups
from verikit.targets._published_nodes import infer_chances as infer_chances
from verikit.targets._published_nodes import target_shares as target_shares
from verikit.targets._published_nodes import variation_distance as variation_distance
from verikit.targets._requirements import Person as Person
from verikit.targets._requirements import Unsaid as Unsaid
from verikit.targets._requirements import count_values as count_values
from verikit.targets._requirements import publish_one_group as publish_one_group
from verikit.targets._requirements import raise_requirements as raise_requirements
from verikit.targets._requirements import read_requirements as read_requirements
from verikit.targets._requirements import respects_requirement as respects_requirement

__all__ = [
    "Tolerance", "allocation", "balanced", "costs_of_fakes", "edges", "normal", "of_values",
    "on_edges", "rounded", "uniform", "walk", "zipf",
]  # fmt: skip
