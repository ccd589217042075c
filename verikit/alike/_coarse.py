"""Sensitive values published as nodes of a target: which ones each group of a release shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeGuard

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit.errors import SchemaError
from verikit.hierarchy import Hierarchy
from verikit.release import SplitRelease, by_groups
from verikit.targets import Tree, believed_shares, target_shares, tree_of
from verikit.words import listed, text

__all__ = ["Coarse", "Reading", "shows_target"]


def shows_target(release: object) -> TypeGuard[SplitRelease]:
    """Whether a release in two tables was made for its one sensitive column to show a target.

    Examples
    --------
    >>> import verikit as vk
    >>> shows_target(vk.published("lhcc_table3"))
    False
    """
    if not by_groups(release) or release.permuted or "hierarchy" not in release.parameters:
        return False
    found = release.schema.sensitive
    return len(found) == 1 and found[0].hierarchy is not None


class Reading(NamedTuple):
    """Some groups that have one target: its tree, the groups, and the rows that they publish."""

    tree: Tree
    groups: Rows
    rows: Rows


class Coarse:
    """The published nodes of a release with a target, by group.

    Parameters
    ----------
    release
        A release for which `shows_target` holds.
    """

    def __init__(self, release: SplitRelease) -> None:
        self.column = release.schema.sensitive[0]
        self.owner = release.labels.sensitive
        self.sizes = np.bincount(self.owner, minlength=len(release.sizes))
        self._names = release.labels.names
        self._told = release.parameters["hierarchy"]
        self.hierarchy: Hierarchy = self.column.hierarchy  # type: ignore[assignment]
        self.tree = tree_of(self.hierarchy, numeric=False)
        self.nodes = _nodes(release.sensitive[self.column.name], self.tree)

    def readings(self, groups: Rows) -> Iterator[Reading]:
        """Some groups by their target, with the rows that each publishes."""
        if not isinstance(self._told, Mapping):
            yield Reading(self.tree, groups, self._rows(groups))
            return
        for group in groups.tolist():
            weights = self._told.get(text(self._names[group]), self.hierarchy.weights)
            tree = tree_of(Hierarchy(self.hierarchy.levels, weights), numeric=False)
            one = np.array([group], np.intp)
            yield Reading(tree, one, self._rows(one))

    def _rows(self, groups: Rows) -> Rows:
        there = np.zeros(len(self.sizes), np.bool_)
        there[groups] = True
        return np.flatnonzero(there[self.owner])

    def amounts(self, reading: Reading, chances: Floats) -> Floats:
        """The chance of each published node for somebody with a chance to be in each group."""
        by_group = np.zeros(len(self.sizes))
        by_group[reading.groups] = chances / self.sizes[reading.groups]
        rows = reading.rows
        found = np.bincount(self.nodes[rows], by_group[self.owner[rows]], len(self.tree.names))
        return np.asarray(found, np.float64)

    def chances(self, groups: Rows, weights: Floats, by: Floats | None = None) -> Floats:
        """The chance of each value for somebody in some groups.

        Nodes are read by their target, or by other weights of the values.
        """
        found = np.zeros(len(self.tree.leaves))
        at = np.zeros(len(self.sizes))
        at[groups] = weights
        for part in self.readings(groups):
            read_by = target_shares(part.tree) if by is None else by
            found += believed_shares(part.tree, self.amounts(part, at[part.groups]), read_by)
        return found

    def target(self, groups: Rows, weights: Floats) -> Floats:
        """The target of somebody in some groups."""
        if not isinstance(self._told, Mapping):
            return target_shares(self.tree)
        found = np.zeros(len(self.tree.leaves))
        for part, weight in zip(self.readings(groups), weights.tolist(), strict=True):
            found += weight * target_shares(part.tree)
        return found


def _nodes(cells: pd.Series[Any], tree: Tree) -> Rows:
    """The number of each published node; what is missing may be anything, as the root."""
    codes, found = pd.factorize(cells)
    names = list(map(text, found))
    strange = [name for name in names if name not in tree.numbers]
    if strange:
        raise SchemaError(
            f"The published values {listed(strange)} of {cells.name!r} are no nodes of the target "
            "that was published with them; ask who published this for a table that is whole."
        )
    numbers = np.array([*(tree.numbers[name] for name in names), tree.root], np.intp)
    return np.asarray(numbers[codes])
