"""What leaves the house and what stays: releases, keys, and their way to disk and back."""

from verikit.release._graph import GraphRelease
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
from verikit.release._published import Published
from verikit.release._split import SplitRelease
from verikit.release._table import TableRelease

__all__ = [
    "KINDS", "GraphRelease", "Key", "Masked", "Published", "Release", "SplitRelease",
    "TableRelease", "Tables", "by_groups", "by_nodes", "by_secrets", "open_release", "open_where",
    "whole_records",
]  # fmt: skip
