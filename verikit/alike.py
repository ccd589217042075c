"""The old name of `verikit.matching`, which answers to it."""

import sys

from verikit import matching

sys.modules[__name__] = matching
