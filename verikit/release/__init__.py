"""What leaves the house and what stays: releases, keys, and their way to disk and back."""

from verikit.release._datapackage import FORMAT as FORMAT
from verikit.release._datapackage import PACKAGE as PACKAGE
from verikit.release._datapackage import check_hash as check_hash
from verikit.release._datapackage import check_package as check_package
from verikit.release._datapackage import describe_column as describe_column
from verikit.release._datapackage import read_column as read_column
from verikit.release._datapackage import to_json_value as to_json_value
from verikit.release._graph import GraphRelease
from verikit.release._key import Key, Masked
from verikit.release._kinds import ABOUT as ABOUT
from verikit.release._kinds import (
    KINDS,
    Published,
    Release,
    Tables,
    by_groups,
    by_nodes,
    by_secrets,
    whole_records,
)
from verikit.release._kinds import ON_REPETITION as ON_REPETITION
from verikit.release._kinds import Promise as Promise
from verikit.release._kinds import Promised as Promised
from verikit.release._kinds import promise_of as promise_of
from verikit.release._kinds import reported_without as reported_without
from verikit.release._kinds import require_promise as require_promise
from verikit.release._ledger import Ledger
from verikit.release._ledger import find_groups as find_groups
from verikit.release._linked_data import CONTEXT as CONTEXT
from verikit.release._open import fetch_from_folder as fetch_from_folder
from verikit.release._open import open_for_check, open_release
from verikit.release._open import open_with_spelling as open_with_spelling
from verikit.release._split import GROUP as GROUP
from verikit.release._split import SplitRelease
from verikit.release._split import make_help_table as make_help_table
from verikit.release._table import MAX_COLUMNS as MAX_COLUMNS
from verikit.release._table import Probabilities as Probabilities
from verikit.release._table import Redraw as Redraw
from verikit.release._table import TableRelease
from verikit.release._table import redraw_of as redraw_of
from verikit.release._table import require_redraw as require_redraw

__all__ = [
    "KINDS", "GraphRelease", "Key", "Ledger", "Masked", "Published", "Release", "SplitRelease",
    "TableRelease", "Tables", "by_groups", "by_nodes", "by_secrets", "open_for_check",
    "open_release", "whole_records",
]  # fmt: skip
