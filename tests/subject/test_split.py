"""The check of a record against two tables joined by groups: true sentences, plainly said."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.subject import check_split

BOB = {"Age": 65, "Sex": "M", "Disease": "Emphysema"}
FORBIDDEN = re.compile(r"\b(safe|anonymous|protected)\b", re.IGNORECASE)
ALLOWED = ("cannot conclude that you are protected", "nor shows that you are protected")


@pytest.fixture(scope="module")
def anatomized():
    return vk.published("lhcc_table3")


@pytest.fixture(scope="module")
def permuted():
    return vk.published("lhcc_table4")


def table(values, groups, mask=vk.mask.anatomize, **known):
    """A release of people of whom one column and a sensitive one are known."""
    columns = known or {"age": list(range(len(values)))}
    frame = pd.DataFrame({**columns, "illness": list(values)})
    data = vk.Microdata(frame, vk.Schema.guess(frame, illness="sensitive"))
    return mask(data, partition=vk.Partition.of(list(groups)), seed=1)[0]


def keys(report):
    return [said.key for said in report.sentences]


def test_bob_learns_his_group_and_the_chances_of_the_paper(permuted):
    report = check_split(BOB, permuted)
    assert report.headline.state == "no-warning"
    assert report.headline.text == (
        "The best guess of your disease is right in 20 of 100 cases if within a group each value "
        "is equally likely for everyone."
    )
    assert report.sentence("P1") == (
        "Your values fit one of the 2 groups of this table, a group of 5 people; if you are in "
        "this table, you are in that group."
    )
    assert "gives such a row in 40 of 100 ways" in report.sentence("P2")
    assert report.sentence("P4") == (
        "Your own disease, Emphysema, would be guessed in 20 of 100 cases if within a group each "
        "value is equally likely for everyone; without knowing your values, in 11 of 100 cases."
    )
    assert report.sentence("P6").startswith("5 different values of disease are possible for you")
    assert report.sentence("S7") == "From this we cannot conclude that you are protected."
    assert "your age and sex only" in report.sentence("S12")
    assert report.figures[1].words.endswith(
        ", if within a group each value is equally likely for everyone"
    )
    assert [figure.value for figure in report.figures] == ["5 people", "20 of 100", "40 of 100"]


def test_the_formula_in_print_stands_beside_the_chance(permuted, anatomized):
    values = check_split(BOB, permuted).tables["values"]
    assert values["of 100 here"].tolist() == pytest.approx([20] * 5)
    assert values["formula in print"].tolist() == pytest.approx([2] * 5)
    assert "formula in print gives smaller chances" in " ".join(check_split(BOB, permuted).notes)
    same = check_split(BOB, anatomized)
    assert same.tables["values"]["formula in print"].tolist() == pytest.approx([20] * 5)
    assert same.notes == ()


def test_the_facts_hold_the_lemma_and_the_exact_chance(permuted):
    facts = check_split(BOB, permuted).facts
    assert (facts["lemma"], facts["presence"]) == (0.08, pytest.approx(0.4))
    assert (facts["groups"], facts["people"], facts["records"]) == (1, 5, 9)


def test_under_anatomy_she_is_seen_to_be_there(anatomized):
    report = check_split(BOB, anatomized)
    assert "sees that a person with them is in this table" in report.sentence("P2")
    assert report.figures[2].value == "100 of 100"


def test_where_every_way_back_has_such_a_row_presence_is_certain(permuted):
    report = check_split({"Age": 65}, permuted)
    assert "can be sure that a person with them is in this table" in report.sentence("P2")
    assert report.facts["left_out"] == ["Sex"]
    assert "You left out sex" in report.notes[0]


def test_someone_who_fits_several_groups_may_be_in_each(anatomized):
    report = check_split({"Age": 50}, anatomized)
    assert "fit 2 of the 2 groups of this table, with 9 people together" in report.sentence("P1")
    groups = report.tables["groups"]
    assert groups["of 100 cases yours"].tolist() == [50, 50]
    values = report.tables["values"].set_index("value")["of 100 here"]
    assert values["Flu"] == pytest.approx(50 / 5 + 50 / 4)
    assert values.sum() == pytest.approx(100)


def test_a_group_with_one_value_warns_her_by_name():
    report = check_split({"age": 0}, table("aab", "xxy"))
    assert report.headline.state == "warning-you"
    assert report.headline.text == (
        "Someone who knows your values learns your illness: it can only be a."
    )
    assert report.sentence("S7") is None
    assert report.sentence("P6") is None
    assert "shows the same illness: a" in report.sentence("P3")


def test_a_nearly_certain_guess_warns_unless_the_whole_table_gives_it_too():
    rare = table("a" * 9 + "b" + "cdefghijkl" * 2, "x" * 10 + "y" * 20)
    report = check_split({"age": 0}, rare)
    assert report.headline.state == "warning-you"
    assert "can guess your illness: a is right in 90 of 100 cases" in report.headline.text
    assert check_split({"age": 0}, rare, sure=0.95).headline.state == "no-warning"
    common = table("a" * 9 + "b" + "a" * 18 + "bb", "x" * 10 + "y" * 20)
    assert check_split({"age": 0}, common).headline.state == "no-warning"


def test_other_people_s_groups_of_one_value_warn_of_the_table():
    report = check_split({"age": 0}, table("abcc", "xxyy"))
    assert report.headline.state == "warning-table"
    assert report.headline.text == (
        "2 of the 4 people in this table are in groups that hold one illness only, and so give it "
        "away."
    )


def test_somebody_who_fits_no_group_cannot_be_told_anything(permuted):
    report = check_split({"Age": 7, "Sex": "F"}, permuted)
    assert report.headline.state == "cannot-tell"
    assert keys(report) == ["S7", "S12"]
    assert report.met is None
    assert len(report.tables["groups"]) == len(report.tables["values"]) == 0


def test_an_own_value_that_no_group_shows_is_told(permuted):
    report = check_split({**BOB, "Disease": "Pneumonia"}, permuted)
    assert "No group that fits you shows your disease, Pneumonia" in report.sentence("P5")
    assert report.sentence("P4") is None


def test_her_requirement_is_judged(permuted):
    assert check_split(BOB, permuted, ell=5).met is True
    assert check_split(BOB, permuted, ell=6).met is False
    assert check_split(BOB, permuted).met is None
    assert check_split(BOB, permuted, ell=6).warned


def test_check_finds_the_kind_of_release_by_itself(permuted):
    report = vk.check(BOB, permuted)
    assert report.sentence("P1") == check_split(BOB, permuted).sentence("P1")
    with pytest.raises(vk.RecordError, match="which has no places; set one for ell"):
        vk.check(BOB, permuted, distance=3)


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({"Height": 3}, "record has 'Height', which the table lacks"),
        ({"Disease": "Flu"}, "holds no quasi-identifier"),
        ({"Age": "old"}, "'Age' was given as 'old'; expected a number"),
        ({"Age": 65, "Sex": "X"}, "'X' is not a category of 'Sex'"),
        ([65, "M"], "record was given as list"),
    ],
)
def test_a_record_that_cannot_be_used_is_refused_in_one_sentence(permuted, record, sentence):
    with pytest.raises(vk.RecordError, match=sentence):
        check_split(record, permuted)


@pytest.mark.parametrize(
    ("option", "value"), [("ell", 0), ("ell", 2.5), ("sure", 1.5), ("sure", "x")]
)
def test_a_requirement_that_makes_no_sense_is_refused(permuted, option, value):
    with pytest.raises(vk.RecordError, match=rf"{option}.* was given as"):
        check_split(BOB, permuted, **{option: value})


def test_several_sensitive_columns_are_all_judged():
    data = vk.simulate("census", 60, seed=1).only("Age", "Gender", "Occupation", "Salary-class")
    groups = vk.partition.diverse(data, ell=3, sensitive="Occupation", seed=1)
    release, _ = vk.mask.anatomize(data, partition=groups, seed=1)
    report = check_split(data.record(0), release)
    assert set(report.tables["values"]["attribute"]) == {"Occupation", "Salary-class"}
    assert keys(report).count("P3") == 2


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3), st.sampled_from("pq"), st.sampled_from("abcd"), st.integers(0, 2)
        ),
        min_size=1,
        max_size=20,
    ),
    st.sampled_from([vk.mask.anatomize, vk.mask.permute_all]),
    st.integers(0, 19),
)
def test_no_report_promises_protection_and_every_share_is_a_share(drawn, mask, place):
    frame = pd.DataFrame(drawn, columns=["age", "town", "illness", "group"])
    data = vk.Microdata(
        frame[["age", "town", "illness"]],
        vk.Schema.guess(frame[["age", "town", "illness"]], illness="sensitive"),
    )
    release, _ = mask(data, partition=vk.Partition.of(frame["group"]), seed=1)
    report = check_split(data.record(place % len(data)), release)
    for said in (report.headline.text, *(said.text for said in report.sentences), *report.notes):
        text = said.replace(ALLOWED[0], "").replace(ALLOWED[1], "")
        assert not FORBIDDEN.search(text), text
        assert all(0 <= int(n) <= 100 for n in re.findall(r"(\d+) of 100", text))
    values = report.tables["values"]["of 100 here"]
    assert values.sum() == pytest.approx(100)
    assert report.tables["groups"]["of 100 cases yours"].sum() == pytest.approx(100)
    warned = report.headline.state == "warning-you"
    assert (report.sentence("S7") is None) == warned
    assert (values.max() >= 100 - 1e-9) <= warned


def test_the_slip_holds_nothing_but_her_values_and_published_facts(permuted):
    html = check_split(BOB, permuted).to_html()
    assert "Emphysema" in html
    assert "Jane" not in html
    report = check_split({"age": 0}, table(["<b>x</b>", "y"], "xx"))
    assert "<b>x</b>" not in report.to_html()


def test_a_large_release_is_checked_at_once():
    data = vk.simulate("census", 30_000, seed=1)
    groups = vk.partition.anatomy(data, ell=5, sensitive="Occupation", seed=1)
    release, _ = vk.mask.permute_all(data, partition=groups, seed=1)
    report = check_split(data.record(0), release)
    assert report.facts["groups"] > 100
    assert 0 < report.facts["presence"] <= 1
    assert np.isclose(report.tables["groups"]["of 100 cases yours"].sum(), 100)


@pytest.mark.parametrize(
    ("method", "who"),
    [
        ("entropy_diverse", "learns from the whole table or repeats the publisher's method"),
        ("mondrian", "learns from the whole table"),
    ],
)
@pytest.mark.parametrize("mask", ["anatomize", "permute_all", "generalize"])
def test_who_repeats_a_method_that_looks_at_the_secrets_is_named(method, who, mask):
    data = vk.load("lhcc_table1")
    asked = {"ell": 2} if method == "entropy_diverse" else {"k": 2}
    partition = getattr(vk.partition, method)(data, **asked)
    release = getattr(vk.mask, mask)(data, partition=partition, seed=1).release
    report = vk.check({"Age": 65, "Sex": "M"}, release)
    key = "G3" if mask == "generalize" else "P3"
    assert report.sentence(key).endswith(f"; whoever {who} may do better.")
    assert ("sure", f"Whoever {who} may do better.") in report.parts


def test_a_table_published_by_groups_says_that_no_attack_is_reported(permuted):
    report = check_split(BOB, permuted)
    assert report.sentence("S10").startswith("The table itself reports no test attack; a report")
    assert report.facts["rests"] == "if within a group each value is equally likely for everyone"
    assert f"This holds {report.facts['rests']}." in report.to_html()


def joined(cats, ills, **more):
    """Two tables of two groups of two people."""
    labels = [1, 1, 2, 2]
    quasi = pd.DataFrame({"cat": cats, **more, "Group-ID": labels})
    sensitive = pd.DataFrame({"Group-ID": labels, "ill": ills})
    return vk.SplitRelease.of(quasi, sensitive, promise="another order")


def test_a_missing_cell_may_be_hers_as_in_a_generalized_table():
    release = joined(["d", None, "e", "e"], ["flu", "gas", "gas", "hay"])
    known, lacking = (check_split({"cat": one}, release) for one in ("e", "d"))
    assert known.tables["groups"]["rows like yours"].tolist() == [2, 1]
    assert lacking.tables["groups"]["rows like yours"].tolist() == [2]
    other = check_split({"cat": "f"}, release)
    assert other.facts["groups"] == 1
    assert other.facts["presence"] == 0
    assert other.sentence("P2") == (
        "No row shows all your values; 1 row may be yours, as a value is missing there."
    )
    frame = pd.DataFrame({"cat": ["d", None, "e", "e"], "ill": ["flu", "gas", "gas", "hay"]})
    whole = vk.TableRelease.of(frame, vk.Schema.guess(frame, ill="sensitive"), promise="covers")
    assert vk.check({"cat": '"f"'}, whole).facts["fits"] == 1


def test_missing_cells_of_several_columns_are_counted_row_by_row_or_column_by_column():
    release = joined(["d", None, "e", None], list("abcd"), sex=["f", "f", None, "m"])
    assert check_split({"cat": "d", "sex": "f"}, release).facts["presence"] == 1
    whole = check_split({"cat": "e", "sex": "f"}, release).tables["groups"]
    assert whole["rows like yours"].tolist() == [1, 1]
    shuffled = vk.SplitRelease.of(
        release.quasi, release.sensitive, promise="another order", permuted=True
    )
    found = check_split({"cat": "e", "sex": "f"}, shuffled)
    assert found.tables["groups"]["rows like yours"].tolist() == [1, 1]
    assert found.facts["presence"] == 0


@pytest.mark.parametrize("permuted", [False, True])
def test_a_missing_value_is_neither_guessed_nor_counted_as_a_value(permuted):
    halves = joined(["d", "d", "d", "d"], ["flu", "gas", None, None])
    release = vk.SplitRelease.of(
        halves.quasi, halves.sensitive, promise="another order", permuted=permuted
    )
    report = check_split({"cat": "d", "ill": "hay"}, release, ell=4)
    assert report.headline.text.startswith("The best guess of your ill is right in 25 of 100")
    assert "guesses that your ill is flu, one of the 2 likeliest" in report.sentence("P3")
    assert report.sentence("P5") is None  # hers may be the missing one
    assert report.sentence("P6") is None
    assert report.met is True
    assert report.tables["values"]["value"].tolist() == ["missing", "flu", "gas"]
    assert report.notes[0] == (
        "The groups that fit your values lack 2 values of ill; each may be anything, and none "
        "counts as a value left for you."
    )


def test_of_groups_that_show_only_missing_values_nothing_is_said():
    release = joined(["d", "d", "e", "e"], ["flu", "gas", None, None])
    report = check_split({"cat": "e", "ill": "flu"}, release, ell=1)
    assert report.headline.state == "cannot-tell"
    assert report.headline.text == (
        "The groups that fit your values show no ill, so nothing can be told about yours."
    )
    assert not {"P3", "P4", "P5", "P6", "R"} & {said.key for said in report.sentences}
    assert report.met is None
    assert "The groups that fit your values lack 2 values of ill" in report.notes[0]


def test_one_value_beside_a_missing_one_is_no_certain_value():
    report = check_split({"cat": "d"}, joined(["d", "d", "e", "e"], ["flu", None, "gas", "hay"]))
    assert report.headline.state == "no-warning"
    assert "guesses that your ill is flu, the likeliest, is right" in report.sentence("P3")
    assert report.sentence("P6") is None


def test_nobody_learns_that_a_value_is_missing():
    report = check_split({"cat": "e"}, joined(["d", "d", "e", "e"], ["flu", "gas", None, None]))
    assert report.headline.state == "cannot-tell"
