"""What a person can check: her own record against a release, and nothing else."""

from verikit.ranks.spread import Criterion
from verikit.subject import _card as card
from verikit.subject import disguised, generalized, graph, masked, numbers, randomized, split
from verikit.subject._check import check
from verikit.subject._checking import Kind, checking, kind_of
from verikit.subject._repeated import Repeated
from verikit.subject._repetition import repetition
from verikit.subject._report import Figure, Headline, Sentence, SubjectReport
from verikit.subject.disguised import check_disguised
from verikit.subject.generalized import check_generalized
from verikit.subject.graph import check_graph
from verikit.subject.split import check_split

__all__ = [
    "Criterion",
    "Figure",
    "Headline",
    "Kind",
    "Repeated",
    "Sentence",
    "SubjectReport",
    "card",
    "check",
    "check_disguised",
    "check_generalized",
    "check_graph",
    "check_split",
    "checking",
    "disguised",
    "generalized",
    "graph",
    "kind_of",
    "masked",
    "numbers",
    "randomized",
    "repetition",
    "split",
]
