"""What the strongest attack finds, as the protector must know it before publishing."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.protector import audit, correct_links, exposure, reporting


@pytest.fixture(scope="module")
def data():
    return vk.simulate("dm", 150, seed=1)


def test_an_audit_counts_the_links_of_the_strongest_attack_beside_its_luck(data):
    release, key = vk.mask.noise(data, scale=0.3, seed=2)
    found = correct_links(vk.link(data, release, attack="strongest"), key)
    report = audit(data, release, key)
    assert report.exposure.found.count == found.count
    sentence = f"links {found.count} of 150 people rightly; luck gives the best of 4 about"
    assert sentence in repr(report)
    assert audit(data, release, key, subject_view=False).exposure is None


def test_the_columns_that_give_most_away_are_named(data):
    """One column is hardly masked, the others are drawn almost anew."""
    scale = {"X1": 5, "X2": 0.02, "X3": 0.05}
    found = exposure(data, *vk.mask.noise(data, scale=scale, seed=2))
    assert found.sets["attributes"].iloc[0] == "X2, X3"
    assert "Most is given away by X2, X3" in repr(found)
    least = found.found.attributes["attribute"].iloc[0]
    assert f"{least} was masked least." in repr(found)
    assert len(found.to_frame()) == 7
    assert "<table" in found._repr_html_()


def test_many_columns_are_compared_alone_and_one_less():
    rng = np.random.default_rng(1)
    wide = vk.Microdata(pd.DataFrame(rng.normal(size=(60, 6)), columns=list("abcdef")))
    found = exposure(wide, *vk.mask.noise(wide, scale=1, seed=2))
    assert len(found.sets) == 6 + 6 + 1


def test_swapping_in_pairs_is_said_to_be_undone_and_cycles_are_not(data):
    pairs = audit(data, *vk.mask.rank_swap(data, percent=40, seed=2))
    assert "can be undone by someone who knows everybody's values" in repr(pairs)
    assert pairs.exposure.found.count == 150
    cycles = audit(data, *vk.mask.rank_swap(data, percent=40, scheme="cycles", seed=2))
    assert "undone" not in repr(cycles)


def test_pairs_of_coarse_columns_are_said_to_be_undone_elsewhere():
    coarse = vk.Microdata((vk.simulate("dm", 80, seed=1).frame / 40).round())
    found = exposure(coarse, *vk.mask.rank_swap(coarse, percent=60, seed=2))
    assert 2 * found.found.attempts["undo_pairs"] < 80
    assert "which can be undone where columns hold many different values" in repr(found)


def test_the_links_reported_are_those_of_a_fresh_seed(data):
    release, _ = vk.mask.noise(data, scale=0.5, seed=2)
    told = reporting(data, release, seed=3)
    again, other = vk.mask.noise(data, scale=release.parameters["scale"], seed=3)
    links = vk.link(data, again, attack="strongest")
    assert told.reported_links == int(correct_links(links, other).guessed + 1e-9)
    assert told.reported_luck == round(correct_links(links, other).luck, 2) > 1
    assert told.frame.equals(release.frame)
    with pytest.raises(vk.InfeasibleError, match="method '', which cannot be repeated"):
        reporting(data, vk.TableRelease.of(release.frame), seed=3)
