"""Tables larger than memory, and than a machine: worked on by DuckDB or Spark."""

from verikit.scale import _evidence as _evidence
from verikit.scale._audit import ScaledAudit, audit
from verikit.scale._engine import Engine, connect
from verikit.scale._masks import ScaledMask, noise, permute, reverse_map
from verikit.scale._open import open_table
from verikit.scale._scaled import Scaled, ScaledSplit

__all__ = [
    "Engine", "Scaled", "ScaledAudit", "ScaledMask", "ScaledSplit", "audit", "connect", "noise",
    "open_table", "permute", "reverse_map",
]  # fmt: skip
