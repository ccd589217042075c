"""Cells: what one published cell may stand for, one reading for everybody."""

from verikit.cells._cells import Cells, cells_of, intervals, meeting, rows_that_may_be, written
from verikit.cells._conditions import Among as Among
from verikit.cells._conditions import Between as Between
from verikit.cells._conditions import Closed as Closed
from verikit.cells._conditions import Held
from verikit.cells._conditions import condition_of as condition_of
from verikit.cells._groups import Groups
from verikit.cells._meaning import Meaning, closed, halves, meanings
from verikit.cells._ranges import AROUND as AROUND
from verikit.cells._ranges import BANDS as BANDS
from verikit.cells._ranges import BRACKETS as BRACKETS
from verikit.cells._ranges import LOOKS as LOOKS
from verikit.cells._ranges import ONE_END as ONE_END
from verikit.cells._ranges import Range, read_range
from verikit.cells._related import Related, apart, equal_or_related, related, related_values
from verikit.cells._spans import Spans
from verikit.table import members, set_label

__all__ = [
    "Cells",
    "Groups",
    "Held",
    "Meaning",
    "Range",
    "Related",
    "Spans",
    "apart",
    "cells_of",
    "closed",
    "equal_or_related",
    "halves",
    "intervals",
    "meanings",
    "meeting",
    "members",
    "read_range",
    "related",
    "related_values",
    "rows_that_may_be",
    "set_label",
    "written",
]
