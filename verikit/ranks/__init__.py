"""Ranks under ties, the closest published value, windows of ranks, luck, reverse mapping.

Arrays come in, arrays go out. Ranks count from 1. Equal values share a *block* of ranks, from its
first to its last.
"""

from verikit.ranks._blocks import Block, blocks, gap, mid_ranks, normal_scores, ordered_blocks
from verikit.ranks._closest import closest, closest_blocks, closest_others
from verikit.ranks._closest import find_half_way as find_half_way
from verikit.ranks._moves import balanced as balanced
from verikit.ranks._moves import densities as densities
from verikit.ranks._moves import looked_up as looked_up
from verikit.ranks._moves import told as told
from verikit.ranks._nearest import Matches as Matches
from verikit.ranks._nearest import all_matches as all_matches
from verikit.ranks._nearest import nearest as nearest
from verikit.ranks._reach import Reach as Reach
from verikit.ranks._reverse_map import reverse_map
from verikit.ranks._whitened import whitened as whitened

__all__ = [
    "Block",
    "blocks",
    "closest",
    "closest_blocks",
    "closest_others",
    "gap",
    "mid_ranks",
    "normal_scores",
    "ordered_blocks",
    "reverse_map",
]
