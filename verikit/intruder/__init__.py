"""The intruder: what someone can do with the original or his own knowledge, and a release."""

from verikit.intruder._attribute_inference import attribute_inference
from verikit.intruder._background_knowledge import background_knowledge
from verikit.intruder._baseline import Baseline
from verikit.intruder._compared import Compared as Compared
from verikit.intruder._complementary_release import complementary_release
from verikit.intruder._disclosure import Disclosure
from verikit.intruder._find_records import FoundRecords, find_records
from verikit.intruder._fingerprints import Fingerprints, fingerprints
from verikit.intruder._homogeneity import homogeneity
from verikit.intruder._learned_links import LearnedLinks, learned_links
from verikit.intruder._likelihood import Agreed as Agreed
from verikit.intruder._link import Attack as Attack
from verikit.intruder._link import link, link_by_subset
from verikit.intruder._links import Links
from verikit.intruder._membership import membership
from verikit.intruder._own_estimate import OwnEstimate, own_estimate
from verikit.intruder._permuted_links import PermutedLinks, permuted_links
from verikit.intruder._plausibility import plausibility
from verikit.intruder._plausibility_result import Plausibility
from verikit.intruder._presence import Presence, presence
from verikit.intruder._prior_knowledge import PriorKnowledge, prior_knowledge
from verikit.intruder._proximity import proximity
from verikit.intruder._repeats import repeatable as repeatable
from verikit.intruder._signatures import Signatures, signatures
from verikit.intruder._similarity import similarity
from verikit.intruder._skewness import skewness
from verikit.intruder._target_chance import TargetChance, target_chance
from verikit.intruder._temporal import temporal
from verikit.intruder._undo_pairs import swapped_in_pairs as swapped_in_pairs
from verikit.intruder._undo_pairs import undo_pairs
from verikit.intruder._unsorted_matching import unsorted_matching
from verikit.intruder._value_chance import ValueChance, value_chance

__all__ = [
    "Baseline",
    "Disclosure",
    "Fingerprints",
    "FoundRecords",
    "LearnedLinks",
    "Links",
    "OwnEstimate",
    "PermutedLinks",
    "Plausibility",
    "Presence",
    "PriorKnowledge",
    "Signatures",
    "TargetChance",
    "ValueChance",
    "attribute_inference",
    "background_knowledge",
    "complementary_release",
    "find_records",
    "fingerprints",
    "homogeneity",
    "learned_links",
    "link",
    "link_by_subset",
    "membership",
    "own_estimate",
    "permuted_links",
    "plausibility",
    "presence",
    "prior_knowledge",
    "proximity",
    "signatures",
    "similarity",
    "skewness",
    "target_chance",
    "temporal",
    "undo_pairs",
    "unsorted_matching",
    "value_chance",
]
