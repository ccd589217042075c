"""Undoing rank swapping: each link implies others, until the whole table has fallen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from verikit._support.arrays import Flags, Ints, Rows
from verikit.errors import InfeasibleError
from verikit.intruder._ranked_tables import Compared, Links, compare_as_masked
from verikit.mask import rank_swap
from verikit.release import Release, TableRelease
from verikit.table import Microdata

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
    return undo_swaps(data, release, compare_as_masked(data, release, attributes))


def swapped_in_pairs(release: Release) -> bool:
    """Tell whether the release says that its values were swapped in pairs."""
    return (
        release.method == rank_swap.__name__
        and release.parameters.get("scheme", "pairs") != "cycles"
    )


def undo_swaps(data: Microdata, release: TableRelease, tables: Compared) -> Links:
    """Undo the pairs of a release whose ranks are known; what has none tells nothing of them."""
    tables = tables.select_attributes(tables.ranked)
    names = tables.ranked
    if not names:
        raise InfeasibleError("Nothing has an order, so no values were swapped by rank.")
    if any((np.sort(data.scores(n)) != np.sort(release.scores(n))).any() for n in names):
        raise InfeasibleError(
            "The release does not hold the original's values in another order, so no values were "
            "swapped; use another attack."
        )
    told = release.parameters.get("places", {})
    published = release.method == rank_swap.__name__ and isinstance(told, dict)
    none = 0 if published and told else len(tables)  # what was not masked is as it was
    places = np.array([int(told.get(n, none)) if published else none for n in names])
    swapped = Swapped.of(tables, places)
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


NOBODY = -1
STEPS_AHEAD = 3


@dataclass(slots=True)
class Effort:
    """How many more steps are worth taking."""

    left: int = 20_000

    @property
    def spent(self) -> bool:
        """Whether no step is left."""
        return self.left <= 0


class Swapped(NamedTuple):
    """Both tables as somebody sees them who knows that values were swapped in pairs.

    Parameters
    ----------
    tables
        Both tables by rank.
    places
        By attribute, how far a value may have moved.
    record_of, row_of
        By attribute and rank, the only record and the only row that have it; -1 where several do.
    """

    tables: Compared
    places: Ints
    record_of: Rows
    row_of: Rows

    @classmethod
    def of(cls, tables: Compared, places: Ints) -> Swapped:
        """Look up who alone has a rank."""
        first, last, *released = tables.ranks
        return cls(tables, places, _find_unshared(first, last), _find_unshared(*released))

    def fit_places(self, records: Rows, rows: Rows) -> Flags:
        """Tell whether no value of these pairs would have moved farther than published."""
        return np.all(self.tables.places(records, rows) <= self.places, axis=-1)

    def find_implied(self, records: Rows, rows: Rows) -> tuple[Rows, Rows]:
        """By attribute, the link that each link implies; -1 where several people could be meant.

        Whoever had the value that the row shows must have taken the record's.
        """
        at = np.arange(len(self.places))
        other = self.record_of[at, self.tables.released_first[rows] - 1]
        row = self.row_of[at, self.tables.first[records] - 1]
        known = (other >= 0) & (row >= 0)
        return np.where(known, other, NOBODY), np.where(known, row, NOBODY)


def _find_unshared(first: Ints, last: Ints) -> Rows:
    n, m = first.shape
    found = np.full((m, n), NOBODY)
    for j in range(m):
        alone = np.flatnonzero(first[:, j] == last[:, j])
        found[j, first[alone, j] - 1] = alone
    return found


def find_starts(swapped: Swapped, record: int, row_of: Rows) -> Rows:
    """Find the free rows a record may have become, without those refuted within a few steps."""
    record_of = _invert_links(row_of)
    free = np.flatnonzero(record_of == NOBODY)
    near = free
    for j in range(len(swapped.places)):  # column by column: most rows leave at the first
        up = swapped.tables.released_first[near, j] - swapped.tables.last[record, j]
        down = swapped.tables.first[record, j] - swapped.tables.released_last[near, j]
        near = near[np.maximum(up, down) <= swapped.places[j]]
    alive = np.ones(len(near), bool)
    start, records, rows = np.arange(len(near)), np.full(len(near), record), near
    for _ in range(STEPS_AHEAD):
        others, implied = (part.ravel() for part in swapped.find_implied(records, rows))
        start = np.repeat(start, len(swapped.places))
        known = others != NOBODY
        start, others, implied = start[known], others[known], implied[known]
        new = row_of[others] != implied
        refuted = new & ((row_of[others] != NOBODY) | (record_of[implied] != NOBODY))
        refuted[~refuted] = ~swapped.fit_places(others[~refuted], implied[~refuted])
        alive[start[refuted]] = False
        go_on = alive[start] & new
        start, records, rows = start[go_on], others[go_on], implied[go_on]
        if alive.sum() <= 1:
            break
    return near[alive]


def follow_link(
    swapped: Swapped, record: int, row: int, row_of: Rows, effort: Effort
) -> tuple[Rows, Rows] | None:
    """List all links that follow from one; None where they contradict each other or those made.

    Where the effort is spent on the way, what was found so far.
    """
    row_of, record_of = row_of.copy(), _invert_links(row_of)
    records, rows = np.array([record]), np.array([row])
    found = [(records, rows)]
    row_of[record], record_of[row] = row, record
    while len(records) and not effort.spent:
        effort.left -= 1
        others, implied = (part.ravel() for part in swapped.find_implied(records, rows))
        new = (others != NOBODY) & ((row_of[others] != implied) | (record_of[implied] != others))
        records, rows = others[new], implied[new]
        if (row_of[records] != NOBODY).any() or (record_of[rows] != NOBODY).any():
            return None
        row_of[records], record_of[rows] = rows, records
        if (row_of[records] != rows).any() or (record_of[rows] != records).any():
            return None
        records = np.unique(records)
        rows = row_of[records]
        if not swapped.fit_places(records, rows).all():
            return None
        found.append((records, rows))
    return np.concatenate([part[0] for part in found]), np.concatenate([p[1] for p in found])


def _invert_links(row_of: Rows) -> Rows:
    record_of = np.full(len(row_of), NOBODY)
    linked = np.flatnonzero(row_of != NOBODY)
    record_of[row_of[linked]] = linked
    return record_of


MAX_PAIRS = 2_500_000
CHUNK_SIZE = 256


class Pairs(NamedTuple):
    """Pairs of a record and a row."""

    records: Rows
    rows: Rows


def find_possible_pairs(swapped: Swapped, row_of: Rows) -> Pairs | None:
    """Find the pairs that swapping leaves possible beside the links made; None where too many are.

    If a record with one value became a row with another, some record with the other value became
    a row with the one. A pair for which nobody is left who could have done so is struck out, and
    so are the other pairs of a record that has one row left, until nothing changes.
    """
    pairs = _list_near_pairs(swapped, row_of)
    if pairs is None:
        return None
    keys, reverse = _find_exchanges(swapped, pairs)
    alive = np.ones(len(pairs.records), bool)
    before = -1
    while before != (before := int(alive.sum())):  # arc consistency: until nothing is struck out
        for own, back in zip(keys, reverse, strict=True):
            left = np.bincount(own[alive], minlength=int(own.max()) + 1)
            alive &= np.r_[left, 0][back] > 0
        of_record, of_row = (np.bincount(side[alive], minlength=len(row_of)) for side in pairs)
        sole = alive & (of_record[pairs.records] == 1), alive & (of_row[pairs.rows] == 1)
        alive &= _strike_out(pairs, sole[0]) & _strike_out(pairs, sole[1])
        alive &= _only_answers(pairs, alive, keys, reverse, len(row_of))
    return Pairs(pairs.records[alive], pairs.rows[alive])


def _list_near_pairs(swapped: Swapped, row_of: Rows) -> Pairs | None:
    """Find the links made, and all pairs of others within the published places."""
    linked = np.flatnonzero(row_of != NOBODY)
    tables, least = swapped.tables, int(np.argmin(swapped.places))
    records = np.flatnonzero(row_of == NOBODY)
    records = records[np.argsort(tables.first[records, least], kind="stable")]
    rows = np.setdiff1d(np.arange(len(row_of)), row_of[linked])
    rows = rows[np.argsort(tables.released_first[rows, least], kind="stable")]
    ends = tables.released_last[rows, least], tables.released_first[rows, least]
    found, kept = [(linked, row_of[linked])], 0
    for part in np.array_split(records, max(1, len(records) // CHUNK_SIZE)):
        if not len(part):
            continue
        low = tables.first[part[0], least] - swapped.places[least]
        high = tables.last[part[-1], least] + swapped.places[least]
        near = rows[np.searchsorted(ends[0], low) : np.searchsorted(ends[1], high, "right")]
        fits = np.ones((len(part), len(near)), bool)
        for j, places in enumerate(swapped.places):
            fits &= tables.released_first[near, j] - tables.last[part, j][:, None] <= places
            fits &= tables.first[part, j][:, None] - tables.released_last[near, j] <= places
        at, of = np.nonzero(fits)
        found.append((part[at], near[of]))
        kept += len(at)
        if kept > MAX_PAIRS:
            return None
    return Pairs(*(np.concatenate(side) for side in zip(*found, strict=True)))


def _find_exchanges(swapped: Swapped, pairs: Pairs) -> tuple[list[Rows], list[Rows]]:
    """By attribute, the kind of each pair, value before and after, and the kind that answers it."""
    keys, reverse = [], []
    n = len(swapped.tables)
    for j in range(len(swapped.places)):
        before = swapped.tables.first[pairs.records, j] - 1
        after = swapped.tables.released_first[pairs.rows, j] - 1
        kinds, own = np.unique(before * n + after, return_inverse=True)
        back = np.searchsorted(kinds, after * n + before)
        there = kinds[np.minimum(back, len(kinds) - 1)] == after * n + before
        keys.append(own)
        reverse.append(np.where(there, back, len(kinds)))
    return keys, reverse


def _only_answers(
    pairs: Pairs, alive: Flags, keys: list[Rows], reverse: list[Rows], n: int
) -> Flags:
    """Find where a sure link has one possible answer, that is a link too."""
    sure = alive & (np.bincount(pairs.records[alive], minlength=n)[pairs.records] == 1)
    kept = np.ones(len(alive), bool)
    for own, back in zip(keys, reverse, strict=True):
        left = np.bincount(own[alive], minlength=int(own.max()) + 1)
        asked = np.zeros(len(left) + 1, bool)
        asked[back[sure & (own != back)]] = True
        kept &= _strike_out(pairs, alive & asked[own] & (left[own] == 1))
    return kept


def _strike_out(pairs: Pairs, sure: Flags) -> Flags:
    """List all pairs but those that share a record or a row with a sure one, which stay."""
    taken_record, taken_row = np.zeros((2, int(max(p.max() for p in pairs)) + 1), bool)
    taken_record[pairs.records[sure]] = True
    taken_row[pairs.rows[sure]] = True
    return sure | ~(taken_record[pairs.records] | taken_row[pairs.rows])
