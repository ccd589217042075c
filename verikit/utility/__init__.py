"""What a release keeps and what it loses."""

from verikit.utility._associations import RulesKept, SupportChange, rules_kept, support_change
from verikit.utility._associations import Way as Way
from verikit.utility._associations import way as way
from verikit.utility._compared_answers import WAYS as WAYS
from verikit.utility._compared_answers import Bounds as Bounds
from verikit.utility._compared_answers import Estimates as Estimates
from verikit.utility._compared_answers import Intervals as Intervals
from verikit.utility._compared_answers import describe_bounds as describe_bounds
from verikit.utility._compared_answers import describe_estimates as describe_estimates
from verikit.utility._information_loss import (
    Noise,
    Penalty,
    ReconstructionError,
    ncp,
    rank_correlation,
    rce,
    residual_noise,
)
from verikit.utility._information_loss import Pair as Pair
from verikit.utility._information_loss import Unordered as Unordered
from verikit.utility._information_loss import find_by_score as find_by_score
from verikit.utility._information_loss import paired as paired
from verikit.utility._information_loss import refuse_gaps as refuse_gaps
from verikit.utility._information_loss import relate_unordered as relate_unordered
from verikit.utility._itemsets import expect_values as expect_values
from verikit.utility._itemsets import itemsets as itemsets
from verikit.utility._itemsets import list_parts as list_parts
from verikit.utility._itemsets import quasi_sensitive as quasi_sensitive
from verikit.utility._kept_by_column import InformationLoss, information_loss
from verikit.utility._workload import RelativeError, Workload, relative_error, workload

__all__ = [
    "InformationLoss", "Noise", "Penalty", "ReconstructionError", "RelativeError", "RulesKept",
    "SupportChange", "Workload", "information_loss", "ncp", "rank_correlation", "rce",
    "relative_error", "residual_noise", "rules_kept", "support_change", "workload",
]  # fmt: skip
