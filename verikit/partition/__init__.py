"""Ways to put records into groups: each returns a `Partition`."""

from verikit.partition._continued import continued
from verikit.partition._continued import find_left_over as find_left_over
from verikit.partition._diversity import anatomy, diverse
from verikit.partition._ke_groups import max_groups, min_max_error, min_sum_error, sequential
from verikit.partition._mondrian import entropy_diverse, mondrian
from verikit.partition._partition import PARTITIONERS, Partition
from verikit.partition._partition import Grouped as Grouped
from verikit.partition._partition import RefusedCut as RefusedCut
from verikit.partition._partition import compare_errors as compare_errors
from verikit.partition._partition import describe_errors as describe_errors
from verikit.partition._partition import group_ends as group_ends
from verikit.partition._partition import resists_repetition as resists_repetition
from verikit.partition._partition import sensitive_name as sensitive_name
from verikit.partition._partition import value_codes as value_codes
from verikit.partition._safe_groups import Order as Order
from verikit.partition._safe_groups import Size as Size
from verikit.partition._safe_groups import groups_of_size as groups_of_size
from verikit.partition._safe_groups import safe_groups

__all__ = [
    "PARTITIONERS", "Partition", "anatomy", "continued", "diverse", "entropy_diverse", "max_groups",
    "min_max_error", "min_sum_error", "mondrian", "safe_groups", "sequential",
]  # fmt: skip
