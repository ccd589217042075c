"""Everything in RESULTS.md by one command, goals met and missed at its head.

Run with  python benchmarks/all.py [--quick] [--again] [--only PART ...] [--minutes M]
[--before TAG]

Each part is a process of its own, and RESULTS.md is written anew as each ends; a part that fails,
takes too long or lacks something keeps its older section, and the last section says why. What was
done at this commit is not done again, so that a run that was stopped goes on where it was; with
``--again`` it is. No part is begun after M minutes. A quick run takes small tables, and writes
RESULTS.quick.md, which is not kept. The peers and data sets that are at hand are used:
VERIKIT_DATASETS names the folder of the latter.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import platform
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from _parts import PARTS, PEERS, Part

HERE = Path(__file__).parent
LAST = "How long this took"
GOAL = re.compile(r"<=? ([\d.]+)( s)?$")
Sections = dict[str, str]


def sections(path: Path) -> Sections:
    """The sections of a file by title, in their order."""
    if not path.exists():
        return {}
    _, *parts = ("\n" + path.read_text(encoding="utf-8")).split("\n## ")
    return {part.split("\n", 1)[0]: part.split("\n", 1)[1].strip() for part in parts}


def commit() -> str:
    """The commit, and whether something was changed since."""
    told = [
        subprocess.run(
            ["git", *asked], cwd=HERE, capture_output=True, text=True, check=False
        ).stdout.strip()
        for asked in (["rev-parse", "--short", "HEAD"], ["status", "--porcelain", "../verikit"])
    ]
    return told[0] + ("+" if told[1] else "")


class Run:
    """One run over all parts, with what is done so far in a folder beside the results."""

    def __init__(self, asked: argparse.Namespace) -> None:
        self.asked, self.commit, self.began = asked, commit(), time.time()
        self.results = HERE / ("RESULTS.quick.md" if asked.quick else "RESULTS.md")
        self.folder = HERE / ".parts" / ("quick" if asked.quick else "full")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.older = sections(self.results)

    def parts(self) -> list[Part]:
        unknown = set(self.asked.only or ()) - {part.script for part in PARTS}
        if unknown:
            known = ", ".join(part.script for part in PARTS)
            raise SystemExit(f"No part is called {', '.join(sorted(unknown))}; there are {known}.")
        return [p for p in PARTS if not self.asked.only or p.script in self.asked.only]

    def told(self, part: Part) -> dict[str, str | float]:
        """What became of a part at this commit; empty if it was not tried."""
        path = self.folder / f"{part.script}.json"
        found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return found if found.get("commit") == self.commit else {}

    def do(self, part: Part) -> None:
        """Run a part, unless it is done, something is lacking, or the time is up."""
        if not self.asked.again and self.told(part).get("why") == "":
            return
        why, start = part.lacking(), time.time()
        if not why and self.asked.minutes and start - self.began > 60 * self.asked.minutes:
            why = "the time was up before it began"
        own = self.folder / f"{part.script}.md"
        if not why:
            own.unlink(missing_ok=True)
            why = self._ended(part, own)
        took = round(time.time() - start, 1)
        found = {"commit": self.commit, "why": why, "seconds": took}
        (self.folder / f"{part.script}.json").write_text(json.dumps(found), encoding="utf-8")
        print(f"{part.script}: {why or 'done'}, {took:.0f} s", flush=True)
        self.write()

    def _ended(self, part: Part, own: Path) -> str:
        """How a part ended: nothing if well."""
        given = list(part.quick if self.asked.quick else part.full)
        if part.script == "bench_installs" and self.asked.before:
            given += ["--before", self.asked.before]
        with (self.folder / f"{part.script}.log").open("w", encoding="utf-8") as log:
            process = subprocess.Popen(
                [sys.executable, f"{part.script}.py", *given],
                cwd=HERE,
                stdout=log,
                stderr=log,
                env=os.environ | {"VERIKIT_RESULTS": str(own)},
                start_new_session=True,  # so that what it starts ends with it
            )
            try:
                code = process.wait(60 * part.minutes)
            except subprocess.TimeoutExpired:
                return f"stopped after {part.minutes:g} minutes"
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
        if code or not own.exists():
            return f"it failed; see {own.with_suffix('.log').relative_to(HERE)}"
        return ""

    def write(self) -> None:
        """Put together what is new and what is older."""
        found: Sections = {}
        for part in PARTS:
            new = sections(self.folder / f"{part.script}.md") if self.told(part) else {}
            new = {title.removesuffix(" (small)"): content for title, content in new.items()}
            for area in part.areas:
                if area in new:
                    found[area] = _with_earlier(new[area], self.older.get(area, ""))
                elif area in self.older:
                    found[area] = self.older[area]
        for title, content in self.older.items():
            if title not in (*found, *RENAMED, LAST) and not title.endswith(" (small)"):
                found[title] = content
        found[LAST] = self._how_long()
        body = "\n\n".join(f"## {title}\n\n{content}" for title, content in found.items())
        self.results.write_text(
            f"# Measured ratios\n\n{_head(found)}\n\n{body}\n", encoding="utf-8"
        )

    def _how_long(self) -> str:
        lines = ["| part | seconds | |", "|---|---|---|"]
        for part in PARTS:
            told = self.told(part)
            why = told.get("why", "not tried at this commit")
            kept = f"older section kept: {why}" if why else ""
            lines.append(f"| {part.script} | {told.get('seconds', '-')} | {kept} |")
        where = (
            f"Python {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} cores"
        )
        return f"{where}; commit {self.commit}.\n\n" + "\n".join(lines)


RENAMED = (  # sections of earlier files under other names
    "Default install beside the fast extra",
    "The slowest step of each view, default install",
)


def _with_earlier(new: str, old: str) -> str:
    """A section with earlier rows against peers that are not at hand, and earlier prose."""
    absent = [peer for peer in PEERS if importlib.util.find_spec(peer.lower()) is None]
    kept = []
    for line in old.split("\n"):
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        if len(cells) == 6 and any(cells[2].startswith(peer) for peer in absent):
            job = cells[0].removesuffix(" (earlier run)")
            kept.append(line.replace(f"| {cells[0]} |", f"| {job} (earlier run) |", 1))
    (lines, after), (_, before) = _around(new), _around(old)
    return "\n".join([*lines, *kept, *(after or before)])


def _around(section: str) -> tuple[list[str], list[str]]:
    """The lines to the end of the last table, and what is said after it."""
    lines = section.split("\n")
    end = max((at + 1 for at, line in enumerate(lines) if line.startswith("|")), default=len(lines))
    return lines[:end], lines[end:]


def _head(found: Sections) -> str:
    """How many goals are met, and which are missed."""
    met, missed = 0, []
    for title, content in found.items():
        for line in content.split("\n"):
            cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
            goal = GOAL.search(cells[5]) if len(cells) == 6 else None
            if goal is None:
                continue
            value = float(cells[1] if goal[2] else cells[4])
            met += value <= float(goal[1])
            if value > float(goal[1]):
                missed.append(f"| {cells[0]} | {title} | {value:g} | {cells[5]} |")
    said = (
        "Written by `python benchmarks/all.py`: CPU time, contestants taking turns in one run. "
        f"{met} of {met + len(missed)} goals are met"
    )
    table = ["", "| missed | section | measured | goal |", "|---|---|---|---|", *missed]
    return said + (":\n" + "\n".join(table) if missed else ".")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small tables, in a file of its own")
    parser.add_argument("--again", action="store_true", help="do again what is done")
    parser.add_argument("--only", nargs="+", metavar="PART", help="some parts only")
    parser.add_argument("--minutes", type=float, help="begin no part after so many")
    parser.add_argument("--before", metavar="TAG", help="the version before, of bench_installs")
    run = Run(parser.parse_args())
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped"))  # and what it started with it
    for part in run.parts():
        run.do(part)
    run.write()
    print(run.results.read_text(encoding="utf-8").split("\n## ")[0])


if __name__ == "__main__":
    main()
