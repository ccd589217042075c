"""Ranks under ties, the closest published value, windows of ranks, luck, reverse mapping.

Arrays come in, arrays go out. Ranks count from 1. Equal values share a *block* of ranks, from its
first to its last.
"""

from verikit.ranks import null_models as luck
from verikit.ranks import null_models as null_models
from verikit.ranks._blocks import (
    Block,
    blocks,
    closest,
    closest_blocks,
    closest_others,
    gap,
    mid_ranks,
    normal_scores,
    ordered_blocks,
)
from verikit.ranks._blocks import find_half_way as find_half_way
from verikit.ranks._moves import balance_likelihoods as balance_likelihoods
from verikit.ranks._moves import estimate_move_densities as estimate_move_densities
from verikit.ranks._moves import look_up_densities as look_up_densities
from verikit.ranks._moves import mean_log_likelihood as mean_log_likelihood
from verikit.ranks._moves import whiten_moves as whiten_moves
from verikit.ranks._nearest import Matches as Matches
from verikit.ranks._nearest import find_all_matches as find_all_matches
from verikit.ranks._nearest import find_nearest as find_nearest
from verikit.ranks._reach import Reach as Reach
from verikit.ranks._reverse_map import reverse_map

__all__ = [
    "Block",
    "blocks",
    "closest",
    "closest_blocks",
    "closest_others",
    "gap",
    "luck",
    "mid_ranks",
    "normal_scores",
    "null_models",
    "ordered_blocks",
    "reverse_map",
]
