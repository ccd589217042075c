"""The checks of a record against a table that is read in batches, and against an index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from verikit.errors import RecordError
from verikit.large import _index_words
from verikit.large._index import Index
from verikit.large._open import load_whole, small_enough
from verikit.large._source import check_room
from verikit.large._stream import Stream, search, share_of_copies, share_of_unique
from verikit.large._stream_chance import compare_by_sample
from verikit.ranks import Near
from verikit.subject import (
    Repeated,
    Required,
    Requirement,
    SubjectReport,
    Tests,
    checking,
    kind_of,
    make_report,
    masked,
    understand_record,
)

CELLS = 6 * 10**6  # up to here the comparison with chance takes some seconds


@checking(
    "streamed",
    judges={name: masked.JUDGES[name] for name in ("distance", "diversity")},
    words="a table that is not loaded",
    release="stream",
    says="masked",
)
def check_streamed(
    record: Mapping[str, Any], release: Stream, requirement: Requirement, tests: Tests
) -> SubjectReport:
    """Find the closest records in one pass or a few, and say of them what is said in memory."""
    given, scores = masked.read_given_values(record, release.schema)
    if len(scores) < len(given):  # a column without an order is compared in memory
        whole = load_whole(release)
        known, _ = understand_record(record, whole)
        return kind_of(whole, list(given)).run(known, whole, requirement, tests)
    required = requirement.among(list(given))
    near = search(release, scores, _required_places(release, required))
    attributes = masked.attributes_near(near, release, given, scores)
    if _compares_columns(required):  # which compares with the whole column
        check_room(8 * len(release), "The values of one column", "choose another criterion")
        attributes = tuple(replace(a, ordered=np.asarray(a.ordered)) for a in attributes)
    at = near.closest
    closest = at, near.rows[at], near.gaps[at]
    findings = masked.Findings.in_order(attributes, near.values, *closest, release, near.nothing)
    chances, repeated = _compare_with_chance(record, near, findings, tests)
    names = list(given)
    found = masked.Compared(
        findings,
        required,
        chances,
        masked.count_candidates(findings, near.nothing),
        repeated,
        masked.find_copies(findings, lambda: share_of_copies(release, names)),
        masked.undone_pairs(release, lambda _, name: share_of_unique(release, name)),
        masked.attribute_table(findings, required),
    )
    return make_report(
        found,
        requirement,
        masked.list_headlines(found),
        masked.list_lines(found),
        masked.list_unmet(found),
    )


def _compares_columns(required: Required) -> bool:
    """Whether a criterion compares a window with the whole column."""
    return any(criterion.direction == "at most" for criterion in required.criteria.values())


def _required_places(release: Stream, required: Required) -> dict[str, int]:
    """The places that must be known beside hers: those required, promised, or all of them."""
    promised = release.parameters.get("places") if release.permutation else None
    promised = promised if isinstance(promised, dict) else {}
    every = len(release) if _compares_columns(required) else 0
    return {
        name: max(
            places or 0, every, int(promised[name]) if masked.is_count(promised.get(name)) else 0
        )
        for name, places in required.distance.items()
    }


def _compare_with_chance(
    record: Mapping[str, Any], near: Near, findings: masked.Findings, tests: Tests
) -> tuple[masked.Chance | None, Repeated | None]:
    """The comparison with chance, and the method repeated, which both want a table at hand."""
    release, runs = findings.release, tests.runs
    testable = tests.chance and not masked.find_obstacle(findings)
    again = runs if isinstance(runs, int) else 0
    if again and not small_enough(release):
        raise RecordError(
            f"The method was to be repeated {again} times, but a table of {len(release):,} "
            "records is too large for it; leave out runs."
        )
    names = [a.column.name for a in findings.attributes]
    small = len(release) * len(names) <= CELLS
    held = masked.find_closest(record, release.whole()) if (small and testable) or again else None
    repeated = (
        runs if isinstance(runs, Repeated) else masked.repeat_method(held, again) if held else None
    )
    if not testable:
        return None, repeated
    if held and small:
        return masked.compare_with_chance(held, tests.alpha, tests.looks), repeated
    return compare_by_sample(release, names, near, tests.alpha, tests.looks), repeated


INDEX_JUDGES = {"distance": "places from the closest record"}


@checking("indexed", judges=INDEX_JUDGES, words="the short form of a table", release="index")
def check_indexed(
    record: Mapping[str, Any], release: Index, requirement: Requirement, _: Tests
) -> SubjectReport:
    """Bound the distance to the closest record."""
    given, scores = masked.read_given_values(record, release.schema)
    required = requirement.among(list(given))
    found = _index_words.Bounded(release, given, release.bounds(scores), required)
    headlines = [masked.list_links_lines(release)[0], ("indexed.cannot-tell", True, {})]
    lines, unmet = _index_words.list_lines(found), _index_words.list_unmet(found)
    return make_report(found, requirement, headlines, lines, unmet)
