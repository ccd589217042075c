"""What an analyst learns from a release: she sees it and her own questions, nothing else."""

from verikit.analyst._answer import answer
from verikit.analyst._associations import associations, chi_square
from verikit.analyst._graph_links import (
    answer_linked,
    average_links,
    count_linked,
    count_links,
    most_links,
)
from verikit.analyst._rewrite import Bounds, Rewriting, help_rows, help_table, rewrite
from verikit.analyst._worlds import Spread, Worlds, worlds
from verikit.query import Among, And, Answer, Between, Not, Or, Query

__all__ = [
    "Among", "And", "Answer", "Between", "Bounds", "Not", "Or", "Query", "Rewriting", "Spread",
    "Worlds", "answer", "answer_linked", "associations", "average_links", "chi_square",
    "count_linked", "count_links", "help_rows", "help_table", "most_links", "rewrite", "worlds",
]  # fmt: skip
