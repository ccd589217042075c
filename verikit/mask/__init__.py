"""Methods that make a release from microdata: each returns ``Masked(release, key)``."""

from verikit.mask._anatomize import anatomize
from verikit.mask._generalize import generalize
from verikit.mask._masking import METHODS, Method
from verikit.mask._noise import noise
from verikit.mask._permute_all import permute_all

__all__ = ["METHODS", "Method", "anatomize", "generalize", "noise", "permute_all"]
