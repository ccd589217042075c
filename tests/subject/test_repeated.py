"""The published method repeated with her record, and what the interval of S9 holds."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta

import verikit as vk
from verikit.errors import RecordError
from verikit.ranks import mid_ranks
from verikit.ranks._moves import balance_likelihoods
from verikit.subject import repetition
from verikit.subject.masked import _repeat
from verikit.subject.masked._repeat import Attacker


def keys(report):
    return [said.key for said in report.sentences]


def test_repeating_the_method_finds_barely_masked_people_and_only_them():
    data = vk.simulate("dm", 200, seed=5)
    near, _ = vk.mask.noise(data, scale=0.01, seed=6)
    far, _ = vk.mask.noise(data, scale=20.0, seed=6)
    found = vk.check(data.record(0), near, runs=40).facts["repeated"]
    assert found["found"] == 40
    assert found["low"] > 0.85
    lost = vk.check(data.record(0), far, runs=40).facts["repeated"]
    assert lost["found"] <= 3
    assert lost["luck"] == 1 / 200


def test_repeating_gives_the_same_count_each_time():
    data = vk.simulate("dm", 100, seed=5)
    release, _ = vk.mask.noise(data, scale=0.2, seed=6)
    first, again = (vk.check(data.record(0), release, runs=20).facts["repeated"] for _ in range(2))
    assert first == again


def test_methods_that_cannot_be_repeated_are_not():
    data = vk.simulate("dm", 60, seed=5)
    averaged, _ = vk.mask.microaggregate(data, k=5, seed=1)
    unknown = vk.TableRelease.of(data.frame, method="something else")
    noisy, _ = vk.mask.noise(data, scale=0.2, seed=6)
    assert "S9" not in keys(vk.check(data.record(0), averaged, runs=5))
    assert "S9" not in keys(vk.check(data.record(0), unknown, runs=5))
    some = {name: value for name, value in data.record(0).items() if name != "X2"}
    assert "S9" not in keys(vk.check(some, noisy, runs=5))


def normal(n, seed):
    values = np.random.default_rng(seed).normal(size=(n, 3))
    return vk.Microdata(pd.DataFrame(values, columns=list("abc")))


def middles(frame):
    return np.column_stack([mid_ranks(frame[name].to_numpy(float)) for name in frame])


def taught(data, again, runs):
    before, moved = middles(data.frame), []
    for seed in range(runs):
        release, key = again(data, 5000 + seed)
        moved.append(middles(release.frame)[key.rows])
    return before, Attacker.learn([before] * runs, moved)


MASKS = {
    "noise": lambda d, s: vk.mask.noise(d, scale=0.3, seed=s),
    "cycles": lambda d, s: vk.mask.rank_swap(d, percent=8, scheme="cycles", seed=s),
    "shuffle": lambda d, s: vk.mask.shuffle(d, correlation=0.95, seed=s),
}


@pytest.mark.parametrize("name", MASKS)
def test_one_person_is_found_as_often_as_the_attack_on_everybody_finds_people(name):
    """The attack that repeats the published method, on the same tables: within a tenth."""
    data = normal(150, 3)
    before, attacker = taught(data, MASKS[name], 200)
    one_by_one, all_at_once = [], []
    for seed in range(2):
        release, key = MASKS[name](data, seed)
        after = middles(release.frame)
        one_by_one += [attacker.link_one(before, after, i, key.rows[i]).right for i in range(150)]
        links = vk.link(data, release, attack="published_mechanism")
        all_at_once.append(np.mean(links.rows == key.rows))
    assert np.mean(one_by_one) == pytest.approx(np.mean(all_at_once), abs=0.07)
    assert np.mean(one_by_one) > 5 / 150


def test_the_records_around_her_are_enough(monkeypatch):
    """Linked among 60 records around her and among all 300, people are found as often."""
    data = normal(300, 4)
    mask = lambda d, s: vk.mask.noise(d, scale=0.1, seed=s)  # noqa: E731 - one line
    before, attacker = taught(data, mask, 100)
    release, key = mask(data, 1)
    after, found = middles(release.frame), []
    for around in (300, 60):
        monkeypatch.setattr(_repeat, "AROUND", around)
        found.append([attacker.link_one(before, after, i, key.rows[i]).right for i in range(300)])
    assert np.mean(found[1]) == pytest.approx(np.mean(found[0]), abs=0.03)


def test_pairs_among_columns_with_many_equal_values_are_undone_in_each_run(monkeypatch):
    """All of 300 records are linked with certainty; by how far values move fewer are found."""
    monkeypatch.setattr(_repeat, "MOVES", 3000)
    monkeypatch.setattr(_repeat, "TABLES", 2)
    rng = np.random.default_rng(1)
    values = np.c_[rng.normal(size=300), rng.integers(0, 60, (300, 2))]
    data = vk.Microdata(pd.DataFrame(values, columns=list("abc")))
    release = vk.mask.rank_swap(data, percent=12, seed=3).release
    assert vk.intruder.undo_pairs(data, release).certain.all()
    found = [repeated_for(data.record(her), release) for her in (7, 100)]
    monkeypatch.setattr(_repeat, "is_swapped_in_pairs", lambda _: False)
    by_moves = [repeated_for(data.record(her), release) for her in (7, 100)]
    assert min(found) >= 9
    assert max(by_moves) <= 6


def repeated_for(record, release):
    return vk.check(record, release, chance=False, runs=10).facts["repeated"]["found"]


def test_of_several_rows_that_are_equally_likely_one_is_guessed():
    """Two rows are copies of each other, and one of them is hers: found once in two cases."""
    ranks = np.array([[1.5, 1.5], [1.5, 1.5], [3, 3], [4, 4]])
    attacker = Attacker.learn([ranks] * 3, [ranks] * 3)
    assert [attacker.link_one(ranks, ranks, her, her).right for her in range(4)] == [
        0.5,
        0.5,
        1,
        1,
    ]
    assert attacker.link_one(ranks, ranks, 2, 3).right == 0


def test_what_is_repeated_some_at_a_time_comes_to_the_same():
    data = normal(60, 1)
    release, _ = vk.mask.noise(data, scale=0.2, seed=2)
    work, steps = repetition(data.record(0), release, runs=10), 0
    while not work.advance(0):
        steps += 1
        assert 0 < work.share < 1
    assert (steps, work.share) == (work.total - 2, 1), "the first was done to see that it can be"
    at_once = vk.check(data.record(0), release, runs=10)
    assert vk.check(data.record(0), release, runs=work.found).to_json() == at_once.to_json()


@pytest.mark.parametrize(
    "release",
    [
        vk.TableRelease.of(pd.DataFrame({"a": [1.0, 2], "b": [2.0, 1]})),
        vk.TableRelease.of(
            pd.DataFrame({"a": [1.0, 2, None], "b": [2.0, 1, 3]}),
            method="noise",
            parameters={"scale": {"a": 1, "b": 1}},
        ),
        vk.TableRelease.of(
            pd.DataFrame({"a": [1.0, 2], "b": [2.0, 1]}),
            method="noise",
            parameters={"scale": {"a": -1, "b": 1}},
        ),
        vk.TableRelease.of(
            pd.DataFrame({"a": [1.0], "b": [2.0]}),
            method="noise",
            parameters={"scale": {"a": 1, "b": 1}},
        ),
    ],
    ids=["method untold", "a missing value", "parameters that cannot be", "one record"],
)
def test_what_cannot_be_repeated_is_not(release):
    assert repetition({"a": 1, "b": 2}, release) is None
    assert vk.check({"a": 1, "b": 2}, release, runs=5).sentence("S9") is None


def test_a_table_in_groups_is_not_repeated_and_no_runs_are_refused():
    assert repetition({"Age": 65, "Sex": "M"}, vk.published("lhcc_table4")) is None
    with pytest.raises(RecordError, match="runs was given as 0; expected a whole number"):
        repetition({"X1": 1}, vk.published("dm_table1_masked"), runs=0)


@pytest.mark.parametrize("scale", [0.1, 0.5])
def test_the_interval_holds_the_truth_of_the_original_for_most_people(scale, monkeypatch):
    """Of 8 people at most 2 may be missed; 5 of 100 would be. FIGURES.md holds hundreds."""
    monkeypatch.setattr(_repeat, "MOVES", 2000)
    monkeypatch.setattr(_repeat, "TABLES", 10)
    data, every = normal(60, 5), np.broadcast_to(np.arange(60), (60, 60))
    release, _ = vk.mask.noise(data, scale=scale, seed=9)

    def again(table, seed):
        return vk.mask.noise(table, scale=release.parameters["scale"], seed=seed)

    (before, attacker), found = taught(data, again, 50), np.zeros(60)
    for run in range(150):
        masked = again(data, run)
        likely = attacker.log_likelihood(before, middles(masked.release.frame), 60)
        found += balance_likelihoods(likely, every).argmax(axis=1) == masked.key.rows
    missed = 0
    for her in range(8):
        part = vk.check(data.record(her), release, chance=False, runs=50).facts["repeated"]
        missed += not part["low"] <= found[her] / 150 <= part["high"]
    assert missed <= 2


def test_the_spread_between_tables_widens_the_interval_and_luck_of_runs_does_not():
    sure = [_repeat.Guess(1.0, 0.5)] * 10
    alike, apart = [sure] * 4, [sure, [_repeat.Guess(1.0, 0.9)] * 10] * 2
    narrow, wide = (
        _repeat._judge_runs([*sure, *[_repeat.Guess(0.0, 0.5)] * 10], o, 9) for o in (alike, apart)
    )
    assert wide.low < narrow.low < 0.5 < narrow.high < wide.high
    assert (narrow.found, narrow.runs) == (10, 20)
    by_runs = beta.ppf([0.025, 0.975], 10.5, 10.5)  # Jeffreys: 10 of 20 runs
    assert narrow.low < by_runs[0] - 0.01 < by_runs[1] + 0.01 < narrow.high, "tables differ unseen"
    all_found, none = (
        _repeat._judge_runs([_repeat.Guess(r, 0.5)] * 20, alike, 9) for r in (1.0, 0.0)
    )
    assert (all_found.high, none.low) == (1, 0)
    assert all_found.low > 0.7
    assert not none.more_than_luck
