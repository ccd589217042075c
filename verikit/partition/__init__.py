"""Ways to put records into groups: each returns a `Partition`."""

from verikit.partition._continued import continued
from verikit.partition._continued import find_left_over as find_left_over
from verikit.partition._counted import MAX_COUNTERS as MAX_COUNTERS
from verikit.partition._counted import Counted as Counted
from verikit.partition._counted import compare_with_rarer as compare_with_rarer
from verikit.partition._counted import count_different as count_different
from verikit.partition._counted import count_pairs as count_pairs
from verikit.partition._counted import divide_by_most_frequent as divide_by_most_frequent
from verikit.partition._counted import measure_evenness as measure_evenness
from verikit.partition._counted import measure_ranges as measure_ranges
from verikit.partition._counted import numbers_of as numbers_of
from verikit.partition._diversity import anatomy, diverse
from verikit.partition._grounds import GROUNDS as GROUNDS
from verikit.partition._grounds import Ground as Ground
from verikit.partition._ke_groups import max_groups, min_max_error, min_sum_error, sequential
from verikit.partition._mondrian import entropy_diverse, mondrian
from verikit.partition._partition import PARTITIONERS, Partition
from verikit.partition._partition import Grouped as Grouped
from verikit.partition._partition import RefusedCut as RefusedCut
from verikit.partition._partition import compare_errors as compare_errors
from verikit.partition._partition import describe_errors as describe_errors
from verikit.partition._partition import group_ends as group_ends
from verikit.partition._partition import resists_repetition as resists_repetition
from verikit.partition._partition import value_codes as value_codes
from verikit.partition._requirement import MODELS as MODELS
from verikit.partition._requirement import Judge as Judge
from verikit.partition._requirement import Requirement as Requirement
from verikit.partition._requirement import Requirements as Requirements
from verikit.partition._requirement import describe_all as describe_all
from verikit.partition._requirement import describe_hidden as describe_hidden
from verikit.partition._requirement import is_monotone as is_monotone
from verikit.partition._requirement import list_requirements as list_requirements
from verikit.partition._safe_groups import Order as Order
from verikit.partition._safe_groups import Size as Size
from verikit.partition._safe_groups import groups_of_size as groups_of_size
from verikit.partition._safe_groups import safe_groups

__all__ = [
    "PARTITIONERS", "Partition", "anatomy", "continued", "diverse", "entropy_diverse", "max_groups",
    "min_max_error", "min_sum_error", "mondrian", "safe_groups", "sequential",
]  # fmt: skip
