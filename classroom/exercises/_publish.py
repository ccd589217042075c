"""The exercise whose answer is a function: publish so that a secret seed does not matter."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pandas as pd

import verikit as vk
from verikit._support.seed import generator
from verikit.errors import InfeasibleError
from verikit.exercises._blocks import numeric_table
from verikit.exercises._exercise import Answer, Data, pose
from verikit.exercises._run import make_rows

PEOPLE, SEEDS = 120, 8
ALLOWED, KEPT = 25, 0.1  # luck finds 8 with eight seeds, and more than 25 in 4 of 10 million cases
NEAR = 2  # places; independent columns bring such a record to 10 of 8 x 120 people
ENOUGH = 4.0


def draw_people(rng: np.random.Generator) -> Data:
    """Draw people with three columns that go together, and the seeds that they do not see."""
    drawn = rng.normal(size=(PEOPLE, 3)) + 0.7 * rng.normal(size=(PEOPLE, 1))
    values = np.asarray([170, 70, 70]) + drawn * [9, 12, 8]
    frame = pd.DataFrame(values, columns=["Height", "Weight", "Pulse"]).round(1)
    original = numeric_table(frame)
    seeds = rng.integers(2**31, size=SEEDS).tolist()
    return {"original": original, "allowed": ALLOWED, "kept": KEPT, "_seeds": seeds}


def judge_publishing(data: Data, answer: Answer) -> str | None:
    """Attack what a function makes with each seed, and see how much order it keeps."""
    original, own = data["original"], vk.Key.of(range(PEOPLE))
    made = make_rows(answer["publish"], "publish", original, data["_seeds"])
    if len({rows.tobytes() for rows in made}) < len(made):
        return "constant"
    tables = [pd.DataFrame(rows, columns=original.frame.columns) for rows in made]
    releases = [vk.TableRelease.of(table, original.schema) for table in tables]
    links = [vk.link(original, release, attack="normal_scores") for release in releases]
    linked = [int(vk.protector.correct_links(found, own).count) for found in links]
    if sum(linked) > data["allowed"]:
        return "found"
    # Whole records that were exchanged fool the links: everybody's own record still stands there.
    standing = [
        vk.intruder.find_records(original, release, places=NEAR).count for release in releases
    ]
    if sum(standing) > data["allowed"]:
        return "exchanged"
    undone = []
    for release in releases:
        found = 0
        with suppress(InfeasibleError):  # where no values were swapped
            found = int(
                vk.protector.correct_links(vk.intruder.undo_pairs(original, release), own).count
            )
        undone.append(found)
    if sum(map(max, linked, undone)) > data["allowed"]:
        return "found"
    columns = [
        np.asarray(
            vk.utility.rank_correlation(original, vk.Microdata(table, original.schema)), float
        )
        for table in tables
    ]
    # A column without order has no correlation: it keeps nothing.
    return None if np.nan_to_num(columns).mean() >= data["kept"] else "nothing left"


def mask_with_much_noise(data: vk.Microdata, seed: int) -> vk.Masked:
    """Mask as the reference does: much noise, drawn anew with each seed."""
    return vk.mask.noise(data, scale=ENOUGH, seed=seed)


def add_noise_as_in_figure_2(data: vk.Microdata, seed: int) -> vk.Masked:
    return vk.mask.noise(data, scale=0.5, seed=seed)


def keep_one_seed(data: vk.Microdata, seed: int) -> vk.Masked:
    return vk.mask.noise(data, scale=ENOUGH, seed=1)


def exchange_records(data: vk.Microdata, seed: int) -> vk.Masked:
    """Whole records, each handed on to a person with nearly the same height."""
    n, rng = len(data), generator(seed)
    order = np.argsort(data.frame["Height"].to_numpy() + rng.random(n), kind="stable")
    source = np.empty(n, dtype=int)
    source[order] = np.roll(order, 1)
    handed = data.frame.iloc[source].reset_index(drop=True)
    return vk.Masked(vk.TableRelease.of(handed, data.schema), vk.Key.of(range(n)))


def drown_in_noise(data: vk.Microdata, seed: int) -> vk.Masked:
    return vk.mask.noise(data, scale=1000, seed=seed)


PUBLISH = pose(
    "in-08",
    make=draw_people,
    right=lambda data: {"publish": mask_with_much_noise},
    wrong=lambda data: {
        "constant": {"publish": keep_one_seed},
        "found": {"publish": add_noise_as_in_figure_2},
        "exchanged": {"publish": exchange_records},
        "nothing left": {"publish": drown_in_noise},
    },
    judge=judge_publishing,
    points=5,
    code="publish",
)
