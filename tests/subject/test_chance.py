"""What is said about chance, and about the publisher's own words."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sources import WHOLE

import verikit as vk
from verikit.errors import RecordError, SchemaError
from verikit.ranks import blocks, closest_others, luck
from verikit.ranks._reach import Reach
from verikit.subject.masked._chance import measure_made_up, measure_strangers, more_than_luck

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


def compared_one_by_one(frame, distance):
    """Each published record taken out, and checked against the rest by the check itself."""
    found = [
        vk.check(frame.iloc[i].to_dict(), vk.TableRelease.of(frame.drop(index=i)), chance=False)
        for i in range(len(frame))
    ]
    return (1 + sum(r.facts["distance"] <= distance for r in found)) / (len(frame) + 1)


def test_other_records_are_taken_out_and_checked_as_she_is():
    masked = vk.published("dm_table1_masked")
    report = vk.check(vk.load("dm_table1").record(2), masked)
    assert report.facts["chance"]["others"] == compared_one_by_one(masked.frame, 4)
    assert report.facts["chance"]["least"] == compared_one_by_one(masked.frame, 0)


@given(st.integers(0, 2**31), st.integers(3, 14), st.integers(2, 3), st.sampled_from([2, 5, 40]))
def test_ties_and_values_half_way_count_for_strangers_as_they_do_for_her(seed, n, m, values):
    rng = np.random.default_rng(seed)
    frame = release_of(rng.integers(0, values, (n, m)).astype(float)).frame
    if {len(set(frame[name])) for name in frame} and (frame.nunique() > 1).all():
        report = vk.check(dict.fromkeys(frame, values / 2), vk.TableRelease.of(frame))
        found = report.facts["chance"]
        assert found["others"] == compared_one_by_one(frame, report.facts["distance"])
        assert found["least"] == compared_one_by_one(frame, 0)


def test_a_tied_stranger_by_hand():
    """On the first attribute records 1 to 3 share a value, 4 is alone beside them. Taken out, 1
    stays in the tie, and is 1 place from 2 on the second; 4 takes the place of the tie and is 2
    places from 3, who is 3 from 4 in turn: a tie of two is one place farther from place 3."""
    release = release_of(np.array([[1.0, 1], [1, 2], [1, 40], [2, 80], [9, 100]]))
    ordered, (first, last) = np.array([1.0, 1, 1, 2, 9]), blocks(np.array([1.0, 1, 1, 2, 9]))
    without = [b.tolist() for b in closest_others(ordered, first, last)]
    assert without == [[1, 1, 1, 1, 4], [3, 3, 3, 4, 5]]
    report = vk.check({"a0": 1, "a1": 2}, release)
    assert report.facts["chance"]["others"] == compared_one_by_one(release.frame, 0)


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
    """Fresh people of the same population: the paper's null would flag many of them."""
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
        assert ("can pick you out" in report.sentence("S8")) == (fits.sum() == 1)
        if fits.sum() == 1:
            assert report.headline.state == "warning-you"
            assert "S3" not in keys(report)


def test_no_crowd_is_counted_without_a_promise_or_for_someone_not_in_the_table():
    data = vk.simulate("dm", 50, seed=3)
    swapped, _ = vk.mask.rank_swap(data, percent=20, seed=4)
    noisy, _ = vk.mask.noise(data, scale=0.1, seed=4)
    assert "S8" not in keys(vk.check(data.record(0), noisy))
    assert "S8" not in keys(vk.check({"X1": 1.0, "X2": 2.0, "X3": 3.0}, swapped))


@pytest.mark.parametrize(("links", "warned"), [(0, False), (3, False), (4, True), (12, True)])
def test_reported_links_warn_where_luck_does_not_explain_them(links, warned):
    """P(Poisson(1) >= 3) = 0.080 and P(Poisson(1) >= 4) = 0.019."""
    assert more_than_luck(links) is warned
    release = vk.published("dm_table1_masked").reporting(links)
    report = vk.check(vk.load("dm_table1").record(2), release)
    assert (report.headline.state == "warning-table") is warned
    assert f"links {links} of 20 people rightly, without knowing which" in report.sentence("S10")
    assert "picked out" not in repr(report)


def test_reported_links_cross_to_the_subject_in_the_folder(tmp_path):
    release = vk.published("dm_table1_masked").reporting(7, luck=1.53)
    opened = vk.open_release(release.save(tmp_path / "r"))
    assert (opened.reported_links, opened.reported_luck) == (7, 1.53)
    said = vk.check(vk.load("dm_table1").record(2), opened).sentence("S10")
    assert "without knowing which. Luck gives about 1.5. You cannot check" in said
    with pytest.raises(SchemaError, match="-1 correct links were reported as luck's of 20 rec"):
        release.reporting(7, luck=-1)
    with pytest.raises(SchemaError, match="21 correct links were reported of 20 records"):
        release.reporting(21)


@pytest.mark.parametrize("language", WHOLE)
def test_the_publishers_number_is_read_after_what_it_leaves_out(language, tmp_path):
    """In the headline and in S10, from a folder that tells it and from one that does not."""
    frame = vk.published("dm_table1_masked").frame.assign(town=list("abcdefghijklmnopqrst"))
    town = vk.Column("town", kind="nominal", label="place of work")
    columns = (*vk.published("dm_table1_masked").schema, town)
    release = vk.TableRelease.of(frame, vk.Schema(columns)).reporting(12, luck=1.5)
    own = {"X1": 100.87, "X2": 902.21, "X3": 5108.54}
    told = release.reporting(12, luck=1.5, without=["town"])
    for place in (release.save(tmp_path / "untold"), told.save(tmp_path / "told")):
        report = vk.check(own, place, language=language)
        for said in (report.headline.text, report.sentence("S10")):
            before, _, after = said.partition("place of work")
            assert before
            assert "12" not in before
            assert "12" in after


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
                "verikit._support.compiled.has_numba", lambda installed=installed: installed
            )
            report = vk.check(record, release)
            said.append((repr(report), report.facts["chance"]))
        assert said[0] == said[1]


def test_the_comparison_compiles_nothing(monkeypatch):
    """What is compiled for one check costs more than it saves."""

    def refused(function):
        raise AssertionError(f"{function.__name__} was compiled")

    monkeypatch.setattr("verikit._support.compiled._machine_code", refused)
    for n, m in ((41, 3), (300, 2), (1000, 3)):
        release = release_of(np.random.default_rng(n).normal(size=(n, m)))
        vk.check({f"a{j}": 0.3 for j in range(m)}, release)


def test_no_share_is_above_one():
    rng = np.random.default_rng(27)
    release = release_of(rng.normal(size=(120, 8)))
    report = vk.check({f"a{j}": (-3.0, 3.0)[j % 2] for j in range(8)}, release)
    assert 0.98 < report.facts["chance"]["made_up"] <= 1
    ranks = np.column_stack([rng.permutation(120) + 1 for _ in range(8)])
    assert all(luck.karp_luby(ranks, ranks, range(60, 121, 5), draws=500, seed=1)[0] <= 1)


@pytest.mark.parametrize("tied", [False, True])
def test_the_shares_of_a_large_table_are_sampled_within_their_error(tied):
    """Of 5,000 records 2,000 are asked, and 2,000 made-up ones: all would say nearly the same."""
    rng = np.random.default_rng(5)
    values = rng.normal(size=(5000, 3))
    release = release_of(np.round(values * 8) if tied else values)
    first, last = (
        np.column_stack(p) for p in zip(*map(blocks, release.frame.to_numpy().T), strict=True)
    )
    reach, places, ordered = Reach(first, last), 160, np.sort(release.frame.to_numpy().T)
    everybody = measure_strangers(reach, ordered, (first, last), places, 2 / 5000)
    found = measure_strangers(reach, ordered, (first, last), places, 0.01)
    assert (everybody.asked, found.asked) == (5000, 2000)
    assert everybody.others_error == 0 < found.others_error < 0.02
    assert abs(found.others - everybody.others) < 4 * found.others_error
    exact = luck.exact(first, last, [places])[0]
    guessed = measure_made_up(reach, first, last, places)
    assert 0 < guessed.error < 0.02
    assert abs(guessed.made_up - exact) < 4 * guessed.error


def test_nothing_is_said_about_chance_where_it_cannot_tell():
    """Only one of the two values differs between records, so some record always fits exactly."""
    rng = np.random.default_rng(1)
    values = np.column_stack([np.full(100, 50), np.round(rng.normal(5, 3, 100), 2)])
    report = vk.check({"a0": 5, "a1": 7}, release_of(values))
    assert report.headline.state == "cannot-tell"
    assert not {"S4", "S5", "S6"} & set(keys(report))


WORLDS = {
    "independent": lambda rng, n: rng.normal(size=(n, 3)),
    "square": lambda rng, n: np.c_[x := rng.normal(size=n), x**2 + 0.05 * rng.normal(size=n)],
    "related": lambda rng, n: rng.normal(size=(n, 1)) + 0.23 * rng.normal(size=(n, 3)),
    "coarse": lambda rng, n: np.c_[rng.normal(size=(n, 2)).round(), rng.normal(size=n)],
}


@pytest.mark.parametrize("world", WORLDS)
def test_people_who_are_not_in_the_table_are_warned_in_no_more_cases_than_are_said(world):
    """Alpha .05, 8 tables of 120 records and 25 people each: two standard errors are granted."""
    warned = np.zeros((8, 25))
    for seed in range(8):
        rng = np.random.default_rng(seed)
        release = release_of(WORLDS[world](rng, 120)).prepare()
        for at, person in enumerate(release_of(WORLDS[world](rng, 25)).frame.to_dict("records")):
            found = vk.check(person, release, alpha=0.05)
            warned[seed, at] = found.headline.state == "warning-you"
            assert ("S6" in keys(found)) == bool(warned[seed, at])
    error = warned.mean(axis=1).std(ddof=1) / np.sqrt(8)
    assert warned.mean() <= 0.05 + 2 * error


@pytest.mark.parametrize("k", [1, 3])
def test_people_of_an_unmasked_or_hardly_averaged_table_are_warned(k):
    data = vk.simulate("dm", 1000, seed=1)
    release = vk.TableRelease.of(data.frame)
    if k > 1:
        release = vk.mask.microaggregate(data, k=k, seed=2).release
    release = release.prepare()
    warned = [vk.check(data.record(i), release).headline.state for i in range(0, 1000, 25)]
    assert np.mean([state == "warning-you" for state in warned]) >= 0.95


@pytest.mark.parametrize("k", [10, 20])
def test_people_of_individually_averaged_columns_are_mostly_warned(k):
    """Of 1000 records and three columns; asked are 60 people of two tables.

    At k = 20 tables differ: with chance 1 of 125 that a stranger matches, the share of 1000 records
    that match another one is above 1 of 100 in some. FIGURES.md holds 40 tables.
    """
    warned = []
    for seed in range(2):
        data = vk.Microdata(release_of(np.random.default_rng(seed).normal(size=(1000, 3))).frame)
        release = vk.mask.microaggregate(data, k=k, method="individual", seed=seed).release
        prepared = release.prepare()
        warned += [vk.check(data.record(i), prepared).headline.state for i in range(0, 1000, 34)]
    assert np.mean([state == "warning-you" for state in warned]) >= 0.65


@pytest.mark.parametrize("parts", [1, 2, 5, 10, 20])
def test_a_table_that_was_only_rounded_never_reads_no_warning(parts):
    table = (np.random.default_rng(1).normal(size=(1000, 3)) * parts).round()
    release = release_of(table).prepare()
    reports = [vk.check(release.frame.iloc[i].to_dict(), release) for i in range(30)]
    assert not [r for r in reports if r.headline.state == "no-warning"]
    assert all("S13" in keys(r) for r in reports)


def test_where_no_match_could_warn_it_says_why_and_cannot_tell():
    rng = np.random.default_rng(3)
    record = dict.fromkeys(["a0", "a1", "a2", "a3"], 0.0)
    few = vk.check(record, release_of(rng.normal(size=(98, 4))))
    assert few.headline.state == "cannot-tell"
    assert few.headline.text.startswith("With 98 published records only, no match could have")
    assert few.sentence("S6'") == few.headline.text
    enough = vk.check(record, release_of(rng.normal(size=(99, 4))))
    assert enough.facts["chance"]["least"] == 0.01, "one of a hundred: as rare as the limit"
    assert "S6'" not in keys(enough)
    copies = np.repeat(rng.normal(size=(100, 2)), 2, axis=0)
    alike = vk.check({"a0": 0.0, "a1": 0.0}, release_of(copies))
    assert alike.headline.state == "cannot-tell"
    assert alike.headline.text == (
        "No match could have warned you, however close: 100 of 100 published records stand at 0 "
        "places from another one."
    )


def test_other_warnings_stand_although_no_match_could_warn():
    report = vk.check(vk.load("dm_table1").record(2), vk.published("dm_table1_masked"))
    assert report.headline.state == "warning-table"
    assert "S6'" in keys(report)


def test_looks_divide_the_share_of_false_alarms_and_are_said():
    """At 0 places her match is as rare as 1 of 301 records: enough for one look, not for four."""
    data = vk.simulate("dm", 300, seed=1)
    release = vk.TableRelease.of(data.frame)
    once, often = (vk.check(data.record(5), release, looks=looks) for looks in (1, 4))
    assert once.headline.state == "warning-you"
    assert "1 of 100 people who are not in the table at all" in once.headline.text
    assert often.headline.state == "cannot-tell"
    assert "divided by 4 to leave room for other sets of your values" in next(
        s.because for s in often.sentences if s.key == "S6'"
    )
    for wrong in (0, 1.5):
        with pytest.raises(RecordError, match=f"looks was given as {wrong:g}; expected a whole"):
            vk.check(data.record(5), release, looks=wrong)


def test_a_warning_never_calls_a_person_exposed_and_says_how_often_it_is_false():
    data = vk.simulate("dm", 300, seed=1)
    report = vk.check(data.record(5), vk.TableRelease.of(data.frame), alpha=0.05)
    assert report.sentence("S6") == report.headline.text
    assert "5 of 100 people who are not in the table at all" in report.sentence("S6")
    assert "exposed" not in repr(report)


def test_exact_copies_are_counted_and_said():
    """Two records show her values; four of five have a copy, in another pair."""
    table = np.array([[1.0, 2], [1, 2], [3, 4], [3, 4], [5, 1]])
    report = vk.check({"a0": 1, "a1": 2}, release_of(table))
    assert report.facts["copies"] == {"hers": 2, "share": 0.8}
    assert report.sentence("S13") == (
        "2 published records show exactly your values; 80 of 100 published records have an exact "
        "copy."
    )
    alone = vk.check({"a0": 5, "a1": 1}, release_of(table[2:]))
    assert alone.sentence("S13").startswith("1 published record shows exactly your values; 67 of")
    other = vk.check({"a0": 1, "a1": 4}, release_of(table))
    assert other.sentence("S13") is None


def test_sentences_come_in_the_order_of_the_screen():
    data = vk.simulate("dm", 150, seed=1)
    release, _ = vk.mask.rank_swap(data, percent=10, scheme="cycles", seed=2)
    report = vk.check(data.record(3), release.reporting(7), runs=2)
    order = [
        "S10",
        "S14",
        "S8",
        "S9",
        "S1",
        "S2",
        "S3",
        "S13",
        "S4",
        "S5",
        "S6",
        "S6'",
        "S7",
        "S11",
        "S12",
    ]
    present = [key for key in keys(report) if key != "DM"]
    assert present == [key for key in order if key in present]
    assert {"S10", "S8", "S9", "S1", "S4", "S5"} <= set(present)


def test_only_one_who_is_in_the_table_is_told_that_she_can_be_picked_out():
    data = vk.simulate("dm", 200, seed=3)
    release, _ = vk.mask.rank_swap(data, percent=5, seed=4)
    reports = [vk.check(data.record(i), release) for i in range(10)]
    told = [r for r in reports if r.facts["crowd"]["fitting"] == 1]
    assert told
    for report in told:
        assert report.headline.text.startswith("If you are in this table, ")
        assert report.headline.text in report.sentence("S8")


@pytest.mark.parametrize(("relation", "correlated"), [(0.2, True), (0.0, False)])
def test_columns_correlated_a_little_speak_against_made_up_records_everywhere(relation, correlated):
    """A rank correlation of about .2 among 1000 records is more than chance explains."""
    rng = np.random.default_rng(3)
    x, e = rng.normal(size=(2, 1000))
    frame = release_of(np.c_[x, relation * x + np.sqrt(1 - relation**2) * e]).frame
    report = vk.check({"a0": 0, "a1": 0}, vk.TableRelease.of(frame))
    assert report.facts["chance"]["independent"] is not correlated
    found = vk.plausibility(vk.Microdata(frame), vk.TableRelease.of(frame), null="closed_form")
    assert ("correlated" in found.note) is correlated


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
    warns = "chance" in found and found["chance"]["others"] <= 0.01
    blind = "chance" in found and found["chance"]["least"] > 0.01
    assert ("S6'" in present) == blind
    assert ("S5" in present) == ("chance" in found)
    assert ("S13" in present) == ("copies" in found)
    assert report.headline.state != "no-warning" or not (warns or blind)
    assert ("S6" in present) == warns
    assert ("S7" in present) == (not warns)
    assert ("S8" in present) == ("crowd" in found)
    places = release.parameters["places"] if name == "rank_swap" else {}
    moved = [column for column, most in places.items() if most > 0]
    alone = [float((~release.frame[column].duplicated(keep=False)).mean()) for column in moved]
    few = len(moved) == 2
    swapped = len(moved) > 1 and np.mean(alone) > (0.95 if few else 0.5)
    assert ("S14" in present) == bool(swapped and not (few and max(places.values()) > n / 2))
    assert ("S3" in present) == (found.get("crowd", {"fitting": 0})["fitting"] != 1)
    assert "S9" not in present
    assert "S10" not in present


@pytest.mark.parametrize("alpha", [0, 1, -0.1, 2])
def test_a_threshold_outside_0_to_1_is_refused(alpha):
    with pytest.raises(RecordError, match="expected a share between 0 and 1"):
        vk.check({"X1": 1}, vk.published("dm_table1_masked"), alpha=alpha)
