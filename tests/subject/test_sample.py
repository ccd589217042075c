"""How many people of the population fit as she does: known populations, drawn one by one."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.subject.generalized import estimate_alike, find_fits

AREAS = ["476**", "479**", "48***"]


def sample_of(areas, **about):
    frame = pd.DataFrame({"area": areas})
    return vk.TableRelease.of(frame, promise="covers").describing(**about)


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize(("alike", "weights"), [(3, (4, 4)), (40, (5, 20)), (400, (2, 50))])
def test_the_range_holds_the_true_number_in_93_of_100_samples(inside, alike, weights):
    rng = np.random.default_rng(alike + inside)
    number = 2000
    area = np.where(np.arange(number) < alike, 0, 1 + np.arange(number) % 2)
    weight = rng.uniform(*weights, number)
    held = asked = 0
    for _ in range(400):
        drawn = rng.random(number) < 1 / weight
        drawn[0] = inside  # she is the first
        if not drawn[:alike].any():
            continue
        about = {"population": str(number), "weights": "{} to {}".format(*weights)}
        release = sample_of([AREAS[at] for at in area[drawn]], **about)
        told = estimate_alike(find_fits({"area": "47677"}, release))
        held += told["low"] <= alike <= told["high"]
        asked += 1
    assert held / asked >= 0.93


def test_what_is_told_by_hand():
    """Four rows of 10 fit, of 1,000 people: 400; Byar's ends of 3 are .60, of 4 more 10.2."""
    release = sample_of([AREAS[0]] * 4 + [AREAS[1]] * 6, population="1000", weights="50 to 150")
    report = vk.check({"area": "47677"}, release)
    said = report.sentence("G12")
    assert "sample of about 1,000 people. About 400 of them (a 95 % range from 31 to 1,000)" in said
    assert "a record stands for 50 to 150 people" in said


@pytest.mark.parametrize(
    "about",
    [{}, {"population": "5"}, {"population": "many"}, {"population": "900", "weights": "9 to 3"}],
)
def test_what_no_number_can_be_is_not_told(about):
    assert vk.check({"area": "47677"}, sample_of(AREAS * 3, **about)).sentence("G12") is None


def test_without_weights_every_row_stands_for_as_many():
    told = estimate_alike(find_fits({"area": "47677"}, sample_of(AREAS * 3, population="1000")))
    assert (told["least"], told["most"], told["likely"]) == (111, 112, 330)
