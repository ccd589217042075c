"""Ways to put records into groups: each returns a `Partition`."""

from verikit.partition._anatomy import anatomy
from verikit.partition._diverse import diverse
from verikit.partition._mondrian import mondrian
from verikit.partition._partition import Partition
from verikit.partition._safe_groups import safe_groups

__all__ = ["Partition", "anatomy", "diverse", "mondrian", "safe_groups"]
