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
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import page_cases
import pandas as pd
from _timing import put
from page_cases import BROWSERS, OPTIONS

import verikit as vk

sys.path.append(str(Path(__file__).parents[1] / "tests"))
import released_kinds

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
RECORDS = (30_000, 1_000_000)
ASKED = "() => SEEN.release.columns.map(({ name, role }) => [name, role])"
KINDS = {
    "masked": "for tables of single values (missing cells among them)",
    "generalized": "for generalized tables",
    "split": "for tables joined by groups",
    "randomized": "for tables drawn anew",
    "numbers": "for numbers in groups",
    "graph": "for graphs",
    "disguised": "for targets",
}


def normal(n: int, m: int) -> vk.TableRelease:
    """Numbers with two decimals, as published tables have them, weakly correlated."""
    rng = np.random.default_rng(1)
    common = rng.normal(size=n)
    columns = [1000 * (0.3 * common + rng.normal(size=n)) for _ in range(m)]
    return vk.TableRelease.of(pd.DataFrame({f"a{j}": c.round(2) for j, c in enumerate(columns)}))


def linked(records: int) -> tuple[vk.GraphRelease, dict[str, str]]:
    """About as many links as records: of people who were in five of a thousand places each."""
    rng = np.random.default_rng(1)
    who = np.repeat(np.arange(records // 5), 5)
    frame = pd.DataFrame({"who": who, "place": rng.integers(0, 1000, len(who))}).drop_duplicates()
    graph = vk.BipartiteGraph.of(frame.astype(str).reset_index(drop=True))
    found = vk.mask.group_nodes(graph, 10, 1, groups="one", seed=3)
    return found.release, {"who": "1"}


def measured(
    driver: Any, name: str, release: Any, records: list[dict[str, Any]], path: Path
) -> list[Any]:
    """One line of the table."""
    began = time.perf_counter()
    vk.page.write(release, path)
    written, content = time.perf_counter() - began, path.read_bytes()
    tables = [getattr(release, part, None) for part in ("frame", "quasi", "sensitive")]
    table = "".join(part.to_csv(index=False) for part in tables if part is not None)
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
    times += [_answered(page, record) for record in records]
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


def _answered(page: Any, record: dict[str, Any]) -> float:
    for at, (name, role) in enumerate(page.evaluate(ASKED)):
        if name in record and role != "sensitive":
            listed = page.locator(f"select#own-{at}").count()
            (page.select_option if listed else page.fill)(f"#own-{at}", str(record[name]))
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
        records = [vk.load("dm_table1").record(row) for row in (3, 4)]
        lines.append(measured(driver, "DM Table 1, 20 x 3", running, records, Path(home, "0.html")))
        for n, m in SHAPES if cases >= 1_000 else SHAPES[:1]:
            path, release = Path(home, f"{n}x{m}.html"), normal(n, m)
            records = [(release.frame.iloc[row] * 1.01).round(2).to_dict() for row in (3, 4)]
            lines.append(measured(driver, f"{n:,} x {m}", release, records, path))
        for n in RECORDS if cases >= 1_000 else RECORDS[:1]:
            for kind in released_kinds.KINDS:
                make = linked if kind == "graph" else partial(released_kinds.released, kind)
                release, record = make(records=n)
                path = Path(home, f"{kind}{n}.html")
                lines.append(measured(driver, f"{kind}, {n:,}", release, [record, record], path))
                print(lines[-1], flush=True)
    rows = [HEADS, ["---"] * len(HEADS), *lines]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    alike = "; ".join(
        f"{page_cases.main(cases, 0, kind)} of {cases:,} {words}" for kind, words in KINDS.items()
    )
    told = f"Cases in which it does not say what `vk.check` says, sentence by sentence: {alike}."
    put(AREA, "wall times in headless Chromium, network off", f"{table}\n\n{told}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
