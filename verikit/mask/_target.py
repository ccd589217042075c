"""What masks with targets share: the sensitive column, its values on the tree, the two tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit.errors import SchemaError
from verikit.hierarchy import Hierarchy
from verikit.mask._splitting import places_within
from verikit.partition import Partition, value_codes
from verikit.release import GROUP, Key, Masked, SplitRelease
from verikit.table import Column, Microdata, Schema
from verikit.words import listed, text

__all__ = ["Published", "equal_people", "leaves_of", "one_sensitive", "published", "weights_of"]


def one_sensitive(data: Microdata, mask: str) -> Column:
    """The one sensitive column, beside a column that is not and will be released."""
    found = data.schema.sensitive
    others = [c for c in data.schema.released if c.role != "sensitive"]
    if len(found) == 1 and others:
        return found[0]
    raise SchemaError(
        f"mask.{mask} takes one sensitive column beside others; the table has {len(found)} "
        f"({listed(c.name for c in found) or 'none'}) and {len(others)} others to release, so "
        "declare roles, or mask sensitive columns one by one."
    )


def leaves_of(data: Microdata, column: Column, tree: Hierarchy) -> Rows:
    """The place of each record's value among the leaves of a tree, from left to right."""
    codes, values = value_codes(data, column.name)
    names = list(map(text, values))
    lacking = tree.missing(names)
    if lacking:
        raise SchemaError(
            f"The hierarchy of the target lacks {listed(lacking)}, which column "
            f"{column.name!r} holds; add each as a leaf."
        )
    return np.array([tree.span(name)[0] for name in names], np.intp)[codes]


def weights_of(target: Hierarchy) -> dict[str, Fraction]:
    """The share of each value in a target."""
    return {leaf: target.share(leaf) for leaf in target.levels}


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
    """The group and the published node of each record, and of each value that is nobody's."""

    groups: Rows
    nodes: Rows
    groups_added: Rows
    nodes_added: Rows


def published(
    data: Microdata,
    column: Column,
    targets: Sequence[Hierarchy],
    found: Published,
    told: Mapping[str, Any],
    rng: np.random.Generator,
) -> Masked:
    """Put the nodes beside the other columns, joined by groups whose numbers say nothing.

    One target becomes that of the column; of several each group's weights are told.
    """
    tree = targets[0] if len(targets) == 1 else Hierarchy(targets[0].levels)
    schema = Schema(
        tuple(
            replace(c, hierarchy=tree) if c.name == column.name else c for c in data.schema.released
        )
    )
    numbers = 1 + rng.permutation(int(found.groups.max()) + 1)
    target: Any = "the weights of the column"
    if len(targets) > 1:
        target = {n: weights_of(t) for n, t in zip(numbers.tolist(), targets, strict=True)}
    groups = numbers[found.groups]
    every = np.concatenate([groups, numbers[found.groups_added]])
    known, hidden = places_within(groups, rng), places_within(every, rng)
    nodes = np.empty(len(every), np.intp)
    nodes[hidden] = np.concatenate([found.nodes, found.nodes_added])
    rows = np.argsort(known)
    quasi = {c.name: data.frame[c.name].take(rows).array for c in schema if c.role != "sensitive"}
    release = SplitRelease(
        pd.DataFrame({**quasi, GROUP: groups[rows]}),
        pd.DataFrame({GROUP: np.sort(every), column.name: _cells(tree, column, nodes)}),
        schema,
        parameters={"hierarchy": target, **told},
        promise="covers",
    )
    places = {c.name: hidden[: len(data)] if c.name == column.name else known for c in schema}
    return Masked(release, Key({"": known, **places}))


def _cells(tree: Hierarchy, column: Column, nodes: Rows) -> Any:
    """The names of the nodes; numbers where all of them are single numbers."""
    names: Sequence[str] = tree._shape.names
    numbers = np.flatnonzero(np.bincount(nodes, minlength=len(names)))
    places = np.zeros(len(names), np.intp)
    places[numbers] = np.arange(len(numbers))
    codes, used = places[nodes], [names[node] for node in numbers.tolist()]
    if column.kind == "numeric" and all(name in tree.levels for name in used):
        return np.array([float(name) for name in used])[codes]
    return pd.Categorical.from_codes(codes, categories=used)
