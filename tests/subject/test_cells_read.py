"""The report rests on cells that were read; where some were not, it says so and claims less."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.matching import find_hidden_rows

ARX = [
    ("<50", "female", "81***"), ("<50", "male", "81***"), (">=50", "male", "81***"),
    ("*", "*", "*"), ("<50", "female", "81***"), (">=50", "male", "81***"),
    ("<50", "male", "81***"),
]  # fmt: skip
SHE = {"age": 34, "gender": "male", "zipcode": "81667"}


def table(rows, promise="covers", **spelt):
    """A table of age, gender and zipcode, the ages spelt otherwise."""
    frame = pd.DataFrame(rows, columns=["age", "gender", "zipcode"])
    ages = frame["age"].replace(spelt.get("age", {}))
    return vk.TableRelease.of(frame.assign(age=ages), promise=promise)


def facts(report):
    """What a report says, but for the cells themselves."""
    kept = report.facts["fits"], report.facts["suppressed"], report.headline
    return kept, [said.text for said in report.sentences if said.key != "G0"]


def test_inequalities_are_ranges_and_nobody_is_picked_out_who_is_not():
    report = vk.check(SHE, table(ARX))
    assert report.facts["fits"] == 2
    assert report.headline.state != "warning-you"
    assert report.sentence("G1").startswith("2 of the 7 published records fit your values; if you")
    assert report.sentence("G2").endswith(
        "right in 50 of 100 cases if each record that fits is equally likely to be yours."
    )
    assert "No other record fits you" not in report.sentence("G9")
    assert vk.check(SHE, table(ARX, promise="untold")).sentences[0].text == (
        "Nobody said how this table was made; it is taken as generalized, because of the cells of "
        "age (such as '<50'), gender (such as '*') and zipcode (such as '81***')."
    )


@pytest.mark.parametrize(
    "spelling",
    [
        {"<50": "[0, 49]", ">=50": "[50, 120]"},  # ARX, sdcMicro by hand
        {"<50": "[0,50[", ">=50": "[50,120]"},  # ARX
        {"<50": "[0,50)", ">=50": "[50,120]"},  # R: cut(right = FALSE)
        {"<50": "(-1,49]", ">=50": "(49,120]"},  # R: cut
        {"<50": "0-49", ">=50": "50-120"},
        {"<50": "under 50", ">=50": "50 and over"},
        {"<50": "unter 50", ">=50": "50 und älter"},
        {"<50": "moins de 50 ans", ">=50": "50 ans et plus"},
        {"<50": "menos de 50", ">=50": "50 y más"},
    ],
)
def test_the_same_table_spelt_otherwise_gives_the_same_report(spelling):
    assert facts(vk.check(SHE, table(ARX, age=spelling))) == facts(vk.check(SHE, table(ARX)))


def test_one_exact_age_among_bands_is_not_the_only_one_that_fits():
    rows = [("40-49", "m", "13***")] * 9 + [("45", "m", "13***")]
    record = {"age": 45, "zipcode": "13053"}
    assert vk.check(record, table(rows)).facts["fits"] == 10
    mixed = table([("40-49", "m", "13***")] * 7 + [("[40, 49]", "m", "13***")] * 3)
    assert vk.check(record, mixed).facts["fits"] == 10


def test_top_coded_ages_do_not_stop_the_check():
    frame = pd.DataFrame({"age": [*map(str, range(0, 80, 10)), "80+"], "pay": range(9)})
    report = vk.check({"age": 93, "pay": 8}, vk.TableRelease.of(frame))
    assert report.facts["fits"] == 1
    assert vk.check({"age": 93, "pay": 7}, vk.TableRelease.of(frame)).facts["fits"] == 0


def test_a_label_that_cannot_be_read_is_named_and_nothing_certain_rests_on_it():
    rows = [("<fifty", "f", "81***"), ("60-69", "m", "81***"), ("60-69", "m", "81***"), ("*",) * 3]
    report = vk.check({"age": 34, "gender": "f", "zipcode": "81667"}, table(rows))
    assert report.headline.state == "cannot-tell"
    assert report.headline.text.startswith(
        "Column age holds labels such as '<fifty' that cannot be read"
    )
    assert report.sentence("G1") == "At most 1 of the 4 published records fits your values."
    assert report.sentence("G2") is None
    said = " ".join(said.text for said in report.sentences)
    assert "yours is this one" not in said
    assert "No other record fits" not in said
    assert "no published record" not in report.headline.text.lower()
    suppressed = vk.check({"age": 34, "gender": '"x"', "zipcode": "81667"}, table(rows))
    assert suppressed.sentence("G9") is None
    covers = vk.TableRelease.of(table(rows).frame, promise="covers")
    answer = vk.answer(vk.Query.count({"age": "34"}), covers)
    assert (answer.lower, answer.upper) == (0, 2)


def test_a_note_or_a_grade_with_a_star_does_not_switch_a_warning_off():
    data = vk.simulate("dm", 200, seed=1)
    release, _ = vk.mask.noise(data, scale=0.02, seed=2)
    plain = [vk.check(data.record(i), vk.TableRelease.of(release.frame)) for i in range(0, 40, 8)]
    for marks in (["see *"] + ["x"] * 199, ["A*", "A", "B", "C"] * 50, ["*"] + ["x"] * 199):
        starred = vk.TableRelease.of(release.frame.assign(note=marks))
        found = [vk.check(data.record(i), starred) for i in range(0, 40, 8)]
        assert [part.headline for part in found] == [part.headline for part in plain]
    assert any(part.headline.state == "warning-you" for part in plain)


def test_the_four_places_of_the_paper_stay_beside_a_column_of_grades():
    masked = vk.published("dm_table1_masked").frame.assign(grade=["A*"] + ["A", "B"] * 9 + ["C"])
    release = vk.TableRelease.of(masked)
    assert not release.generalized
    report = vk.check(vk.load("dm_table1").record(2), release)
    assert report.attributes["distance"].tolist() == [4, 1, 4]


def spanning():
    frame = pd.DataFrame(
        {"age": [10, 30, 60, 30, 31], "disease": ["flu", "cancer", "flu", "ulcer", "ulcer"]}
    )
    data = vk.Microdata(frame, vk.Schema.guess(frame, disease="sensitive"))
    groups = vk.Partition.of([0, 0, 0, 1, 1])
    return vk.mask.generalize(data, partition=groups, seed=1).release


def test_a_group_that_spans_the_whole_column_is_not_suppressed():
    release = spanning()
    assert release.parameters["suppressed"] == 0
    report = vk.check({"age": 30, "disease": "cancer"}, release)
    assert report.facts["fits"] == 5
    assert report.headline.state != "warning-you"
    assert report.sentence("G8") is None
    assert report.sentence("G9") is None
    assert not len(vk.intruder.homogeneity(release, {"age": 30}).frame)


def test_where_nobody_says_how_many_were_suppressed_a_wide_group_fits_as_any_other():
    release = spanning()
    elsewhere = vk.TableRelease.of(release.frame, release.schema)
    assert not find_hidden_rows(elsewhere).any()
    assert vk.check({"age": 30}, elsewhere).facts["fits"] == 5


def test_nobody_is_taken_for_suppressed_where_more_records_are_wide_than_were_suppressed():
    release = spanning()
    told = {**release.parameters, "suppressed": 1}
    assert not find_hidden_rows(
        vk.TableRelease.of(release.frame, release.schema, method="generalize", parameters=told)
    ).any()
    told["suppressed"] = 3
    wide = vk.TableRelease.of(release.frame, release.schema, method="generalize", parameters=told)
    assert find_hidden_rows(wide).sum() == 3


def test_a_column_withheld_everywhere_tells_nothing_apart_and_the_check_goes_on():
    frame = pd.DataFrame({"x": [None, None, 9, 9], "y": [1, 2, 3, 4], "s": list("uvwu")})
    data = vk.Microdata(frame, vk.Schema.guess(frame, s="sensitive"))
    release, _ = vk.mask.generalize(
        data, partition=vk.Partition.of([0, 0, 0, 0]), missing="own value", seed=1
    )
    report = vk.check({"x": 1, "y": 2}, release)
    assert report.facts["fits"] == 4
    assert "No record shows x, so it tells no records apart." in report.notes


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, float("nan"), np.float32("nan")])
def test_a_missing_value_says_nothing_in_every_check(missing):
    masked = vk.published("dm_table1_masked")
    given = {"X1": 100.87, "X3": 5108.54}
    assert vk.check({**given, "X2": missing}, masked).to_json() == vk.check(given, masked).to_json()
    as_row = pd.Series({**given, "X2": missing}, dtype=object)
    assert vk.check(as_row, masked).to_json() == vk.check(given, masked).to_json()
    crimes, single = vk.published("ks_table4"), {"Marital Status": "Single", "Zip": "19552"}
    report = vk.check({**single, "DOB": missing, "Crime": missing}, crimes)
    assert report.to_json() == vk.check(single, crimes).to_json()


def test_a_suppressed_record_is_nobody_who_can_be_picked_out():
    rows = [("<50", "m", "81***")] * 2 + [(">=50", "m", "81***")] * 2 + [("*", "*", "*")]
    report = vk.check({"age": 34, "gender": "m", "zipcode": "81667"}, table(rows))
    assert report.headline.state == "no-warning"


def test_one_odd_label_does_not_take_the_meaning_from_the_ranges_beside_it():
    def check(label):
        frame = pd.DataFrame({"num": [label, "0-6"], "d": ["flu", "gas"]})
        schema = vk.Schema.guess(frame, d="sensitive")
        return vk.check({"num": 4}, vk.TableRelease.of(frame, schema, promise="covers"))

    for label in ("2-2", "20-20", "2–2"):
        assert check(label).facts["fits"] == 1
        assert check(label).headline.text.startswith("Only one published record fits your values")
    for label in ("5-3", "5–3"):
        assert check(label).facts["fits"] == 2
        assert f"labels such as '{label}' that cannot be read" in check(label).headline.text


def test_a_query_and_an_attack_read_a_range_of_one_number_and_a_slip_among_ranges_alike():
    def release(label):
        frame = pd.DataFrame({"num": [label, "0-6", "7-9"], "d": ["flu", "gas", "gas"]})
        return vk.TableRelease.of(
            frame, vk.Schema.guess(frame, d="sensitive"), promise="covers", method="generalize"
        )

    single, slip = (vk.answer(vk.Query.count({"num": (0, 6)}), release(n)) for n in ("2-2", "5-3"))
    assert (single.lower, single.upper) == (2, 2)
    assert (slip.lower, slip.upper) == (1, 2)
    found = [vk.intruder.homogeneity(release(label), {"num": 4}) for label in ("2-2", "5-3")]
    assert [attack.people for attack in found] == [1, 0]
