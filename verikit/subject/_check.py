"""The check of one record: one function for every kind of release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from verikit._support.guard import guard
from verikit._support.requests import one_of
from verikit.alike import absent
from verikit.errors import RecordError, quoted
from verikit.languages import LANGUAGES, speaks_of, spoken_language, translate_errors, use_language
from verikit.ranks.spread import Criterion
from verikit.release import Release, open_where
from verikit.subject._checking import ALPHA, Tests, kind_of
from verikit.subject._repeated import Repeated
from verikit.subject._report import SubjectReport
from verikit.subject._requirement import Requirement
from verikit.subject._say import head
from verikit.subject._typed import understood

__all__ = ["check"]


@guard("The record or the release", RecordError)
def check(  # noqa: PLR0913 - one question, and what she may set about it
    record: Mapping[str, Any],
    release: Release | str | Path,
    *,
    distance: int | Mapping[str, int] | None = None,
    diversity: float | Mapping[str, float] | None = None,
    criterion: str | Criterion = "variance",
    k: int | None = None,
    ell: int | None = None,
    e: float | None = None,
    node: str | None = None,
    alpha: float = ALPHA,
    chance: bool = True,
    runs: int | Repeated = 0,
    looks: int = 1,
    language: str = "en",
) -> SubjectReport:
    """Check how well a release protects one record, with nothing but the two of them.

    For each attribute the released value closest to hers is found; then the released records
    whose ranks differ least from the ranks of these values, at worst over the attributes. A
    generalized table, or one published in parts, is checked by the groups that she fits; a table
    whose values were drawn anew by the rows that may have been made from hers.

    Parameters
    ----------
    record
        Her values by attribute; an attribute left out, or None, is not used. Numbers may be text
        as people write it, such as ``"100,87"``; how it was read stands in the notes.
    release
        What was published; or where it lies, a folder, a file or a relation of DuckDB, so that it
        is not loaded but read in batches.
    distance
        The places she requires, for all attributes or one by one.
    diversity
        The diversity she requires of the released values within that distance; a variance, unless
        another criterion is given.
    criterion
        How diversity is measured; see `Criterion`.
    k
        How many records she requires to fit her values, in a generalized table; in a randomized
        one, how many may have been made from them; where numbers are permuted in groups, how many
        different ones are to be left for her.
    ell
        How many different sensitive values she requires these to show; in tables joined by groups,
        in one of how many cases a guess may be right, as in a randomized table.
    e
        How far apart the lowest and the highest number left for her are to lie, where numbers are
        permuted in groups.
    node
        The group of values that may be known of her, in a release that shows a target: below it
        nothing but the target is to be seen.
    alpha
        How many of the people who are not in the table at all may be warned by mistake.
    chance
        Whether to compare her match with chance. Without it there may be warnings, but never a
        "no warning".
    runs
        How often to repeat the published method with her record; 0 for not at all. Or what
        `repetition` found.
    looks
        How many different sets of her values are tried against this table in all. Every look adds
        a chance of a false warning, so ``alpha`` is divided among them.
    language
        In which language to answer, such as ``"de"``. Other languages than English have
        sentences for tables of single values, generalized tables and tables joined by groups. The
        conditions (``because``), what is refused for her values, and the slip speak the same; the
        names of methods, and what only a programmer can do wrong, stay English.

    Returns
    -------
    SubjectReport
        Sentences with their conditions first, then the tables they rest on.

    Raises
    ------
    RecordError
        If a value, an attribute or a requirement cannot be used as given, or the release cannot
        judge the requirement.
    SchemaError
        If a released column cannot be ranked, or there is no check for such a release.

    References
    ----------
    [DM]_ Definition 1, Algorithms 2 and 3, Table 3; [QZ]_ Definition 2.4.2; [YQ]_ section 4.2.2

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

    Where numbers are permuted in groups, Alex is left with three salaries that lie 2000 apart.

    >>> alex = {"age": 35, "zipcode": "27101", "gender": "M"}
    >>> [check(alex, vk.published("qz_table2_3"), k=3, e=e).met for e in (2000, 10_000)]
    [True, False]

    Where values were drawn anew, a row with Jacob's values need not be his.

    >>> jacob = {"Age": "[30-40]", "Job": "Clerk", "Country": "USA"}
    >>> print(check(jacob, vk.published("yq_figure5")).sentence("V3"))
    To someone who knows how frequent each single value is, and nothing else, a row that shows all
    your values was made from them in 43 of 100 cases if the publisher's chances hold.
    """
    one_of(language, "language", LANGUAGES)
    with use_language(language), translate_errors():
        asked = Requirement(distance, diversity, criterion, k, ell, e, node)
        opened = _opened(release, _given(record))
        return _spoken(record, opened, asked, Tests.of(alpha, chance, runs, looks))


def _spoken(
    record: Mapping[str, Any], opened: Release, requirement: Requirement, tests: Tests
) -> SubjectReport:
    """The answer in the language that is spoken, if it stands there."""
    kind, language = kind_of(opened, _given(record)), spoken_language().code
    if not speaks_of(language, kind.says):
        raise RecordError(
            f"The language was given as {quoted(language)}, but what is said of {kind.words} "
            "stands in English only; leave the language out.",
            field="language",
            value=language,
        )
    if not len(opened):
        return SubjectReport(head("common.empty"), (), (), {})
    known, notes = understood(record, opened)
    report = kind.run(known, opened, requirement.judged(kind.judges, kind.words), tests)
    return replace(report, notes=(*notes, *report.notes)) if notes else report


def _opened(release: Any, names: list[str] | None) -> Any:
    """Open what was published, where it was given by its place."""
    return release if getattr(release, "kind", None) is not None else open_where(release, names)


def _given(record: Any) -> list[str] | None:
    """The names of the values that a record gives; None where it is no record."""
    if not isinstance(record, (Mapping, pd.Series)):
        return None
    return [name for name, value in record.items() if not absent(value)]
