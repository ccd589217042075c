"""The protector: what can be said of a release by whoever holds the original and the key."""

from verikit.protector._audit import audit
from verikit.protector._audit_report import AuditReport
from verikit.protector._baselines import Baselines, baselines
from verikit.protector._choose import Choice, choose, trade_off
from verikit.protector._correct import CorrectLinks, correct_by_subset, correct_links
from verikit.protector._exposure import Exposure, exposure, reporting
from verikit.protector._trial import Goal

__all__ = [
    "AuditReport",
    "Baselines",
    "Choice",
    "CorrectLinks",
    "Exposure",
    "Goal",
    "audit",
    "baselines",
    "choose",
    "correct_by_subset",
    "correct_links",
    "exposure",
    "reporting",
    "trade_off",
]
