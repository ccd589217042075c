"""Two tables joined by groups only: the groups that fit a person, and what they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit._support.guard import guard
from verikit._support.requests import within
from verikit.errors import RecordError
from verikit.languages import Line, insert_phrases, spoken_language
from verikit.matching import (
    Alignment,
    Contents,
    Fit,
    LearnedGuess,
    classes_of,
    group_rows,
    guess_by_learning,
    held_by,
    is_absent,
    name_failure,
    printed_chance,
)
from verikit.release import SplitRelease
from verikit.subject._answer import make_report, say_better_guesser, say_condition
from verikit.subject._check import Tests, checking
from verikit.subject._guess import Guess, keep_texts, list_own_line, order_by_chance
from verikit.subject._known import Given, usable_values
from verikit.subject._repeated_guess import find_repeated, guess_by_repeating
from verikit.subject._report import SubjectReport
from verikit.subject._requirement import Requirement
from verikit.table import Column
from verikit.words import listed, text

__all__ = ["check_split"]

MOST_LINKS = 8

JUDGES = {
    "ell": insert_phrases(
        "in one of how many cases a guess of your sensitive value may be right, {rests:links}"
    )
}


@dataclass(frozen=True, slots=True, eq=False)
class GroupGuess(Guess):
    """What the groups that fit say of one sensitive column, beside a formula in print.

    Parameters
    ----------
    printed
        By value what formula (1) of the paper gives.
    learned
        What somebody guesses who learned from the whole table; None where nothing bears it out.
    reached
        By value the chance that some row of hers holds it, if all rows that fit are hers.
    expected
        By value how many links of hers to it are expected; nothing where a row is a person.
    next
        The likeliest value of another link, and its chance, for who learned those that she gave.
    """

    printed: Floats
    learned: LearnedGuess | None
    reached: Floats
    expected: Floats | None = None
    next: tuple[str, float] | None = None

    def describe_learned(self) -> dict[str, Any]:
        """What sentences say of the guess by learning."""
        if self.learned is None:
            return {}
        return self.describe() | describe_learned(self.learned, self.column)


def describe_learned(learned: LearnedGuess, column: Column) -> dict[str, Any]:
    """What sentences say of a guess by learning."""
    named = {name: column.shown(getattr(learned, name)) for name in ("value", "others")}
    return {"title": column.title, **learned._asdict(), **named}


def list_learned_lines(
    release: SplitRelease, column: Column, learned: LearnedGuess | None
) -> Iterator[Line]:
    """P7, P8, S16: who learns from the whole table, or from others; or why nothing is claimed."""
    told = describe_learned(learned, column) if learned else {}
    yield "split.learned", learned, told
    yield "split.others", learned, told
    failure = name_failure(release, column.name)
    yield f"common.{failure}", failure, {"title": column.title}


@dataclass(frozen=True, slots=True, eq=False)
class GroupFits(Given):
    """The values she gave, the groups that fit them, and how likely it is that she is there.

    Parameters
    ----------
    release
        What was published.
    known
        The quasi-identifiers she gave.
    fit
        The groups.
    guesses
        What they say of each sensitive column.
    presence
        The chance that some record of the data has her values.
    lemma
        The chance that one given row does, at most over the groups.
    sure
        From which chance on a guess is a warning.
    repeated
        By sensitive column what somebody guesses who repeats the method, where that is likelier.
    """

    release: SplitRelease
    known: Mapping[str, Any]
    fit: Fit
    guesses: tuple[GroupGuess, ...]
    presence: float
    lemma: float
    sure: float
    repeated: tuple[Mapping[str, Any], ...] = ()

    @property
    def is_certain(self) -> bool:
        """Whether the values of a group are promised to be those of its people."""
        return self.release.promise in {"as it was", "covers", "another order"}

    @property
    def linked(self) -> bool:
        """Whether each row is a link, and all those that fit are hers."""
        return self.release.rows == "links"

    @property
    def rows(self) -> int:
        """How many rows fit at most."""
        return int(self.fit.counts.min(axis=1).sum())

    @property
    def people(self) -> int:
        """How many people are in the groups that fit."""
        return int(self.release.sizes[self.fit.groups].sum())

    def make_tables(self) -> dict[str, pd.DataFrame]:
        """The groups that fit, and the sensitive values that may be hers; the likeliest first."""
        fit = self.fit
        order = order_by_chance(fit.weights)
        groups = {
            "group": self.release.labels.names[fit.groups[order]],
            "people": self.release.sizes[fit.groups[order]],
            "rows like yours": fit.copies[order],
            "of 100 cases yours": 100 * fit.weights[order],
        }
        values = [
            {
                "attribute": guess.column.name,
                "value": guess.column.shown(guess.values[place]),
                "of 100 here": 100 * guess.here[place],
                "of 100 everywhere": 100 * guess.everywhere[place],
                "formula in print": 100 * guess.printed[place],
            }
            | ({} if guess.expected is None else {"links expected": guess.expected[place]})
            for guess in self.guesses
            for place in order_by_chance(guess.here)[: np.count_nonzero(guess.here)]
        ]
        columns = ["attribute", "value", "of 100 here", "of 100 everywhere", "formula in print"]
        columns += ["links expected"] * self.linked
        found = pd.DataFrame(values, columns=columns)
        found["value"] = keep_texts(line["value"] for line in values)
        return {"groups": pd.DataFrame(groups), "values": found}

    def list_facts(self) -> dict[str, Any]:
        """How many groups and people fit, and the two chances that she is shown to be there."""
        return {
            "groups": len(self.fit.groups),
            "people": self.people,
            "presence": self.presence,
            "lemma": self.lemma,
            "sure": self.sure,
            "surest": max(guess.surest for guess in self.guesses),
            "learned_link": max((g.next[1] for g in self.guesses if g.next), default=None),
            "learned": {
                guess.column.name: guess.learned._asdict()
                for guess in self.guesses
                if guess.learned
            },
            "repeated": [*self.repeated],
            "rests": say_condition("links" if self.is_certain else "people"),
        }


def find_group_fits(record: Mapping[str, Any], release: SplitRelease, sure: float) -> GroupFits:
    """Find the groups that a person fits; O(n) for each column she gives."""
    if not release.known:  # whatever she gives may be known of her
        given = [name for name, value in record.items() if not is_absent(value)]
        release = release.known_as(given or release.schema.names)
    known = record if isinstance(record, (Mapping, pd.Series)) else {}  # others are refused below
    hers = {c.name: list_links(release, known.get(c.name)) for c in release.schema.sensitive}
    first = {name: values[0] for name, values in hers.items() if len(values) > 1}
    known = usable_values({**record, **first} if first else record, release.schema)
    if not release.schema.sensitive:
        raise RecordError(
            f"All of {listed(release.schema.names, 12)} were given, so there is nothing left to "
            "learn; leave out what others may not know yet.",
            field="record",
        )
    alignment = Alignment(release, list(known))
    fit = alignment.fit(known)
    guesses = tuple(
        guess_column(release, column, alignment, fit, (known, hers[column.name]))
        for column in release.schema.sensitive
    )
    presence, lemma = alignment.presence(fit), alignment.lemma(fit)
    people = [] if release.rows == "links" else guesses
    again = (describe_repeated(release, guess, alignment, known) for guess in people)
    repeated = tuple(told for told in again if told)
    return GroupFits(release, known, fit, guesses, presence, lemma, sure, repeated)


def list_links(release: SplitRelease, given: Any) -> list[Any]:
    """List the values of a sensitive column that she gave: several where rows are links."""
    several = release.rows == "links" and isinstance(given, (list, tuple, set, frozenset))
    return [one for one in (given if several else [given]) if not is_absent(one)]


def describe_repeated(
    release: SplitRelease, guess: GroupGuess, alignment: Alignment, known: Mapping[str, Any]
) -> dict[str, Any]:
    """What sentences say of the guess of who repeats the method, if the groups tell less."""
    name = guess.column.name
    if not find_repeated(release, name):
        return {}
    rows, contents = alignment.find_rows(known), Contents(release, name)
    found = guess_by_repeating(release, name, rows, contents)
    if found is None or found[1] <= guess.surest + 1e-9:
        return {}
    value, chance = found
    everywhere = float(guess.everywhere[guess.values.index(value)])
    told = {"title": guess.column.title, "value": guess.column.shown(value)}
    return told | {"chance": chance, "everywhere": everywhere}


def guess_column(
    release: SplitRelease,
    column: Column,
    alignment: Alignment,
    fit: Fit,
    hers: tuple[Mapping[str, Any], Sequence[Any]],
) -> GroupGuess:
    """What the groups that fit say of one sensitive column, by what she gave of it and others."""
    known, given = hers
    own = listed(given, MOST_LINKS) if len(given) > 1 else text(given[0]) if given else None
    contents = Contents(release, column.name)
    counts = np.bincount(contents.places, contents.counts, minlength=len(contents.values))
    groups = fit.groups.tolist()
    distinct = [alignment.distinct(group) if release.permuted else [] for group in groups]
    pairs = zip(release.sizes[fit.groups].tolist(), distinct, strict=True)
    scales = np.array([printed_chance(1, size, several) for size, several in pairs])
    linked = release.rows == "links"
    reached = contents.find_reached(fit)
    guess = GroupGuess(
        column,
        (*contents.values[:-1], spoken_language().words["missing"]),
        reached if linked else contents.chances(fit),
        counts / max(len(release), 1),
        own,
        sum(contents.count(group, len(contents.values) - 1) for group in groups),
        contents.added(fit, fit.weights * scales, np.ones(len(groups))),
        None if linked else guess_by_learning(release, column.name, known, fit.groups, fit.weights),
        reached,
        contents.added(fit, fit.copies, release.sizes[fit.groups]) if linked else None,
    )
    return replace(guess, next=find_next_link(guess, contents, fit, given)) if linked else guess


def find_next_link(
    guess: GroupGuess, contents: Contents, fit: Fit, given: Sequence[Any]
) -> tuple[str, float] | None:
    """Find the likeliest other link of hers, and its chance, for who learned some."""
    own = list(dict.fromkeys(map(text, given)))
    if len(own) > MOST_LINKS:
        raise RecordError(f"{len(own)} links were given; expected {MOST_LINKS} at most.")
    places = [guess.values.index(one) for one in own if one in guess.values]
    if not own or not len(fit.groups):
        return None
    found = contents.find_reached(fit, places)
    if len(places) < len(own) or np.isnan(found).any():
        if len(own) == 1:
            return None  # no group that fits shows it
        raise RecordError(
            f"{listed(own)} cannot all be links of this name, by this table; give fewer of them."
        )
    found[[*places, -1]] = 0.0
    best = int(np.argmax(found))
    return guess.column.shown(guess.values[best]), float(found[best])


@guard("The record or the release", RecordError)
def check_split(
    record: Mapping[str, Any],
    release: SplitRelease,
    *,
    ell: int | None = None,
    sure: float = 0.9,
) -> SubjectReport:
    """Check what two tables joined by groups give away about one record.

    Someone who knows her values looks for the groups she may be in. From what they hold he
    guesses her sensitive values; and he may find out whether she is in the data at all. She does
    the same first.

    Parameters
    ----------
    record
        Her values by column; a quasi-identifier left out, or None, is not used. Her sensitive
        values may be given too, and then tell how likely he is to guess them; where rows are links,
        a list of those that he may have learned.
    release
        What was published.
    ell
        She requires that no guess is right in more than one of so many cases, if within a group
        each value is equally likely for everyone.
    sure
        From which chance on a guess of her sensitive value is a warning, if the whole table would
        not give it as surely.

    Returns
    -------
    SubjectReport
        Sentences with their conditions first; then the ``groups`` that fit, and the sensitive
        ``values`` with the chance of each, beside the formula in print.

    Raises
    ------
    RecordError
        If a column, a value or a requirement cannot be used as given.

    Notes
    -----
    Where the release says that rows are links, all that fit are hers: the chance is that one of
    them at least holds the value, by hypergeometric counting. Where several rows fit and it does
    not say what a row is, both chances are told. Else
    the chance of a value is its share in her group, and over several groups each counts by how
    many rows with her values it is expected to hold. That takes each value of a group as equally
    likely for everyone in it. Whoever learns from the whole table which values go with which may do
    better: how often at least is said where other groups bear it out (`intruder.learned_values`;
    seconds for the first person of a large table). Whoever repeats a method that made the groups
    from the sensitive values may do better too, which is not counted. The chance that
    she can be shown to be in the data counts every way to undo the shuffling, all being equally
    likely; Lemma 1's smaller figure, for one given row, is among the facts. O(n) a column.

    References
    ----------
    [LHCC]_ Theorem 1, Lemma 1, Example 3

    Examples
    --------
    >>> import verikit as vk
    >>> bob = {"Age": 65, "Sex": "M", "Disease": "Emphysema"}
    >>> report = check_split(bob, vk.published("lhcc_table4"))
    >>> print(report.figures[1].value, "|", report.figures[2].value)
    20 of 100 | 40 of 100
    >>> print(report.sentence("P1"))
    Your values fit one of the 2 groups of this table, a group of 5 people; if you are in this
    table, you are in that group.
    """
    share = within(sure, "sure", 0, 1)
    return check_groups(record, release, Requirement(ell=ell), Tests(), share)


@checking("split", judges=JUDGES, words="a table published by groups, which has no places")
def check_groups(
    record: Mapping[str, Any],
    release: SplitRelease,
    requirement: Requirement,
    _: Tests,
    sure: float = 0.9,
) -> SubjectReport:
    """Find the groups that she fits, and say what they give away."""
    found = find_group_fits(record, release, sure)
    unmet = list_too_sure(found.guesses, requirement.ell)
    judged = found.is_certain and any(guess.possible for guess in found.guesses)
    return make_report(
        found, requirement, list_headlines(found), list_lines(found), unmet if judged else None
    )


def list_too_sure(guesses: Sequence[Guess], ell: int | None) -> Iterator[Line]:
    """The values that are guessed right too often."""
    for guess in guesses:
        often = guess.surest * (ell or 0) > 1 + 1e-12
        yield "split.too-sure", often, guess.describe() | {"required": ell}


def list_headlines(found: GroupFits) -> Iterator[Line]:
    """What may stand first, the worst first."""
    count, release = len(found.fit.groups), found.release
    yield f"split.{'none-fits' if found.is_certain else 'untold-none'}", not count, {}
    yield "split.untold", not found.is_certain, {"count": count}
    for guess in found.guesses:
        told = guess.describe()
        yield "split.learns", guess.possible == 1 and not guess.gaps, told
        yield "split.guesses", guess.surest >= found.sure > told["everywhere"], told
    for guess in found.guesses:
        told = guess.describe_learned()
        sure = bool(told) and told["chance"] >= found.sure > told["everywhere"]
        yield "split.learned-guesses", sure, told
    for again in found.repeated:
        yield "split.repeated-guesses", again["chance"] >= found.sure > again["everywhere"], again
    exposed = []
    names = number_rows_of(release) if found.linked else np.arange(len(release))
    for column in release.schema.sensitive:
        held = held_by(release, classes_of(release), column.name, "own value")
        alone = (np.bincount(held.owner, minlength=len(release.sizes)) == 1) & held.known[
            held.starts
        ]
        people = len(np.unique(names[alone[release.labels.quasi]]))
        exposed.append((people, column.title))
    yield list_exposed_line(exposed, len(np.unique(names)))
    surest = max(found.guesses, key=lambda guess: guess.surest)
    yield "split.none-left", not surest.possible, surest.describe()
    likeliest = find_learned_best(found.guesses)
    again = find_repeated_best(found.repeated, likeliest)
    yield "split.repeated-most", again, again
    yield "split.learned-most", likeliest, likeliest.describe_learned() if likeliest else {}
    better = {"better": say_better_guesser(release)}
    several = "-rows" if asks_what_rows_are(found) else ""
    yield f"split.no-warning{several}", True, surest.describe() | better


def asks_what_rows_are(found: GroupFits) -> bool:
    """Whether several rows may be hers, and nobody says if each is another person."""
    return found.is_certain and found.release.rows == "untold" and found.rows > 1


def number_rows_of(release: SplitRelease) -> Rows:
    """Number the rows of the first table by their values, equal ones the same."""
    return group_rows(release.quasi[[column.name for column in release.known]]).labels


def find_learned_best(guesses: Sequence[GroupGuess]) -> GroupGuess | None:
    """The guess by learning that is likelier than all, by learning or by the group alone."""
    learned = [guess for guess in guesses if guess.learned]
    best = max(learned, key=lambda guess: guess.describe_learned()["chance"], default=None)
    surest = max(guess.surest for guess in guesses)
    return best if best and best.describe_learned()["chance"] > surest else None


def find_repeated_best(
    repeated: Sequence[Mapping[str, Any]], learned: GroupGuess | None
) -> Mapping[str, Any]:
    """The guess by repeating the method that is likelier than the one by learning; else nothing."""
    best = max(repeated, key=lambda told: told["chance"], default={})
    known = learned.describe_learned()["chance"] if learned else 0.0
    return best if best and best["chance"] > known else {}


def list_exposed_line(exposed: Sequence[tuple[int, str]], records: int) -> Line:
    """How many people are in groups that give a sensitive value away, where anybody is."""
    people, title = max(exposed, key=lambda pair: pair[0])
    told = {"people": people, "records": records, "title": title}
    return "split.table-gives-away", people, told


def list_lines(found: GroupFits) -> Iterator[Line]:
    """What may be said, in the order of the screen."""
    release, count, certain = found.release, len(found.fit.groups), found.is_certain
    if not count:
        yield "split.figure-none", True, {}
        return
    better = say_better_guesser(release)
    told = {
        "count": count,
        "groups": len(release.sizes),
        "people": found.people,
        "presence": found.presence,
        "rows": found.rows,
    }
    group = "linked" if found.linked else f"group{'s' * (count > 1)}"
    yield f"split.figure-{group}", True, told
    first = found.guesses[0]
    best = find_learned_best([first]) if certain else None
    own = [told for told in found.repeated if certain and told["title"] == first.column.title]
    again = find_repeated_best(own, best)
    yield "split.figure-repeated", again, again
    yield "split.figure-learned", best and not again, first.describe_learned()
    usual = certain and first.possible and not best and not again
    yield "split.figure-guess", usual, first.describe()
    yield "split.figure-presence", certain, told
    name = "split.linked-rows" if found.linked else name_groups_line(count, len(release.sizes))
    yield name if certain else "split.untold-groups", True, told
    row = "certain-row" if found.presence >= 1 else "possible-row"
    name = f"split.{row if release.permuted else 'published-rows'}"
    yield name if found.presence else "split.perhaps-rows", certain, told
    for guess in found.guesses:
        if certain:
            if found.linked:
                yield from list_linked_lines(guess, better)
                continue
            yield from list_guess_lines(guess, better)
            told = guess.describe_learned()
            yield "split.learned", told and guess.possible > 1, told
            yield "split.others", told and guess.possible > 1, told
        untold = not certain and guess.possible
        kind = "untold-only" if guess.possible == 1 and not guess.gaps else "untold-likeliest"
        yield f"split.{kind}", untold, guess.describe() | {"better": better}
    for again in found.repeated:
        yield "split.repeated", certain, again
    for guess in (guess for guess in found.guesses if guess.possible):
        place = int(np.argmax(guess.reached[:-1] >= guess.reached[:-1].max(initial=0) - 1e-9))
        line: dict[str, Any] = {"rows": found.rows, "title": guess.column.title}
        line |= {"value": guess.column.shown(guess.values[place]), "chance": guess.reached[place]}
        yield "split.rows", asks_what_rows_are(found) and guess.reached[place] > 0, line
    yield "common.unattacked", True, {}
    for guess in found.guesses:
        yield "split.gaps", guess.gaps, {"gaps": guess.gaps, "title": guess.column.title}
    yield "split.formula", release.permuted, {}


def list_linked_lines(guess: GroupGuess, better: str) -> Iterator[Line]:
    """P3, P5 and P11 where rows are links: the likeliest, her own, and what these teach."""
    for name, said, told in list_guess_lines(guess, better):
        of_one = name in ("split.own", "split.two-values", "split.several-values")
        absent = name == "split.own-absent" and guess.next
        yield name, said and not of_one and not absent, told
    told = {"own": guess.own and guess.column.shown(guess.own), "title": guess.column.title}
    told |= dict(zip(("value", "chance"), guess.next or (), strict=False))
    yield "split.learned-link", guess.next is not None and guess.next[1] > 0, told


def name_groups_line(count: int, groups: int) -> str:
    """Name the sentence on how many groups fit her, of how many there are."""
    several = "split.one-group" if count == 1 else "split.several-groups"
    return "split.whole-table" if groups == 1 else several


def list_guess_lines(guess: Guess, better: str, value: str = "", own: str = "") -> Iterator[Line]:
    """P3 to P6: the likeliest value, and who may do better; her own; how many are possible."""
    told = guess.describe() | {"better": better}
    told["value"] = value or told["value"]
    several = "likeliest" if told["alike"] == 1 else "one-of-the-likeliest"
    sole = guess.possible == 1 and not guess.gaps
    yield f"split.{'one-value' if sole else several}", guess.possible, told
    yield list_own_line("split", guess, own)
    yield "split.two-values", guess.possible == 2 and not guess.gaps, told
    yield "split.several-values", guess.possible > 2 and not guess.gaps, told
