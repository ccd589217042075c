"""Cutting groups in two at medians: Mondrian, and the same with diversity by entropy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from verikit._support.arrays import Codes, Flags, Floats, Rows
from verikit._support.requests import flag, whole
from verikit._support.seed import checked_seed, generator
from verikit.errors import InfeasibleError, SchemaError
from verikit.partition._partition import (
    CodedValues,
    Partition,
    RefusedCut,
    partitioner,
    value_codes,
)
from verikit.partition._requirement import Judge, Requirements, describe_hidden, list_requirements
from verikit.ranks.spread import equally_frequent
from verikit.table import Column, Microdata, Missing, refuse_missing, require_table


class Boxes(NamedTuple):
    """The groups of one round: their records side by side, one column of cells a record."""

    cells: Codes
    starts: Rows
    sizes: Rows
    widths: Floats
    judge: Judge


Rule: TypeAlias = Callable[[Boxes], Flags]


@partitioner(resists="repetition")
def mondrian(
    data: Microdata,
    *,
    k: int | None = None,
    requirement: Requirements | None = None,
    relaxed: bool = False,
    missing: Missing = "refuse",
    seed: int | None = None,
) -> Partition:
    """Cut groups in two at the median of their widest column, as long as both parts are safe.

    Parameters
    ----------
    data
        The records. Numbers are cut by their size, categories in the order of their hierarchy
        from left to right, in their declared order, or by name.
    k, requirement
        The size that every group must reach, or what else it must meet: one
        `verikit.models.Requirement` or several.
    relaxed
        Whether records of the same value may be cut apart. Then both parts differ by one record
        at most, and no group of different records is larger than 2k - 1. By default equal values
        stay together.
    missing
        ``"refuse"``, or ``"own value"``: missing counts as a value far beyond all others.
    seed
        The randomness; needed only if ``relaxed``, where equal records may be cut apart.

    Returns
    -------
    Partition
        The groups, numbered from the lower to the upper parts of the cuts.

    Raises
    ------
    SchemaError
        If there is no record or quasi-identifier, or a value is missing.
    RecordError
        If k is no whole number from 1 up, or the seed none where one is needed.
    InfeasibleError
        If k is more than there are records, or not even all records together meet what is
        required; the message names the best that can be reached.

    Notes
    -----
    Of whatever is required, both parts of a cut must meet it, so what not all records together
    meet, no groups of them do. t-closeness is reached for every t, if need be in one group. A
    requirement on sensitive values has cuts depend on who has which, so that somebody who repeats
    the method can rule out values; the groups are then named "mondrian by requirement".

    The paper leaves the rule to the reader. Here the widest column is the one whose values in the
    group span the largest share of the table's; at equal width it is the first. A strict cut puts
    the values up to the lower median on one side; if a part would fall below k, the next widest
    column is tried. The relaxed cut assigns the records at the median in the order of their
    quasi-identifiers and breaks ties at random: in the order of all values the groups would tell
    who has which sensitive value, and the order of the rows must not matter. All groups of a round
    are cut at the same time, O(n log n) a round.

    References
    ----------
    [KS]_ section 2.5

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("ks_table5_qit")
    >>> mondrian(data, k=2)
    Partition(9 records in 4 groups; method mondrian)
    >>> [data.scores("Age")[group].tolist() for group in mondrian(data, k=4).groups()]
    [[23.0, 29.0, 32.0, 33.0, 48.0], [60.0, 65.0, 50.0, 52.0]]
    """
    columns = require_table(data, "mondrian").schema.quasi
    if not columns:
        raise SchemaError(
            "The table has no quasi-identifier to cut; declare at least one column 'quasi'."
        )
    judge = Judge.of(data, list_requirements(k, requirement), missing, "mondrian")
    judge.refuse_unreachable()
    refuse_missing(data, columns, missing)
    coded = [value_codes(data, column.name) for column in columns]
    scales = [_scale_values(column, part) for column, part in zip(columns, coded, strict=True)]
    most = np.min_scalar_type(max(len(part.values) for part in coded))
    if seed is not None:
        checked_seed(seed)
    order = _order_records(data, seed) if flag(relaxed, "relaxed") else np.arange(len(data))
    cells = np.array([part.codes[order] for part in coded], most)
    labels = np.empty(len(data), np.intp)
    rule = _cut_in_halves if relaxed else _cut_at_medians
    order, begins = _cut_rounds(cells, scales, judge.take(order), order, rule)
    labels[order] = np.cumsum(begins) - 1
    parameters = {"k": judge.k or 1, "relaxed": bool(relaxed)}
    parameters |= describe_hidden(data, judge.requirements)
    return Partition(labels, "mondrian by requirement" if judge.hidden else "mondrian", parameters)


def _order_records(data: Microdata, seed: object) -> Rows:
    """Order the records by their quasi-identifiers, equal ones at random."""
    drawn = np.empty(len(data), np.intp)
    drawn[data.canonical_order()] = generator(seed).permutation(len(data))
    return data.only(*(column.name for column in data.schema.quasi)).canonical_order(drawn)


def _scale_values(column: Column, part: CodedValues) -> Floats:
    """Scale each value between the least (0) and the greatest (1); a missing one is 2."""
    known = [value for value in part.values if value is not None]
    places = np.arange(len(known), dtype=np.float64)
    if column.kind == "numeric":
        places = np.array(known, np.float64)
        places /= 4 if np.abs(places).max(initial=0) > 1e307 else 1  # whose span no float holds
    span = float(places[-1] - places[0]) if known else 0.0
    scale = (places - places[0]) / span if span > 0 else np.zeros(len(known))
    return np.append(scale, [2.0] * (len(part.values) - len(known)))


def _cut_rounds(
    cells: Codes, scales: list[Floats], judge: Judge, rows: Rows, rule: Rule
) -> tuple[Rows, Flags]:
    """Cut all groups of a round at once until none can be cut; groups lie side by side."""
    order, k = rows.copy(), judge.k or 1
    begins = np.zeros(len(rows), np.bool_)
    begins[0] = True
    lows, sizes = np.zeros(1, np.intp), np.array([len(rows)])
    while len(lows) and sizes[0] >= 2 * k:
        starts = np.cumsum(sizes) - sizes
        widths = [
            scale[np.maximum.reduceat(row, starts)] - scale[np.minimum.reduceat(row, starts)]
            for row, scale in zip(cells, scales, strict=True)
        ]
        boxes = Boxes(cells, starts, sizes, np.array(widths), judge)
        left = rule(boxes)
        counts = np.add.reduceat(left, boxes.starts, dtype=np.intp)
        # the records in their order, but in each group those on the left before the others
        total = np.cumsum(left, dtype=np.intp)
        before = total[boxes.starts] - left[boxes.starts]
        lefts: Rows = total + np.repeat(boxes.starts - before, boxes.sizes)
        rights: Rows = np.arange(1, len(left) + 1) + np.repeat(before + counts, boxes.sizes) - total
        apart = np.empty(len(left), np.intp)
        apart[np.where(left, lefts, rights) - 1] = np.arange(len(left))
        order[_places_of_runs(lows, sizes)] = rows[apart]
        cut = counts > 0
        begins[(lows + counts)[cut]] = True
        lows = np.column_stack([lows, lows + counts]).ravel()
        sizes = np.column_stack([counts, sizes - counts]).ravel()
        open_ = (sizes >= 2 * k) & np.repeat(cut, 2)
        apart = apart[np.repeat(open_, sizes)]
        lows, sizes, rows, cells = lows[open_], sizes[open_], rows[apart], cells.take(apart, axis=1)
        judge = judge.take(apart)
    return order, begins


def _places_of_runs(starts: Rows, sizes: Rows) -> Rows:
    """List the places of several runs, one after the other."""
    shifts = starts - (np.cumsum(sizes) - sizes)
    return np.repeat(shifts, sizes) + np.arange(sizes.sum())


def _are_safe(boxes: Boxes, left: Flags, places: Rows, sizes: Rows) -> Flags:
    """Tell of each group of some records whether both parts of its cut meet what is required."""
    k, starts = boxes.judge.k or 1, np.cumsum(sizes) - sizes
    counts = np.add.reduceat(left, starts, dtype=np.intp)
    safe = (counts >= k) & (sizes - counts >= k)
    if boxes.judge.hidden:
        parts = 2 * np.repeat(np.arange(len(sizes)), sizes) + left
        _, met = boxes.judge.take(places).judge(parts, 2 * len(sizes))
        safe &= met.reshape(-1, 2).all(axis=1)
    return safe


def _cut_at_medians(boxes: Boxes) -> Flags:
    """Cut off the records up to the lower median of the widest column that leaves both safe."""
    left = np.zeros(boxes.cells.shape[1], np.bool_)
    groups = np.arange(len(boxes.sizes))
    for column in np.argsort(-boxes.widths, axis=0, kind="stable"):
        groups = groups[boxes.widths[column[groups], groups] > 0]
        if not len(groups):
            break
        sizes = boxes.sizes[groups]
        places = _places_of_runs(boxes.starts[groups], sizes)
        keys = _sort_keys(boxes, column[groups], sizes, places)
        starts = np.cumsum(sizes) - sizes
        medians = np.sort(keys)[starts + (sizes - 1) // 2]
        lower = keys <= np.repeat(medians, sizes)
        good = _are_safe(boxes, lower, places, sizes)
        left[places] = lower & np.repeat(good, sizes)
        groups = groups[~good]
    return left


def _cut_in_halves(boxes: Boxes) -> Flags:
    """Cut off the first half of the records of each group in the order of its widest column."""
    groups = np.flatnonzero(boxes.widths.max(axis=0) > 0)
    sizes = boxes.sizes[groups]
    places = _places_of_runs(boxes.starts[groups], sizes)
    keys = _sort_keys(boxes, boxes.widths.argmax(axis=0)[groups], sizes, places)
    first = np.repeat((sizes + 1) // 2 + np.cumsum(sizes) - sizes, sizes) > np.arange(sizes.sum())
    left = np.zeros(boxes.cells.shape[1], np.bool_)
    left[places[np.argsort(keys, kind="stable")]] = first
    if len(groups):
        left[places] &= np.repeat(_are_safe(boxes, left[places], places, sizes), sizes)
    return left


def _sort_keys(boxes: Boxes, columns: Rows, sizes: Rows, places: Rows) -> Rows:
    """Make numbers that sort records by group, and in it by the group's column."""
    span = int(boxes.cells.max()) + 1
    width = boxes.cells.shape[1]
    cells = boxes.cells.ravel().take(np.repeat(columns * width, sizes) + places)
    keys: Rows = np.repeat(np.arange(len(sizes)) * span, sizes) + cells
    return keys


def find_refused_cuts(
    data: Microdata, labels: Rows, held: Rows, parameters: Mapping[str, Any]
) -> list[RefusedCut]:
    """Find the cuts that `entropy_diverse` must have refused to leave these groups.

    A cut between whole groups is judged by their values, which are published, and the first good
    one was made. A cut through a group was not made, so it was refused if its turn came.

    Raises
    ------
    SchemaError
        If the method never leaves these groups, whoever has which value.
    """
    ell = int(parameters["ell"])
    cells = np.array([value_codes(data, column.name).codes for column in data.schema.quasi])
    spans = np.maximum(cells.max(axis=1), 1)
    waiting, refused = [np.arange(cells.shape[1])], []
    while waiting:
        rows = waiting.pop()
        for lower in _list_cuts(cells[:, rows], spans):
            sides = rows[lower], rows[~lower]
            low, up = (np.unique(labels[side]) for side in sides)
            if len(np.intersect1d(low, up)):
                refused.append(RefusedCut(*sides, lambda low, up: ~_are_diverse(low, up, ell)))
            elif _are_diverse(held[low].sum(axis=0), held[up].sum(axis=0), ell):
                waiting += sides
                break
        else:
            if len(np.unique(labels[rows])) > 1:
                raise SchemaError(
                    "The published method, entropy_diverse, never makes the published groups from "
                    "the published columns; its name or its parameters are not those used."
                )
    return refused


@partitioner(refused=find_refused_cuts)
def entropy_diverse(
    data: Microdata, *, ell: int, sensitive: str | None = None, missing: Missing = "refuse"
) -> Partition:
    """Cut groups in two at the median of their widest column, as long as both stay diverse.

    A group is diverse if its sensitive values are as evenly spread as ``ell`` equally frequent
    ones: the exponential of their entropy is ``ell`` or more.

    Parameters
    ----------
    data
        The records. Numbers are cut by their size, categories in their declared order or by name.
    ell
        How many equally frequent values each group must amount to at least.
    sensitive
        The column whose values are mixed; needed only if several are sensitive.
    missing
        ``"refuse"``, or ``"own value"``: missing counts as a value after all others.

    Returns
    -------
    Partition
        The groups, numbered from the lower to the upper parts of the cuts.

    Raises
    ------
    InfeasibleError
        If not even all records together are so diverse; the message names the largest ``ell``.
    SchemaError
        If there is no record, no quasi-identifier, no one sensitive column, or a missing value.
    RecordError
        If ``ell`` is no whole number from 1 up.

    Notes
    -----
    The paper names no algorithm; this is Mondrian's with another condition. The widest column is
    the one whose values in the group span the largest share of its different values; at equal
    width it is the first. Equal values stay together. O(n m) a level of cuts.
    Whether a cut is made depends on who has which value, so that somebody who repeats the method
    can rule out values that a group leaves, at times all but one
    (`verikit.intruder.repeated_partition`). `anatomy` tells him nothing.

    References
    ----------
    [YQ]_ Definition 5, section 7.2.2

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("yq_figure1")
    >>> groups = entropy_diverse(data, ell=2)
    >>> release, key = vk.mask.generalize(data, partition=groups, seed=7)
    >>> vk.models.entropy_diversity(release, ell=2).met
    True
    """
    columns = require_table(data, "entropy_diverse").schema.quasi
    if not columns:
        raise SchemaError(
            "The table has no quasi-identifier to cut; declare at least one column 'quasi'."
        )
    least, name = whole(ell, "ell"), data.schema.find_sensitive(sensitive)
    if not len(data):
        raise SchemaError("The table has no records, so there is nothing to group.")
    refuse_missing(data, (*columns, data.schema[name]), missing)
    hidden = value_codes(data, name).codes
    most = float(_count_effective_values(np.bincount(hidden)))
    if most < least:
        raise InfeasibleError(
            f"ell was given as {least}, but the values of {name!r} in all {len(data)} records are "
            f"as diverse as {most:.2f} equally frequent ones; the largest ell that can be reached "
            f"is {int(most)}.",
            field="ell",
            value=least,
        )
    cells = np.array([value_codes(data, column.name).codes for column in columns])
    labels = np.empty(len(data), np.intp)
    for group, rows in enumerate(_cut_groups(cells, hidden, least)):
        labels[rows] = group
    return Partition(labels, "entropy_diverse", {"ell": least, "sensitive": name})


def _cut_groups(cells: Rows, hidden: Rows, ell: int) -> list[Rows]:
    """Cut until no group can be cut; give them from the lower to the upper parts of the cuts."""
    spans = np.maximum(cells.max(axis=1), 1)
    waiting, done = [np.arange(cells.shape[1])], []
    while waiting:
        rows = waiting.pop()
        left = _find_cut(cells[:, rows], hidden[rows], ell, spans)
        if left is None:
            done.append(rows)
        else:
            waiting += [rows[~left], rows[left]]
    return done


def _find_cut(cells: Rows, hidden: Rows, ell: int, spans: Rows) -> Flags | None:
    """Find the lower part of the first cut that leaves both parts diverse; None where none does."""
    values = int(hidden.max()) + 1
    for left in _list_cuts(cells, spans):
        lower, upper = (np.bincount(hidden[part], minlength=values) for part in (left, ~left))
        if _are_diverse(lower, upper, ell):
            return left
    return None


def _list_cuts(cells: Rows, spans: Rows) -> Iterator[Flags]:
    """List the lower parts to try: of the widest column first, up to its median, then below it."""
    widths = (cells.max(axis=1) - cells.min(axis=1)) / spans
    for column in np.argsort(-widths, kind="stable"):
        values = cells[column]
        median = np.partition(values, (len(values) - 1) // 2)[(len(values) - 1) // 2]
        yield values <= median
        yield values < median


def _are_diverse(lower: Rows, upper: Rows, ell: int) -> Flags:
    """Tell whether two parts are both diverse, by how many records of each have each value."""
    return (_count_effective_values(lower) >= ell) & (_count_effective_values(upper) >= ell)


def _count_effective_values(counts: Rows) -> Floats:
    """Count the equally frequent values that counts amount to; a whole number if nearly so."""
    records, held = np.maximum(counts.sum(axis=-1), 1), np.maximum(counts, 1)
    found = equally_frequent(np.log(records) - (held * np.log(held)).sum(axis=-1) / records)
    return np.where(counts.sum(axis=-1) > 0, found, 0.0)
