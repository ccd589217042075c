"""What is said about chance, and about the publisher's own words."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import verikit as vk
from verikit import nulls
from verikit._reach import Reach
from verikit.errors import RecordError, SchemaError
from verikit.ranks import blocks
from verikit.subject._chance import more_than_luck
from verikit.subject._shares import made_up, others

FORBIDDEN = (
    "safe", "anonymous", "match is random is", "the match is yours",
    "at least as much as the releaser",
)  # fmt: skip


def keys(report):
    return [said.key for said in report.sentences]


def release_of(values, **facts):
    columns = [f"a{j}" for j in range(values.shape[1])]
    return vk.TableRelease.of(pd.DataFrame(values, columns=columns), **facts)


def test_the_share_of_made_up_records_is_exact_on_the_running_example():
    """Of the 8000 combinations of published values 6495 match within 4 places."""
    original, masked = vk.load("dm_table1"), vk.published("dm_table1_masked")
    ranks = [np.argsort(np.argsort(masked.scores(name))) for name in masked.schema.names]
    made_up = np.array(list(itertools.product(range(20), repeat=3)))
    distances = np.abs(made_up[:, None, :] - np.column_stack(ranks)).max(axis=2).min(axis=1)
    report = vk.check(original.record(2), masked)
    assert report.facts["chance"]["made_up"] == np.mean(distances <= 4) == 0.811875
    assert report.facts["chance"]["error"] == 0
    assert "81 of 100 cases." in report.sentence("S4")


def test_other_records_are_compared_by_leaving_each_out():
    masked = vk.published("dm_table1_masked")
    found = []
    for place in range(20):
        rest = vk.TableRelease.of(masked.frame.drop(index=place))
        full = [np.argsort(np.argsort(masked.scores(n))) + 1 for n in masked.schema.names]
        ranks = np.column_stack(full)
        others = np.delete(ranks, place, axis=0)
        found.append(int(np.abs(others - ranks[place]).max(axis=1).min()))
        assert len(rest) == 19
    report = vk.check(vk.load("dm_table1").record(2), masked)
    expected = (1 + sum(d <= 4 for d in found)) / 21
    assert report.facts["chance"]["others"] == pytest.approx(expected)


def test_an_unmasked_record_in_a_larger_table_is_warned():
    data = vk.simulate("dm", 300, seed=1)
    release, _ = vk.mask.noise(data, scale=0.001, seed=2)
    report = vk.check(data.record(5), release)
    assert report.headline.state == "warning-you"
    assert "S6" in keys(report)
    assert "S7" not in keys(report)
    assert report.warned


def test_a_large_share_never_allows_a_conclusion():
    data = vk.simulate("dm", 300, seed=1)
    release, _ = vk.mask.noise(data, scale=3.0, seed=2)
    states = [vk.check(data.record(i), release) for i in range(20)]
    assert all(("S7" in keys(report)) != ("S6" in keys(report)) for report in states)
    assert sum(report.headline.state == "no-warning" for report in states) > 15


def test_correlated_attributes_are_judged_by_other_people_not_by_made_up_records():
    """Fresh people of the same population: the paper's null would flag most of them."""
    rng = np.random.default_rng(4)
    people = rng.multivariate_normal([0, 0, 0], np.full((3, 3), 0.95) + 0.05 * np.eye(3), 300)
    release = release_of(people[:200])
    reports = [
        vk.check(dict(zip(["a0", "a1", "a2"], p, strict=True)), release) for p in people[200:]
    ]
    made_up = np.mean([r.facts["chance"]["made_up"] <= 0.05 for r in reports])
    warned = np.mean([r.headline.state == "warning-you" for r in reports])
    assert not any(r.facts["chance"]["independent"] for r in reports)
    assert made_up > 0.4
    assert warned < 0.12


def test_both_shares_are_shown_where_they_disagree():
    rng = np.random.default_rng(4)
    line = rng.normal(size=(300, 1)) + 0.05 * rng.normal(size=(300, 3))
    report = vk.check({"a0": 0.1, "a1": 0.1, "a2": 0.1}, release_of(line))
    found = report.facts["chance"]
    assert (found["made_up"] <= 0.05) != (found["others"] <= 0.05)
    assert {"S4", "S5", "S7"} <= set(keys(report))


@pytest.mark.parametrize("percent", [5, 30])
def test_the_crowd_holds_the_records_within_the_promised_places(percent):
    data = vk.simulate("dm", 200, seed=3)
    release, key = vk.mask.rank_swap(data, percent=percent, seed=4)
    bound = percent * 2
    ranks = {n: np.argsort(np.argsort(release.scores(n))) for n in data.schema.names}
    for place in range(10):
        report = vk.check(data.record(place), release)
        own = {n: np.searchsorted(np.sort(release.scores(n)), data.scores(n)[place]) for n in ranks}
        fits = np.all([np.abs(ranks[n] - own[n]) <= bound for n in ranks], axis=0)
        assert report.facts["crowd"]["fitting"] == fits.sum()
        assert fits[key.rows[place]], "her own record is always in the crowd"
        assert ("you can be picked out" in report.sentence("S8")) == (fits.sum() == 1)
        if fits.sum() == 1:
            assert report.headline.state == "warning-you"
            assert "S3" not in keys(report)


def test_no_crowd_is_counted_without_a_promise_or_for_someone_not_in_the_table():
    data = vk.simulate("dm", 50, seed=3)
    swapped, _ = vk.mask.rank_swap(data, percent=20, seed=4)
    noisy, _ = vk.mask.noise(data, scale=0.1, seed=4)
    assert "S8" not in keys(vk.check(data.record(0), noisy))
    assert "S8" not in keys(vk.check({"X1": 1.0, "X2": 2.0, "X3": 3.0}, swapped))


def test_repeating_the_method_finds_barely_masked_people_and_only_them():
    data = vk.simulate("dm", 200, seed=5)
    near, _ = vk.mask.noise(data, scale=0.01, seed=6)
    far, _ = vk.mask.noise(data, scale=20.0, seed=6)
    found = vk.check(data.record(0), near, runs=40).facts["repeated"]
    assert found["found"] == 40
    assert found["low"] > 0.9
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


@pytest.mark.parametrize(("links", "warned"), [(0, False), (3, False), (4, True), (12, True)])
def test_reported_links_warn_where_luck_does_not_explain_them(links, warned):
    """P(Poisson(1) >= 3) = 0.080 and P(Poisson(1) >= 4) = 0.019."""
    assert more_than_luck(links) is warned
    release = vk.published("dm_table1_masked").reporting(links)
    report = vk.check(vk.load("dm_table1").record(2), release)
    assert (report.headline.state == "warning-table") is warned
    assert f"{links} of its 20 people" in report.sentence("S10")


def test_reported_links_cross_to_the_subject_in_the_folder(tmp_path):
    release = vk.published("dm_table1_masked").reporting(7)
    assert vk.open_release(release.save(tmp_path / "r")).reported_links == 7
    with pytest.raises(SchemaError, match="21 correct links were reported of 20 records"):
        release.reporting(21)


def test_the_papers_own_reading_stands_beside_what_is_wrong_with_it():
    own = vk.load("dm_table1").record(2)
    said = vk.check(own, vk.published("dm_table1_mapped")).sentence("DM")
    assert "plausible as a chance match" in said
    assert "does not hold" in said
    assert vk.check(own, vk.published("dm_table1_masked")).sentence("DM") is None


def test_a_large_unmasked_table_warns_like_a_small_one():
    big = vk.simulate("dm", 20_001, seed=1)
    for n in (20_000, 20_001):
        report = vk.check(big.record(5), vk.TableRelease.of(big.frame.iloc[:n]).prepare())
        assert report.headline.state == "warning-you"


def test_what_was_not_compared_with_chance_is_never_called_no_warning():
    data = vk.simulate("dm", 300, seed=1)
    release, _ = vk.mask.noise(data, scale=3.0, seed=2)
    for place in range(20):
        report = vk.check(data.record(place), release, chance=False)
        assert (report.headline.state, report.headline.tag) == ("cannot-tell", "Cannot tell yet")
        assert "not compared with chance" in report.headline.text
        assert "S7" in keys(report), "the mandatory sentence stays"
        assert not {"S4", "S5", "S6"} & set(keys(report))


@pytest.mark.parametrize(("n", "m"), [(60, 3), (400, 3), (1000, 5)])
def test_the_answer_does_not_depend_on_whether_numba_is_installed(n, m, monkeypatch):
    rng = np.random.default_rng(n)
    for values in (rng.normal(size=(n, m)), rng.integers(0, 30, (n, m)).astype(float)):
        release, record = release_of(values), {f"a{j}": 0.3 for j in range(m)}
        said = []
        for installed in (True, False):
            monkeypatch.setattr(
                "verikit._compiled.has_numba", lambda installed=installed: installed
            )
            monkeypatch.setattr("verikit.nulls.has_numba", lambda installed=installed: installed)
            report = vk.check(record, release)
            said.append((repr(report), report.facts["chance"]))
        assert said[0] == said[1]


def test_the_comparison_compiles_nothing(monkeypatch):
    """What is compiled for one check costs more than it saves."""

    def refused(function):
        raise AssertionError(f"{function.__name__} was compiled")

    monkeypatch.setattr("verikit._compiled._machine_code", refused)
    for n, m in ((41, 3), (300, 2), (1000, 3)):
        release = release_of(np.random.default_rng(n).normal(size=(n, m)))
        vk.check({f"a{j}": 0.3 for j in range(m)}, release)


def test_no_share_is_above_one():
    rng = np.random.default_rng(27)
    release = release_of(rng.normal(size=(120, 8)))
    report = vk.check({f"a{j}": (-3.0, 3.0)[j % 2] for j in range(8)}, release)
    assert 0.98 < report.facts["chance"]["made_up"] <= 1
    ranks = np.column_stack([rng.permutation(120) + 1 for _ in range(8)])
    assert all(nulls.karp_luby(ranks, ranks, range(60, 121, 5), draws=500, seed=1)[0] <= 1)


@pytest.mark.parametrize("tied", [False, True])
def test_the_shares_of_a_large_table_are_sampled_within_their_error(tied):
    """Of 5,000 records 2,000 are asked, and 2,000 made-up ones: all would say nearly the same."""
    rng = np.random.default_rng(5)
    values = rng.normal(size=(5000, 3))
    release = release_of(np.round(values * 8) if tied else values)
    first, last = (
        np.column_stack(p) for p in zip(*map(blocks, release.frame.to_numpy().T), strict=True)
    )
    reach, places = Reach(first, last), 160
    everybody = reach.holds(first, last, places, own=np.arange(5000)).mean()
    found = others(reach, first, last, places)
    assert 0 < found.error < 0.02
    assert abs(found.share - everybody) < 4 * found.error
    exact = nulls.exact(first, last, [places])[0]
    guessed = made_up(reach, first, last, places)
    assert 0 < guessed.error < 0.02
    assert abs(guessed.share - exact) < 4 * guessed.error


def test_nothing_is_said_about_chance_where_it_cannot_tell():
    """Only one of the two values differs between records, so some record always fits exactly."""
    rng = np.random.default_rng(1)
    values = np.column_stack([np.full(100, 50), np.round(rng.normal(5, 3, 100), 2)])
    report = vk.check({"a0": 5, "a1": 7}, release_of(values))
    assert report.headline.state == "cannot-tell"
    assert not {"S4", "S5", "S6"} & set(keys(report))


@settings(max_examples=60)
@given(
    st.integers(0, 2**31), st.integers(2, 40), st.integers(1, 4), st.booleans(), st.booleans(),
    st.sampled_from(["noise", "rank_swap", "shuffle"]),
)  # fmt: skip
def test_each_sentence_appears_exactly_when_its_condition_holds(seed, n, m, tied, inside, name):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 5, (n, m)).astype(float) if tied else rng.normal(size=(n, m))
    data = vk.Microdata(pd.DataFrame(values, columns=[f"a{j}" for j in range(m)]))
    method = vk.mask.METHODS[name]
    release, _ = method.function(data, **method.example, seed=seed)
    record = data.record(0) if inside else {f"a{j}": float(rng.normal()) for j in range(m)}
    report = vk.check(record, release)
    found, present = report.facts, keys(report)
    text = repr(report).lower()
    assert not [claim for claim in FORBIDDEN if claim in text]
    assert len(present) == len(set(present))
    assert {"S1", "S11", "S12"} <= set(present)
    published = all(record[c] in set(release.frame[c].tolist()) for c in release.schema.names)
    assert ("S2" in present) == (release.permutation and published and found["distance"] > 0)
    warns = "chance" in found and (
        found["chance"]["others"] <= 0.05
        or (found["chance"]["independent"] and found["chance"]["made_up"] <= 0.05)
    )
    assert ("S6" in present) == warns
    assert ("S7" in present) == (not warns)
    assert ("S8" in present) == ("crowd" in found)
    assert ("S3" in present) == (found.get("crowd", {"fitting": 0})["fitting"] != 1)
    assert "S9" not in present
    assert "S10" not in present


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 2])
def test_a_threshold_outside_0_to_1_is_refused(alpha):
    with pytest.raises(RecordError, match="expected a share between 0 and 1"):
        vk.check({"X1": 1}, vk.published("dm_table1_masked"), alpha=alpha)
