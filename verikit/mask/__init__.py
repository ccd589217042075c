"""Methods that make a release from microdata: each returns ``Masked(release, key)``."""

from verikit.mask._anatomize import anatomize
from verikit.mask._generalize import generalize
from verikit.mask._masking import METHODS, Method
from verikit.mask._microaggregate import microaggregate
from verikit.mask._noise import noise
from verikit.mask._permute_all import permute_all
from verikit.mask._rank_swap import rank_swap
from verikit.mask._shuffle import shuffle

__all__ = [
    "METHODS",
    "Method",
    "anatomize",
    "generalize",
    "microaggregate",
    "noise",
    "permute_all",
    "rank_swap",
    "shuffle",
]
