"""One report for every kind of release, from what was found and how its kind puts it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, cast

import pandas as pd

from verikit.languages import Line, spoken_language, write_lines
from verikit.release import Release, by_nodes, by_secrets
from verikit.subject._report import Figure, Headline, Sentence, State, SubjectReport
from verikit.subject._requirement import Requirement
from verikit.subject._view import list_harm
from verikit.table import Column

BY_LOT = ("degree", "random", "one group")  # groups of a graph's names that tell nothing else


class Found(Protocol):
    """What was found in a release for one record, whatever its kind."""

    @property
    def release(self) -> Any:
        """What was published."""

    @property
    def columns(self) -> Sequence[Column]:
        """The columns she gave a value of."""

    @property
    def left_out(self) -> Sequence[Column]:
        """The columns she could have given a value of."""

    def make_tables(self) -> Mapping[str, pd.DataFrame]:
        """The numbers behind what is said, by the name of their table."""

    def list_facts(self) -> Mapping[str, Any]:
        """What the check rests on, beside what every check rests on."""


def make_report(
    found: Found,
    requirement: Requirement,
    headlines: Iterable[Line],
    lines: Iterable[Line],
    unmet: Iterable[Line] | None,
) -> SubjectReport:
    """Put together headline, figures, sentences, tables, facts, notes, and what is not met.

    A line is the name of a text, whether it is said, and what fills it in.

    Parameters
    ----------
    found
        What was found in a release for one record.
    requirement
        What she requires.
    headlines
        What may stand first, the worst first; the first that is said is taken.
    lines
        Figures, sentences and notes, in the order of the screen; their texts tell which they are.
    unmet
        Each part of the requirement that is not met; None where it cannot be judged.
    """
    language = spoken_language()
    worst = next(write_lines(headlines))
    otherwise = "/" in worst.likely  # than of a hundred
    share = language.format_part(worst.parts[0]) if otherwise else ""
    people = tuple(count_people(part) for part in worst.parts)
    better = worst.better and f"{worst.better[0].upper()}{worst.better[1:]}."
    state = cast("State", worst.state)
    headline = Headline(state, worst.text, language.code, people, share, better)
    columns, left_out = ([c.title for c in part] for part in (found.columns, found.left_out))
    parts = None
    if unmet is not None and requirement.stated:
        parts = [entry.text for entry in write_lines(unmet)]
    blank = getattr(found, "nothing", 0)  # records without a distance, which may be hers
    told = {"over": columns, "left_out": left_out}
    said = [*write_lines([("common.left-out", left_out, told)]), *write_lines(lines)]
    told_again = getattr(found, "repeated", ())  # what somebody learns who repeats the method
    warned = headline.state == "warning-you" or any(entry.key == "S7" for entry in said)
    said += write_lines(
        [
            ("common.no-conclusion", not warned, {}),
            list_limits_line(columns, left_out),
            ("common.met", parts == [] and not blank, {}),
            ("common.met-blank", parts == [] and blank, told),
            ("common.unmet", parts, {"parts": parts}),
            ("common.repetition", by_secrets(found.release) and not told_again, {}),
        ]
    )
    release = found.release
    facts = {
        "records": len(release),
        "attributes": [column.name for column in found.columns],
        "left_out": [column.name for column in found.left_out],
        "required": requirement.stated,
        "method": release.method,
        "parameters": dict(release.parameters),
        "reported_links": getattr(release, "reported_links", None),
        "about": dict(getattr(release, "about", {})),
        "harm": getattr(found, "harm", None) or list_harm(release, found.columns),
    }
    return SubjectReport(
        headline,
        tuple(Figure(entry.value, entry.text) for entry in said if entry.key == "figure"),
        tuple(
            Sentence(entry.key, entry.text, entry.when)
            for entry in said
            if entry.key not in ("figure", "note")
        ),
        found.make_tables(),
        {**facts, **found.list_facts()},
        tuple(entry.text for entry in said if entry.key == "note"),
        None if parts is None or (blank and not parts) else not parts,
    )


def count_people(part: float) -> int:
    """How many of 100 people a share is; what is not quite none or all is not drawn as it.

    Examples
    --------
    >>> [count_people(part) for part in (0, 0.001, 0.425, 0.999)]
    [0, 1, 42, 99]
    """
    return round(100 * part) if part in (0, 1) else min(max(round(round(100 * part, 9)), 1), 99)


def list_limits_line(over: Sequence[str], left_out: Sequence[str]) -> Line:
    """Whom a check concerns: who knows her values in some columns, by their titles, and no others.

    Examples
    --------
    >>> list_limits_line(["age"], ["sex", "zip"])[0]
    'common.limits-several-left-out'
    """
    limits = "" if not left_out else "-one-left-out" if len(left_out) == 1 else "-several-left-out"
    return f"common.limits{limits}", True, {"over": over, "left_out": left_out}


def name_better_guesser(release: Release) -> str:
    """Name the phrase for who may guess better than a chance that takes all ways as likely."""
    if by_nodes(release):  # orders by lot make the groups as often whoever of them is which node
        return "graph" if release.parameters.get("order") in BY_LOT else "linker"
    return "repeater" if by_secrets(release) else "learner"


def say_better_guesser(release: Release) -> str:
    """Who may guess better than a chance that takes all links of a group as equally likely.

    Examples
    --------
    >>> import verikit as vk
    >>> say_better_guesser(vk.published("lhcc_table4"))
    'whoever learns from the whole table may do better'
    """
    return say_condition(name_better_guesser(release))


def say_condition(name: str) -> str:
    """A phrase for what a chance rests on, in the language that is spoken.

    Examples
    --------
    >>> say_condition("drawn")
    "if the publisher's chances hold"
    """
    return str(spoken_language().words["rests"][name])
