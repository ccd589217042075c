"""How often a secret is guessed from the published tables alone, by anatomy and by shuffling.

One learner (`intruder.learned_values`), one partition, two ways to publish. Of the people asked
about all known values are known, and not the group. A better learner may exist.

Run with  python benchmarks/learned_guess.py   (needs VERIKIT_DATASETS; some 20 s)
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd

import verikit as vk

FILE = Path(os.environ["VERIKIT_DATASETS"]) / "census-income-kdd" / "census-income.data.gz"
COLUMNS = {0: "Age", 12: "Gender", 4: "Education", 7: "Marital", 10: "Race", 1: "Work-class"}
COLUMNS |= {34: "Country", 3: "Occupation"}
KNOWN, SECRET = list(COLUMNS.values())[:-1], "Occupation"
N, ELL, ASKED = 30_000, 4, 1500


def people() -> vk.Microdata:
    """The first people of census-income who have an occupation."""
    options = {"header": None, "usecols": list(COLUMNS), "dtype": str, "keep_default_na": False}
    read = pd.read_csv(FILE, skipinitialspace=True, **options).rename(columns=COLUMNS)
    frame = read[read[SECRET] != "0"].head(N)[[*KNOWN, SECRET]].astype({"Age": int})
    return vk.Microdata(frame, vk.Schema.guess(frame, **{SECRET: "sensitive"}))


def main() -> None:
    data = people()
    asked = data.take(np.random.default_rng(0).choice(N, ASKED, replace=False))
    truth = asked.frame[SECRET].astype(str).to_numpy(object)
    for words, form in (("any", vk.partition.anatomy), ("alike", vk.partition.diverse)):
        groups = form(data, ell=ELL, seed=1)
        for way, mask in (("rows kept", vk.mask.anatomize), ("shuffled", vk.mask.permute_all)):
            release = mask(data, partition=groups, seed=1).release
            equal, learned = (
                100 * (find(asked, release).guess == truth).mean()
                for find in (
                    vk.intruder.value_chance,
                    lambda a, r: vk.intruder.learned_values(r, a),
                )
            )
            print(
                f"{words} people, {way:9}: guessed rightly with links that are equally likely "
                f"{equal:.1f} %, learned {learned:.1f} %"
            )


if __name__ == "__main__":
    main()
