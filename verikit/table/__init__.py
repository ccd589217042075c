"""Tables and what is known about their columns: the values that everything else takes."""

from verikit._support.requests import number
from verikit.table._column import Column, Kind, Role, Scores
from verikit.table._microdata import Microdata, read
from verikit.table._schema import Schema

__all__ = ["Column", "Kind", "Microdata", "Role", "Schema", "Scores", "number", "read"]
