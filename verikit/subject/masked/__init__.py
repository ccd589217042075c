"""A table of single values: the closest records, how far they are, and whether that is chance."""

from verikit.subject.masked import _check as _check

__all__: list[str] = []
