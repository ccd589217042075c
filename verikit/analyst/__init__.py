"""What an analyst learns from a release: she sees it and her own questions, nothing else."""

from verikit._conditions import Among, Between
from verikit._estimate import Answer
from verikit._query import Query
from verikit.analyst._answer import answer

__all__ = ["Among", "Answer", "Between", "Query", "answer"]
