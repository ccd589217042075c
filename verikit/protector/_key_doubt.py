"""Whether a key could come from the method that a release names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit.errors import VerikitError
from verikit.intruder import compare_tables, find_records, make_repeat
from verikit.release import Key, Masked, TableRelease
from verikit.table import Microdata
from verikit.words import count

REPETITIONS, FIRST_SEED = 12, 715_225_739
SPREADS = 10  # standard deviations, farther off than which no repetition lies by chance


def doubt_key(data: Microdata, release: TableRelease, rows: Rows) -> str:
    """Say why a key cannot come from the published method; nothing where it can, or none is told.

    What a method promises is held against every row. Where it can be repeated, the places that
    values move on average, and the records that stand there nearly whole, are held against those of
    repetitions.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.simulate("dm", 100, seed=1)
    >>> release, key = vk.mask.noise(data, scale=0.5, seed=2)
    >>> doubt_key(data, release, key.rows)
    ''
    >>> other = vk.Key.of(np.roll(key.rows, 1))
    >>> doubt_key(data, release, other.rows)[:58]
    'The key cannot come from noise as published: values of X1 '
    """
    tables = compare_tables(data, release)
    says = f"The key cannot come from {release.method or 'what is promised'} as published: "
    places = tables.places(np.arange(len(data)), rows)
    absent = [name for name in tables.ranked if name not in tables.reordered]
    if release.promise == "as it was" and places.any():
        changed = count(places.any(axis=1).sum(), "person has", "people have")
        return f"{says}{changed} a row with other values than theirs."
    if release.promise == "another order" and absent:
        return f"{says}{absent[0]} holds other values than the original, not another order of them."
    found = _compare_repetitions(data, release, rows, tables.attributes)
    return f"{says}{found}" if found else ""


def _compare_repetitions(
    data: Microdata, release: TableRelease, rows: Rows, names: Sequence[str]
) -> str:
    """Say what lies far from all repetitions of the published method, if anything does."""
    repeat = make_repeat(release)
    if repeat is None:
        return ""
    try:
        again = [repeat(data, FIRST_SEED + run) for run in range(REPETITIONS)]
        drawn = np.array([_measure(data, part) for part in again])
    except VerikitError:  # parameters that do not fit this table
        return ""
    found = _measure(data, Masked(release, Key.of(rows)))
    mean, spread = drawn.mean(axis=0), drawn.std(axis=0, ddof=1)
    least = np.r_[np.full(len(names), 1e-3 * len(data)), np.sqrt(mean[-1] + 1)]
    spread = np.maximum(spread, least)  # a dozen repetitions may agree by chance
    far = np.flatnonzero(np.abs(found - mean) > SPREADS * spread)
    if not len(far):
        return ""
    at = int(far[0])
    ends = f"{drawn[:, at].min():,.3g} to {drawn[:, at].max():,.3g} in {REPETITIONS} repetitions"
    if at == len(names):
        return f"{found[at]:,.0f} people have their own record there, {ends}."
    return f"values of {names[at]} move {found[at]:,.3g} places on average, {ends}."


def _measure(data: Microdata, masked: Masked) -> Floats:
    """The places that the values of each column move on average, and the records that stand."""
    release = cast("TableRelease", masked.release)
    places = compare_tables(data, release).places(np.arange(len(data)), masked.key.rows)
    return np.r_[places.mean(axis=0), find_records(data, release, places=1).count]
