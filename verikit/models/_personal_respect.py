"""Whether each person's own requirement is respected by a release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Flags, Ints, Rows
from verikit._support.plotted import Plotted
from verikit.errors import SchemaError
from verikit.models._target_privacy import release_groups
from verikit.release import SplitRelease, by_groups
from verikit.table import Microdata, microdata
from verikit.targets import Slots, Tree, Unsaid, required, respects, size
from verikit.words import count, listed, text

__all__ = ["PersonalVerdict", "personal_respect"]


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
    >>> personal_respect(release, data, requirement="wish").met
    True
    """

    met: bool
    per_record: Flags
    required: tuple[str, ...]
    groups: Rows
    wished: int
    published: int

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
            f"{'fewer' if self.saved >= 0 else 'more'} than asked for."
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
    data = microdata(data, "personal_respect")
    parts = release_groups(release, None)
    (column,) = release.schema.sensitive
    tree = next(iter(parts.values()))[0]
    if column.name not in data.schema.names:
        raise SchemaError(f"The table of people lacks the column {column.name!r}.")
    leaves = _leaves(tree, data, column.name)
    nodes = required(data, tree, leaves, requirement, missing)
    homes = _homes(release, data)
    known: dict[tuple[str, int], bool | None] = {}
    respected = [
        _respected(parts, home, node, known) for home, node in zip(homes, nodes, strict=True)
    ]
    published = sum(size(tree, n) * k for tree, slots in parts.values() for n, k in slots.items())
    return PersonalVerdict(
        all(respected),
        np.array(respected, np.bool_),
        tuple(tree.names[node] for node in nodes),
        np.array([len(home) for home in homes], np.intp),
        sum(size(tree, node) for node in nodes),
        published,
    )


def _respected(
    parts: Mapping[str, tuple[Tree, Slots]],
    home: tuple[str, ...],
    node: int,
    known: dict[tuple[str, int], bool | None],
) -> bool:
    found = []
    for name in home:
        if (name, node) not in known:
            tree, slots = parts[name]
            known[name, node] = respects(tree, slots, node) if _touches(tree, slots, node) else None
        found.append(known[name, node])
    told = [one for one in found if one is not None]
    return bool(told) and all(told)


def _touches(tree: Tree, slots: Slots, node: int) -> bool:
    """Whether anything is published of what lies below a node."""
    first, last = tree.first[node], tree.last[node]
    return any(tree.first[n] < last and first < tree.last[n] for n in slots)


def _leaves(tree: Tree, data: Microdata, name: str) -> Ints:
    values = [text(value) for value in data.frame[name].tolist()]
    lacking = [v for v in dict.fromkeys(values) if tree.numbers.get(v) not in set(tree.leaves)]
    if lacking:
        raise SchemaError(f"The target lacks the values {listed(lacking)}; add each as a leaf.")
    return np.array([tree.first[tree.numbers[v]] for v in values], np.int64)


def _homes(release: SplitRelease, data: Microdata) -> list[tuple[str, ...]]:
    """By person the groups with a row of her quasi-identifiers."""
    names = [column.name for column in release.known if column.role == "quasi"]
    lacking = [name for name in names if name not in data.schema.names]
    if lacking:
        raise SchemaError(f"The table of people lacks the columns {listed(lacking)}; add them.")
    found: dict[tuple[str, ...], dict[str, None]] = {}
    groups = [text(release.labels.names[at]) for at in release.labels.quasi]
    for cells, group in zip(_rows(release.quasi, names), groups, strict=True):
        found.setdefault(cells, {})[group] = None
    return [tuple(found.get(cells, ())) for cells in _rows(data.frame, names)]


def _rows(frame: pd.DataFrame, names: list[str]) -> list[tuple[str, ...]]:
    columns: list[Any] = [list(map(text, frame[name].tolist())) for name in names]
    return list(zip(*columns, strict=True)) if columns else [()] * len(frame)
