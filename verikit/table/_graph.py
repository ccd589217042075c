"""A bipartite graph: two tables of entities, and the links between them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias, cast, get_args

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit._support.plotted import Plotted
from verikit._support.requests import instance
from verikit.errors import RecordError, SchemaError, quoted
from verikit.table._microdata import Microdata
from verikit.table._schema import Schema
from verikit.values.columns import Column
from verikit.values.names import code_names
from verikit.words import count, listed, text

Side: TypeAlias = Literal["left", "right"]
MADE = "BipartiteGraph (BipartiteGraph.of makes it from a table of links)"


class Neighbours(NamedTuple):
    """Whom the entities of a side are linked to: ``places[starts[i] : starts[i + 1]]`` for i."""

    starts: Rows
    places: Rows


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, repr=False)
class BipartiteGraph(Plotted):
    """Who is linked to what: two tables of entities, and the links between them.

    `BipartiteGraph.of` makes one from the names of what is linked. Entities without a link are
    kept; ``isolated`` names them.

    Parameters
    ----------
    left, right
        The entities of each side, one a row. The first column that is an identifier holds their
        names, each once; nothing in the tables may come from the links.
    edges
        Two columns of places, left and right, counted from 0; each pair once. They are held sorted.
    mirrored
        Whether both sides are the same entities, as of friends: each link then stands twice, once
        from each of its ends, and counts once (`BipartiteGraph.of_one_kind` makes such a graph).

    Raises
    ------
    SchemaError
        If a name is missing or stands twice, or a link is repeated or leads nowhere.

    References
    ----------
    [QZ]_ section 4.2.1, Table 4.1

    Examples
    --------
    >>> links = pd.DataFrame({"author": ["ann", "ann", "bob"], "paper": ["p", "q", "q"]})
    >>> graph = BipartiteGraph.of(links)
    >>> graph
    BipartiteGraph(2 author and 2 paper, 3 links)
    >>> graph.names("left").tolist(), graph.degrees("left").tolist()
    (['ann', 'bob'], [2, 1])
    """

    left: Microdata
    right: Microdata
    edges: Rows
    mirrored: bool = False

    def __post_init__(self) -> None:
        """Hold the links sorted, each once, and refuse what leads nowhere."""
        for side in get_args(Side):
            _check_names(getattr(self, side), side)
        held = require_edges(self.edges, len(self.left), len(self.right))
        object.__setattr__(self, "edges", held)
        if self.mirrored:
            require_mirrored(self.names("left"), self.names("right"), held)

    @classmethod
    def of_one_kind(
        cls,
        edges: pd.DataFrame,
        entities: pd.DataFrame | Microdata | None = None,
        *,
        duplicates: Literal["refuse", "once"] = "refuse",
    ) -> BipartiteGraph:
        """A graph whose links join entities of one kind, such as friends ([QZ]_ section 4.6).

        It is held as a graph with the same entities on both sides. A table of ``entities`` calls
        their names as the first column of ``edges`` does.

        Examples
        --------
        >>> friends = pd.DataFrame({"person": ["ann", "bob"], "friend": ["bob", "eve"]})
        >>> BipartiteGraph.of_one_kind(friends)
        BipartiteGraph(3 person, 2 links)
        """
        graph = cls.of(edges, duplicates=duplicates)
        (first, second), links = edges.columns.map(text), graph.to_frame()
        if entities is None:
            names = pd.Index(links.to_numpy().ravel()).unique().sort_values()
            entities = pd.DataFrame({first: names})
        ends = [_place_ends(links[name].rename(first), entities) for name in (first, second)]
        left, pairs = ends[0][0], np.column_stack([places for _, places in ends])
        pairs = np.sort(pairs, axis=1)
        if duplicates == "once":
            pairs = np.unique(pairs, axis=0)
        pairs = require_edges(pairs, len(left), len(left))
        columns = (replace(c, name=second) if c.name == first else c for c in left.schema)
        right = Microdata(left.frame.rename(columns={first: second}), Schema(tuple(columns)))
        loops = pairs[pairs[:, 0] == pairs[:, 1], 0]
        if len(loops):
            name = left.frame[first].iloc[int(loops[0])]
            raise SchemaError(f"A link links {quoted(name)} to itself; expected two entities.")
        return cls(left, right, np.concatenate([pairs, pairs[:, ::-1]]), mirrored=True)

    @property
    def closed(self) -> BipartiteGraph:
        """The graph by whose shared neighbours groups are unsafe; of one kind with loops.

        Two entities then share one where they are linked or have a neighbour in common.
        """
        if not self.mirrored:
            return self
        same = np.repeat(np.arange(len(self.left)), 2).reshape(-1, 2)
        return BipartiteGraph(self.left, self.right, np.concatenate([self.edges, same]))

    @classmethod
    def of(
        cls,
        edges: pd.DataFrame,
        left: pd.DataFrame | Microdata | None = None,
        right: pd.DataFrame | Microdata | None = None,
        *,
        duplicates: Literal["refuse", "once"] = "refuse",
    ) -> BipartiteGraph:
        """A graph from a table of two columns of names, and what is known of the named.

        A table of entities needs the column of names under the name it has in ``edges``; without a
        table the entities are those that are linked. ``duplicates="once"`` counts repeated links
        once.
        """
        if not isinstance(edges, pd.DataFrame) or edges.shape[1] != 2:
            given = edges.shape if isinstance(edges, pd.DataFrame) else type(edges).__name__
            raise SchemaError(
                f"Links were given as {given}; expected a pandas DataFrame of two columns of names."
            )
        if duplicates not in ("refuse", "once"):
            raise SchemaError(
                f"duplicates was given as {quoted(duplicates)}; expected 'refuse' or 'once'.",
                field="duplicates",
                value=duplicates,
            )
        sides = [_place_ends(edges.iloc[:, at], part) for at, part in enumerate((left, right))]
        pairs = np.column_stack([places for _, places in sides])
        if duplicates == "once":
            pairs = np.unique(pairs, axis=0)
        return cls(sides[0][0], sides[1][0], pairs)

    def __len__(self) -> int:
        return len(self.edges) // (2 if self.mirrored else 1)

    def __repr__(self) -> str:
        held = get_args(Side)[: 1 if self.mirrored else 2]
        sides = " and ".join(f"{len(self.side(s)):,} {self.title(s)}" for s in held)
        alone = sum(len(self.isolated(s)) for s in held)
        more = f", {alone:,} of them without a link" if alone else ""
        return f"BipartiteGraph({sides}{more}, {count(len(self), 'link')})"

    def _repr_html_(self) -> str:
        return str(self.to_frame().to_html(max_rows=12))

    def side(self, side: Side) -> Microdata:
        """The entities of a side."""
        return self.left if require_side(side) == "left" else self.right

    def title(self, side: Side) -> str:
        """What the entities of a side are called: the name of the column of their names."""
        return name_column(self.side(side)).name

    def names(self, side: Side) -> pd.Index[Any]:
        """The names of the entities of a side, in their order."""
        return pd.Index(self.side(side).frame[self.title(side)].astype(object))

    def place(self, side: Side, name: object) -> int:
        """The place of an entity by its name."""
        names = self.names(side)
        found = names.get_indexer(pd.Index([text(name)], dtype=object))[0]
        if found < 0:
            raise RecordError(
                f"There is no {self.title(side)} {quoted(name)}; the graph has {listed(names, 6)}."
            )
        return int(found)

    def degrees(self, side: Side) -> Rows:
        """How many links each entity of a side has."""
        column = 0 if require_side(side) == "left" else 1
        return np.bincount(self.edges[:, column], minlength=len(self.side(side)))

    def isolated(self, side: Side) -> pd.Index[Any]:
        """The names of the entities of a side that have no link."""
        return self.names(side)[self.degrees(side) == 0]

    def neighbours(self, side: Side) -> Neighbours:
        """Whom each entity of a side is linked to."""
        return neighbours_of(self.edges, side, len(self.side(side)))

    def to_frame(self) -> pd.DataFrame:
        """The links by the names of what they join."""
        columns = {0: self.names("left"), 1: self.names("right")}
        edges = self.edges[self.edges[:, 0] < self.edges[:, 1]] if self.mirrored else self.edges
        frame = pd.DataFrame({at: names[edges[:, at]] for at, names in columns.items()})
        return frame.set_axis([self.title("left"), self.title("right")], axis=1)


def require_mirrored(left: pd.Index[Any], right: pd.Index[Any], edges: Rows) -> None:
    """Refuse sides that are not the same, or links that do not stand once from each end."""
    back = edges[:, 1] * max(len(left), 1) + edges[:, 0]
    forth = edges[:, 0] * max(len(left), 1) + edges[:, 1]
    same = np.array_equal(np.sort(back), np.sort(forth)) and list(left) == list(right)
    if not same or (edges[:, 0] == edges[:, 1]).any():
        raise SchemaError(
            "A graph of one kind holds the same entities on both sides and each link once from "
            "each of its ends, none to itself; BipartiteGraph.of_one_kind makes one."
        )


def neighbours_of(edges: Rows, side: Side, size: int) -> Neighbours:
    """Whom each of the ``size`` entities of a side is linked to, from sorted links.

    Examples
    --------
    >>> neighbours_of(np.array([[0, 0], [0, 1], [2, 0]]), "right", 2).places.tolist()
    [0, 2, 0]
    """
    own, other = edges.T if require_side(side) == "left" else edges.T[::-1]
    if side == "right":
        most = int(other.max(initial=0)) + 1
        keys = own * most + other
        keys.sort()
        other = keys % most
    return Neighbours(np.r_[0, np.cumsum(np.bincount(own, minlength=size))], other)


def require_side(side: object) -> Side:
    """A side of a graph, or which ones there are.

    Examples
    --------
    >>> require_side("top")
    Traceback (most recent call last):
    verikit.errors.RecordError: A side of a graph was given as 'top'; expected 'left' or 'right'.
    """
    if not isinstance(side, str) or side not in get_args(Side):
        raise RecordError(
            f"A side of a graph was given as {quoted(side)}; expected 'left' or 'right'.",
            field="side",
            value=side,
        )
    return cast("Side", side)


def require_graph(graph: object, who: str) -> BipartiteGraph:
    """The graph that a function was given, if it is one.

    Examples
    --------
    >>> require_graph(5, "safe_groups")
    Traceback (most recent call last):
    verikit.errors.SchemaError: safe_groups was given int; expected BipartiteGraph
    (BipartiteGraph.of makes it from a table of links).
    """
    return instance(graph, BipartiteGraph, who, MADE)


def require_edges(given: object, left: int, right: int) -> Rows:
    """Sort the links between two sides of so many; refuse one twice, or one that leads nowhere.

    Examples
    --------
    >>> require_edges([[1, 0], [0, 1]], 2, 2).tolist()
    [[0, 1], [1, 0]]
    """
    edges = np.asarray(given)
    if edges.ndim != 2 or edges.shape[1] != 2 or (edges.size and edges.dtype.kind not in "iu"):
        raise SchemaError(
            "The links of a graph must be two columns of whole places, left and right; "
            "BipartiteGraph.of takes the names of what is linked."
        )
    edges = edges.astype(np.int64)
    for at, (side, size) in enumerate((("left", left), ("right", right))):
        wrong = edges[:, at][(edges[:, at] < 0) | (edges[:, at] >= size)]
        if len(wrong):
            raise SchemaError(
                f"A link leads to place {wrong[0]} of the {side} side, which has {size:,} "
                "entities, counted from 0."
            )
    # each link as one number, which sorts both ends at once
    keys = edges[:, 0] * max(right, 1) + edges[:, 1]
    keys.sort()
    twice = int((np.diff(keys) == 0).sum())
    if twice:
        raise SchemaError(
            f"{count(twice, 'link')} of {len(keys):,} {'repeats' if twice == 1 else 'repeat'} "
            "another one; give each pair once, or duplicates='once' to BipartiteGraph.of."
        )
    held = np.column_stack([keys // max(right, 1), keys % max(right, 1)]).astype(np.intp)
    held.setflags(write=False)
    return held


def name_column(table: Microdata) -> Column:
    """Find the column of a table of entities that holds their names: the first identifier."""
    for column in table.schema:
        if column.role == "identifier":
            return column
    raise SchemaError(
        f"A table of entities has no identifier among {listed(table.schema.names)}; give the "
        "column of their names the role 'identifier'."
    )


def _check_names(table: object, side: str) -> None:
    if not isinstance(table, Microdata):
        raise SchemaError(
            f"The {side} entities were given as {type(table).__name__}; expected Microdata, or "
            "BipartiteGraph.of to make it."
        )
    column = name_column(table)
    values = table.frame[column.name]
    if values.isna().any():
        raise SchemaError(
            f"{count(int(values.isna().sum()), 'entity', 'entities')} of the {side} side "
            f"have no name in {quoted(column.name)}; name each one."
        )
    twice = values[values.duplicated()].unique()
    if len(twice):
        raise SchemaError(
            f"Column {quoted(column.name)} names {listed(twice)} more than once; each entity of "
            f"the {side} side must stand in one row."
        )


def _place_ends(linked: pd.Series[Any], table: pd.DataFrame | Microdata | None) -> tuple[Any, Rows]:
    """Find the entities of a side, and the place of each end of a link among them."""
    title = text(linked.name)
    codes, found = code_names(linked, title)
    if (codes < 0).any():
        raise SchemaError(
            f"{count(int((codes < 0).sum()), 'link')} of {len(codes):,} have no end in "
            f"{quoted(title)}; drop them or name what they lead to."
        )
    texts = pd.Index(found, dtype=object)
    held = _describe_entities(table, title, texts)
    names = pd.Index(held.frame[title].astype(object))
    if not names.is_unique:
        _check_names(held, title)
    places = names.get_indexer(texts)
    unknown = texts[places < 0]
    if len(unknown):
        raise SchemaError(
            f"The links name {listed(unknown)}, which the table of {quoted(title)} does not have; "
            "add a row for each, or drop their links."
        )
    return held, places[codes]


def _describe_entities(table: object, title: str, linked: pd.Index[Any]) -> Microdata:
    """Describe the entities of a side; their names are identifiers, and text."""
    if table is None:
        table = pd.DataFrame({title: linked.unique().sort_values()})
    if isinstance(table, pd.DataFrame):
        schema, frame = Schema.guess(table), table
    elif isinstance(table, Microdata):
        schema, frame = table.schema, table.frame
    else:
        raise SchemaError(
            f"The entities {quoted(title)} were given as {type(table).__name__}; expected a pandas "
            "DataFrame or Microdata."
        )
    if title not in schema.names:
        raise SchemaError(
            f"The table of the entities has no column {quoted(title)}, as their names are called "
            f"in the links; it has {listed(schema.names)}."
        )
    for column in (c for c in schema if c.role == "identifier"):
        schema = schema.with_column(column.name, role="other")
    return Microdata(frame, schema.with_column(title, role="identifier", kind="nominal"))


def neighbour_ranks(near: Neighbours, codes: Rows) -> Rows:
    """Rank entities by how many neighbours they have, then by the falling codes of these.

    Entities share a rank exactly if the codes of their neighbours are the same, however often
    each of them occurs. O(e log e) for e links.

    Examples
    --------
    >>> near = Neighbours(np.array([0, 2, 4, 5, 7]), np.array([0, 1, 1, 1, 2, 1, 0]))
    >>> neighbour_ranks(near, np.array([0, 7, 3])).tolist()
    [1, 2, 0, 1]
    """
    degrees = np.diff(near.starts)
    most = int(codes.max(initial=0)) + 1
    bits = (most - 1).bit_length()
    # the codes of each entity's neighbours, the largest first: one sort of entity and code together
    keys = np.repeat(np.arange(len(degrees)), degrees) * most + (most - 1 - codes[near.places])
    keys.sort()
    falling = most - 1 - keys % most
    ranks = np.zeros(len(degrees), np.intp)
    order = np.argsort(degrees)
    sizes, first = np.unique(degrees[order], return_index=True)
    ends = np.r_[first, len(order)][1:].astype(np.intp)
    below = 0
    for size, start, end in zip(sizes, first, ends, strict=True):
        rows = order[start:end]
        lists = falling[near.starts[rows][:, None] + np.arange(size)]
        ranks[rows] = below + _rank_rows(lists, max(bits, 1))
        below = int(ranks[rows].max()) + 1
    return ranks


def _rank_rows(lists: Rows, bits: int) -> Rows:
    """Rank the rows among the different rows, the first column first."""
    if not lists.shape[1]:
        return np.zeros(len(lists), np.intp)
    keys = _pack_columns(lists, bits)
    order = np.argsort(keys[0]) if len(keys) == 1 else np.lexsort(keys[::-1])
    new = np.zeros(len(lists), bool)
    for key in keys:
        new[1:] |= np.diff(key[order]) != 0
    ranks = np.empty(len(lists), np.intp)
    ranks[order] = np.cumsum(new)
    return ranks


def _pack_columns(lists: Rows, bits: int) -> list[Rows]:
    """Pack as many columns as fit into one number each, the first column foremost."""
    found, together = [], 62 // bits
    for start in range(0, lists.shape[1], together):
        key = lists[:, start].copy()
        for column in lists[:, start + 1 : start + together].T:
            key = (key << bits) | column
        found.append(key)
    return found
