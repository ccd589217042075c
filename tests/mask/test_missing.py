"""Gaps in columns that a mask moves by rank: refused, with ways out that work."""

import numpy as np
import pytest

import verikit as vk

MASKS = {
    "noise": {"scale": 0.5},
    "rank_swap": {"percent": 20},
    "microaggregate": {"k": 3},
    "randomize": {"changed": 1},
}
each_mask = pytest.mark.parametrize("name", MASKS)
REFUSED = (
    r"Column 'X2' has 1 missing value, a gap by which everybody would know the masked record "
    r"again; fill the gaps, remove their records \(DataFrame\.dropna\), or give the column the "
    r"role 'identifier', so that mask\.{name} leaves it out\."
)


@pytest.fixture
def gappy():
    """The running example, but nobody knows X2 of the fourth record."""
    data = vk.load("dm_table1")
    frame = data.frame.astype(float)
    frame.loc[3, "X2"] = np.nan
    return vk.Microdata(frame, data.schema)


def masked(name, data):
    return getattr(vk.mask, name)(data, seed=1, **MASKS[name]).release


@each_mask
def test_a_gap_is_refused_in_a_sentence_that_says_what_to_do(name, gappy):
    with pytest.raises(vk.SchemaError, match=REFUSED.format(name=name)):
        masked(name, gappy)


@each_mask
def test_each_way_out_leads_to_a_release(name, gappy):
    filled = vk.Microdata(gappy.frame.fillna(900), gappy.schema)
    removed = vk.Microdata(gappy.frame.dropna(), gappy.schema)
    without = vk.Microdata(gappy.frame, gappy.schema.with_column("X2", role="identifier"))
    assert len(masked(name, filled)) == 20
    assert len(masked(name, removed)) == 19
    assert masked(name, without).schema.names == ("X1", "X3")
