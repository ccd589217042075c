"""A published graph: the group of a name, and how likely each of its links looks."""

from verikit.subject.graph._check import check_graph

__all__ = ["check_graph"]
