"""Every claim of the survey [KS]_ about its tables, and what is wrong with some of them."""

import math
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

import verikit as vk
from verikit.intruder import (
    background_knowledge,
    complementary_release,
    homogeneity,
    similarity,
    skewness,
    temporal,
    unsorted_matching,
)
from verikit.models import (
    distinct_diversity,
    entropy_diversity,
    k_anonymity,
    recursive_diversity,
    t_closeness,
)
from verikit.papers import errata, facts

KNOWN = ["Marital Status", "DOB", "Zip"]
SINGLE = ("Single", "20**", "19552")


def microdata(frame, sensitive):
    return vk.Microdata(frame, vk.Schema.guess(frame, **{sensitive: "sensitive"}))


def by_status(verdict):
    """The value of each class by the marital status that names it."""
    frame = verdict.to_frame()
    return dict(zip(frame["Marital Status"], frame["value"], strict=True))


def fractions(values):
    return {name: Fraction(value).limit_denominator(100) for name, value in values.items()}


def crimes(**counts):
    """One class of people with these crimes."""
    held = [crime for crime, count in counts.items() for _ in range(count)]
    return microdata(pd.DataFrame({"Zip": ["36363"] * len(held), "Crime": held}), "Crime")


# -- Table 1 ------------------------------------------------------------------------------------


def test_sv_01_table_1_is_3_anonymous_in_the_classes_that_example_2_1_lists():
    """Definition 1."""
    verdict = k_anonymity(vk.published("ks_table1"), k=3)
    assert (verdict.value, verdict.met) == (3, True)
    assert k_anonymity(vk.published("ks_table1"), k=4).met is False
    ids = pd.Series(range(1, 11)).groupby(verdict.classes.labels).apply(set)
    assert {frozenset(members) for members in ids} == {
        frozenset({1, 3, 6, 9}),
        frozenset({2, 5, 8}),
        frozenset({4, 7, 10}),
    }


def test_table_1_is_as_diverse_and_as_close_as_counted_by_hand():
    release = vk.published("ks_table1")
    assert by_status(distinct_diversity(release)) == {"Married": 2, "Separated": 3, "Single": 2}
    entropy = by_status(entropy_diversity(release))
    assert entropy["Separated"] == pytest.approx(math.sqrt(8))
    assert entropy["Single"] == entropy["Married"] == pytest.approx(3 / 2 ** (2 / 3))
    assert fractions(by_status(t_closeness(release))) == {
        "Separated": Fraction(1, 2),
        "Single": Fraction(3, 5),
        "Married": Fraction(7, 10),
    }


@pytest.mark.parametrize("name", ["ks_table1", "ks_table4", "ks_table6"])
def test_sv_03_birth_is_recoded_otherwise_from_row_to_row(name):
    # Levels differ within one column, which no method that recodes whole columns can give.
    births = set(vk.published(name).frame["DOB"].astype(str))
    assert births == {"1991", "198*", "20**"}
    assert {birth.count("*") for birth in births} == {0, 1, 2}


def test_sv_04_and_05_names_leave_a_release_and_sensitive_columns_stay():
    table = vk.load("ks_table1")
    assert [column.name for column in table.schema if column.role == "identifier"] == ["ID", "Name"]
    assert vk.published("ks_table1").schema.names == (*KNOWN, "Crime")
    with pytest.raises(vk.SchemaError, match=r"must not hold identifiers, .* as 'ID', 'Name'"):
        vk.TableRelease(table.frame, table.schema)


# -- Table 2 and the lattice --------------------------------------------------------------------


def test_sv_08_four_rows_of_table_2_are_blacked_out_and_no_records():
    printed, readable = vk.load("ks_table2"), vk.load("ks_table2_unmasked")
    assert printed.frame["Race"].tolist().count("**") == 4
    assert readable.frame.to_numpy().tolist() == printed.frame.head(5).to_numpy().tolist()


def table_2_at(race, zip_code):
    return vk.mask.generalize(
        vk.load("ks_table2_unmasked"), levels={"Race": race, "Zip": zip_code}, seed=1
    ).release


def test_sv_08_at_k_2_table_2_needs_both_columns_one_level_up():
    safe = {
        (race, height): k_anonymity(table_2_at(race, height), k=2).met
        for race in (0, 1)
        for height in range(6)
    }
    assert [node for node, met in safe.items() if met] == [(1, height) for height in range(1, 6)]
    alone = {(0, 1): 1, (1, 0): 1, (0, 3): 1, (0, 0): 5}
    for (race, height), count in alone.items():
        per_record = k_anonymity(table_2_at(race, height)).per_record
        assert (per_record < 2).sum() == count


def test_sv_09_the_node_said_to_be_safe_still_isolates_the_black_person():
    release = table_2_at(0, 3)
    verdict = k_anonymity(release, k=2)
    assert verdict.met is False
    assert verdict.why == "The smallest of 3 classes holds 1 record: Race Black, Zip 94***."


def test_sv_10_the_lattice_to_search_grows_exponentially_with_the_columns():
    sizes = []
    for columns in (1, 2, 3):
        frame = pd.DataFrame({f"Q{i}": ["94122", "94123"] for i in range(columns)})
        tree = vk.Hierarchy.prefixes(["94122", "94123"])
        schema = vk.Schema(tuple(vk.Column(n, "quasi", "nominal", tree) for n in frame))
        found = vk.lattice.classify(vk.Microdata(frame, schema), k=1)
        sizes.append(len(found.lattice))
    assert sizes == [6, 36, 216]


def test_sv_11_the_suppression_set_beforehand_is_the_most_that_is_allowed():
    data = vk.load("ks_table2_unmasked")
    for share, suppressed, heights in ((0, 0, 2), (0.2, 1, 1), (1, 5, 0)):
        search = vk.lattice.samarati(data, k=2, suppression=share)
        assert len(search.suppressed) == suppressed
        assert sum(search.levels.values()) == heights


def test_sv_12_and_13_datafly_stops_by_records_and_may_suppress_two_more():
    data = vk.load("ks_table2_unmasked")
    assert vk.lattice.datafly(data, k=2).levels == {"Race": 1, "Zip": 0}
    assert len(vk.lattice.datafly(data, k=2).suppressed) == 3
    assert len(vk.lattice.datafly(data, k=2, complementary=False).suppressed) == 1


def test_sv_15_whatever_is_anonymous_stays_so_in_fewer_columns_and_on_higher_levels():
    data = vk.load("ks_table2_unmasked")
    safe = set(vk.lattice.incognito(data, k=2).safe)
    assert safe == {(1, height) for height in range(1, 6)}
    for race, height in safe:
        for name in ("Race", "Zip"):
            frame = table_2_at(race, height).frame[[name]].astype(str)
            assert k_anonymity(vk.Microdata(frame), k=2).met
        assert all((up, height) in safe for up in range(race, 2))
        assert all((race, up) in safe for up in range(height, 6))


def test_sv_14_and_16_searches_agree_on_what_the_paper_leaves_open():
    data = vk.load("ks_table2_unmasked")
    optimum = vk.lattice.k_optimize(data, k=2)
    assert len(optimum.suppressed) in {0, 1}
    groups = vk.partition.mondrian(data, k=2, relaxed=True, seed=1)
    assert groups.sizes.tolist() in ([2, 3], [3, 2])


# -- Table 3 ------------------------------------------------------------------------------------


def test_sv_17_crime_is_sensitive_in_table_3_as_everywhere():
    for schema in (vk.load("ks_table3").schema, vk.published("ks_table3_generalized").schema):
        assert [column.name for column in schema.quasi] == ["Race"]
        assert [column.name for column in schema.sensitive] == ["Crime"]


def test_table_3_gives_every_row_away_by_its_position():
    """Section 3.1."""
    original, release = vk.load("ks_table3"), vk.published("ks_table3_generalized")
    found = unsorted_matching(original, release)
    assert found.people == found.total == 4
    assert found.frame["confidence"].tolist() == [1] * 4
    assert found.frame["value"].tolist() == [
        "Crime Murder", "Crime Theft", "Crime Traffic", "Crime Assault",
    ]  # fmt: skip


def test_table_3_with_no_row_at_its_place_gives_nobody_away():
    original, release = vk.load("ks_table3"), vk.published("ks_table3_generalized")
    moved = vk.TableRelease.of(release.frame.iloc[[1, 0, 3, 2]], release.schema)
    assert unsorted_matching(original, moved).people == 0


# -- Table 4 ------------------------------------------------------------------------------------


def test_sv_18_table_4_has_four_single_persons_and_stays_3_anonymous():
    verdict = k_anonymity(vk.published("ks_table4"), k=3)
    assert by_status(verdict) == {"Separated": 4, "Married": 3, "Single": 4}
    assert verdict.met


def test_sv_19_all_single_persons_were_caught_for_theft():
    found = homogeneity(vk.published("ks_table4"))
    line = found.frame.iloc[0]
    assert len(found.frame) == 1
    assert (*line[KNOWN], line["value"], line["records"], line["confidence"]) == (
        *SINGLE, "Theft", 4, 1,
    )  # fmt: skip
    assert line["before"] == 5 / 11
    verdict = distinct_diversity(vk.published("ks_table4"), ell=2)
    assert by_status(verdict) == {"Separated": 4, "Married": 3, "Single": 1}
    assert verdict.met is False


def test_sv_20_indecency_occurs_once_and_leads_to_zip_code_36363():
    release = vk.published("ks_table4")
    found = background_knowledge(release, value="Indecency").frame
    assert found[[*KNOWN, "records", "confidence"]].to_numpy().tolist() == [
        ["Married", "198*", "36363", 3, 1.0]
    ]
    assert (release.frame["Crime"] == "Indecency").sum() == 1


def test_sv_20_it_takes_the_knowledge_that_no_other_colleague_lives_there():
    release = vk.published("ks_table4")
    jack, jill, jim = ("Jack", "36363"), ("Jill", "19552"), ("Jim", "36363")
    alone = pd.DataFrame([jack, jill], columns=["Name", "Zip"])
    found = background_knowledge(release, alone, value="Indecency")
    assert found.frame[["Name", "confidence"]].to_numpy().tolist() == [["Jack", 1.0]]
    both = pd.DataFrame([jack, jill, jim], columns=["Name", "Zip"])
    found = background_knowledge(release, both, value="Indecency")
    assert found.frame["confidence"].tolist() == [0.5, 0.5]


def test_tables_4_and_6_are_as_far_from_the_whole_as_counted_by_hand():
    assert fractions(by_status(t_closeness(vk.published("ks_table4")))) == {
        "Separated": Fraction(17, 44),
        "Married": Fraction(7, 11),
        "Single": Fraction(6, 11),
    }
    assert fractions(by_status(t_closeness(vk.published("ks_table6")))) == {
        "Separated": Fraction(6, 11),
        "Married": Fraction(7, 11),
        "Single": Fraction(7, 11),
    }


# -- Section 4: diversity -----------------------------------------------------------------------


def test_sv_21_eight_thefts_of_ten_are_80_percent_and_not_70():
    table = crimes(Murder=1, Piracy=1, Theft=8)
    found = homogeneity(table, least=0.7)
    assert found.frame[["value", "confidence"]].to_numpy().tolist() == [["Theft", 0.8]]
    assert homogeneity(table, least=0.8).people == 10
    assert homogeneity(table, least=0.81).people == 0


def test_sv_22_that_class_is_3_diverse_by_counting_and_not_2_diverse_by_entropy():
    table = crimes(Murder=1, Piracy=1, Theft=8)
    assert distinct_diversity(table, ell=3).met is True
    spread = entropy_diversity(table, ell=2)
    assert spread.value == pytest.approx(1.8946, abs=5e-5)
    assert spread.met is False
    assert recursive_diversity(table, ell=2, c=4).met is False
    assert recursive_diversity(table, ell=2, c=4.01).met is True


def test_sv_23_the_logarithm_of_the_entropy_belongs_to_the_share_it_multiplies():
    """Formula (2)."""
    shares = [8 / 10, 1 / 10, 1 / 10]
    right = -sum(p * math.log(p) for p in shares)
    slipped = [-sum(p * math.log(q) for p in shares) for q in shares]
    value = entropy_diversity(crimes(Murder=1, Piracy=1, Theft=8)).value
    assert value == pytest.approx(math.exp(right))
    assert all(value != pytest.approx(math.exp(other)) for other in slipped)


def test_sv_24_recursive_diversity_needs_both_parameters_and_fails_below_ell_values():
    table = crimes(Theft=3, Murder=1)
    with pytest.raises(TypeError, match="ell"):
        recursive_diversity(table, c=4)
    assert recursive_diversity(table, ell=2, c=4).met is True
    assert recursive_diversity(table, ell=3, c=1000).met is False


def test_sv_25_each_kind_of_diversity_goes_by_its_own_name():
    table = crimes(Theft=3, Murder=1)
    models = {f(table).model for f in (distinct_diversity, entropy_diversity)}
    assert models == {"distinct diversity", "entropy diversity"}
    assert distinct_diversity(table, ell=2).met is not entropy_diversity(table, ell=2).met


# -- Table 5 ------------------------------------------------------------------------------------


def test_sv_26_the_two_tables_of_table_5_do_not_fit_together():
    quasi, sensitive = vk.load("ks_table5_qit").frame, vk.load("ks_table5_st").frame
    assert Counter(quasi["Group-Id"]) == {"1": 5, "2": 4}
    assert sensitive.groupby("Group-Id", observed=True)["Count"].sum().to_dict() == {"1": 4, "2": 3}
    with pytest.raises(vk.SchemaError, match="Group '1' has 5 records in the quasi table and 4 in"):
        vk.SplitRelease.of(quasi, sensitive, group="Group-Id", count="Count")


def test_sv_26_with_one_more_crime_a_group_the_tables_fit_and_can_be_measured():
    quasi, sensitive = vk.load("ks_table5_qit").frame, vk.load("ks_table5_st").frame
    completed = sensitive.assign(Count=sensitive["Count"] + [1, 0, 0, 1, 0, 0])
    release = vk.SplitRelease.of(quasi, completed, group="Group-Id", count="Count")
    assert k_anonymity(release).per_class.tolist() == [5, 4]
    assert distinct_diversity(release).per_class.tolist() == [3, 3]
    assert recursive_diversity(release, ell=2).per_class.tolist() == [2 / 3, 1]


def test_sv_27_zip_code_789526_is_in_group_1_with_three_crimes():
    quasi, sensitive = vk.load("ks_table5_qit").frame, vk.load("ks_table5_st").frame
    group = quasi.loc[quasi["Zip"] == "789526", "Group-Id"].tolist()
    assert group == ["1"]
    held = sensitive[sensitive["Group-Id"] == "1"]
    assert dict(zip(held["Crime"], held["Count"], strict=True)) == {
        "Murder": 1, "Theft": 2, "Traffic": 1,
    }  # fmt: skip
    assert quasi.loc[quasi["Zip"] == "789582", "Group-Id"].tolist() == ["2", "2"]


def test_sv_35_the_sensitive_table_has_one_name():
    assert {name for name in vk.datasets.available() if name.startswith("ks_table5")} == {
        "ks_table5_qit",
        "ks_table5_st",
    }


# -- Section 5: what diversity does not prevent -------------------------------------------------


def ninety_and_ten(classes):
    """Ninety positive and ten negative people, the negative ones dealt to the first classes."""
    labels = [place % classes for place in range(100)]
    tests = ["negative" if place < 10 else "positive" for place in range(100)]
    return microdata(pd.DataFrame({"Zip": labels, "Test": tests}).astype(str), "Test")


def test_sv_28_of_ninety_and_ten_at_most_ten_classes_can_be_2_diverse():
    assert distinct_diversity(ninety_and_ten(10), ell=2).met is True
    for classes in (11, 20, 50):
        verdict = distinct_diversity(ninety_and_ten(classes), ell=2)
        assert verdict.met is False
        assert verdict.met_per_class.sum() == 10


def test_sv_29_a_class_of_49_in_50_makes_positive_98_percent_likely():
    tests = ["positive"] * 49 + ["negative"] * 50 + ["positive"]
    table = microdata(pd.DataFrame({"Zip": ["a"] * 50 + ["b"] * 50, "Test": tests}), "Test")
    assert distinct_diversity(table, ell=2).met is True
    found = skewness(table, values=["positive"]).frame
    assert found[["Zip", "value", "confidence", "before"]].to_numpy().tolist() == [
        ["a", "positive", 0.98, 0.5]
    ]
    assert t_closeness(table).per_class.tolist() == [12 / 25, 12 / 25]
    # Both classes shift; which shift harms, the attacker's choice of values tells.
    both = skewness(table).frame
    assert both["value"].tolist() == ["positive", "negative"]


def test_sv_30_table_6_is_not_only_2_diverse_but_3_diverse():
    release = vk.published("ks_table6")
    assert by_status(distinct_diversity(release)) == {"Separated": 4, "Married": 3, "Single": 3}
    assert distinct_diversity(release, ell=3).met is True
    entropy = by_status(entropy_diversity(release))
    assert (entropy["Separated"], entropy["Married"]) == (4, 3)
    assert entropy["Single"] == pytest.approx(math.sqrt(8))


def test_sv_31_all_diseases_of_the_single_persons_are_neurological():
    found = similarity(vk.published("ks_table6"))
    line = found.frame.iloc[0]
    assert len(found.frame) == 1
    assert (*line[KNOWN], line["value"], line["confidence"]) == (*SINGLE, "neurological", 1)
    assert line["before"] == 5 / 11
    assert homogeneity(vk.published("ks_table6")).people == 0
    assert "Fatty Lever" in vk.load("ks_table6").frame["Disease"].tolist()


# -- Section 6 and the attacks without a table --------------------------------------------------


def test_sv_33_the_distance_depends_on_the_ground_distance_that_the_survey_leaves_open():
    """Definition 3."""
    release = vk.published("ks_table6")
    equal = by_status(t_closeness(release))
    tree = by_status(t_closeness(release, ground="hierarchical"))
    # Single: 7/11 are too much among values, and 6/11 among kinds; the mean of both levels.
    assert fractions(tree)["Single"] == Fraction(1, 2) * (Fraction(7, 11) + Fraction(6, 11))
    assert all(tree[status] <= equal[status] for status in equal)


def test_sv_34_the_complementary_and_the_temporal_attack_work_on_releases_of_our_own():
    crime = ["Murder", "Theft", "Traffic", "Assault"]
    one = pd.DataFrame({"Race": ["White", "White", "Black", "Black"], "Crime": crime})
    two = pd.DataFrame({"Zip": ["94122", "94123", "94122", "94123"], "Crime": crime})
    releases = [vk.TableRelease.of(t, vk.Schema.guess(t, Crime="sensitive")) for t in (one, two)]
    assert [k_anonymity(release).value for release in releases] == [2, 2]
    joined = complementary_release(*releases)
    assert joined.frame["records"].tolist() == [1] * 4
    assert joined.frame["confidence"].tolist() == [1] * 4

    table4 = vk.published("ks_table4")
    later = pd.concat([table4.frame, table4.frame.tail(1).assign(Crime="Piracy")])
    newcomer = temporal(table4, vk.TableRelease.of(later, table4.schema))
    assert newcomer.frame[["change", "records", "value", "confidence"]].to_numpy().tolist() == [
        ["came", 1, "Piracy", 1.0]
    ]


def test_every_fact_that_can_be_checked_has_its_test_here():
    here = set(re.findall(r"test_(?:sv_(\d\d))(?:_and_(\d\d))?", Path(__file__).read_text("utf-8")))
    tested = {f"SV-{number}" for pair in here for number in pair if number}
    due = {told.id for told in facts("KS") if told.verdict in ("reproduced", "erratum")}
    assert due <= tested
    assert {told.id for told in errata("KS")} <= tested
