"""Halving a table again and again, so that alike records stay together (LHCC's Algorithm 2)."""

from __future__ import annotations

import inspect
import math
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from verikit._support.arrays import AnyInts, Floats, Rows
from verikit._support.compiled import compiled, has_numba
from verikit.errors import SchemaError
from verikit.partition._partition import Request
from verikit.table import Column, Microdata, Missing, refuse_missing
from verikit.words import count

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
        Its sensitive value.
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
        parts = [_to_lists(part) if isinstance(part, np.ndarray) else part for part in self]
        return Task(*cast("list[Any]", parts))


def _to_lists(array: AnyInts) -> list[Any]:
    """An array as a list, a matrix as a list of rows; equal ones are one object, to be small."""
    rows: Any = array.tolist()
    if array.ndim > 1:
        rows = zip(*array.T.tolist(), strict=True) if array.shape[1] else [()] * len(array)
    known: dict[Any, Any] = {}
    return [known.setdefault(row, row) for row in rows]


def split_table(
    task: Task, tries: int, rng: np.random.Generator, corners: Corners = "table"
) -> Rows:
    """The part of each record after the table was halved as often as it can be (Algorithm 2).

    All parts still to be halved are tried at once, each shuffled and cut on its own.
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
    """By group where its artificial records stand: the near ends of all columns, then the far."""
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
        kept[group] = both_diverse(task, rows, begin, end, counts, side)


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
    low, high, step1, step2 = fresh_halves(task, ends, seen, mark)
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


def fresh_halves(task: Task, ends: Any, seen: Any, mark: int) -> Any:
    """Two halves that hold nothing but the artificial records."""
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


def both_diverse(task: Task, rows: Any, begin: int, end: int, counts: Any, side: Any) -> int:
    """Whether no value fills more than its share of either half; an empty half does not pass.

    Each group counts on from its own beginning, so that ``counts`` need not be cleared.
    """
    first = sum(side[begin:end])
    most = ((end - begin - first) // task.ell, first // task.ell)
    if most[0] == 0 or most[1] == 0:
        return 0
    values = task.values
    for record, half in zip(rows[begin:end], side[begin:end]):  # noqa: B905
        at = 2 * values[record] + half
        count = counts[at] if counts[at] > begin else begin  # noqa: FURB136 - a call costs more
        counts[at] = count + 1
        if count + 1 - begin > most[half]:
            return 0
    return 1


def task_of(data: Microdata, request: Request, missing: Missing) -> Task:
    """The records of a table as a task: numbers and ordered categories by place, others by kind."""
    ordered = [c for c in data.schema.quasi if c.kind != "nominal"]
    nominal = [c for c in data.schema.quasi if c.kind == "nominal"]
    _refuse_gaps(data, ordered)
    refuse_missing(data, nominal, missing)
    kinds, counts = _number_kinds(data, nominal)
    columns = [_from_zero(data, column) for column in ordered]
    scale = _choose_scale(columns, counts, len(data))
    numbers, top = _on_scale(columns, scale, len(data))
    return Task(
        numbers,
        kinds,
        request.codes.astype(np.int32),
        top,
        np.array([scale // count for count in counts], np.int64),
        np.cumsum([0, *counts]),
        request.values,
        request.ell,
    )


def _from_zero(data: Microdata, column: Column) -> tuple[Floats, float]:
    """A column counted from the near end of its domain, and the width of the domain."""
    if column.kind == "ordinal":
        codes, found = data.codes(column.name)
        return codes.astype(np.float64), len(found) - 1.0
    scores = data.scores(column.name)
    return scores - scores.min(), float(np.ptp(scores))


def _number_kinds(data: Microdata, columns: list[Column]) -> tuple[AnyInts, list[int]]:
    """The categories as numbers, a missing one last, and how many each column has."""
    counts: list[int] = []
    kinds = np.zeros((len(data), len(columns)), np.int32)
    for i, column in enumerate(columns):
        codes, found = data.codes(column.name)
        kinds[:, i] = sum(counts) + np.where(codes < 0, len(found), codes)
        counts.append(len(found) + int((codes < 0).any()))
    return kinds, counts


def _choose_scale(columns: list[Any], counts: list[int], records: int) -> int:
    """A width for all domains on which penalties are whole numbers, and sums do not overflow."""
    room = 2**62 // ((records + 2) * max(1, len(columns) + len(counts)))
    if all((places == np.rint(places)).all() for places, _ in columns):
        exact = math.lcm(*(int(width) for _, width in columns if width), *counts)
        if exact <= room:
            return exact
    return 2 ** min(FINEST_BITS, room.bit_length() - 1)


def _on_scale(columns: list[Any], scale: int, records: int) -> tuple[AnyInts, AnyInts]:
    """The columns as whole numbers up to the scale, and the far end of each."""
    numbers = np.zeros((records, len(columns)), np.int32 if scale < 2**31 else np.int64)
    for i, (places, width) in enumerate(columns):
        if width >= 1 and scale % width == 0 and (places == np.rint(places)).all():
            numbers[:, i] = places.astype(np.int64) * (scale // int(width))
        elif width:
            numbers[:, i] = np.rint(places * (scale / width))
    return numbers, np.array([scale if width else 0 for _, width in columns], np.int64)


def _refuse_gaps(data: Microdata, columns: list[Column]) -> None:
    for column in columns:
        found = int(data.frame[column.name].isna().sum())
        if found:
            raise SchemaError(
                f"Column {column.name!r} has {count(found, 'missing value')} and so no "
                "order; fill the gaps or remove their records."
            )
