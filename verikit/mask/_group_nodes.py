"""Publishing a graph with the names of each group cut off from its nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Rows
from verikit._support.requests import whole
from verikit._support.seed import checked_seed, generator
from verikit._support.skip_validation import make_unchecked
from verikit.errors import InfeasibleError, RecordError, SchemaError, quoted
from verikit.models import safe_grouping
from verikit.partition import Order, Partition, Size, groups_of_size
from verikit.release import GraphRelease, Key, Masked
from verikit.table import BipartiteGraph, Microdata, Schema, Side, require_graph


class Relabelled(NamedTuple):
    """One side of a graph as it is published, and by original place the node of each entity."""

    entities: Microdata
    groups: Rows
    nodes: Rows
    node_of: Rows


def group_nodes(
    graph: BipartiteGraph,
    k: int,
    ell: int,
    *,
    order: Order = "degree",
    groups: Sequence[Partition] | None = None,
    seed: int,
) -> Masked:
    """Publish all links of a graph between nodes whose names are known by groups only.

    The entities of both sides are put into safe groups. Each gets a new node by lot; what is
    published are the entities with their groups, the nodes with their groups, and the links between
    nodes. Which node is whose cannot be told from a group alone; whoever learns from the whole
    graph, or repeats the method that made the groups, may tell more. The entities stand in the
    order of their names, nodes and groups in the order of a lot.

    Parameters
    ----------
    graph
        Who is linked to what.
    k, ell
        How many entities a group must hold at least, left and right; 1 tells who is which node.
    order
        In which order entities are grouped, as for `partition.safe_groups`.
    groups
        Groups of both sides to use instead, left and right.
    seed
        The randomness of groups and labels.

    Returns
    -------
    Masked
        A `GraphRelease`, and the key: under ``left`` and ``right`` the node of each entity.

    Raises
    ------
    InfeasibleError
        If no safe groups of these sizes are found, or the given ones are not.
    SchemaError
        If there is no graph, or a column of the entities holds their numbers of links.

    References
    ----------
    [QZ]_ Definition 4.4.2, Figure 4.3, section 4.4.6

    Examples
    --------
    >>> import verikit as vk
    >>> graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    >>> release, key = group_nodes(graph, 3, 3, seed=5)
    >>> release
    GraphRelease(11 links between 6 Author in 2 groups and 6 Paper in 2 groups; method group_nodes)
    """
    require_graph(graph, "group_nodes")
    rng = generator(seed)
    sizes = Size("k", whole(k, "k")), Size("ell", whole(ell, "ell"))
    sides: tuple[Side, Side] = ("left", "right")
    if groups is None:
        found = [
            groups_of_size(graph, side, size, order, generator(int(rng.integers(2**63))))
            for side, size in zip(sides, sizes, strict=True)
        ]
    else:
        found = _check_groups(graph, groups, sizes)
    left, right = (
        _relabel_side(graph, side, part, rng) for side, part in zip(sides, found, strict=True)
    )
    links = np.column_stack([left.node_of[graph.edges[:, 0]], right.node_of[graph.edges[:, 1]]])
    told = {
        **{size.name: size.size for size in sizes},
        "order": order if groups is None else "given groups",
    }
    release = GraphRelease(
        left.entities,
        right.entities,
        left.groups,
        right.groups,
        links,
        left.nodes,
        right.nodes,
        "group_nodes",
        told,
        "as it was",
    )
    return Masked(release, Key({"left": left.node_of, "right": right.node_of}, checked_seed(seed)))


def _relabel_side(
    graph: BipartiteGraph, side: Side, groups: Partition, rng: np.random.Generator
) -> Relabelled:
    """New nodes and new numbers of groups by lot; entities in the order of their names."""
    entities = _entities_to_publish(graph, side)
    rows = np.argsort(graph.names(side).to_numpy(), kind="stable")
    numbers = rng.permutation(len(groups))[groups.labels]
    node_of = rng.permutation(len(entities))
    nodes = np.empty(len(entities), np.intp)
    nodes[node_of] = numbers
    return Relabelled(entities.take(rows), numbers[rows], nodes, node_of)


def _entities_to_publish(graph: BipartiteGraph, side: Side) -> Microdata:
    """The entities as they may be published: their name first, and nothing from the links."""
    table, title = graph.side(side), graph.title(side)
    degrees = graph.degrees(side)
    for column in table.schema:
        told = column.kind == "numeric" and np.array_equal(table.frame[column.name], degrees)
        if told and len(np.unique(degrees)) > 1:
            raise SchemaError(
                f"Column {quoted(column.name)} holds the number of links of each {title}, which "
                "would tell its node; drop it before the graph is published."
            )
    named = table.schema.with_column(title, role="quasi", kind="nominal")
    kept = [c for c in named if c.role != "identifier" and c.name != title]
    schema = Schema((named[title], *kept))
    if table.schema[title].kind == "nominal":  # the values are held as they will be
        return make_unchecked(Microdata, frame=table.frame[list(schema.names)], schema=schema)
    return Microdata(table.frame[list(schema.names)], schema)


def _check_groups(
    graph: BipartiteGraph, groups: Sequence[Partition], sizes: tuple[Size, Size]
) -> list[Partition]:
    if not isinstance(groups, Sequence) or len(groups) != 2:
        raise RecordError(
            f"groups was given as {quoted(groups)}; expected two partitions, left and right.",
            field="groups",
            value=groups,
        )
    sides: tuple[Side, Side] = ("left", "right")
    for side, part, size in zip(sides, groups, sizes, strict=True):
        verdict = safe_grouping(graph, side, part)
        if not verdict.safe:
            raise InfeasibleError(f"The groups of the {side} side are not safe: {verdict!r}.")
        if verdict.size < size.size:
            raise InfeasibleError(
                f"{size.name} was given as {size.size}, but the groups of the {side} side hold "
                f"{verdict.size} entities at least; give larger groups or a smaller {size.name}.",
                field=size.name,
                value=size.size,
            )
    return list(groups)
