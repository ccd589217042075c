"""What somebody guesses of one person who repeats the method that made the groups."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import TypeAlias
from weakref import WeakKeyDictionary

from verikit._support.arrays import Rows
from verikit.errors import SchemaError
from verikit.matching import Contents
from verikit.release import SplitRelease, by_secrets
from verikit.words import text

MOST_ROWS = 100_000  # some seconds
Lines: TypeAlias = Mapping[int, list[tuple[int, float]] | None]
_KEPT: WeakKeyDictionary[SplitRelease, dict[str, Lines]] = WeakKeyDictionary()


def find_repeated(release: SplitRelease, sensitive: str) -> Lines:
    """Find the rows of which the method, repeated, tells more than their group.

    By row the places of the values that it may have, each with its chance; None where these were
    not counted. It lies beside the release, for the next person.

    Examples
    --------
    >>> import pandas as pd
    >>> import verikit as vk
    >>> frame = pd.DataFrame({"age": [20, 20, 21, 22, 24, 27], "ill": list("BAABCC")})
    >>> data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    >>> groups = vk.partition.entropy_diverse(data, ell=2)
    >>> release = vk.mask.anatomize(data, partition=groups, seed=1).release
    >>> sorted(part for line in find_repeated(release, "ill").values() for part in line)
    [(0, 0.5), (0, 0.5), (1, 0.5), (1, 0.5), (2, 1.0), (2, 1.0)]
    """
    kept = _KEPT.setdefault(release, {})
    if sensitive not in kept:
        kept[sensitive] = _repeat(release, sensitive)
    return kept[sensitive]


def _repeat(release: SplitRelease, sensitive: str) -> Lines:
    from verikit.intruder import repeated_partition

    told = release.parameters.get("partition")
    asked = told.get("sensitive") if isinstance(told, Mapping) else None
    if not by_secrets(release) or len(release) > MOST_ROWS or asked != sensitive:
        return {}
    try:
        found = repeated_partition(release)
    except SchemaError:  # columns were shuffled, or it was made otherwise
        return {}
    place = {name: at for at, name in enumerate(Contents(release, sensitive).values)}
    lines: dict[int, list[tuple[int, float]] | None] = {}
    for row, (shown, possible) in enumerate(zip(found.shown, found.possible, strict=True)):
        if possible == shown:
            continue
        chances = dict.fromkeys(possible, 1.0) if len(possible) == 1 else possible
        named = sorted((place.get(text(value), -1), chance) for value, chance in chances.items())
        counted = not any(at < 0 or isnan(chance) for at, chance in named)
        lines[row] = named if counted else None
    return lines if any(lines.values()) else {}


def guess_by_repeating(
    release: SplitRelease, sensitive: str, rows: Rows, contents: Contents
) -> tuple[str, float] | None:
    """Guess a person's value by repeating the method; None where that tells nothing.

    Each row with her values is as likely hers.
    """
    lines, groups = find_repeated(release, sensitive), release.labels.quasi
    if not lines or not any(row in lines for row in rows.tolist()):
        return None
    sums = [0.0] * len(contents.values)
    for row in rows.tolist():
        line = lines.get(row, ())
        if line is None:
            return None
        group = int(groups[row])
        size = int(release.sizes[group])
        pairs = zip(*(part.tolist() for part in contents.of(group)), strict=True)
        shares = [(at, held / size) for at, held in pairs]
        for at, chance in line if row in lines else shares:
            sums[at] += chance / len(rows)
    named = sums[:-1]  # a missing one is no value
    best = named.index(max(named))
    return contents.values[best], min(named[best], 1.0)
