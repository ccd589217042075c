"""How closely made-up records match a release: exactly, nearly, or from other people's records.

Arrays come in, arrays go out. A release is given as the blocks of ranks of its records, one row a
record and one column an attribute; ``drawn`` are the blocks that the ranks 1 to n stand for in the
columns which made-up records are drawn from, by default the release's own.
"""

from verikit.ranks.luck._closed_form import closed_form
from verikit.ranks.luck._conformal import conformal
from verikit.ranks.luck._correlated import correlated
from verikit.ranks.luck._drawn import Blocks, by_rank, made_up
from verikit.ranks.luck._exact import exact
from verikit.ranks.luck._karp_luby import karp_luby
from verikit.ranks.luck._leave_one_out import leave_one_out
from verikit.ranks.luck._success import estimated_success

__all__ = [
    "Blocks", "by_rank", "closed_form", "conformal", "correlated", "estimated_success", "exact",
    "karp_luby", "leave_one_out", "made_up",
]  # fmt: skip
