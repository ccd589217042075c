"""Random anonymization: how many values are drawn anew, from what, and what it refuses."""

import itertools
import time

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.mask import _own_values
from verikit.release._table import Redraw, redraw_of


@pytest.fixture(scope="module")
def patients():
    return vk.load("yq_figure1")


def table(n, m, seed=0):
    """Categories of uneven shares, so many records of so many quasi-identifiers."""
    rng = np.random.default_rng(seed)
    names = [f"Q{k}" for k in range(m)]
    frame = pd.DataFrame(
        {name: np.array(list("abcdefgh"))[rng.binomial(7, 0.3, n)] for name in names}
    )
    return vk.Microdata(frame, vk.Schema(tuple(vk.Column(n, kind="nominal") for n in names)))


def changes(data, release, key):
    """Whether each value of each quasi-identifier differs from the original one."""
    names = [column.name for column in data.schema.quasi]
    after = release.frame[names].astype(str).to_numpy()[key.rows]
    return after != data.frame[names].astype(str).to_numpy()


@pytest.mark.parametrize("changed", [1, 2, 4])
def test_exactly_the_stated_number_of_attributes_is_drawn_anew_in_each_record(changed):
    told = Redraw.of([f"Q{k}" for k in range(5)], changed, None)
    drawn = np.zeros((4_000, 5), int)
    for k, rows in enumerate(_own_values._choose_records(told, 4_000, np.random.default_rng(1))):
        drawn[rows, k] += 1
    assert set(drawn.sum(axis=1)) == {changed}
    sets = {tuple(np.flatnonzero(row)) for row in drawn}
    assert sets == set(itertools.combinations(range(5), changed)), "each set occurs"
    expected = 4_000 * changed / 5
    assert np.abs(drawn.sum(axis=0) - expected).max() < 5 * np.sqrt(expected)


@pytest.mark.parametrize("changed", [1, 3])
def test_a_redraw_gives_the_old_value_as_often_as_its_column_holds_it(changed):
    data = table(20_000, 3)
    release, key = vk.mask.randomize(data, changed=changed, probabilities="equal", seed=4)
    kept = ~changes(data, release, key)
    for k, column in enumerate(data.schema):
        share = data.frame[column.name].value_counts(normalize=True)
        stays = 1 - changed / 3 + changed / 3 * (share**2).sum()
        assert kept[:, k].mean() == pytest.approx(stays, abs=5 * 0.5 / np.sqrt(20_000))


def test_the_shares_of_each_attribute_are_kept_in_expectation(patients):
    names = [column.name for column in patients.schema.quasi]
    runs = 150
    for changed in (1, 3):
        found = {name: pd.Series(0.0, patients.frame[name].cat.categories) for name in names}
        for seed in range(runs):
            frame = vk.mask.randomize(patients, changed=changed, seed=seed).release.frame
            for name in names:
                found[name] += frame[name].value_counts(normalize=True).reindex(found[name].index)
        for name in names:
            share = patients.frame[name].value_counts(normalize=True).reindex(found[name].index)
            assert (found[name] / runs - share).abs().max() < 5 * 0.5 / np.sqrt(10 * runs)


def test_sensitive_and_other_columns_stay_as_they_are(patients):
    release, key = vk.mask.randomize(patients, changed=3, seed=2)
    diseases = release.frame["Disease"].astype(str).to_numpy()[key.rows]
    assert diseases.tolist() == patients.frame["Disease"].astype(str).tolist()
    assert changes(patients, release, key).any()


def test_an_attribute_of_probability_nought_is_never_drawn_anew(patients):
    told = {"Age": 0.5, "Job": 0.5, "Country": 0.0}
    release, key = vk.mask.randomize(patients, probabilities=told, seed=3)
    changed = changes(patients, release, key)
    assert not changed[:, 2].any()
    assert changed[:, :2].any(axis=0).all()


def test_probabilities_that_come_from_the_data_are_drawn_as_they_are_published(patients):
    release, _ = vk.mask.randomize(patients, seed=5)
    again, _ = vk.mask.randomize(
        patients, probabilities=release.parameters["probabilities"], seed=5
    )
    pd.testing.assert_frame_equal(release.frame, again.frame)
    assert release.parameters["probability_digits"] == 2
    assert redraw_of(release).weights == pytest.approx((0.36, 0.38, 0.26))


def test_no_share_of_a_value_is_published(patients):
    release, _ = vk.mask.randomize(patients, seed=5)
    assert set(release.parameters) == {"changed", "probabilities", "probability_digits"}


def test_given_probabilities_may_be_rounded_but_must_come_to_one(patients):
    rounded = {"Age": 0.33, "Job": 0.33, "Country": 0.33}
    assert vk.mask.randomize(patients, probabilities=rounded, seed=1).release.parameters == {
        "changed": 1,
        "probabilities": rounded,
    }
    for given in ({**rounded, "Age": 0.1}, {**rounded, "Age": -0.33, "Job": 0.99}):
        with pytest.raises(vk.RecordError, match="expected numbers from 0 up that add up to 1"):
            vk.mask.randomize(patients, probabilities=given, seed=1)


@pytest.mark.parametrize("changed", [0, 4, -1, 1.0, "2", True, None])
def test_so_many_attributes_as_there_are_not_cannot_be_changed(patients, changed):
    with pytest.raises(vk.RecordError, match=r"changed was given as .*from 1 to 3"):
        vk.mask.randomize(patients, changed=changed, seed=1)


def test_probabilities_name_just_the_quasi_identifiers(patients):
    with pytest.raises(vk.SchemaError, match="lack 'Country' and name 'Disease' that is none"):
        vk.mask.randomize(patients, probabilities={"Age": 0.5, "Job": 0.3, "Disease": 0.2}, seed=1)
    for wrong in ("even", [0.5, 0.3, 0.2], 0.5):
        with pytest.raises(vk.RecordError, match="expected 'equal', or a number for each"):
            vk.mask.randomize(patients, probabilities=wrong, seed=1)
    with pytest.raises(vk.RecordError, match="given for 2 changed attributes, which are drawn"):
        vk.mask.randomize(
            patients, changed=2, probabilities={"Age": 0.5, "Job": 0.3, "Country": 0.2}, seed=1
        )


def test_a_table_without_anything_to_draw_anew_is_refused(patients):
    with pytest.raises(vk.SchemaError, match="No column is a quasi-identifier"):
        vk.mask.randomize(patients.only("Disease"), seed=1)
    frame = patients.frame.assign(Country="USA")
    with pytest.raises(vk.SchemaError, match="'Country' has one value only, so drawing it anew"):
        vk.mask.randomize(vk.Microdata(frame, patients.schema), seed=1)


def test_a_missing_value_is_refused_by_the_name_of_its_column(patients):
    frame = patients.frame.assign(Job=patients.frame["Job"].where(patients.frame.index != 3))
    with pytest.raises(vk.SchemaError, match=r"'Job' has 1 missing value, .* so that mask"):
        vk.mask.randomize(vk.Microdata(frame, patients.schema), seed=1)


def test_a_release_names_no_value_that_nobody_has_any_more():
    """One man among a hundred: where he is drawn anew, nothing tells that there was one."""
    frame = pd.DataFrame({"sex": ["M", *"F" * 99], "pay": [1.5, *range(2, 101)]})
    data = vk.Microdata(frame, vk.Schema.guess(frame))
    found = [vk.mask.randomize(data, changed=2, seed=seed).release for seed in range(20)]
    for release in found:
        shown = release.frame
        assert set(shown["sex"].cat.categories) == set(shown["sex"].astype(str))
        again = vk.TableRelease(shown, release.schema, release.method, {}, "changed")
        pd.testing.assert_frame_equal(again.frame, shown)
    assert {len(release.frame["sex"].cat.categories) for release in found} >= {1, 2}
    assert {release.frame["pay"].dtype.kind for release in found} == {"i", "f"}


def test_a_million_records_take_no_more_than_a_few_times_as_long_as_drawing_their_values():
    """The whole call, shuffled and with its key, beside its own draws and the values drawn."""
    data, told = table(1_000_000, 9), Redraw.of([f"Q{k}" for k in range(9)], 4, None)

    def timed(run):
        start = time.process_time()
        run()
        return time.process_time() - start

    def draw():
        rng = np.random.default_rng(1)
        for k, rows in enumerate(_own_values._choose_records(told, len(data), rng)):
            data.frame[f"Q{k}"].array.take(rng.integers(len(data), size=len(rows)))

    def mask():
        vk.mask.randomize(data, changed=4, seed=1)

    times = [(timed(mask), timed(draw)) for _ in range(3)]
    whole, drawing = map(min, zip(*times, strict=True))
    print(f"{whole:.2f} s beside {drawing:.2f} s")
    assert whole < 7 * drawing
