"""What a person can check: her own record against a release, and nothing else."""

from verikit.ranks.spread import Criterion
from verikit.subject._check import check
from verikit.subject._generalized import check_generalized
from verikit.subject._report import Figure, Headline, Sentence, SubjectReport
from verikit.subject._split import check_split

__all__ = [
    "Criterion",
    "Figure",
    "Headline",
    "Sentence",
    "SubjectReport",
    "check",
    "check_generalized",
    "check_split",
]
