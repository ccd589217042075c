"""Privacy by a target distribution: what everybody can infer about a value is what was chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.plotted import Plotted
from verikit.errors import SchemaError, quoted
from verikit.hierarchy import Hierarchy, several
from verikit.release import SplitRelease, by_groups
from verikit.targets import Slots, Tolerance, Tree, away, fits, greatest_shift, shown, tree_of
from verikit.words import listed, text

__all__ = ["TargetVerdict", "release_groups", "target_privacy"]


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
        The shift that was allowed.
    covers
        Whether the published nodes can be those of the given values; None where none were given.
    per_group
        Distance and shift of each group, by its name.
    shown
        By group the chance of each value that everybody can infer.

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

    def to_frame(self) -> pd.DataFrame:
        """One line a group: the distance of what it shows from its target, and the shift."""
        rows = [(name, float(d), float(s)) for name, (d, s) in self.per_group.items()]
        return pd.DataFrame(rows, columns=["group", "distance", "shift"])

    def __repr__(self) -> str:
        if self.covers is False:
            return "target privacy: not met. The published groups do not cover the given values."
        asked = f" within {self.tolerance}" if self.tolerance else ""
        found = "met" if self.met else "not met"
        far = f"at most {float(self.distance):.3g} of the chances lie elsewhere than in the target"
        off = f"shares of siblings are off by {float(self.shift):.3g} at most"
        return f"target privacy{asked}: {found}. Of {len(self.per_group)} groups {far}; {off}."

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.to_frame().head(12))


def target_privacy(
    release: SplitRelease | Iterable[Any],
    *,
    target: Hierarchy | None = None,
    values: Iterable[Any] | None = None,
    tolerance: float | str | Fraction = 0,
) -> TargetVerdict:
    """Compare what everybody can infer about a value with a target, exactly.

    Parameters
    ----------
    release
        A release in two tables with one sensitive column; or published nodes of one group.
    target
        The target; what the release says it shows where none is given.
    values
        The original values of one group of nodes: whether they can be published so is told too.
    tolerance
        By how much the shares of published siblings may be off.

    Returns
    -------
    TargetVerdict
        Whether the target is shown, how far from it each group is, and what each group shows.

    Raises
    ------
    SchemaError
        If there is no target, the release has not just one sensitive column, or something was
        published that is no node of the target.
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
    allowed = Fraction(Tolerance(tolerance).share)
    groups = release_groups(release, target)
    measured = {n: (away(*part), greatest_shift(*part)) for n, part in groups.items()}
    seen = {name: _named(*part) for name, part in groups.items()}
    covers = None if values is None else _covers(groups, values)
    distance, shift = (max(part[at] for part in measured.values()) for at in (0, 1))
    met = shift <= allowed and covers is not False
    return TargetVerdict(met, distance, shift, allowed, covers, measured, seen)


def _named(tree: Tree, slots: Slots) -> dict[str, Fraction]:
    chances = shown(tree, slots)
    return {tree.names[leaf]: p for leaf, p in zip(tree.leaves, chances, strict=True)}


def _covers(groups: Mapping[str, tuple[Tree, Slots]], values: Iterable[Any]) -> bool:
    if len(groups) > 1:
        raise SchemaError(
            f"Values were given for {len(groups)} groups; give the published nodes of one group."
        )
    ((tree, slots),) = groups.values()
    names = list(map(text, several(values, "The values")))
    lacking = [name for name in names if tree.numbers.get(name) not in tree.leaves]
    if lacking:
        raise SchemaError(f"The target lacks the values {listed(lacking)}; add each as a leaf.")
    return fits(tree, np.array([tree.first[tree.numbers[n]] for n in names], np.int64), slots)


def release_groups(release: Any, target: Hierarchy | None) -> dict[str, tuple[Tree, Slots]]:
    """The tree of the target and the published nodes of each group."""
    if not by_groups(release):
        if target is None:
            raise SchemaError(
                f"{type(release).__name__} was given without a target; expected a release in two "
                "tables, or published nodes and target=."
            )
        tree = _tree(target)
        return {"all": (tree, _slots(tree, several(release, "The published nodes")))}
    found = release.schema.sensitive
    if len(found) != 1:
        raise SchemaError(
            f"The release has {len(found)} sensitive columns; a target is compared with one."
        )
    told = release.parameters.get("hierarchy")
    weights = told if isinstance(told, Mapping) and target is None else {}
    known = target if target is not None else found[0].hierarchy
    if known is None:
        raise SchemaError("The release tells no target; give target=.")
    cells = release.sensitive[found[0].name].to_numpy(dtype=object)
    trees: dict[str, Tree] = {}
    groups = {}
    for at, name in enumerate(map(text, release.labels.names)):
        own = Hierarchy(known.levels, weights[name]) if name in weights else known
        tree = trees.setdefault(name if name in weights else "", _tree(own))
        groups[name] = (tree, _slots(tree, cells[release.labels.sensitive == at]))
    return groups


def _tree(target: object) -> Tree:
    if not isinstance(target, Hierarchy):
        raise SchemaError(f"target was given as {quoted(target)}; expected a Hierarchy.")
    return tree_of(target, numeric=False)


def _slots(tree: Tree, cells: Sequence[Any]) -> Slots:
    counts = Counter(map(text, cells))
    strange = [name for name in counts if name not in tree.numbers]
    if strange or not counts:
        raise SchemaError(
            f"The published values {listed(strange) or '(none)'} are no nodes of the target; "
            "compare with the tree they were made with."
        )
    return {tree.numbers[name]: number for name, number in counts.items()}
