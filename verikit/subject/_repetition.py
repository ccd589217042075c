"""The published method repeated with a person's record, a little at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from verikit._support.guard import guard
from verikit._support.requests import whole
from verikit.errors import RecordError
from verikit.release import Release, TableRelease
from verikit.subject._check import kind_of, require_runs
from verikit.subject.masked import Repetition, find_closest
from verikit.subject.masked import prepare_repetition as make_repetition


@guard("The record or the release", RecordError)
def repetition(
    record: Mapping[str, Any], release: Release, *, runs: int = 100
) -> Repetition | None:
    """Make ready to repeat the published method with her record, and attack her each time.

    What `check` does at once for ``runs=100`` is done here some at a time, so that a screen can
    answer meanwhile.

    Parameters
    ----------
    record, release
        As `check` takes them.
    runs
        How often the method is repeated with her record; about as many repetitions besides teach
        the attacker, and tell how well the published table stands in for the original.

    Returns
    -------
    Repetition or None
        Its ``advance(seconds)`` goes on for some time and tells whether all is done; ``found`` is
        then what `check` takes as ``runs``. None where the method cannot be repeated.

    Raises
    ------
    RecordError, SchemaError
        As `check` raises them.

    References
    ----------
    [DM]_ section 5.1 judges a masking by the attack of one who knows all of the original.

    Notes
    -----
    Seconds for a thousand records; not above 20,000.

    Examples
    --------
    >>> import verikit as vk
    >>> record, release = vk.load("dm_table1").record(2), vk.published("dm_table1_masked")
    >>> work = repetition(record, release)
    >>> work.advance()
    True
    >>> vk.check(record, release, runs=work.found).sentence("S9").partition(" between")[0]
    "If you are in this table, an attacker who knows everybody's values finds you in"
    """
    whole(require_runs(runs), "runs")
    masked = kind_of(release, record).name == "masked" and len(release) > 1
    if not masked:
        return None
    return make_repetition(find_closest(record, cast("TableRelease", release)), runs)
