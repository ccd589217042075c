"""Cells: a published column as codes of its cells, and how the cells of two columns meet."""

from verikit.cells._cells import (
    Cells,
    Related,
    cell_text,
    cells_are_disjoint,
    cells_of,
    parse_intervals,
    relate_cells,
    relate_rows,
    relate_values,
    rows_that_may_be,
)
from verikit.cells._coded_columns import Groups, Spans
from verikit.cells._conditions import Among, Between, Closed, NameMatch, condition_of
from verikit.cells._conditions import like_the_others as like_the_others

__all__ = [
    "Among", "Between", "Cells", "Closed", "Groups", "NameMatch", "Related", "Spans",
    "cell_text", "cells_are_disjoint", "cells_of", "condition_of", "parse_intervals",
    "relate_cells", "relate_rows", "relate_values", "rows_that_may_be",
]  # fmt: skip
