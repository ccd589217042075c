"""What RESULTS.md is made of: one process each, in the order of its sections."""

from __future__ import annotations

import importlib.util
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

__all__ = ["PARTS", "PEERS", "Part"]

ADULT = "adult"
PEERS = ("pycanon", "mlxtend", "networkx", "DuckDB")  # who rows are held against; not all are here


@dataclass(frozen=True)
class Part:
    """One script, the sections that it writes, and what it cannot do without.

    Parameters
    ----------
    script
        The file, without its ending.
    areas
        The titles of its sections.
    minutes
        After how many it is stopped.
    full, quick
        What it is given at full size, and for a quick look.
    needs
        Modules, data sets (``data:``) and programs (``program:``) without which it is left out.
    """

    script: str
    areas: tuple[str, ...]
    minutes: float = 4
    full: tuple[str, ...] = ()
    quick: tuple[str, ...] = ("--small",)
    needs: tuple[str, ...] = ()

    def lacking(self) -> str:
        """What it needs and does not find, in words; nothing where all is there."""
        for need in self.needs:
            what, _, name = need.rpartition(":")
            if what == "data" and not (datasets() / name).is_dir():
                return f"VERIKIT_DATASETS names no folder with {name}"
            if what == "program" and not any(map(shutil.which, name.split("|"))):
                return f"{name.split('|')[0]} is not installed"
            if not what and importlib.util.find_spec(name) is None:
                return f"{name} is not installed"
        return ""


def datasets() -> Path:
    """The folder of the real data sets."""
    return Path(os.environ.get("VERIKIT_DATASETS", "nowhere"))


PARTS = (
    Part("bench_calls", ("Calls that somebody waits for",)),
    Part("bench_waiting", ("Waiting",), 5),
    Part("bench_installs", ("Default install beside the fast extra and the version before",), 5),
    Part("bench_views", ("Every step of every view, default install",), 4, (), ()),
    Part("bench_growth", ("Growth",), 12),
    Part("bench_subject", ("The subject, the protector and reverse mapping",), 5),
    Part("bench_intruder", ("Intruder",), 5),
    Part("bench_joins", ("Joining tables",)),
    Part("bench_reading", ("Reading files",), 4, (), (), ("pyarrow",)),
    Part(
        "bench_k_anonymity",
        ("Generalization: the lattice and Mondrian",),
        5,
        needs=("data:adult", "data:adult-hierarchies"),
    ),
    Part("bench_models", ("Privacy models",)),
    Part(
        "bench_permutation_anonymization",
        ("Anatomy and permutation anonymization",),
        5,
        needs=("duckdb",),
    ),
    Part("bench_numeric", ("Numbers that stay apart",), needs=("duckdb",)),
    Part("bench_disguise", ("Disguised distributions",)),
    Part(
        "bench_random_anonymization",
        ("Random anonymization",),
        4,
        (str(datasets() / ADULT),),
        (str(datasets() / ADULT),),
        ("mlxtend", f"data:{ADULT}"),
    ),
    Part("bench_graph", ("Graphs",), needs=("networkx",)),
    Part("bench_subject_kinds", ("The subject, by groups of numbers and by chances",), 4, (), ()),
    Part("bench_subject_targets", ("The subject's check of targets and graphs",)),
    Part(
        "page_sizes",
        ("The page beside a table",),
        6,
        ("2000",),
        ("20",),
        ("playwright", "program:chromium|chromium-browser|google-chrome"),
    ),
    Part("bench_large", ("Large tables",), 7, ("1e8",), ("1e6",), ("duckdb", "pyarrow")),
    Part(
        "bench_scale",
        ("Large tables by engines",),
        10,
        ("1e7",),
        ("1e5", "duckdb"),
        ("duckdb", "ibis", "pyarrow"),
    ),
)
