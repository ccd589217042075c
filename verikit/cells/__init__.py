"""Cells: what one published cell may stand for, one reading for everybody."""

from verikit.cells._cells import (
    Cells,
    Related,
    cell_text,
    cells_are_disjoint,
    cells_of,
    find_meeting_rows,
    parse_intervals,
    relate_cells,
    relate_rows,
    relate_values,
    rows_that_may_be,
)
from verikit.cells._coded_columns import Groups, Spans
from verikit.cells._conditions import Among as Among
from verikit.cells._conditions import Between as Between
from verikit.cells._conditions import Closed as Closed
from verikit.cells._conditions import ConditionMatch
from verikit.cells._conditions import condition_of as condition_of
from verikit.values.meanings import Meaning, are_halves, has_closed_categories, meanings
from verikit.values.names import members, set_label
from verikit.values.ranges import Range, read_range

__all__ = [
    "Cells",
    "ConditionMatch",
    "Groups",
    "Meaning",
    "Range",
    "Related",
    "Spans",
    "are_halves",
    "cell_text",
    "cells_are_disjoint",
    "cells_of",
    "find_meeting_rows",
    "has_closed_categories",
    "meanings",
    "members",
    "parse_intervals",
    "read_range",
    "relate_cells",
    "relate_rows",
    "relate_values",
    "rows_that_may_be",
    "set_label",
]
