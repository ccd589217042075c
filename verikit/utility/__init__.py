"""What a release keeps and what it loses."""

from verikit.utility._itemsets import itemsets as itemsets
from verikit.utility._itemsets import quasi_sensitive as quasi_sensitive
from verikit.utility._itemsets import threshold as threshold
from verikit.utility._ncp import Penalty, ncp
from verikit.utility._paired import Pair as Pair
from verikit.utility._paired import paired as paired
from verikit.utility._rank_correlation import rank_correlation
from verikit.utility._rce import ReconstructionError, rce
from verikit.utility._relative_error import RelativeError, relative_error
from verikit.utility._residual_noise import Noise, residual_noise
from verikit.utility._rules_kept import RulesKept, rules_kept
from verikit.utility._support_change import SupportChange, support_change
from verikit.utility._way import Way as Way
from verikit.utility._way import way as way
from verikit.utility._workload import Workload, workload

__all__ = [
    "Noise",
    "Penalty",
    "ReconstructionError",
    "RelativeError",
    "RulesKept",
    "SupportChange",
    "Workload",
    "ncp",
    "rank_correlation",
    "rce",
    "relative_error",
    "residual_noise",
    "rules_kept",
    "support_change",
    "workload",
]
