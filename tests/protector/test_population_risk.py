"""The risk of people in a sample, against sums term by term, all samples, and known populations."""

import json
from itertools import product
from math import prod

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.protector import population_risk
from verikit.protector._population_risk import bound_count, describe_sample, expect_inverse


def sample(weights, households=None, **columns):
    """A table with weights, all other columns quasi-identifying categories."""
    frame = pd.DataFrame({**{name: list(map(str, part)) for name, part in columns.items()}})
    schema = [vk.Column(name, kind="nominal") for name in frame]
    frame["w"] = np.asarray(weights, float)
    schema.append(vk.Column("w", "weight"))
    if households is not None:
        frame["home"] = list(map(str, households))
        schema.append(vk.Column("home", "household", "nominal"))
    return vk.Microdata(frame, vk.Schema(tuple(schema)))


def sum_series(f, p):
    """E[1/F] and E[1/F^2], term by term: F trials give f successes, the last trial one of them."""
    term, moments = p**f, [0.0, 0.0]
    trials = f
    while trials < f / p or term > 1e-15:
        moments = [moments[0] + term / trials, moments[1] + term / trials**2]
        term *= (1 - p) * trials / (trials - f + 1)
        trials += 1
    return moments


@pytest.mark.parametrize("f", [1, 2, 3, 10, 30, 31, 80])
@pytest.mark.parametrize("p", [0.97, 0.6, 0.2, 0.02])
def test_the_expected_inverse_is_the_series_summed_term_by_term(f, p):
    if p**f < 1e-250:
        pytest.skip("the first term of the series is no number")
    assert expect_inverse(f, p) == pytest.approx(sum_series(f, p), rel=1e-7)


def test_the_risks_are_those_that_the_tests_of_sdcmicro_expect_of_its_exact_method():
    """Figures of sdcMicro's own tests of indivRisk(method = "exact"); it was not run here."""
    data = sample(
        [18, 45.5, 39, 17, 92, 8, 123.5, 51],
        A=[2, 3, 2, 2, 3, 3, 1, 2],
        B=[3, 3, 3, 3, 3, 3, 4, 3],
        C=[1, 3, 1, 2, 1, 1, 1, 1],
    )
    found = population_risk(data)
    expected = [
        0.01355297, 0.08579129, 0.01355297, 0.17707583, 0.01877883, 0.01877883, 0.03931625,
        0.01355297,
    ]  # fmt: skip
    assert found.risk == pytest.approx(expected, abs=5e-9)
    assert found.frequency.tolist() == [3, 1, 3, 1, 2, 2, 1, 3]
    assert found.estimated.tolist() == [108, 45.5, 108, 17, 100, 100, 123.5, 108]


def test_who_is_published_with_everybody_has_the_risk_of_the_table():
    found = population_risk(sample([1, 1, 1, 1], town="aabb"))
    assert found.risk.tolist() == [0.5] * 4
    assert found.found == (2.0, 2.0, 2.0)


def test_a_household_is_found_unless_nobody_of_it_is():
    homes = ["x", "y", "x", "y", "x"]
    found = population_risk(sample([5, 2, 9, 9, 3], homes, town="abcca"))
    for home in "xy":
        people = [at for at in range(5) if homes[at] == home]
        missed = prod(1 - found.risk[at] for at in people)
        assert found.household[people] == pytest.approx(1 - missed)


def every_sample(cells, weights):
    """Each sample that may be drawn, with its chance; of the weight 1 everybody is in it."""
    for drawn in product([True, False], repeat=len(cells)):
        chance = prod(1 / w if one else 1 - 1 / w for one, w in zip(drawn, weights, strict=True))
        if chance:
            yield np.flatnonzero(drawn), chance


def test_over_all_samples_the_people_beside_those_alone_are_estimated_without_bias():
    """One person is alone everywhere, so that somebody is alone in each sample."""
    cells = np.array(list("zaaaabbbc"))
    weights = np.array([1, 2, 3, 5, 1.5, 4, 2, 3, 6])
    population = {cell: int((cells == cell).sum()) for cell in cells}
    estimated = true = 0.0
    for at, chance in every_sample(cells, weights):
        found = population_risk(sample(weights[at], town=cells[at]))
        alone = [cell for cell in cells[at] if (cells[at] == cell).sum() == 1]
        assert found.alone == len(alone)
        true += chance * sum(population[cell] - 1 for cell in alone)
        estimated += chance * (found.alone / found.right[0] - found.alone)
    assert estimated == pytest.approx(true)


@pytest.mark.parametrize("equal", [True, False])
def test_the_interval_of_right_matches_holds_the_truth_in_93_of_100_samples(equal):
    rng = np.random.default_rng(5)
    cells = np.minimum(rng.zipf(1.5, 3000), 900)
    weights = np.full(3000, 10.0) if equal else np.where(cells % 2, 4.0, 20.0)
    population, held, asked = np.bincount(cells), 0, 0
    for _ in range(250):
        at = np.flatnonzero(rng.random(3000) < 1 / weights)
        found = population_risk(sample(weights[at], town=cells[at]))
        values, counts = np.unique(cells[at], return_counts=True)
        alone = values[counts == 1]
        low, high = found.right[1:]
        held += low <= len(alone) / population[alone].sum() <= high
        asked += 1
    assert held / asked >= 0.93


def test_the_interval_of_people_found_holds_the_truth_where_the_model_is_true():
    """People by cell as the model takes them: a number h with a chance as 1/h."""
    rng, held = np.random.default_rng(8), 0
    for _ in range(200):
        sizes = np.exp(rng.uniform(0, np.log(3000), 200)).astype(int)
        drawn = rng.binomial(sizes, 1 / 15)
        cells = np.repeat(np.arange(200), drawn)
        found = population_risk(sample(np.full(len(cells), 15.0), town=cells))
        seen = drawn > 0
        held += found.found[1] <= (drawn[seen] / sizes[seen]).sum() <= found.found[2]
    assert held / 200 >= 0.93


def test_counts_are_bounded_nearly_as_exactly():
    from scipy.stats import chi2

    for seen in (0, 1, 2, 5, 30, 200):
        low = chi2.ppf(0.025, 2 * seen) / 2 if seen else 0
        high = chi2.ppf(0.975, 2 * seen + 2) / 2
        assert bound_count(seen) == pytest.approx((low, high), rel=0.01, abs=0.025)


def test_weights_and_households_are_published_nowhere_and_told_rounded():
    rng = np.random.default_rng(2)
    homes, weights = [f"H{at // 2:04d}" for at in range(60)], rng.uniform(103, 977, 60)
    data = sample(weights, homes, town=rng.choice(list("abc"), 60), job=rng.choice(list("xy"), 60))
    release, key = vk.mask.generalize(data, partition=vk.partition.mondrian(data, k=4), seed=1)
    assert release.schema.names == ("town", "job")
    report = vk.audit(data, release, key)
    found = report.sample
    sizes = pd.Series(map(tuple, release.frame.astype(str).to_numpy())).value_counts()
    own = [tuple(row) for row in release.frame.astype(str).to_numpy()[key.rows]]
    assert found.frequency.tolist() == [sizes[row] for row in own]
    told = report.html() + report.json()
    assert "How many people of the population are found" in told
    assert not any(f"{weight:.1f}" in told for weight in weights)
    assert not any(home in told for home in homes)
    assert json.loads(report.json())["sample"]["population"] == round(weights.sum(), -3)
    low, high = (int(end) for end in describe_sample(data)["weights"].split(" to "))
    assert low <= weights.min() <= low + 10
    assert high - 10 <= weights.max() <= high
    with pytest.raises(vk.SchemaError, match="must not hold identifiers, weights or households"):
        vk.TableRelease.of(data.frame, data.schema)


def test_where_values_were_moved_the_risk_is_that_of_the_originals():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"age": rng.integers(20, 60, 80), "w": np.full(80, 12.0)})
    data = vk.Microdata(frame, vk.Schema.guess(frame, w="weight"))
    report = vk.audit(data, *vk.mask.rank_swap(data, percent=20, seed=1))
    assert report.sample.risk.tolist() == population_risk(data).risk.tolist()
    assert "as if they were published unmasked" in report.html()


def test_what_is_no_weight_is_refused():
    with pytest.raises(vk.SchemaError, match="has 0 columns with the role 'weight'"):
        population_risk(vk.load("dm_table1"))
    with pytest.raises(vk.RecordError, match=r"was given as 0\.5; expected a number of 1 or more"):
        population_risk(sample([0.5, 2], town="ab"))


def test_a_sample_cannot_tell_whether_nearly_nobody_or_everybody_is_found():
    """Fifty who differ are drawn of 500 who all differ, or of 50 crowds: it looks the same."""
    found = population_risk(sample(np.full(50, 10.0), town=range(50)))
    assert 1 < found.found[0] < found.found[2] < 50
    assert "fewer may be found, or all." in repr(found)
