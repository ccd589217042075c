"""Privacy models: does a table meet one, for each class and record, and by how much."""

from verikit.alike import Holdings
from verikit.models._amplification import Amplification, amplification, conversion_chance
from verikit.models._distance import distance
from verikit.models._distinct_diversity import distinct_diversity
from verikit.models._entropy_diversity import entropy_diversity
from verikit.models._frequency_diversity import frequency_diversity
from verikit.models._k_anonymity import k_anonymity
from verikit.models._ke_anonymity import ApartVerdict, ke_anonymity
from verikit.models._ke_anonymity import numbers_of as numbers_of
from verikit.models._permuted_privacy import PermutedPrivacy, permuted_privacy
from verikit.models._personal_respect import PersonalVerdict, personal_respect
from verikit.models._perturbation_diversity import (
    PerturbationDiversity,
    perturbation_diversity,
)
from verikit.models._recursive_diversity import recursive_diversity
from verikit.models._safe_grouping import GroupingVerdict, safe_grouping
from verikit.models._t_closeness import t_closeness
from verikit.models._target_privacy import TargetVerdict, target_privacy
from verikit.models._told import Target as Target
from verikit.models._told import boxes as boxes
from verikit.models._told import groups_told as groups_told
from verikit.models._verdict import ModelVerdict
from verikit.models._verdict import beside as beside

__all__ = [
    "Amplification",
    "ApartVerdict",
    "GroupingVerdict",
    "Holdings",
    "ModelVerdict",
    "PermutedPrivacy",
    "PersonalVerdict",
    "PerturbationDiversity",
    "TargetVerdict",
    "amplification",
    "conversion_chance",
    "distance",
    "distinct_diversity",
    "entropy_diversity",
    "frequency_diversity",
    "k_anonymity",
    "ke_anonymity",
    "permuted_privacy",
    "personal_respect",
    "perturbation_diversity",
    "recursive_diversity",
    "safe_grouping",
    "t_closeness",
    "target_privacy",
]
