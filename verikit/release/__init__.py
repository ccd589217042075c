"""What leaves the house and what stays: releases, keys, and their way to disk and back."""

from verikit.release._key import Key
from verikit.release._masked import KINDS, Masked, Release
from verikit.release._open import open_release
from verikit.release._split import SplitRelease
from verikit.release._table import TableRelease

__all__ = ["KINDS", "Key", "Masked", "Release", "SplitRelease", "TableRelease", "open_release"]
