"""The protector's audit of every record."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.errors import RecordError, SchemaError
from verikit.ranks import blocks, closest, gap


def moved_by_the_paper(data, release, key):
    """Definition 1 (1), record by record, with the gap rule for ties."""
    found = np.empty((len(data), len(data.schema)), int)
    for j, name in enumerate(data.schema.names):
        values = release.scores(name)
        first, last = blocks(values)
        for i, own in enumerate(data.scores(name)):
            row = key.rows[i]
            block = closest(np.sort(values), own)
            found[i, j] = gap(first[row : row + 1], last[row : row + 1], block)[0]
    return found


@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 3), st.booleans())
def test_both_views_agree_with_the_record_by_record_definitions(seed, n, m, tied):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 6, (2, n, m)) if tied else rng.normal(size=(2, n, m))
    names = [f"a{j}" for j in range(m)]
    data = vk.Microdata(pd.DataFrame(values[0], columns=names))
    release = vk.TableRelease.of(pd.DataFrame(values[1], columns=names))
    key = vk.Key.of(rng.permutation(n))
    report = vk.audit(data, release, key)
    assert report.protector.tolist() == moved_by_the_paper(data, release, key).tolist()
    seen = [vk.check(data.record(i), release).facts["distance"] for i in range(n)]
    assert report.subject.tolist() == seen


@pytest.mark.parametrize("criterion", ["variance", "distinct", "entropy", "t-closeness"])
def test_the_diversities_are_those_that_each_subject_finds(criterion):
    data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    asked = {"distance": 2, "diversity": 0.5, "criterion": criterion}
    report = vk.audit(data, release, vk.Key.of(range(20)), **asked)
    for place in (0, 7, 19):
        found = vk.check(data.record(place), release, **asked).attributes["diversity"]
        np.testing.assert_allclose(report.diversity[place], found)


def test_records_that_fail_are_named_with_the_reason_worst_first():
    data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    report = vk.audit(data, release, vk.Key.of(range(20)), distance={"X3": 1, "X1": 2})
    assert report.met is False
    frame = report.to_frame()
    failing = frame[frame["why"] != ""]
    assert len(failing) == int(report.failed.any(axis=1).sum())
    assert frame["why"].iloc[: len(failing)].ne("").all()
    moved = report.protector[:, 2]
    zero = set(np.flatnonzero(moved < 1) + 1)
    named = {r for r, why in zip(frame["record"], frame["why"], strict=True) if "X3 moved" in why}
    assert named == zero
    assert "requirement is not met" in repr(report)


def test_of_many_attributes_that_fail_a_few_are_named_and_the_others_counted():
    names = [f"a{at}" for at in range(15)]
    data = vk.Microdata(pd.DataFrame(np.arange(30.0).reshape(2, 15), columns=names))
    release = vk.TableRelease.of(data.frame)
    why = vk.audit(data, release, vk.Key.of([0, 1]), distance=1).to_frame()["why"]
    said = [f"a{at} moved 0 places, 1 required" for at in range(4)]
    assert set(why) == {"; ".join([*said, "and 11 more"])}


def test_the_largest_distance_is_met_and_one_more_is_not():
    data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    key = vk.Key.of(range(20))
    largest = vk.audit(data, release, key).largest
    assert vk.audit(data, release, key, distance=largest).met is True
    for name in largest:
        more = {**largest, name: largest[name] + 1}
        assert vk.audit(data, release, key, distance=more).met is False


def test_an_audit_does_not_depend_on_the_order_of_the_released_rows():
    data = vk.simulate("dm", 50, seed=4)
    release, key = vk.mask.noise(data, scale=0.3, seed=5)
    order = np.random.default_rng(1).permutation(50)
    shuffled = vk.TableRelease.of(release.frame.iloc[order])
    moved = vk.Key.of(np.argsort(order)[key.rows])
    before, after = vk.audit(data, release, key), vk.audit(data, shuffled, moved)
    assert before.protector.tolist() == after.protector.tolist()
    assert before.subject.tolist() == after.subject.tolist()


def test_a_release_may_hold_more_rows_than_the_key_knows():
    data = vk.load("dm_table1")
    release = vk.published("dm_table1_masked")
    some = vk.Microdata(data.frame.iloc[:5])
    report = vk.audit(some, release, vk.Key.of(range(5)))
    whole = vk.audit(data, release, vk.Key.of(range(20)))
    assert report.protector.tolist() == whole.protector[:5].tolist()
    assert report.subject.tolist() == whole.subject[:5].tolist()


@pytest.mark.parametrize(
    ("key", "message"),
    [(range(19), "key is for 19 records, but the original has 20"), (range(1, 21), "row 21")],
)
def test_a_key_that_does_not_fit_is_refused(key, message):
    with pytest.raises(RecordError, match=message):
        vk.audit(vk.load("dm_table1"), vk.published("dm_table1_masked"), vk.Key.of(key))


def test_missing_values_and_strange_tables_are_refused():
    data = vk.Microdata(pd.DataFrame({"a": [1.0, np.nan]}))
    with pytest.raises(SchemaError, match="'a' of the original has 1 missing value"):
        vk.audit(data, vk.TableRelease.of(pd.DataFrame({"a": [1.0, 2.0]})), vk.Key.of([0, 1]))
    with pytest.raises(SchemaError, match="No attribute is in both tables"):
        vk.audit(
            vk.Microdata(pd.DataFrame({"a": [1.0, 2.0]})),
            vk.TableRelease.of(pd.DataFrame({"b": [1.0, 2.0]})),
            vk.Key.of([0, 1]),
        )


def test_one_place_and_one_link_are_said_in_the_singular():
    data = vk.Microdata(pd.DataFrame({"a": [1, 2, 3, 4], "b": [1, 2, 3, 4]}))
    frame = pd.DataFrame({"a": [2, 1, 4, 3], "b": [2, 1, 4, 3]})
    release = vk.TableRelease.of(frame)
    report = vk.audit(data, release, vk.Key.of(range(4)), distance=2)
    said = set(report.to_frame()["why"])
    assert said == {"a moved 1 place, 2 required; b moved 1 place, 2 required"}
    assert "1 places" not in report.html() + str(report)
    assert "(1 right links" not in str(report)
