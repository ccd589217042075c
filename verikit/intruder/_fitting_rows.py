"""Link records to all rows that may be theirs: by cells that cover them, or by their group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from verikit._support.arrays import Ints
from verikit.cells import Related
from verikit.errors import InfeasibleError
from verikit.intruder._covers import Cover, Held, cover_by_cells, cover_by_groups
from verikit.intruder._ranked_tables import Compared, Links
from verikit.matching import (
    expand_ranges,
    find_compatible_pairs,
    find_hidden_rows,
    suppresses_classes,
)
from verikit.ranks import find_all_matches
from verikit.release import Release, SplitRelease, TableRelease, by_groups
from verikit.table import Microdata
from verikit.words import listed

MAX_CANDIDATES, PAIRS_AT_ONCE = 2**26, 2**22


def link_by_cover(data: Microdata, release: Release, tables: Compared) -> Links:
    """List the rows that may be each record, in some way to undo the method.

    A cell may be each value that it covers, and the values of a group may belong to its rows in
    every order. Where no row may be a record, the closest ones are listed by what has ranks.
    """
    names = tables.attributes
    if by_groups(release):
        records, rows = _pair_groups(data, release, names)
    else:
        records, rows = _pair_cells(data, cast("TableRelease", release), names)
    n = len(tables)
    lost = np.flatnonzero(np.bincount(records, minlength=n) == 0)
    distance = np.zeros(n)
    if len(lost) and tables.ranked:
        found = find_all_matches(tables.first[lost], tables.last[lost], *tables.ranks[2:])
        distance[lost] = found.distance
        records = np.concatenate([records, np.repeat(lost, found.counts)])
        rows = np.concatenate([rows, found.rows])
    order = np.lexsort((rows, records))
    starts = np.r_[0, np.cumsum(np.bincount(records, minlength=n))].astype(np.intp)
    measure = distance[records[order]]
    return Links("maximum_rank", tables, starts, rows[order].astype(np.intp), measure)


def _pair_cells(data: Microdata, release: TableRelease, names: Sequence[str]) -> tuple[Ints, Ints]:
    """Pair records with the rows all of whose cells may be theirs; none withheld beside others."""
    covers = [cover_by_cells(data, release, name) for name in names]
    records, rows = _list_rows(covers, names)
    if suppresses_classes(release):
        seen = ~find_hidden_rows(release)[rows]
        kept = seen | ~(np.bincount(records, seen, minlength=len(data)) > 0)[records]
        records, rows = records[kept], rows[kept]
    return records, rows


def _list_rows(covers: Sequence[Cover], names: Sequence[str]) -> tuple[Ints, Ints]:
    related = [cover.fits for cover in covers if isinstance(cover.fits, Related)]
    found = find_compatible_pairs(related)
    kinds = found.pairs()
    sizes = np.bincount(found.first)[kinds[0]] * np.bincount(found.second)[kinds[1]]
    _refuse_too_many(int(sizes.sum()), names)
    return found.rows()


def _pair_groups(data: Microdata, release: SplitRelease, names: Sequence[str]) -> tuple[Ints, Ints]:
    """Pair records with the rows of the groups that hold all their values."""
    known = [name for name in names if release.schema[name].role != "sensitive"]
    apart = release.list_parts(sensitive=True)
    apart += release.list_parts(sensitive=False) if release.permuted else []
    parts = ([name for name in part if name in names] for part in apart)
    held = [cover_by_groups(data, release, part) for part in parts if part]
    if known and not release.permuted:
        records, rows = _list_rows([cover_by_cells(data, release, name) for name in known], names)
        for cover in held:
            kept = cover.meet(records, rows)
            records, rows = records[kept], rows[kept]
        return records, rows
    return _list_members(held, names)


def _list_members(held: Sequence[Cover], names: Sequence[str]) -> tuple[Ints, Ints]:
    """Pair records with all rows of the groups that hold their values."""
    fits = [cover.fits for cover in held if isinstance(cover.fits, Held)]
    reach = [np.diff(part.ranges_of(c.own), axis=0)[0] for part, c in zip(fits, held, strict=True)]
    first = int(np.argmin([part.sum() for part in reach]))
    shown, some = held[0].shown, fits[first]
    order, sizes = np.argsort(shown, kind="stable"), np.bincount(shown, minlength=some.groups)
    starts, found, total = np.cumsum(sizes) - sizes, [], 0
    ends = np.cumsum(reach[first])
    cuts = np.searchsorted(ends, np.arange(0, ends[-1] + 1, PAIRS_AT_ONCE), side="right")
    for part in np.split(np.arange(len(ends)), cuts[1:]):
        at, owner = expand_ranges(*some.ranges_of(held[first].own[part]))
        records, groups = part[owner], some.keys[at] % some.groups
        for cover, other in zip(held, fits, strict=True):
            kept = other.meet(cover.own[records], groups)
            records, groups = records[kept], groups[kept]
        total += int(sizes[groups].sum())
        _refuse_too_many(total, names)
        places, owner = expand_ranges(starts[groups], starts[groups] + sizes[groups])
        found.append((records[owner], order[places]))
    return np.concatenate([a for a, _ in found]), np.concatenate([b for _, b in found])


def _refuse_too_many(pairs: int, names: Sequence[str]) -> None:
    if pairs > MAX_CANDIDATES:
        raise InfeasibleError(
            f"Linking by {listed(names)} leaves {pairs:,} candidates or more; name more attributes "
            "to link by, or take a sample of the records."
        )
