"""The check of a record against groups of permuted numbers: which are left, and how far apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from verikit.languages import insert_phrases
from verikit.release import SplitRelease
from verikit.subject._answer import assemble_report
from verikit.subject._check import Tests, checking
from verikit.subject._report import SubjectReport
from verikit.subject._requirement import Requirement
from verikit.subject.numbers import _find, _words
from verikit.subject.numbers._find import find_numbers, numeric_columns

JUDGES = {
    "k": "how many different values of a sensitive number are left for you",
    "e": "how far apart the lowest and the highest of these values lie, in their unit",
    "ell": insert_phrases(
        "in one of how many cases a guess of your sensitive value may be right, {rests:links}"
    ),
}
KEPT = ("another order", "as it was")


def _keeps_numbers(release: SplitRelease, _: Iterable[str]) -> bool:
    """Whether each group holds the numbers of its people, and the rows of the first table do."""
    made_up = bool(release.parameters.get("fakes"))
    kept = release.promise in KEPT and not made_up and not release.permuted
    return kept and bool(numeric_columns(release))


@checking(
    "numbers",
    judges=JUDGES,
    words="a table whose numbers were permuted in groups, which has no places",
    release="split",
    when=_keeps_numbers,
)
def check_numbers(
    record: Mapping[str, Any], release: SplitRelease, requirement: Requirement, _: Tests
) -> SubjectReport:
    """Find the numbers that are left for her, how many differ, and how far apart they lie.

    Notes
    -----
    k counts different values, and e is met when it is reached ([QZ]_ Definition 2.4.2). Both are
    judged by all groups that she fits; where several do, the least of one group is said beside.
    """
    return assemble_report(find_numbers(record, release), _words, _find, requirement)
