"""Sensitive values that show a chosen target: what anybody can infer of a person's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
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
from verikit.subject._guess import keep_texts, order_by_chance
from verikit.subject._known import Given, usable_values
from verikit.subject._report import SubjectReport
from verikit.subject._requirement import Requirement
from verikit.subject.split import describe_learned, list_learned_lines
from verikit.targets import Tree, find_uneven_groups
from verikit.values.numbers import exact_fraction
from verikit.words import joined, listed, text

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


def find_tolerance(release: SplitRelease, name: str) -> float:
    """By how much the publisher lets shares of siblings of a column be off, below any node."""
    told = release.told_of(name).get("tolerance")
    told = told if isinstance(told, Mapping) else {}
    own = told.get("nodes")
    given = [told.get("share", 0), *(own.values() if isinstance(own, Mapping) else ())]
    try:
        return float(max(exact_fraction(share, "tolerance") for share in given))
    except (SchemaError, RecordError):
        return 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Inferred:
    """The groups that fit her values, and what they show of one sensitive value of hers.

    Parameters
    ----------
    release
        What was published.
    coarse
        The published nodes by group.
    groups
        The groups that fit.
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
    coarse: Coarse
    groups: Rows
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
        return round(found, DIGITS) if found > CLOSE else 0.0

    @property
    def top(self) -> int:
        """The place of the first of the likeliest values."""
        return int(np.argmax(self.here >= self.surest - CLOSE))

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
        return find_tolerance(self.release, self.coarse.column.name)

    def count_published(self) -> dict[str, int]:
        """How many nodes are published in the groups that fit: in all, single ones, and others."""
        tree, several = self.tree, len(self.tree.leaves) > 1
        every, root = int(self.published.sum()), int(self.published[tree.root]) * several
        single = int(self.published[list(tree.leaves)].sum())
        return {
            "values": every, "single": single, "several": every - single - root, "root": root
        }  # fmt: skip

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

    def list_values(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """What can be inferred beside the target, by value where there are many."""
        names, places = self.group_values() if len(self.groups) else ([], np.empty(0, np.intp))
        chances = {"of 100 for you": self.here, "of 100 in the target": self.target}
        several = {
            name: 100 * np.bincount(places, part[: len(places)]) for name, part in chances.items()
        }
        order = np.argsort(-self.here.round(DIGITS), kind="stable")
        there = order[self.possible[order] & (len(self.here) > MOST_BARS)]
        single = {name: 100 * part[there] for name, part in chances.items()}
        values = [self.name_leaf(at) for at in there.tolist()]
        tables = (names, several), (values, single)
        few, many = (pd.DataFrame({"value": keep_texts(n), **each}) for n, each in tables)
        return few, many

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


@dataclass(frozen=True, slots=True, eq=False)
class Shown(Given):
    """The values she gave, the groups that fit them, and what these show by sensitive column.

    Parameters
    ----------
    release
        What was published.
    known
        The quasi-identifiers she gave.
    weights
        The chance that she is in each group that fits.
    inferred
        What is shown of each sensitive value.
    """

    release: SplitRelease
    known: Mapping[str, Any]
    weights: Floats
    inferred: tuple[Inferred, ...]

    def make_tables(self) -> dict[str, pd.DataFrame]:
        """What can be inferred beside the targets, by value where there are many, and groups."""
        tables = zip(*(part.list_values() for part in self.inferred), strict=True)
        found = {}
        for name, parts in zip(("distribution", "values"), tables, strict=True):
            if len(parts) > 1:
                for part, own in zip(parts, self.inferred, strict=True):
                    part.insert(0, "attribute", own.coarse.column.name)
            found[name] = pd.concat(parts, ignore_index=True)
        order = np.argsort(-found["values"]["of 100 for you"].round(DIGITS - 2), kind="stable")[
            :MOST_LINES
        ]
        found["values"] = found["values"].take(order).reset_index(drop=True)
        if not any(len(part.here) > MOST_BARS for part in self.inferred):
            del found["values"]
        groups = self.inferred[0].groups
        likeliest = order_by_chance(self.weights)[:MOST_LINES]
        found["groups"] = pd.DataFrame(
            {
                "group": self.release.labels.names[groups[likeliest]],
                "people": self.release.sizes[groups[likeliest]],
                "of 100 cases yours": 100 * self.weights[likeliest],
            }
        )
        return found

    def list_facts(self) -> dict[str, Any]:
        """How many groups and people fit, how far each target is, and what was required."""
        named = [part for part in self.inferred if part.node is not None]
        away = {part.coarse.column.name: part.away for part in self.inferred}
        first = self.inferred[0]
        fits = named and len(first.groups)
        return {
            "groups": len(first.groups),
            "people": first.people,
            "away_from_target": first.away if len(away) == 1 else away,
            "node": named[0].name_node(named[0].node or 0) if named else None,
            "respected": all(part.is_respected() for part in named) if fits else None,
            "nobody's": first.count_added,
            "sure": first.sure,
            "learned": {
                part.coarse.column.name: part.learned._asdict()
                for part in self.inferred
                if part.learned
            },
            "rests": say_condition("target"),
        }


def find_shown(
    record: Mapping[str, Any], release: SplitRelease, node: str | None = None, sure: float = 0.9
) -> Shown:
    """Find the groups that a person fits, and what they show; one pass over the rows."""
    known = usable_values(record, release.schema)
    columns = [Coarse(release, column.name) for column in release.schema.sensitive]
    own = [find_own_place(record.get(coarse.column.name), coarse) for coarse in columns]
    wanted = find_nodes(node, own, columns)
    rows = np.ones(len(release), np.bool_)
    for name, value in known.items():
        cells, column = release.quasi[name], release.schema[name]
        rows &= rows_that_may_be(cells, column, value, sets=release.holds_sets)
    held = np.bincount(release.labels.quasi[rows], minlength=len(release.sizes))
    groups = np.flatnonzero(held)
    weights = held[groups] / max(int(held.sum()), 1)
    inferred = tuple(
        Inferred(
            release,
            coarse,
            groups,
            coarse.chances(groups, weights),
            coarse.target(groups, weights),
            np.bincount(coarse.nodes[held[coarse.owner] > 0], minlength=len(coarse.tree.names)),
            hers,
            required,
            guess_by_learning(release, coarse.column.name, known, groups, weights, bands=True),
            sure,
        )
        for coarse, hers, required in zip(columns, own, wanted, strict=True)
    )
    return Shown(release, known, weights, inferred)


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


def find_nodes(
    given: str | None, own: Sequence[int | None], columns: Sequence[Coarse]
) -> list[int | None]:
    """The number of the node she requires, by column; it holds her value where she gave it.

    It is required of each column whose tree has it, but where it does not hold her value of one.
    """
    found: list[int | None] = [None] * len(columns)
    if given is None:
        return found
    name, outside = text(given).strip(), ""
    for at, (coarse, place) in enumerate(zip(columns, own, strict=True)):
        tree = coarse.tree
        node = tree.numbers.get(name)
        hers = node is None or place is None or tree.first[node] <= place < tree.last[node]
        if not hers:
            node, outside = None, outside or tree.names[tree.leaves[place or 0]]
        found[at] = node
    if all(node is None for node in found):
        if outside:
            raise RecordError(
                f"node was given as {quoted(name)}, which does not hold your value "
                f"{quoted(outside)}; name a group that does.",
                field="node",
                value=name,
            )
        parts = [
            ((first - last) / len(c.tree.leaves), label)
            for c in columns
            for first, last, label in zip(c.tree.first, c.tree.last, c.tree.names, strict=True)
        ]
        coarsest = [label for _, label in sorted(parts, key=lambda part: part[0])]
        titles = joined((repr(c.column.name) for c in columns), "or")
        raise RecordError(
            f"node was given as {quoted(name)}; expected a group of values of {titles} in the "
            f"published tree, such as {listed(coarsest, 6)}.",
            field="node",
            value=name,
        )
    return found


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
            "The release was not made for a target; use verikit.check, which finds the check of "
            "each kind."
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
    found = find_shown(record, release, requirement.node, sure)
    unmet: list[Line] | None = None
    if len(found.weights):
        unmet, ell = [], requirement.ell or 0
        for part in found.inferred:
            told = {"title": part.coarse.column.title, "surest": part.surest, "required": ell}
            respected = part.node is None or part.is_respected()
            node = {"node": part.name_node(part.node or 0)}
            unmet.append(("disguised.not-respected", not respected, node))
            unmet.append(("disguised.too-sure", part.surest * ell > 1 + CLOSE, told))
    by_column = zip(*map(list_headlines, found.inferred), strict=True)  # the worst of all first
    headlines = chain.from_iterable(by_column)
    return make_report(found, requirement, headlines, list_lines(found), unmet)


def list_headlines(found: Inferred) -> Iterator[Line]:
    """What may stand first, the worst first."""
    yield "disguised.none-fits", not len(found.groups), {}
    tree, cover, node, title = found.tree, found.cover, found.node, found.coarse.column.title
    # whether she lets everybody know all that the groups give away for certain
    within = node is not None and tree.first[cover] <= tree.first[node]
    allowed = within and tree.last[node or 0] <= tree.last[cover]
    certain = {"title": title, "value": found.name_node(cover)}
    yield "disguised.learns", cover in tree.leaves and not allowed, certain
    top = found.top
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


def list_lines(shown: Shown) -> Iterator[Line]:
    """What may be said, in the order of the screen."""
    first = shown.inferred[0]
    count, groups = len(first.groups), len(shown.release.sizes)
    told: dict[str, Any] = {"title": first.coarse.column.title, "most": MOST_LINES}
    yield "disguised.name-yours", first.is_personal and first.node is None, told
    if not count:
        yield "disguised.figure-none", True, told
        return
    told |= {"count": count, "groups": groups, "people": first.people}
    told |= {"added": sum(part.count_added for part in shown.inferred)}
    yield f"disguised.figure-group{'s' * (count > 1)}", True, told
    surest = max(shown.inferred, key=lambda part: part.surest)
    learned, column = surest.learned, surest.coarse.column
    likelier = learned is not None and learned.chance > surest.surest
    yield "split.figure-learned", likelier, describe_learned(learned, column) if learned else {}
    yield "disguised.figure-guess", not likelier, {"title": column.title, "surest": surest.surest}
    away = max(part.away for part in shown.inferred)
    yield "disguised.figure-away", True, {"away": away}
    name = "whole-table" if groups == 1 else "one-group" if count == 1 else "several-groups"
    yield f"disguised.{name}", True, told
    for part in shown.inferred:
        yield from list_target_lines(part)
    published = [part.count_published() for part in shown.inferred]
    told |= {name: sum(part[name] for part in published) for name in published[0]}
    yield f"disguised.values{'-and-nobodys' if told['added'] else ''}", True, told
    for part in shown.inferred:
        yield from list_value_lines(part)
    yield "common.unattacked", True, told
    possible = [part for part in shown.inferred if len(part.here) > MOST_BARS]
    for number in (count, sum(int(part.possible.sum()) for part in possible)):
        yield "disguised.cut", number > MOST_LINES, {**told, "number": number}


def list_target_lines(found: Inferred) -> Iterator[Line]:
    """D2, D3: how what is shown of one column compares with its target, and the best guess."""
    here, cover, tree = found.here, found.cover, found.tree
    certain = cover in tree.leaves
    alike = int((here >= found.surest - CLOSE).sum())
    told = {
        "title": found.coarse.column.title,
        "away": found.away,
        "tolerance": found.tolerance,
        "value": found.name_node(cover if certain else tree.leaves[found.top]),
        "surest": found.surest,
        "alike": alike,
    }
    target = "off-target" if not found.tolerance else "near-target"
    moved = "own-way" if found.is_personal else target
    yield f"disguised.{moved if found.away else 'target'}", True, told
    likeliest = "likeliest" if alike == 1 else "one-of-the-likeliest"
    yield f"disguised.{'one-value' if certain else likeliest}", True, told


def list_value_lines(found: Inferred) -> Iterator[Line]:
    """D5, D6: how likely her own value is, and how many are possible."""
    own, possible, title = found.own, int(found.possible.sum()), found.coarse.column.title
    if own is not None:
        name = "own" if found.possible[own] else "own-absent"
        chances = {n: round(float(getattr(found, n)[own]), DIGITS) for n in ("here", "target")}
        yield f"disguised.{name}", True, {"title": title, **chances, "own": found.name_leaf(own)}
    told = {"title": title, "values": possible, "others": possible - 1}
    yield "disguised.two-values", possible == 2, told
    yield "disguised.several-values", possible > 2, told
    if possible > 1:
        yield from list_learned_lines(found.release, found.coarse.column, found.learned)
