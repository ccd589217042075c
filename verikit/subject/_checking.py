"""The kinds of release that a record can be checked against: each is one entry of one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from verikit._support.requests import share, whole
from verikit.errors import RecordError, SchemaError, quoted
from verikit.subject._repeated import Repeated
from verikit.subject._report import SubjectReport
from verikit.subject._requirement import MEASURES, Requirement
from verikit.words import listed

__all__ = ["ALPHA", "CHECKS", "Kind", "Tests", "checking", "kind_of", "times"]

ALPHA = 0.01
RUNS = 100_000  # the most; a share is known to three digits by then


def times(runs: object) -> int:
    """How often a method is to be repeated, which has to come to an end."""
    return whole(whole(runs, "runs", least=0), "runs", 0, RUNS)


class Tests(NamedTuple):
    """What a check is to compare a record with; see `check` for the names."""

    alpha: float = ALPHA
    chance: bool = True
    runs: int | Repeated = 0
    looks: int = 1

    @classmethod
    def of(cls, alpha: float, chance: bool, runs: int | Repeated, looks: int) -> Tests:
        """Read what was given."""
        return cls(
            share(alpha, "alpha", above=True, below=True),
            chance,
            runs if isinstance(runs, Repeated) else times(runs),
            whole(looks, "looks"),
        )


Run: TypeAlias = Callable[[Mapping[str, Any], Any, Requirement, Tests], SubjectReport]
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
) -> Callable[[Run], Run]:
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

    def register(run: Run) -> Run:
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
            return kind
    raise SchemaError(
        f"A release of the kind {quoted(given)} cannot be checked; verikit checks "
        f"{listed(dict.fromkeys(kind.release for kind in CHECKS.values()), 12)}."
    )
