"""What leaves the house and what stays: releases, keys, and their way to disk and back."""

from verikit.release._described import check_package as check_package
from verikit.release._fetch import from_folder as from_folder
from verikit.release._graph import GraphRelease
from verikit.release._help import help_of as help_of
from verikit.release._key import Key
from verikit.release._kind import (
    KINDS,
    Release,
    Tables,
    by_groups,
    by_nodes,
    by_secrets,
    whole_records,
)
from verikit.release._masked import Masked
from verikit.release._open import open_release, open_where
from verikit.release._open import open_spelled as open_spelled
from verikit.release._package import FORMAT as FORMAT
from verikit.release._package import PACKAGE as PACKAGE
from verikit.release._package import describe_column as describe_column
from verikit.release._package import plain as plain
from verikit.release._package import read_column as read_column
from verikit.release._promise import Promise as Promise
from verikit.release._promise import Promised as Promised
from verikit.release._promise import checked_promise as checked_promise
from verikit.release._promise import promise_of as promise_of
from verikit.release._promise import reported_without as reported_without
from verikit.release._published import Published
from verikit.release._redraw import Probabilities as Probabilities
from verikit.release._redraw import Redraw as Redraw
from verikit.release._redraw import needed_redraw as needed_redraw
from verikit.release._redraw import redraw_of as redraw_of
from verikit.release._split import GROUP as GROUP
from verikit.release._split import SplitRelease
from verikit.release._table import TableRelease

__all__ = [
    "KINDS", "GraphRelease", "Key", "Masked", "Published", "Release", "SplitRelease",
    "TableRelease", "Tables", "by_groups", "by_nodes", "by_secrets", "open_release", "open_where",
    "whole_records",
]  # fmt: skip
