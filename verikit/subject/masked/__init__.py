"""A table of single values: the closest records, how far they are, and whether that is chance."""

from verikit.subject.masked import _check as _check
from verikit.subject.masked import _tables as tables
from verikit.subject.masked import _words as words

__all__ = ["tables", "words"]
