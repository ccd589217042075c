"""Partitions by sensitive values: anatomy, and diverse, which halves the table (LHCC, QZ)."""

from __future__ import annotations

import heapq
import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from verikit._support.arrays import AnyInts, Floats, Rows
from verikit._support.compiled import compiled, has_numba
from verikit._support.requests import one_of, whole
from verikit._support.seed import generator
from verikit.errors import InfeasibleError, RecordError, SchemaError
from verikit.partition._halving_chances import MOST_RECORDS, weigh_worlds
from verikit.partition._levels import group_by_levels
from verikit.partition._mondrian import mondrian
from verikit.partition._partition import (
    Partition,
    Request,
    check_request,
    partitioner,
)
from verikit.partition._requirement import Judge, Requirements, describe_hidden, list_requirements
from verikit.partition._several_columns import check_several, deal_several
from verikit.table import Column, Microdata, Missing, refuse_missing
from verikit.words import count

LOTS = 2**20
MAX_TRIES = 10_000  # more would not end on a large table


@partitioner(resists="repetition")
def anatomy(
    data: Microdata,
    *,
    ell: int | str,
    alike: int | None = None,
    sensitive: str | None = None,
    missing: Missing = "refuse",
    seed: int,
) -> Partition:
    """Group records so that each group holds at least ``ell`` sensitive values, once each.

    Records with the same sensitive value form a bucket. While ``ell`` buckets hold records, a new
    group takes one at random from each of the ``ell`` fullest. Fewer than ``ell`` records remain;
    each joins a random group that does not hold its value yet. What else is known of the records
    plays no part, or only to cut the table in parts of alike records first.

    Parameters
    ----------
    data
        The records.
    ell
        How many different sensitive values a group must hold at least; or the column that holds
        what each record asks of its own group (see `diverse`).
    alike
        Of how many records the parts must be at least that `mondrian` cuts by the known columns, to
        deal the values inside each; one part of all records where none is given.
    sensitive
        The column whose values are mixed; needed only if several are sensitive.
    missing
        Whether a missing sensitive value is refused or counts as a value of its own; so does any
        missing value if ``alike`` is given.
    seed
        The randomness.

    Returns
    -------
    Partition
        Groups of ``ell`` records, and of one more for each record left over, if all fall into
        different groups; the number left over is its ``residue``.

    Raises
    ------
    InfeasibleError
        If one value fills more than one in ``ell`` records, of the table or of a part; the message
        names the largest ``ell``.
    SchemaError
        If there is no record, no one sensitive column, or a missing value in it.
    RecordError
        If ``ell`` or ``alike`` is no whole number from 1 up.

    References
    ----------
    [LHCC]_ section 1, Table 3; Xiao and Tao 2006 as cited there

    Notes
    -----
    Equally full buckets are taken by lot. In the order of their values neighbouring values would
    share a group again and again: a neighbour would learn an ordered value nearly as it is, and
    questions about ranges would be answered better than anatomy can. O(n log v) for v values.

    Who repeats the method learns no more than the groups tell: a part is cut without a look at the
    sensitive values, and inside it they are dealt without a look at anything else. ``alike`` is our
    own; it makes groups of alike people, which answer questions more closely, as `diverse` does.
    It is published, so choose it before you try: one taken because a smaller one failed tells that
    it failed.

    Examples
    --------
    >>> import verikit as vk
    >>> anatomy(vk.load("lhcc_table1"), ell=4, seed=1)
    Partition(9 records in 2 groups, 1 of them left over and added; method anatomy)
    """
    if isinstance(ell, str):
        more = {"alike": alike, "missing": missing}
        return group_by_levels(anatomy, data, ell, sensitive, more, seed)
    request = check_request(data, ell, sensitive, missing, "anatomy")
    rng = generator(seed)
    order = rng.permutation(data.canonical_order())
    parts = np.zeros(len(order), np.intp)
    if alike is not None:
        drawn = int(rng.integers(2**63))
        parts = mondrian(data, k=alike, relaxed=True, missing=missing, seed=drawn).labels
    labels, groups, left = np.empty(len(order), np.intp), 0, 0
    order = order[np.argsort(parts[order], kind="stable")]
    for rows in np.split(order, np.cumsum(np.bincount(parts))[:-1]):
        found = deal_buckets(request, request.codes[rows], rng)
        labels[rows] = groups + found
        groups += len(rows) // request.ell
        left += len(rows) % request.ell
    parameters = {
        "ell": request.ell,
        "alike": None if alike is None else int(alike),
        "sensitive": request.name,
    }
    return Partition(labels, "anatomy", parameters, left)


def deal_buckets(request: Request, codes: Rows, rng: np.random.Generator) -> Rows:
    """The group of each record of a part, given their values in random order."""
    counts = np.bincount(codes, minlength=request.values)
    if counts.max() * request.ell > len(codes):
        raise InfeasibleError(
            f"ell was given as {request.ell}, but {counts.max()} of {len(codes)} alike records have"
            f" the same {request.name!r}; give a much larger alike, or leave it out.",
            field="ell",
            value=request.ell,
        )
    order = np.argsort(codes, kind="stable")
    chosen = schedule_buckets(counts, request.ell, rng)
    labels = np.full(len(order), -1, np.intp)
    taken = np.bincount(chosen, minlength=len(counts))
    starts = np.cumsum(counts) - counts
    inside = np.arange(len(order)) - np.repeat(starts, counts) < np.repeat(taken, counts)
    labels[order[inside]] = np.argsort(chosen, kind="stable") // request.ell
    groups = np.sort(chosen.reshape(-1, request.ell), axis=1)
    for row in order[~inside]:
        free = np.flatnonzero((groups != codes[row]).all(axis=1))
        labels[row] = rng.choice(free)
    return labels


def schedule_buckets(counts: Rows, ell: int, rng: np.random.Generator) -> Rows:
    """The buckets that the groups take from, ``ell`` for each group in the order of the groups.

    An entry of the heap is the size of a bucket, then its lot, then its number, in one integer.

    Examples
    --------
    >>> schedule_buckets(np.array([3, 2, 0, 1]), 3, generator(1)).tolist()
    [0, 1, 3]
    """
    buckets = len(counts)
    size = LOTS * buckets
    lots = iter(rng.integers(LOTS, size=int(counts.sum()) + buckets).tolist())
    heap = [next(lots) * buckets + b - int(n) * size for b, n in enumerate(counts) if n]
    heapq.heapify(heap)
    chosen: list[int] = []
    while len(heap) >= ell:
        fullest = [heapq.heappop(heap) for _ in range(ell)]
        chosen += [entry % buckets for entry in fullest]
        for entry in fullest:
            left = entry // size + 1
            if left:
                heapq.heappush(heap, left * size + next(lots) * buckets + entry % buckets)
    return np.array(chosen, dtype=np.intp)


def weigh_groups(
    known: Microdata, labels: Rows, asked: Mapping[str, Any]
) -> Callable[[Sequence[int]], float] | None:
    """Give what tells how often `diverse` makes some groups; of few records and one column only."""
    told = isinstance(asked.get("ell"), int) and isinstance(asked.get("sensitive"), str)
    corners: Any = asked.get("corners")
    if not told or corners not in get_args(Corners) or len(labels) > MOST_RECORDS:
        return None
    nothing = Request(int(asked["ell"]), "", np.zeros(len(labels), np.intp), 1)
    task = make_task(known, nothing, "own value")

    def find_ends(rows: Rows) -> Rows:
        return _find_corners(task, rows, np.array([len(rows)]), corners)[0]

    groups = [frozenset(np.flatnonzero(labels == at).tolist()) for at in range(labels.max() + 1)]
    return weigh_worlds(task, find_ends, groups, asked)


@partitioner(weigh=weigh_groups)
def diverse(  # noqa: PLR0913 - one question, in a short form or a long one
    data: Microdata,
    *,
    ell: int | str | None = None,
    requirement: Requirements | None = None,
    tries: int = 5,
    corners: Corners = "part",
    sensitive: str | Sequence[str] | None = None,
    missing: Missing = "refuse",
    seed: int,
) -> Partition:
    """Group alike records so that no sensitive value fills more than one in ``ell`` of a group.

    The table is halved again and again: each record goes to the half whose certainty penalty it
    raises less, and a cut is kept if both halves can still be made diverse. Then the records of
    each part, sorted by sensitive value, are dealt out in turn to groups of ``ell`` to
    ``2 * ell - 1`` records, in which no value occurs twice.

    Parameters
    ----------
    data
        The records.
    ell
        How many different sensitive values a group must hold at least; or the column that holds
        what each record asks of its own group, whole numbers from 1 up.
    requirement
        What every group must meet instead: one `verikit.models.Requirement` or several.
    tries
        How many random orders of its records are tried to halve a part.
    corners
        A part is halved by growing its halves from two artificial records, at opposite corners
        of the ``"part"`` itself or of the whole ``"table"``.
    sensitive
        The column whose values are mixed, or several; needed only if several are sensitive. Where
        all columns are sensitive, each is mixed by default, and alike are those alike in them.
    missing
        Whether a missing category is refused or counts as a value of its own.
    seed
        The randomness.

    Returns
    -------
    Partition
        The groups.

    Raises
    ------
    InfeasibleError
        If one value fills more than one in ``ell`` records; the message names the largest ``ell``.
        If no groups give each record the level it asks for, or none meet what is required.
    SchemaError
        If there is no record, no one sensitive column, or a value is missing.
    RecordError
        If ``ell`` is no whole number from 1 up, ``tries`` none from 1 to 10,000, or there are no
        such corners.

    References
    ----------
    [LHCC]_ Algorithms 1 and 2, Theorem 3; section 2.2 (all columns sensitive); section 6 (levels)

    Notes
    -----
    Read with corrections: a table is refused only if a value fills *more* than its share; the
    number of groups is rounded down; an empty half is a failed try; the two artificial records
    count in the penalty but not in the test; since dealing never leaves a group of ``2 * ell``,
    none is split at random. Penalties are compared as whole numbers, so ties are true ties and
    go to the second half. Numbers that are not whole are placed on a fine grid for this.
    "The corresponding domains" of the artificial records may be the part's or the table's. With
    its own corners halving goes on until the parts are small, as the paper reports; with the
    table's a large part often stays whole, and groups are much less alike. Its own take longer,
    for 30,000 records by about two thirds. O(n log n) on average; with numba, tables of 50,000
    records and more are compiled. Whether a cut is kept depends on the sensitive values too, so
    that somebody who repeats the method can rule out some of the links that a group leaves.
    `anatomy` with ``alike`` tells him nothing.

    A ``requirement`` is our own: a cut is kept if both halves meet it, and the parts are the
    groups, as dealing by value would leave none t-close. Its columns are those that it names.

    Levels by record and several mixed columns are our own reading of what the paper leaves open. A
    record's level is kept if no value fills more than one in so many of its group (Definition 2).
    As few records as possible are put among such as ask for more than they do, which of them is
    left to chance, and each level is grouped by itself: the groups tell who asks for much, and
    whoever knows why people do learns from that. With several columns the records of a part are
    dealt in random order, each to one of the smallest groups without its values; where some find
    none, there are fewer and larger groups, in the end the part itself.

    Examples
    --------
    >>> import verikit as vk
    >>> diverse(vk.load("lhcc_table1"), ell=4, seed=1)
    Partition(9 records in 2 groups; method diverse)
    """
    if isinstance(ell, str):
        more: dict[str, Any] = {"tries": tries, "corners": corners, "missing": missing}
        return group_by_levels(diverse, data, ell, sensitive, more, seed)
    tries = whole(tries, "tries", most=MAX_TRIES)
    one_of(corners, "corners", get_args(Corners))
    if requirement is not None:
        if (ell, sensitive) != (None, None):
            raise RecordError(
                "diverse takes either ell and sensitive, or a requirement, which names its column."
            )
        judge = Judge.of(data, list_requirements(None, requirement), missing, "diverse")
        judge.refuse_unreachable()
        return _halve_by_requirement(data, judge, tries, corners, missing, seed)
    request = check_several(data, ell, sensitive, missing)
    rng = generator(seed)
    order = data.canonical_order()
    codes = request.codes[order]
    parts = split_table(make_task(data, request, missing).take(order), tries, rng, corners)
    labels = np.empty(len(order), np.intp)
    deal = deal_records if codes.ndim == 1 else deal_several
    labels[order] = deal(parts, codes, request.ell, rng)
    parameters = {
        "ell": request.ell,
        "tries": tries,
        "corners": corners,
        "sensitive": request.name if codes.ndim == 1 else list(request.mixed),
    }
    return Partition(labels, "diverse", parameters)


def _halve_by_requirement(
    data: Microdata, judge: Judge, tries: int, corners: Corners, missing: Missing, seed: int
) -> Partition:
    """Halve the table as long as both halves meet what is required; the parts are the groups."""
    rng, order = generator(seed), data.canonical_order()
    nothing = Request(1, "", np.zeros(len(data), np.intp), 1)
    task, labels = make_task(data, nothing, missing).take(order), np.empty(len(data), np.intp)
    labels[order] = split_table(task, tries, rng, corners, judge.take(order))
    parameters = {"tries": tries, "corners": corners, **describe_hidden(data, judge.requirements)}
    return Partition(labels, "diverse by requirement", parameters)


def deal_records(parts: Rows, codes: Rows, ell: int, rng: np.random.Generator) -> Rows:
    """The group of each record: the records of each part in turn, sorted by value (Algorithm 1).

    Examples
    --------
    >>> deal_records(np.zeros(5, int), np.array([0, 0, 1, 1, 2]), 2, generator(1)).tolist()
    [0, 1, 0, 1, 0]
    """
    sizes = np.bincount(parts)
    groups = sizes // ell
    order = rng.permutation(len(parts))
    order = order[np.argsort((parts * (int(codes.max()) + 1) + codes)[order], kind="stable")]
    place = np.arange(len(parts)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    labels = np.empty(len(parts), np.intp)
    labels[order] = np.repeat(np.cumsum(groups) - groups, sizes) + place % np.repeat(groups, sizes)
    return labels


Corners: TypeAlias = Literal["table", "part"]

COMPILED_FROM = 50_000
FINEST_BITS = 40


class Task(NamedTuple):
    """Records in whole numbers, scaled so that every certainty penalty is a whole number too.

    Parameters
    ----------
    numbers
        The place of each record on each ordered attribute; every domain has the same width.
    kinds
        Its category on each nominal attribute; the categories of all attributes are numbered on.
    values
        Its sensitive values, one column each; those of all columns are numbered on.
    top
        The far end of each ordered domain, 0 being the near one.
    shares
        By nominal attribute what a category adds to the penalty; the second one counts twice.
    bounds
        Where the categories of each nominal attribute begin, and the end.
    distinct, ell
        How many sensitive values there are, and how many a group must hold.
    """

    numbers: Any
    kinds: Any
    values: Any
    top: Any
    shares: Any
    bounds: Any
    distinct: int
    ell: int

    def take(self, rows: Rows) -> Task:
        """The same task with the records in another order."""
        return self._replace(
            numbers=self.numbers[rows], kinds=self.kinds[rows], values=self.values[rows]
        )

    def as_lists(self) -> Task:
        """The same task with lists in place of arrays, which plain Python walks faster."""
        parts: list[Any] = []
        for part in self:
            if not isinstance(part, np.ndarray):
                parts.append(part)
                continue
            rows: Any = part.tolist()
            if part.ndim > 1:
                rows = zip(*part.T.tolist(), strict=True) if part.shape[1] else [()] * len(part)
            known: dict[Any, Any] = {}  # equal rows are one object, to be small
            parts.append([known.setdefault(row, row) for row in rows])
        return Task(*parts)


def split_table(
    task: Task,
    tries: int,
    rng: np.random.Generator,
    corners: Corners = "table",
    judge: Judge | None = None,
) -> Rows:
    """Halve the table as often as it can be: the part of each record (Algorithm 2).

    All parts still to be halved are tried at once, each shuffled and cut on its own. A judge of
    the records has a say in which halves are kept.
    """
    fast = len(task.values) >= COMPILED_FROM and has_numba()
    held = None if fast else task.as_lists()
    parts = np.zeros(len(task.values), np.intp)
    rows, group, failed, closed = np.arange(len(parts)), np.zeros_like(parts), np.zeros(1), 0
    while len(rows):
        order = np.argsort(group * len(rows) + rng.permutation(len(rows)))
        rows, group = rows[order], group[order]
        ends = _find_corners(task, rows, np.bincount(group), corners)
        side, kept = _halve_groups(task, held, rows, np.bincount(group), ends)
        if judge is not None:
            _, met = judge.take(rows).judge(2 * group + side, 2 * len(kept))
            kept = kept * met.reshape(-1, 2).all(axis=1)
        failed = np.where(kept, 0, failed + 1)
        child = 2 * group + side * kept[group]
        sizes = np.bincount(child, minlength=2 * len(failed))
        go_on = (sizes >= 2 * task.ell) & (np.repeat(failed, 2) < tries)
        stay = go_on[child]
        parts[rows[~stay]] = closed + (np.cumsum(~go_on & (sizes > 0)) - 1)[child[~stay]]
        closed += int(np.count_nonzero(~go_on & (sizes > 0)))
        rows, group = rows[stay], (np.cumsum(go_on) - 1)[child[stay]]
        failed = np.repeat(failed, 2)[go_on]
    return parts


def _find_corners(task: Task, rows: Rows, sizes: Rows, corners: Corners) -> Rows:
    """Find where the artificial records of each group stand: near ends of all columns, then far."""
    if corners == "table":
        nothing = np.zeros(len(task.top), np.intp)
        ends = np.r_[nothing, task.bounds[:-1], task.top, task.bounds[1:] - 1]
        return np.tile(ends, (len(sizes), 1))
    starts = np.cumsum(sizes) - sizes
    parts = [part[rows] for part in (task.numbers, task.kinds)]
    least = [np.minimum.reduceat(part, starts, axis=0) for part in parts]
    most = [np.maximum.reduceat(part, starts, axis=0) for part in parts]
    return np.hstack([*least, *most]).astype(np.intp)


def _halve_groups(
    task: Task, held: Task | None, rows: Rows, sizes: Rows, ends: Rows
) -> tuple[Rows, Rows]:
    """Try to halve every group once: the half of each record, and whether the cut is kept.

    Without the task held in lists, which plain Python walks faster, the loop is compiled.
    """
    starts = np.r_[0, np.cumsum(sizes)]
    side, kept = np.zeros(len(rows), np.intp), np.zeros(len(sizes), np.intp)
    if held is None:
        halve_in_turn(task, rows, starts, ends, side, kept)
        return side, kept
    lists = side.tolist(), kept.tolist()
    walk = inspect.unwrap(halve_in_turn)
    walk(held, rows.tolist(), starts.tolist(), ends.tolist(), *lists)
    return np.array(lists[0], np.intp), np.array(lists[1], np.intp)


@compiled(large=0)
def halve_in_turn(task: Task, rows: Any, starts: Any, ends: Any, side: Any, kept: Any) -> None:
    """Cut every group in two and keep the cut if both halves are diverse (Algorithm 2, 4 to 8).

    The records of group g are ``rows[starts[g]:starts[g + 1]]``, in random order, and its
    artificial records stand where ``ends[g]`` says, near ends first. Filled are
    ``side`` with 1 for the first half, ``kept`` with 1 for a cut that is kept.
    """
    seen = [-1] * task.bounds[len(task.bounds) - 1]
    counts = [0] * (2 * task.distinct)
    for group in range(len(kept)):
        begin, end = starts[group], starts[group + 1]
        share_out(task, rows, (begin, end), ends[group], seen, side)
        kept[group] = are_both_diverse(task, rows, begin, end, counts, side)


def share_out(  # noqa: C901 - the innermost loop, where a call would cost more than the step
    task: Task, rows: Any, span: tuple[int, int], ends: Any, seen: Any, side: Any
) -> None:
    """Give each record to the half whose penalty it raises less; ties go to the second.

    The first half begins with an artificial record at the far end of every column, the second
    with one at the near end. So the one grows down and the other up, and ``low`` and ``high``
    are all there is to know about their ranges. A category is marked in ``seen`` by the halves
    that hold it: ``mark + 1`` the first, ``mark + 2`` the second, ``mark + 3`` both.

    A half of n records whose ranges are ``cost`` wide together has the penalty n * cost. A record
    that widens them by ``more`` makes it (n + 1) * (cost + more), which is cost + (n + 1) * more
    above; ``size`` is that n + 1, the artificial record counted in, and so begins with 2. Ranges
    only grow, and the widths are kept instead of summed anew: a record costs one look at each of
    its columns, and a second one only where it widens something. The mark of a group lies above
    all marks of the groups before it, so that ``seen`` is never cleared.
    """
    begin, end = span
    all_numbers, all_kinds, mark = task.numbers, task.kinds, 4 * begin
    low, high, step1, step2 = begin_halves(task, ends, seen, mark)
    cost1 = cost2 = 0
    size1 = size2 = 2
    for place in range(begin, end):
        record = rows[place]
        more1 = more2 = 0
        for number, bottom, top in zip(all_numbers[record], low, high):  # noqa: B905
            if number < bottom:
                more1 += bottom - number
            if number > top:
                more2 += number - top
        for kind, add1, add2 in zip(all_kinds[record], step1, step2):  # noqa: B905
            held = seen[kind] - mark
            if held == 3:
                continue
            if held != 1:
                more1 += add1
            if held != 2:
                more2 += add2
        if cost1 + size1 * more1 < cost2 + size2 * more2:
            side[place] = 1
            size1 += 1
            cost1 += more1
            if more1:
                widen_half(task, record, low, step1, seen, mark + 1)
        else:
            size2 += 1
            cost2 += more2
            if more2:
                widen_half(task, record, high, step2, seen, mark + 2)


def begin_halves(task: Task, ends: Any, seen: Any, mark: int) -> Any:
    """Make two halves that hold nothing but the artificial records."""
    low, high = task.top.copy(), task.top.copy()
    step1, step2 = task.shares.copy(), task.shares.copy()
    numbers, columns = len(low), len(low) + len(step1)
    for i in range(numbers):
        low[i], high[i] = ends[columns + i], ends[i]
    for i in range(len(step1)):
        step1[i] = step2[i] = 2 * task.shares[i]
        near, far = ends[numbers + i], ends[columns + numbers + i]
        seen[near], seen[far] = mark + 2, mark + (1 if near < far else 3)
    return low, high, step1, step2


def widen_half(task: Task, record: int, edge: Any, step: Any, seen: Any, own: int) -> None:
    """Let a half reach as far as a record does; its own mark tells the half."""
    numbers, kinds = task.numbers[record], task.kinds[record]
    half, mark = own % 4, own - own % 4
    way = 1 if half == 2 else -1
    for i in range(len(edge)):
        if way * numbers[i] > way * edge[i]:
            edge[i] = numbers[i]
    for i in range(len(step)):
        held = max(seen[kinds[i]] - mark, 0)
        if held in (0, 3 - half):
            seen[kinds[i]] = mark + held + half
            step[i] = task.shares[i]


def are_both_diverse(task: Task, rows: Any, begin: int, end: int, counts: Any, side: Any) -> int:
    """Tell whether no value fills more than its share of either half; an empty half does not pass.

    Each group counts on from its own beginning, so that ``counts`` need not be cleared.
    """
    first = sum(side[begin:end])
    most = ((end - begin - first) // task.ell, first // task.ell)
    if most[0] == 0 or most[1] == 0:
        return 0
    values = task.values
    for record, half in zip(rows[begin:end], side[begin:end]):  # noqa: B905
        for value in values[record]:
            at = 2 * value + half
            count = counts[at] if counts[at] > begin else begin  # noqa: FURB136 - a call costs more
            counts[at] = count + 1
            if count + 1 - begin > most[half]:
                return 0
    return 1


def make_task(data: Microdata, request: Request, missing: Missing) -> Task:
    """Make a task of a table: numbers and ordered categories by place, others by kind."""
    columns = data.schema.quasi
    if request.codes.ndim > 1 and not columns:
        columns = tuple(data.schema[name] for name in request.mixed)
    ordered = [c for c in columns if c.kind != "nominal"]
    nominal = [c for c in columns if c.kind == "nominal"]
    for column in ordered:
        gaps = int(data.frame[column.name].isna().sum())
        if gaps:
            raise SchemaError(
                f"Column {column.name!r} has {count(gaps, 'missing value')} and so no "
                "order; fill the gaps or remove their records."
            )
    refuse_missing(data, nominal, missing)
    kinds, counts = _number_kinds(data, nominal)
    scored = [_measure_from_least(data, column) for column in ordered]
    scale = _choose_scale(scored, counts, len(data))
    numbers = np.zeros((len(data), len(scored)), np.int32 if scale < 2**31 else np.int64)
    for i, (places, width) in enumerate(scored):
        if width >= 1 and scale % width == 0 and (places == np.rint(places)).all():
            numbers[:, i] = places.astype(np.int64) * (scale // int(width))
        elif width:
            numbers[:, i] = np.rint(places * (scale / width))
    return Task(
        numbers,
        kinds,
        request.codes.reshape(len(data), -1).astype(np.int32),
        top=np.array([scale if width else 0 for _, width in scored], np.int64),
        shares=np.array([scale // size for size in counts], np.int64),
        bounds=np.cumsum([0, *counts]),
        distinct=request.values,
        ell=request.ell,
    )


def _measure_from_least(data: Microdata, column: Column) -> tuple[Floats, float]:
    """Count a column from the near end of its domain; give the width of the domain, too."""
    if column.kind == "ordinal":
        codes, found = data.codes(column.name)
        return codes.astype(np.float64), len(found) - 1.0
    scores = data.scores(column.name)
    return scores - scores.min(), float(np.ptp(scores))


def _number_kinds(data: Microdata, columns: list[Column]) -> tuple[AnyInts, list[int]]:
    """Number the categories, a missing one last; give how many each column has, too."""
    counts: list[int] = []
    kinds = np.zeros((len(data), len(columns)), np.int32)
    for i, column in enumerate(columns):
        codes, found = data.codes(column.name)
        kinds[:, i] = sum(counts) + np.where(codes < 0, len(found), codes)
        counts.append(len(found) + int((codes < 0).any()))
    return kinds, counts


def _choose_scale(columns: list[Any], counts: list[int], records: int) -> int:
    """Choose a width for all domains: penalties are whole numbers, and sums do not overflow."""
    room = 2**62 // ((records + 2) * max(1, len(columns) + len(counts)))
    if all((places == np.rint(places)).all() for places, _ in columns):
        exact = math.lcm(*(int(width) for _, width in columns if width), *counts)
        if exact <= room:
            return exact
    return 2 ** min(FINEST_BITS, room.bit_length() - 1)
