"""The protector's view of every record beside its subject's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from verikit._support.arrays import Ints
from verikit.errors import RecordError
from verikit.plot._panels import BLUE, diagonal, side_by_side
from verikit.plot._picture import worded
from verikit.protector import AuditReport
from verikit.words import count

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["views"]


def views(report: AuditReport) -> Figure:
    """Draw how far the protector knows each record was moved, and how far its subject can see.

    Parameters
    ----------
    report
        What `verikit.audit` found, with the subjects' view.

    Raises
    ------
    RecordError
        If the subjects' view was not asked for.

    References
    ----------
    [DM]_ section 4

    Examples
    --------
    >>> import verikit as vk
    >>> data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    >>> print(vk.plot.html(views(vk.audit(data, release, vk.Key.of(range(20))))).alt)
    Places by record, at worst over the attributes, 20 records.
    Seen by the protector: 1 to 11, 5.0 on average. Seen by the subject: 1 to 4, 2.9 on average.
    The subject sees fewer for 11 records and more for 0.
    """
    if report.subject is None:
        raise RecordError(
            "The audit left the subjects' view out; repeat it with subject_view=True."
        )
    full, seen = report.protector.max(axis=1), report.subject
    fewer, more = np.count_nonzero(seen < full), np.count_nonzero(seen > full)
    figure, (panel, *_) = side_by_side(
        [""], "places moved, as the protector knows", "as she can see"
    )
    pairs, counts = np.unique(np.column_stack([full, seen]), axis=0, return_counts=True)
    diagonal(panel, 0, int(full.max()))
    panel.scatter(
        pairs[:, 0], pairs[:, 1], s=36 * counts, color=BLUE, alpha=0.75, edgecolor="white"
    )
    return worded(
        figure,
        [
            f"Places by record, at worst over the attributes, {count(report.records, 'record')}.",
            f"Seen by the protector: {_range(full)}.",
            f"Seen by the subject: {_range(seen)}.",
            f"The subject sees fewer for {count(int(fewer), 'record')} and more for {more:,}.",
        ],
    )


def _range(values: Ints) -> str:
    return f"{values.min():,} to {values.max():,}, {values.mean():.1f} on average"
