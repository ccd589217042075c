"""One engine for questions: a tree of conditions, the blocks of a release, an aggregate."""

from verikit.cells import Among, Between
from verikit.query._answer import RECORDS as RECORDS
from verikit.query._answer import Answer
from verikit.query._blocks import Blocks, blocks
from verikit.query._bound import Joined as Joined
from verikit.query._bound import Leaf as Leaf
from verikit.query._bound import Tree as Tree
from verikit.query._bound import bound as bound
from verikit.query._bound import column_named as column_named
from verikit.query._cells import Coded as Coded
from verikit.query._compared import WAYS as WAYS
from verikit.query._compared import Bounds as Bounds
from verikit.query._compared import Estimates as Estimates
from verikit.query._compared import Intervals as Intervals
from verikit.query._compared import estimated as estimated
from verikit.query._compared import span as span
from verikit.query._engine import CHANGED as CHANGED
from verikit.query._engine import NOBODY as NOBODY
from verikit.query._engine import UNTOLD as UNTOLD
from verikit.query._engine import Evidence, evidence_of
from verikit.query._engine import fresh_evidence as fresh_evidence
from verikit.query._known import known as known
from verikit.query._moments import Moments as Moments
from verikit.query._part import Part
from verikit.query._predicate import And, Not, Or
from verikit.query._promise import CERTAIN as CERTAIN
from verikit.query._promise import promise_of
from verikit.query._query import Query
from verikit.query._values import FIRST as FIRST
from verikit.query._values import LAST as LAST
from verikit.query._values import Cut as Cut
from verikit.query._values import Names as Names
from verikit.query._values import Numbers as Numbers

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
