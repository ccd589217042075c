"""Sensitive values that show a chosen target: what anybody can infer of a person's own."""

from verikit.subject.disguised._check import check_disguised

__all__ = ["check_disguised"]
