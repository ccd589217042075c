"""Sensitive values that show a chosen target: what anybody can infer of a person's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Floats, Rows
from verikit._support.guard import guard
from verikit._support.requests import within
from verikit.cells import rows_that_may_be
from verikit.errors import RecordError, SchemaError, quoted
from verikit.languages import Line, insert_phrases
from verikit.matching import Coarse, LearnedGuess, guess_by_learning, is_absent, shows_target
from verikit.release import SplitRelease
from verikit.subject._answer import make_report, say_condition
from verikit.subject._check import Tests, checking
from verikit.subject._known import Given, usable_values
from verikit.subject._report import SubjectReport
from verikit.subject._requirement import Requirement
from verikit.subject.split import describe_learned, list_learned_lines
from verikit.targets import Tree, find_uneven_groups
from verikit.values.numbers import exact_fraction
from verikit.words import listed, text

__all__ = ["check_disguised"]

CLOSE, DIGITS = 1e-12, 12
MOST_BARS = 16
MOST_LINES = 20
JUDGES = {
    "node": "the group of values that may be known of you, and nothing below it but the target",
    "ell": insert_phrases(
        "in one of how many cases a guess of your sensitive value may be right, {rests:target}"
    ),
}


@dataclass(frozen=True, slots=True, eq=False)
class Inferred(Given):
    """The values she gave, the groups that fit them, and what they show of her sensitive value.

    Parameters
    ----------
    release
        What was published.
    known
        The quasi-identifiers she gave.
    coarse
        The published nodes by group.
    groups, weights
        The groups that fit, and the chance that she is in each.
    here, target
        By value of the tree, from left to right, the chance that can be inferred, and the target.
    published
        How often each node is published in the groups that fit.
    own
        The place of her own value among those of the tree; None where she did not give it.
    node
        The number of the node she requires; None where she requires none.
    learned
        What somebody guesses who learned from the whole table; None where nothing bears it out.
    sure
        From which chance on a guess is a warning.
    """

    release: SplitRelease
    known: Mapping[str, Any]
    coarse: Coarse
    groups: Rows
    weights: Floats
    here: Floats
    target: Floats
    published: Rows
    own: int | None
    node: int | None
    learned: LearnedGuess | None
    sure: float

    @property
    def tree(self) -> Tree:
        """The tree of all values."""
        return self.coarse.tree

    @property
    def people(self) -> int:
        """How many people are in the groups that fit."""
        return int(self.release.sizes[self.groups].sum())

    @property
    def surest(self) -> float:
        """The chance of the likeliest value, without the rounding of sums of parts."""
        return round(float(self.here.max()), DIGITS)

    @property
    def away(self) -> float:
        """How much of the chances lies elsewhere than in the target; 0 where nothing does."""
        found = float(np.abs(self.here - self.target).sum() / 2)
        return found if found > CLOSE else 0.0

    @property
    def is_personal(self) -> bool:
        """Whether people named what they require, and no common target was aimed at."""
        return "requirement" in self.release.parameters

    @property
    def count_added(self) -> int:
        """How many values of the whole table are nobody's."""
        return len(self.coarse.nodes) - len(self.release)

    @property
    def possible(self) -> Flags:
        """Whether each value lies below something that is published in the groups that fit."""
        used, ends = np.flatnonzero(self.published), np.zeros(len(self.here) + 1, np.intp)
        np.add.at(ends, np.array(self.tree.first)[used], 1)
        np.add.at(ends, np.array(self.tree.last)[used], -1)
        return np.cumsum(ends[:-1]) > 0

    @property
    def cover(self) -> int:
        """The smallest node that covers all that is published in the groups that fit."""
        used, tree = np.flatnonzero(self.published).tolist(), self.tree
        first, last = min(tree.first[n] for n in used), max(tree.last[n] for n in used)
        around = [n for n in tree.post if tree.first[n] <= first and last <= tree.last[n]]
        return min(around, key=lambda n: tree.last[n] - tree.first[n])

    @property
    def tolerance(self) -> float:
        """By how much the publisher lets shares of siblings be off, below any node."""
        told = self.release.parameters.get("tolerance")
        told = told if isinstance(told, Mapping) else {}
        own = told.get("nodes")
        given = [told.get("share", 0), *(own.values() if isinstance(own, Mapping) else ())]
        try:
            return float(max(exact_fraction(share, "tolerance") for share in given))
        except (SchemaError, RecordError):
            return 0.0

    def name_node(self, node: int) -> str:
        """Name a node as the screen shows it."""
        return self.coarse.column.shown(self.tree.names[node])

    def name_leaf(self, place: int) -> str:
        """Name the value at a place among all of them."""
        return self.name_node(self.tree.leaves[place])

    def is_respected(self) -> bool:
        """Whether below her node just the target is shown, in each group that shows any of it."""
        node, told = self.node if self.node is not None else self.tree.root, False
        for part in self.coarse.readings(self.groups):
            tree = part.tree
            owner, nodes = self.coarse.owner[part.rows], self.coarse.nodes[part.rows]
            first, last = np.array(tree.first), np.array(tree.last)
            near = (first[nodes] < last[node]) & (first[node] < last[nodes])
            if near.any():
                told = True
                if not tree.weight[node] or len(
                    find_uneven_groups(tree, owner[near], nodes[near], node)
                ):
                    return False
        return told

    def make_tables(self) -> dict[str, pd.DataFrame]:
        """What can be inferred beside the target, by value where there are many, and groups."""
        names, places = self.group_values() if len(self.groups) else ([], np.empty(0, np.intp))
        chances = {"of 100 for you": self.here, "of 100 in the target": self.target}
        found = {
            "distribution": pd.DataFrame(
                {
                    "value": names,
                    **{
                        name: 100 * np.bincount(places, part[: len(places)])
                        for name, part in chances.items()
                    },
                }
            )
        }
        if len(self.here) > MOST_BARS:
            order = np.argsort(-self.here, kind="stable")
            there = order[self.possible[order]][:MOST_LINES]
            found["values"] = pd.DataFrame(
                {
                    "value": [self.name_leaf(at) for at in there.tolist()],
                    **{name: 100 * part[there] for name, part in chances.items()},
                }
            )
        likeliest = np.argsort(-self.weights, kind="stable")[:MOST_LINES]
        found["groups"] = pd.DataFrame(
            {
                "group": self.release.labels.names[self.groups[likeliest]],
                "people": self.release.sizes[self.groups[likeliest]],
                "of 100 cases yours": 100 * self.weights[likeliest],
            }
        )
        return found

    def group_values(self) -> tuple[list[str], Any]:
        """Name at most so many groups of values, and the place of each value's group.

        They are those of the finest level with few enough of them.
        """
        tree = self.coarse.hierarchy
        order = [tree.levels[leaf] for leaf in tree.order()]
        for height in range(tree.height):
            codes, kept = pd.factorize(np.array([path[height] for path in order], object))
            if len(kept) <= MOST_BARS:
                return list(map(self.coarse.column.shown, kept)), codes
        first = np.sort(np.argsort(-self.here, kind="stable")[: MOST_BARS - 1])
        codes = np.full(len(order), len(first))
        codes[first] = np.arange(len(first))
        names = [self.coarse.column.shown(order[at][0]) for at in first.tolist()]
        return [*names, "all others"], codes

    def list_facts(self) -> dict[str, Any]:
        """How many groups and people fit, how far the target is, and what was required."""
        node = self.node
        return {
            "groups": len(self.groups),
            "people": self.people,
            "away_from_target": self.away,
            "node": None if node is None else self.name_node(node),
            "respected": self.is_respected() if node is not None and len(self.groups) else None,
            "nobody's": self.count_added,
            "sure": self.sure,
            "learned": {self.coarse.column.name: self.learned._asdict()} if self.learned else {},
            "rests": say_condition("target"),
        }


def find_inferred(
    record: Mapping[str, Any], release: SplitRelease, node: str | None = None, sure: float = 0.9
) -> Inferred:
    """Find the groups that a person fits, and what they show; one pass over the rows."""
    known = usable_values(record, release.schema)
    coarse = Coarse(release)
    own = find_own_place(record.get(coarse.column.name), coarse)
    wanted = find_node(node, own, coarse)
    rows = np.ones(len(release), np.bool_)
    for name, value in known.items():
        cells, column = release.quasi[name], release.schema[name]
        rows &= rows_that_may_be(cells, column, value, sets=release.holds_sets)
    held = np.bincount(release.labels.quasi[rows], minlength=len(release.sizes))
    groups = np.flatnonzero(held)
    weights = held[groups] / max(int(held.sum()), 1)
    nodes = coarse.nodes[held[coarse.owner] > 0]
    return Inferred(
        release,
        known,
        coarse,
        groups,
        weights,
        coarse.chances(groups, weights),
        coarse.target(groups, weights),
        np.bincount(nodes, minlength=len(coarse.tree.names)),
        own,
        wanted,
        guess_by_learning(release, coarse.column.name, known, groups, weights, bands=True),
        sure,
    )


def find_own_place(given: Any, coarse: Coarse) -> int | None:
    """The place of her own value among those of the tree."""
    if is_absent(given):
        return None
    column = coarse.column
    name = text(column.score(given) if column.kind == "numeric" else given)
    if name not in coarse.hierarchy.levels:
        raise RecordError(
            f"{column.name!r} was given as {quoted(text(given))}, which is no value of the "
            f"published tree; it has {listed(coarse.hierarchy.order(), 6)}.",
            field=column.name,
            value=given,
        )
    return coarse.hierarchy.span(name)[0]


def find_node(given: str | None, own: int | None, coarse: Coarse) -> int | None:
    """The number of the node she requires, which holds her value where she gave it."""
    if given is None:
        return None
    tree, name = coarse.tree, text(given).strip()
    if name not in tree.numbers:
        sizes = np.subtract(tree.last, tree.first)
        coarsest = [tree.names[node] for node in np.argsort(-sizes, kind="stable").tolist()]
        raise RecordError(
            f"node was given as {quoted(name)}; expected a group of values of "
            f"{coarse.column.name!r} in the published tree, such as {listed(coarsest, 6)}.",
            field="node",
            value=name,
        )
    node = tree.numbers[name]
    if own is not None and not tree.first[node] <= own < tree.last[node]:
        raise RecordError(
            f"node was given as {quoted(name)}, which does not hold your value "
            f"{quoted(tree.names[tree.leaves[own]])}; name a group that does.",
            field="node",
            value=name,
        )
    return node


@guard("The record or the release", RecordError)
def check_disguised(
    record: Mapping[str, Any],
    release: SplitRelease,
    *,
    node: str | None = None,
    ell: int | None = None,
    sure: float = 0.9,
) -> SubjectReport:
    """Check what a release with a target gives away about one record.

    Someone who knows her values looks for the groups she may be in. Each value that they publish
    may be hers; one that stands for several is read as the target says. What he infers is a
    distribution over all values, which she compares with the target that was published.

    Parameters
    ----------
    record
        Her values by column; a quasi-identifier left out, or None, is not used. Her sensitive
        value may be given too, and then tells how likely he is to guess it.
    release
        What was published.
    node
        The group of values that she lets everybody know of her; below it nothing but the target
        is to be seen.
    ell
        She requires that no guess is right in more than one of so many cases, if within a group
        each value is equally likely for everyone and read as the target says.
    sure
        From which chance on a guess of her value is a warning, if the target does not give it as
        surely.

    Returns
    -------
    SubjectReport
        Sentences with their conditions first; then the ``distribution`` that can be inferred
        beside the target, from left to right; the likeliest ``values`` where there are more than
        16; and the ``groups`` that fit.

    Raises
    ------
    RecordError
        If a column, a value, a node or a requirement cannot be used as given.
    SchemaError
        If the release was not made for a target.

    References
    ----------
    [QZ]_ Definitions 3.3.1, 3.3.2, 5.3.1 and 5.3.2

    Notes
    -----
    A requirement is respected if every group she fits that shows anything of it shows just the
    target below it, and one does. One pass over the rows, and a walk over the tree.

    Examples
    --------
    >>> import pandas as pd
    >>> import verikit as vk
    >>> frame = pd.DataFrame({"zip": list("ppqqqq"), "pay": [30, 30, 40, 40, 50, 60]})
    >>> columns = (vk.Column("zip", kind="nominal"), vk.Column("pay", "sensitive"))
    >>> target = vk.targets.balanced([30, 40, 50, 60])
    >>> data = vk.Microdata(frame, vk.Schema(columns))
    >>> release = vk.mask.disguise(data, hierarchy=target, seed=7).release
    >>> report = check_disguised({"zip": "q", "pay": 50}, release, node="[50, 60]")
    >>> report.met, report.tables["distribution"]["of 100 for you"].tolist()
    (True, [25.0, 25.0, 25.0, 25.0])
    """
    share = within(sure, "sure", 0, 1)
    if not shows_target(release):
        raise SchemaError(
            "The release was not made for a target, or has not one sensitive column; use "
            "verikit.check, which finds the check of each kind."
        )
    return check_groups(record, release, Requirement(node=node, ell=ell), Tests(), share)


@checking(
    "disguised",
    judges=JUDGES,
    words="a table that shows a chosen distribution, which has no places",
    release="split",
    when=lambda release, _: shows_target(release),
)
def check_groups(
    record: Mapping[str, Any],
    release: SplitRelease,
    requirement: Requirement,
    _: Tests,
    sure: float = 0.9,
) -> SubjectReport:
    """Find the groups that she fits, and say what they show beside the target."""
    found = find_inferred(record, release, requirement.node, sure)
    unmet: list[Line] | None = None
    if len(found.groups):
        node, ell = found.node, requirement.ell or 0
        told = {"title": found.coarse.column.title, "surest": found.surest, "required": ell}
        respected = node is None or found.is_respected()
        unmet = [
            ("disguised.not-respected", not respected, {"node": found.name_node(node or 0)}),
            ("disguised.too-sure", found.surest * ell > 1 + CLOSE, told),
        ]
    return make_report(found, requirement, list_headlines(found), list_lines(found), unmet)


def list_headlines(found: Inferred) -> Iterator[Line]:
    """What may stand first, the worst first."""
    yield "disguised.none-fits", not len(found.groups), {}
    tree, cover, node, title = found.tree, found.cover, found.node, found.coarse.column.title
    # whether she lets everybody know all that the groups give away for certain
    within = node is not None and tree.first[cover] <= tree.first[node]
    allowed = within and tree.last[node or 0] <= tree.last[cover]
    certain = {"title": title, "value": found.name_node(cover)}
    yield "disguised.learns", cover in tree.leaves and not allowed, certain
    top = int(np.argmax(found.here))
    told = {"title": title, "value": found.name_leaf(top), "surest": found.surest}
    yield "disguised.guesses", found.surest >= found.sure > found.target[top], told
    learned, column = found.learned, found.coarse.column
    better = describe_learned(learned, column) if learned else {}
    sure = learned is not None and learned.chance >= found.sure > learned.everywhere
    yield "split.learned-guesses", sure, better
    yield "disguised.learns-kind", cover != tree.root and not allowed, certain
    people = count_exposed_people(found)
    name = "some-give-away" if found.is_personal else "table-gives-away"
    exposed = {"people": people, "records": len(found.release), "title": title}
    yield f"disguised.{name}", people, exposed
    yield "split.learned-most", learned and learned.chance > found.surest, better
    yield "disguised.no-warning", True, told | {"better": say_condition("repeater")}


def count_exposed_people(found: Inferred) -> int:
    """Count the people in groups that show one value."""
    coarse, sizes = found.coarse, found.release.sizes
    least = np.full(len(sizes), len(found.tree.names))
    most = np.zeros(len(sizes), np.intp)
    np.minimum.at(least, coarse.owner, coarse.nodes)
    np.maximum.at(most, coarse.owner, coarse.nodes)
    single = np.zeros(len(found.tree.names), np.bool_)
    single[list(found.tree.leaves)] = len(found.tree.leaves) > 1
    return int(sizes[(least == most) & single[most]].sum())


def list_lines(found: Inferred) -> Iterator[Line]:
    """What may be said, in the order of the screen."""
    title, count, own = found.coarse.column.title, len(found.groups), found.own
    told: dict[str, Any] = {"title": title, "most": MOST_LINES}
    yield "disguised.name-yours", found.is_personal and found.node is None, told
    if not count:
        yield "disguised.figure-none", True, told
        return
    tree, here, published = found.tree, found.here, found.published
    groups = len(found.release.sizes)
    single = int(published[list(tree.leaves)].sum())
    root = int(published[tree.root]) if len(tree.leaves) > 1 else 0
    possible, added = int(np.count_nonzero(found.possible)), found.count_added
    certain = found.cover if found.cover in tree.leaves else None
    alike = int((here >= found.surest - CLOSE).sum())
    top = tree.leaves[int(np.argmax(here))] if certain is None else certain
    told |= {
        "count": count,
        "groups": groups,
        "people": found.people,
        "away": found.away,
        "tolerance": found.tolerance,
        "value": found.name_node(top),
        "surest": found.surest,
        "alike": alike,
        "values": int(published.sum()),
        "single": single,
        "several": int(published.sum()) - single - root,
        "root": root,
        "added": added,
    }
    yield f"disguised.figure-group{'s' * (count > 1)}", True, told
    learned, column = found.learned, found.coarse.column
    likelier = learned is not None and learned.chance > found.surest
    yield "split.figure-learned", likelier, describe_learned(learned, column) if learned else {}
    yield "disguised.figure-guess", not likelier, told
    yield "disguised.figure-away", True, told
    name = "whole-table" if groups == 1 else "one-group" if count == 1 else "several-groups"
    yield f"disguised.{name}", True, told
    target = "off-target" if not found.tolerance else "near-target"
    moved = "own-way" if found.is_personal else target
    yield f"disguised.{moved if found.away else 'target'}", True, told
    likeliest = "likeliest" if alike == 1 else "one-of-the-likeliest"
    yield f"disguised.{likeliest if certain is None else 'one-value'}", True, told
    yield f"disguised.values{'-and-nobodys' if added else ''}", True, told
    if own is not None:
        name = "own" if found.possible[own] else "own-absent"
        chances = {n: round(float(getattr(found, n)[own]), DIGITS) for n in ("here", "target")}
        yield f"disguised.{name}", True, {**told, **chances, "own": found.name_leaf(own)}
    told |= {"values": possible, "others": possible - 1}
    yield "disguised.two-values", possible == 2, told
    yield "disguised.several-values", possible > 2, told
    if possible > 1:
        yield from list_learned_lines(found.release, column, learned)
    yield "common.unattacked", True, told
    lines = {"groups": count, "values": possible if len(here) > MOST_BARS else 0}
    for what, number in lines.items():
        yield "disguised.cut", number > MOST_LINES, {**told, "what": what, "number": number}
