"""One person's check of a million permuted numbers, and of a million rows drawn anew.

Run with  python benchmarks/bench_subject_kinds.py
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _timing import Row, race, write

import verikit as vk

RECORD = {"age": 40, "zip": "10007", "sex": "f"}


def people(n: int) -> vk.Microdata:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "age": rng.integers(17, 91, n),
            "zip": rng.integers(10_000, 10_500, n).astype(str),
            "sex": rng.choice(["f", "m"], n),
            "pay": np.round(rng.lognormal(10, 1, n), 2),
        }
    )
    roles = [vk.Column(name, "quasi", "nominal") for name in ("zip", "sex")]
    return vk.Microdata(
        frame, vk.Schema((vk.Column("age", "quasi"), *roles, vk.Column("pay", "sensitive")))
    )


def one_pass(known: pd.DataFrame, pay: pd.Series) -> tuple[int, float, float]:
    """What nobody can do without: compare her values, and look at each number once."""
    fits = known["age"].to_numpy() == RECORD["age"]
    for name in ("zip", "sex"):
        cells = known[name].cat
        fits &= cells.codes.to_numpy() == cells.categories.get_loc(RECORD[name])
    numbers = pay.to_numpy()
    return int(np.count_nonzero(fits)), float(numbers.min()), float(numbers.max())


def main() -> list[Row]:
    rows, data = [], people(1_000_000)
    groups = vk.partition.max_groups(data, k=5, e=10, seed=1)
    permuted, _ = vk.mask.permute_sensitive(data, partition=groups, seed=1)
    drawn, _ = vk.mask.randomize(data, changed=1, seed=1)
    jobs = {
        "permuted numbers": (permuted, permuted.quasi, permuted.sensitive["pay"]),
        "rows drawn anew": (drawn, drawn.frame, drawn.frame["pay"]),
    }
    for job, (release, known, pay) in jobs.items():
        times = race(
            {
                "check": lambda release=release: vk.check(RECORD, release),
                "pass": lambda known=known, pay=pay: one_pass(known, pay),
                "many": lambda release=release: vk.check({"sex": "f"}, release),
            }
        )
        name = f"check of {job}, 1e+06 x 4"
        rows += [
            Row(name, times["check"], "one pass", times["pass"], "<= 20"),
            Row(f"{name}, half of them fit", times["many"], "1 s", 1, "<= 1.5"),
        ]
    return rows


if __name__ == "__main__":
    write("The subject, by groups of numbers and by chances", main())
