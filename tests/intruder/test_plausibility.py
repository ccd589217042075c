"""The intruder's own judgement of his links."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.protector import correct_links

MADE_UP = ["exact", "karp_luby", "closed_form", "monte_carlo"]


@pytest.fixture(scope="module")
def example():
    return vk.load("dm_table1"), vk.published("dm_table1_masked")


def correlated(n, correlation, seed):
    rng = np.random.default_rng(seed)
    spread = np.full((3, 3), correlation) + (1 - correlation) * np.eye(3)
    return vk.Microdata(pd.DataFrame(rng.multivariate_normal(np.zeros(3), spread, n)))


@pytest.mark.parametrize("null", MADE_UP)
def test_all_nulls_of_made_up_records_nearly_agree(null):
    data = vk.simulate("dm", 300, seed=1)
    release, _ = vk.mask.noise(data, scale=0.3, seed=2)
    exact, found = (vk.plausibility(data, release, null=kind) for kind in ("exact", null))
    assert found.observed.tolist() == exact.observed.tolist()
    for distance in (2, 5, 10, 20):
        assert found.within(distance) == pytest.approx(exact.within(distance), abs=0.03)
    assert found.p == pytest.approx(exact.p, abs=0.03)


def test_p_is_the_share_of_made_up_records_that_match_as_closely(example):
    found = vk.plausibility(*example)
    assert found.p.tolist() == [found.within(int(distance)) for distance in found.observed]


def test_p_among_other_people_counts_the_record_in(example):
    """p = (1 + others as close) / (n + 1)."""
    found = vk.plausibility(*example, null="leave_one_out")
    others = vk.plausibility(example[1])
    expected = [(1 + np.sum(others.observed <= distance)) / 21 for distance in found.observed]
    assert found.p.tolist() == pytest.approx(expected)


def test_conformal_p_is_that_of_ranking_each_record_anew(example):
    found = vk.plausibility(*example, null="conformal")
    values = [np.column_stack([t.scores(n) for n in ("X1", "X2", "X3")]) for t in example]
    assert found.p.tolist() == vk.ranks.luck.conformal(values[1], values[0]).tolist()


def test_shares_add_up_to_one(example):
    frame = vk.plausibility(*example).to_frame()
    assert frame["records"].sum() == pytest.approx(1)
    assert frame["others"].sum() == pytest.approx(1)


@pytest.mark.parametrize("scale", [0.05, 0.1, 0.2])
def test_the_intruder_estimates_his_success_without_knowing_a_link(scale):
    """Within .06 of the share that is right, a tie of k candidates counting 1/k."""
    data = vk.simulate("dm", 1000, seed=3)
    release, key = vk.mask.noise(data, scale=scale, seed=4)
    links = vk.link(data, release)
    right = np.sum((links.rows == key.rows[links.records]) / links.counts[links.records]) / 1000
    assert vk.plausibility(data, release).success == pytest.approx(right, abs=0.06)


def test_alike_distributions_do_not_mean_that_links_are_wrong():
    """Noise of half a standard deviation: no difference to speak of, and yet links are right."""
    data = vk.simulate("dm", 1000, seed=5)
    release, key = vk.mask.noise(data, scale=0.5, seed=6)
    found = vk.plausibility(data, release)
    assert found.kolmogorov_smirnov < 0.06
    assert found.permutation_p > 0.05
    assert correct_links(vk.link(data, release), key).p < 1e-6
    assert "nothing follows" in repr(found)
    assert "safe" not in repr(found)


def test_different_distributions_are_told_apart():
    data = vk.simulate("dm", 300, seed=5)
    release, _ = vk.mask.noise(data, scale=0.05, seed=6)
    for null in ("exact", "monte_carlo", "leave_one_out"):
        found = vk.plausibility(data, release, null=null)
        assert found.kolmogorov_smirnov_p < 1e-6
        assert found.permutation_p == pytest.approx(1 / 200)
        assert found.hellinger > 0.3


def test_unrelated_people_differ_from_made_up_records_by_chance_only():
    """Twenty unrelated tables of independent columns: the permutation test says .05 or less in at
    most 4 of 20 (P(5 or more) = .003)."""
    small = 0
    for seed in range(20):
        data, other = vk.simulate("dm", 150, seed=seed), vk.simulate("dm", 150, seed=seed + 500)
        release = vk.TableRelease.of(other.frame)
        small += vk.plausibility(data, release, null="monte_carlo", seed=seed).permutation_p <= 0.05
    assert small <= 4


def test_correlated_columns_are_pointed_out_for_made_up_records_only():
    data = correlated(300, 0.9, seed=1)
    release, _ = vk.mask.noise(data, scale=0.3, seed=2)
    assert "correlated" in vk.plausibility(data, release).note
    assert "correlated" not in vk.plausibility(data, release, null="leave_one_out").note
    independent = vk.simulate("dm", 300, seed=1)
    assert (
        "correlated"
        not in vk.plausibility(
            independent, vk.mask.noise(independent, scale=0.3, seed=2).release
        ).note
    )


def test_many_equal_values_are_pointed_out():
    rng = np.random.default_rng(1)
    data = vk.Microdata(pd.DataFrame(rng.integers(0, 9, (100, 3)), columns=list("abc")))
    assert "values are equal" in vk.plausibility(data, vk.TableRelease.of(data.frame)).note
    assert (
        "values are equal"
        not in vk.plausibility(
            vk.simulate("dm", 50, seed=1), vk.TableRelease.of(vk.simulate("dm", 50, seed=2).frame)
        ).note
    )


def test_a_release_alone_is_compared_with_its_own_records(example):
    found = vk.plausibility(example[1])
    first = np.column_stack([vk.ranks.blocks(example[1].scores(n))[0] for n in ("X1", "X2", "X3")])
    assert found.observed.tolist() == vk.ranks.luck.leave_one_out(first, first).tolist()
    assert np.isnan(found.success)
    assert "estimate" not in repr(found)


def test_a_choice_of_distances_never_makes_p_too_small(monkeypatch, example):
    exact = vk.plausibility(*example)
    monkeypatch.setattr("verikit.intruder._plausibility.MAX_FINE_POINTS", 4)
    coarse = vk.plausibility(*example)
    assert len(coarse.points) < len(exact.points)
    assert (coarse.p >= exact.p).all()
    assert "Some distances were left out" in coarse.note


def test_records_that_all_match_exactly_allow_no_test():
    data = vk.Microdata(pd.DataFrame({"a": [1, 1, 1, 2], "b": [1, 1, 1, 1]}))
    found = vk.plausibility(data, vk.TableRelease.of(data.frame))
    assert found.share_others[0] == 1
    assert "no match can be called close" in found.note


def test_the_seed_decides_the_drawn_records_and_nothing_else(example):
    drawn = [vk.plausibility(*example, null="monte_carlo", seed=s, draws=50) for s in (1, 1, 2)]
    assert drawn[0].share_others.tolist() == drawn[1].share_others.tolist()
    assert drawn[0].share_others.tolist() != drawn[2].share_others.tolist()
    assert drawn[0].observed.tolist() == drawn[2].observed.tolist()


def test_what_cannot_be_compared_is_refused_in_a_sentence(example):
    data, release = example
    with pytest.raises(vk.RecordError, match="null was given as 'random'; expected 'exact', "):
        vk.plausibility(data, release, null="random")
    with pytest.raises(vk.RecordError, match="draws was given as 0; expected a whole"):
        vk.plausibility(data, release, null="monte_carlo", draws=0)
    with pytest.raises(vk.SchemaError, match="plausibility was given Microdata and NoneType"):
        vk.plausibility(data)
    with pytest.raises(vk.RecordError, match="'leave_one_out' compares with the released records"):
        vk.plausibility(release, null="leave_one_out")


@pytest.mark.parametrize("null", MADE_UP)
def test_the_order_of_the_released_rows_changes_no_figure(null):
    data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    rows = np.random.default_rng(1).permutation(len(release))
    moved = vk.TableRelease.of(release.frame.iloc[rows], release.schema)
    first, other = (
        vk.plausibility(data, table, null=null, draws=300, seed=1) for table in (release, moved)
    )
    assert np.allclose(first.share_others, other.share_others, rtol=1e-12)
    assert first.permutation_p == other.permutation_p


def test_what_may_be_concluded_is_said_by_the_comparison_itself():
    data = vk.load("dm_table1")
    alike = vk.plausibility(data, vk.published("dm_table1_masked"))
    assert not alike.closer
    assert alike.verdict.endswith("links may be right all the same.")
    near = vk.mask.noise(data, scale=0.01, seed=1).release
    close = vk.plausibility(data, near)
    assert (close.differs, close.closer) == (True, True)
    assert "reason to trust his links" in close.verdict
    assert close.verdict in repr(close)
