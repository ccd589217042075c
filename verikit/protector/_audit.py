"""The audit: both views of every record, the subject's and that of the one who holds the key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np

from verikit._support.requests import instance
from verikit.errors import InfeasibleError, RecordError, SchemaError
from verikit.protector._audit_report import AuditReport
from verikit.protector._baselines import Baselines, baselines
from verikit.protector._both_views import (
    diversities,
    places_moved,
    places_to_closest,
    ranked_pair,
)
from verikit.protector._exposure import counted, exposure
from verikit.ranks.spread import Criterion
from verikit.release import Key, Release, TableRelease, whole_records
from verikit.subject import Required, Requirement
from verikit.table import Microdata, table_of
from verikit.utility import paired

__all__ = ["audit"]

COMPARED = 2_000


def audit(
    data: Microdata,
    release: Release,
    key: Key,
    *,
    distance: int | Mapping[str, int] | None = None,
    diversity: float | Mapping[str, float] | None = None,
    criterion: str | Criterion = "variance",
    subject_view: bool = True,
) -> AuditReport:
    """Check a release for every record, as protector and as each subject would see it.

    Parameters
    ----------
    data, release, key
        The original, what is to be published, and which row came from which record.
    distance, diversity, criterion
        The requirement, for all attributes at once or one by one.
    subject_view
        Whether to find what others can too, which is most of the work: each subject's closest
        record, and what the strongest attack finds (above 50,000 records the attack by ranks).

    Returns
    -------
    AuditReport
        Both views by record, which records fail and why, worst first; and the largest distance
        that the whole release keeps.

    Raises
    ------
    RecordError
        If the key or the requirement does not fit the tables.
    SchemaError
        If the tables share no attribute that can be ranked, or values are missing.

    References
    ----------
    [DM]_ Definitions 1 and 2, Algorithm 2

    Notes
    -----
    O(n log n) an attribute for the protector's view. The subjects' view searches all records in a
    k-d tree of their ranks. With diversity required and no distance, the window is each record's
    own distance.

    Examples
    --------
    >>> import verikit as vk
    >>> data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    >>> audit(data, release, vk.Key.of(range(20)))
    20 records, 3 attributes.
    Every record was moved at least this many places: X1 1, X2 0, X3 0.
    As subjects see it, the closest record lies 1 or more places away, and 3 for the middle record.
    The strongest attack, normal_scores, links 12 of 20 people rightly; luck gives the best of 4 \
about 1.5.
    Most is given away by X2, X3 (8 right links by rank alone); X3 was masked least.
    Not tested: whether somebody is in the table at all, what can be inferred of one attribute \
from the others, and records that single themselves out.
    """
    data = table_of(data, "audit")
    instance(key, Key, "audit", "the Key that a mask gave with this release, or Key.open its file")
    if not hasattr(release, "kind"):
        raise SchemaError(
            f"audit was given {type(release).__name__}; expected a release, as a mask gives it."
        )
    if not whole_records(release):
        raise SchemaError(
            "An audit ranks whole records, but this release was published in separate tables; "
            "check its groups with the models of diversity instead."
        )
    if len(key) != len(data):
        raise RecordError(
            f"The key is for {len(key)} records, but the original has {len(data)}; use the key "
            "that was made with this release."
        )
    pairs = paired(data, key.undo(release))
    names = tuple(pair.name for pair in pairs)
    required = Requirement(distance, diversity, criterion).among(names)
    ranked = [ranked_pair(pair, release.scores(pair.name)) for pair in pairs]
    moved = np.array([places_moved(part, key.rows) for part in ranked]).T  # column by column
    found = places_to_closest(ranked) if subject_view else None
    spread = diversities(ranked, moved, required) if _asks_diversity(required) else None
    attacked, few = subject_view and len(data) == len(release), len(data) <= COMPARED
    look = exposure if few else counted
    exposed = look(data, release, key, attributes=names) if attacked else None
    beside = _baselines(data, release, names) if attacked and few else None
    method = str(release.method or "")
    left = tuple(name for name in release.schema.names if name not in names)
    return AuditReport(names, moved, found, spread, required, exposed, beside, method, left)


def _baselines(data: Microdata, release: Release, names: tuple[str, ...]) -> Baselines | None:
    """What being in the table gives away, where the method can be repeated on half of it."""
    try:
        return baselines(data, cast("TableRelease", release), attributes=names)
    except InfeasibleError:
        return None


def _asks_diversity(required: Required) -> bool:
    return any(value is not None for value in required.diversity.values())
