"""Tables and what is known about their columns: the values that everything else takes."""

from verikit._support.requests import number
from verikit.table._column import Column, Kind, Role, Scores
from verikit.table._graph import BipartiteGraph, Side
from verikit.table._microdata import Microdata, read
from verikit.table._schema import Schema
from verikit.table._sets import members, set_label

__all__ = [
    "BipartiteGraph",
    "Column",
    "Kind",
    "Microdata",
    "Role",
    "Schema",
    "Scores",
    "Side",
    "members",
    "number",
    "read",
    "set_label",
]
