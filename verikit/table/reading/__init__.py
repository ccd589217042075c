"""Whatever people have as a table, read: files of any usual format, frames of any library."""

from verikit.table.reading._layout import find_layout as find_layout
from verikit.table.reading._open_file import read_file
from verikit.table.reading._reading import (
    MISSING,
    Asked,
    Reading,
    frame_of,
    holds_table,
)

__all__ = ["MISSING", "Asked", "Reading", "frame_of", "holds_table", "read_file"]
