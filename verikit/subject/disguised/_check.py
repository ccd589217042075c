"""The check of a record against a release with a target: what its groups tell of her value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verikit._support.guard import guard
from verikit._support.requests import within
from verikit.errors import RecordError, SchemaError
from verikit.languages import insert_phrases
from verikit.matching import shows_target
from verikit.release import SplitRelease
from verikit.subject._answer import assemble_report
from verikit.subject._check import Tests, checking
from verikit.subject._report import SubjectReport
from verikit.subject._requirement import Requirement
from verikit.subject.disguised import _find, _words
from verikit.subject.disguised._find import find_inferred

JUDGES = {
    "node": "the group of values that may be known of you, and nothing below it but the target",
    "ell": insert_phrases(
        "in one of how many cases a guess of your sensitive value may be right, {rests:target}"
    ),
}


@guard("The record or the release", RecordError)
def check_disguised(
    record: Mapping[str, Any],
    release: SplitRelease,
    *,
    node: str | None = None,
    ell: int | None = None,
    sure: float = 0.9,
) -> SubjectReport:
    """Check what a release with a target gives away about one record.

    Someone who knows her values looks for the groups she may be in. Each value that they publish
    may be hers; one that stands for several is read as the target says. What he infers is a
    distribution over all values, which she compares with the target that was published.

    Parameters
    ----------
    record
        Her values by column; a quasi-identifier left out, or None, is not used. Her sensitive
        value may be given too, and then tells how likely he is to guess it.
    release
        What was published.
    node
        The group of values that she lets everybody know of her; below it nothing but the target
        is to be seen.
    ell
        She requires that no guess is right in more than one of so many cases, if within a group
        each value is equally likely for everyone and read as the target says.
    sure
        From which chance on a guess of her value is a warning, if the target does not give it as
        surely.

    Returns
    -------
    SubjectReport
        Sentences with their conditions first; then the ``distribution`` that can be inferred
        beside the target, from left to right; the likeliest ``values`` where there are more than
        16; and the ``groups`` that fit.

    Raises
    ------
    RecordError
        If a column, a value, a node or a requirement cannot be used as given.
    SchemaError
        If the release was not made for a target.

    References
    ----------
    [QZ]_ Definitions 3.3.1, 3.3.2, 5.3.1 and 5.3.2

    Notes
    -----
    A requirement is respected if every group she fits that shows anything of it shows just the
    target below it, and one does. One pass over the rows, and a walk over the tree.

    Examples
    --------
    >>> import pandas as pd
    >>> import verikit as vk
    >>> frame = pd.DataFrame({"zip": list("ppqqqq"), "pay": [30, 30, 40, 40, 50, 60]})
    >>> columns = (vk.Column("zip", kind="nominal"), vk.Column("pay", "sensitive"))
    >>> target = vk.targets.balanced([30, 40, 50, 60])
    >>> data = vk.Microdata(frame, vk.Schema(columns))
    >>> release = vk.mask.disguise(data, hierarchy=target, seed=7).release
    >>> report = check_disguised({"zip": "q", "pay": 50}, release, node="[50, 60]")
    >>> report.met, report.tables["distribution"]["of 100 for you"].tolist()
    (True, [25.0, 25.0, 25.0, 25.0])
    """
    share = within(sure, "sure", 0, 1)
    if not shows_target(release):
        raise SchemaError(
            "The release was not made for a target, or has not one sensitive column; use "
            "verikit.check, which finds the check of each kind."
        )
    return _check(record, release, Requirement(node=node, ell=ell), Tests(), share)


@checking(
    "disguised",
    judges=JUDGES,
    words="a table that shows a chosen distribution, which has no places",
    release="split",
    when=lambda release, _: shows_target(release),
)
def _check(
    record: Mapping[str, Any],
    release: SplitRelease,
    requirement: Requirement,
    _: Tests,
    sure: float = 0.9,
) -> SubjectReport:
    return assemble_report(
        find_inferred(record, release, requirement.node, sure), _words, _find, requirement
    )
