"""The published method run again on the original, to see where it moves the ranks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, cast

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit._support.seed import generator
from verikit.errors import InfeasibleError, VerikitError
from verikit.intruder._compared import Compared, compared
from verikit.mask import METHODS, Draws
from verikit.ranks import mid_ranks
from verikit.release import Masked, TableRelease
from verikit.table import Microdata

__all__ = ["moves_of", "repeatable"]

Repeat: TypeAlias = Callable[[Microdata, int], Masked]
SAMPLES = 200_000
SEEDS = 982_451_653


def repeatable(release: TableRelease) -> Repeat | None:
    """The published method with its published parameters; None where these do not suffice."""
    given = _given(release)
    if given is None:
        return None
    method = METHODS[release.method].function
    return lambda data, seed: method(data, **given, seed=seed)


def _given(release: TableRelease) -> dict[str, Any] | None:
    if release.method not in METHODS:
        return None
    takes = inspect.signature(METHODS[release.method].function).parameters
    given = {name: value for name, value in release.parameters.items() if name in takes}
    needed = {n for n, p in takes.items() if p.default is p.empty} - {"data", "seed"}
    return None if needed - given.keys() else given


def moves_of(
    data: Microdata, release: TableRelease, tables: Compared
) -> tuple[list[Floats], list[Floats]]:
    """By attribute, the ranks before and after masking of all records in all repetitions."""
    repeat = repeatable(release)
    if repeat is None:
        raise InfeasibleError(
            f"The release names the method {release.method!r}, which cannot be repeated from what "
            "is published; use the attack 'normal_scores'."
        )
    runs = int(np.clip(SAMPLES // len(tables), 3, 400))
    try:
        middles = list(_drawn(data, release, tables, runs) or _masked(data, repeat, tables, runs))
    except VerikitError as error:
        raise InfeasibleError(
            f"The published method cannot be repeated on the original: {error}"
        ) from error
    starts = np.tile(((tables.first + tables.last) / 2).T, runs)
    return list(starts), list(np.concatenate(middles).T.copy())


def _masked(data: Microdata, repeat: Repeat, tables: Compared, runs: int) -> Iterator[Floats]:
    """The ranks after each repetition, by releases and their keys."""
    for run in range(runs):
        again, where = repeat(data, SEEDS + run)
        ranked = compared(data, cast("TableRelease", again), tables.attributes)
        yield ((ranked.released_first + ranked.released_last) / 2)[where.rows]


def _drawn(
    data: Microdata, release: TableRelease, tables: Compared, runs: int
) -> Iterator[Floats] | None:
    """The same ranks without releases, where the method can draw its values alone."""
    again, given = METHODS[release.method].again, _given(release)
    if again is None or given is None:
        return None
    order = data.canonical_order()
    draw = again(data.take(order), **given)
    return (_ranks(draw, run, tables, order) for run in range(runs))


def _ranks(draw: Draws, run: int, tables: Compared, order: Rows) -> Floats:
    values = draw(generator(SEEDS + run))
    ranks: Floats = (tables.first + tables.last) / 2  # what is not masked stays where it is
    for j, name in enumerate(tables.attributes):
        if name in values:
            ranks[order, j] = mid_ranks(values[name])
    return ranks
