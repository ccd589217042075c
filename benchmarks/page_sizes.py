"""How large the page beside a table is, and how long it takes to open and to answer.

Run with  python benchmarks/page_sizes.py [CASES]

Wall times in headless Chromium from a file with the network off, robot's typing included.
"""

from __future__ import annotations

import gzip
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import page_cases
import pandas as pd
from _timing import put
from page_cases import BROWSERS, OPTIONS

import verikit as vk

AREA = "The page beside a table"
HEADS = (
    "release", "page MB", "gzipped MB", "as CSV MB", "write s", "open s", "first verdict s",
    "next verdict s", "longest pause s", "memory MB",
)  # fmt: skip
PAUSES = """(() => {
  let before = performance.now();
  window.longest = 0;
  setInterval(() => {
    const now = performance.now();
    [window.longest, before] = [Math.max(window.longest, now - before), now];
  }, 5);
})()"""  # how long the page answered to nothing
SHAPES = ((20_000, 3), (100_000, 3), (100_000, 8), (1_000_000, 3))
KINDS = {
    "masked": "for tables of single values (missing cells among them)",
    "generalized": "for generalized tables",
    "split": "for tables joined by groups",
}


def normal(n: int, m: int) -> vk.TableRelease:
    """Numbers with two decimals, as published tables have them, weakly correlated."""
    rng = np.random.default_rng(1)
    common = rng.normal(size=n)
    columns = [1000 * (0.3 * common + rng.normal(size=n)) for _ in range(m)]
    return vk.TableRelease.of(pd.DataFrame({f"a{j}": c.round(2) for j, c in enumerate(columns)}))


def measured(driver: Any, name: str, release: vk.TableRelease, path: Path) -> list[Any]:
    """One line of the table."""
    began = time.perf_counter()
    vk.page.write(release, path)
    written, content = time.perf_counter() - began, path.read_bytes()
    table = release.frame.to_csv(index=False)
    opened = driver.chromium.launch(
        executable_path=next(filter(None, map(shutil.which, BROWSERS))),
        args=OPTIONS,
    )
    page = opened.new_context(offline=True).new_page()
    page.add_init_script(PAUSES)
    page.set_default_timeout(120_000)
    began = time.perf_counter()
    page.goto(path.as_uri())
    page.wait_for_selector("button[type=submit]")
    times = [time.perf_counter() - began]
    times += [_answered(page, release.frame.iloc[row] * 1.01) for row in (3, 4)]
    times.append(page.evaluate("longest / 1000"))
    memory = _memory(opened)
    opened.close()
    sizes = [len(content), len(gzip.compress(content)), len(table)]
    return [name, *(f"{size / 1e6:.2f}" for size in sizes), f"{written:.2f}",
            *(f"{t:.2f}" for t in times), f"{memory:.0f}"]  # fmt: skip


def _memory(opened: Any) -> float:
    """MB that the process of the page holds, its worker's among them."""
    told = opened.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    pages = [Path(f"/proc/{part['id']}/statm") for part in told if part["type"] == "renderer"]
    held = max(int(path.read_text(encoding="ascii").split()[1]) for path in pages)
    return held * resource.getpagesize() / 1e6


def _answered(page: Any, record: pd.Series) -> float:
    for at, value in enumerate(record):
        page.fill(f"#own-{at}", f"{value:.2f}")
    began = time.perf_counter()
    page.press("#own-0", "Enter")
    page.wait_for_selector("#answer:not(.stale) .first")
    return time.perf_counter() - began


def main(cases: int) -> None:
    """Print the table, and put it into RESULTS.md in place of the older one."""
    from playwright.sync_api import sync_playwright

    lines = []
    with tempfile.TemporaryDirectory() as home, sync_playwright() as driver:
        running = vk.published("dm_table1_masked")
        lines.append(measured(driver, "DM Table 1, 20 x 3", running, Path(home, "dm.html")))
        for n, m in SHAPES if cases >= 1_000 else SHAPES[:1]:
            path = Path(home, f"{n}x{m}.html")
            lines.append(measured(driver, f"{n:,} x {m}", normal(n, m), path))
    rows = [HEADS, ["---"] * len(HEADS), *lines]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    alike = "; ".join(
        f"{page_cases.main(cases, 0, kind)} of {cases:,} {words}" for kind, words in KINDS.items()
    )
    told = f"Cases in which it does not say what `vk.check` says, sentence by sentence: {alike}."
    put(AREA, "wall times in headless Chromium, network off", f"{table}\n\n{told}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
