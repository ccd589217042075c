"""Disguised distributions: sensitive values made coarse until they show a chosen distribution."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np

from verikit._support.arrays import Rows
from verikit._support.requests import whole
from verikit._support.seed import generator
from verikit.errors import RecordError, SchemaError, quoted
from verikit.hierarchy import Hierarchy
from verikit.mask._masking import masking
from verikit.mask._target import Published, equal_people, leaves_of, one_sensitive, published
from verikit.partition import Partition, value_codes
from verikit.release import Masked
from verikit.table import Microdata, refuse_missing
from verikit.targets import (
    MAX_FAKES,
    Near,
    Tolerance,
    Tree,
    balanced,
    disguise_group,
    tree_of,
    uniform,
)
from verikit.words import count

__all__ = ["disguise", "example_target"]

Groups: TypeAlias = Partition | Literal["quasi"] | None


def example_target(data: Microdata) -> Hierarchy:
    """A uniform target over what the sensitive column holds."""
    column = one_sensitive(data, "disguise")
    values = [value for value in value_codes(data, column.name).values if value is not None]
    if column.hierarchy is not None:
        return uniform(column.hierarchy)
    return balanced(values) if column.kind == "numeric" else Hierarchy.of({"any": values})


@masking(
    paper="QZ",
    promise="covers",
    example={"hierarchy": example_target},
    words="Two tables joined by groups, sensitive values coarse enough to show a chosen target.",
)
def disguise(
    data: Microdata,
    *,
    hierarchy: Hierarchy | Sequence[Hierarchy],
    groups: Groups = None,
    fakes: int = 0,
    tolerance: float | str | Fraction | Tolerance = 0,
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
        The records, with one sensitive column.
    hierarchy
        The target: a tree over all values that there may be, with their weights (see
        `verikit.targets`); or one for each group, the same tree with other weights.
    groups
        The parts of the data that each show the target: a partition; ``"quasi"`` for people with
        equal quasi-identifiers; everybody together where nothing is given.
    fakes
        How many values that are nobody's may be added to each group, where they save more than
        they cost.
    tolerance
        By how much the shares of two siblings may be off (see `Tolerance`).
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
        If not just one column is sensitive, a value is missing or lies outside the tree, a
        weight is a computed binary float, targets of groups have different trees, or a tolerance
        is asked of a tree that does not part in two.
    RecordError
        If fakes is no whole number from 0 to 8,191, or the tolerance no share.
    InfeasibleError
        If the best way within a tolerance is searched for too many values.

    References
    ----------
    [QZ]_ sections 3.3, 3.4, 3.5 and 3.6, Algorithms 3 and 4, Theorem 5

    Notes
    -----
    Printed Algorithm 4 counts the values at the root wrong; it is corrected, works for every tree,
    and finds the cost for 0 to ``fakes`` values in one pass. Only nodes of the tree are published.
    A value whose weight is 0 is published as a group around it. The time is that of one count of
    the values, and of a walk over the tree. A warning says where a target leaves every value as
    the root.

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
    column = one_sensitive(data, "disguise")
    refuse_missing(data, (*data.schema.quasi, column), "refuse")
    partition, places = _partition(data, groups)
    near = _near(tolerance)
    most = _number(fakes, near)
    targets = _targets(hierarchy, places)
    trees = {id(t): tree_of(t, numeric=column.kind == "numeric") for t in targets}
    leaves = leaves_of(data, column, targets[0])
    by_group = [trees[id(target)] for target in targets]
    result, cost = _by_group(partition, by_group, leaves, most, near)
    told = {
        "groups": _told(groups),
        "fakes": most,
        "added": len(result.nodes_added),
        "tolerance": {"share": near.tolerance, "searched": near.search},
        "sum of ranges": cost,
        "at the root": _at_root(by_group[0], result),
    }
    rng = generator(seed)
    return published(data, column, targets if len(trees) > 1 else targets[:1], result, told, rng)


def _by_group(
    partition: Partition, trees: Sequence[Tree], leaves: Rows, fakes: int, near: Near
) -> tuple[Published, Fraction]:
    """What is published of each group, and the sum of all ranges."""
    nodes, cost = np.empty(len(leaves), np.intp), Fraction(0)
    added, owner = [], []
    for group, rows in enumerate(partition.groups()):
        found = disguise_group(trees[group], leaves[rows], fakes, near)
        nodes[rows] = found.nodes
        added.append(found.added)
        owner.append(np.full(len(found.added), group))
        cost += found.cost
    return Published(partition.labels, nodes, np.concatenate(owner), np.concatenate(added)), cost


def _at_root(tree: Tree, found: Published) -> int:
    """How many values are published as the root; said aloud where it is all of them."""
    every = len(found.nodes) + len(found.nodes_added)
    at_root = sum(
        int(np.count_nonzero(part == tree.root)) for part in (found.nodes, found.nodes_added)
    )
    if at_root == every and len(tree.leaves) > 1:
        warnings.warn(
            f"Of {count(every, 'published value')} {at_root:,} are the root "
            f"{quoted(tree.names[tree.root])}, which tells nothing; allow fakes or a tolerance, "
            "make larger groups, or round the target (verikit.targets.rounded).",
            stacklevel=4,
        )
    return at_root


def _partition(data: Microdata, groups: Groups) -> tuple[Partition, Rows]:
    """The groups in the order of the records, and which of the given ones each of them is."""
    if isinstance(groups, Partition):
        found = Partition.of(groups.labels)
        first = np.unique(found.labels, return_index=True)[1]
        return found, groups.labels[first]
    if groups is None:
        return Partition(np.zeros(len(data), np.intp)), np.zeros(1, np.intp)
    if groups != "quasi":
        raise RecordError(
            f"groups was given as {quoted(groups)}; expected a Partition, 'quasi', or nothing.",
            field="groups",
            value=groups,
        )
    found = equal_people(data)
    return found, np.arange(len(found))


def _told(groups: Groups) -> Any:
    if isinstance(groups, Partition):
        return {"method": groups.method, **groups.parameters, "groups": len(groups)}
    return groups


def _near(tolerance: object) -> Near:
    given = tolerance if isinstance(tolerance, Tolerance) else Tolerance(tolerance)  # type: ignore[arg-type]
    return Near(Fraction(given.share), given.searched)


def _number(fakes: object, near: Near) -> int:
    most = whole(fakes, "fakes", least=0, most=MAX_FAKES)
    if most and near.search:
        raise RecordError(
            f"{most} fakes were asked for with a searched tolerance; take fakes=0, or a "
            "tolerance without searched=True."
        )
    return most


def _targets(hierarchy: object, places: Rows) -> list[Hierarchy]:
    """The target of each group."""
    if isinstance(hierarchy, Hierarchy):
        return [hierarchy] * len(places)
    given: list[Any] = list(hierarchy) if isinstance(hierarchy, (list, tuple)) else [hierarchy]
    wrong = [target for target in given if not isinstance(target, Hierarchy)]
    if wrong or not given:
        raise SchemaError(
            f"hierarchy was given as {quoted(wrong[0] if wrong else hierarchy)}; expected a "
            "Hierarchy with weights, or one for each group.",
            field="hierarchy",
            value=wrong[0] if wrong else hierarchy,
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
