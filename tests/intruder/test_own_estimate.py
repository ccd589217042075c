"""How many links an intruder takes for right: near the truth, or not to be told from luck."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.intruder import own_estimate
from verikit.protector import correct_links
from verikit.ranks import luck

SETTINGS = {
    "noise .1": ("noise", {"scale": 0.1}),
    "noise .5": ("noise", {"scale": 0.5}),
    "noise 1": ("noise", {"scale": 1}),
    "noise 3": ("noise", {"scale": 3}),
    "swap 20 % in cycles": ("rank_swap", {"percent": 20, "scheme": "cycles"}),
}


def masked_table(setting, seed):
    values = np.random.default_rng(seed).normal(size=(500, 3))
    data = vk.Microdata(pd.DataFrame(values, columns=list("abc")))
    name, arguments = SETTINGS[setting]
    return data, getattr(vk.mask, name)(data, **arguments, seed=seed + 20)


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_estimate_is_within_thirty_per_cent_or_cannot_be_told_from_luck(setting, monkeypatch):
    """Means of three tables, since single counts of a few links jump; a quarter of the runs."""
    monkeypatch.setattr("verikit.intruder._rank_linkage.MAX_SAMPLES", 50_000)
    said, true, lucky = [], [], []
    for seed in range(3):
        data, (release, key) = masked_table(setting, seed)
        found = own_estimate(data, release)
        links = vk.link(data, release, attack="published_mechanism")
        said.append(found.links)
        true.append(correct_links(links, key).count)
        lucky.append(found.from_luck)
    assert np.mean(said) == pytest.approx(np.mean(true), rel=0.3) or all(lucky)


@pytest.mark.parametrize("setting", SETTINGS)
def test_by_distances_the_truth_lies_in_the_interval(setting):
    for seed in range(3):
        data, (release, key) = masked_table(setting, seed)
        found = vk.plausibility(data, release, null="closed_form")
        true = correct_links(vk.link(data, release), key).guessed / 500
        assert found.success_low - 0.02 <= true <= found.success_high + 0.02


def test_the_estimate_by_distances_is_not_pushed_up_by_chance():
    """Strangers only: over a hundred samples the estimates are as often below 0 as above it."""
    others = np.linspace(0.02, 1, 50)
    parts = np.diff(others, prepend=0)
    drawn = np.random.default_rng(1).multinomial(1000, parts, 400)
    found = luck.estimated_success(np.cumsum(drawn, axis=1) / 1000, others)
    assert found.mean() == pytest.approx(0, abs=4 * found.std() / 20)
    assert 0.4 < (found < 0).mean() < 0.6


def test_strong_noise_is_said_not_to_be_told_from_luck():
    """In 1 of 40 tables chance looks like more; of five at most one does."""
    lucky = []
    for seed in range(5):
        data, (release, _) = masked_table("noise 3", seed)
        found = own_estimate(data, vk.TableRelease.of(release.frame))
        lucky.append(found.from_luck)
        assert ("cannot be told from luck" in repr(found)) == found.from_luck
        assert "by distances" in repr(found)
        told = vk.plausibility(data, release, null="closed_form")
        assert ("cannot tell his links from luck" in repr(told)) == found.from_luck
        assert told.success >= 1 / 500
    assert sum(lucky) >= 4


def test_pairs_leave_nothing_to_estimate():
    data, _ = masked_table("noise 3", 0)
    found = own_estimate(data, vk.mask.rank_swap(data, percent=30, seed=1).release)
    assert (found.links, found.low, found.high, found.by) == (500, 500, 500, "undo_pairs")


def test_distances_tell_nothing_where_columns_are_correlated():
    """Correlation .9: they would say that half of the links are right, and a few are."""
    rng = np.random.default_rng(1)
    values = np.sqrt(0.9) * rng.normal(size=(500, 1)) + np.sqrt(0.1) * rng.normal(size=(500, 3))
    data = vk.Microdata(pd.DataFrame(values, columns=list("abc")))
    release, _ = vk.mask.noise(data, scale=0.5, seed=1)
    found = vk.plausibility(data, release, null="closed_form")
    assert np.isnan(found.success)
    assert "cannot be estimated from these distances" in found.own_estimate
    untold = own_estimate(data, vk.TableRelease.of(release.frame))
    assert (untold.low, untold.high, untold.from_luck) == (0, 500, True)
    assert not own_estimate(data, release).from_luck
