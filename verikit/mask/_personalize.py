"""Personal requirements: sensitive values as coarse as each person asks for, and no coarser."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np

from verikit._support.requests import one_of
from verikit._support.seed import generator
from verikit.errors import SchemaError, quoted
from verikit.hierarchy import Hierarchy
from verikit.mask._disguise import (
    Published,
    equal_people,
    example_target,
    find_leaves,
    one_sensitive,
    publish_nodes,
)
from verikit.mask._masking import masking
from verikit.models import personal_respect
from verikit.release import Masked, Release, SplitRelease
from verikit.table import Microdata, refuse_missing
from verikit.targets import (
    Grouping,
    Person,
    Tree,
    Unsaid,
    count_values,
    group_exactly,
    group_greedily,
    group_top_down,
    publish_one_group,
    read_requirements,
    tree_of,
)
from verikit.words import count

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
        quasi-identifiers; ``"top down"``, the greatest requirements first; or, for few people,
        ``"average saving"``, a heuristic, and ``"exact"``, which tries all.
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
    any of their groups, while all searches but ``"quasi"`` and ``"one group"`` look at requirements
    only: a warning says how many people cannot be sure to be respected.

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
        raise SchemaError(
            f"hierarchy was given as {quoted(hierarchy)}; expected a Hierarchy with weights.",
            field="hierarchy",
            value=hierarchy,
        )
    tree = tree_of(hierarchy, numeric=column.kind == "numeric")
    leaves = find_leaves(data, column, hierarchy)
    wished = read_requirements(data, tree, leaves, requirement, missing)
    people = list(map(Person, leaves.tolist(), wished))
    left = data.only(*(name for name in data.schema.names if name != requirement))
    one_sensitive(left, "personalize")
    # a group of its own for each greatest requirement of each group
    parting = _group_people(left, tree, people, search)
    groups, nodes = (np.empty(len(people), np.intp) for _ in range(2))
    number = 0
    for members in parting:
        for some, found in publish_one_group(tree, people, members):
            groups[some], nodes[some] = number, found
            number += 1
    none = np.empty(0, np.intp)
    result = Published(groups, nodes, none, none)
    told = {
        "requirement": requirement,
        "search": search,
        "missing": missing,
        "values published": sum(count_values(tree, node) for node in result.nodes.tolist()),
    }
    made = publish_nodes(left, column, [hierarchy], result, told, generator(seed))
    _tell_who_is_not_respected(made.release, data, requirement, missing)
    return made


def _tell_who_is_not_respected(
    release: Release, data: Microdata, requirement: str | int, missing: Unsaid
) -> None:
    """Say aloud how many have known values that stand in several groups, and lose by it."""
    verdict = personal_respect(
        cast("SplitRelease", release), data, requirement=requirement, missing=missing
    )
    without = int(np.count_nonzero(~verdict.per_record))
    if without:
        warnings.warn(
            f"Of {count(len(data), 'person', 'people')} {without:,} cannot be sure that what they "
            "require is respected: others with the same known values are in other groups. Take "
            "search='quasi', which keeps them together; verikit.models.personal_respect tells who "
            "they are.",
            stacklevel=4,
        )


def _group_people(data: Microdata, tree: Tree, people: Sequence[Person], search: Any) -> Grouping:
    one_of(search, "search", get_args(Search))
    if search == "quasi":
        return [rows.tolist() for rows in equal_people(data, "search").groups()]
    return WAYS[search](tree, people)
