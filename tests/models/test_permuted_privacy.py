"""Permuted privacy of a whole release ([DM]_ Definition 2)."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.models import permuted_privacy

NAMES = ["X1", "X2", "X3"]


@pytest.fixture(scope="module")
def tables():
    return vk.load("dm_table1"), vk.load("dm_table1_masked")


def column(*values):
    return vk.Microdata(pd.DataFrame({"x": np.array(values, float)}))


def test_a_release_meets_it_when_every_record_does(tables):
    """P31: all records keep 1, 0 and 0 places, and none of these can be one more."""
    assert permuted_privacy(*tables, distance={"X1": 1}).met
    for name, places in {"X1": 2, "X2": 1, "X3": 1}.items():
        found = permuted_privacy(*tables, distance={name: places})
        assert found.met is False
        assert found.per_record.tolist() == found.far_enough.all(axis=1).tolist()


def test_record_3_was_moved_5_1_and_9_places_and_has_the_printed_variances(tables):
    """P18, P20 to P23: the variances do not exceed their own rounding."""
    asked = {"distance": dict(zip(NAMES, (4, 1, 4), strict=True))}
    found = permuted_privacy(*tables, **asked, diversity=0)
    assert found.places[2].tolist() == [5, 1, 9]
    np.testing.assert_allclose(found.diversity[2], [24.69820, 154.99576, 20167.78014], atol=5e-6)
    assert found.per_record[2]
    rounded = dict(zip(NAMES, (24.70, 155.00, 20167.78), strict=True))
    assert not permuted_privacy(*tables, **asked, diversity=rounded).per_record[2]


def test_two_values_that_change_places_are_moved_by_one_place_each():
    """1 and 2 change places, 3 and 9 do; the windows of one place are 1 2, 1 2 3, 2 3 9, 3 9."""
    found = permuted_privacy(column(1, 2, 3, 9), column(2, 1, 9, 3), distance=1, diversity=0.5)
    assert found.places.ravel().tolist() == [1, 1, 1, 1]
    assert found.diversity.ravel() == pytest.approx([0.25, 2 / 3, 86 / 9, 9])
    assert found.per_record.tolist() == [False, True, True, True]
    assert repr(found) == (
        "permuted privacy, by the protector's mapping: x 1 place and variance more than 0.5: "
        "not met for 1 of 4 records (0 moved too little, 1 among values too alike)."
    )


def test_a_record_that_was_not_moved_fails_any_distance_and_no_variance_is_met_at_none():
    data = column(1, 2, 3, 4)
    assert permuted_privacy(data, data, distance=0).met
    assert permuted_privacy(data, data, distance=1).per_record.tolist() == [False] * 4
    assert not permuted_privacy(data, data, distance=0, diversity=0).per_record.any()


def test_equal_values_count_with_the_ranks_that_are_closest():
    """Whoever changes places with an equal value was not moved."""
    assert permuted_privacy(column(1, 1, 2), column(1, 1, 2), distance=0).largest == {"x": 0}
    found = permuted_privacy(column(1, 1, 2), column(1, 2, 1), distance=1)
    assert found.places.ravel().tolist() == [0, 1, 1]


@given(st.integers(0, 2**32), st.integers(1, 20), st.integers(1, 3), st.booleans())
def test_it_says_of_each_record_what_the_audit_says(seed, n, m, tied):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 6, (2, n, m)) if tied else rng.normal(size=(2, n, m))
    data, masked = (vk.Microdata(pd.DataFrame(part, columns=NAMES[:m])) for part in values)
    asked = {
        "distance": int(rng.integers(0, 4)),
        "diversity": float(rng.random()),
        "criterion": str(rng.choice(["variance", "distinct", "entropy", "t-closeness"])),
    }
    key = vk.Key.of(rng.permutation(n))
    release = vk.TableRelease.of(masked.frame.iloc[np.argsort(key.rows)])
    found = permuted_privacy(data, masked, **asked)
    audited = vk.audit(data, release, key, **asked, subject_view=False)
    assert found.places.tolist() == audited.protector.tolist()
    assert found.per_record.tolist() == (~audited.failed.any(axis=1)).tolist()
    assert (found.met, found.largest) == (audited.met, audited.largest)


def test_what_cannot_be_asked_for_is_refused(tables):
    with pytest.raises(vk.RecordError, match="distance names 'X9', which is no attribute of both"):
        permuted_privacy(*tables, distance={"X9": 1})
    with pytest.raises(vk.RecordError, match="distance of X1 was given as -1; expected a whole"):
        permuted_privacy(*tables, distance=-1)
    with pytest.raises(vk.RecordError, match="diversity of X1 was given as -2; expected a number"):
        permuted_privacy(*tables, distance=1, diversity=-2)
    with pytest.raises(vk.SchemaError, match="given as TableRelease; expected Microdata"):
        permuted_privacy(tables[0], vk.published("dm_table1_masked"), distance=1)
