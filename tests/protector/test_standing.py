"""Records handed on as wholes: no link is right, and yet everybody's record lies open."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linear_sum_assignment

import verikit as vk
from verikit.protector import Goal
from verikit.protector._choose import measure_masking


@pytest.fixture(scope="module")
def data():
    return vk.simulate("dm", 120, seed=3)


def exchanged(data, seed=1):
    """The original, each record under the name of a near neighbour."""
    frame, rng = data.frame, np.random.default_rng(seed)
    ranks = frame.rank().to_numpy()
    apart = np.abs(ranks[:, None] - ranks[None]).max(axis=2) + 1000 * np.eye(len(frame))
    taken = linear_sum_assignment(apart + 8 * rng.random(apart.shape))[1]
    rows = frame.iloc[taken].reset_index(drop=True)
    return vk.release.Masked(vk.TableRelease.of(rows, data.schema), vk.Key.of(range(len(rows))))


def test_exchanged_records_are_the_worst_masking_and_not_the_best(data):
    goal = Goal(links=20, attack="normal_scores")
    found = {"exchanged": vk.audit(data, *exchanged(data)).people_found}
    trial = {"exchanged": measure_masking(data, exchanged(data), "exchanged", 1, goal)}
    for scale in (0.05, 0.5, 2):
        masked = vk.mask.noise(data, scale=scale, seed=2)
        found[scale] = vk.audit(data, *masked).people_found
        trial[scale] = measure_masking(data, masked, "noise", scale, goal)
    # they were linked to nobody, and stood there all the same
    assert vk.audit(data, *exchanged(data)).exposure.found.count <= 3
    assert found["exchanged"] == max(found.values()) > 110
    assert trial["exchanged"].found == max(part.found for part in trial.values()) > 110
    assert not trial["exchanged"].met
    assert trial[2].met


def test_luck_leaves_out_who_is_near_to_somebody_else_anyway():
    frame = pd.DataFrame({name: np.repeat(np.arange(20.0), 3) for name in ("a", "b")})
    data = vk.Microdata(frame)
    shown = vk.TableRelease.of(frame.sample(frac=1, random_state=1))
    report = vk.audit(data, shown, vk.Key.of(range(60)))
    assert (report.standing.count, report.standing.alike, report.standing.excess) == (60, 60, 0)


@pytest.mark.parametrize("internal", [False, True])
def test_every_document_of_an_audit_says_whose_record_stands_there(data, internal):
    report = vk.audit(data, *exchanged(data))
    said = (
        "Whoever the key says it belongs to, the own record of 120 of 120 people stands in the "
        "release, whole or within 1 place in every column with an order; luck gives about"
    )
    assert said in repr(report)
    public = said.replace("120 of 120", "more than half of 120")
    assert (said if internal else public) in report.html(internal=internal)
    facts = json.loads(report.json(internal=internal))["standing"]
    assert facts["right"] == (120 if internal else None)
    assert ("whole" in facts) == internal


def test_where_links_were_not_counted_nobody_is_said_to_be_found(data):
    report = vk.audit(data, *exchanged(data), subject_view=False)
    assert (report.standing, report.people_found) == (None, None)
