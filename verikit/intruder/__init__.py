"""The intruder: what someone can do with the original or his own knowledge, and a release."""

from verikit.intruder._background_knowledge import background_knowledge
from verikit.intruder._complementary_release import complementary_release
from verikit.intruder._disclosure import Disclosure
from verikit.intruder._homogeneity import homogeneity
from verikit.intruder._similarity import similarity
from verikit.intruder._skewness import skewness
from verikit.intruder._temporal import temporal
from verikit.intruder._unsorted_matching import unsorted_matching

__all__ = [
    "Disclosure",
    "background_knowledge",
    "complementary_release",
    "homogeneity",
    "similarity",
    "skewness",
    "temporal",
    "unsorted_matching",
]
