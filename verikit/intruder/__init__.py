"""The intruder: what someone can do with the original or his own knowledge, and a release."""

from verikit.intruder._background_knowledge import background_knowledge
from verikit.intruder._common_people import FoundRecords, find_records, unsorted_matching
from verikit.intruder._control_attacks import Baseline, attribute_inference, membership
from verikit.intruder._covers import find_ends as find_ends
from verikit.intruder._covers import find_wide_columns as find_wide_columns
from verikit.intruder._covers import place_among as place_among
from verikit.intruder._disclosure import Disclosure, homogeneity, proximity, similarity, skewness
from verikit.intruder._explained_guess import ExplainedGuess, explain_guess
from verikit.intruder._group_chances import (
    Presence,
    TargetChance,
    ValueChance,
    presence,
    target_chance,
    value_chance,
)
from verikit.intruder._learned_links import LearnedLinks, learned_links
from verikit.intruder._learned_values import LearnedValues, learned_values
from verikit.intruder._likelihood import PriorKnowledge, prior_knowledge
from verikit.intruder._link import Attack as Attack
from verikit.intruder._link import OwnEstimate, link, link_by_subset, own_estimate
from verikit.intruder._memorized import Memorized, NearestRecords, memorized
from verikit.intruder._node_signatures import (
    Fingerprints,
    PermutedLinks,
    Signatures,
    fingerprints,
    permuted_links,
    signatures,
)
from verikit.intruder._plausibility import Plausibility, plausibility
from verikit.intruder._put_together import PutTogether, put_together
from verikit.intruder._rank_linkage import make_repeat as make_repeat
from verikit.intruder._ranked_tables import Compared as Compared
from verikit.intruder._ranked_tables import Links
from verikit.intruder._ranked_tables import compare_tables as compare_tables
from verikit.intruder._ranked_tables import refuse_unlike as refuse_unlike
from verikit.intruder._ranked_tables import require_scores as require_scores
from verikit.intruder._repeated_partition import RepeatedPartition, repeated_partition
from verikit.intruder._two_releases import complementary_release, temporal
from verikit.intruder._undo_pairs import swapped_in_pairs as swapped_in_pairs
from verikit.intruder._undo_pairs import undo_pairs
from verikit.matching import LinksTogether

__all__ = [
    "Baseline",
    "Disclosure",
    "ExplainedGuess",
    "Fingerprints",
    "FoundRecords",
    "LearnedLinks",
    "LearnedValues",
    "Links",
    "LinksTogether",
    "Memorized",
    "NearestRecords",
    "OwnEstimate",
    "PermutedLinks",
    "Plausibility",
    "Presence",
    "PriorKnowledge",
    "PutTogether",
    "RepeatedPartition",
    "Signatures",
    "TargetChance",
    "ValueChance",
    "attribute_inference",
    "background_knowledge",
    "complementary_release",
    "explain_guess",
    "find_records",
    "fingerprints",
    "homogeneity",
    "learned_links",
    "learned_values",
    "link",
    "link_by_subset",
    "membership",
    "memorized",
    "own_estimate",
    "permuted_links",
    "plausibility",
    "presence",
    "prior_knowledge",
    "proximity",
    "put_together",
    "repeated_partition",
    "signatures",
    "similarity",
    "skewness",
    "target_chance",
    "temporal",
    "undo_pairs",
    "unsorted_matching",
    "value_chance",
]
