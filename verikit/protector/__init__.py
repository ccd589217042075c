"""The protector: what can be said of a release by whoever holds the original and the key."""

from verikit.protector._audit import AuditReport, audit
from verikit.protector._correct import CorrectLinks, correct_by_subset, correct_links

__all__ = ["AuditReport", "CorrectLinks", "audit", "correct_by_subset", "correct_links"]
