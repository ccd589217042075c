"""A generalized table: the records that fit a person, and what they show."""

from verikit.subject.generalized._check import check_generalized

__all__ = ["check_generalized"]
