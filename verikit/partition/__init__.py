"""Ways to put records into groups: each returns a `Partition`."""

from verikit.partition._anatomy import anatomy
from verikit.partition._codes import value_codes as value_codes
from verikit.partition._diverse import diverse
from verikit.partition._ell import sensitive_name as sensitive_name
from verikit.partition._entropy_diverse import entropy_diverse
from verikit.partition._errors import Grouped as Grouped
from verikit.partition._errors import compared as compared
from verikit.partition._errors import described as described
from verikit.partition._errors import ends as ends
from verikit.partition._max_groups import max_groups
from verikit.partition._min_max_error import min_max_error
from verikit.partition._min_sum_error import min_sum_error
from verikit.partition._mondrian import mondrian
from verikit.partition._partition import Partition
from verikit.partition._safe_groups import Order as Order
from verikit.partition._safe_groups import Size as Size
from verikit.partition._safe_groups import groups_of_size as groups_of_size
from verikit.partition._safe_groups import safe_groups
from verikit.partition._sequential import sequential

__all__ = [
    "Partition", "anatomy", "diverse", "entropy_diverse", "max_groups", "min_max_error",
    "min_sum_error", "mondrian", "safe_groups", "sequential",
]  # fmt: skip
