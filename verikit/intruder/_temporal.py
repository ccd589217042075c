"""Temporal: what changed between two releases is about the people who came or left."""

from __future__ import annotations

import numpy as np
import pandas as pd

from verikit._support.arrays import Ints
from verikit.alike import Classes, Meetings, grouped, sensitive_name, written
from verikit.errors import SchemaError
from verikit.intruder._disclosure import Disclosure
from verikit.intruder._given import refuse_other
from verikit.intruder._overlap import overlaps
from verikit.release import TableRelease
from verikit.words import count

__all__ = ["temporal"]

LINE = ("region", "change", "records", "value", "confidence", "before")
MOST_NAMES = 3


def temporal(
    before: TableRelease, after: TableRelease, *, sensitive: str | None = None
) -> Disclosure:
    """Subtract an earlier release from a later one: what is left belongs to newcomers.

    The attacker knows that his target came, or left, between the two releases. Classes that
    overlap, directly or through others, hold the same people; there the sensitive values that
    became more frequent are those of newcomers, and the others those of people who left.

    Parameters
    ----------
    before, after
        What was published at two times.
    sensitive
        The sensitive column; the one with that role where there is just one.

    Returns
    -------
    Disclosure
        For each group of overlapping classes that changed: ``who``, as the later classes name
        them (the earlier where no later one is left); the ``change``, came or left; how many
        ``records``; the ``value``; its share of the change as confidence, and its share of the
        group's records before the subtraction.

    Raises
    ------
    SchemaError
        If the releases share no quasi-identifier, or not the sensitive column.
    InfeasibleError
        If there are too many different classes to compare.

    References
    ----------
    [KS]_ section 3.3

    Notes
    -----
    The survey describes the attack in words only. Where one person left and another with the same
    value came, the two cancel: the confidence holds if people only came, or only left.

    Examples
    --------
    Everybody hides among three, and then a fourth comes:

    >>> import pandas as pd
    >>> import verikit as vk
    >>> frame = pd.DataFrame({"Zip": ["476**"] * 4, "Ill": ["flu", "ulcer", "flu", "angina"]})
    >>> schema = vk.Schema.guess(frame, Ill="sensitive")
    >>> temporal(vk.TableRelease.of(frame.head(3), schema), vk.TableRelease.of(frame, schema))
    temporal: 1 came and 0 left between the releases; Ill is certain for 1 of them, first angina
    for Zip 476**, who came.
    """
    refuse_other("temporal", before, after, kinds=(TableRelease,))
    name = _same_sensitive(before, after, sensitive)
    names = [c.name for c in before.schema.quasi if c.name in after.schema.names]
    if not names or not len(before) or not len(after):
        raise SchemaError(
            "Two releases can be compared if both hold records and share a quasi-identifier; they "
            f"hold {len(before)} and {len(after)} records and share {len(names)}."
        )
    classes = grouped(before.frame[names]), grouped(after.frame[names])
    cells = classes[0].cells(), classes[1].cells()
    regions = _regions(overlaps(*cells, names, (before.schema, after.schema)))
    counts = [
        pd.crosstab(region[part.labels], release.frame[name].map(written).astype(str).to_numpy())
        for region, part, release in zip(regions, classes, (before, after), strict=True)
    ]
    frame = _changes(*counts)
    frame.insert(0, "who", [_who(region, classes, regions) for region in frame.pop("region")])
    people = int(frame["records"].sum())
    left = int(frame["records"][frame["change"] == "left"].sum())
    return Disclosure("temporal", _words(frame, name), frame, people, len(after) + left)


def _same_sensitive(before: TableRelease, after: TableRelease, sensitive: str | None) -> str:
    name = sensitive_name(before.schema, sensitive)
    if name not in after.schema.names:
        raise SchemaError(
            f"The earlier release shows {name!r}, the later one does not; nothing can be "
            "subtracted."
        )
    return name


def _regions(meets: Meetings) -> tuple[Ints, Ints]:
    """Number the groups of classes that overlap, directly or through others."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    rows, columns = meets.pairs()
    size = sum(meets.shape)
    ones = np.ones(len(rows), bool)
    table = coo_array((ones, (rows, columns + meets.shape[0])), shape=(size, size))
    found = connected_components(table, directed=False)[1]
    both = np.concatenate([found[meets.first], found[meets.shape[0] + meets.second]])
    names, firsts, places = np.unique(both, return_index=True, return_inverse=True)
    numbers = np.empty(len(names), np.int64)
    numbers[np.argsort(firsts)] = np.arange(len(names))
    regions = numbers[places]
    return regions[: len(meets.first)], regions[len(meets.first) :]


def _changes(before: pd.DataFrame, after: pd.DataFrame) -> pd.DataFrame:
    """One line for each region and value that became more, or less, frequent."""
    net = after.sub(before, fill_value=0).fillna(0)
    lines = []
    for change, part, whole in (("came", net, after), ("left", -net, before)):
        more = part.clip(lower=0)
        for region, row in more.iterrows():
            held = whole.loc[region] if region in whole.index else row
            lines += [
                {
                    "region": region,
                    "change": change,
                    "records": int(count),
                    "value": value,
                    "confidence": count / row.sum(),
                    "before": held[value] / held.sum(),
                }
                for value, count in row.items()
                if count
            ]
    found = pd.DataFrame(lines, columns=LINE)
    return found.sort_values("confidence", ascending=False, kind="stable", ignore_index=True)


def _who(region: int, classes: tuple[Classes, Classes], regions: tuple[Ints, Ints]) -> str:
    """The classes of a region in words: the later ones, or the earlier where none is left."""
    at = 1 if (regions[1] == region).any() else 0
    numbers = np.flatnonzero(regions[at] == region)
    names = [classes[at].name(int(number)) for number in numbers[:MOST_NAMES]]
    rest = len(numbers) - MOST_NAMES
    return " or ".join(names) + (
        f" or {count(rest, 'more class', 'more classes')}" if rest > 0 else ""
    )


def _words(frame: pd.DataFrame, name: str) -> str:
    counts = frame.groupby("change")["records"].sum()
    came, left = (int(counts.get(change, 0)) for change in ("came", "left"))
    sure = frame[frame["confidence"] == 1]
    said = (
        f"{came:,} came and {left:,} left between the releases; {name} is certain for "
        f"{int(sure['records'].sum()):,} of them"
    )
    if len(sure):
        said += f", first {sure['value'].iloc[0]} for {sure['who'].iloc[0]}, who "
        said += str(sure["change"].iloc[0])
    return f"{said}."
