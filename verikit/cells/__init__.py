"""Cells: what one published cell may stand for, one reading for everybody."""

from verikit.cells._cells import (
    Cells,
    cell_text,
    cells_of,
    find_meeting_rows,
    parse_intervals,
    rows_that_may_be,
)
from verikit.cells._conditions import Among as Among
from verikit.cells._conditions import Between as Between
from verikit.cells._conditions import Closed as Closed
from verikit.cells._conditions import ConditionMatch
from verikit.cells._conditions import condition_of as condition_of
from verikit.cells._groups import Groups
from verikit.cells._meaning import Meaning, are_halves, has_closed_categories, meanings
from verikit.cells._ranges import AROUND as AROUND
from verikit.cells._ranges import BANDS as BANDS
from verikit.cells._ranges import BRACKETS as BRACKETS
from verikit.cells._ranges import LOOKS as LOOKS
from verikit.cells._ranges import ONE_END as ONE_END
from verikit.cells._ranges import Range, read_range
from verikit.cells._related import (
    Related,
    cells_are_disjoint,
    relate_cells,
    relate_rows,
    relate_values,
)
from verikit.cells._spans import Spans
from verikit.cells._spelling import Spellings as Spellings
from verikit.cells._spelling import fold_word as fold_word
from verikit.cells._spelling import shows as shows
from verikit.cells._spelling import sort_by_likeness as sort_by_likeness
from verikit.table import members, set_label

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
