"""Tables and what is known about their columns: the values that everything else takes."""

from verikit._support.requests import number
from verikit.table._fit import fit_columns as fit_columns
from verikit.table._fit import fit_frame as fit_frame
from verikit.table._fit import refit_to_values_left as refit_to_values_left
from verikit.table._fit import take_rows as take_rows
from verikit.table._graph import BipartiteGraph, Side
from verikit.table._graph import Neighbours as Neighbours
from verikit.table._graph import name_column as name_column
from verikit.table._graph import neighbour_ranks as neighbour_ranks
from verikit.table._graph import neighbours_of as neighbours_of
from verikit.table._graph import require_edges as require_edges
from verikit.table._graph import require_graph as require_graph
from verikit.table._graph import require_mirrored as require_mirrored
from verikit.table._graph import require_side as require_side
from verikit.table._microdata import Framed as Framed
from verikit.table._microdata import Microdata, read
from verikit.table._microdata import read_frame as read_frame
from verikit.table._microdata import read_people as read_people
from verikit.table._microdata import schema_of as schema_of
from verikit.table._requests import Missing as Missing
from verikit.table._requests import as_microdata as as_microdata
from verikit.table._requests import code_of_value as code_of_value
from verikit.table._requests import codes_like as codes_like
from verikit.table._requests import effective_number as effective_number
from verikit.table._requests import group_size as group_size
from verikit.table._requests import most_records as most_records
from verikit.table._requests import refuse_missing as refuse_missing
from verikit.table._requests import require_microdata as require_microdata
from verikit.table._requests import require_single_value as require_single_value
from verikit.table._requests import require_table as require_table
from verikit.table._requests import shares_of as shares_of
from verikit.table._requests import single_codes as single_codes
from verikit.table._schema import Schema
from verikit.table._values import ask_of_words as ask_of_words
from verikit.table._values import long_numbers_as_names as long_numbers_as_names
from verikit.table._values import note_long_number as note_long_number
from verikit.table.reading import MISSING as MISSING
from verikit.values.columns import Column, Kind, Role, Scores
from verikit.values.names import members, set_label

__all__ = [
    "BipartiteGraph", "Column", "Kind", "Microdata", "Role", "Schema", "Scores", "Side",
    "members", "number", "read", "set_label",
]  # fmt: skip
