"""The short form of a table of single values: between what her distance lies."""

from verikit.large.indexed import _check as _check

__all__: list[str] = []
