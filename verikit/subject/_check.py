"""The check of one record: one function for every kind of release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from verikit._support import requests
from verikit._support.guard import guard
from verikit.alike import absent
from verikit.errors import RecordError, SchemaError
from verikit.ranks.spread import Criterion
from verikit.release import Release, SplitRelease, TableRelease
from verikit.subject import _chance_words as chance_words
from verikit.subject import _words as words
from verikit.subject._chance import (
    ALPHA,
    Chance,
    Crowd,
    Repeated,
    crowd,
    more_than_luck,
    repeat,
)
from verikit.subject._chance import chance as compare
from verikit.subject._generalized import check_generalized
from verikit.subject._masked import (
    Attribute,
    Copies,
    Findings,
    copies,
    find,
    nearest_end,
    window,
)
from verikit.subject._masked import diversity as spread_within
from verikit.subject._report import NOT_COMPARED, Figure, Headline, Sentence, SubjectReport
from verikit.subject._requirement import Requirement
from verikit.subject._split import check_split
from verikit.subject._words import cannot_tell

__all__ = ["check"]


@guard("The record or the release", RecordError)
def check(  # noqa: PLR0913 - one question, and what she may set about it
    record: Mapping[str, Any],
    release: Release,
    *,
    distance: int | Mapping[str, int] | None = None,
    diversity: float | Mapping[str, float] | None = None,
    criterion: str | Criterion = "variance",
    alpha: float = ALPHA,
    chance: bool = True,
    runs: int = 0,
    looks: int = 1,
) -> SubjectReport:
    """Check how well a release protects one record, with nothing but the two of them.

    For each attribute the released value closest to hers is found; then the released records
    whose ranks differ least from the ranks of these values, at worst over the attributes. A
    generalized table, or one published in parts, is checked by the groups that she fits.

    Parameters
    ----------
    record
        Her values by attribute; an attribute left out, or None, is not used.
    release
        What was published.
    distance
        The places she requires, for all attributes or one by one.
    diversity
        The diversity she requires of the released values within that distance.
    criterion
        How diversity is measured; see `Criterion`.
    alpha
        How many of the people who are not in the table at all may be warned by mistake.
    chance
        Whether to compare her match with chance. Without it there may be warnings, but never a
        "no warning".
    runs
        How often to repeat the published method with her record; 0 for not at all.
    looks
        How many different sets of her values are tried against this table in all. Every look adds
        a chance of a false warning, so ``alpha`` is divided among them.

    Returns
    -------
    SubjectReport
        Sentences with their conditions first, then the tables they rest on.

    Raises
    ------
    RecordError
        If a value, an attribute or a requirement cannot be used as given.
    SchemaError
        If a released column cannot be ranked.

    References
    ----------
    [DM]_ Definition 1, Algorithms 2 and 3, Table 3

    Notes
    -----
    Distances follow the gap rule, the smallest that any breaking of ties gives; all records at
    the smallest distance are matches. Condition (2) asks for *more than* the required variance,
    *at least* the required distinct, entropy or packing, and *at most* the required t-closeness.
    Costs about as much as sorting the columns once, and far less on a prepared release; the
    comparison with chance builds a tree of all records, some times as much, and asks it for a few
    thousand of them.

    Examples
    --------
    The paper's record 3 of the running example: record 10 is the match, at distances (4, 1, 4).

    >>> import verikit as vk
    >>> record = vk.load("dm_table1").record(2)
    >>> report = check(record, vk.published("dm_table1_masked"))
    >>> print(report.attributes[["attribute", "closest", "first_rank", "distance"]])
      attribute  closest  first_rank  distance
    0        X1   100.41           8         4
    1        X2   903.25           2         1
    2        X3  5087.90          16         4
    >>> report.matches["row"].tolist()
    [10]
    >>> report.figures[2]
    Figure(value='62 of 100', words='other records are as close to each other')
    """
    if isinstance(release, SplitRelease):
        _refuse_places(distance, diversity)
        return check_split(record, release)
    if not isinstance(release, TableRelease):
        raise SchemaError(
            f"The release was given as {type(release).__name__}; expected a release "
            "(verikit.open_release opens a folder or a file)."
        )
    if not len(release):
        return _nothing("The published table is empty, so there is nothing to compare with.")
    if release.generalized_in(_compared(record, release)):
        _refuse_places(distance, diversity)
        return check_generalized(record, release)
    findings = find(record, release)
    names = [a.column.name for a in findings.attributes]
    required = Requirement.of(names, distance, diversity, criterion)
    alpha = requests.share(alpha, "alpha", above=True, below=True)
    looks, runs = requests.whole(looks, "looks"), requests.whole(runs, "runs", least=0)
    testable = chance and cannot_tell(findings) is None
    tests = Comparisons(
        compare(findings, alpha, looks) if testable else None,
        crowd(findings),
        repeat(findings, runs) if runs else None,
        copies(findings),
    )
    return _masked_report(findings, required, tests)


def _compared(record: Any, release: TableRelease) -> list[str]:
    """The columns that a record is compared in: those it gives, of all that others may know."""
    known = [column.name for column in release.schema if column.role != "sensitive"]
    if not isinstance(record, (Mapping, pd.Series)):
        return known
    return [name for name in known if not absent(record.get(name))]


def _refuse_places(*asked: object) -> None:
    if any(part is not None for part in asked):
        raise RecordError(
            "A distance or diversity in places was required, but this table is generalized or "
            "published by groups, so its cells have no single rank; subject.check_generalized "
            "takes k and ell instead, subject.check_split takes ell."
        )


class Comparisons(NamedTuple):
    """What was tested beside the distance itself."""

    chance: Chance | None
    crowd: Crowd | None
    repeated: Repeated | None
    copies: Copies | None


def _nothing(reason: str) -> SubjectReport:
    return SubjectReport(Headline("cannot-tell", reason), (), (), {})


def _masked_report(findings: Findings, required: Requirement, tests: Comparisons) -> SubjectReport:
    attributes = _attribute_table(findings, required)
    given = {a.column.name for a in findings.attributes}
    left_out = [c.title for c in findings.release.schema if c.name not in given]
    reason = cannot_tell(findings)
    verdicts = [met for met in attributes["met"] if met is not None]
    return SubjectReport(
        headline=_headline(findings, tests, reason),
        figures=_figures(findings, tests),
        sentences=_sentences(findings, attributes, required, left_out, tests),
        tables={"attributes": attributes, "matches": _match_table(findings)},
        facts=_facts(findings, required, left_out, tests),
        notes=(*words.notes(findings, left_out), *required.notes()),
        met=all(verdicts) if verdicts and reason is None else None,
    )


def _headline(findings: Findings, tests: Comparisons, reason: str | None) -> Headline:
    """The worst state that applies."""
    warning = _warning(findings, tests)
    if warning is not None:
        return warning
    if reason is not None:
        return Headline("cannot-tell", reason)
    if tests.chance is None:
        return Headline("cannot-tell", NOT_COMPARED)
    if tests.chance.blind:
        return Headline("cannot-tell", chance_words.blind(tests.chance, len(findings.release)))
    return Headline(
        "no-warning",
        f"The closest published record is {words.places(findings.distance)} away from yours. This "
        "alone neither warns you nor shows that you are protected.",
    )


def _warning(findings: Findings, tests: Comparisons) -> Headline | None:
    n, links = len(findings.release), findings.release.reported_links
    if tests.crowd is not None and tests.crowd.fitting == 1 and n > 1:
        return Headline("warning-you", words.PICKED_OUT)
    if tests.chance is not None and tests.chance.warns:
        return Headline("warning-you", chance_words.closer(tests.chance))
    if tests.repeated is not None and tests.repeated.low > tests.repeated.luck:
        return Headline(
            "warning-you",
            "An attacker who repeats the published method finds you more often than by guessing.",
        )
    if links is not None and more_than_luck(links):
        return Headline("warning-table", words.linked(links, n))
    return None


def _figures(findings: Findings, tests: Comparisons) -> tuple[Figure, ...]:
    return (
        Figure(words.places(findings.distance), "your distance, at worst over the attributes"),
        _second_figure(findings, tests),
        _third_figure(findings, tests),
    )


def _second_figure(findings: Findings, tests: Comparisons) -> Figure:
    count = len(findings.rows)
    if tests.crowd is not None and tests.crowd.fitting == 1:
        return Figure("1 record", "fits what the publisher promises; if you are in, it is yours")
    if count == 1:
        return Figure("1 record", "is that close; it need not be yours")
    return Figure(f"{count:,} records", "are that close; at most one is yours")


def _third_figure(findings: Findings, tests: Comparisons) -> Figure:
    found = tests.chance
    if found is None:
        return Figure(f"{len(findings.release):,} records", "were published")
    return Figure(words.of_hundred(found.others), "other records are as close to each other")


def _sentences(
    findings: Findings,
    attributes: pd.DataFrame,
    required: Requirement,
    left_out: list[str],
    tests: Comparisons,
) -> tuple[Sentence, ...]:
    said = words.publisher_sentences(findings.release, tests.crowd, tests.repeated)
    matches = words.match_sentences(findings)
    picked_out = tests.crowd is not None and tests.crowd.fitting == 1
    said += [s for s in matches if not (picked_out and s.key == "S3")]
    if tests.copies is not None:
        said.append(chance_words.copies_sentence(tests.copies))
    said += chance_words.chance_sentences(tests.chance, len(findings.release))
    parts = [
        words.diversity_words(a.column.title, value, required.criterion, a.column.unit)
        for a, value in zip(findings.attributes, attributes["diversity"], strict=True)
    ]
    said.append(words.diversity_sentence(parts, required.criterion))
    said.append(words.limits_sentence(findings, left_out))
    paper = chance_words.paper_sentence(findings, tests.chance)
    return (*said, paper) if paper else tuple(said)


def _attribute_table(findings: Findings, required: Requirement) -> pd.DataFrame:
    lines = [
        _attribute_line(findings, at, required, attribute)
        for at, attribute in enumerate(findings.attributes)
    ]
    columns = {name: [line[name] for line in lines] for name in lines[0]}
    objects = ("met", "required_distance", "required_diversity")
    return pd.DataFrame(columns | {name: np.array(columns[name], object) for name in objects})


def _attribute_line(
    findings: Findings, at: int, required: Requirement, attribute: Attribute
) -> dict[str, Any]:
    name, attained = attribute.column.name, int(findings.attained[at])
    asked = required.distance[name]
    reach = attained if asked is None else asked
    spread = spread_within(attribute, reach, required.criterion)
    within = window(attribute, reach)
    value = float(attribute.values[findings.nearest_on(at)])
    match = attribute.tie(value)
    return {
        "attribute": name,
        "own": attribute.own,
        "closest": attribute.shown(attribute.closest),
        "first_rank": attribute.block.first,
        "last_rank": attribute.block.last,
        "match": attribute.shown(value),
        "match_rank": nearest_end(match, attribute.block),
        "distance": attained,
        "window_first": within.first,
        "window_last": within.last,
        "diversity": spread,
        "required_distance": asked,
        "required_diversity": required.diversity[name],
        "met": required.met(name, attained, spread),
        "match_first": match.first,
        "match_last": match.last,
    }


def _match_table(findings: Findings) -> pd.DataFrame:
    names = [attribute.column.name for attribute in findings.attributes]
    distances = pd.DataFrame(findings.distances, columns=names)
    distances.insert(0, "row", findings.rows + 1)
    return distances


def _facts(
    findings: Findings, required: Requirement, left_out: list[str], tests: Comparisons
) -> dict[str, Any]:
    return {
        "records": len(findings.release),
        "attributes": [a.column.name for a in findings.attributes],
        "left_out": left_out,
        "distance": findings.distance,
        "matches": len(findings.rows),
        "criterion": required.criterion.name,
        "direction": required.criterion.direction,
        "method": findings.release.method,
        "parameters": dict(findings.release.parameters),
        **{name: asdict(found) for name, found in tests._asdict().items() if found is not None},
    }
