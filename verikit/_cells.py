"""The cells of a column, which live in the room `verikit.cells`."""

from verikit.cells import Cells, Groups, Held, Spans, cells_of

__all__ = ["Cells", "Groups", "Held", "Spans", "cells_of"]
