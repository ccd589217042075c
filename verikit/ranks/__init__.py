"""Ranks under ties, the closest published value, windows of ranks, luck, reverse mapping.

Arrays come in, arrays go out. Ranks count from 1. Equal values share a *block* of ranks, from its
first to its last.
"""

from verikit.ranks._blocks import Block, blocks, gap, mid_ranks, normal_scores, ordered_blocks
from verikit.ranks._closest import closest, closest_blocks, closest_others
from verikit.ranks._reverse_map import reverse_map

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
