"""Undoing rank swapping: each link implies others, until the whole table has fallen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from verikit._support.arrays import Flags, Ints, Rows
from verikit.errors import InfeasibleError
from verikit.intruder._links import Links
from verikit.intruder._ranked_tables import Compared, compared
from verikit.intruder._swap_inference import (
    NOBODY,
    Effort,
    Pairs,
    Swapped,
    find_possible_pairs,
    find_starts,
    follow_link,
)
from verikit.mask import rank_swap
from verikit.release import Release, TableRelease
from verikit.table import Microdata

__all__ = ["swapped_in_pairs", "undo_pairs", "undo_swaps"]

MAX_VAIN_STARTS = 40


def undo_pairs(
    data: Microdata, release: TableRelease, *, attributes: Sequence[str] | None = None
) -> Links:
    """Undo rank swapping in pairs, by what each link implies for others.

    A swap is its own inverse. If a record became some row, then on each attribute whoever had the
    value which this row shows became the row that shows the record's own value. So one link gives
    one more by each attribute, these give more, and a wrong one soon contradicts itself: one row
    for two records, or a value moved farther than published. No link need be known to begin with.

    Parameters
    ----------
    data, release
        The original and what was published: its values in another order.
    attributes
        What to go by; by default all attributes with an order in both tables.

    Returns
    -------
    Links
        One row for each record that could be linked, and `Links.certain` for those where swapping
        in pairs leaves no other; for others all rows that it leaves possible, or none where these
        are too many. Nobody is linked where no swapping in pairs explains the release.

    Raises
    ------
    InfeasibleError
        If the release does not hold the original's values.
    RecordError, SchemaError
        As `link` raises them.

    References
    ----------
    [DM]_ section 5.2 counts data swapping among pure permutations.

    J. Nin, J. Herranz, V. Torra: Rethinking rank swapping to decrease disclosure risk. Data &
    Knowledge Engineering 64(1), 2008, gave the first linkage made for rank swapping, which goes by
    the window that it moves values in, and variants against it. That pairs give more away than
    the window is our own finding.

    Notes
    -----
    Links are followed in waves, O(n m) for a start; wrong starts end after a few steps. Where
    values are equal, all pairs of record and row within the published places are kept (up to 2.5
    million), and those are struck out that no other pair can answer, until nothing changes. Both
    steps are proofs if values were swapped in pairs as published. A last step is none: of several
    consistent starts it takes the one that explains most records.

    Examples
    --------
    All of 500 records, though each value may move by 150 places:

    >>> import verikit as vk
    >>> data = vk.simulate("dm", 500, seed=1)
    >>> release, key = vk.mask.rank_swap(data, percent=30, seed=2)
    >>> links = undo_pairs(data, release)
    >>> bool((links.rows == key.rows).all()), int(links.certain.sum())
    (True, 500)
    """
    return undo_swaps(data, release, compared(data, release, attributes))


def swapped_in_pairs(release: Release) -> bool:
    """Tell whether the release says that its values were swapped in pairs."""
    return (
        release.method == rank_swap.__name__
        and release.parameters.get("scheme", "pairs") == "pairs"
    )


def undo_swaps(data: Microdata, release: TableRelease, tables: Compared) -> Links:
    """Undo the pairs of a release whose ranks are known."""
    names = tables.attributes
    if any((np.sort(data.scores(n)) != np.sort(release.scores(n))).any() for n in names):
        raise InfeasibleError(
            "The release does not hold the original's values in another order, so no values were "
            "swapped; use another attack."
        )
    swapped = Swapped.of(tables, find_published_places(release, tables))
    row_of = np.full(len(tables), NOBODY)
    if not _link_certain(swapped, row_of):
        return _link_nobody(tables)
    pairs = find_possible_pairs(swapped, row_of) if (row_of == NOBODY).any() else None
    if pairs is not None:
        counts = np.bincount(pairs.records, minlength=len(tables))
        if not counts.all():
            return _link_nobody(tables)
        sole = counts[pairs.records] == 1
        row_of[pairs.records[sole]] = pairs.rows[sole]
    certain = row_of != NOBODY
    _link_likely(swapped, row_of)
    return _make_links(tables, row_of, certain, pairs)


def find_published_places(release: TableRelease, tables: Compared) -> Ints:
    """Find how far each attribute's values may have moved; anywhere where that is not published."""
    told = release.parameters.get("places", {})
    published = release.method == rank_swap.__name__ and isinstance(told, dict)
    none = 0 if published and told else len(tables)  # what was not masked is as it was
    return np.array([int(told.get(n, none)) if published else none for n in tables.attributes])


def _link_certain(swapped: Swapped, row_of: Rows) -> bool:
    """Make the links of all starts without an alternative; whether every record has a start."""
    vain, effort = 0, Effort()
    alone = (swapped.tables.first == swapped.tables.last).sum(axis=1)
    for record in np.argsort(-alone, kind="stable").tolist():  # most values of their own first
        if row_of[record] != NOBODY:
            continue
        found = _find_consistent(swapped, record, row_of, effort)
        if effort.spent or vain > MAX_VAIN_STARTS:
            break
        if not found:
            return False
        if len(found) == 1:
            row_of[found[0][0]] = found[0][1]
        vain = 0 if len(found) == 1 and len(found[0][0]) > 1 else vain + 1
    return True


def _find_consistent(
    swapped: Swapped, record: int, row_of: Rows, effort: Effort
) -> list[tuple[Rows, Rows]]:
    """Find what follows from each row that the record may have become, most links first."""
    near = find_starts(swapped, record, row_of).tolist()
    effort.left -= len(swapped.places)
    found = [part for row in near if (part := follow_link(swapped, record, row, row_of, effort))]
    return sorted(found, key=lambda part: -len(part[0]))


def _link_likely(swapped: Swapped, row_of: Rows) -> None:
    """Of several starts that leave nothing open, take the one that explains most records."""
    if (swapped.tables.first != swapped.tables.last).any():
        return
    effort = Effort()
    for record in np.flatnonzero(row_of == NOBODY).tolist():
        found = (
            [] if row_of[record] != NOBODY else _find_consistent(swapped, record, row_of, effort)
        )
        if effort.spent:
            break
        if found and len(found[0][0]) > max((len(part[0]) for part in found[1:]), default=0):
            row_of[found[0][0]] = found[0][1]


def _make_links(tables: Compared, row_of: Rows, certain: Flags, pairs: Pairs | None) -> Links:
    linked = np.flatnonzero(row_of != NOBODY)
    records, rows = linked, row_of[linked]
    if pairs is not None:
        left = (row_of[pairs.records] == NOBODY) & ~np.isin(pairs.rows, rows)
        records, rows = np.r_[records, pairs.records[left]], np.r_[rows, pairs.rows[left]]
    order = np.lexsort((rows, records))
    counts = np.bincount(records, minlength=len(tables))
    measure = (1 - 1 / counts[records[order]]) + 0.0
    measure[~certain[records[order]] & (measure == 0)] = 0.5
    note = (
        f"{int(certain.sum()):,} links are certain if values were swapped in pairs as published; "
        f"{int((counts == 0).sum()):,} records are not linked."
    )
    starts_at = np.r_[0, np.cumsum(counts)].astype(np.intp)
    return Links("undo_pairs", tables, starts_at, rows[order], measure, note, certain=certain)


def _link_nobody(tables: Compared) -> Links:
    n, none = len(tables), np.zeros(0, np.intp)
    note = "No swapping in pairs explains this release: nobody is linked."
    nowhere = np.zeros(n + 1, np.intp)
    return Links("undo_pairs", tables, nowhere, none, np.zeros(0), note, certain=np.zeros(n, bool))
