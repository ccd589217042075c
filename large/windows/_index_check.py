"""The check of a record against an index, the short form of a published table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from verikit.large import _index_words
from verikit.large._index import Bounds, Index
from verikit.subject import (
    Given,
    Required,
    Requirement,
    SubjectReport,
    Tests,
    assemble_report,
    checking,
)
from verikit.subject.masked import read_given_values, score_values

JUDGES = {"distance": "places from the closest record"}


@dataclass(frozen=True, slots=True, eq=False)
class Bounded(Given):
    """What an index tells of one record."""

    release: Index
    known: Mapping[str, Any]
    bounds: Bounds
    required: Required

    @property
    def widest(self) -> int:
        """The largest bucket of the columns she gave a value of."""
        return max(self.release.of(name).widest for name in self.known)


@checking("indexed", judges=JUDGES, words="the short form of a table", release="index")
def check_indexed(
    record: Mapping[str, Any], release: Index, requirement: Requirement, _: Tests
) -> SubjectReport:
    """Bound the distance to the closest record."""
    given = read_given_values(record, release.schema)
    scores = score_values(given, release.schema)
    required = requirement.among(list(given))
    found = Bounded(release, given, release.bounds(scores), required)
    return assemble_report(found, _index_words, _index_words, requirement)
