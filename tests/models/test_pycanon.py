"""The same values as pycanon where it is right, and our own where it is not.

Every table here is small enough to count by hand; the expected values are those counts. Where
pycanon is installed it is asked too.
"""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.models import (
    distinct_diversity,
    entropy_diversity,
    k_anonymity,
    recursive_diversity,
    t_closeness,
)

QUASI = ["Zip", "Age"]


def microdata(frame, sensitive="Ill"):
    return vk.Microdata(frame, vk.Schema.guess(frame, **{sensitive: "sensitive"}))


def patients():
    """Nine patients in three classes of three, as in many textbooks; salaries in thousands."""
    return pd.DataFrame(
        {
            "Zip": ["476**"] * 3 + ["4790*"] * 3 + ["478**"] * 3,
            "Age": ["2*"] * 3 + [">=40"] * 3 + ["3*"] * 3,
            "Salary": [3, 4, 5, 6, 11, 8, 7, 9, 10],
            "Ill": [
                *("gastric ulcer", "gastritis", "stomach cancer"),
                *("gastritis", "flu", "bronchitis"),
                *("bronchitis", "pneumonia", "stomach cancer"),
            ],
        }
    )


@pytest.fixture
def pycanon():
    return pytest.importorskip("pycanon.anonymity")


def test_the_textbook_patients_by_hand():
    ill = microdata(patients().drop(columns="Salary"))
    assert k_anonymity(ill).value == 3
    assert distinct_diversity(ill).value == 3
    assert entropy_diversity(ill).value == 3
    # Of nine, gastritis, bronchitis and stomach cancer are two, the others one. Each class holds
    # two of the former and one of the latter, a third each: 1/9 + 1/9 + 2/9 too much.
    assert t_closeness(ill).per_class.tolist() == [4 / 9] * 3
    paid = microdata(patients().drop(columns="Ill"), "Salary")
    assert t_closeness(paid, ground="ordered").value == 0.375


def test_the_textbook_patients_agree_with_pycanon(pycanon):
    frame = patients()
    ill = microdata(frame.drop(columns="Salary"))
    paid = microdata(frame.drop(columns="Ill"), "Salary")
    assert k_anonymity(ill).value == pycanon.k_anonymity(frame, QUASI)
    assert distinct_diversity(ill).value == pycanon.l_diversity(frame, QUASI, ["Ill"])
    assert t_closeness(ill).value == pytest.approx(pycanon.t_closeness(frame, QUASI, ["Ill"]))
    assert t_closeness(paid, ground="ordered").value == pytest.approx(
        pycanon.t_closeness(frame, QUASI, ["Salary"])
    )


@pytest.mark.parametrize("seed", range(30))
def test_random_tables_agree_with_pycanon_as_long_as_their_rows_are_numbered(pycanon, seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 120))
    frame = pd.DataFrame(
        {
            "Zip": rng.choice(list("ab"), n),
            "Age": rng.integers(0, 3, n),
            "Ill": rng.choice(list("uvwx"), n),
            "Salary": rng.integers(0, 9, n) ** 2,
        }
    )
    ill = microdata(frame.drop(columns="Salary"))
    paid = microdata(frame.drop(columns="Ill"), "Salary")
    assert k_anonymity(ill).value == pycanon.k_anonymity(frame, QUASI)
    assert distinct_diversity(ill).value == pycanon.l_diversity(frame, QUASI, ["Ill"])
    assert t_closeness(ill).value == pytest.approx(pycanon.t_closeness(frame, QUASI, ["Ill"]))
    assert t_closeness(paid, ground="ordered").value == pytest.approx(
        pycanon.t_closeness(frame, QUASI, ["Salary"])
    )


# -- where the peer goes wrong ------------------------------------------------------------------


@pytest.mark.skipif("VERIKIT_DATASETS" not in os.environ, reason="the table is not at hand")
def test_the_scores_of_pycanons_own_tests_are_as_close_as_these_expect():
    """0.4165919952210274 stands in its tests; the record without a score is left out here."""
    place = Path(os.environ["VERIKIT_DATASETS"]) / "published-examples" / "StudentsMath_Score.csv"
    known = ["Teacher", "Gender", "Ethnic", "Freeredu", "wesson"]
    frame = pd.read_csv(place)[[*known, "Score"]].dropna(ignore_index=True)
    found = t_closeness(microdata(frame, "Score"), ground="ordered")
    assert found.value == pytest.approx(0.4165919952210274, rel=1e-12)


def shuffled():
    """Two classes, each of one value only, with their rows interleaved by label."""
    frame = pd.DataFrame({"Zip": list("aabb"), "Age": [1, 1, 2, 2], "Ill": list("xxyy")})
    return frame.loc[[0, 2, 1, 3]]


def test_shuffled_rows_still_have_one_value_each_class():
    assert distinct_diversity(microdata(shuffled())).per_class.tolist() == [1, 1]
    assert t_closeness(microdata(shuffled())).value == 0.5


def test_pycanon_takes_row_labels_for_positions(pycanon):
    assert pycanon.l_diversity(shuffled(), QUASI, ["Ill"]) == 2
    assert pycanon.t_closeness(shuffled(), QUASI, ["Ill"]) == 0


def filtered():
    """What is left when the first two of six rows are filtered away; labels 2 to 5."""
    frame = pd.DataFrame(
        {"Zip": list("ccaabb"), "Age": [9, 9, 1, 1, 2, 2], "Ill": list("zzxyxx")},
    )
    return frame[frame["Zip"] != "c"]


def test_a_filtered_frame_has_the_diversity_of_its_rows():
    assert distinct_diversity(microdata(filtered())).per_class.tolist() == [2, 1]


def test_pycanon_cannot_measure_a_filtered_frame(pycanon):
    with pytest.raises(IndexError):
        pycanon.l_diversity(filtered(), QUASI, ["Ill"])


def with_a_gap():
    """Five records, one of them without the only quasi-identifier: it stands alone."""
    return pd.DataFrame({"Zip": ["a", "a", "b", "b", None], "Ill": list("xyxyx")})


def test_a_record_with_a_missing_value_is_refused_or_stands_alone():
    with pytest.raises(vk.SchemaError, match="Column 'Zip' has 1 missing value of 5"):
        k_anonymity(microdata(with_a_gap()))
    assert k_anonymity(microdata(with_a_gap()), missing="own value").value == 1


def test_pycanon_drops_the_record_with_a_missing_value(pycanon):
    assert pycanon.k_anonymity(with_a_gap(), ["Zip"]) == 2


def even(values):
    """One class of this many values, each once."""
    names = [f"v{i:02}" for i in range(values)]
    return pd.DataFrame({"Zip": ["a"] * values, "Age": 1, "Ill": names})


def test_equally_frequent_values_count_in_full():
    assert [entropy_diversity(microdata(even(n))).value for n in range(1, 40)] == list(range(1, 40))


def test_pycanon_loses_a_value_to_rounding_down(pycanon):
    found = [pycanon.entropy_l_diversity(even(n), QUASI, ["Ill"]) for n in range(1, 40)]
    assert any(value < n for n, value in enumerate(found, 1))
    assert all(value in (n - 1, n) for n, value in enumerate(found, 1))


def lopsided():
    """One class of eight and two: recursive (c, 2)-diversity asks for c above 8 / 2 = 4."""
    return pd.DataFrame({"Zip": ["a"] * 10, "Age": 1, "Ill": ["x"] * 8 + ["y"] * 2})


def test_recursive_diversity_starts_from_the_most_frequent_value():
    assert recursive_diversity(microdata(lopsided()), ell=2).value == 4


def test_pycanon_starts_from_the_rarest_value(pycanon):
    c, ell = pycanon.recursive_c_l_diversity(lopsided(), QUASI, ["Ill"])
    assert (c, ell) == (1, 2)
