"""Somebody else's links, confirmed with Algorithm 2 ([DM] section 5.1, end)."""

import numpy as np
import pytest

import verikit as vk
from verikit.errors import RecordError

# all 8,000 records that can be put together from Table 1, by the distance at which one matches
MADE_UP = np.cumsum([20, 469, 1519, 2411, 2076, 1030, 342, 114, 19]) / 8000


def test_links_of_somebody_else_are_measured_in_ranks_and_compared_with_made_up_records():
    data, masked = vk.load("dm_table1"), vk.load("dm_table1_masked")
    release = vk.published("dm_table1_masked")
    rng = np.random.default_rng(1)
    for match in (np.arange(20), rng.integers(0, 20, 20)):
        own, theirs = data.frame.rank().to_numpy(), masked.frame.rank().to_numpy()[match]
        places = np.abs(own - theirs).astype(int)  # no ties in either table
        links = vk.link(data, release, match=match.tolist())
        assert links.sole.tolist() == match.tolist()
        assert links.places.tolist() == places.tolist()
        assert links.measure.tolist() == places.max(axis=1).tolist()
        found = vk.plausibility(data, release, match=match)
        assert found.observed.tolist() == places.max(axis=1).tolist()
        chances = np.r_[MADE_UP, np.ones(20)][places.max(axis=1)]
        assert found.p == pytest.approx(chances)
        assert np.isnan(found.success), "right links are not estimated from anybody's"


def test_the_paper_s_own_links_are_what_it_finds_by_itself():
    data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    links = vk.link(data, release)
    first = links.rows[links.starts[:-1]]
    given = vk.plausibility(data, release, match=first)
    assert given.p.tolist() == vk.plausibility(data, release).p.tolist()


def test_links_that_lead_nowhere_are_refused():
    data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    with pytest.raises(RecordError, match="the row of each of the 20 records, counted from 0"):
        vk.link(data, release, match=[1, 2])
    with pytest.raises(RecordError, match="match names the row -1, but there are 20 rows"):
        vk.link(data, release, match=[-1] * 20)
    with pytest.raises(RecordError, match="Links are compared with made-up records"):
        vk.plausibility(release, match=range(20))
