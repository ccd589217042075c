"""Privacy by a target distribution, and whether each person's own requirement is respected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Flags, Rows
from verikit._support.plotted import Plotted
from verikit.errors import SchemaError
from verikit.hierarchy import Hierarchy, as_list
from verikit.matching import Coarse
from verikit.release import SplitRelease, by_groups
from verikit.table import Microdata, require_microdata
from verikit.targets import (
    Person,
    Slots,
    Tolerance,
    Tree,
    Unsaid,
    can_be_placed,
    count_values,
    find_least_values,
    find_leaves,
    find_shifts,
    infer_chances,
    raise_requirements,
    read_requirements,
    respects_requirement,
    tree_of,
    variation_distance,
)
from verikit.words import count, listed, text


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TargetVerdict(Plotted):
    """Whether published values show their target, and how far from it they are.

    Parameters
    ----------
    met
        Whether every group shows its target, within the tolerance.
    distance
        The total variation distance of what is shown from the target, of the worst group: how
        much of the chances lies elsewhere.
    shift
        By how much the share of a node among its published siblings is off at most.
    tolerance
        The shift that was allowed where no node has its own.
    covers
        Whether the published nodes can be those of the given values; None where none were given.
    per_group
        Distance and shift of each group, by its name.
    shown
        By group the chance of each value that everybody can infer.
    per_node
        Of each node below which something is published the shift, of the worst group, and the
        shift that was allowed.

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> verdict = target_privacy(
    ...     ["30", "40", "[50, 60]", "[50, 60]"], target=balanced([30, 40, 50, 60])
    ... )
    >>> verdict.met, verdict.distance
    (True, Fraction(0, 1))
    """

    met: bool
    distance: Fraction
    shift: Fraction
    tolerance: Fraction
    covers: bool | None
    per_group: Mapping[str, tuple[Fraction, Fraction]]
    shown: Mapping[str, Mapping[str, Fraction]] = field(default_factory=dict)
    per_node: Mapping[str, tuple[Fraction, Fraction]] = field(default_factory=dict)

    def to_frame(self) -> pd.DataFrame:
        """One line a group: the distance of what it shows from its target, and the shift."""
        rows = [(name, float(d), float(s)) for name, (d, s) in self.per_group.items()]
        return pd.DataFrame(rows, columns=["group", "distance", "shift"])

    def __repr__(self) -> str:
        if self.covers is False:
            return "target privacy: not met. The published groups do not cover the given values."
        own = any(limit != self.tolerance for _, limit in self.per_node.values())
        asked = f" within {self.tolerance}" if self.tolerance else ""
        asked = " within a tolerance by node" if own else asked
        over = [node for node, (off, limit) in self.per_node.items() if own and off > limit]
        where = f" More than allowed below {listed(over)}." if over else ""
        found = "met" if self.met else "not met"
        far = f"at most {float(self.distance):.3g} of the chances lie elsewhere than in the target"
        off = f"shares of siblings are off by {float(self.shift):.3g} at most"
        return (
            f"target privacy{asked}: {found}. Of {len(self.per_group)} groups {far}; {off}.{where}"
        )

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.to_frame().head(12))


def target_privacy(
    release: SplitRelease | Iterable[Any],
    *,
    target: Hierarchy | None = None,
    values: Iterable[Any] | None = None,
    tolerance: float | str | Fraction | Mapping[Any, Any] | Tolerance = 0,
    sensitive: str | None = None,
) -> TargetVerdict:
    """Compare what everybody can infer about a value with a target, exactly.

    Parameters
    ----------
    release
        A release in two tables; or published nodes of one group.
    target
        The target; what the release says it shows where none is given.
    values
        The original values of one group of nodes: whether they can be published so is told too.
    tolerance
        By how much the shares of published siblings may be off; or by how much those below each
        node that is named, the others not at all (see `verikit.targets.Tolerance`).
    sensitive
        The sensitive column; needed only if several are, of which each shows a target of its own.

    Returns
    -------
    TargetVerdict
        Whether the target is shown, how far from it each group is, and what each group shows.

    Raises
    ------
    SchemaError
        If there is no target, the sensitive column is not clear, or something was published, or
        has a tolerance, that is no node of the target.
    RecordError
        If the tolerance is no share.

    References
    ----------
    [QZ]_ Definitions 3.3.1 and 3.3.2, section 3.6

    Notes
    -----
    What can be inferred is reckoned as if within a group each published value were equally likely
    for everyone, and read as the target says: whoever learns from the whole table, or repeats the
    method, may infer more. Shares of siblings say the same as the distribution: nodes are private
    just where no share is off. With a tolerance, siblings of which nothing is published say nothing
    against the target. What a published node without weight stands for is undefined; it is never
    private, and taken for all values below it alike.

    Examples
    --------
    >>> from verikit.targets import balanced
    >>> nodes = ["30", "40", "50", "60"]
    >>> target_privacy(nodes, target=balanced(nodes), values=[30, 30, 50, 60]).covers
    False
    >>> target_privacy(["30", "30", "40", "50"], target=balanced(nodes))
    target privacy: not met. Of 1 groups at most 0.25 of the chances lie elsewhere than in the
    target; shares of siblings are off by 0.5 at most.
    """
    allowed = Tolerance.of(tolerance)
    groups = release_groups(release, target, sensitive)
    measured, per_node, met = {}, dict[str, tuple[Fraction, Fraction]](), True
    for name, (tree, slots) in groups.items():
        shifts, limits = find_shifts(tree, slots), allowed.by_node(tree)
        measured[name] = variation_distance(tree, slots), max(shifts.values(), default=Fraction(0))
        for node, off in shifts.items():
            met &= off <= limits[node]
            pairs = (off, limits[node]), per_node.get(tree.names[node], (off, limits[node]))
            per_node[tree.names[node]] = max(pairs, key=lambda pair: pair[0] - pair[1])
    seen = {
        name: dict(zip(tree.leaf_names(), infer_chances(tree, slots), strict=True))
        for name, (tree, slots) in groups.items()
    }
    covers = None if values is None else _covers_values(groups, values)
    distance, shift = (max(part[at] for part in measured.values()) for at in (0, 1))
    met = met and covers is not False
    given = Fraction(allowed.share)
    return TargetVerdict(met, distance, shift, given, covers, measured, seen, per_node)


def _covers_values(groups: Mapping[str, tuple[Tree, Slots]], values: Iterable[Any]) -> bool:
    if len(groups) > 1:
        raise SchemaError(
            f"Values were given for {len(groups)} groups; give the published nodes of one group."
        )
    ((tree, slots),) = groups.values()
    return can_be_placed(tree, find_leaves(tree, as_list(values, "The values")), slots)


def release_groups(
    release: Any, target: Hierarchy | None, sensitive: str | None = None
) -> dict[str, tuple[Tree, Slots]]:
    """The tree of the target and the published nodes of each group, of one sensitive column."""
    if not by_groups(release):
        if target is None:
            raise SchemaError(
                f"{type(release).__name__} was given without a target; expected a release in two "
                "tables, or published nodes and target=."
            )
        tree = _target_tree(target)
        return {"all": (tree, _count_nodes(tree, as_list(release, "The published nodes")))}
    if target is not None:
        _target_tree(target)  # refuses what is no tree
    coarse = Coarse(release, release.find_sensitive(sensitive), target)
    every, width = np.arange(len(coarse.sizes)), len(coarse.tree.names)
    found = {part.groups[0]: part.tree for part in coarse.readings(every)}
    slots: list[Slots] = [{} for _ in every]
    pairs, often = np.unique(coarse.owner * width + coarse.nodes, return_counts=True)
    for pair, number in zip(pairs.tolist(), often.tolist(), strict=True):
        slots[pair // width][pair % width] = number
    names = map(text, release.labels.names)
    return {n: (found.get(at, coarse.tree), slots[at]) for at, n in enumerate(names)}


def _target_tree(target: object) -> Tree:
    if not isinstance(target, Hierarchy):
        raise SchemaError.given("target", target, "a Hierarchy")
    return tree_of(target, numeric=False)


def _count_nodes(tree: Tree, cells: Sequence[Any]) -> Slots:
    counts = Counter(map(text, cells))
    strange = [name for name in counts if name not in tree.numbers]
    if strange or not counts:
        raise SchemaError(
            f"The published values {listed(strange) or '(none)'} are no nodes of the target; "
            "compare with the tree they were made with."
        )
    return {tree.numbers[name]: number for name, number in counts.items()}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PersonalVerdict(Plotted):
    """Whether the requirement of each person is respected.

    Parameters
    ----------
    met
        Whether all are.
    per_record
        Whether hers is, for each record in the order of the table.
    required
        The node that each person names.
    groups
        How many groups each person may be in, seen by her quasi-identifiers.
    wished
        How many values the required nodes hold in all.
    published
        How many values the published nodes hold in all.
    least
        A number of values below which no release can go that respects everybody, without values
        that are nobody's. It need not be reached; where it is, none publishes less.

    Examples
    --------
    >>> import verikit as vk
    >>> target = vk.targets.balanced([30, 40])
    >>> frame = pd.DataFrame({"zip": ["p", "q"], "pay": [30, 40], "wish": ["[30, 40]", "40"]})
    >>> columns = (
    ...     vk.Column("zip", kind="nominal"),
    ...     vk.Column("pay", "sensitive"),
    ...     vk.Column("wish", "other", "nominal"),
    ... )
    >>> data = vk.Microdata(frame, vk.Schema(columns))
    >>> release, _ = vk.mask.personalize(data, hierarchy=target, requirement="wish", seed=1)
    >>> verdict = personal_respect(release, data, requirement="wish")
    >>> verdict.met, verdict.published, verdict.least
    (True, 2, 2)
    """

    met: bool
    per_record: Flags
    required: tuple[str, ...]
    groups: Rows
    wished: int
    published: int
    least: int

    @property
    def saved(self) -> int:
        """By how many values fewer was published than required; it may be negative."""
        return self.wished - self.published

    @property
    def means(self) -> str:
        """Whether everybody gets what she asks for, in one sentence."""
        without = int((~self.per_record).sum())
        if without:
            return f"{count(without, 'person', 'people')} cannot be sure to be respected."
        return "Everybody gets what she asks for."

    @property
    def why(self) -> str:
        """How much is published, beside what was asked for."""
        return (
            f"Their nodes hold {count(self.wished, 'value')} in all; published are "
            f"{count(self.published, 'value')}, {abs(self.saved):,} "
            f"{'fewer' if self.saved >= 0 else 'more'} than asked for. To respect everybody takes "
            f"{self.least:,} at least."
        )

    def to_frame(self) -> pd.DataFrame:
        """One line a person: what she requires, in how many groups she may be, and the outcome."""
        return pd.DataFrame(
            {"required": self.required, "groups": self.groups, "respected": self.per_record}
        )

    def __repr__(self) -> str:
        without = int((~self.per_record).sum())
        found = "met" if self.met else f"not met for {count(without, 'person', 'people')}"
        return (
            f"personal respect: {found}. Of {count(len(self.per_record), 'person', 'people')} "
            f"{self.wished:,} values were required and {self.published:,} published."
        )

    def _repr_html_(self) -> str:
        return _html.result(
            repr(self), self.to_frame().head(12).rename_axis("record").reset_index()
        )


def personal_respect(
    release: SplitRelease,
    data: Microdata,
    *,
    requirement: str | int,
    missing: Unsaid = "refuse",
    sensitive: str | None = None,
) -> PersonalVerdict:
    """Look up each person by her quasi-identifiers, and see whether her requirement is respected.

    Parameters
    ----------
    release
        A release in two tables, with the target as the hierarchy of its sensitive column.
    data
        The people, with the sensitive column and what they require.
    requirement
        The column that holds the node each person names, or one level of the tree for everybody.
    missing
        What to do where a person names no node: ``"refuse"``, or take the ``"strictest"``.
    sensitive
        The sensitive column that they require it of; needed only if several are.

    Returns
    -------
    PersonalVerdict
        Whether all are respected, and each of them.

    Raises
    ------
    SchemaError
        If the release tells no target, or the people lack one of its columns.
    RecordError
        If somebody names no node, or one that does not hold her value.

    References
    ----------
    [QZ]_ Definitions 5.3.1 and 5.3.2

    Notes
    -----
    Who has the quasi-identifiers of others may be in several groups. Every group that shows
    anything below her node must show just the target there, and one must; a person found in no
    group is not respected.

    Examples
    --------
    >>> import verikit as vk
    >>> target = vk.targets.balanced([30, 40])
    >>> frame = pd.DataFrame({"zip": ["p", "q"], "pay": [30, 40]})
    >>> data = vk.Microdata(
    ...     frame, vk.Schema((vk.Column("zip", kind="nominal"), vk.Column("pay", "sensitive")))
    ... )
    >>> release, _ = vk.mask.disguise(data, hierarchy=target, seed=1)
    >>> personal_respect(release, data, requirement=1).per_record.tolist()
    [True, True]
    """
    if not by_groups(release):
        raise SchemaError(
            f"personal_respect was given {type(release).__name__}; expected a release in two "
            "tables (verikit.mask.personalize makes one)."
        )
    data = require_microdata(data, "personal_respect")
    name = release.find_sensitive(sensitive)
    parts = release_groups(release, None, name)
    tree = next(iter(parts.values()))[0]
    if name not in data.schema.names:
        raise SchemaError(f"The table of people lacks the column {name!r}.")
    leaves = find_leaves(tree, data.frame[name].tolist())
    nodes = read_requirements(data, tree, leaves, requirement, missing)
    homes, classes = _groups_of_people(release, data)
    # groups that show the same are judged once, and people with the same known values together
    alike = {name: (id(part[0]), frozenset(part[1].items())) for name, part in parts.items()}
    shown = {alike[name]: part for name, part in parts.items()}
    kinds = {at: {alike[name] for name in home} for at, home in {id(h): h for h in homes}.items()}

    @cache
    def judge(kind: tuple[int, frozenset[tuple[int, int]]], node: int) -> bool | None:
        tree, slots = shown[kind]
        first, last = tree.first[node], tree.last[node]
        below = any(tree.first[n] < last and first < tree.last[n] for n in slots)
        return respects_requirement(tree, slots, node) if below else None

    @cache
    def is_respected(home: int, node: int) -> bool:
        found = {judge(kind, node) for kind in kinds[home]}
        return True in found and False not in found

    raised = raise_requirements(tree, np.array(nodes, np.intp), classes)
    respected = [is_respected(id(home), node) for home, node in zip(homes, nodes, strict=True)]
    published = sum(
        count_values(tree, n) * k for tree, slots in parts.values() for n, k in slots.items()
    )
    return PersonalVerdict(
        all(respected),
        np.array(respected, np.bool_),
        tuple(tree.names[node] for node in nodes),
        np.array([len(home) for home in homes], np.intp),
        sum(count_values(tree, node) for node in nodes),
        published,
        find_least_values(tree, list(map(Person, leaves.tolist(), raised.tolist()))),
    )


def _groups_of_people(release: SplitRelease, data: Microdata) -> tuple[list[tuple[str, ...]], Rows]:
    """By person the groups with a row of her quasi-identifiers, and who has the same ones."""
    names = [column.name for column in release.known if column.role == "quasi"]
    lacking = [name for name in names if name not in data.schema.names]
    if lacking:
        raise SchemaError(f"The table of people lacks the columns {listed(lacking)}; add them.")
    found: dict[tuple[str, ...], dict[str, None]] = {}
    groups = [text(release.labels.names[at]) for at in release.labels.quasi]
    for cells, group in zip(_cells_of_rows(release.quasi, names), groups, strict=True):
        found.setdefault(cells, {})[group] = None
    homes = {cells: tuple(groups) for cells, groups in found.items()}  # one for all alike
    people, numbers = _cells_of_rows(data.frame, names), dict[tuple[str, ...], int]()
    classes = [numbers.setdefault(cells, len(numbers)) for cells in people]
    return [homes.get(cells, ()) for cells in people], np.array(classes, np.intp)


def _cells_of_rows(frame: pd.DataFrame, names: list[str]) -> list[tuple[str, ...]]:
    columns: list[Any] = [list(map(text, frame[name].tolist())) for name in names]
    return list(zip(*columns, strict=True)) if columns else [()] * len(frame)
