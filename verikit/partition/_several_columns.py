"""Deal records so that several columns are diverse in every group, all columns being sensitive."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from verikit._support.arrays import Rows
from verikit.errors import RecordError, quoted
from verikit.partition._partition import Request, check_request
from verikit.table import Microdata, Missing

MOST_DEALT = 2_000  # records dealt at once, as each looks at all groups
FEWER = 0.9


def check_several(
    data: Microdata, ell: object, sensitive: str | Sequence[str] | None, missing: Missing
) -> Request:
    """Check a request to mix one column or several; all, where none is named and none is known.

    The whole table in one group meets what each column can meet by itself, so nothing else is
    refused.
    """
    names = sensitive
    known = not isinstance(data, Microdata) or len(data.schema.sensitive) < 2
    if names is None and not known and not data.schema.quasi:
        names = [column.name for column in data.schema.sensitive]
    if names is None or isinstance(names, str):
        return check_request(data, ell, names, missing, "diverse")
    if not isinstance(names, Sequence) or not names or len({*map(str, names)}) < len(names):
        raise RecordError(
            f"sensitive was given as {quoted(names)}; expected the name of a column, or a list of "
            "different names.",
            field="sensitive",
            value=names,
        )
    each = [check_request(data, ell, str(name), missing, "diverse") for name in names]
    begins = np.cumsum([0, *(request.values for request in each)])
    codes = np.column_stack([r.codes + at for r, at in zip(each, begins, strict=False)])
    first = each[0]
    if len(each) == 1:
        return first
    return Request(first.ell, first.name, codes, int(begins[-1]), tuple(r.name for r in each))


def deal_several(parts: Rows, codes: Rows, ell: int, rng: np.random.Generator) -> Rows:
    """Deal the records of each part into as many groups as keep every column diverse.

    Examples
    --------
    >>> codes = np.array([[0, 2], [0, 3], [1, 2], [1, 3]])
    >>> labels = deal_several(np.zeros(4, int), codes, 2, np.random.default_rng(1))
    >>> bool(labels[0] == labels[3]), bool(labels[1] == labels[2]), len({*labels})
    (True, True, 2)
    """
    labels, begun = np.empty(len(parts), np.intp), 0
    order = np.argsort(parts, kind="stable")
    for part in np.split(order, np.cumsum(np.bincount(parts))[:-1]):
        for rows in _halve_at_random(part, codes, ell, rng):
            groups = max(len(rows) // ell, 1)
            found = _deal_once(codes[rows], groups, ell, rng)
            while found is None:
                groups = int(groups * FEWER)
                found = _deal_once(codes[rows], groups, ell, rng)
            labels[rows] = begun + found
            begun += groups
    return labels


def _halve_at_random(rows: Rows, codes: Rows, ell: int, rng: np.random.Generator) -> Iterator[Rows]:
    """Cut a large part at random, as long as both halves are diverse in every column."""
    if len(rows) > MOST_DEALT:
        halves = np.array_split(rng.permutation(rows), 2)
        if all(np.bincount(codes[half].ravel()).max() * ell <= len(half) for half in halves):
            for half in halves:
                yield from _halve_at_random(half, codes, ell, rng)
            return
    yield rows


def _deal_once(codes: Rows, groups: int, ell: int, rng: np.random.Generator) -> Rows | None:
    """Give each record one of the smallest groups that can take its values; None if one has none.

    A single group takes all of them.
    """
    if groups == 1:
        return np.zeros(len(codes), np.intp)
    records = len(codes)
    kinds, places = np.unique(codes, return_inverse=True)
    places = places.reshape(codes.shape)
    often = np.bincount(places.ravel())
    held, sizes = np.zeros((len(kinds), groups), np.intp), np.zeros(groups, np.intp)
    most, room = records // groups // ell, -(-records // groups)
    order, labels = rng.permutation(records), np.empty(records, np.intp)
    for row in order[np.argsort(-often[places[order]].max(axis=1), kind="stable")]:
        free = np.flatnonzero((sizes < room) & (held[places[row]] < most).all(axis=0))
        if not len(free):
            return None
        free = free[sizes[free] == sizes[free].min()]
        at = free[rng.integers(len(free))]
        held[places[row], at] += 1
        sizes[at] += 1
        labels[row] = at
    return labels if (held.max(axis=0) * ell <= sizes).all() else None
