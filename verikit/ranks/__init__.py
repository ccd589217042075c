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
from verikit.ranks._blocks import RankedColumn as RankedColumn
from verikit.ranks._blocks import find_half_way as find_half_way
from verikit.ranks._closest_records import SAMPLE as SAMPLE
from verikit.ranks._closest_records import LoadedColumns as LoadedColumns
from verikit.ranks._closest_records import Near as Near
from verikit.ranks._closest_records import Scan as Scan
from verikit.ranks._closest_records import Window as Window
from verikit.ranks._closest_records import WindowedColumn as WindowedColumn
from verikit.ranks._closest_records import blocks_in as blocks_in
from verikit.ranks._closest_records import estimate_radius as estimate_radius
from verikit.ranks._closest_records import find_near_records as find_near_records
from verikit.ranks._closest_records import first_radius as first_radius
from verikit.ranks._closest_records import refuse_empty_column as refuse_empty_column
from verikit.ranks._closest_records import refuse_empty_columns as refuse_empty_columns
from verikit.ranks._closest_records import scan_batches as scan_batches
from verikit.ranks._kinship import UNORDERED as UNORDERED
from verikit.ranks._kinship import Kinship as Kinship
from verikit.ranks._kinship import distance_of as distance_of
from verikit.ranks._kinship import expand_ranges as expand_ranges
from verikit.ranks._kinship import marginality as marginality
from verikit.ranks._kinship import marginality_variance as marginality_variance
from verikit.ranks._kinship import measure_distances as measure_distances
from verikit.ranks._kinship import relate_values as relate_values
from verikit.ranks._mixed import MixedTables as MixedTables
from verikit.ranks._moves import balance_likelihoods as balance_likelihoods
from verikit.ranks._moves import estimate_move_densities as estimate_move_densities
from verikit.ranks._moves import look_up_densities as look_up_densities
from verikit.ranks._moves import mean_log_likelihood as mean_log_likelihood
from verikit.ranks._moves import reverse_map
from verikit.ranks._moves import whiten_moves as whiten_moves
from verikit.ranks._nearest import Matches as Matches
from verikit.ranks._nearest import find_all_matches as find_all_matches
from verikit.ranks._nearest import find_nearest as find_nearest
from verikit.ranks._reach import Reach as Reach

__all__ = [
    "Block", "blocks", "closest", "closest_blocks", "closest_others", "gap", "luck", "mid_ranks",
    "normal_scores", "null_models", "ordered_blocks", "reverse_map",
]  # fmt: skip
