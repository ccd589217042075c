"""The check of a record against a table whose values were drawn anew by known chances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verikit.languages import insert_phrases
from verikit.release import TableRelease, redraw_of
from verikit.subject._answer import assemble_report
from verikit.subject._check import Tests, checking
from verikit.subject._report import SubjectReport
from verikit.subject._requirement import Requirement
from verikit.subject.randomized import _find, _words
from verikit.subject.randomized._find import find_redrawn

JUDGES = {
    "k": "how many published rows may have been made from your values",
    "ell": insert_phrases(
        "in one of how many cases a guess may be right, of your row or a sensitive value, "
        "{rests:drawn}"
    ),
}


@checking(
    "randomized",
    judges=JUDGES,
    words="a table whose values were drawn anew, where rows have no places",
    release="table",
    when=lambda release, _: redraw_of(release) is not None,
)
def check_randomized(
    record: Mapping[str, Any], release: TableRelease, requirement: Requirement, _: Tests
) -> SubjectReport:
    """Find the rows that may be hers, and how surely they are taken for hers ([YQ]_ 4.2.2)."""
    return assemble_report(find_redrawn(record, release), _words, _find, requirement)
