"""The synthetic census: Table 5's domains, attributes that hang together, skewed values."""

import numpy as np
import pytest

import verikit as vk
from verikit.datasets._simulate import find_frequencies


@pytest.fixture(scope="module")
def census():
    return vk.simulate("census", 40_000, seed=1)


def correlation(data, one, other):
    columns = [data.frame[name] for name in (one, other)]
    ranks = [c.cat.codes if c.dtype == "category" else c for c in columns]
    return ranks[0].rank().corr(ranks[1].rank())


def test_every_value_occurs_as_often_as_its_frequency_says(census):
    for column in census.schema:
        codes, found = census.codes(column.name)
        shares = find_frequencies(column.name, len(found))
        seen = np.bincount(codes, minlength=len(found)) / len(census)
        assert np.abs(seen - shares).max() < 5 * np.sqrt(0.25 / len(census)), column.name


def test_attributes_hang_together_as_documented(census):
    assert correlation(census, "Age", "Marital") > 0.5
    assert correlation(census, "Education", "Salary-class") > 0.4
    assert correlation(census, "Education", "Occupation") > 0.4
    assert abs(correlation(census, "Age", "Gender")) < 0.03


def test_sensitive_values_are_skewed_but_allow_ell_10(census):
    for name in ("Occupation", "Salary-class"):
        shares = census.frame[name].value_counts(normalize=True)
        assert 0.04 < shares.iloc[0] < 0.08
        assert shares.iloc[-1] < shares.iloc[0] / 5
        assert vk.partition.anatomy(census, ell=10, sensitive=name, seed=1).sizes.min() >= 10


def test_the_same_seed_gives_the_same_people_and_another_seed_others():
    one, same, other = (vk.simulate("census", 50, seed=seed).frame for seed in (1, 1, 2))
    assert one.equals(same)
    assert not one.equals(other)


def test_one_person_can_be_made_and_none_cannot():
    assert len(vk.simulate("census", 1, seed=1)) == 1
    with pytest.raises(vk.RecordError, match="n was given as 0; expected a whole number from 1"):
        vk.simulate("census", 0, seed=1)
