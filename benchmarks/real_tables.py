"""How far five maskings move the people of four real tables, and how many of them are found.

The tables do not ship: Census, Tarragona and EIA of the sdcMicro project, and the numbers of Adult,
500 records of each. What is measured does: notebook 16 shows it.

Run with  python benchmarks/real_tables.py <folder of the data sets> [--write]
It prints the table, and with --write also puts it into data/dm_real_tables.csv.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import verikit as vk

TARGET = Path(__file__).resolve().parents[1] / "data" / "dm_real_tables.csv"
FILES = {"Census": "CASCrefmicrodata.csv", "Tarragona": "Tarragona.csv", "EIA": "EIA.csv"}
NO_MEASURES = ["AFNLWGT", "fnlwgt", "UTILITYID", "YEAR", "MONTH"]  # weights, case numbers, dates
METHODS = {
    "noise 0.2": (vk.mask.noise, {"scale": 0.2}),
    "swap 10 %": (vk.mask.rank_swap, {"percent": 10}),
    "shuffle 0.98": (vk.mask.shuffle, {"correlation": 0.98}),
    "means of 20, by column": (vk.mask.microaggregate, {"k": 20}),
    "means of 20 records": (vk.mask.microaggregate, {"k": 20, "method": "mdav"}),
}
COLUMNS = ["table", "method", "places", "order kept", "by rank", "several", "by scores"]


def tables(folder: Path) -> Iterator[tuple[str, vk.Microdata]]:
    """Each table's columns of numbers, 500 records drawn."""
    frames = {n: vk.read(folder / "sdc-reference" / file).frame for n, file in FILES.items()}
    frames["Adult"] = vk.datasets.adult(folder / "adult").frame
    for name, frame in frames.items():
        numbers = frame.select_dtypes("number").drop(columns=NO_MEASURES, errors="ignore")
        yield name, vk.Microdata(numbers.sample(500, random_state=1).astype(float))


def measured(folder: Path) -> Iterator[list[object]]:
    """One line for each table and method."""
    for name, data in tables(folder):
        for method, (mask, settings) in METHODS.items():
            release, key = mask(data, **settings, seed=8)
            moved = vk.audit(data, release, key, subject_view=False).protector.mean() / len(data)
            kept = np.mean(vk.utility.rank_correlation(data, key.undo(release)))
            one, other = (
                vk.protector.correct_links(vk.link(data, release, attack=attack), key)
                for attack in ("maximum_rank", "normal_scores")
            )
            yield [name, method, round(moved, 4), round(float(kept), 4), one.count, one.several,
                   other.count]  # fmt: skip


if __name__ == "__main__":
    found = pd.DataFrame(measured(Path(sys.argv[1])), columns=COLUMNS)
    print(found.to_string(index=False))
    if "--write" in sys.argv:
        found.to_csv(TARGET, index=False, lineterminator="\n")
