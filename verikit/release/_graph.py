"""A release of a graph: its links between unnamed nodes, and which names may stand for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit.errors import SchemaError, quoted
from verikit.release._kinds import KINDS, Promise, Published, Tables
from verikit.table import (
    Column,
    Microdata,
    Neighbours,
    Schema,
    Side,
    neighbours_of,
    require_edges,
    require_mirrored,
    require_side,
)
from verikit.words import count

SIDES: tuple[Side, Side] = ("left", "right")


@KINDS.register
@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, repr=False)
class GraphRelease(Published):
    """Who is linked to what, with the names of a group cut off from its nodes.

    Two tables of entities, the group of each entity, the links between nodes without a name, and
    the group of each node. Which entity of a group is which of its nodes is not published.

    Parameters
    ----------
    left, right
        The entities of each side; the first column holds their names.
    left_groups, right_groups
        The group of each entity, counted from 0.
    links
        Two columns of nodes, left and right, counted from 0.
    left_nodes, right_nodes
        The group of each node.
    method, parameters
        How it was made, complete but for the randomness.
    promise
        What the publisher promises about the values, as for a `TableRelease`.
    about
        What the publisher says of the publication, by name; see `Published.describing`.
    mirrored
        Whether both sides are the same entities and nodes, as of a `BipartiteGraph` of one kind.

    Raises
    ------
    SchemaError
        If a group has not as many nodes as entities, or a link leads nowhere.

    References
    ----------
    [QZ]_ Definitions 4.4.2 and 4.4.4, Figure 4.3

    Examples
    --------
    >>> import verikit as vk
    >>> pairs = pd.DataFrame({"author": ["ann", "bob"], "paper": ["p", "q"]})
    >>> vk.mask.group_nodes(vk.BipartiteGraph.of(pairs), 2, 2, seed=1).release
    GraphRelease(2 links between 2 author in 1 group and 2 paper in 1 group; method group_nodes)
    """

    kind: ClassVar[str] = "graph"
    by_nodes: ClassVar[bool] = True
    left: Microdata
    right: Microdata
    left_groups: Rows
    right_groups: Rows
    links: Rows
    left_nodes: Rows
    right_nodes: Rows
    method: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    promise: Promise = "untold"
    about: Mapping[str, str] = field(default_factory=dict)
    mirrored: bool = False

    def __post_init__(self) -> None:
        """Hold checked copies; every group has as many nodes as entities."""
        for side in SIDES:
            _check_entities(getattr(self, side), side)
            for part in ("groups", "nodes"):
                labels = _check_labels(getattr(self, f"{side}_{part}"), f"{side} {part}")
                object.__setattr__(self, f"{side}_{part}", labels)
            _check_sizes(self, side)
        links = require_edges(self.links, len(self.left), len(self.right))
        object.__setattr__(self, "links", links)
        self._hold_facts()
        if self.mirrored:
            require_mirrored(self.names("left"), self.names("right"), links)
            sides = ((self.groups(s).tolist(), self.nodes(s).tolist()) for s in SIDES)
            if next(sides) != next(sides):
                raise SchemaError("The groups of a graph of one kind differ by side.")

    def __len__(self) -> int:
        return len(self.links) // (2 if self.mirrored else 1)

    def __repr__(self) -> str:
        sides = " and ".join(
            f"{len(self.side(s)):,} {self.title(s)} in {count(len(self.sizes(s)), 'group')}"
            for s in SIDES[: 1 if self.mirrored else 2]
        )
        method = f"; method {self.method}" if self.method else ""
        return f"GraphRelease({count(len(self), 'link')} between {sides}{method})"

    @property
    def schema(self) -> Schema:  # type: ignore[override]
        """The columns of the left entities, of whom the right ones are said."""
        return self.left.schema

    @property
    def asked(self) -> tuple[Column, ...]:
        """The names of both sides, by which an entity and a link of hers are looked up."""
        return (*self.left.schema.columns[:1], *self.right.schema.columns[:1])

    def side(self, side: Side) -> Microdata:
        """The entities of a side."""
        return self.left if require_side(side) == "left" else self.right

    def title(self, side: Side) -> str:
        """What the entities of a side are called: the name of the column of their names."""
        return self.side(side).schema.names[0]

    def names(self, side: Side) -> pd.Index[Any]:
        """The names of the entities of a side, in their order."""
        return pd.Index(self.side(side).frame[self.title(side)].astype(object))

    def groups(self, side: Side) -> Rows:
        """The group of each entity of a side."""
        return self.left_groups if require_side(side) == "left" else self.right_groups

    def nodes(self, side: Side) -> Rows:
        """The group of each node of a side."""
        return self.left_nodes if require_side(side) == "left" else self.right_nodes

    def sizes(self, side: Side) -> Rows:
        """How many entities, and as many nodes, each group of a side has."""
        return np.bincount(self.groups(side))

    def count_outside(self, side: Side, k: int) -> int:
        """How few entities must be removed so that every group holds k or none (Def. 4.4.4)."""
        sizes = self.sizes(side)
        return int(sizes[sizes < k].sum())

    def neighbours(self, side: Side) -> Neighbours:
        """Which nodes each node of a side is linked to."""
        return neighbours_of(self.links, side, len(self.nodes(side)))

    def safe(self, side: Side) -> bool:
        """Whether no two nodes in a group of a side are linked to the same node."""
        own, other = self.links.T if require_side(side) == "left" else self.links.T[::-1]
        # one number for each pair of a group and a node of the other side; a pair twice is unsafe
        if self.mirrored:  # linked ones are not safe in one group either
            all_nodes = np.arange(len(self.nodes(side)))
            own, other = np.append(own, all_nodes), np.append(other, all_nodes)
        keys = np.sort(other * (int(self.nodes(side).max(initial=0)) + 1) + self.nodes(side)[own])
        return not bool((keys[1:] == keys[:-1]).any())

    def tables(self) -> Tables:
        """What was published: both tables of entities and the five of Figure 4.3; from 1 up."""
        found: dict[str, tuple[pd.DataFrame, Schema]] = {}
        for side in SIDES:
            found[side] = (self.side(side).frame, self.side(side).schema)
        for side in SIDES:
            named = {"name": self.names(side), "group": self.groups(side) + 1}
            found[f"{side}_groups"] = _two_columns(named, Column("name", "other", "nominal"))
        links = {str(s): self.links[:, at] + 1 for at, s in enumerate(SIDES)}
        found["links"] = _two_columns(links, Column("left", "other"))
        for side in SIDES:
            nodes = {"node": np.arange(len(self.nodes(side))) + 1, "group": self.nodes(side) + 1}
            found[f"{side}_nodes"] = _two_columns(nodes, Column("node", "other"))
        return found

    def facts(self) -> Mapping[str, Any]:
        """What is saved besides: whether both sides are the same."""
        return {"mirrored": True} if self.mirrored else {}

    def require_two_kinds(self, asked: str) -> None:
        """Refuse what is not defined where both sides are the same."""
        if self.mirrored:
            raise SchemaError(
                f"This graph links entities of one kind, for which {asked} is not defined; of a "
                "small one vk.worlds lists every graph that it may stand for."
            )

    @classmethod
    def parts(cls, tables: Tables, facts: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of its own, from the tables and what was said about them."""
        found: dict[str, Any] = {"mirrored": bool(facts.get("mirrored", False))}
        for side in SIDES:
            entities = found[side] = Microdata(*tables[side])
            names = pd.Index(entities.frame.iloc[:, 0].astype(object))
            grouped, nodes = tables[f"{side}_groups"][0], tables[f"{side}_nodes"][0]
            rows = pd.Index(grouped["name"].astype(object)).get_indexer(names)
            if len(grouped) != len(names) or (rows < 0).any():
                raise SchemaError(f"The {side} entities are not those that have a group.")
            found[f"{side}_groups"] = grouped["group"].to_numpy()[rows] - 1
            found[f"{side}_nodes"] = nodes.sort_values("node")["group"].to_numpy() - 1
        found["links"] = tables["links"][0][list(SIDES)].to_numpy() - 1
        return found


def _two_columns(columns: Mapping[str, Any], first: Column) -> tuple[pd.DataFrame, Schema]:
    frame = pd.DataFrame(dict(columns))
    return frame, Schema((first, Column(frame.columns[1], "other")))


def _check_entities(table: object, side: str) -> None:
    if not isinstance(table, Microdata):
        raise SchemaError(
            f"The {side} entities were given as {type(table).__name__}; expected Microdata."
        )
    first = table.schema.columns[0]
    values = table.frame[first.name]
    if first.kind == "numeric" or values.isna().any() or values.duplicated().any():
        raise SchemaError(
            f"The first column of the {side} entities, {quoted(first.name)}, must hold their "
            "names: text, none missing, each once."
        )


def _check_labels(given: object, what: str) -> Rows:
    array = np.asarray(given)
    whole = array.ndim == 1 and (not array.size or bool((array == np.floor(array)).all()))
    labels = array.astype(np.intp) if whole else np.array([-1])
    if len(labels) and (labels.min() < 0 or (np.bincount(labels) == 0).any()):
        raise SchemaError(f"The {what} must count from 0 without gaps, one number each.")
    labels.setflags(write=False)
    return labels


def _check_sizes(release: GraphRelease, side: Side) -> None:
    entities, nodes = release.groups(side), release.nodes(side)
    if len(entities) != len(release.side(side)):
        raise SchemaError(
            f"The {side} side has {count(len(release.side(side)), 'entity', 'entities')}, but "
            f"{len(entities):,} have a group."
        )
    if not np.array_equal(np.bincount(entities), np.bincount(nodes)):
        raise SchemaError(
            f"Some group of the {side} side has not as many nodes as entities; each entity is one "
            "node of its group."
        )
