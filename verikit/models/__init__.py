"""Privacy models: does a table meet one, for each class and record, and by how much."""

from verikit.models._distinct_diversity import distinct_diversity
from verikit.models._entropy_diversity import entropy_diversity
from verikit.models._frequency_diversity import frequency_diversity
from verikit.models._k_anonymity import k_anonymity
from verikit.models._ke_anonymity import ApartVerdict, ke_anonymity
from verikit.models._recursive_diversity import recursive_diversity
from verikit.models._t_closeness import t_closeness
from verikit.models._verdict import ModelVerdict

__all__ = [
    "ApartVerdict",
    "ModelVerdict",
    "distinct_diversity",
    "entropy_diversity",
    "frequency_diversity",
    "k_anonymity",
    "ke_anonymity",
    "recursive_diversity",
    "t_closeness",
]
