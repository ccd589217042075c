"""The check of a name against a published graph: whom it hides among, and what links look like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verikit._support.guard import guard
from verikit._support.requests import within
from verikit.errors import RecordError, SchemaError
from verikit.languages import insert_phrases
from verikit.release import GraphRelease, by_nodes
from verikit.subject._answer import assemble_report
from verikit.subject._check import Tests, checking
from verikit.subject._report import SubjectReport
from verikit.subject._requirement import Requirement
from verikit.subject.graph import _find, _words
from verikit.subject.graph._find import find_linked

JUDGES = {
    "k": "how many your group holds, you among them",
    "ell": insert_phrases(
        "in one of how many cases a guess of a link of yours may be right, {rests:nodes}"
    ),
}


@guard("The record or the release", RecordError)
def check_graph(
    record: Mapping[str, Any],
    release: GraphRelease,
    *,
    k: int | None = None,
    ell: int | None = None,
    sure: float = 0.9,
) -> SubjectReport:
    """Check what a published graph gives away about the links of one name.

    Anybody finds the group of her name, and the nodes that may be hers. How likely a link of hers
    to another name looks is the share of pairs of nodes of both groups that are linked. Each link
    of others that somebody learns takes nodes away from those that may be hers.

    Parameters
    ----------
    record
        Her name, under what the names of her side are called. A name of the other side may be
        given too: a link of hers, which tells how likely it looks and what learning it gives away.
        The other name alone is looked up itself.
    release
        What was published.
    k
        How many she requires her group to hold.
    ell
        She requires that no guess of a link of hers is right in more than one of so many cases, if
        within a group each node is equally likely for every name.
    sure
        From which chance on a guess of a link is a warning.

    Returns
    -------
    SubjectReport
        Sentences with their conditions first; then the ``links`` she may have, by group of the
        other side, and ``learned``: how sure a guess may become with each link of others that is
        learned.

    Raises
    ------
    RecordError
        If no name is given, a column is not one of the names, or a requirement makes no sense.
    SchemaError
        If there is no published graph.

    References
    ----------
    [QZ]_ Lemma 4.4.1, Theorem 7, section 4.4.6

    Notes
    -----
    Every way to give the names of a group to its nodes is taken as equally likely. After r learned
    links of others a guess is right in one of k - r cases at most, for a group of k where no two
    nodes are linked to the same; at k - 1 it may be certain (fact BG-25). O(e) for e links.

    Examples
    --------
    >>> import verikit as vk
    >>> graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    >>> groups = vk.Partition.of([0, 0, 1, 0, 1, 1]), vk.Partition.of([0, 1, 1, 0, 1, 0])
    >>> release = vk.mask.group_nodes(graph, 3, 3, groups=groups, seed=5).release
    >>> report = check_graph({"Author": "a1", "Paper": "p2"}, release)
    >>> print(report.headline.text)
    The best guess of a link of yours is right in 33 of 100 cases if within a group each node is
    equally likely for every name; whoever learns from the whole graph or repeats the publisher's
    method may do better.
    >>> report.tables["learned"]["of 100 at most"].round().tolist()
    [33.0, 50.0, 100.0]
    """
    share = within(sure, "sure", 0, 1)
    if not by_nodes(release):
        raise SchemaError(
            f"check_graph was given {type(release).__name__}; expected GraphRelease, such as "
            "mask.group_nodes makes."
        )
    return _check(record, release, Requirement(k=k, ell=ell), Tests(), share)


@checking("graph", judges=JUDGES, words="a published graph, which has no places")
def _check(
    record: Mapping[str, Any],
    release: GraphRelease,
    requirement: Requirement,
    _: Tests,
    sure: float = 0.9,
) -> SubjectReport:
    return assemble_report(find_linked(record, release, sure), _words, _find, requirement)
