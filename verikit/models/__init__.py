"""Privacy models: does a table meet one, for each class and record, and by how much."""

from verikit.matching import Holdings
from verikit.models._anonymity_and_diversity import (
    ApartVerdict,
    GroupingVerdict,
    distinct_diversity,
    entropy_diversity,
    frequency_diversity,
    k_anonymity,
    ke_anonymity,
    recursive_diversity,
    safe_grouping,
)
from verikit.models._changed_values import (
    Amplification,
    PermutedPrivacy,
    PerturbationDiversity,
    amplification,
    conversion_chance,
    permuted_privacy,
    perturbation_diversity,
)
from verikit.models._guarantee import FOUND_BY as FOUND_BY
from verikit.models._guarantee import GUARDED as GUARDED
from verikit.models._guarantee import FindGuarantee as FindGuarantee
from verikit.models._guarantee import Guarantee, add_guarantees, guarantee
from verikit.models._guarantee import find_normal_delta as find_normal_delta
from verikit.models._guarantee import halve as halve
from verikit.models._judge import judge as judge
from verikit.models._matrix_price import MatrixPrice, price_matrix
from verikit.models._t_closeness import distance, t_closeness
from verikit.models._target_privacy import (
    PersonalVerdict,
    TargetVerdict,
    personal_respect,
    target_privacy,
)
from verikit.models._verdict import ModelVerdict
from verikit.models._verdict import Target as Target
from verikit.models._verdict import beside as beside
from verikit.models._verdict import describe_boxes as describe_boxes
from verikit.models._verdict import describe_groups as describe_groups
from verikit.partition import Requirement
from verikit.partition import numbers_of as numbers_of

__all__ = [
    "Amplification", "ApartVerdict", "GroupingVerdict", "Guarantee", "Holdings", "MatrixPrice",
    "ModelVerdict", "PermutedPrivacy", "PersonalVerdict", "PerturbationDiversity",
    "Requirement", "TargetVerdict", "add_guarantees", "amplification", "conversion_chance",
    "distance", "distinct_diversity", "entropy_diversity", "frequency_diversity", "guarantee",
    "k_anonymity", "ke_anonymity", "permuted_privacy", "personal_respect",
    "perturbation_diversity", "price_matrix", "recursive_diversity", "safe_grouping",
    "t_closeness", "target_privacy",
]  # fmt: skip
