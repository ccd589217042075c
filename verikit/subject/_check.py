"""The check of one record: one function for every kind of release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

import pandas as pd

from verikit._support.guard import guard
from verikit._support.plotted import Plotted
from verikit._support.requests import one_of, share, whole
from verikit.errors import RecordError, SchemaError, quoted
from verikit.languages import LANGUAGES, sentence_text, speaks_of, translate_errors, use_language
from verikit.matching import is_absent
from verikit.ranks.spread import Criterion
from verikit.release import Release, open_for_check
from verikit.subject._known import understand_record
from verikit.subject._report import Headline, SubjectReport
from verikit.subject._requirement import MEASURES, Requirement
from verikit.subject._together import Alone, join_reports
from verikit.words import listed

ALPHA = 0.01


RUNS = 100_000  # the most; a share is known to three digits by then


@dataclass(frozen=True, slots=True)
class Repeated(Plotted):
    """How often an attacker finds her when the published method is repeated on this table.

    Parameters
    ----------
    found, runs
        In how many of the runs the row that the attacker takes for hers was hers; where several
        are equally likely, he guesses.
    low, high
        Between these shares the attacker finds her in the original table, in 95 of 100 cases: they
        hold the luck of the runs, and that the published table stands in for the original.
    luck
        The share that guessing would give.

    Examples
    --------
    >>> Repeated(12.0, 100, 0.05, 0.24, 0.001).more_than_luck
    True
    """

    found: float
    runs: int
    low: float
    high: float
    luck: float

    @property
    def more_than_luck(self) -> bool:
        """Whether she is found more often than by guessing."""
        return self.low > self.luck


def require_runs(runs: object) -> int:
    """How often a method is to be repeated, which has to come to an end."""
    return whole(whole(runs, "runs", least=0), "runs", 0, RUNS)


class Tests(NamedTuple):
    """What a check is to compare a record with; see `check` for the names."""

    alpha: float = ALPHA
    chance: bool = True
    runs: int | Repeated = 0
    looks: int = 1


Run: TypeAlias = Callable[[Mapping[str, Any], Any, Requirement, Tests], SubjectReport]


AnyRun = TypeVar("AnyRun", bound=Run)
When: TypeAlias = Callable[[Any, Iterable[str]], bool]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of release, as a person checks her record against it.

    Parameters
    ----------
    name
        Its name.
    run
        What checks a record: it takes record, release, `Requirement` and `Tests`.
    judges
        The measures of a requirement that it can judge, each with its meaning.
    words
        What it is called in a sentence.
    release
        The ``kind`` of the releases it is for.
    when
        Whether it is for such a release, compared in some columns; None if for each.
    says
        The kind whose sentences it says.
    """

    name: str
    run: Run
    judges: Mapping[str, str]
    words: str
    release: str
    when: When | None
    says: str


CHECKS: dict[str, Kind] = {}


def checking(
    name: str,
    *,
    judges: Mapping[str, str] | None = None,
    words: str = "",
    release: str = "",
    when: When | None = None,
    says: str = "",
) -> Callable[[AnyRun], AnyRun]:
    """Register the check of a kind of release, under the ``kind`` that the releases carry.

    Parameters
    ----------
    name
        The kind's name.
    judges
        The fields of a requirement that it can judge, each with its meaning; others are refused.
    words
        What such a release is called in a sentence.
    release
        The ``kind`` of the releases, where it is not the name.
    when
        For which of them, and which compared columns, it is; for all that no other kind is for by
        default. The kind that was registered last is asked first.
    says
        The kind whose sentences it says, where these are not its own.

    Returns
    -------
    Callable
        A decorator that gives the function back. The function takes a record, a release, a
        requirement and what to compare with, and gives a `SubjectReport`.

    Raises
    ------
    RecordError
        If it is to judge what no requirement has a field for.

    Notes
    -----
    The table of kinds is our own.

    Examples
    --------
    >>> @checking("rumour", words="a rumour")
    ... def check_rumour(record, release, requirement, tests): ...
    >>> CHECKS.pop("rumour").words
    'a rumour'
    """
    unknown = [measure for measure in judges or {} if measure not in MEASURES]
    if unknown:
        raise RecordError(
            f"The kind {quoted(name)} is to judge {listed(unknown)}, but a requirement has only "
            f"{listed(MEASURES)}."
        )

    def register(run: AnyRun) -> AnyRun:
        called = words or f"a release of the kind {quoted(name)}"
        measures = dict(judges or {})
        CHECKS[name] = Kind(name, run, measures, called, release or name, when, says or name)
        return run

    return register


def kind_of(release: Any, names: Iterable[str] | None = None) -> Kind:
    """The kind of check that is for a release, where a record is compared in some columns.

    Parameters
    ----------
    release
        What was published.
    names
        The columns; by default all that others may know.

    Returns
    -------
    Kind
        Its check, and what it can judge.

    Raises
    ------
    SchemaError
        If it is no release, or of a kind that cannot be checked.

    Notes
    -----
    The kinds are our own.

    Examples
    --------
    >>> import verikit as vk
    >>> kind_of(vk.published("dm_table1_masked")).name, kind_of(vk.published("ks_table4")).name
    ('masked', 'generalized')
    >>> list(kind_of(vk.published("lhcc_table4")).judges)
    ['ell']
    """
    try:
        given, schema = release.kind, release.schema
    except AttributeError:
        raise SchemaError(
            f"The release was given as {type(release).__name__}; expected a release "
            "(verikit.open_release opens a folder or a file).",
            field="release",
            value=release,
        ) from None
    known = [column.name for column in schema if column.role != "sensitive"]
    compared = known if names is None else [name for name in names if name in known]
    newest = list(reversed(CHECKS.values()))
    for kind in sorted(newest, key=lambda kind: kind.when is None):
        if kind.release == given and (kind.when is None or kind.when(release, compared)):
            if kind.name != "split" and getattr(release, "rows", "") == "links":
                raise SchemaError(
                    f"The rows of this release are links, and it is {kind.words}; what all rows of "
                    "one person tell together is not worked out there."
                )
            return kind
    raise SchemaError(
        f"A release of the kind {quoted(given)} cannot be checked; verikit checks "
        f"{listed(dict.fromkeys(kind.release for kind in CHECKS.values()), 12)}."
    )


@guard("The record or the release", RecordError)
def check(  # noqa: PLR0913 - one question, and what she may set about it
    record: Mapping[str, Any],
    release: Release | str | Path | Sequence[Release | str | Path],
    *,
    distance: int | Mapping[str, int] | None = None,
    diversity: float | Mapping[str, float] | None = None,
    criterion: str | Criterion | Mapping[str, str | Criterion] = "variance",
    k: int | None = None,
    ell: int | None = None,
    e: float | None = None,
    node: str | None = None,
    match: int | None = None,
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
        is not loaded but read in batches. Or a list of several: each is checked, and what they
        leave of her sensitive values together, if she is in every one.
    distance
        The places she requires, for all attributes or one by one.
    diversity
        The diversity she requires of the released values within that distance; a variance, unless
        another criterion is given.
    criterion
        How diversity is measured, of all attributes or one by one; see `Criterion`.
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
    match
        The row that she takes to be hers, counted from 1 as in ``matches``: the definition's f. The
        distance and diversity that she requires are then judged by it, and not by the closest one.
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
        requirement = Requirement(distance, diversity, criterion, k, ell, e, node, match)
        runs = runs if isinstance(runs, Repeated) else require_runs(runs)
        alpha = share(alpha, "alpha", above=True, below=True)
        several = list(release) if isinstance(release, (list, tuple)) else [release]
        if not several:
            raise RecordError("The list of releases is empty; give at least one.", field="release")
        # each release is one more look at her values
        tests = Tests(alpha, chance, runs, whole(looks, "looks") * len(several))
        parts = [
            check_alone(given, part, requirement, tests, language)
            for given, part in share_record(record, several)
        ]
        if len(parts) == 1:
            return parts[0].report
        with use_language(language if speaks_of(language, "together") else "en"):
            return join_reports(parts, requirement)


def name_values(record: Any) -> list[str] | None:
    """Name the values that a record gives; None where it is no record."""
    if not isinstance(record, (Mapping, pd.Series)):
        return None
    return [name for name, value in record.items() if not is_absent(value)]


def share_record(record: Any, releases: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Open each release, and give it of her values those that it has a column for."""
    names = name_values(record)
    opened = [
        part if getattr(part, "kind", None) is not None else open_for_check(part, names)
        for part in releases
    ]
    if names is None or len(opened) == 1:
        yield from ((record, part) for part in opened)
        return
    held = [{column.name for column in (*part.schema, *part.asked)} for part in opened]
    for part, columns in zip(opened, held, strict=True):
        # what no release has a column for is refused by the first of them
        nowhere = [name for name in names if not any(name in each for each in held)]
        yield {n: record[n] for n in names if n in columns or n in nowhere}, part


def check_alone(
    record: Any, release: Any, requirement: Requirement, tests: Tests, language: str
) -> Alone:
    """Check one release, which is open, as a release of its kind."""
    kind = kind_of(release, name_values(record))
    spoken = language if speaks_of(language, kind.says) else "en"
    with use_language(spoken):
        if not len(release):
            empty = Headline("cannot-tell", sentence_text("common.empty"), spoken)
            return Alone(release, {}, SubjectReport(empty, (), (), {}))
        known, notes = understand_record(record, release)
        requirement.refuse_unless_judged(kind.judges, kind.words)
        report = kind.run(known, release, requirement, tests)
        report = replace(report, notes=(*notes, *report.notes)) if notes else report
        return Alone(release, known, report)
