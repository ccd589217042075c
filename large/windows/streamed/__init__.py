"""A check against a table of single values that is not loaded."""

from verikit.large.streamed import _check as _check

__all__: list[str] = []
