"""Link by Bayes' rule, where values were drawn anew with published probabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Flags, Floats, Ints, Rows, ShortCodes
from verikit.errors import InfeasibleError, RecordError
from verikit.intruder._ranked_tables import left_out, names_of
from verikit.release import Redraw, TableRelease, redraw_of
from verikit.table import Microdata, codes_like, require_microdata, shares_of, single_codes
from verikit.words import count

__all__ = ["Agreed", "Found", "Sides", "lasting", "likeliest", "likelihood"]

MAX_CHANCES = 2**18
MAX_REDRAWN, MAX_SET_COLUMNS = 16, 12
MAX_SPAN = 2**62


class Agreed(NamedTuple):
    """Both tables as codes, one row a record and one column an attribute.

    ``not_compared`` names the published columns that are no attribute.
    """

    attributes: tuple[str, ...]
    codes: Ints
    released: Ints
    not_compared: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.codes)

    def places(self, records: Rows, rows: Rows) -> Ints:
        """Whether pairs of a record and a released row differ (1) or agree (0), by attribute."""
        apart: Ints = (self.codes[records] != self.released[rows]).astype(np.int64)
        return apart


class Found(NamedTuple):
    """Both tables, and the candidates of each record with minus the logarithm of their chance."""

    tables: Agreed
    starts: Rows
    rows: Rows
    measure: Floats


def likelihood(
    data: Microdata, release: TableRelease, attributes: Sequence[str] | None = None
) -> Found:
    """Give each record the rows that most likely came from it, under the published chances.

    By Bayes' rule a row came from a record with its chance for this record over that for all
    records. Columns that stay as they were must agree, so only records and rows that do are
    compared: all pairs of their different combinations.
    """
    require_microdata(data, "link")
    told = redraw_of(release)
    if told is None:
        raise InfeasibleError(
            "The attack 'likelihood' needs a release that tells with what probabilities its values "
            "were drawn anew, as mask.randomize makes it; use another attack."
        )
    if not len(data) or len(data) != len(release):
        raise RecordError(
            f"The original has {count(len(data), 'record')} and the release {len(release):,}; "
            "linking needs as many of both, and at least one."
        )
    tables, shares = _code_tables(data, release, names_of(data, release, attributes, ranked=False))
    drawn = [name in told.names for name in tables.attributes]
    if sum(drawn) > MAX_REDRAWN:
        raise InfeasibleError(
            f"{sum(drawn)} attributes that may have been drawn anew have too many sets; name at "
            f"most {MAX_REDRAWN} of them to link by."
        )
    best, chance = np.empty(len(data), np.intp), np.empty(len(data))
    kinds, kind = _find_combinations(
        tables.released
    )  # rows by their first alike, and the number of each
    for records, rows in _pair_blocks(tables, kinds, np.array(drawn)):
        places, found = _find_likeliest(tables, told, (records, kinds[rows]), shares)
        best[records], chance[records] = rows[places], found
    return _list_candidates(tables, best, chance, kind)


def _code_tables(
    data: Microdata, release: TableRelease, names: Sequence[str]
) -> tuple[Agreed, Floats]:
    """Both tables, and by row the shares of its values in the original."""
    columns, released, shares = [], [], []
    for name in names:
        codes, values = single_codes(data.frame[name], name, "the original")
        own, known = codes_like(release.frame[name], values, name, "the release")
        columns.append(codes)
        released.append(own)
        shares.append(shares_of(codes, len(known))[own])
    both = np.column_stack(columns), np.column_stack(released)
    tables = Agreed(tuple(names), *both, left_out(release, names))
    return tables, np.column_stack(shares)


def _find_combinations(codes: Ints) -> tuple[Rows, Rows]:
    """Find the first row of each different combination, and the combination of each row."""
    _, first, kind = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    return first, kind.reshape(-1)


def _pair_blocks(tables: Agreed, kinds: Rows, drawn: Flags) -> Iterator[tuple[Rows, Rows]]:
    """Records and places among the kinds of rows that agree in all columns that stay."""
    if drawn.all():
        yield np.arange(len(tables)), np.arange(len(kinds))
        return
    both = np.vstack([tables.codes[:, ~drawn], tables.released[kinds][:, ~drawn]])
    label = np.unique(both, axis=0, return_inverse=True)[1].reshape(-1)
    own, theirs = label[: len(tables)], label[len(tables) :]
    for block in np.unique(own):
        records, rows = np.flatnonzero(own == block), np.flatnonzero(theirs == block)
        if not len(rows):
            raise RecordError(
                "A record of the original has no row that agrees with it in the columns that "
                "stayed as they were; give the table that the release was made from."
            )
        yield records, rows


def _find_likeliest(
    tables: Agreed, told: Redraw, pair: tuple[Rows, Rows], shares: Floats
) -> tuple[Rows, Floats]:
    """For each record the row it most likely became, and minus the logarithm of that chance."""
    records, rows = pair
    columns = [k for k, name in enumerate(tables.attributes) if name in told.names]
    if not columns:
        return np.zeros(len(records), np.intp), np.full(len(records), np.log(len(rows)))
    asked = [tables.attributes[k] for k in columns]
    first, kind = _find_combinations(tables.codes[records][:, columns])
    sizes = np.bincount(kind)
    sides = Sides(
        tables.codes[records[first]][:, columns],
        sizes,
        tables.released[rows][:, columns],
        shares[rows][:, columns],
    )
    find = likeliest if _fewer_sets(sides, told, asked) else _pair_by_pair
    best, top = find(sides, told, asked)
    return best[kind], -np.log(np.maximum(top, 1e-300))[kind]


def _fewer_sets(sides: Sides, told: Redraw, asked: Sequence[str]) -> bool:
    """Tell whether there is less to do set by set than pair by pair."""
    if len(asked) > MAX_SET_COLUMNS or sides.span > MAX_SPAN:
        return False
    records, rows = len(sides.codes), len(sides.released)
    return len(lasting(told.chances_by_set(asked))) * (records + rows) < records * rows


def _pair_by_pair(sides: Sides, told: Redraw, asked: Sequence[str]) -> tuple[Rows, Floats]:
    """Find the plain way: the chances of all pairs."""
    codes, released = _narrow_codes(sides.codes), _narrow_codes(sides.released)
    best, top = np.zeros(len(sides.codes), np.intp), np.full(len(sides.codes), -1.0)
    step = max(1, MAX_CHANCES // max(len(sides.codes), 2 ** len(asked)))
    for start in range(0, len(sides.released), step):
        table = told.transition_chances(asked, sides.shares[start : start + step])
        apart = _find_differences(codes, released[:, start : start + step])
        chance = np.take_along_axis(table, apart.astype(np.intp), axis=1)
        chance /= np.maximum(chance @ sides.sizes, 1e-300)[:, None]
        place = chance.argmax(axis=0)
        found = chance[place, np.arange(len(sides.codes))]
        better = found > top
        best[better], top[better] = start + place[better], found[better]
    return best, top


def _narrow_codes(codes: Ints) -> npt.NDArray[np.int32]:
    return np.ascontiguousarray(codes.T.astype(np.int32))


def _find_differences(codes: npt.NDArray[np.int32], released: npt.NDArray[np.int32]) -> ShortCodes:
    """Find for each row and record the set of columns in which they differ."""
    apart = np.zeros((released.shape[1], codes.shape[1]), np.uint16)
    for k, (own, theirs) in enumerate(zip(codes, released, strict=True)):
        apart |= np.left_shift((theirs[:, None] != own).view(np.uint8), k, dtype=np.uint16)
    return apart


def _list_candidates(tables: Agreed, best: Rows, chance: Floats, kind: Rows) -> Found:
    """List all rows with the combination of the best one are candidates."""
    order = np.argsort(kind, kind="stable")
    sizes = np.bincount(kind)
    first = np.cumsum(sizes) - sizes
    counts = sizes[best]
    starts = np.r_[0, np.cumsum(counts)]
    inside = np.arange(starts[-1]) - np.repeat(starts[:-1], counts)
    rows = order[np.repeat(first[best], counts) + inside]
    return Found(tables, starts.astype(np.intp), rows, np.repeat(chance, counts))


MAX_ENTRIES = 2**24


class Sides(NamedTuple):
    """Different records, how many are alike, and rows with the shares of their values."""

    codes: Ints
    sizes: Ints
    released: Ints
    shares: Floats

    @property
    def span(self) -> int:
        """How many combinations of codes there can be."""
        most = np.maximum(self.codes.max(axis=0), self.released.max(axis=0)) + 1
        return int(np.prod(most.astype(object)))


def lasting(only: Floats) -> Ints:
    """The sets of columns in which a pair can differ: those that some likely set of draws holds.

    Examples
    --------
    Of three columns one is drawn anew: a pair differs in none or in one.

    >>> lasting(np.array([0, 0.3, 0.3, 0, 0.4, 0, 0, 0])).tolist()
    [0, 1, 2, 4]
    """
    drawn, sets = np.flatnonzero(only > 0), np.arange(len(only))
    found = np.zeros(len(only), bool)
    for one in drawn:
        found |= (one & sets) == sets
    return np.flatnonzero(found)


def likeliest(sides: Sides, told: Redraw, asked: Sequence[str]) -> tuple[Rows, Floats]:
    """Find for each record the row it most likely became, and that chance; the first of equal ones.

    Taking a row to differ in more columns than it does can only lower its chance, so the best over
    all sets of what agrees outside the set is the best of all.
    """
    only = told.chances_by_set(asked)
    total = np.maximum(_sum_chances(sides, only), 1e-300)
    best, top = np.zeros(len(sides.codes), np.intp), np.full(len(sides.codes), -1.0)
    step, differing = max(1, MAX_ENTRIES // len(only)), lasting(only)
    for start in range(0, len(sides.released), step):
        part = slice(start, start + step)
        chance = told.transition_chances(asked, sides.shares[part]) / total[part, None]
        some_rows = sides._replace(released=sides.released[part])
        for some in differing:
            row, found = _find_first_best(some_rows, int(some), chance[:, some])
            row += start
            better = (found > top) | ((found == top) & (row < best))
            best[better], top[better] = row[better], found[better]
    return best, top


def _sum_chances(sides: Sides, only: Floats) -> Floats:
    """By row the sum of the chances of all records: by what was drawn, those that agree besides."""
    total = np.zeros(len(sides.released))
    for drawn in np.flatnonzero(only > 0):
        own, theirs, size = _number_combinations(sides, int(drawn))
        held = np.bincount(own, sides.sizes, minlength=size)[theirs]
        total += only[drawn] * sides.shares[:, _list_columns(int(drawn), sides)].prod(axis=1) * held
    return total


def _find_first_best(sides: Sides, some: int, chance: Floats) -> tuple[Rows, Floats]:
    """For each record, of the rows that agree outside a set, the first with the highest chance."""
    own, theirs, size = _number_combinations(sides, some)
    order = np.argsort(-chance, kind="stable")[::-1]
    place = np.full(size, -1, np.intp)
    place[theirs[order]] = order  # of several the last written stays, and is the best
    row = place[own]
    return row, np.where(row < 0, -1.0, chance[row])


def _number_combinations(sides: Sides, some: int) -> tuple[Rows, Rows, int]:
    """Numbers for the combinations of the columns outside a set, for records and rows."""
    most = np.maximum(sides.codes.max(axis=0), sides.released.max(axis=0)) + 1
    places = np.r_[1, np.cumprod(most[:-1])]
    places[_list_columns(some, sides)] = 0
    keys = np.concatenate([sides.codes @ places, sides.released @ places])
    numbers, found = pd.factorize(keys)
    return numbers[: len(sides.codes)], numbers[len(sides.codes) :], len(found)


def _list_columns(some: int, sides: Sides) -> Ints:
    """Find the columns of a set."""
    return np.flatnonzero(some >> np.arange(sides.codes.shape[1]) & 1)
