"""Algorithm 2 from the corners of the whole table, or from those of the part that is halved."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.partition import _diversity, diverse

CORNERS = ("table", "part")


def microdata(**columns):
    frame = pd.DataFrame(columns)
    return vk.Microdata(frame, vk.Schema.guess(frame, s="sensitive"))


@st.composite
def tables(draw):
    n = draw(st.integers(4, 40))
    several = st.lists(st.integers(0, 9), min_size=n, max_size=n)
    colours = st.lists(st.sampled_from("rgb"), min_size=n, max_size=n)
    values = st.lists(st.sampled_from("abcdef"), min_size=n, max_size=n)
    return microdata(x=draw(several), y=draw(several), colour=draw(colours), s=draw(values))


def test_a_part_in_a_corner_of_the_table_is_halved_only_from_its_own_corners():
    # 100 and 100 leave first. Of 0, 0, 1, 1 none is nearer to 100 than to 0, but 1 is nearer to 1.
    data = microdata(x=[0, 0, 1, 1, 100, 100], s=list("ababab"))
    found = {
        corners: {
            vk.utility.ncp(data, diverse(data, ell=2, corners=corners, seed=seed)).total
            for seed in range(20)
        }
        for corners in CORNERS
    }
    assert found == {"part": {0.0}, "table": {0.0, 0.04}}


@pytest.mark.parametrize("corners", CORNERS)
@given(data=tables(), seed=st.integers(0, 99))
def test_every_group_is_diverse_and_as_small_as_promised_from_any_corners(corners, data, seed):
    ell = len(data) // int(data.frame["s"].value_counts().max())
    groups = diverse(data, ell=ell, corners=corners, seed=seed)
    assert groups.sizes.min() >= ell
    assert groups.sizes.max() <= 2 * ell - 1
    assert not pd.DataFrame({"g": groups.labels, "s": data.frame["s"]}).duplicated().any()


@pytest.mark.parametrize("corners", CORNERS)
def test_compiled_and_plain_halving_give_the_same_groups(corners, monkeypatch):
    pytest.importorskip("numba")
    data = vk.simulate("census", 3000, seed=1)
    compiled, plain = (0, 10**9)
    labels = []
    for large in (compiled, plain):
        monkeypatch.setattr(_diversity, "COMPILED_FROM", large)
        groups = diverse(data, ell=4, corners=corners, sensitive="Occupation", seed=2)
        labels.append(groups.labels)
    assert np.array_equal(*labels)


def test_parts_are_halved_far_more_often_from_their_own_corners():
    data = vk.simulate("census", 3000, seed=1).only("Age", "Gender", "Education", "Salary-class")
    table, part = (
        vk.utility.ncp(data, diverse(data, ell=4, corners=corners, seed=1)).share
        for corners in CORNERS
    )
    assert part < table / 3


def test_the_release_tells_the_corners():
    groups = diverse(vk.load("lhcc_table1"), ell=2, corners="part", seed=1)
    assert groups.parameters["corners"] == "part"


def test_other_corners_are_refused():
    with pytest.raises(vk.RecordError, match="corners was given as 'domain'; expected 'table' or"):
        diverse(vk.load("lhcc_table1"), ell=2, corners="domain", seed=1)
