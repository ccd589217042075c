"""The check of a record against a generalized table: true sentences, each with its condition."""

import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.matching import find_hidden_rows
from verikit.models import k_anonymity
from verikit.subject.generalized import check_generalized, find_fits

SINGLE = {"Marital Status": "Single", "DOB": "2001", "Zip": "19552"}
MARRIED = {"Marital Status": "Married", "DOB": "1985", "Zip": "36363"}
SEPARATED = {"Marital Status": "Separated", "DOB": "1991", "Zip": "20001"}


@pytest.fixture(scope="module")
def crimes():
    return vk.published("ks_table4")


@pytest.fixture(scope="module")
def diseases():
    return vk.published("ks_table6")


def release_of(frame, **roles):
    return vk.TableRelease.of(frame, vk.Schema.guess(frame, **roles), promise="covers")


def keys(report):
    return [said.key for said in report.sentences]


def test_a_homogeneous_group_warns_her_by_name_of_the_value(crimes):
    report = check_generalized(SINGLE, crimes)
    assert report.headline.state == "warning-you"
    assert report.headline.text == (
        "Someone who knows your values learns your crime: all 4 records that fit them show Theft."
    )
    assert report.sentence("G1") == (
        "4 of the 11 published records fit your values; if you are in this table, yours is one of "
        "them."
    )
    assert report.sentence("G3") == (
        "All 4 show the same crime: Theft. Someone who knows your values learns it without finding "
        "your record."
    )
    assert report.sentence("S7") is None
    assert report.sentence("G6") is None


def test_a_diverse_group_warns_of_nothing_but_the_table_and_concludes_nothing(crimes):
    report = check_generalized(SEPARATED, crimes)
    assert report.headline.state == "warning-table"
    assert report.headline.text == (
        "4 of the 11 people in this table give their crime away to someone who knows all their "
        "values. No record that fits you is among them."
    )
    assert report.sentence("S7") == "From this we cannot conclude that you are protected."
    assert report.sentence("G3") == (
        "Assault is one of the 4 most frequent values of crime among them: whoever guesses it is "
        "right in 25 of 100 cases if each record that fits is equally likely to be yours; whoever "
        "learns from the whole table may do better."
    )
    assert report.sentence("G4") == (
        "Assault is more frequent among them than in the whole table: 25 of 100 records instead of "
        "9 of 100."
    )
    assert report.sentence("G6") == (
        "They show 4 different values of crime: someone who can rule out 3 of them knows yours."
    )


def test_with_part_of_her_values_she_may_fit_people_who_are_exposed(crimes):
    frame = pd.concat([crimes.frame, crimes.frame.tail(1).assign(Crime="Piracy", Zip="20001")])
    table = vk.TableRelease.of(frame, crimes.schema, promise="covers")
    report = check_generalized({"Zip": "20001"}, table)
    assert report.facts["fits"] == 5
    assert report.headline.text.endswith("1 of the records that fit you is among them.")
    assert report.notes[0] == (
        "You left out marital status and year of birth, some digits starred; the check used the "
        "other values."
    )


def test_different_values_of_one_kind_warn_too(diseases):
    report = check_generalized(SINGLE, diseases)
    assert report.headline.state == "warning-you"
    assert report.headline.text == (
        "Someone who knows your values learns that your disease is neurological: that of all 4 "
        "records that fit them is."
    )
    assert report.sentence("G5") == (
        "Their disease differs, but all of it is neurological: someone who knows your values "
        "learns that much."
    )
    assert check_generalized(MARRIED, diseases).sentence("G5") is None


def test_her_own_value_tells_what_it_would_add(crimes):
    once = check_generalized({**MARRIED, "Crime": "Indecency"}, crimes)
    assert once.sentence("G7") == (
        "Your crime, Indecency, stands in one record of the whole table: someone who knows that "
        "you have it finds your record, and reads the rest of it."
    )
    among = check_generalized({**MARRIED, "Crime": "Murder"}, crimes)
    assert among.sentence("G7") == (
        "Only one of them shows your crime, Murder: someone who knows that as well finds your "
        "record."
    )
    absent = check_generalized({**MARRIED, "Crime": "Theft"}, crimes)
    assert absent.sentence("G8") == (
        "None of them shows your crime, Theft: either you are not in this table, or it was changed."
    )
    assert check_generalized({**SINGLE, "Crime": "Theft"}, crimes).sentence("G7") is None


def test_the_only_record_that_fits_is_the_worst_case():
    table = release_of(
        pd.DataFrame({"Zip": ["476**", "479**", "479**"], "Ill": ["flu", "flu", "ulcer"]}),
        Ill="sensitive",
    )
    report = check_generalized({"Zip": "47677"}, table)
    assert report.headline.state == "warning-you"
    assert report.headline.text == (
        "Only one published record fits your values: whoever knows them can pick you out."
    )
    assert report.sentence("G2") == (
        "If you are in this table, someone who knows your values can pick you out."
    )
    assert report.sentence("G3") == "That record shows Ill: flu."
    assert report.figures[0] == ("1 record", "fits your values; at most one is yours")


def test_a_table_without_sensitive_column_still_shows_who_stands_alone():
    table = release_of(pd.DataFrame({"Zip": ["476**", "479**", "479**"]}))
    assert check_generalized({"Zip": "47677"}, table).headline.state == "warning-you"
    report = check_generalized({"Zip": "47911"}, table)
    assert report.headline.state == "warning-table"
    assert "1 of the 3 people in this table can be picked out by someone" in report.headline.text


def test_a_sure_guess_warns_only_if_her_values_make_it_so():
    frame = pd.DataFrame(
        {"Zip": ["a"] * 10 + ["b"] * 10, "Ill": ["x"] * 9 + ["y"] + ["y"] * 9 + ["x"]}
    )
    report = check_generalized({"Zip": "a"}, release_of(frame, Ill="sensitive"))
    assert report.headline.text == (
        "Someone who knows your values can guess your Ill: 9 of the 10 records that fit them show "
        "x."
    )
    lenient = check_generalized({"Zip": "a"}, release_of(frame, Ill="sensitive"), sure=0.95)
    assert lenient.headline.state == "no-warning"
    common = frame.assign(Ill=(["x"] * 9 + ["y"]) * 2)
    same = check_generalized({"Zip": "a"}, release_of(common, Ill="sensitive"))
    assert same.headline.state == "no-warning"
    assert same.sentence("G4") is None


def test_no_record_that_fits_is_no_answer(crimes):
    report = check_generalized({"Zip": "99999"}, crimes)
    assert report.headline.state == "cannot-tell"
    assert report.headline.text.startswith("No published record fits your values: either you are")
    assert len(report.tables["groups"]) == len(report.tables["values"]) == 0
    assert "cannot conclude" in report.sentence("S7")


def people():
    """Seven people; at k = 2 the one at 94121 stands out, and is suppressed."""
    zips = ["94111", "94112", "94111", "94112", "94111", "94112", "94999"]
    tree = vk.Hierarchy.prefixes(zips, [4])
    frame = pd.DataFrame(
        {"Zip": zips, "Ill": ["flu", "ulcer", "flu", "ulcer", "flu", "flu", "hiv"]}
    )
    schema = vk.Schema(
        (vk.Column("Zip", "quasi", "nominal", tree), vk.Column("Ill", "sensitive", "nominal"))
    )
    return vk.Microdata(frame, schema)


def test_suppression_is_counted_and_explained_to_whoever_it_concerns():
    table = vk.mask.generalize(people(), levels=1, suppress=2, seed=4).release
    assert find_hidden_rows(table).sum() == 1
    other = check_generalized({"Zip": "94111"}, table)
    assert other.facts["fits"] == 6
    assert other.sentence("G1").endswith("if you are in this table, yours is one of them.")
    assert other.sentence("G9") == (
        "1 record of this table was suppressed, because too few others look alike; nothing but the "
        "widest group is shown there. As other records fit you, yours is none of these."
    )
    hers = check_generalized({"Zip": "94999"}, table)
    assert hers.headline.state == "warning-you"
    assert "No other record fits you: if you are in this table, you are among the suppressed" in (
        hers.sentence("G9")
    )


def test_where_nobody_said_how_records_were_suppressed_hers_may_be_one():
    table = vk.mask.generalize(people(), levels=1, suppress=2, seed=4).release
    elsewhere = vk.TableRelease.of(table.frame, table.schema, promise="covers")
    report = check_generalized({"Zip": "94111"}, elsewhere)
    assert report.sentence("G1").endswith(
        "if you are in this table and not suppressed, yours is one of them."
    )
    assert report.sentence("G9").endswith("; yours may be among them, as almost anyone's.")


def starred(cats, ills, **told):
    frame = pd.DataFrame({"cat": cats, "ill": ills})
    schema = vk.Schema.guess(frame, ill="sensitive")
    return vk.TableRelease.of(frame, schema, promise="covers", **told)


def test_what_a_suppressed_record_may_contradict_is_said_of_the_others_only():
    aside = "Suppressed records aside, which may be anybody's: "
    report = vk.check({"cat": "d", "ill": "flu"}, starred(["*", "d", "d"], ["flu", "gas", "gas"]))
    assert report.headline.text.startswith(f"{aside}Someone who knows your values learns your ill")
    assert report.sentence("G3").startswith(f"{aside}All 2 show the same ill: gas.")
    assert report.sentence("G8").startswith(f"{aside}None of them shows your ill, flu")
    alone = vk.check({"cat": "d"}, starred(["*", "d", "e"], ["flu", "gas", "gas"]))
    assert alone.headline.text.startswith(f"{aside}Only one published record fits your values")
    assert alone.sentence("G2").startswith(f"{aside}If you are in this table, someone")
    assert alone.sentence("G3") == "That record shows ill: gas."
    others = vk.check({"cat": "d"}, starred(["*", "d", "d", "e"], ["flu", "gas", "gas", "flu"]))
    assert others.headline.text.startswith(aside)


def test_where_records_that_look_alike_are_suppressed_all_or_none_nothing_is_set_aside():
    told = {"parameters": {"levels": {"cat": 1}, "suppressed": 1}, "method": "generalize"}
    release = starred(["*", "d", "d", "e"], ["flu", "gas", "gas", "flu"], **told)
    report = vk.check({"cat": "d"}, release)
    assert report.headline.text.startswith("Someone who knows your values learns your ill")
    assert "aside" not in repr(report)


def test_two_suppressed_records_hide_her_and_nothing_more_can_be_told():
    data = people()
    frame = pd.concat([data.frame, pd.DataFrame({"Zip": ["94999"], "Ill": ["flu"]})])
    table = vk.mask.generalize(
        vk.Microdata(frame.astype(str), data.schema), levels=1, suppress=3, seed=4
    ).release
    report = check_generalized({"Zip": "94999"}, table)
    assert report.headline[:2] == (
        "cannot-tell",
        "Only suppressed records fit your values, and they would fit almost anyone's.",
    )


def test_a_table_generalized_to_the_top_suppresses_nobody():
    table = vk.mask.generalize(people(), levels=2, seed=4).release
    assert not find_hidden_rows(table).any()
    report = check_generalized({"Zip": "94999"}, table)
    assert report.facts["fits"] == 7
    assert report.sentence("G9") is None


def test_the_attributes_show_what_is_published_in_place_of_hers(crimes):
    lines = check_generalized(MARRIED, crimes).attributes
    assert lines.to_numpy().tolist() == [
        ["Marital Status", "Married", "Married", 3],
        ["DOB", "1985", "198*", 3],
        ["Zip", "36363", "36363", 3],
    ]


def test_the_values_table_counts_here_and_everywhere(crimes):
    lines = check_generalized(MARRIED, crimes).tables["values"]
    assert lines["value"].tolist() == ["Indecency", "Murder", "Piracy"]
    assert lines["records"].tolist() == [1, 1, 1]
    assert lines["of 100 everywhere"].tolist() == pytest.approx([100 / 11, 200 / 11, 100 / 11])


def test_missing_sensitive_values_are_noted_and_never_make_a_group_certain():
    frame = pd.DataFrame({"Zip": ["a", "a", "b"], "Ill": ["flu", None, "flu"]})
    report = check_generalized({"Zip": "a"}, release_of(frame, Ill="sensitive"))
    assert report.headline.state != "warning-you"
    assert report.notes == ("1 of the records that fit show no Ill.",)


@pytest.mark.parametrize("own", [None, "flu", "gas", "hay"])
def test_a_record_without_a_value_may_be_hers_so_no_value_is_learned_by_ruling_out(own):
    frame = pd.DataFrame({"num": ["0-6", "0-2", "0-2"], "ill": ["flu", "gas", None]})
    report = check_generalized({"num": 1, "ill": own}, release_of(frame, ill="sensitive"))
    assert not {"G6", "G7", "G8"} & set(keys(report))
    whole = release_of(frame.fillna("flu"), ill="sensitive")
    assert check_generalized({"num": 1}, whole).sentence("G6")


@pytest.mark.parametrize(
    ("k", "ell", "met"), [(4, 1, True), (5, None, False), (None, 2, False), (None, None, None)]
)
def test_her_requirements_are_held_against_what_fits(crimes, k, ell, met):
    assert check_generalized(SINGLE, crimes, k=k, ell=ell).met is met


def test_a_column_that_the_table_lacks_and_an_empty_record_are_refused(crimes):
    with pytest.raises(vk.RecordError, match="The record has 'Age', which the table lacks"):
        check_generalized({"Age": 3}, crimes)
    with pytest.raises(vk.RecordError, match="holds no quasi-identifier; give at least one of"):
        check_generalized({"Crime": "Theft"}, crimes)


FORBIDDEN = re.compile(
    r"\b(safe|anonymous|anonym\w*|equivalence|quasi|entropy|probabilit\w+)\b", re.IGNORECASE
)
ROWS = st.lists(
    st.tuples(st.sampled_from("ab*"), st.sampled_from("xy"), st.sampled_from(["p", "q", None])),
    min_size=1,
    max_size=9,
)


@given(ROWS, st.sampled_from("abc"), st.sampled_from(["x", None]), st.sampled_from(["p", None]))
def test_every_report_is_consistent_whatever_the_table(rows, first, second, own):
    frame = pd.DataFrame(rows, columns=["A", "B", "S"])
    if frame["S"].isna().all():
        frame.loc[0, "S"] = "p"
    table = release_of(frame, S="sensitive")
    report = check_generalized({"A": first, "B": second, "S": own}, table)
    # Suppressed records count only where no other fits.
    by_hand = [a in (first, "*") and second in (None, b) for a, b, _ in rows]
    hidden = find_hidden_rows(table)
    if not all(hidden[by_hand]):
        by_hand = [fits and not gone for fits, gone in zip(by_hand, hidden, strict=True)]
    assert report.facts["fits"] == sum(by_hand) == report.tables["groups"]["records"].sum()
    held = frame["S"][by_hand].dropna().value_counts().to_dict()
    values = report.tables["values"]
    assert dict(zip(values["value"], values["records"], strict=True)) == held
    assert not FORBIDDEN.search(repr(report) + " ".join(report.notes))
    assert (report.sentence("S7") is None) == (report.headline.state == "warning-you")
    certain = sum(by_hand) == 1 or (len(held) == 1 and sum(held.values()) == sum(by_hand))
    stands = first in frame["A"].to_numpy()
    assert (report.headline.state == "warning-you") >= (certain and stands)
    assert report.sentence("S12")


@given(ROWS, st.randoms(use_true_random=False))
def test_a_report_does_not_depend_on_the_order_of_the_rows(rows, random):
    if all(value is None for *_, value in rows):
        return
    shuffled = rows.copy()
    random.shuffle(shuffled)
    reports = [
        check_generalized(
            {"A": "a", "B": "x"},
            release_of(pd.DataFrame(part, columns=["A", "B", "S"]), S="sensitive"),
        )
        for part in (rows, shuffled)
    ]
    assert reports[0].to_json() == reports[1].to_json()


def test_a_person_of_every_class_finds_her_class_and_no_other():
    ages = [21, 24, 29, 33, 36, 38, 41, 44]
    data = vk.Microdata(pd.DataFrame({"Age": ages, "Weight": [60, 61, 80, 81, 62, 63, 82, 83]}))
    groups = vk.partition.mondrian(data, k=2)
    table, key = vk.mask.generalize(data, partition=groups, seed=3)
    for place in range(len(data)):
        fits = find_fits(data.record(place), table)
        assert key.rows[place] in fits.rows
        assert len(fits.rows) >= k_anonymity(table).per_record[key.rows[place]] >= 2


@pytest.mark.parametrize(
    ("frame", "schema", "covers"),
    [
        ({"q": ["476**"]}, vk.Column("q", kind="nominal"), True),
        ({"q": ["{a, b}"]}, vk.Column("q", kind="nominal"), True),
        ({"q": ["[20, 29]"]}, vk.Column("q", kind="nominal"), True),
        ({"q": ["a"]}, vk.Column("q", kind="nominal"), False),
        ({"q": [1.5]}, vk.Column("q"), False),
        ({"q": [pd.Interval(1, 2, closed="both")]}, vk.Column("q"), True),
        ({"q": ["*"]}, vk.Column("q", "quasi", "nominal", vk.Hierarchy.of({"*": ["a"]})), True),
        ({"q": ["a"]}, vk.Column("q", "quasi", "nominal", vk.Hierarchy.of({"*": ["a"]})), False),
    ],
)
def test_a_table_from_elsewhere_is_known_by_its_cells(frame, schema, covers):
    table = vk.TableRelease.of(pd.DataFrame(frame), vk.Schema((schema,)))
    assert table.generalized is covers


def ill(zips, values):
    frame = pd.DataFrame({"zip": list(zips), "illness": list(values)})
    schema = vk.Schema.guess(frame, illness="sensitive")
    return vk.TableRelease.of(frame, schema, promise="covers")


def test_a_tie_is_not_called_the_most_frequent():
    tied = check_generalized({"zip": "a"}, ill("aaaab", "xxyyz"))
    assert tied.sentence("G3").startswith("x is one of the 2 most frequent values of illness among")
    assert tied.figures[2].words == "of them show x, one of the 2 most frequent"
    alone = check_generalized({"zip": "a"}, ill("aaaab", "xxyzz"))
    assert alone.sentence("G3").startswith("The most frequent illness among them is x: whoever")
    assert alone.figures[2].words == "of them show x, the most frequent"


def test_a_share_that_is_written_alike_is_not_called_more_frequent():
    """Of 400 records 100 fit; x is 26 of them, and 102 of all: 25.5, written 26 of 100."""
    values = "x" * 26 + "y" * 74 + "x" * 76 + "y" * 224
    nearly = check_generalized({"zip": "a"}, ill("a" * 100 + "b" * 300, values))
    assert nearly.sentence("G4") is None
    more = check_generalized(
        {"zip": "a"}, ill("a" * 100 + "b" * 300, values[:99] + "x" + values[100:])
    )
    assert more.sentence("G4").endswith("27 of 100 records instead of 26 of 100.")
