"""Ratios of CPU time in one run: contestants take turns, the best turn of each counts."""

from __future__ import annotations

import gc
import os
import platform
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = Path(os.environ.get("VERIKIT_RESULTS", HERE / "RESULTS.md"))  # as all.py says


def cpu(function: Callable[[], object], repeat: int = 5) -> float:
    """The fewest CPU seconds that one of several calls took."""
    return race({"": function}, repeat)[""]


def race(functions: Mapping[str, Callable[[], object]], repeat: int = 5) -> dict[str, float]:
    """The fewest CPU seconds of each function, called in turns."""
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(repeat):
        for name, function in functions.items():
            gc.collect()
            start = time.process_time()
            function()
            best[name] = min(best[name], time.process_time() - start)
    return best


@dataclass(frozen=True)
class Row:
    """One measured ratio and the goal it is held against."""

    job: str
    ours: float
    base: str
    other: float
    goal: str

    @property
    def ratio(self) -> float:
        """How many times as long as the base."""
        return self.ours / self.other


def table(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    lines = ["| job | CPU s | against | CPU s | ratio | goal |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {r.job} | {r.ours:.4g} | {r.base} | {r.other:.4g} | {r.ratio:.3g} | {r.goal} |"
        for r in rows
    ]
    return "\n".join(lines)


def write(area: str, rows: list[Row]) -> None:
    """Print the rows, and put them into RESULTS.md in place of the area's older ones."""
    put(area, "best of several turns", table(rows))


def put(area: str, how: str, content: str) -> None:
    """Print some Markdown, and put it into RESULTS.md in place of the area's older section."""
    import numpy as np

    where = f"Python {platform.python_version()}, numpy {np.__version__}, {how}"
    section = f"## {area}\n\n{where}.\n\n{content}\n"
    old = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else "# Measured ratios\n"
    head, *parts = old.split("\n## ")
    kept = [part for part in parts if part.split("\n", 1)[0] != area]
    pieces = [head.rstrip(), *(f"## {part.rstrip()}" for part in kept), section.rstrip()]
    RESULTS.write_text("\n\n".join(pieces) + "\n", encoding="utf-8")
    print(section)
