"""Methods that make a release from microdata: each returns ``Masked(release, key)``."""

from verikit.mask._generalize import generalize
from verikit.mask._masking import METHODS, Method
from verikit.mask._noise import noise

__all__ = ["METHODS", "Method", "generalize", "noise"]
