"""How often values occur: one panel a column, numbers as steps and categories as bars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Floats
from verikit._support.html import cell
from verikit.errors import SchemaError
from verikit.plot._picture import BLUE, ORANGE, describe_figure, make_panels
from verikit.release import GraphRelease, SplitRelease, TableRelease
from verikit.table import BipartiteGraph, Microdata, Schema
from verikit.words import count, listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS, BARS, STEPS, LONGEST = 12, 10, 20, 18
LOOK: Mapping[str, Any] = {"color": "white", "edgecolor": BLUE, "hatch": "///", "linewidth": 1.2}


def frequencies(
    table: pd.DataFrame | Mapping[str, npt.ArrayLike | pd.Series[Any]],
    *,
    up: str = "records",
    asked: Mapping[str, float] | None = None,
) -> Figure:
    """Draw how often each value of each column occurs.

    Numbers are counted between steps of equal width, whole ones that lie close together each by
    itself; of many categories the most frequent ones are drawn, and the others together. Of a wide
    table the first 12 columns are drawn.

    Parameters
    ----------
    table
        What is counted by name, one column a panel; the names stand at the axes.
    up
        What the lines of the table are.
    asked
        By column of numbers, what was asked for: a dashed line.

    Raises
    ------
    SchemaError
        If there is nothing to count.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [20, 21, 21, 24], "sex": ["F", "M", "F", None]})
    >>> print(frequencies(table, up="people").get_label())
    How many people have each value. Age: 4 numbers, 20 to 24, 21 in the middle.
    Sex: F 2, M 1, missing 1.
    """
    columns = {str(name): pd.Series(table[name]) for name in table}
    if not any(map(len, columns.values())):
        raise SchemaError(
            f"{count(len(columns), 'column')} without a value was given; there is nothing to count."
        )
    names = list(columns)[:PANELS]
    figure, panels = make_panels(names, "", up)
    said = [f"How many {up} have each value."]
    for panel, name in zip(panels, names, strict=True):
        panel.set_title("")
        values, line = columns[name], (asked or {}).get(name)
        numbers = _find_numbers(values)
        told = (
            _draw_bars(panel, values, name, up)
            if numbers is None
            else _draw_steps(panel, numbers, (name, up), line)
        )
        said.append(f"{name[:1].upper()}{name[1:]}: {told}.")
    if len(columns) > PANELS:
        said.append(f"{count(len(columns) - PANELS, 'more column')} not drawn.")
        figure.suptitle(said[-1], fontsize="small")
    if asked:
        figure.legend(
            *panels[0].get_legend_handles_labels(), loc="outside lower center", frameon=False
        )
    return describe_figure(figure, said)


def _find_numbers(values: pd.Series[Any]) -> Floats | None:
    """A column as numbers, where it holds nothing else."""
    if isinstance(values.dtype, pd.CategoricalDtype) or values.map(type).eq(bool).any():
        return None
    try:
        return np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan))
    except (TypeError, ValueError):
        return None


def _draw_steps(panel: Axes, numbers: Floats, names: tuple[str, str], asked: float | None) -> str:
    """Draw how many numbers lie in each step, and say what was drawn."""
    from matplotlib.ticker import MaxNLocator

    known = numbers[np.isfinite(numbers)]
    whole = bool((known == known.round()).all())
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    around = 0.05 * abs(low) if low == high else 0.0
    if len(known) and whole and high - low <= STEPS:
        panel.bar(*np.unique(known, return_counts=True), 0.7, **LOOK)
        panel.set_xlim(low - 1.2, high + 1.2)
    elif len(known):
        steps = int(np.clip(2 * np.sqrt(len(known)), 5, STEPS)) if low < high else 1
        heights, edges = np.histogram(known, steps, (low - around, high + around))
        look = {**LOOK, "color": None, "facecolor": "none"}
        panel.stairs(heights, edges, fill=True, **look)
        if low == high:
            panel.set_xlim(low - 10 * around, high + 10 * around)
    without = {"missing": int(np.isnan(numbers).sum()), "without end": int(np.isinf(numbers).sum())}
    aside = ", ".join(f"{number:,} {word}" for word, number in without.items() if number)
    panel.set(xlabel=f"{names[0]} ({aside})" if aside else names[0], ylabel=names[1])
    panel.xaxis.set_major_locator(MaxNLocator(4, integer=whole))
    panel.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    told = [count(len(known), "number")]
    if len(known):
        middle = cell(float(np.median(known)))
        told += [f"{cell(low)} to {cell(high)}", f"{middle} in the middle"]
    if asked is not None:
        panel.axvline(asked, color=ORANGE, linestyle="--", linewidth=2, label="asked for")
        told.append(f"{cell(float(asked))} asked for")
    return ", ".join([*told, *([aside] if aside else [])])


def _draw_bars(panel: Axes, values: pd.Series[Any], name: str, up: str) -> str:
    """Draw how often each category occurs, and say so."""
    from matplotlib.ticker import MaxNLocator

    counts = _count_values(values)
    panel.barh(range(len(counts)), list(counts.values()), 0.7, **LOOK)
    labels = [part if len(part) <= LONGEST else f"{part[: LONGEST - 1]}…" for part in counts]
    panel.set(
        yticks=range(len(counts)), yticklabels=labels, ylim=(len(counts) - 0.4, -0.6), xlabel=up,
        ylabel=name,
    )  # fmt: skip
    panel.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    return ", ".join(f"{part} {number:,}" for part, number in counts.items())


def _count_values(values: pd.Series[Any]) -> dict[str, int]:
    """How often each category occurs: in their own order, else the most frequent first."""
    found = values.dropna()
    ordered = isinstance(values.dtype, pd.CategoricalDtype) and values.dtype.ordered
    counts = found.value_counts(sort=not ordered)
    if ordered:
        counts = counts.reindex(values.dtype.categories, fill_value=0)
    else:
        counts = counts[counts > 0]
    kept = counts if len(counts) <= BARS else counts.nlargest(BARS - 1)
    kept = counts[counts.index.isin(kept.index)]
    drawn = {str(value): int(number) for value, number in kept.items()}
    others = {f"{len(counts) - len(kept):,} others": int(counts.sum() - kept.sum())}
    missing = {"missing": int(values.isna().sum())}
    return drawn | {word: number for word, number in (others | missing).items() if number}


def draw_columns_of(
    table: Microdata | TableRelease, columns: Sequence[str] | None = None
) -> Figure:
    """How often the values of some columns occur, all by default, ranked as they are described."""
    return _draw_columns(table.schema, [table.frame], columns)


def draw_columns_of_both(release: SplitRelease, columns: Sequence[str] | None = None) -> Figure:
    """How often the values of some columns of either table occur, all by default."""
    return _draw_columns(release.schema, [release.sensitive, release.quasi], columns)


def _draw_columns(
    schema: Schema, parts: Sequence[pd.DataFrame], columns: Sequence[str] | None
) -> Figure:
    frame: dict[str, pd.Series[Any]] = {name: part[name] for part in parts for name in part}
    known = {column.name: column for column in schema.columns if column.name in frame}
    strange = [name for name in columns or () if name not in known]
    if strange:
        raise SchemaError(
            f"There is no column {listed(strange)} to draw; the table has {listed(known)}."
        )
    drawn = {}
    for name in columns or known:
        column, values = known[name], frame[name]
        if column.order and values.dropna().isin(column.order).all():
            values = pd.Series(pd.Categorical(values, column.order, ordered=True))
        drawn[f"{name} in {column.unit}" if column.unit else name] = values.reset_index(drop=True)
    return frequencies(drawn)


def draw_links_of_nodes(graph: BipartiteGraph | GraphRelease) -> Figure:
    """How many links the nodes of each side have."""
    ends = graph.edges if isinstance(graph, BipartiteGraph) else graph.links
    counted = {}
    for at, (side, nodes) in enumerate((("left", graph.left), ("right", graph.right))):
        counted[f"links of a node, {side}"] = pd.Series(
            np.bincount(ends[:, at], minlength=len(nodes))
        )
    return frequencies(counted, up="nodes")
