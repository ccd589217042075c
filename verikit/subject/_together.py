"""Several releases and one person: what each says of her alone, and what all say together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from verikit.languages import Line, sentence_text, spoken_language, write_lines
from verikit.matching import HELD, MOST_NODES, find_values_left, is_absent
from verikit.release import by_groups, by_nodes
from verikit.subject._answer import list_limits_line
from verikit.subject._guess import Guess, list_own_line, values_table
from verikit.subject._known import names_rows
from verikit.subject._links_together import (
    LinksLeft,
    find_links_left,
    list_link_lines,
    name_links_line,
)
from verikit.subject._report import Figure, Headline, Sentence, State, SubjectReport
from verikit.subject._requirement import Requirement
from verikit.table import number
from verikit.words import text

SURE = 0.9  # from which chance on a guess is a warning
WORST: tuple[State, ...] = ("warning-you", "warning-table", "cannot-tell", "no-warning")


class Alone(NamedTuple):
    """One of several releases, her values in it as they were understood, and what it says alone."""

    release: Any
    known: Mapping[str, Any]
    report: SubjectReport


class Left(NamedTuple):
    """What several releases leave of one sensitive column of hers.

    Parameters
    ----------
    guess
        The values that all leave open, and their chances.
    free
        Whether any value may be hers.
    fewest
        How many values are left by the release that leaves the fewest.
    told
        Whether it can be said how likely each value is.
    """

    guess: Guess
    free: bool
    fewest: int
    told: bool


def join_reports(parts: Sequence[Alone], requirement: Requirement) -> SubjectReport:
    """Join what releases say of one person alone, and add what they say together.

    Parameters
    ----------
    parts
        The releases, at least two, with what each says alone.
    requirement
        What she requires.

    Notes
    -----
    She is taken to be in every release. What is left of a sensitive column is what each release
    leaves; see `verikit.matching.find_values_left`. Of graphs it is what is certain of her links.
    """
    found = [*_find_left(parts)]
    graphs = sum(by_nodes(part.release) for part in parts) > 1
    links = find_links_left(parts) if graphs else None
    alone = [(part.report.headline.state, _quote_alone(at, parts)) for at, part in enumerate(parts)]
    together = [*_list_headlines(found, len(parts)), *_list_link_headlines(links, len(parts))]
    state, words = min([*together, *alone], key=_get_severity)
    lines = _list_graph_lines(parts, links) if graphs and not found else _list_lines(parts, found)
    said = [*write_lines(lines)]
    met = _is_met(parts, found, requirement)
    if links is not None and links.certain.any() and (requirement.ell or 0) > 1:
        met = False
    over, left_out = _name_columns(parts)
    said += write_lines(
        [
            ("common.no-conclusion", state != "warning-you", {}),
            list_limits_line(over, left_out),
            ("common.met", met, {}),
            ("together.unmet", met is False, {}),
        ]
    )
    tables = {"together": values_table([left.guess for left in found])} if found else {}
    tables |= {"links together": links.to_frame()} if links is not None else {}
    for at, part in enumerate(parts, 1):
        tables |= {f"{name} {at}": table for name, table in part.report.tables.items()}
    asked = [part.report.facts for part in parts]
    facts = {
        "releases": asked,
        "records": sum(part.get("records", 0) for part in asked),
        "attributes": [*dict.fromkeys(n for part in asked for n in part.get("attributes", ()))],
        "required": requirement.stated,
        "harm": [*dict.fromkeys(title for part in asked for title in part.get("harm", ()))],
    }
    return SubjectReport(
        Headline(state, words, spoken_language().code),
        tuple(Figure(entry.value, entry.text) for entry in said if entry.key == "figure"),
        tuple(Sentence(e.key, e.text, e.when) for e in said if e.key != "figure"),
        tables,
        facts,
        tuple(dict.fromkeys(note for part in parts for note in part.report.notes)),
        met,
    )


def _name_columns(parts: Sequence[Alone]) -> tuple[list[str], list[str]]:
    """The titles of the columns she gave, and of those she left out, of any release."""
    columns = {c.name: (c.title, part.release, c) for part in parts for c in part.release.asked}
    given = {name for part in parts for name in part.known}
    over = [title for name, (title, *_) in columns.items() if name in given]
    left = [told for name, told in columns.items() if name not in given]
    return over, [title for title, *where in left if not names_rows(*where)]


def _get_severity(pair: tuple[State, str]) -> int:
    return WORST.index(pair[0])


def _find_left(parts: Sequence[Alone]) -> Iterator[Left]:
    """What is left of each sensitive column that two releases show, and promise to be true."""
    names = dict.fromkeys(c.name for part in parts for c in part.release.schema.sensitive)
    for name in names:
        shown = [part for part in parts if _rules_out(part.release, name)]
        if len(shown) > 1:
            yield _find_left_of_column(shown, name)


def _rules_out(release: Any, name: str) -> bool:
    """Whether a release shows a column, and promises that its values are those of its people."""
    held = name in [column.name for column in release.schema.sensitive]
    return held and release.promise in HELD and (by_groups(release) or hasattr(release, "frame"))


def _find_left_of_column(shown: Sequence[Alone], name: str) -> Left:
    known = {each: value for part in reversed(shown) for each, value in part.known.items()}
    own = known.get(name)
    people = pd.DataFrame([{n: v for n, v in known.items() if n != name and not is_absent(v)}])
    found = find_values_left([part.release for part in shown], name, people)
    together, column = found.together, shown[0].release.schema[name]
    fewest = [int(part.counts()[0]) for part in found.alone if not part.free[0]]
    given = None
    if not is_absent(own):
        given = text(number(own, name) if column.kind == "numeric" else own)
    told = not np.isnan(together.chance).any()
    # rounded, so that values that are equally likely stay so however their chances were added up
    rounded = np.maximum(np.round(together.chance, 12), 1e-12)
    here = rounded if told else np.ones(len(together.place))
    names = tuple(found.values.names[at] for at in together.place)
    guess = Guess(column, names, here, found.everywhere[together.place], given, 0)
    return Left(guess, bool(together.free[0]), min(fewest, default=0), told)


def _list_headlines(found: Sequence[Left], count: int) -> Iterator[tuple[State, str]]:
    """What may stand first of what the releases say together."""
    for left in found:
        told = _describe(left, count)
        name, _ = _name_left(left)
        sure = left.told and told.get("surest", 0) >= SURE > told.get("everywhere", 1)
        if name == "together.one-value":
            yield "warning-you", sentence_text(name, **told)
        elif name == "together.none-left":
            yield "cannot-tell", sentence_text(name, **told)
        elif sure and not left.free:
            yield "warning-you", sentence_text("together.likeliest", **told)
        else:
            yield "no-warning", sentence_text(name, **told)


def _list_link_headlines(links: LinksLeft | None, count: int) -> Iterator[tuple[State, str]]:
    """What may stand first of the links that groupings make certain."""
    if links is not None:
        name, state = name_links_line(links)
        yield state, sentence_text(name, **links.describe(count))
        if links.table > links.table_before:
            told = links.describe_table(count)
            yield "warning-table", sentence_text("together.table-certain-links", **told)


def _list_graph_lines(parts: Sequence[Alone], links: LinksLeft | None) -> Iterator[Line]:
    """What may be said of groupings of one graph, in the order of the screen."""
    count = len(parts)
    if links is None:
        yield "together.graphs-apart", True, {"most": MOST_NODES}
    else:
        yield from list_link_lines(links, count)
    for at in range(count):
        yield "together.of-one", True, _tell_alone(at, parts)


def _describe(left: Left, count: int) -> dict[str, Any]:
    """What sentences say of a column."""
    title = left.guess.column.title
    told = left.guess.describe() if len(left.guess.values) else {"title": title, "values": 0}
    return told | {"count": count, "fewest": left.fewest}


def _name_left(left: Left) -> tuple[str, int]:
    """Name the sentence on how many values are left, and say how many."""
    values = len(left.guess.values)
    names = ("together.none-left", "together.one-value", "together.several-values")
    return "together.all-open" if left.free else names[min(values, 2)], values


def _list_lines(parts: Sequence[Alone], found: Sequence[Left]) -> Iterator[Line]:
    """What may be said, in the order of the screen."""
    count = len(parts)
    for left in found:
        yield "together.figure-left", not left.free, _describe(left, count)
    yield "together.count", True, {"count": count}
    yield "together.nothing", not found, {}
    for left in found:
        told = _describe(left, count)
        name, values = _name_left(left)
        yield name, True, told
        several = values > 1 and not left.free and left.told
        yield "together.likeliest", several and told["alike"] == 1, told
        yield "together.one-of-the-likeliest", several and told["alike"] > 1, told
        absent = values and not left.guess.own_chance
        if not left.free and (several or absent):
            yield list_own_line("together", left.guess)
    names = {c.name for part in parts for c in part.release.schema.sensitive}
    idle = [part for part in parts if not any(_rules_out(part.release, name) for name in names)]
    yield "together.idle", found and idle, {"idle": len(idle), "count": count}
    for at in range(count):
        yield "together.of-one", True, _tell_alone(at, parts)


def _tell_alone(at: int, parts: Sequence[Alone]) -> dict[str, Any]:
    said = parts[at].report.headline.text
    return {"number": at + 1, "count": len(parts), "said": said}


def _quote_alone(at: int, parts: Sequence[Alone]) -> str:
    return sentence_text("together.of-one", **_tell_alone(at, parts))


def _is_met(parts: Sequence[Alone], found: Sequence[Left], requirement: Requirement) -> bool | None:
    """Whether each release meets what she requires, and all together what can be asked of them."""
    judged = [part.report.met for part in parts]
    ell = requirement.ell or 0
    bounded = [left for left in found if ell and not left.free]
    short = any(len(left.guess.values) < ell for left in bounded)
    too_sure = any(
        left.told and left.guess.here.max(initial=0) * ell > 1 + 1e-12 for left in bounded
    )
    if False in judged or short or too_sure:
        return False
    return None if None in judged else True
