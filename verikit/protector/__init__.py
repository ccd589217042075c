"""The protector: what can be said of a release by whoever holds the original and the key."""

from verikit.protector._audit import audit
from verikit.protector._audit_report import AuditReport
from verikit.protector._baselines import Baselines, baselines
from verikit.protector._best import best as best
from verikit.protector._best import method_name as method_name
from verikit.protector._choose import Choice, choose, trade_off
from verikit.protector._correct import CorrectLinks, correct_by_subset, correct_links
from verikit.protector._exposure import Exposure, exposure, reporting
from verikit.protector._redrawn import cells_of as cells_of
from verikit.protector._redrawn import redrawn as redrawn
from verikit.protector._trial import Goal
from verikit.protector._trial import checked_knob as checked_knob

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
