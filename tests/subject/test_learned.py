"""What a person is told of those who learn from a whole table by groups."""

import numpy as np
import pytest
from test_sentences import CENSUS, census, teaching

import verikit as vk

WOMAN = {"age": 50, "sex": "f"}


def test_both_chances_are_told_and_the_headline_takes_the_worse():
    report = vk.check(CENSUS, census())
    learned = report.facts["learned"]["Marital"]
    assert learned["chance"] > learned["by_group"]
    often = f"{100 * learned['chance']:.0f} of 100"
    alone = f"{100 * learned['by_group']:.0f} of 100"
    assert often in report.headline.text
    assert alone in report.sentence("P3")
    said = f"your Marital is {learned['value']}: that is right in {often} cases at least"
    assert said in report.sentence("P7")
    assert f"does not know your group, guesses {learned['others']}:" in report.sentence("P8")
    assert report.figures[1].value == often


def test_of_people_told_so_as_many_are_right_at_least():
    frame = vk.simulate("census", 3000, seed=1).frame[["Age", "Education", "Gender", "Marital"]]
    data = vk.Microdata(frame, vk.Schema.guess(frame, Marital="sensitive"))
    groups = vk.partition.anatomy(data, ell=2, seed=1)
    release, key = vk.mask.anatomize(data, partition=groups, seed=1)
    truth = np.empty(len(frame), object)
    truth[key.places[""]] = frame["Marital"].astype(str)
    some = np.arange(0, len(truth), 20)
    told = [
        vk.check(row, release).facts["learned"]["Marital"]
        for row in release.quasi.iloc[some].drop(columns=release.group).to_dict("records")
    ]
    chance = np.array([part["chance"] for part in told])
    right = np.array([part["value"] for part in told]) == truth[some]
    assert (chance > [part["by_group"] for part in told]).any()
    for low in (0, 0.5, 0.6, 0.7):
        among = (chance >= low) & (chance < low + 0.1 + 0.4 * (low == 0))
        error = 2.5 * np.sqrt(0.25 / max(among.sum(), 1))
        assert not among.any() or right[among].mean() >= chance[among].mean() - error


def test_nothing_is_said_where_other_groups_bear_nothing_out():
    release = teaching()
    shuffled = release.sensitive.assign(
        ill=np.random.default_rng(1).permutation(release.sensitive["ill"].astype(str))
    )
    nothing = vk.SplitRelease(
        release.quasi, shuffled, release.schema, group=release.group, promise=release.promise
    )
    report = vk.check(WOMAN, nothing)
    assert report.facts["learned"] == {}
    assert report.sentence("P7") is report.sentence("P8") is None
    assert "whoever learns from the whole table may do better" in report.sentence("P3")


@pytest.mark.parametrize("gone", ["age", "sex"])
def test_a_value_that_she_leaves_out_speaks_for_nothing(gone):
    release = teaching()
    left = {name: value for name, value in WOMAN.items() if name != gone}
    found = vk.check(left, release).facts["learned"]["ill"]
    whole = vk.check(WOMAN, release).facts["learned"]["ill"]
    assert found["chance"] <= whole["chance"]


def test_adult_tells_no_girl_that_she_is_a_husband(datasets_dir):
    known = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
    frame = vk.datasets.adult(datasets_dir / "adult").frame[[*known, "relationship"]]
    data = vk.Microdata(frame, vk.Schema.guess(frame, relationship="sensitive"))
    groups = vk.partition.anatomy(data, ell=2, seed=1)
    release = vk.mask.anatomize(data, partition=groups, seed=1).release
    rows = release.quasi.astype({name: str for name in known if name != "age"})
    girls = rows[(rows["age"] == 17) & (rows["sex"] == "Female")].drop(columns=release.group)
    said = [vk.check(row, release) for row in girls.head(20).to_dict("records")]
    husbands = [report for report in said if "is Husband, one of" in (report.sentence("P3") or "")]
    assert husbands
    for report in husbands:
        assert report.facts["learned"]["relationship"]["value"] != "Husband"
        assert "whole table" in report.headline.text
