"""A record among the ranks of a masked table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Ints
from verikit.errors import RecordError
from verikit.plot._picture import (
    BLUE,
    GREY,
    MAX_MARKED,
    ORANGE,
    PALE,
    SKY,
    describe_figure,
    draw_diagonal,
    make_panels,
)
from verikit.protector import AuditReport
from verikit.subject import SubjectReport
from verikit.words import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def places(report: SubjectReport) -> Figure:
    """Draw a record among the ranks of a masked table: one line an attribute.

    Equal values share several ranks, drawn as a line; the marks stand at the ends of two such
    lines that are nearest to each other.

    Parameters
    ----------
    report
        What `verikit.check` found on a table of masked values.

    Raises
    ------
    RecordError
        If the report has nothing to draw.

    References
    ----------
    [DM]_ Table 3

    Examples
    --------
    >>> import verikit as vk
    >>> record, release = vk.load("dm_table1").record(2), vk.published("dm_table1_masked")
    >>> print(vk.plot.html(places(vk.check(record, release))).alt)
    Ranks among 20 published records.
    X1: yours 8, closest record 12, window 4 to 12.
    X2: yours 2, closest record 3, window 1 to 3.
    X3: yours 16, closest record 12, window 12 to 20.
    """
    from matplotlib.figure import Figure

    lines = report.tables.get("attributes", pd.DataFrame())
    if "window_first" not in lines or not len(lines):
        raise RecordError(
            "The report has no ranks to draw; give a check against a table of masked values."
        )
    n = int(report.facts["records"])
    figure = Figure(figsize=(7.5, 0.9 + 0.55 * len(lines)), layout="constrained")
    panel = figure.add_subplot()
    said = [f"Ranks among {n:,} published records."]
    for level, line in enumerate(lines.itertuples()):
        _draw_record(panel, level, line, n)
        said.append(
            f"{line.attribute}: yours {_write_ranks(line.first_rank, line.last_rank)}, "
            f"closest record {_write_ranks(line.match_first, line.match_last)}, "
            f"window {line.window_first} to {line.window_last}."
        )
    panel.set(
        ylim=(len(lines) - 0.5, -0.5),
        xticks=np.unique(np.linspace(1, n, 5).round()),
        yticks=range(len(lines)),
        yticklabels=lines["attribute"],
        xlabel=f"rank in the published column, lowest value 1, highest {n:,}",
    )
    panel.spines[:].set_visible(False)
    panel.tick_params(axis="y", length=0)
    handles, labels = panel.get_legend_handles_labels()
    few = dict(zip(labels, handles, strict=True))
    figure.legend(few.values(), few.keys(), loc="outside upper right", ncols=3, frameon=False)
    return describe_figure(figure, said)


def _write_ranks(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first} to {last}"


def _draw_record(panel: Axes, level: int, line: Any, n: int) -> None:
    first, last = line.window_first - 0.4, line.window_last + 0.4
    panel.hlines(level, 1, n, color=PALE, linewidth=1)
    panel.barh(
        level, last - first, 0.6, first, color=SKY, alpha=0.3, hatch="//", edgecolor="white",
        label="within its distance",
    )  # fmt: skip
    if n <= MAX_MARKED:
        panel.plot(np.arange(1, n + 1), np.full(n, level), "o", color=GREY, markersize=3)
    ties = ((line.first_rank, line.last_rank, BLUE), (line.match_first, line.match_last, ORANGE))
    for (begin, end, colour), shift in zip(ties, (-0.06, 0.06), strict=True):
        if begin < end:
            panel.hlines(level + shift, begin, end, color=colour, linewidth=3)
    yours = min(max(line.match_rank, line.first_rank), line.last_rank)
    panel.plot(yours, level, "o", color=BLUE, markersize=11, label="you")
    panel.plot(
        line.match_rank, level, "s", color=ORANGE, markersize=13, markerfacecolor="none",
        markeredgewidth=2.5, label="closest record",
    )  # fmt: skip


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
    figure, (panel, *_) = make_panels(
        [""], "places moved, as the protector knows", "as she can see"
    )
    pairs, counts = np.unique(np.column_stack([full, seen]), axis=0, return_counts=True)
    draw_diagonal(panel, 0, int(full.max()))
    panel.scatter(
        pairs[:, 0], pairs[:, 1], s=36 * counts, color=BLUE, alpha=0.75, edgecolor="white"
    )
    return describe_figure(
        figure,
        [
            f"Places by record, at worst over the attributes, {count(report.records, 'record')}.",
            f"Seen by the protector: {_write_range(full)}.",
            f"Seen by the subject: {_write_range(seen)}.",
            f"The subject sees fewer for {count(int(fewer), 'record')} and more for {more:,}.",
        ],
    )


def _write_range(values: Ints) -> str:
    return f"{values.min():,} to {values.max():,}, {values.mean():.1f} on average"
