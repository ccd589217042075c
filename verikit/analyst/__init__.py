"""What an analyst learns from a release: she sees it and her own questions, nothing else."""

from verikit.analyst._answer import answer
from verikit.analyst._help_table import help_table
from verikit.analyst._rewrite import Bounds, Rewriting, rewrite
from verikit.query import Among, And, Answer, Between, Not, Or, Query

__all__ = [
    "Among", "And", "Answer", "Between", "Bounds", "Not", "Or", "Query", "Rewriting", "answer",
    "help_table", "rewrite",
]  # fmt: skip
