"""Sensitive values made coarse: to show a chosen distribution, or as each person requires."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit._support.requests import one_of, whole
from verikit._support.seed import generator
from verikit.errors import RecordError, SchemaError, quoted
from verikit.hierarchy import Hierarchy
from verikit.mask._groups_only import draw_order_by_group
from verikit.mask._masking import masking
from verikit.partition import Partition, value_codes
from verikit.release import GROUP, Key, Masked, SplitRelease
from verikit.table import Column, Microdata, refuse_missing
from verikit.targets import (
    MAX_FAKES,
    Grouping,
    Person,
    Tolerance,
    Tree,
    Unsaid,
    balanced,
    count_values,
    disguise_group,
    find_leaves,
    group_exactly,
    group_greedily,
    group_top_down,
    publish_one_group,
    raise_requirements,
    read_requirements,
    tree_of,
    uniform,
)
from verikit.values.numbers import exact_fraction
from verikit.words import count, listed

Groups: TypeAlias = Partition | Literal["quasi", "finest"] | None


def example_target(data: Microdata, column: Column | None = None) -> Hierarchy:
    """A uniform target over what a sensitive column holds, the only one where none is given."""
    column = column or one_sensitive(data, "disguise")
    values = [value for value in value_codes(data, column.name).values if value is not None]
    if column.hierarchy is not None:
        return uniform(column.hierarchy)
    return balanced(values) if column.kind == "numeric" else Hierarchy.of({"any": values})


@masking(
    paper="QZ",
    promise="covers",
    example={
        "hierarchy": lambda data: {c.name: example_target(data, c) for c in data.schema.sensitive}
    },
    words="Two tables joined by groups, sensitive values coarse enough to show a chosen target.",
)
def disguise(
    data: Microdata,
    *,
    hierarchy: Hierarchy | Sequence[Hierarchy] | Mapping[str, Any],
    groups: Groups = None,
    fakes: int | str | float | Fraction = 0,
    tolerance: float | str | Fraction | Mapping[Any, Any] | Tolerance = 0,
    seed: int,
) -> Masked:
    """Publish nodes of a tree instead of sensitive values, so that each group shows just a target.

    Whoever knows a person's group can infer of her value the distribution that was chosen and
    nothing more, if within a group each published value is equally likely for everyone and read as
    the target says. Whoever learns from the whole table or repeats the method may do better. As few
    values are made coarse, and as little, as that allows.

    Parameters
    ----------
    data
        The records, with one sensitive column, or several.
    hierarchy
        The target: a tree over all values that there may be, with their weights (see
        `verikit.targets`); or one for each group, the same tree with other weights; or, where
        several columns are sensitive, either of them by column, as ``{"pay": ..., "job": ...}``.
    groups
        The parts of the data that each show the target: a partition; ``"quasi"`` for people with
        equal quasi-identifiers; ``"finest"`` for small groups that publish together just what is
        published of everybody in one; everybody together where nothing is given.
    fakes
        How many values that are nobody's may be added to each group, where they save more than
        they cost; or for how large a share of its people, as ``"1/5"`` or ``0.2``. Of several
        columns each gets as many.
    tolerance
        By how much the shares of two siblings may be off; or by how much those below each node that
        is named, as ``{"[30, 60]": "1/5"}``, the others not at all (see `Tolerance`); where targets
        are given by column, a dictionary is by column, too.
    seed
        The secret randomness: the numbers of the groups and the order of the rows in each table.

    Returns
    -------
    Masked
        The release in two tables, and the key. The parameters tell the sum of the ranges of all
        published values, how many are the root, and how many are nobody's.

    Raises
    ------
    SchemaError
        If a sensitive column has no target, a value is missing or lies outside the tree, a
        weight is a computed binary float, targets of groups have different trees, or a tolerance
        is asked of a node that does not part in two or that the tree lacks.
    RecordError
        If fakes is no whole number from 0 to 8,191 and no share, or the tolerance no share.
    InfeasibleError
        If the best way within a tolerance is searched for too many values.

    References
    ----------
    [QZ]_ sections 3.3, 3.4, 3.4.2, 3.5, 3.6 and 3.7.2, Algorithms 3 and 4, Theorem 5

    Notes
    -----
    Several sensitive columns are treated independently, as section 3.3.1 has it: each shows its
    target in the same groups, by a walk of its own, and is shuffled by itself, so that of what goes
    with what inside a group nothing is told. Fakes are as many in each column of a group: the
    fewest with the least sum of ranges, each as a share of the range of its root.

    Printed Algorithm 4 counts the values at the root wrong; it is corrected, works for every tree,
    and finds the cost for 0 to ``fakes`` values in one pass. Only nodes of the tree are published.
    A value whose weight is 0 is published as a group around it. The time is that of one count of
    the values, and of a walk over the tree. A warning says where a target leaves every value as
    the root.

    The finest groups take the nodes of one group for everybody apart; of people with equal values
    those with the lowest quasi-identifiers come into the first of them. Every link that they leave
    open the one group leaves open too, and the least sum of ranges is kept if there are no fakes
    and no tolerance.

    What is inferred is the target if each published node is read with the target's chances. Who
    repeats the walk, and knows that as little as possible was made coarse, may infer a little
    more in small groups: 9/14 instead of 2/3 of one of four people published as 1, 1, 2 and
    ``[1, 2]``.

    Examples
    --------
    >>> import pandas as pd
    >>> import verikit as vk
    >>> frame = pd.DataFrame({"zip": list("ppqqqq"), "pay": [30, 30, 40, 40, 50, 60]})
    >>> columns = (vk.Column("zip", kind="nominal"), vk.Column("pay", "sensitive"))
    >>> data = vk.Microdata(frame, vk.Schema(columns))
    >>> target = vk.targets.balanced([30, 40, 50, 60])
    >>> release, key = disguise(data, hierarchy=target, seed=7)
    >>> sorted(release.sensitive["pay"])
    ['30', '40', '50', '60', '[30, 60]', '[30, 60]']
    >>> release.parameters["sum of ranges"], release.parameters["at the root"]
    ('60', 2)
    """
    refuse_missing(data, (*data.schema.quasi, *data.schema.sensitive), "refuse")
    partition, places = _make_partition(data, groups)
    disguised = _list_disguised(data, hierarchy, tolerance, places)
    if groups == "finest":
        partition, disguised = _part_finest(data, disguised)
    most = _list_most_fakes(fakes, np.bincount(partition.labels))
    if any(most) and any(part.near.searched for part in disguised):
        raise RecordError(
            f"{max(most)} fakes were asked for with a searched tolerance; take fakes=0, or a "
            "tolerance without searched=True."
        )
    owner, nodes = _publish_groups(disguised, partition, most)
    told = list(map(_describe_column, disguised, nodes))
    by_column = dict(zip((part.column.name for part in disguised), told, strict=True))
    parameters: dict[str, Any] = {"groups": groups, "fakes": max(most), "added": len(owner)}
    parameters |= told[0] if len(told) == 1 else {"columns": by_column}
    if isinstance(groups, Partition):
        named = {"method": groups.method, **groups.parameters, "groups": len(groups)}
        parameters["groups"] = named
    if not isinstance(fakes, int):
        parameters["fakes for people"] = str(exact_fraction(fakes, "fakes"))
    found = Published(partition.labels, owner, nodes)
    return _publish_nodes(data, disguised, found, parameters, generator(seed))


class Disguised(NamedTuple):
    """A sensitive column, the target of each group, the leaf of each value, and the tolerance."""

    column: Column
    targets: Sequence[Hierarchy]
    trees: Sequence[Tree]
    leaves: Rows
    near: Tolerance


def _list_disguised(
    data: Microdata, hierarchy: object, tolerance: Any, places: Rows
) -> list[Disguised]:
    """List what each sensitive column is to show; one target needs no name of a column."""
    if isinstance(hierarchy, Mapping):
        columns, given = data.schema.sensitive, dict(hierarchy)
        near = tolerance if isinstance(tolerance, Mapping) else dict.fromkeys(given, tolerance)
        strange = [name for name in (*given, *near) if name not in [c.name for c in columns]]
        if strange or len(given) < len(columns) or not given:
            raise SchemaError(
                f"Targets or tolerances were given for the columns {listed([*given, *near])}; "
                "expected a target for each sensitive column, which are "
                f"{listed(c.name for c in columns) or 'none'}."
            )
    else:
        columns = (one_sensitive(data, "disguise"),)
        given, near = {columns[0].name: hierarchy}, {columns[0].name: tolerance}
    found = []
    for column in columns:
        targets = _list_targets(given[column.name], places)
        trees = {id(t): tree_of(t, numeric=column.kind == "numeric") for t in targets}
        own = Tolerance.of(near.get(column.name, 0))
        own.by_node(trees[id(targets[0])])  # refuses what is no node
        codes, values = value_codes(data, column.name)
        leaves = find_leaves(trees[id(targets[0])], values, column.name)[codes]
        found.append(Disguised(column, targets, [trees[id(t)] for t in targets], leaves, own))
    return found


def _publish_groups(
    disguised: Sequence[Disguised], partition: Partition, most: Sequence[int]
) -> tuple[Rows, list[Rows]]:
    """The group of each value that is nobody's, and by column all nodes, those of people first."""
    size = len(partition.labels)
    nodes = [np.empty(size, np.intp) for _ in disguised]
    added: list[list[Rows]] = [[] for _ in disguised]
    for group, rows in enumerate(partition.groups()):
        wishes = [(part.trees[group], part.leaves[rows], part.near) for part in disguised]
        for at, found in enumerate(disguise_group(wishes, most[group])):
            nodes[at][rows] = found[: len(rows)]
            added[at].append(found[len(rows) :])
    owner = np.repeat(np.arange(len(added[0])), list(map(len, added[0])))
    pairs = zip(nodes, added, strict=True)
    return owner, [np.concatenate([own, *parts]) for own, parts in pairs]


def _describe_column(part: Disguised, nodes: Rows) -> dict[str, Any]:
    """Tell what a column shows, and how coarse; a warning where nothing is left to see."""
    tree, near = part.trees[0], part.near
    often = np.bincount(nodes, minlength=len(tree.names)).tolist()
    if often[tree.root] == len(nodes) and len(tree.leaves) > 1:
        root = quoted(part.column.shown(tree.names[tree.root]))
        warnings.warn(
            f"Of {count(len(nodes), 'published value')} {len(nodes):,} are the root {root}, which "
            "tells nothing; allow fakes or a tolerance, make larger groups, or round the target "
            "(verikit.targets.rounded).",
            stacklevel=4,
        )
    own = {"nodes": near.nodes} if near.nodes else {}
    return {
        "tolerance": {"share": near.share, "searched": near.searched, **own},
        "sum of ranges": tree.cost({node: n for node, n in enumerate(often) if n}),
        "at the root": often[tree.root],
    }


def _make_partition(data: Microdata, groups: Groups) -> tuple[Partition, Rows]:
    """Give the groups in the order of the records, and which of the given ones each of them is."""
    if isinstance(groups, Partition):
        found = Partition.of(groups.labels)
        first = np.unique(found.labels, return_index=True)[1]
        return found, groups.labels[first]
    if groups is None or groups == "finest":
        return Partition(np.zeros(len(data), np.intp)), np.zeros(1, np.intp)
    if groups != "quasi":
        raise RecordError.given("groups", groups, "a Partition, 'quasi', 'finest', or nothing")
    found = equal_people(data)
    return found, np.arange(len(found))


def _part_finest(
    data: Microdata, disguised: Sequence[Disguised]
) -> tuple[Partition, list[Disguised]]:
    """Part people into groups that publish together what one group of all would: section 3.4.2."""
    if len(disguised) > 1:
        raise SchemaError(
            f"groups='finest' was asked for with {len(disguised)} sensitive columns, of which each "
            "has finest groups of its own; give a partition, or groups='quasi'."
        )
    part = disguised[0]
    known = [data.codes(column.name)[0] for column in reversed(data.schema.quasi)]
    order = np.lexsort([part.leaves, *known])
    labels, tree = np.empty(len(data), np.intp), part.trees[0]
    people = [Person(leaf, tree.root) for leaf in part.leaves[order].tolist()]
    groups = group_top_down(tree, people)
    for number, members in enumerate(groups):
        labels[order[members]] = number
    many = [part.targets[0]] * len(groups), [tree] * len(groups)
    return Partition(labels), [Disguised(part.column, *many, part.leaves, part.near)]


def _list_most_fakes(fakes: object, sizes: Rows) -> list[int]:
    """List how many values that are nobody's each group may get: a number, or a share of it."""
    if not isinstance(fakes, (str, float, Fraction)):
        return [whole(fakes, "fakes", least=0, most=MAX_FAKES)] * len(sizes)
    share = exact_fraction(fakes, "fakes")
    if not 0 <= share <= 1:
        raise RecordError.given("fakes", fakes, "a whole number from 0, or a share from 0 to 1")
    return [min(int(share * size), MAX_FAKES) for size in sizes.tolist()]


def _list_targets(hierarchy: object, places: Rows) -> list[Hierarchy]:
    """List the target of each group."""
    if isinstance(hierarchy, Hierarchy):
        return [hierarchy] * len(places)
    given: list[Any] = list(hierarchy) if isinstance(hierarchy, (list, tuple)) else [hierarchy]
    wrong = [target for target in given if not isinstance(target, Hierarchy)]
    if wrong or not given:
        raise SchemaError.given(
            "hierarchy",
            wrong[0] if wrong else hierarchy,
            "a Hierarchy with weights, or one for each group",
        )
    if len(given) <= int(places.max()):
        raise SchemaError(
            f"{len(given)} targets were given for {int(places.max()) + 1} groups; give one for "
            "each, in the order of their numbers."
        )
    if any(target.levels != given[0].levels for target in given):
        raise SchemaError(
            "The targets of the groups stand on different trees; give them the same tree with "
            "other weights."
        )
    return [given[place] for place in places]


def one_sensitive(data: Microdata, mask: str) -> Column:
    """The one sensitive column, beside a column that is not and will be released."""
    found = data.schema.sensitive
    others = [c for c in data.schema.released if c.role != "sensitive"]
    if len(found) == 1 and others:
        return found[0]
    several = ", give hierarchy= by column" if mask == "disguise" and others else ""
    raise SchemaError(
        f"mask.{mask} takes one sensitive column beside others; the table has {len(found)} "
        f"({listed(c.name for c in found) or 'none'}) and {len(others)} others to release, so "
        f"declare roles{several}, or mask sensitive columns one by one."
    )


def equal_people(data: Microdata, parameter: str = "groups") -> Partition:
    """Groups of records with equal quasi-identifiers."""
    names = [column.name for column in data.schema.quasi]
    if not names:
        raise SchemaError(
            f"{parameter}='quasi' was asked for, but the table has no quasi-identifier; declare at "
            "least one column 'quasi', or group people in another way."
        )
    codes = np.column_stack([data.codes(name)[0] for name in names])
    return Partition.of(np.unique(codes, axis=0, return_inverse=True)[1].ravel())


class Published(NamedTuple):
    """The group of each record, that of each value of nobody, and all nodes of each column."""

    groups: Rows
    groups_added: Rows
    nodes: Sequence[Rows]


def _publish_nodes(
    data: Microdata,
    disguised: Sequence[Disguised],
    found: Published,
    parameters: dict[str, Any],
    rng: np.random.Generator,
) -> Masked:
    """Put the nodes beside the other columns, joined by groups whose numbers say nothing.

    One target becomes that of the column; of several each group's weights are told. Sensitive
    columns are shuffled one by one, so that what goes with what inside a group is not told.
    """
    schema = data.schema.released
    numbers = 1 + rng.permutation(int(found.groups.max()) + 1)
    groups = numbers[found.groups]
    every = np.concatenate([groups, numbers[found.groups_added]])
    known = draw_order_by_group(groups, rng)
    places, cells = {c.name: known for c in schema}, {}
    for (column, targets, *_), nodes in zip(disguised, found.nodes, strict=True):
        told: Any = "the weights of the column"
        one = all(target is targets[0] for target in targets)
        if not one:
            weights = ({leaf: t.share(leaf) for leaf in t.levels} for t in targets)
            told = dict(zip(numbers.tolist(), weights, strict=True))
        own = parameters if len(disguised) == 1 else parameters["columns"][column.name]
        own["hierarchy"] = told
        tree = targets[0] if one else Hierarchy(targets[0].levels)
        schema = schema.with_column(column.name, hierarchy=tree)
        hidden = draw_order_by_group(every, rng)
        shown = np.empty(len(every), np.intp)
        shown[hidden] = nodes
        cells[column.name] = _name_cells(tree, column, shown)
        places[column.name] = hidden[: len(data)]
    rows = np.argsort(known)
    quasi = {c.name: data.frame[c.name].take(rows).array for c in schema if c.role != "sensitive"}
    release = SplitRelease(
        pd.DataFrame({**quasi, GROUP: groups[rows]}),
        pd.DataFrame({GROUP: np.sort(every), **cells}),
        schema,
        parameters=parameters,
        promise="covers",
        apart=len(cells) > 1,
    )
    return Masked(release, Key({"": known, **places}))


def _name_cells(tree: Hierarchy, column: Column, nodes: Rows) -> Any:
    """Name the nodes; by numbers where all of them are single numbers."""
    names: Sequence[str] = tree._shape.names
    numbers = np.flatnonzero(np.bincount(nodes, minlength=len(names)))
    places = np.zeros(len(names), np.intp)
    places[numbers] = np.arange(len(numbers))
    codes, used = places[nodes], [names[node] for node in numbers.tolist()]
    if column.kind == "numeric" and all(name in tree.levels for name in used):
        return np.array([float(name) for name in used])[codes]
    return pd.Categorical.from_codes(codes, categories=used)


Search: TypeAlias = Literal["one group", "quasi", "average saving", "top down", "exact"]
WAYS: Mapping[str, Callable[[Tree, Sequence[Person]], Grouping]] = {
    "one group": lambda _, people: [list(range(len(people)))],
    "average saving": group_greedily,
    "top down": group_top_down,
    "exact": group_exactly,
}


@masking(
    paper="QZ",
    promise="covers",
    example={"hierarchy": example_target, "requirement": 1},
    words="Two tables joined by groups, sensitive values as coarse as each person requires.",
)
def personalize(
    data: Microdata,
    *,
    hierarchy: Hierarchy,
    requirement: str | int,
    search: Search = "top down",
    missing: Unsaid = "refuse",
    seed: int,
) -> Masked:
    """Publish nodes of a tree so that below the node each person names only a target is shown.

    A person who names a group of values, such as an income from 50 to 60, lets everybody know that
    hers is among them, and nothing of which it is but the chances of the target: if within a group
    each published value is equally likely for everyone and read as the target says. Whoever learns
    from the whole table or repeats the method may do better.

    Parameters
    ----------
    data
        The records, with one sensitive column.
    hierarchy
        The tree over all values that there may be, with the weights of the target.
    requirement
        The column that holds the node each person names, which is not published; or one level of
        the tree for everybody, from 0, the value itself, to the height of the tree, its root.
    search
        How people are put into groups: ``"one group"``; ``"quasi"``, those with equal
        quasi-identifiers; ``"top down"``, the greatest requirements first; ``"average saving"``,
        the group that saves most for each of its people first; or, for few people, ``"exact"``,
        which tries all.
    missing
        What to do where a person names no node: ``"refuse"``, or take the ``"strictest"``, the
        root.
    seed
        The secret randomness: the numbers of the groups and the order of the rows in each table.

    Returns
    -------
    Masked
        The release in two tables, and the key. The parameters tell how many values the published
        nodes hold in all.

    Raises
    ------
    SchemaError
        If not just one column is sensitive, a value is missing or lies outside the tree, or there
        is no column of requirements.
    RecordError
        If somebody names no node, one that does not hold her value, or one without weight; or if
        the tree has no such level.
    InfeasibleError
        If all groups were to be tried for too many people.

    References
    ----------
    [QZ]_ Definitions 5.3.1 and 5.3.2, Problem 5.4.1, Algorithms 6 to 9

    Notes
    -----
    Printed is a uniform distribution below each requirement; here it is that of the target, as
    section 5.2 asks, and something below it must be published. The size of a node is the number
    of its values. The paper leaves open whether Algorithm 8 (average saving) is best: it is not,
    as four people on four values show. Groups, and not the order of the people in them, are what
    our own reading of Algorithms 8 and 9 fixes. Whoever has the known values of others may be in
    any of their groups, so a requirement is first raised to the greatest around it among people
    with equal quasi-identifiers (all people, where there are none): with that everybody is
    respected, and with less somebody is not. `verikit.models.personal_respect` tells how few
    values any such release must publish.

    Examples
    --------
    >>> import pandas as pd
    >>> import verikit as vk
    >>> frame = pd.DataFrame(
    ...     {
    ...         "zip": ["91130", "91210", "91220"],
    ...         "pay": [60, 40, 30],
    ...         "wish": ["60", "[30, 40]", "30"],
    ...     }
    ... )
    >>> columns = (
    ...     vk.Column("zip", kind="nominal"),
    ...     vk.Column("pay", "sensitive"),
    ...     vk.Column("wish", "other", "nominal"),
    ... )
    >>> data = vk.Microdata(frame, vk.Schema(columns))
    >>> target = vk.targets.balanced([30, 40, 50, 60])
    >>> release, key = personalize(data, hierarchy=target, requirement="wish", seed=7)
    >>> sorted(release.sensitive["pay"]), release.parameters["values published"]
    ([30, 40, 60], 3)
    """
    column = one_sensitive(data, "personalize")
    refuse_missing(
        data, (*(c for c in data.schema.quasi if c.name != requirement), column), "refuse"
    )
    if not isinstance(hierarchy, Hierarchy):
        raise SchemaError.given("hierarchy", hierarchy, "a Hierarchy with weights")
    tree = tree_of(hierarchy, numeric=column.kind == "numeric")
    codes, values = value_codes(data, column.name)
    leaves = find_leaves(tree, values, column.name)[codes]
    wished = read_requirements(data, tree, leaves, requirement, missing)
    left = data.only(*(name for name in data.schema.names if name != requirement))
    one_sensitive(left, "personalize")
    one_of(search, "search", get_args(Search))
    alike = equal_people(left, "search") if search == "quasi" or left.schema.quasi else None
    classes = np.zeros(len(left), np.intp) if alike is None else alike.labels
    raised = raise_requirements(tree, np.array(wished, np.intp), classes)
    people = list(map(Person, leaves.tolist(), raised.tolist()))
    if search == "quasi":
        grouping = [rows.tolist() for rows in Partition(classes).groups()]
    else:
        grouping = WAYS[search](tree, people)
    # a group of its own for each greatest requirement of each group
    groups, nodes = (np.empty(len(people), np.intp) for _ in range(2))
    parts = [part for members in grouping for part in publish_one_group(tree, people, members)]
    for number, (some, found) in enumerate(parts):
        groups[some], nodes[some] = number, found
    parameters = {
        "requirement": requirement,
        "search": search,
        "missing": missing,
        "values published": sum(count_values(tree, node) for node in nodes.tolist()),
    }
    shown = [Disguised(column, [hierarchy], [tree], leaves, Tolerance())]
    result = Published(groups, np.empty(0, np.intp), [nodes])
    return _publish_nodes(left, shown, result, parameters, generator(seed))
