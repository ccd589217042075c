"""The check of a record against a table of single values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verikit.release import TableRelease
from verikit.subject._answer import assemble_report
from verikit.subject._check import Tests, checking
from verikit.subject._report import SubjectReport
from verikit.subject._requirement import Requirement
from verikit.subject.masked import _tables, _words
from verikit.subject.masked._chance import compare_with_chance, count_candidates
from verikit.subject.masked._compared import Compared
from verikit.subject.masked._find import find_closest, find_copies
from verikit.subject.masked._pairs import undone_pairs
from verikit.subject.masked._repeat import repeat_method

JUDGES = {
    "distance": "places from the closest record",
    "diversity": "how much the published values within these places differ",
}


@checking("masked", judges=JUDGES, words="a table of single values", release="table")
def check_masked(
    record: Mapping[str, Any], release: TableRelease, requirement: Requirement, tests: Tests
) -> SubjectReport:
    """Find the closest records, and compare her match with chance."""
    findings = find_closest(record, release)
    required = requirement.among([a.column.name for a in findings.attributes])
    testable = tests.chance and _words.cannot_tell(findings) is None
    found = Compared(
        findings,
        required,
        compare_with_chance(findings, tests.alpha, tests.looks) if testable else None,
        count_candidates(findings),
        repeat_method(findings, tests.runs) if isinstance(tests.runs, int) else tests.runs,
        find_copies(findings),
        undone_pairs(release),
        _tables.attribute_table(findings, required),
    )
    return assemble_report(found, _words, _tables, requirement)
