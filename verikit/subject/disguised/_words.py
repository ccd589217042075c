"""What a release with a target tells of one person, in the order of the screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from verikit.languages import sentence_text
from verikit.subject._answer import say, say_figure, say_headline
from verikit.subject._report import Figure, Headline, Sentence
from verikit.subject._requirement import Requirement
from verikit.subject.disguised._find import MOST_LINES, Inferred, count_cut_lines


def headlines(found: Inferred) -> Iterator[Headline]:
    """What may stand first, the worst first."""
    if not len(found.groups):
        yield say_headline("disguised.none-fits")
        return
    yield from _list_warnings(found)
    yield from _table_warning(found)
    yield say_headline("disguised.no-warning", title=found.title, surest=found.surest)


def _list_warnings(found: Inferred) -> Iterator[Headline]:
    """What somebody who knows her values learns that she does not let everybody know."""
    tree, cover = found.tree, found.cover
    told = {"title": found.title, "value": found.coarse.column.shown(tree.names[cover])}
    if cover in tree.leaves and not found.allowed:
        yield say_headline("disguised.learns", **told)
    if found.surest >= found.sure > found.target[found.top]:
        yield say_headline("disguised.guesses", **_top_value(found))
    if cover != tree.root and not found.allowed:
        yield say_headline("disguised.learns-kind", **told)


def _table_warning(found: Inferred) -> Iterator[Headline]:
    """How many people are in groups that show one value, where any are."""
    coarse, sizes = found.coarse, found.release.sizes
    least = np.full(len(sizes), len(found.tree.names))
    most = np.zeros(len(sizes), np.intp)
    np.minimum.at(least, coarse.owner, coarse.nodes)
    np.maximum.at(most, coarse.owner, coarse.nodes)
    single = np.zeros(len(found.tree.names), np.bool_)
    single[list(found.tree.leaves)] = len(found.tree.leaves) > 1
    people = int(sizes[(least == most) & single[most]].sum())
    if people:
        told = {"people": people, "records": len(found.release), "title": found.title}
        name = "some-give-away" if found.personal else "table-gives-away"
        yield say_headline(f"disguised.{name}", **told)


def _top_value(found: Inferred) -> dict[str, Any]:
    """The likeliest value, as a sentence takes it."""
    name = found.coarse.column.shown(found.tree.names[found.tree.leaves[found.top]])
    return {"title": found.title, "value": name, "surest": found.surest}


def figures(found: Inferred) -> Iterator[Figure]:
    """How many people are in her groups, how sure a guess is, how far this is from the target."""
    if not len(found.groups):
        yield say_figure("disguised.figure-none")
        return
    yield say_figure(f"disguised.figure-group{'s' * (len(found.groups) > 1)}", people=found.people)
    yield say_figure("disguised.figure-guess", surest=found.surest, title=found.title)
    yield say_figure("disguised.figure-away", away=found.away)


def sentences(found: Inferred, headline: Headline) -> Iterator[Sentence]:
    """Everything that may be said."""
    if len(found.groups):
        yield _say_groups(found)
        yield _say_target(found)
        yield _say_likeliest(found)
        yield _say_values(found)
        if found.own is not None:
            yield _say_own(found, found.own)
        yield from _say_possible(found)
        yield say("common.unattacked")
    if headline.state != "warning-you":
        yield say("common.no-conclusion")


def _say_groups(found: Inferred) -> Sentence:
    number, groups = len(found.groups), len(found.release.sizes)
    name = "whole-table" if groups == 1 else "one-group" if number == 1 else "several-groups"
    return say(f"disguised.{name}", count=number, groups=groups, people=found.people)


def _say_target(found: Inferred) -> Sentence:
    """D2: whether what can be inferred of her is the target that was published."""
    told = {"title": found.title, "away": found.away}
    if not found.away:
        return say("disguised.target", **told)
    if found.personal:
        return say("disguised.own-way", **told)
    if found.tolerance:
        return say("disguised.near-target", **told, tolerance=found.tolerance)
    return say("disguised.off-target", **told)


def _say_likeliest(found: Inferred) -> Sentence:
    if found.cover in found.tree.leaves:
        return say(
            "disguised.one-value",
            title=found.title,
            value=found.coarse.column.shown(found.tree.names[found.cover]),
        )
    alike = int((found.here >= found.surest - 1e-12).sum())
    name = "disguised.likeliest" if alike == 1 else "disguised.one-of-the-likeliest"
    return say(name, **_top_value(found), alike=alike)


def _say_values(found: Inferred) -> Sentence:
    """D4: how many of the published values stand for one, for several, and for any."""
    values = int(found.shown.sum())
    single = int(found.shown[list(found.tree.leaves)].sum())
    root = int(found.shown[found.tree.root]) if len(found.tree.leaves) > 1 else 0
    told = {"values": values, "single": single, "several": values - single - root, "root": root}
    if found.added:
        return say("disguised.values-and-nobodys", **told, added=found.added)
    return say("disguised.values", **told)


def _say_own(found: Inferred, own: int) -> Sentence:
    told = {
        "title": found.title,
        "own": found.coarse.column.shown(found.tree.names[found.tree.leaves[own]]),
    }
    if not found.possible[own]:
        return say("disguised.own-absent", **told)
    here, target = found.chance_of(own), round(float(found.target[own]), 12)
    return say("disguised.own", **told, here=here, target=target)


def _say_possible(found: Inferred) -> Iterator[Sentence]:
    """D6: how many values are left to be ruled out."""
    possible = int(np.count_nonzero(found.possible))
    if possible == 2:
        yield say("disguised.two-values", title=found.title)
    elif possible > 2:
        told = {"values": possible, "others": possible - 1}
        yield say("disguised.several-values", title=found.title, **told)


def notes(found: Inferred) -> Iterator[str]:
    """What she may ask besides, and what the tables leave out."""
    if found.personal and found.node is None:
        yield sentence_text("disguised.name-yours", title=found.title)
    for what, number in count_cut_lines(found).items():
        yield sentence_text("disguised.cut", what=what, number=number, most=MOST_LINES)


def unmet(found: Inferred, required: Requirement) -> list[str] | None:
    """What is not met of her requirement; None where no group fits."""
    if not len(found.groups):
        return None
    few = []
    if found.node is not None and not found.respected:
        few.append(
            sentence_text(
                "disguised.not-respected",
                node=found.coarse.column.shown(found.tree.names[found.node]),
            )
        )
    ell = required.ell
    if ell is not None and found.surest * ell > 1 + 1e-12:
        told = {"title": found.title, "surest": found.surest, "required": ell}
        few.append(sentence_text("disguised.too-sure", **told))
    return few
