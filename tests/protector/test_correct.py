"""How many links are right, beside what luck gives."""

import math

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.protector import correct_by_subset, correct_links
from verikit.protector._correct_links import expected_links


def shifted(n, by):
    """A table of one increasing column, and the same released ``by`` rows further on."""
    data = vk.Microdata(pd.DataFrame({"a": range(n), "b": range(n)}))
    return data, vk.TableRelease.of(data.frame), vk.Key.of((np.arange(n) + by) % n)


def test_all_links_are_right_with_the_true_key_and_none_with_a_shifted_one():
    data, release, key = shifted(10, 0)
    links = vk.link(data, release)
    found = correct_links(links, key)
    assert (found.count, found.wrong, found.share) == (10, 0, 1)
    none = correct_links(links, shifted(10, 1)[2])
    assert (none.count, none.wrong, none.p) == (0, 10, 1)


@pytest.mark.parametrize("attack", ["maximum_rank", "strongest"])
def test_links_to_expect_are_counted_the_same_without_what_luck_gives(attack):
    data = vk.Microdata(vk.simulate("dm", 60, seed=1).frame.round(0))  # some are tied
    release, key = vk.mask.noise(data, scale=1, seed=2)
    links = vk.link(data, release, attack=attack)
    assert expected_links(links, key) == correct_links(links, key).guessed > 0


def test_the_probability_of_luck_is_that_of_poisson_with_mean_one():
    """Three right: 1 - e^-1 (1 + 1 + 1/2)."""
    data, release, _ = shifted(10, 0)
    key = vk.Key.of([0, 1, 2, 4, 5, 6, 7, 8, 9, 3])
    assert correct_links(vk.link(data, release), key).p == pytest.approx(1 - 2.5 / math.e)


def test_the_interval_of_the_share_is_wilsons():
    """3 of 10: from .1078 to .6032 (the textbook example)."""
    data, release, _ = shifted(10, 0)
    key = vk.Key.of([0, 1, 2, 4, 5, 6, 7, 8, 9, 3])
    found = correct_links(vk.link(data, release), key)
    assert (found.low, found.high) == pytest.approx((0.1078, 0.6032), abs=5e-5)


def test_a_record_among_several_candidates_is_not_counted_as_linked():
    """Two equal records are candidates of each other; the third is linked."""
    data = vk.Microdata(pd.DataFrame({"a": [1, 1, 9], "b": [1, 1, 9]}))
    found = correct_links(vk.link(data, vk.TableRelease.of(data.frame)), vk.Key.of([0, 1, 2]))
    assert (found.count, found.among, found.several, found.wrong) == (1, 2, 2, 0)


def test_random_keys_give_the_counts_that_luck_is_said_to_give():
    """150 random keys on tables that have nothing in common: mean near that, and p of .05 or less
    in at most 5 % of them (here up to 10 %, a margin of three standard errors)."""
    data = vk.simulate("dm", 60, seed=1)
    links = vk.link(data, vk.mask.shuffle(data, correlation=0, seed=2).release, attack="strongest")
    rng = np.random.default_rng(3)
    found = [correct_links(links, vk.Key.of(rng.permutation(60))) for _ in range(150)]
    counts = [part.count for part in found]
    assert np.mean(counts) == pytest.approx(found[0].luck, abs=0.4)
    assert 1 < found[0].luck < 3, "the best of several attacks is luckier than one"
    assert np.mean([part.p <= 0.05 for part in found]) <= 0.10


def test_the_best_attack_of_several_is_named_and_judged_as_the_best_of_them():
    data = vk.simulate("dm", 200, seed=1)
    masked = vk.mask.rank_swap(data, percent=10, seed=2)
    links = vk.link(data, masked.release, attack="strongest")
    found = correct_links(links, masked.key)
    assert found.attack == max(found.attempts, key=found.attempts.get)
    assert found.count == max(found.attempts.values())
    alone = correct_links(links.attempts[found.attack], masked.key)
    assert found.p == pytest.approx(min(1, len(found.attempts) * alone.p))
    assert f"the best of {len(found.attempts)} attacks" in repr(found)
    assert found.to_frame()["attack"][0] == found.attack


def test_the_best_of_four_attacks_is_four_times_as_likely_by_luck_as_it_is_alone():
    """Four right links of a hundred: 1 - e^-1 (1 + 1 + 1/2 + 1/6) = .019 for one attack."""
    data = vk.simulate("dm", 100, seed=1)
    masked = vk.mask.noise(data, scale=2, seed=1)
    found = correct_links(vk.link(data, masked.release, attack="strongest"), masked.key)
    assert (found.count, len(found.attempts)) == (4, 4)
    assert found.p == pytest.approx(4 * (1 - (1 + 1 + 1 / 2 + 1 / 6) / np.e))
    assert not found.more_than_luck, "which one attack alone would be"


def test_the_least_protected_attribute_comes_first():
    data = vk.simulate("dm", 300, seed=1)
    masked = vk.mask.noise(data, scale={"X1": 10, "X2": 5, "X3": 400}, seed=2)
    kept = correct_links(vk.link(data, masked.release), masked.key).attributes
    assert kept["attribute"].tolist() == ["X2", "X1", "X3"]
    assert kept["residual"].is_monotonic_increasing
    assert kept["places"].is_monotonic_increasing


def test_two_good_attributes_link_better_than_four_of_which_two_are_noise():
    rng = np.random.default_rng(1)
    data = vk.Microdata(pd.DataFrame(rng.normal(size=(400, 4)), columns=list("abcd")))
    masked = vk.mask.noise(data, scale={"a": 0.05, "b": 0.05, "c": 3, "d": 3}, seed=2)
    found = correct_by_subset(vk.intruder.link_by_subset(data, masked.release), masked.key)
    assert found["attributes"][0] == "a, b"
    by_name = found.set_index("attributes")["share"]
    assert by_name["a, b"] > 5 * by_name["a, b, c, d"]


def test_the_key_of_another_table_is_refused():
    data, release, _ = shifted(10, 0)
    with pytest.raises(vk.RecordError, match="The key is for 9 records, but 10 were linked"):
        correct_links(vk.link(data, release), vk.Key.of(range(9)))


def test_links_are_more_than_luck_where_luck_hardly_ever_gives_as_many():
    data = vk.load("dm_table1")
    links = vk.link(data, vk.published("dm_table1_masked"))
    six = vk.protector.correct_links(links, vk.Key.of(range(20)))
    assert (six.count, six.more_than_luck, six.verdict) == (6, True, "more than luck explains")
    none = vk.protector.correct_links(links, vk.Key.of([*range(10, 20), *range(10)]))
    assert (none.more_than_luck, none.verdict) == (False, "no more than luck")


def test_luck_is_never_called_impossible():
    """Of 300 records published as they are, all are found; by luck in one of 300! cases."""
    data, release, key = shifted(300, 0)
    found = correct_links(vk.link(data, release), key)
    assert 0 < found.p < 1e-100
    assert "in fewer than 1 of 1,000,000 cases" in found.why
