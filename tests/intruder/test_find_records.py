"""Whose own record stands in a release: by trying every person and every row, whatever the key."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit import RecordError, SchemaError
from verikit.intruder import find_records


def table(frame):
    kinds = ["numeric" if pd.api.types.is_numeric_dtype(frame[c]) else "nominal" for c in frame]
    columns = zip(frame, kinds, strict=True)
    return vk.Microdata(frame, vk.Schema(tuple(vk.Column(n, kind=k) for n, k in columns)))


def release(frame, data):
    return vk.TableRelease.of(frame, data.schema)


def gap(own, other, column, published):
    """The least difference of rank that any breaking of ties gives, counted value by value."""
    ranks = [
        range(1 + sum(v < value for v in values), 1 + sum(v <= value for v in values))
        for value, values in ((own, column), (other, published))
    ]
    return min(abs(a - b) for a in ranks[0] for b in ranks[1])


def by_trying(frame, published, places):
    near, whole = [], []
    ranked = [c for c in frame if pd.api.types.is_numeric_dtype(frame[c])]
    for _, own in frame.iterrows():
        rows = [row for _, row in published.iterrows()]
        whole.append(any(all(own[c] == row[c] for c in frame) for row in rows))
        close = any(
            all(gap(own[c], row[c], list(frame[c]), list(published[c])) <= places for c in ranked)
            for row in rows
        )
        near.append(close or whole[-1])
    return near, whole


@pytest.mark.parametrize("seed", range(25))
def test_records_are_found_as_trying_every_person_and_row_finds_them(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 14))
    frame = pd.DataFrame({"X": rng.integers(0, 15, n), "Y": rng.normal(size=n).round(1)})
    frame["Job"] = rng.choice(["clerk", "nurse"], n)
    moved = frame.assign(X=frame["X"] + rng.integers(-2, 3, n), Job=rng.permutation(frame["Job"]))
    moved = moved.sample(frac=1, random_state=seed).reset_index(drop=True)
    data = table(frame)
    for places in (0, 1, 2):
        found = find_records(data, release(moved, data), places=places)
        near, whole = by_trying(frame, moved, places)
        assert found.per_record.tolist() == near
        assert found.whole_per_record.tolist() == whole
        assert (found.count, found.whole) == (sum(near), sum(whole))


def test_a_column_that_is_not_compared_is_named_before_the_number():
    frame = pd.DataFrame({"X": range(30), "Job": ["clerk", "nurse"] * 15})
    data = table(frame)
    found = find_records(data, release(frame.assign(Job=frame["Job"][::-1].tolist()), data))
    assert found.not_compared == ("Job",)
    assert repr(found).startswith(
        "Not compared: Job, which was published; whoever uses it may find more people.\n30 of 30 "
        "people have their own record in the release, within 2 places in every other attribute;"
    )
    alone = find_records(data.only("X"), vk.TableRelease.of(frame[["X"]], data.only("X").schema))
    assert alone.not_compared == ()
    assert "within 2 places in every attribute;" in repr(alone)
    left = find_records(data, release(frame.assign(Y=1).drop(columns="Y"), data), ["X"])
    assert left.not_compared == ("Job",)  # left out by whoever asks


def test_records_that_are_exchanged_as_wholes_are_all_there():
    data = vk.datasets.simulate("dm", 60, seed=1)
    other = np.random.default_rng(2).permutation(60)
    found = find_records(data, release(data.frame.iloc[other].reset_index(drop=True), data))
    assert (found.count, found.whole) == (60, 60)
    assert found.to_frame()["record"].tolist() == list(range(1, 61))


def test_luck_is_what_columns_shuffled_one_by_one_give():
    data = vk.datasets.simulate("dm", 60, seed=1)
    counts, told = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        shuffled = pd.DataFrame({c: rng.permutation(data.frame[c]) for c in data.frame})
        found = find_records(data, release(shuffled, data), places=4)
        counts.append(found.count)
        told.append(found.luck)
    error = np.std(counts) / np.sqrt(len(counts))
    assert abs(np.mean(counts) - np.mean(told)) < 4 * error + 0.02 * np.mean(told)


def test_wrong_requests_get_a_sentence():
    data = vk.load("dm_table1")
    published = vk.published("dm_table1_masked")
    with pytest.raises(RecordError, match=r"places was given as 1\.5; expected a whole number"):
        find_records(data, published, places=1.5)
    with pytest.raises(RecordError, match="linking by rank needs at least one of both"):
        find_records(data.take(np.arange(0)), published)
    with pytest.raises(SchemaError, match="No attribute is in both tables"):
        find_records(data.only("X1"), vk.TableRelease.of(published.frame[["X2"]]))


@pytest.mark.parametrize("seed", range(10))
def test_people_near_to_somebody_else_are_counted_by_trying_every_pair(seed):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"X": rng.integers(0, 30, 9), "Y": rng.normal(size=9).round(1)})
    data, places = table(frame), int(rng.integers(0, 4))
    alike = sum(
        any(
            all(gap(own[c], other[c], list(frame[c]), list(frame[c])) <= places for c in frame)
            for j, other in frame.iterrows()
            if j != i
        )
        for i, own in frame.iterrows()
    )
    found = find_records(data, release(frame, data), places=places)
    assert found.alike == alike
    assert found.excess == pytest.approx(max(0, 9 - max(found.luck, alike)))


def test_of_categories_without_an_order_whole_records_are_looked_for():
    data = table(pd.DataFrame({"Job": list("aabc"), "Town": list("xxyy")}))
    other = release(pd.DataFrame({"Job": list("abbc"), "Town": list("xyyx")}), data)
    found = find_records(data, other)
    assert found.per_record.tolist() == [True, True, True, False]
    assert (found.count, found.whole, found.alike) == (3, 3, 2)
    # had both columns been shuffled: a row is (a, x) with 1/4 * 1/2, (b, y) with 1/2 * 1/2, ...
    chances = [1 / 8, 1 / 8, 1 / 4, 1 / 8]
    assert found.luck == pytest.approx(sum(1 - (1 - c) ** 4 for c in chances))
