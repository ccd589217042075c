"""Tables and what is known about their columns: the values that everything else takes."""

from verikit._support.requests import number
from verikit.table._fit import fitted as fitted
from verikit.table._fit import fitted_once as fitted_once
from verikit.table._fit import made as made
from verikit.table._fit import members, set_label
from verikit.table._fit import narrowed as narrowed
from verikit.table._fit import taken as taken
from verikit.table._graph import BipartiteGraph, Side
from verikit.table._graph import Neighbours as Neighbours
from verikit.table._graph import checked_edges as checked_edges
from verikit.table._graph import checked_graph as checked_graph
from verikit.table._graph import checked_side as checked_side
from verikit.table._graph import name_column as name_column
from verikit.table._graph import neighbour_ranks as neighbour_ranks
from verikit.table._graph import neighbours_of as neighbours_of
from verikit.table._microdata import Framed as Framed
from verikit.table._microdata import Microdata, read
from verikit.table._read import read_frame as read_frame
from verikit.table._read import read_people as read_people
from verikit.table._read import schema_of as schema_of
from verikit.table._requests import Missing as Missing
from verikit.table._requests import checked_table as checked_table
from verikit.table._requests import codes_like as codes_like
from verikit.table._requests import diversity as diversity
from verikit.table._requests import group_size as group_size
from verikit.table._requests import microdata as microdata
from verikit.table._requests import most_records as most_records
from verikit.table._requests import place_of as place_of
from verikit.table._requests import refuse_missing as refuse_missing
from verikit.table._requests import shares_of as shares_of
from verikit.table._requests import single_codes as single_codes
from verikit.table._requests import single_value as single_value
from verikit.table._requests import table_of as table_of
from verikit.table._schema import Column, Kind, Role, Schema, Scores
from verikit.table._values import DAYS as DAYS
from verikit.table._values import as_days as as_days
from verikit.table._values import date_text as date_text
from verikit.table._values import days_of as days_of
from verikit.table._values import holds_dates as holds_dates
from verikit.table._values import readings as readings
from verikit.table.reading import MISSING as MISSING

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
