"""One engine for questions: a tree of conditions, the blocks of a release, an aggregate."""

from verikit.cells._conditions import Among, Between
from verikit.query._answer import Answer
from verikit.query._blocks import Blocks, blocks
from verikit.query._engine import Evidence, evidence_of
from verikit.query._part import Part
from verikit.query._predicate import And, Not, Or
from verikit.query._promise import promise_of
from verikit.query._query import Query

__all__ = [
    "Among",
    "And",
    "Answer",
    "Between",
    "Blocks",
    "Evidence",
    "Not",
    "Or",
    "Part",
    "Query",
    "blocks",
    "evidence_of",
    "promise_of",
]
