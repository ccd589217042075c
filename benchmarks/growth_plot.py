"""Draw how jobs grow, and attacks a tenth above a size, from the tables in RESULTS.md.

Run with  python benchmarks/growth_plot.py   once these are measured; it writes growth.svg.
"""

from __future__ import annotations

import re
from typing import Any

import matplotlib as mpl
import numpy as np
from _timing import HERE
from matplotlib.figure import Figure

mpl.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "growth"}
STEP = re.compile(r"(\w+), ([\d,]+) x 3$")
MARKS, LIMIT = "os^vDPX*", 3


def rows(title: str) -> list[list[str]]:
    """The cells of the table in a section, its head first."""
    text = (HERE / "RESULTS.md").read_text(encoding="utf-8")
    content = text.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in content.split("\n") if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]


def jobs(panel: Any) -> None:
    """Seconds of each job by size, floors dashed; beneath them the slope of n log n."""
    head, *lines = rows("Growth")
    sizes = np.array([int(cell.replace(",", "")) for cell in head[1:-2]])
    for at, (name, *cells) in enumerate(lines):
        seconds = [float(cell) if cell != "-" else np.nan for cell in cells[: len(sizes)]]
        look = "--" if name.startswith("floor") else "-"
        panel.plot(sizes, np.maximum(seconds, 1e-5), look + MARKS[at % len(MARKS)], ms=3, lw=1,
                   color=f"C{at % 10}", label=name)  # fmt: skip
    panel.plot(sizes, 1e-8 * sizes * np.log(sizes), color="0.7", lw=4, zorder=0, label="n log n")
    panel.set(xscale="log", yscale="log", xlabel="records", ylabel="CPU seconds")
    panel.legend(fontsize=6, loc="upper left", bbox_to_anchor=(1, 1))


def attacks(panel: Any) -> None:
    """How many times as long each attack takes at 1.1 n as at n."""
    found: dict[str, list[tuple[int, float]]] = {}
    for cells in rows("Waiting"):
        step = STEP.match(cells[0])
        if step and cells[2].replace(",", "").isdigit():
            size = int(cells[2].replace(",", ""))
            found.setdefault(step[1], []).append((size, float(cells[4])))
    for at, (name, pairs) in enumerate(found.items()):
        panel.plot(*zip(*pairs, strict=True), f"-{MARKS[at]}", ms=4, lw=1, label=name)
    panel.axhline(LIMIT, color="0.5", lw=1, ls="--")
    panel.set(xscale="log", xlabel="records n", ylabel="time at 1.1 n / time at n", ylim=(0, None))
    panel.legend(fontsize=7)


def main() -> None:
    figure = Figure(figsize=(12, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    jobs(left)
    attacks(right)
    figure.savefig(HERE / "growth.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
