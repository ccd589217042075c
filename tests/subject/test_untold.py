"""Of a table of which nobody tells how it was made, nothing is said to be certain of anybody."""

import re

import numpy as np
import pandas as pd
import pytest
from sources import WHOLE

import verikit as vk
from verikit.cli import main
from verikit.errors import VerikitError
from verikit.languages import texts_of

CERTAIN = re.compile(
    r"yours is|pick (you|her|him) out|learns|can guess|knows yours|finds your record|is right in|"
    r"either you are not in"
)


def people(n=60, seed=1):
    """Ages, what they earn in two labels, and jobs."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "hours": rng.integers(10, 60, n),
            "pay": rng.choice(["<=50K", ">50K"], n, p=[0.75, 0.25]),
        }
    )


def swapped(frame, seed=2):
    rng = np.random.default_rng(seed)
    return frame.apply(lambda column: rng.permutation(column.to_numpy()))


def said(report):
    return " ".join(
        [report.headline.text, *(s.text for s in report.sentences), *map(str, report.figures)]
    )


def test_two_labels_that_share_all_numbers_between_them_are_categories(tmp_path):
    path = tmp_path / "mini.csv"
    path.write_text("age,pay,job\n30,<=50K,a\n31,>50K,b\n32,<=50K,c\n33,>50K,d\n")
    record = {"age": 30, "pay": "<=50K", "job": "a"}
    assert vk.check(record, vk.open_release(path)).matches["row"].tolist() == [1]
    assert main(["check", str(path), "--set", "age=30", "--set", "pay=<=50K"]) == 0
    assert not vk.open_release(path).generalized


@pytest.mark.parametrize(
    ("labels", "bands"),
    [
        (["<=50K", ">50K"], False),
        (["<=50K"], False),
        (["under 30", "30 and over", "unknown"], False),
        (["<30", "30-39", "40+"], True),
        (["<=50", ">40"], True),  # which overlap
        (["<50", ">=50", "*"], True),
        (["60", "70", "80+"], True),
        (["20-29", "30-39"], True),
    ],
)
def test_a_column_is_of_bands_only_if_it_looks_so_unless_told(labels, bands):
    frame = pd.DataFrame({"x": labels})
    assert vk.TableRelease.of(frame).generalized is bands
    told = vk.TableRelease.of(frame, promise="another order")
    assert told.generalized is (bands and "*" not in labels)  # which is a value like others there
    assert vk.TableRelease.of(frame, promise="covers").generalized
    told = vk.TableRelease.of(pd.DataFrame({"age": ["<50", ">=50"]}), promise="covers")
    assert vk.check({"age": 34}, told).facts["fits"] == 1


def banded(frame):
    """The same people with ages in bands of ten years."""
    low = frame["age"] // 10 * 10
    return frame.assign(age=low.astype(str) + "-" + (low + 9).astype(str))


@pytest.mark.parametrize(
    "make", [lambda frame: frame, banded], ids=["pay in halves", "ages in bands"]
)
@pytest.mark.parametrize("promise", ["untold", "another order", "changed"])
def test_of_a_swapped_table_nothing_is_said_to_be_certain_of_anybody(make, promise):
    """The key is at hand: each record of the original is asked for in its swapped table."""
    original = people()
    release = vk.TableRelease.of(make(swapped(original)), promise=promise)
    answers = 0
    for _, record in original.iterrows():
        for names in (["age", "hours", "pay"], ["age", "hours"], ["age"]):
            try:
                report = vk.check(record[names].to_dict(), release, chance=False)
            except VerikitError:
                continue
            answers += 1
            assert report.headline.state in ("cannot-tell", "no-warning")
            assert not CERTAIN.search(said(report)), said(report)
    assert answers >= 60


@pytest.mark.parametrize("language", WHOLE)
def test_in_no_language_is_one_of_them_hers(language):
    release = vk.TableRelease.of(banded(swapped(people())))
    told = vk.TableRelease.of(release.frame, promise="covers")
    for _, record in people().head(12).iterrows():
        found = vk.check({"age": int(record["age"])}, release, language=language)
        sure = vk.check({"age": int(record["age"])}, told, language=language)
        assert found.headline.state == "cannot-tell"
        if found.facts["fits"]:
            assert found.sentence("G1") != sure.sentence("G1")
            assert sure.sentence("G2")
        assert found.sentence("G2") is None


def test_what_fits_is_still_said_and_that_nothing_is_known_of_the_making():
    release = vk.TableRelease.of(pd.DataFrame({"age": ["20-29", "20-29", "30-39"]}))
    report = vk.check({"age": 31}, release)
    assert report.sentence("G1").startswith(
        "1 of the 3 published records fits your values. Whether"
    )
    assert report.sentence("G0").startswith("Nobody said how this table was made")
    assert vk.check({"age": 25}, release).headline.text.startswith("2 records fit your values, but")
    none = vk.check({"age": 55}, release)
    assert "That does not show that you are not in this table" in none.headline.text


@pytest.mark.parametrize("language", WHOLE)
def test_groups_that_nobody_tells_of_give_nobody_away(language):
    quasi = pd.DataFrame({"Age": [30, 30, 40, 40], "Group-ID": list("aabb")})
    ill = pd.DataFrame({"Group-ID": list("aabb"), "Ill": ["flu", "flu", "flu", "cold"]})
    told = vk.SplitRelease.of(quasi, ill, promise="as it was")
    asked = {"ell": 2, "language": language}
    for age in (30, 40, 50):
        for promise in ("untold", "changed"):
            release = vk.SplitRelease.of(quasi, ill, promise=promise)
            report = vk.check({"Age": age}, release, **asked)
            sure = vk.check({"Age": age}, told, **asked)
            assert report.headline.state == "cannot-tell"
            assert report.headline.text != sure.headline.text
            assert report.met is None
            assert report.sentence("P2") is None
            assert "learns your" not in said(report)
    assert vk.check({"Age": 30}, told, **asked).headline.state == "warning-you"


def test_of_untold_groups_a_guess_is_as_good_as_two_ifs():
    quasi = pd.DataFrame({"Age": [30, 30, 40, 40], "Group-ID": list("aabb")})
    ill = pd.DataFrame({"Group-ID": list("aabb"), "Ill": ["flu", "flu", "flu", "cold"]})
    report = vk.check({"Age": 30}, vk.SplitRelease.of(quasi, ill))
    assert report.headline.text == (
        "Your values fit 1 group of this table, but nobody promises that the values of a group are "
        "those of its people. So none of them need be yours."
    )
    assert report.sentence("P3").startswith(
        "If you are in this table, and if the values of a group are those of its people, a guess "
        "that your Ill is flu, the likeliest, is right in"
    )


@pytest.mark.parametrize("language", WHOLE)
def test_of_untold_groups_nobody_does_better_than_right_in_all_cases(language):
    quasi = pd.DataFrame({"Age": [30, 30, 40, 40], "Group-ID": list("aabb")})
    ill = pd.DataFrame({"Group-ID": list("aabb"), "Ill": ["flu", "flu", "flu", "cold"]})
    release, rests = vk.SplitRelease.of(quasi, ill), texts_of(language, "speech")["rests"]
    only, two = (vk.check({"Age": age}, release, language=language) for age in (30, 40))
    assert rests["learner"] not in only.sentence("P3")
    assert rests["learner"] in two.sentence("P3")
    assert only.facts["rests"] == rests["people"]
    assert rests["people"] in two.to_html()
    told = vk.SplitRelease.of(quasi, ill, promise="another order")
    assert vk.check({"Age": 40}, told, language=language).facts["rests"] == rests["links"]


def unnamed_columns(style, pay):
    """A column that may be bands, codes, ranges, grades or plain words."""
    low = pay // 10 * 10
    words = {
        "bands": [f"{one}-{one + 9}" for one in low],
        "halves": np.where(pay > 50, ">50K", "<=50K"),
        "ranges or dates": np.array(["1-3", "4-6", "7-9"])[pay % 3],
        "codes": np.array(["476**", "479**", "47602"])[pay % 3],
        "grades": np.array(["A*", "A", "B", "*"])[pay % 4],
    }
    return words[style]


@pytest.mark.parametrize("style", ["bands", "halves", "ranges or dates", "codes", "grades"])
def test_nothing_is_concluded_from_a_column_that_may_be_bands_or_words(style):
    """Whatever the labels are in truth, no verdict on an untold table is more than a question."""
    rng = np.random.default_rng(3)
    for _ in range(8):
        age, pay = rng.integers(17, 80, 20), rng.integers(5, 95, 20)
        label = unnamed_columns(style, pay)
        ill = rng.choice(["flu", "cancer"], 20, p=[0.9, 0.1])
        frame = pd.DataFrame({"age": age, "pay": label, "ill": ill})
        columns = (
            vk.Column("age"),
            vk.Column("pay", kind="nominal"),
            vk.Column("ill", "sensitive", "nominal"),
        )
        release = vk.TableRelease.of(frame, vk.Schema(columns))
        for record in (
            {"age": int(age[0]), "pay": str(label[0])},
            {"pay": str(label[0])},
            {"age": int(age[0]), "pay": str(pay[0])},
        ):
            try:
                report = vk.check(record, release)
            except VerikitError:
                continue
            assert report.headline.state == "cannot-tell"
            assert not CERTAIN.search(said(report)), said(report)
