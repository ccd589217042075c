"""The group of a name in a published graph, and how likely each of its links looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit.errors import RecordError
from verikit.matching import is_absent
from verikit.release import GraphRelease
from verikit.subject._answer import say_condition
from verikit.table import Column, Side, require_single_value
from verikit.words import listed, text

SIDES: tuple[Side, Side] = ("left", "right")


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


@dataclass(frozen=True, eq=False)
class Linked:
    """A name in a published graph, and what everybody can infer of its links.

    Parameters
    ----------
    release
        What was published.
    at
        Her side: 0 is left, 1 right.
    name
        Her name.
    group
        Her group; -1 where there is no such name.
    ends
        By link of the nodes of her group, the node on her side and the one on the other.
    other
        A name of the other side that was given too; None where there was none.
    place
        Its place among the names of the other side; -1 where there is no such name.
    sure
        From which chance on a guess of a link is a warning.
    """

    release: GraphRelease
    at: int
    name: str
    group: int
    ends: Rows
    other: str | None
    place: int
    sure: float = 0.9

    @property
    def columns(self) -> tuple[Column, ...]:
        """What was given: her name, and the other one."""
        sides = SIDES if self.other is not None else SIDES[self.at : self.at + 1]
        return tuple(self.release.side(side).schema.columns[0] for side in sides)

    @property
    def left_out(self) -> tuple[Column, ...]:
        """Nothing else could have been given."""
        return ()

    @property
    def there(self) -> bool:
        """Whether the graph has her name."""
        return self.group >= 0

    @property
    def mine(self) -> Side:
        """Her side."""
        return SIDES[self.at]

    @property
    def others(self) -> Side:
        """The other side."""
        return SIDES[1 - self.at]

    @property
    def title(self) -> str:
        """What the names of the other side are called."""
        return self.release.title(self.others)

    @cached_property
    def size(self) -> int:
        """How many names her group holds."""
        return int(np.count_nonzero(self.release.groups(self.mine) == self.group))

    @cached_property
    def degrees(self) -> Rows:
        """How many links each node has that may be hers."""
        nodes = np.flatnonzero(self.release.nodes(self.mine) == self.group)
        found = np.searchsorted(nodes, self.ends[:, 0])
        return np.bincount(found, minlength=len(nodes))

    @cached_property
    def far(self) -> Rows:
        """By link of the nodes of her group, the group it leads to."""
        return np.asarray(self.release.nodes(self.others)[self.ends[:, 1]])

    @cached_property
    def sizes(self) -> Rows:
        """How many names each group of the other side holds."""
        return self.release.sizes(self.others)

    @cached_property
    def groups(self) -> Rows:
        """The groups of the other side with a link to hers, the likeliest first."""
        groups, links = np.unique(self.far, return_counts=True)
        order = np.argsort(-links / self.sizes[groups], kind="stable")
        return groups[order]

    @cached_property
    def links(self) -> Rows:
        """How many links lead to each of these groups."""
        return np.bincount(self.far, minlength=len(self.sizes))[self.groups]

    @cached_property
    def reaching(self) -> Rows:
        """How many nodes that may be hers have a link to each of these groups."""
        width = len(self.release.nodes(self.mine))
        found = np.unique(self.far * width + self.ends[:, 0]) // width
        return np.bincount(found, minlength=len(self.sizes))[self.groups]

    @cached_property
    def chances(self) -> Floats:
        """How likely a link to any one name of these groups is (Lemma 4.4.1)."""
        return np.asarray(self.links / (self.size * self.sizes[self.groups]))

    @property
    def surest(self) -> float:
        """The chance of the likeliest link."""
        return float(self.chances[0]) if len(self.groups) else 0.0

    @cached_property
    def apart(self) -> bool:
        """Whether no two nodes that may be hers are linked to the same node."""
        ends = np.sort(self.ends[:, 1])
        return not bool((ends[1:] == ends[:-1]).any())

    @cached_property
    def own(self) -> float:
        """How likely a link to the other name looks."""
        at = np.flatnonzero(self.groups == self.release.groups(self.others)[self.place])
        return float(self.chances[at[0]]) if len(at) else 0.0

    @cached_property
    def learned(self) -> Learned:
        """What somebody knows who learned her link to the other name."""
        home = int(self.release.groups(self.others)[self.place])
        pairs = self.ends[self.far == home]  # each is as likely to be this link
        nodes, ways = np.unique(pairs[:, 0], return_counts=True)
        there = np.isin(self.ends[:, 0], nodes)
        weight = ways[np.searchsorted(nodes, self.ends[there, 0])] / max(len(pairs), 1)
        found = np.bincount(self.far[there], weight, len(self.sizes))
        found[home] -= 1  # the learned one itself
        left = self.sizes - (np.arange(len(self.sizes)) == home)
        groups = np.flatnonzero((found > 1e-12) & (left > 0))
        chance = found[groups] / left[groups]
        order = np.argsort(-chance, kind="stable")
        return Learned(len(nodes), groups[order], chance[order])


def find_linked(record: Mapping[str, Any], release: GraphRelease, sure: float = 0.9) -> Linked:
    """Find the group of a name, and the links of its nodes; one pass over the links."""
    given = _read_names(record, release)
    at = 0 if given[0] is not None else 1
    same = release.title("left") == release.title("right")
    name, other = str(given[at]), given[1] if at == 0 and not same else None
    place = _find_place(release, SIDES[at], name)
    group = int(release.groups(SIDES[at])[place]) if place >= 0 else -1
    own, far = release.links[:, at], release.links[:, 1 - at]
    rows = np.flatnonzero(release.nodes(SIDES[at])[own] == group)
    ends = np.column_stack([own[rows], far[rows]])
    to = -1 if other is None else _find_place(release, SIDES[1 - at], other)
    return Linked(release, at, name, group, ends, other, to, sure)


def _read_names(record: Mapping[str, Any], release: GraphRelease) -> list[str | None]:
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


def _find_place(release: GraphRelease, side: Side, name: str) -> int:
    """The place of a name among those of a side; -1 where there is no such name."""
    names = release.side(side).frame[release.title(side)]
    found = np.flatnonzero((names == name).to_numpy())
    return int(found[0]) if len(found) else -1


MOST_LINES = 20
MOST_NAMES = 3
FIRST_STEPS, STEPS = 10, 12


def tables(found: Linked) -> Mapping[str, pd.DataFrame]:
    """The links that she may have by group of the other side, and what learned links change."""
    return {"links": _list_links(found), "learned": _list_learned(found)}


def facts(found: Linked) -> dict[str, Any]:
    """Her group, how many links its nodes have, how sure a guess is, and what it rests on."""
    there, links = found.there, found.degrees if found.there else np.zeros(1, np.intp)
    return {
        "group": found.size if there else 0,
        "fewest_links": int(links.min()),
        "most_links": int(links.max()),
        "surest": found.surest,
        "groups_linked": len(found.groups) if there else 0,
        "sure": found.sure,
        "rests": say_condition("nodes"),
    }


def surest_after(found: Linked, learned: int) -> float:
    """How sure a guess may be, at most, after so many links of others were learned."""
    if not learned:
        return found.surest
    return 1 / max(found.size - learned, 1)


def names_of(found: Linked, groups: Any) -> list[str]:
    """The names of some groups of the other side, the first few of each."""
    held = found.release.groups(found.others)
    rows = np.flatnonzero(np.isin(held, groups))
    rows = rows[np.argsort(held[rows], kind="stable")]
    starts, ends = (np.searchsorted(held[rows], groups, side) for side in ("left", "right"))
    names = found.release.side(found.others).frame[found.title]
    return [
        _name_few(names.iloc[rows[a : min(b, a + MOST_NAMES)]], b - a)
        for a, b in zip(starts, ends, strict=True)
    ]


def _name_few(names: Any, number: int) -> str:
    rest = number - len(names)
    return ", ".join(map(str, names)) + (f" and {rest:,} more" if rest else "")


def _list_links(found: Linked) -> pd.DataFrame:
    """One line a group of the other side to which hers is linked, the likeliest first."""
    groups = found.groups[:MOST_LINES] if found.there else np.empty(0, np.intp)
    part = slice(len(groups))
    if not len(groups):
        return pd.DataFrame(columns=["any of", "links to your group", "of 100 each"])
    return pd.DataFrame(
        {
            "any of": names_of(found, groups),
            "links to your group": found.links[part],
            "of 100 each": 100 * found.chances[part],
            "of 100 at least one": 100 * found.reaching[part] / found.size,
        }
    )


def _list_learned(found: Linked) -> pd.DataFrame:
    """One line a number of learned links of others: how sure a guess of hers may be then."""
    size = found.size if found.there and found.apart else 0
    steps = list(range(size)) if size > 1 and len(found.groups) else []
    if len(steps) > STEPS:
        steps = [*steps[:FIRST_STEPS], *steps[FIRST_STEPS - STEPS :]]
    most = [100 * surest_after(found, step) for step in steps]
    return pd.DataFrame({"links of others learned": steps, "of 100 at most": most})
