"""What is known by groups only: tables of values, or the names of a graph, cut off and joined."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, cast

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit._support.requests import whole
from verikit._support.seed import checked_seed, generator
from verikit._support.skip_validation import make_unchecked
from verikit.errors import InfeasibleError, RecordError, SchemaError, quoted
from verikit.mask._masking import Knob, masking
from verikit.models import safe_grouping
from verikit.partition import (
    Order,
    Partition,
    Size,
    anatomy,
    diverse,
    groups_of_size,
    max_groups,
    value_codes,
)
from verikit.release import GROUP, GraphRelease, Key, Masked, SplitRelease, make_help_table
from verikit.table import (
    BipartiteGraph,
    Column,
    Microdata,
    Missing,
    Schema,
    Side,
    refuse_missing,
    require_graph,
)
from verikit.words import listed


def find_largest_ell(data: Microdata) -> int:
    """Find the largest ``ell`` for which some groups of the records are diverse.

    Examples
    --------
    >>> import verikit as vk
    >>> find_largest_ell(vk.load("lhcc_table1"))
    4
    """
    codes = (value_codes(data, column.name).codes for column in data.schema.sensitive)
    return len(data) // max((int(np.bincount(part).max()) for part in codes), default=len(data))


def mix_values(data: Microdata, ell: int, seed: int) -> Partition:
    """Make diverse groups of alike records, by each sensitive column."""
    names = [column.name for column in data.schema.sensitive]
    return diverse(data, ell=ell, sensitive=names if len(names) > 1 else None, seed=seed)


ELL = Knob(
    "ell", 2, lambda data: max(2, find_largest_ell(data)), words="tables joined by groups",
    measure="groups of {:g} different values", whole=True,
    groups=mix_values,
)  # fmt: skip


@masking(
    paper="LHCC",
    promise="another order",
    example={"partition": lambda data: anatomy(data, ell=2, seed=1)},
    words="Two tables joined by groups only, rows kept.",
    knobs=(ELL,),
)
def anatomize(
    data: Microdata, *, partition: Partition, missing: Missing = "refuse", seed: int
) -> Masked:
    """Publish quasi-identifiers and sensitive values in two tables joined by groups only.

    Whoever knows a person's quasi-identifiers finds her group, and then the sensitive values of the
    group, but not, from the group alone, which of them is hers. Whoever learns from the whole table
    which values go with which, or repeats a method that made the groups from the sensitive values,
    may tell more. That she is in the data can be seen.

    Parameters
    ----------
    data
        The records.
    partition
        The groups, from any partitioner.
    missing
        Whether missing values are refused, or published as such with ``"own value"``.
    seed
        The secret randomness: the numbers of the groups and the order of the rows inside each,
        another one in each table.

    Returns
    -------
    Masked
        The release in two tables, and the key, which also tells each sensitive value's place.

    Raises
    ------
    SchemaError
        If no column is sensitive, or none is not; if a value is missing, or the partition was
        made from another table.

    References
    ----------
    [LHCC]_ section 1, Table 3

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("lhcc_table1")
    >>> groups = vk.Partition.of([1, 1, 1, 1, 1, 2, 2, 2, 2])
    >>> release, key = anatomize(data, partition=groups, seed=7)
    >>> release
    SplitRelease(9 records in 2 groups, of Age, Sex | Disease; method anatomize)
    >>> release.quasi.columns.tolist(), release.sensitive.columns.tolist()
    (['Age', 'Sex', 'Group-ID'], ['Group-ID', 'Disease'])
    """
    return _split_tables(data, partition, missing, generator(seed), method="anatomize")


@masking(
    paper="LHCC",
    promise="another order",
    example={"partition": lambda data: diverse(data, ell=2, seed=1)},
    words="Two tables joined by groups only, columns shuffled inside them.",
    knobs=(replace(ELL, words="shuffled tables joined by groups"),),
)
def permute_all(
    data: Microdata, *, partition: Partition, missing: Missing = "refuse", seed: int
) -> Masked:
    """Publish two tables joined by groups, with every column shuffled inside the groups.

    As in anatomy nobody can tell from a group alone which of its sensitive values is whose; whoever
    learns from the whole table, or repeats the method that made the groups, may. Besides, a row of
    the first table is no person's any more, so that it is less certain who is in the data.

    Parameters
    ----------
    data
        The records.
    partition
        The groups, from any partitioner.
    missing
        Whether missing values are refused, or published as such with ``"own value"``.
    seed
        The secret randomness: the numbers of the groups, and for each column the order of its
        values inside each group.

    Returns
    -------
    Masked
        The release in two tables, and the key: the place of each record's values by column.

    Raises
    ------
    SchemaError
        If no column is sensitive; if a value is missing, or the partition was made from another
        table.

    Notes
    -----
    All columns may be sensitive, as in location-based services: the first table then holds the
    groups alone, and whichever columns somebody knows may stand there (``known_as``). One shuffle
    for each column, sensitive or not, where one place of the paper counts one for each group.
    O(d n log n) for d columns.

    References
    ----------
    [LHCC]_ Definition 1, sections 2.2 and 3.2, Table 4

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("lhcc_table1")
    >>> groups = vk.Partition.of([1, 1, 1, 1, 1, 2, 2, 2, 2])
    >>> release, key = permute_all(data, partition=groups, seed=7)
    >>> release
    SplitRelease(9 records in 2 groups, of Age, Sex | Disease; method permute_all)
    """
    return _split_tables(data, partition, missing, generator(seed), method="permute_all")


@masking(
    paper="QZ",
    promise="another order",
    example={"partition": lambda data: max_groups(data, k=2, e=0, seed=1)},
    words="What others may know as it is, sensitive numbers permuted in groups, bounds beside.",
)
def permute_sensitive(
    data: Microdata, *, partition: Partition, sensitive: str | None = None, seed: int
) -> Masked:
    """Publish quasi-identifiers as they are, sensitive numbers permuted in each group, and bounds.

    Whoever finds a person in the table learns the values of her group, but not, from the group
    alone, which is hers. Whoever learns from the whole table, or repeats a method that made the
    groups from the numbers, may tell more. How many people of a group a question selects can be
    counted exactly, so that sums, averages and extremes have narrow bounds; the help table holds
    them for every group and number of hits.

    Parameters
    ----------
    data
        The records.
    partition
        The groups, such as those of `partition.min_sum_error`, which keep numbers apart.
    sensitive
        The numeric column of the help table; needed only if several columns are sensitive, which
        are permuted together.
    seed
        The secret randomness: the numbers of the groups and the order of the rows inside each,
        another one for the sensitive values.

    Returns
    -------
    Masked
        The release with its help table, and the key, which also tells each value's place.

    Raises
    ------
    SchemaError
        If there is no one sensitive column of numbers, or no other column; if a value is missing,
        or the partition was made from another table.

    References
    ----------
    [QZ]_ Definition 2.4.2, section 2.5.2, Tables 2.3 and 2.4

    Notes
    -----
    The permutation is uniform, so a value may come to lie beside its own person; a rule against it
    would tell that the value beside her is not hers. The printed table lists the values in
    ascending order, which no random permutation does. The mapping table of the text is the column
    of groups. O(n log n).

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("qz_table2_1")
    >>> groups = vk.partition.max_groups(data, k=3, e=2000, seed=1)
    >>> release, key = permute_sensitive(data, partition=groups, seed=7)
    >>> release
    SplitRelease(9 records in 3 groups, of age, zipcode, gender | salary; method permute_sensitive)
    >>> release.help.columns.tolist()[:4], len(release.help)
    (['group', 'hits', 'sum_lower', 'sum_upper'], 9)
    """
    name = data.schema.find_sensitive(sensitive)
    if data.schema[name].kind != "numeric":
        raise SchemaError(
            f"mask.permute_sensitive publishes bounds of numbers, but column {name!r} is "
            f"{data.schema[name].kind}; name a numeric one, or use mask.anatomize for categories."
        )
    made, key = _split_tables(
        data, partition, "refuse", generator(seed), method="permute_sensitive"
    )
    release = cast("SplitRelease", made)
    bounds = make_help_table(
        release.sensitive[name], release.labels.sensitive, release.labels.names
    )
    parameters = {**release.parameters, "sensitive": name}
    return Masked(replace(release, parameters=parameters, help=bounds), key)


def draw_order_by_group(groups: Rows, rng: np.random.Generator) -> Rows:
    """A place for each record: group by group, in random order inside each.

    Examples
    --------
    >>> from verikit._support.seed import generator
    >>> places = draw_order_by_group(np.array([2, 1, 2, 1]), generator(1))
    >>> sorted(places[[1, 3]].tolist()), sorted(places[[0, 2]].tolist())
    ([0, 1], [2, 3])
    """
    places = np.empty(len(groups), np.intp)
    order = np.argsort(groups * len(groups) + rng.permutation(len(groups)))
    places[order] = np.arange(len(groups))
    return places


def _split_tables(
    data: Microdata,
    partition: Partition,
    missing: Missing,
    rng: np.random.Generator,
    *,
    method: str,
) -> Masked:
    """Put every column into its table, each value at its place, the rows in order of the groups.

    Groups get numbers by lot. Sensitive values get an order of their own inside the groups, and so
    does every column where all are permuted.
    """
    if not isinstance(partition, Partition):
        raise SchemaError(
            f"partition was given as {type(partition).__name__}; expected a Partition "
            "(verikit.partition.diverse and others make one, Partition.of takes labels).",
            field="partition",
            value=partition,
        )
    refuse_missing(data, (*data.schema.quasi, *data.schema.sensitive), missing)
    groups = 1 + rng.permutation(len(partition))[Partition.of(partition.labels).labels]
    schema, permuted = data.schema.released, method == "permute_all"
    if not schema.sensitive:
        raise SchemaError(
            f"mask.{method} cuts sensitive columns off from the others, but none of "
            f"{listed(schema.names, 12)} is sensitive; give one the role 'sensitive'."
        )
    if permuted:
        places = {name: draw_order_by_group(groups, rng) for name in schema.names}
    else:
        known, hidden = draw_order_by_group(groups, rng), draw_order_by_group(groups, rng)
        places = {c.name: hidden if c.role == "sensitive" else known for c in schema}
    moved = {
        name: data.frame[name].take(np.argsort(at)).reset_index(drop=True)
        for name, at in places.items()
    }
    quasi = {c.name: moved[c.name] for c in schema if c.role != "sensitive"}
    numbers = np.sort(groups)
    release = SplitRelease._of(
        {*schema.names},
        quasi=pd.DataFrame({**quasi, GROUP: numbers}),
        sensitive=pd.DataFrame({GROUP: numbers, **{n: moved[n] for n in moved if n not in quasi}}),
        schema=schema,
        method=method,
        parameters={
            "partition": {"method": partition.method, **partition.parameters},
            "missing": missing,
        },
        permuted=permuted,
        promise="another order",
    )
    return Masked(release, Key({"": places[next(iter(quasi or places))], **places}))


def permute_links(graph: BipartiteGraph, *, groups: Partition | None = None, seed: int) -> Masked:
    """Publish the ends of links as two tables joined by groups of links.

    Whoever is linked to how many, and how many are linked to what, stays as it was; who is linked
    to what, and who shares a neighbour with whom, is lost inside the groups.

    Parameters
    ----------
    graph
        Who is linked to what.
    groups
        The groups of links, in the order of ``graph.edges``; None puts all of them into one.
    seed
        The secret randomness: the numbers of the groups and the order of the ends inside each.

    Returns
    -------
    Masked
        The release, which says that its rows are links, and the key.

    Raises
    ------
    SchemaError
        If there is no graph, or the groups are not those of its links.

    References
    ----------
    [QZ]_ section 4.3.3

    Examples
    --------
    >>> import verikit as vk
    >>> graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    >>> release, key = permute_links(graph, seed=3)
    >>> release, release.rows
    (SplitRelease(11 records in 1 group, of Author | Paper; method permute_links), 'links')
    """
    require_graph(graph, "mask.permute_links")
    frame = graph.to_frame().reset_index(drop=True)
    left, right = frame.columns
    columns = Column(left, "quasi", "nominal"), Column(right, "sensitive", "nominal")
    part = Partition(np.zeros(len(frame), np.intp)) if groups is None else groups
    data = Microdata(frame, Schema(columns))
    made, key = _split_tables(data, part, "refuse", generator(seed), method="permute_links")
    return Masked(replace(cast("SplitRelease", made), rows="links"), key)


SIDES: tuple[Side, Side] = ("left", "right")


def group_nodes(
    graph: BipartiteGraph,
    k: int,
    ell: int,
    *,
    order: Order = "degree",
    groups: Sequence[Partition] | Literal["one"] | None = None,
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
        Groups of both sides to use instead, left and right; ``"one"`` puts all of a side into one
        group, safe or not, so that any two names are as likely linked as any others (the fully
        censored graph).
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
    [QZ]_ Definition 4.4.2, Figure 4.3, sections 4.4.6 and 4.5

    Notes
    -----
    A grouping with ``ell=1`` and another one with ``k=1`` of the same graph give away together what
    neither does alone: publish one of them only (`intruder.put_together`).

    Of the fully censored graph `analyst.average_links` of everybody is exact; where its one group
    is not safe, counts and the most links are asked for with ``tight=True``. Links that somebody
    learns may give others away.

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
    k, ell = whole(k, "k"), whole(ell, "ell")
    sizes = Size("k", k), Size("ell", ell)
    sides = SIDES[: 1 if graph.mirrored else 2]
    if groups is None:
        found = [
            groups_of_size(graph, side, size, order, generator(int(rng.integers(2**63))))
            for side, size in zip(sides, sizes, strict=False)
        ]
    else:
        found = _check_groups(graph, groups, sizes)
    same = len({tuple(part.labels.tolist()) for part in found}) == 1
    if graph.mirrored and not (k == ell and same):
        raise RecordError("Both sides of this graph are the same; give the same k and groups.")
    made = order if groups is None else "one group" if groups == "one" else "given groups"
    entities, labels, nodes, node_of = [], [], [], []
    for side, part in zip(sides, found, strict=False):
        # new nodes and new numbers of groups by lot; entities in the order of their names
        published = _entities_to_publish(graph, side)
        rows = np.argsort(graph.names(side).to_numpy(), kind="stable")
        numbers = rng.permutation(len(part))[part.labels]
        places = rng.permutation(len(published))
        entities.append(published.take(rows))
        labels.append(numbers[rows])
        nodes.append(numbers[np.argsort(places)])
        node_of.append(places)
    if graph.mirrored:  # one name is one node, whichever end of a link it is
        entities.append(_entities_to_publish(graph, "right").take(rows))
        labels, nodes, node_of = labels * 2, nodes * 2, node_of * 2
    release = GraphRelease(
        left=entities[0],
        right=entities[1],
        left_groups=labels[0],
        right_groups=labels[1],
        mirrored=graph.mirrored,
        links=np.column_stack([node_of[at][graph.edges[:, at]] for at in (0, 1)]),
        left_nodes=nodes[0],
        right_nodes=nodes[1],
        method="group_nodes",
        parameters={"k": k, "ell": ell, "order": made},
        promise="as it was",
    )
    return Masked(release, Key(dict(zip(SIDES, node_of, strict=True)), checked_seed(seed)))


def _entities_to_publish(graph: BipartiteGraph, side: Side) -> Microdata:
    """Give what may be published of the entities: their name first, nothing from the links."""
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
    kept = [c for c in named.released if c.name != title]
    schema = Schema((named[title], *kept))
    if table.schema[title].kind == "nominal":  # the values are held as they will be
        return make_unchecked(Microdata, frame=table.frame[list(schema.names)], schema=schema)
    return Microdata(table.frame[list(schema.names)], schema)


def _check_groups(
    graph: BipartiteGraph,
    groups: Sequence[Partition] | Literal["one"],
    sizes: tuple[Size, Size],
) -> list[Partition]:
    one = isinstance(groups, str) and groups == "one"
    two = isinstance(groups, Sequence) and not isinstance(groups, str) and len(groups) == 2
    if not (one or two):
        raise RecordError.given("groups", groups, "two partitions, left and right, or 'one'")
    whole_sides = [Partition(np.zeros(len(graph.side(side)), np.intp)) for side in SIDES]
    parts = whole_sides if one else cast("Sequence[Partition]", groups)
    for side, part, size in zip(SIDES, parts, sizes, strict=True):
        verdict = None if one else safe_grouping(graph, side, part)
        if verdict is not None and not verdict.safe:
            raise InfeasibleError(f"The groups of the {side} side are not safe: {verdict!r}.")
        least = len(part.labels) if verdict is None else verdict.size
        if least < size.size:
            raise InfeasibleError(
                f"{size.name} was given as {size.size}, but the groups of the {side} side hold "
                f"{least} entities at least; give larger groups or a smaller {size.name}.",
                field=size.name,
                value=size.size,
            )
    return list(parts)
