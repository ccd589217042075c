"""A published graph: the group of a name, and how likely each of its links looks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit._support.guard import guard
from verikit._support.requests import within
from verikit.errors import RecordError, SchemaError
from verikit.languages import Line, card_text, insert_phrases
from verikit.matching import is_absent
from verikit.release import GraphRelease, by_nodes
from verikit.subject._answer import make_report, say_better_guesser, say_condition
from verikit.subject._check import Tests, checking
from verikit.subject._guess import order_by_chance
from verikit.subject._report import SubjectReport
from verikit.subject._requirement import Requirement
from verikit.table import Column, Side, require_single_value
from verikit.words import listed, text

__all__ = ["check_graph"]

SIDES: tuple[Side, Side] = ("left", "right")
MOST_LINES = 20
MOST_NAMES = 3
FIRST_STEPS, STEPS = 10, 12  # of the table of learned links, where it is long
JUDGES = {
    "k": "how many your group holds, you among them",
    "ell": insert_phrases(
        "in one of how many cases a guess of a link of yours may be right, {rests:nodes}"
    ),
}


class Learned(NamedTuple):
    """What somebody knows who learned a link of hers.

    Parameters
    ----------
    nodes
        How many nodes may be hers then.
    groups
        The groups of the other side to which these are linked.
    chance
        How likely a link to any one name of each is; the name that was learned is left out.
    """

    nodes: int
    groups: Rows
    chance: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Linked:
    """A name in a published graph, and what everybody can infer of its links.

    Parameters
    ----------
    release
        What was published.
    mine, others
        Her side, and the other one.
    name, other
        Her name, and one of the other side; None where there was none.
    place
        The place of the other name on its side; -1 where there is no such name.
    size
        How many names her group holds; 0 where there is no such name.
    ends
        By link of the nodes of her group, the node on her side and the one on the other.
    far
        By such a link, the group it leads to.
    degrees
        How many links each node of her group has.
    groups
        The groups of the other side with a link to hers, the likeliest first.
    links, reaching
        By group how many links lead there, and how many nodes that may be hers have one.
    chances
        How likely a link to any one name of these groups is (Lemma 4.4.1).
    sure
        From which chance on a guess of a link is a warning.
    """

    release: GraphRelease
    mine: Side
    others: Side
    name: str
    other: str | None
    place: int
    size: int
    ends: Rows
    far: Rows
    degrees: Rows
    groups: Rows
    links: Rows
    reaching: Rows
    chances: Floats
    sure: float

    @property
    def columns(self) -> tuple[Column, ...]:
        """What was given: her name, and the other one."""
        sides = SIDES if self.other is not None else (self.mine,)
        return tuple(self.release.side(side).schema.columns[0] for side in sides)

    @property
    def left_out(self) -> tuple[Column, ...]:
        """Nothing else could have been given."""
        return ()

    @property
    def group(self) -> int:
        """The number of her group on the other side, where that is the same; -1 else."""
        own = np.flatnonzero(self.release.names(self.mine) == self.name)
        same = self.release.mirrored and len(own)
        return int(self.release.groups(self.mine)[own[0]]) if same else -1

    @property
    def harm(self) -> list[str]:
        """What the graph shows of her: her links to the other side."""
        return [self.release.title(self.others)]

    @property
    def surest(self) -> float:
        """The chance of the likeliest link."""
        return float(self.chances[0]) if len(self.groups) else 0.0

    @property
    def own(self) -> float:
        """How likely a link to the other name looks."""
        home = self.release.groups(self.others)[self.place]
        return float(self.chances[self.groups == home].sum())

    @property
    def ends_apart(self) -> bool:
        """Whether no two nodes that may be hers are linked to the same node."""
        return len(np.unique(self.ends[:, 1])) == len(self.ends)

    @property
    def learned(self) -> Learned:
        """What somebody knows who learned her link to the other name."""
        home, sizes = self.release.groups(self.others)[self.place], self.release.sizes(self.others)
        pairs = self.ends[self.far == home]  # each is as likely to be this link
        nodes, ways = np.unique(pairs[:, 0], return_counts=True)
        there = np.isin(self.ends[:, 0], nodes)
        weight = ways[np.searchsorted(nodes, self.ends[there, 0])] / max(len(pairs), 1)
        found = np.bincount(self.far[there], weight, len(sizes))
        found[home] -= 1  # the learned one itself
        sizes[home] -= 1
        if self.group >= 0:  # nobody is linked to herself
            sizes[self.group] -= 1
        groups = np.flatnonzero((found > 1e-12) & (sizes > 0))
        chance = found[groups] / sizes[groups]
        order = np.argsort(-chance, kind="stable")
        return Learned(len(nodes), groups[order], chance[order])

    def name_groups(self, groups: Any) -> list[str]:
        """Name the first few of each of some groups of the other side."""
        held = self.release.groups(self.others)
        if self.release.mirrored:  # nobody is linked to herself
            held = np.where(self.release.names(self.mine) == self.name, -1, held)
        order = np.argsort(held, kind="stable")
        ends = (np.searchsorted(held[order], groups, side) for side in ("left", "right"))
        names = self.release.names(self.others)
        found = []
        for first, last in zip(*ends, strict=True):
            few, more = ", ".join(map(str, names[order[first:last][:MOST_NAMES]])), last - first
            more -= MOST_NAMES
            found.append(card_text("names-more", names=few, count=int(more)) if more > 0 else few)
        return found

    def make_tables(self) -> dict[str, pd.DataFrame]:
        """The links that she may have by group, the likeliest first; and what learned ones add."""
        links = pd.DataFrame(columns=["any of", "links to your group", "of 100 each"])
        if len(self.groups):
            links = pd.DataFrame(
                {
                    "any of": self.name_groups(self.groups[:MOST_LINES]),
                    "links to your group": self.links[:MOST_LINES],
                    "of 100 each": 100 * self.chances[:MOST_LINES],
                    "of 100 at least one": 100 * self.reaching[:MOST_LINES] / self.size,
                }
            )
        some = self.size > 1 and len(self.groups) and self.ends_apart
        some = some and not self.release.mirrored
        steps = list(range(self.size if some else 0))
        if len(steps) > STEPS:
            steps = [*steps[:FIRST_STEPS], *steps[FIRST_STEPS - STEPS :]]
        most = [100 * (1 / (self.size - step) if step else self.surest) for step in steps]
        learned = pd.DataFrame({"links of others learned": steps, "of 100 at most": most})
        return {"links": links, "learned": learned}

    def list_facts(self) -> dict[str, Any]:
        """Her group, how many links its nodes have, how sure a guess is, and what it rests on."""
        return {
            "group": self.size,
            "fewest_links": int(self.degrees.min(initial=len(self.release))) if self.size else 0,
            "most_links": int(self.degrees.max(initial=0)),
            "surest": self.surest,
            "groups_linked": len(self.groups),
            "sure": self.sure,
            "rests": say_condition("nodes"),
        }


def find_linked(record: Mapping[str, Any], release: GraphRelease, sure: float = 0.9) -> Linked:
    """Find the group of a name, and the links of its nodes; one pass over the links."""
    given = read_names(record, release)
    at = 0 if given[0] is not None else 1
    mine, others = SIDES[at], SIDES[1 - at]
    same = release.title("left") == release.title("right")
    name, other = str(given[at]), given[1] if at == 0 and not same else None
    place, to = (
        int(max(np.flatnonzero(release.names(side) == wanted)[:1], default=-1))
        for side, wanted in ((mine, name), (others, other))
    )
    group = int(release.groups(mine)[place]) if place >= 0 else -1
    hers = np.flatnonzero(release.nodes(mine) == group)
    ends = release.links[np.isin(release.links[:, at], hers)][:, [at, 1 - at]]
    far = np.asarray(release.nodes(others)[ends[:, 1]])
    groups, links = np.unique(far, return_counts=True)
    width = len(release.nodes(mine))
    reaching = np.bincount(np.unique(far * width + ends[:, 0]) // width)[groups]
    own = (groups == group) & release.mirrored  # nobody is linked to herself
    chances = links / (max(len(hers), 1) * (release.sizes(others)[groups] - own))
    order = order_by_chance(chances)
    return Linked(
        release,
        mine,
        others,
        name,
        other,
        to,
        len(hers),
        ends,
        far,
        np.bincount(np.searchsorted(hers, ends[:, 0]), minlength=len(hers)),
        groups[order],
        links[order],
        reaching[order],
        chances[order],
        sure,
    )


def read_names(record: Mapping[str, Any], release: GraphRelease) -> list[str | None]:
    """Her name, left or right, and the other one where it was given."""
    titles = [release.title(side) for side in SIDES]
    try:
        given = {text(name): value for name, value in dict(record).items()}
    except (TypeError, ValueError):
        raise RecordError(
            f"The record was given as {type(record).__name__}; expected a dictionary such as "
            f"{{{titles[0]!r}: 'a name'}}.",
            field="record",
            value=record,
        ) from None
    unknown = [name for name in given if name not in titles]
    if unknown:
        raise RecordError(
            f"The record has {listed(unknown)}; a published graph is asked for a name, under "
            f"{listed(titles)}."
        )
    for name, value in given.items():
        require_single_value(name, value)
    found = [None if is_absent(given.get(t)) else text(given[t]).strip() for t in titles]
    if not any(found):
        raise RecordError(f"The record holds no name; give one under {listed(titles)}.")
    return [name or None for name in found]


@guard("The record or the release", RecordError)
def check_graph(
    record: Mapping[str, Any],
    release: GraphRelease,
    *,
    k: int | None = None,
    ell: int | None = None,
    sure: float = 0.9,
) -> SubjectReport:
    """Check what a published graph gives away about the links of one name.

    Anybody finds the group of her name, and the nodes that may be hers. How likely a link of hers
    to another name looks is the share of pairs of nodes of both groups that are linked. Each link
    of others that somebody learns takes nodes away from those that may be hers.

    Parameters
    ----------
    record
        Her name, under what the names of her side are called. A name of the other side may be
        given too: a link of hers, which tells how likely it looks and what learning it gives away.
        The other name alone is looked up itself.
    release
        What was published.
    k
        How many she requires her group to hold.
    ell
        She requires that no guess of a link of hers is right in more than one of so many cases, if
        within a group each node is equally likely for every name.
    sure
        From which chance on a guess of a link is a warning.

    Returns
    -------
    SubjectReport
        Sentences with their conditions first; then the ``links`` she may have, by group of the
        other side, and ``learned``: how sure a guess may become with each link of others that is
        learned.

    Raises
    ------
    RecordError
        If no name is given, a column is not one of the names, or a requirement makes no sense.
    SchemaError
        If there is no published graph.

    References
    ----------
    [QZ]_ Lemma 4.4.1, Theorem 7, section 4.4.6

    Notes
    -----
    Every way to give the names of a group to its nodes is taken as equally likely. After r learned
    links of others a guess is right in one of k - r cases at most, for a group of k where no two
    nodes are linked to the same; at k - 1 it may be certain (fact BG-25). O(e) for e links.

    Examples
    --------
    >>> import verikit as vk
    >>> graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    >>> groups = vk.Partition.of([0, 0, 1, 0, 1, 1]), vk.Partition.of([0, 1, 1, 0, 1, 0])
    >>> release = vk.mask.group_nodes(graph, 3, 3, groups=groups, seed=5).release
    >>> report = check_graph({"Author": "a1", "Paper": "p2"}, release)
    >>> print(report.headline.text)
    The best guess of a link of yours is right in 33 of 100 cases if within a group each node is
    equally likely for every name.
    >>> report.tables["learned"]["of 100 at most"].round().tolist()
    [33.0, 50.0, 100.0]
    """
    share = within(sure, "sure", 0, 1)
    if not by_nodes(release):
        raise SchemaError(
            f"check_graph was given {type(release).__name__}; expected GraphRelease, such as "
            "mask.group_nodes makes."
        )
    return check_name(record, release, Requirement(k=k, ell=ell), Tests(), share)


@checking("graph", judges=JUDGES, words="a published graph, which has no places")
def check_name(
    record: Mapping[str, Any],
    release: GraphRelease,
    requirement: Requirement,
    _: Tests,
    sure: float = 0.9,
) -> SubjectReport:
    """Find the group of a name, and say how likely its links look."""
    found = find_linked(record, release, sure)
    k, ell = requirement.k or 0, requirement.ell or 0
    unmet: list[Line] = [
        ("graph.too-few", found.size < k, {"size": found.size, "required": k}),
        (
            "graph.too-sure",
            found.surest * ell > 1 + 1e-12,
            {"surest": found.surest, "required": ell},
        ),
    ]
    return make_report(
        found, requirement, list_headlines(found), list_lines(found), unmet if found.size else None
    )


def list_headlines(found: Linked) -> Iterator[Line]:
    """What may stand first, the worst first."""
    release, surest = found.release, found.surest
    title = release.title(found.mine)
    yield "graph.none", not found.size, {"title": title, "name": found.name}
    told = {
        "names": "".join(found.name_groups(found.groups[:1])),
        "surest": surest,
        "better": say_better_guesser(release),
    }
    yield "graph.learns", surest == 1, told
    yield "graph.guesses", surest >= found.sure, told
    yield "graph.alone", found.size == 1, {}
    certain = count_certain_links(release)
    yield "graph.table-certain", certain, {"certain": certain, "links": len(release)}
    alone = int(np.count_nonzero(release.sizes(found.mine) == 1))
    yield "graph.table-alone", alone, {"alone": alone, "names": len(release.side(found.mine))}
    yield "graph.no-warning", True, told


def count_certain_links(release: GraphRelease) -> int:
    """Count the links that join two groups of which every node is linked to every node."""
    left = release.left_nodes[release.links[:, 0]]
    right = release.right_nodes[release.links[:, 1]]
    sizes, width = release.sizes("left"), release.sizes("right")
    keys, links = np.unique(left * len(width) + right, return_counts=True)
    own = (keys // len(width) == keys % len(width)) & release.mirrored
    pairs = sizes[keys // len(width)] * (width[keys % len(width)] - own)
    return int(links[links == pairs].sum()) // (2 if release.mirrored else 1)


def list_lines(found: Linked) -> Iterator[Line]:
    """What may be said, in the order of the screen."""
    size, surest, degrees = found.size, found.surest, found.degrees
    if not size:
        yield "common.figure-published", True, {"records": len(found.release)}
        return
    few, many = int(degrees.min()), int(degrees.max())
    told = {
        "size": size,
        "surest": surest,
        "better": say_better_guesser(found.release),
        "links": many,
        "few": few,
        "many": many,
        "unique": int((np.bincount(degrees) == 1).sum()),  # how many numbers a single node has
        "title": found.release.title(found.others),
        "one": 1 / max(size - 1, 1),
        "last": size - 1,
        "number": len(found.groups),
        "most": MOST_LINES,
    }
    yield "graph.figure-group", True, told
    yield "graph.figure-guess", True, told
    yield "graph.figure-links" if few == many else "graph.figure-between", True, told
    yield "graph.alone-in" if size == 1 else "graph.group", True, told
    yield "graph.no-links", many == 0, told
    yield "graph.links", few == many > 0, told
    yield "graph.links-between" if told["unique"] else "graph.links-shared", few < many, told
    if len(found.groups):
        yield "graph.likeliest", True, {**told, "names": found.name_groups(found.groups[:1])[0]}
        # the smallest group of the other side to which every node is linked that may be hers
        certain = found.groups[(found.reaching == size) & (found.chances < 1)]
        sizes = found.release.sizes(found.others)[certain]
        least = certain[np.argmin(sizes)] if len(certain) else found.groups[0]
        yield "graph.one-of", len(certain), {"names": found.name_groups([least])[0]}
        learned = "-one" if size == 2 else ""
        name = f"graph.learned{learned}" if found.ends_apart else "graph.not-apart"
        yield name, size > 1 and not found.release.mirrored, told
    if found.other is not None:
        yield from list_lines_of_link(found, found.other)
    yield "graph.cut", len(found.groups) > MOST_LINES, told


def list_lines_of_link(found: Linked, other: str) -> Iterator[Line]:
    """L6 and L7: how likely the link looks that she gave, and what learning it gives away."""
    told: dict[str, Any] = {
        "title": found.release.title(found.others),
        "other": other,
        "size": found.size,
    }
    if found.place < 0 or not found.own:
        yield f"graph.{'other-unknown' if found.place < 0 else 'own-impossible'}", True, told
        return
    yield "graph.own", True, {**told, "chance": found.own}
    nodes, groups, chance = found.learned
    told |= {"nodes": nodes, "names": "".join(found.name_groups(groups[:1]))}
    told["chance"] = float(max(chance[:1], default=0))
    one = "-node" if nodes == 1 else ""
    yield f"graph.own-learned{one if len(groups) else '-alone'}", True, told
