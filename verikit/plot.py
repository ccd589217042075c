"""Pictures for notebooks: figures that carry their own words, for those who cannot see them.

matplotlib is imported inside the functions, and pyplot not at all. Colours are those of Okabe and
Ito; every difference in colour is one of shape or hatching too.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._html import cell, element
from verikit.errors import FormatError, RecordError, SchemaError
from verikit.protector import AuditReport
from verikit.ranks import mid_ranks
from verikit.subject import SubjectReport
from verikit.utility import Noise

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Picture", "html", "noise_sizes", "permutation", "places", "views"]

Floats: TypeAlias = npt.NDArray[np.float64]

BLUE, ORANGE, GREEN, PURPLE, SKY = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9"
GREY, PALE = "#6b747d", "#c3cad1"
SHAPES = ("o", "s", "^", "D", "v", "P")
COLOURS = (BLUE, ORANGE, GREEN, PURPLE)
DOTS_PER_INCH = 144
FEW = 200
ACROSS = 4


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn figure and the words that stand for it.

    Parameters
    ----------
    png
        The figure as an image file.
    alt
        What a person who cannot see it is told.
    width
        Its width on the screen, in pixels.
    """

    png: bytes = field(repr=False)
    alt: str
    width: int

    def __repr__(self) -> str:
        return f"Picture: {self.alt}"

    def _repr_html_(self) -> str:
        source = "data:image/png;base64," + base64.b64encode(self.png).decode("ascii")
        style = f"width:{self.width}px;max-width:100%;height:auto"
        return element("img", "", src=source, alt=self.alt, style=style).removesuffix("</img>")


def html(figure: Figure, alt: str | None = None) -> Picture:
    """Show a figure in a notebook, with the words that stand for it.

    Parameters
    ----------
    figure
        A matplotlib figure.
    alt
        The words; by default those that the functions of this module give their figures.

    Returns
    -------
    Picture
        What Jupyter shows as an image, and a plain console as its words.

    Raises
    ------
    FormatError
        If the figure has no words and none are given.

    Examples
    --------
    >>> import verikit as vk
    >>> record, release = vk.load("dm_table1").record(2), vk.published("dm_table1_masked")
    >>> html(places(vk.check(record, release)), "Record 3 and its closest record")
    Picture: Record 3 and its closest record
    """
    words = str(figure.get_label()) if alt is None else alt
    if not words.strip():
        raise FormatError(
            "The figure has no words for those who cannot see it; give them as the second argument."
        )
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    return Picture(drawn.getvalue(), words, round(float(figure.get_figwidth()) * 96))


def permutation(before: pd.DataFrame, after: pd.DataFrame) -> Figure:
    """Draw each record's rank before and after masking, attribute by attribute.

    On the diagonal a record kept its rank; the length of the line to it is the places it moved.

    Parameters
    ----------
    before, after
        Numbers of the same records in the same order, such as the original and the reverse-mapped
        table; the columns that both have are drawn.

    Raises
    ------
    SchemaError
        If the tables differ in length, share no column, or hold what has no rank.

    References
    ----------
    [DM]_ section 3, Table 1

    Examples
    --------
    >>> import verikit as vk
    >>> before, after = vk.load("dm_table1").frame, vk.load("dm_table1_mapped").frame
    >>> print(html(permutation(before[["X1"]], after[["X1"]])).alt)
    Rank before against rank after masking of 20 records.
    X1: moved 3.6 places on average, 9 at most; 1 unmoved.
    """
    names = [name for name in before if name in after]
    if not names or len(before) != len(after):
        raise SchemaError(
            f"The tables have {len(before)} and {len(after)} records and share {len(names)} "
            "columns; expected the same records and at least one column in both."
        )
    figure, panels = _panels(names, "rank before", "rank after")
    said = []
    for panel, name, shape, colour in zip(
        panels, names, cycle(SHAPES), cycle(COLOURS), strict=False
    ):
        old, new = (_ranks(table, name) for table in (before, after))
        moved = np.abs(new - old)
        _diagonal(panel, 1, len(before))
        if len(before) <= FEW:
            panel.vlines(old, np.minimum(old, new), np.maximum(old, new), color=PALE, linewidth=2)
        panel.plot(old, new, shape, color=colour, markersize=6 if len(before) <= FEW else 2)
        said.append(
            f"{name}: moved {moved.mean():.1f} places on average, {moved.max():,.0f} at most; "
            f"{int((moved == 0).sum()):,} unmoved."
        )
    return _worded(
        figure, [f"Rank before against rank after masking of {len(before):,} records.", *said]
    )


def noise_sizes(noise: Noise) -> Figure:
    """Draw the noise left beside the permutation next to all that masking changed.

    Bars are means, dots the single records.

    Parameters
    ----------
    noise
        What `verikit.utility.residual_noise` found.

    References
    ----------
    [DM]_ section 3, Table 2

    Examples
    --------
    >>> import verikit as vk
    >>> data, masked = vk.load("dm_table1"), vk.load("dm_table1_masked")
    >>> noise = vk.utility.residual_noise(data, masked, seed=1)
    >>> print(html(noise_sizes(noise)).alt)
    Mean size of the noise.
    X1: 5.94 in all, 2.32 left after the permutation.
    X2: 26.07 in all, 17.72 left after the permutation.
    X3: 59.97 in all, 27.86 left after the permutation.
    """
    names = list(noise.total)
    figure, panels = _panels(names, "", "size of the noise")
    said = ["Mean size of the noise."]
    for panel, name in zip(panels, names, strict=False):
        total, left = (table[name].abs().to_numpy(float) for table in (noise.total, noise.residual))
        _bar_and_dots(panel, 0, total, ORANGE)
        _bar_and_dots(panel, 1, left, BLUE)
        panel.set_xticks([0, 1], ["in all", "left"])
        said.append(
            f"{name}: {cell(total.mean())} in all, {cell(left.mean())} left after the permutation."
        )
    return _worded(figure, said)


def places(report: SubjectReport) -> Figure:
    """Draw a record among the ranks of a masked table: one line an attribute.

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
    >>> print(html(places(vk.check(record, release))).alt)
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
        _record_line(panel, level, line, n)
        said.append(
            f"{line.attribute}: yours {line.first_rank}, closest record {line.match_rank}, "
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
    return _worded(figure, said)


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
    >>> print(html(views(vk.audit(data, release, vk.Key.of(range(20))))).alt)
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
    figure, (panel, *_) = _panels([""], "places moved, as the protector knows", "as she can see")
    pairs, counts = np.unique(np.column_stack([full, seen]), axis=0, return_counts=True)
    _diagonal(panel, 0, int(full.max()))
    panel.scatter(
        pairs[:, 0], pairs[:, 1], s=36 * counts, color=BLUE, alpha=0.75, edgecolor="white"
    )
    return _worded(
        figure,
        [
            f"Places by record, at worst over the attributes, {report.records:,} records.",
            f"Seen by the protector: {_range(full)}.",
            f"Seen by the subject: {_range(seen)}.",
            f"The subject sees fewer for {fewer:,} records and more for {more:,}.",
        ],
    )


def _ranks(table: pd.DataFrame, name: str) -> Floats:
    try:
        values = table[name].to_numpy(dtype=np.float64)
    except (TypeError, ValueError):
        raise SchemaError(
            f"Column {name!r} holds {table[name].iloc[0]!r}; expected numbers, which have a rank."
        ) from None
    if np.isnan(values).any():
        raise SchemaError(
            f"Column {name!r} has {np.isnan(values).sum()} missing values, which have no rank; "
            "leave the column out."
        )
    return mid_ranks(values)


def _panels(names: Sequence[str], across: str, up: str) -> tuple[Figure, Sequence[Axes]]:
    """A figure with one small square panel for each name, at most four abreast."""
    from matplotlib.figure import Figure

    rows = -(-len(names) // ACROSS)
    columns = min(len(names), ACROSS)
    width = 2.9 if columns > 1 else 3.6
    figure = Figure(figsize=(width * columns, width * rows), layout="constrained")
    panels: list[Axes] = [figure.add_subplot(rows, columns, at + 1) for at in range(len(names))]
    for at, (panel, name) in enumerate(zip(panels, names, strict=True)):
        panel.set(title=name, xlabel=across, ylabel=up if at % ACROSS == 0 else "")
        panel.spines[["top", "right"]].set_visible(False)
    return figure, panels


def _diagonal(panel: Axes, low: int, high: int) -> None:
    panel.plot([low, high], [low, high], "--", color=GREY, linewidth=1, zorder=0)


def _record_line(panel: Axes, level: int, line: Any, n: int) -> None:
    first, last = line.window_first - 0.4, line.window_last + 0.4
    panel.hlines(level, 1, n, color=PALE, linewidth=1)
    panel.barh(
        level, last - first, 0.6, first, color=SKY, alpha=0.3, hatch="//", edgecolor="white",
        label="within its distance",
    )  # fmt: skip
    if n <= FEW:
        panel.plot(np.arange(1, n + 1), np.full(n, level), "o", color=GREY, markersize=3)
    panel.plot(line.first_rank, level, "o", color=BLUE, markersize=11, label="you")
    panel.plot(
        line.match_rank, level, "s", color=ORANGE, markersize=13, markerfacecolor="none",
        markeredgewidth=2.5, label="closest record",
    )  # fmt: skip


def _bar_and_dots(panel: Axes, place: int, sizes: Floats, colour: str) -> None:
    """A mean as a bar and what it is the mean of as dots; every second bar is hatched."""
    hatch, shape = ("", "s") if place % 2 == 0 else ("///", "o")
    panel.bar(place, sizes.mean(), 0.7, color="white", edgecolor=colour, hatch=hatch, linewidth=2)
    aside = place + np.linspace(-0.25, 0.25, len(sizes))
    panel.plot(aside, sizes, shape, color=colour, markersize=4, alpha=0.6)


def _range(values: npt.NDArray[np.int64]) -> str:
    return f"{values.min():,} to {values.max():,}, {values.mean():.1f} on average"


def _worded(figure: Figure, said: Iterable[str]) -> Figure:
    figure.set_label(" ".join(said))
    return figure
