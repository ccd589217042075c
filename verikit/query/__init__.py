"""One engine for questions: a tree of conditions, the blocks of a release, an aggregate."""

from verikit.cells import Among, Between
from verikit.query._aggregates import Selection as Selection
from verikit.query._aggregates import bound_aggregate as bound_aggregate
from verikit.query._aggregates import sort_selection as sort_selection
from verikit.query._answer import NOBODY as NOBODY
from verikit.query._answer import RECORDS as RECORDS
from verikit.query._answer import Answer, Evidence, evidence_of
from verikit.query._answer import fresh_evidence as fresh_evidence
from verikit.query._blocks import CERTAIN as CERTAIN
from verikit.query._blocks import Blocks, Part, blocks, promise_of
from verikit.query._columns import Coded as Coded
from verikit.query._columns import Columns as Columns
from verikit.query._counting import Counting as Counting
from verikit.query._estimates import Moments as Moments
from verikit.query._estimates import find_expected as find_expected
from verikit.query._query import And, Not, Or, Query
from verikit.query._query import Where as Where
from verikit.query._query import quote_name as quote_name
from verikit.query._query import quote_text as quote_text
from verikit.query._query import read_query as read_query
from verikit.query._tree import FIRST as FIRST
from verikit.query._tree import LAST as LAST
from verikit.query._tree import Cut as Cut
from verikit.query._tree import Joined as Joined
from verikit.query._tree import Leaf as Leaf
from verikit.query._tree import Names as Names
from verikit.query._tree import Numbers as Numbers
from verikit.query._tree import Tree as Tree
from verikit.query._tree import bind_conditions as bind_conditions
from verikit.query._tree import find_column as find_column
from verikit.query._tree import find_numbers as find_numbers
from verikit.query._tree import walk_up as walk_up

__all__ = [
    "Among", "And", "Answer", "Between", "Blocks", "Evidence", "Not", "Or", "Part", "Query",
    "blocks", "evidence_of", "promise_of",
]  # fmt: skip
