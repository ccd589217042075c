"""Counts in a release whose values were drawn anew with published probabilities."""

import itertools

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.analyst import Among, And, Not, Or
from verikit.query._estimates import weigh_cells
from verikit.release._table import Redraw

NAMES = ("A", "B", "C")
ONE = Among("S", ["1"])


@pytest.fixture(scope="module")
def data():
    """Associated attributes, so that drawing one anew moves the counts."""
    rng = np.random.default_rng(3)
    first = rng.integers(0, 3, 600)
    frame = pd.DataFrame(
        {
            "A": first,
            "B": np.where(rng.random(600) < 0.7, first, rng.integers(0, 3, 600)),
            "C": np.where(rng.random(600) < 0.7, first, rng.integers(0, 3, 600)),
            "S": np.where(rng.random(600) < 0.6, first, 1),
        }
    ).astype(str)
    columns = (
        *(vk.Column(name, kind="nominal") for name in NAMES),
        vk.Column("S", "sensitive", "nominal"),
    )
    return vk.Microdata(frame, vk.Schema(columns))


@pytest.mark.parametrize("changed", [1, 2])
def test_a_row_counts_such_that_each_original_counts_for_what_is_wanted_of_it(changed):
    """For every original, every way to draw it anew, and everything that may be asked of cells."""
    told, rng = Redraw.of([*NAMES, "D"], changed, "equal"), np.random.default_rng(changed)
    asked = NAMES[: 4 - changed]
    shares = [np.array([0.8, 0.2]), np.array([0.1, 0.5, 0.4]), np.array([0.3, 0.7])][: len(asked)]
    wanted = rng.integers(0, 2, (2, *map(len, shares))).astype(float)
    weights = weigh_cells(told.kept_chances(asked), shares, wanted)
    ways = list(itertools.combinations(range(4), changed))
    cells = list(itertools.product(*(range(len(share)) for share in shares)))
    for other, before in itertools.product(range(2), cells):
        expected = 0.0
        for drawn, after in itertools.product(ways, cells):
            chance = 1 / len(ways)
            for k, value in enumerate(after):
                chance *= shares[k][value] if k in drawn else value == before[k]
            expected += chance * weights[(other, *after)]
        assert expected == pytest.approx(wanted[(other, *before)])


@pytest.mark.parametrize(
    ("where", "changed"),
    [
        ({"A": "1"}, 1),
        ({"A": "1", "S": "1"}, 1),
        ({"A": "1", "B": "1", "S": "1"}, 1),
        ({"A": ["0", "1"], "C": "1"}, 1),
        ({"B": "2", "S": "2"}, 2),
        (Or(Among("A", ["1"]), Among("B", ["1"])), 1),
        (Or(And(Among("A", ["0"]), Among("B", ["0"])), And(Among("A", ["1"]), ONE)), 1),
        (Not(And(Among("B", ["1"]), Or(Among("S", ["0"]), Among("A", ["2"])))), 1),
    ],
)
def test_the_estimate_has_no_bias_and_the_variance_it_says(data, where, changed):
    query, runs = vk.Query.count(where), 300
    true = vk.answer(query, data).estimate
    found = []
    for seed in range(runs):
        release, _ = vk.mask.randomize(data, changed=changed, probabilities="equal", seed=seed)
        found.append(vk.answer(query, release))
    means = np.array([answer.mean for answer in found])
    variances = np.array([answer.variance for answer in found])
    assert means.mean() == pytest.approx(true, abs=5 * means.std() / np.sqrt(runs) + 1e-9)
    assert variances.mean() == pytest.approx(means.var(), rel=0.3)


def test_what_stays_as_it_was_is_counted_as_it_is(data):
    release, _ = vk.mask.randomize(data, seed=1)
    query = vk.Query.count({"S": "1"})
    answer = vk.answer(query, release)
    assert (answer.mean, answer.variance) == (vk.answer(query, data).estimate, 0.0)


def test_no_estimate_is_given_as_certain(data):
    release, _ = vk.mask.randomize(data, seed=1)
    answer = vk.answer(vk.Query.count({"A": "1", "S": "1"}), release)
    assert (answer.lower, answer.upper, answer.exact) == (0, 600, False)
    assert "nearly without bias, give or take" in repr(answer)


@pytest.mark.parametrize(
    ("where", "changed"),
    [
        ({"A": "1", "B": "1", "C": "1"}, 1),
        ({"A": "1", "B": "1"}, 2),
        (Or(Among("A", ["1"]), Among("B", ["1"])), 2),
    ],
)
def test_where_nobody_can_have_kept_all_the_rows_count_as_they_stand(data, where, changed):
    release, _ = vk.mask.randomize(data, changed=changed, probabilities="equal", seed=1)
    answer = vk.answer(vk.Query.count(where), release)
    plain = vk.TableRelease.of(release.frame, release.schema, promise="as it was")
    assert answer.estimate == vk.answer(vk.Query.count(where), plain).estimate
    assert answer.mean is None
    assert "an estimate only" in repr(answer)


def test_a_release_that_does_not_tell_its_probabilities_is_counted_as_it_stands(data):
    release, _ = vk.mask.randomize(data, seed=1)
    told = vk.TableRelease.of(release.frame, release.schema, promise="changed")
    assert vk.answer(vk.Query.count({"A": "1"}), told).mean is None


def every_release(frame):
    """All that a table may become if one of its columns A, B and C is drawn anew in each row."""
    drawn = {name: frame[name].value_counts(normalize=True) for name in NAMES}
    rows = []
    for row in frame.to_dict("records"):
        ways = {}
        for name, shares in drawn.items():
            for value, share in shares.items():
                after = tuple((row | {name: value}).values())
                ways[after] = ways.get(after, 0.0) + share / len(NAMES)
        rows.append(ways.items())
    for found in itertools.product(*rows):
        yield [values for values, _ in found], float(np.prod([chance for _, chance in found]))


WITHOUT, NEARLY = "an estimate without bias", "an estimate nearly without bias"


@pytest.mark.parametrize(
    ("values", "where", "said"),
    [
        ("xpms xpns yqms", {"A": "x"}, WITHOUT),
        ("xpms yqns xqmt", {"B": "p"}, WITHOUT),
        ("xpms xpmt xqns", {"C": "n"}, WITHOUT),
        ("xpms xpns yqms", {"A": "x", "B": "p"}, NEARLY),
        ("ypms xpnt xqmt", {"A": "x", "S": "s"}, NEARLY),  # which is cut off at none
    ],
)
def test_only_what_meets_the_truth_over_all_releases_is_called_without_bias(values, where, said):
    frame = pd.DataFrame([list(row) for row in values.split()], columns=[*NAMES, "S"])
    columns = [vk.Column(name, kind="nominal") for name in NAMES]
    schema = vk.Schema((*columns, vk.Column("S", "sensitive", "nominal")))
    true = int((frame[list(where)] == pd.Series(where)).all(axis=1).sum())
    told = {"changed": 1, "probabilities": "equal"}
    total = 0.0
    for rows, chance in every_release(frame):
        release = vk.TableRelease.of(
            pd.DataFrame(rows, columns=[*NAMES, "S"]),
            schema,
            method="randomize",
            parameters=told,
            promise="changed",
        )
        answer = vk.answer(vk.Query.count(where), release)
        assert answer.rests_on.partition(",")[0] == said
        total += chance * answer.estimate
    assert (abs(total - true) < 1e-9) == (said == WITHOUT)
    assert total == pytest.approx(true, abs=0.5)
