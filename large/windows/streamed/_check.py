"""The check of a record against a table of single values that is read in batches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit.errors import RecordError
from verikit.large._open import small_enough
from verikit.large._search import Near, search
from verikit.large._stream import Stream
from verikit.large.streamed._chance import sampled_chance
from verikit.large.streamed._copies import share_of_copies, share_of_unique
from verikit.release import TableRelease
from verikit.subject import (
    Repeated,
    Required,
    Requirement,
    SubjectReport,
    Tests,
    assembled,
    checking,
)
from verikit.subject.masked import (
    JUDGES,
    Attribute,
    Chance,
    Compared,
    Copies,
    Crowd,
    Findings,
    chance,
    crowd,
    find,
    given_values,
    repeat,
    tables,
    undone_pairs,
    words,
)
from verikit.table import number

__all__ = ["check_streamed"]

CELLS = 6 * 10**6  # up to here the comparison with chance takes some seconds


@checking(
    "streamed", judges=JUDGES, words="a table of single values", release="stream", says="masked"
)
def check_streamed(
    record: Mapping[str, Any], release: Stream, requirement: Requirement, tests: Tests
) -> SubjectReport:
    """Find the closest records in one pass or a few, and say of them what is said in memory."""
    held = cast("TableRelease", release)
    given = given_values(record, held)
    scores = {name: _score(release, name, value) for name, value in given.items()}
    required = requirement.among(list(given))
    near = search(release, scores, _least(release, required))
    findings = _findings(near, release, given, scores, required)
    chances, repeated = _tested(record, near, findings, tests)
    found = Compared(
        findings,
        required,
        chances,
        _crowd(near, findings),
        repeated,
        _copies(near, findings, release),
        undone_pairs(held, lambda _, name: share_of_unique(release, name)),
        tables.attribute_table(findings, required),
    )
    return assembled(found, words, tables, requirement)


def _score(release: Stream, name: str, value: Any) -> float:
    column = release.schema[name]
    return number(value, name) if column.kind == "numeric" else column.score(value)


def _least(release: Stream, required: Required) -> dict[str, int]:
    """The places that must be known beside hers: those required, promised, or all of them."""
    promised = release.parameters.get("places") if release.permutation else None
    promised = promised if isinstance(promised, dict) else {}
    every = len(release) if required.criterion.direction == "at most" else 0
    return {
        name: max(places or 0, every, _whole(promised.get(name)))
        for name, places in required.distance.items()
    }


def _whole(places: Any) -> int:
    usable = isinstance(places, (int, float)) and 0 <= places < np.inf
    return int(places) if usable else 0


class _Picked:
    """The values of some rows of a column, looked up by the numbers of the rows."""

    def __init__(self, rows: Rows, values: Floats, size: int) -> None:
        self.rows, self.values, self.size = rows, values, size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, row: Any) -> Any:
        return self.values[np.searchsorted(self.rows, row)]


def _findings(
    near: Near,
    release: Stream,
    given: Mapping[str, Any],
    scores: Mapping[str, float],
    required: Required,
) -> Findings:
    """What was found, as `find` gives it, of columns that are known near her values only."""
    every = required.criterion.direction == "at most"
    attributes = tuple(
        Attribute(
            release.schema[name],
            own,
            scores[name],
            cast("Any", _Picked(near.rows, near.values[at], len(release))),
            cast("Any", near.columns[at].array() if every else near.columns[at]),
            near.blocks[at],
        )
        for at, (name, own) in enumerate(given.items())
    )
    worst = near.gaps.max(axis=1)
    best = np.flatnonzero(worst == worst.min())
    distances = near.gaps[best]
    order = np.lexsort([*(part[best] for part in near.values), *distances.T[::-1]])
    rows = near.rows[best[order]]
    return Findings(attributes, rows, distances[order], cast("TableRelease", release))


def _crowd(near: Near, findings: Findings) -> Crowd | None:
    """The records within the published bound, of those in all windows, which reach as far.

    Those that show nothing fit whatever the bound; one of them stands for all.
    """
    some = min(near.nothing, 1)
    nearby = SimpleNamespace(
        attributes=[
            _MayMiss(a.column, a.own, a.score, np.r_[values, [np.nan] * some], a.ordered, a.block)
            for a, values in zip(findings.attributes, near.values, strict=True)
        ],
        release=_Nearby(findings.release, len(near.rows) + some),
    )
    found = crowd(cast("Findings", nearby))
    return found and replace(found, fitting=found.fitting + near.nothing - some)


class _MayMiss(Attribute):
    """A column of which some records only are at hand, and any of them may miss its value."""

    __slots__ = ()

    @property
    def missing(self) -> int:
        """How many of these records have no value."""
        return int(np.count_nonzero(np.isnan(self.values)))


class _Nearby:
    """The records in all windows of a release."""

    def __init__(self, release: Any, size: int) -> None:
        self.parameters, self.permutation = release.parameters, release.permutation
        self.size = size

    def __len__(self) -> int:
        return self.size


def _copies(near: Near, findings: Findings, release: Stream) -> Copies | None:
    alike = [v == a.score for v, a in zip(near.values, findings.attributes, strict=True)]
    hers = int(np.count_nonzero(np.all(alike, axis=0)))
    if not hers:
        return None
    return Copies(hers, share_of_copies(release, [a.column.name for a in findings.attributes]))


def _tested(
    record: Mapping[str, Any], near: Near, findings: Findings, tests: Tests
) -> tuple[Chance | None, Repeated | None]:
    """The comparison with chance, and the method repeated, which both want a table at hand."""
    release, runs = cast("Stream", findings.release), tests.runs
    testable = tests.chance and words.cannot_tell(findings) is None
    again = runs if isinstance(runs, int) else 0
    if again and not small_enough(release):
        raise RecordError(
            f"The method was to be repeated {again} times, but a table of {len(release):,} "
            "records is too large for it; leave out runs."
        )
    names = [a.column.name for a in findings.attributes]
    small = len(release) * len(names) <= CELLS
    held = find(record, release.whole()) if (small and testable) or again else None
    repeated = runs if isinstance(runs, Repeated) else repeat(held, again) if held else None
    if not testable:
        return None, repeated
    if held and small:
        return chance(held, tests.alpha, tests.looks), repeated
    return sampled_chance(release, names, near, tests.alpha, tests.looks), repeated
