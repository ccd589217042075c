"""Two tables joined by groups only: the groups that fit a person, and what they hold."""

from verikit.subject.split._check import check_split

__all__ = ["check_split"]
