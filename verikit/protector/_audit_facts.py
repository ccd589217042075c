"""The audit as facts: what may be handed out, and what only the protector may read.

Page and JSON are written from one dictionary of facts. What the public version must not say is not
in its facts, so no page made of them can say it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from verikit.protector._exposure import ANEW

if TYPE_CHECKING:
    from verikit.protector._audit import AuditReport
    from verikit.protector._exposure import Exposure


Facts = dict[str, Any]
LIMITS = (
    "Few right links do not mean that nobody can be found: who knows more may find more.",
    "Numbers for all people say nothing of one person. Each can check her own record.",
    "Only the columns named here were compared, and no other table about the same people.",
    "Membership and guessed values are baselines: simple attacks that a skilled one exceeds.",
    "No test of this kind proves that people are protected.",
)


def audit_facts(report: AuditReport, internal: bool) -> Facts:
    """Collect what a document says; for the public without values, records and candidates."""
    exposure, baselines = report.exposure, report.baselines
    guesses: list[Facts] = []
    if baselines is not None:
        lines = baselines.to_frame().round(4).to_dict("records")
        guesses = [
            {**line, "said": part.sentences}
            for line, part in zip(lines, baselines.all, strict=True)
        ]
    found: Facts = {
        "document": "audit of a release",
        "internal": internal,
        "records": report.records,
        "columns": list(report.attributes),
        "not_compared": list(report.not_compared),
        "method": report.method,
        "links": _link_facts(exposure, internal),
        "undone": exposure.undone if exposure else "",
        "baselines": guesses,
        "others": ANEW if baselines else "",
        "requirement": _requirement_facts(report, internal),
        "does_not_mean": list(LIMITS),
    }
    if not internal:
        return found
    # what tells of single records, or how to attack them
    found["places_of_every_record"] = report.largest
    found["records_one_by_one"] = _to_lines(report.to_frame())
    if exposure is not None:
        found["attacks"] = _to_lines(exposure.found.to_frame())
        found["columns_least_masked_first"] = _to_lines(exposure.found.attributes)
        found["sets_of_columns"] = _to_lines(exposure.sets)
        found["candidates"] = _to_lines(exposure.candidates)
    return found


def _link_facts(exposure: Exposure | None, internal: bool) -> Facts | None:
    """Tell the right links; in public never more than that they are more than half.

    Whoever is told that nearly all of his links are right knows which are.
    """
    if exposure is None:
        return None
    found = exposure.found
    many = 2 * found.count > found.records
    told: Facts = {
        "attack": found.attack,
        "attacks": len(found.attempts),
        "right": found.count if internal or not many else None,
        "more_than_half": many,
        "of": found.records,
        "luck": round(found.luck, 2),
        "more_than_luck": found.more_than_luck,
    }
    more = {"p": found.p, "share": found.share, "low": found.low, "high": found.high}
    return told | more if internal else told


def _requirement_facts(report: AuditReport, internal: bool) -> Facts | None:
    if report.met is None:
        return None
    required = report.requirement
    told: Facts = {
        "distance": dict(required.distance),
        "diversity": dict(required.diversity),
        "criterion": required.criterion.name,
        "direction": required.criterion.direction,
        "met": report.met,
    }
    failed = int(report.failed.any(axis=1).sum())
    return {**told, "failed": failed} if internal else told


def _to_lines(frame: Any) -> list[Facts]:
    return [
        {str(name): _json_value(value) for name, value in line.items()}
        for line in frame.to_dict("records")
    ]


def _json_value(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not np.isfinite(value) else value


def to_json(told: Facts) -> str:
    """Write the facts as JSON, one fact a line."""
    return json.dumps(told, indent=1, ensure_ascii=False, default=_json_value)
