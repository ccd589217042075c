"""A table whose values were drawn anew by known chances: which rows may be hers, how surely."""

from verikit.subject.randomized import _check as _check

__all__: list[str] = []
