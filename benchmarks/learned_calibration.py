"""Whether of those told a chance by learning as many are right, per tenth, on five data sets.

Run with  python benchmarks/learned_calibration.py   (needs VERIKIT_DATASETS; some 90 s)

One line a release: how often the likeliest value of the group is right, how often the guess that
was learned, what is told on average, and the tenth in which most are told more than are right, in
standard errors.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

import verikit as vk

FOLDER = Path(os.environ["VERIKIT_DATASETS"])
ADULT = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
CENSUS = ["age", "class of worker", "education", "marital status", "race", "sex", "birth country"]
HOUSES = ["housing_median_age", "population", "households", "median_income", "mean_rooms"]
ASKED = {  # by data set: its known columns, and the sensitive ones with how many values a group has
    "adult": (ADULT, {"relationship": 2, "occupation": 5}),
    "census-income-kdd": (CENSUS, {"major occupation": 3}),
    "cahousing": (HOUSES, {"ocean_proximity": 2}),
    "eusilc": (["age", "rb090", "hsize", "db040"], {"pl030": 2}),
    "pums-ca-1000": (["age", "sex", "educ", "race"], {"married": 2}),
}
READERS = {"census-income-kdd": "census_income", "pums-ca-1000": "pums"}
MOST = 30_000


def read_sets() -> Iterator[tuple[str, vk.Microdata, int]]:
    """Each data set with one sensitive column."""
    for name, (known, secrets) in ASKED.items():
        whole = getattr(vk.datasets, READERS.get(name, name))(FOLDER / name).frame
        for secret, ell in secrets.items():
            frame = whole[[*known, secret]].dropna().head(MOST).reset_index(drop=True)
            frame[secret] = frame[secret].astype(str)
            frame = frame[frame[secret] != "Not in universe"]
            yield f"{name} {secret}", vk.Microdata(frame, guess(frame, secret)), ell


def guess(frame: pd.DataFrame, secret: str) -> vk.Schema:
    return vk.Schema.guess(frame, **{secret: "sensitive"})


def publish(data: vk.Microdata, ell: int) -> Iterator[tuple[str, vk.Masked]]:
    """The table by several partitions, in two tables and generalized."""
    forms: dict[str, Callable[[], vk.Partition]] = {
        "anatomy": lambda: vk.partition.anatomy(data, ell=ell, seed=1),
        "diverse": lambda: vk.partition.diverse(data, ell=ell, seed=1),
        "entropy": lambda: vk.partition.entropy_diverse(data, ell=ell),
    }
    for name, form in forms.items():
        try:
            groups = form()
        except vk.VerikitError:
            continue  # its most frequent value is too frequent
        yield name, vk.mask.anatomize(data, partition=groups, seed=1)
    for k in (5, 10, 30) if "census" not in data.schema.sensitive[0].name else ():
        groups = vk.partition.mondrian(data, k=k, seed=1)
        yield f"boxes of {k}, rows", vk.mask.anatomize(data, partition=groups, seed=1)
        yield f"boxes of {k}", vk.mask.generalize(data, partition=groups, seed=1)


def main() -> None:
    warnings.simplefilter("ignore")
    for name, data, ell in read_sets():
        secret = data.schema.sensitive[0].name
        truth = data.frame[secret].to_numpy(object)
        for form, (release, key) in publish(data, ell):
            if vk.release.by_groups(release):
                hers = release.labels.names[release.labels.quasi[key.places[""]]]
            else:
                hers = key.rows
            found = vk.intruder.learned_values(release, data, groups=hers)
            right, tenth = found.guess == truth, np.minimum((found.chance * 10).astype(int), 9)
            worst = (-np.inf, "")
            for at in np.unique(tenth):
                here = tenth == at
                told, true, many = found.chance[here].mean(), right[here].mean(), here.sum()
                error = np.sqrt(max(told * (1 - told), 1e-9) / many)
                worst = max(worst, ((told - true) / error, f"{told:.3f} / {true:.3f} of {many}"))
            print(
                f"{name:35} {form:20} {found.strength:4} group {found.by_group.mean():.3f} "
                f"right {right.mean():.3f} told {found.chance.mean():.3f} worst {worst[0]:5.1f} "
                f"{worst[1]}",
                flush=True,
            )


if __name__ == "__main__":
    main()
