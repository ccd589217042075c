"""Tables joined by groups that keep numbers apart: which are left for her, and how far apart."""

from verikit.subject.numbers import _check as _check

__all__: list[str] = []
