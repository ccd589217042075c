"""Homogeneity, skewness, similarity, background knowledge: who falls, and how surely."""

from collections import Counter

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.intruder import (
    Disclosure,
    background_knowledge,
    homogeneity,
    similarity,
    skewness,
)

ATTACKS = [
    homogeneity,
    skewness,
    lambda table, people=None: similarity(table, people, kinds=KINDS),
    lambda table, people=None: background_knowledge(table, people, ruled_out=["u"]),
    lambda table, people=None: background_knowledge(table, people, value="u"),
]
KINDS = {"u": "vowel", "v": "other", "w": "other"}
ROWS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("uvw")), min_size=1, max_size=20
).map(lambda rows: [("a", "u"), *rows])


def table(rows):
    frame = pd.DataFrame(rows, columns=["q", "s"])
    return vk.Microdata(frame, vk.Schema.guess(frame, s="sensitive"))


def lines(found, *columns):
    return sorted(found.frame[list(columns)].itertuples(index=False, name=None))


def counts_of(rows):
    return {q: Counter(s for r, s in rows if r == q) for q in sorted({q for q, _ in rows})}


@given(ROWS, st.sampled_from([0.4, 0.5, 2 / 3, 1]))
def test_homogeneity_finds_the_classes_whose_most_frequent_value_is_frequent_enough(rows, least):
    overall = Counter(s for _, s in rows)
    expected = []
    for q, counts in counts_of(rows).items():
        count, value = max((n, -ord(v)) for v, n in counts.items())
        total = sum(counts.values())
        if count / total >= least:
            name = chr(-value)
            expected.append((q, total, name, count / total, overall[name] / len(rows)))
    found = homogeneity(table(rows), least=least)
    assert lines(found, "q", "records", "value", "confidence", "before") == expected
    assert found.people == sum(line[1] for line in expected)
    assert found.total == len(rows)


@given(ROWS)
def test_skewness_finds_the_value_that_gained_most_wherever_one_gained(rows):
    overall = Counter(s for _, s in rows)
    found = {line[0]: line[1:] for line in lines(skewness(table(rows)), "q", "value", "confidence")}
    for q, counts in counts_of(rows).items():
        total = sum(counts.values())
        gains = {v: n / total - overall[v] / len(rows) for v, n in counts.items()}
        if max(gains.values()) <= 1e-12:
            assert q not in found
        else:
            value, confidence = found[q]
            assert gains[value] == pytest.approx(max(gains.values()))
            assert confidence == pytest.approx(counts[value] / total)


@given(ROWS)
def test_similarity_finds_the_classes_of_one_kind_with_more_than_one_value(rows):
    expected = [
        (q, "other", 1.0) for q, counts in counts_of(rows).items() if set(counts) == {"v", "w"}
    ]
    found = similarity(table(rows), kinds=KINDS)
    assert lines(found, "q", "value", "confidence") == expected


@given(ROWS)
def test_ruling_a_value_out_leaves_the_others_in_proportion(rows):
    found = background_knowledge(table(rows), ruled_out=["u"])
    seen = {
        line[0]: line[1:] for line in lines(found, "q", "value", "confidence", "before", "left")
    }
    for q, counts in counts_of(rows).items():
        left = {v: n for v, n in counts.items() if v != "u"}
        if not left:
            assert q not in seen
            continue
        value, confidence, before, told = seen[q]
        ranked = sorted(left.items(), key=lambda pair: (-pair[1], pair[0]))
        assert told == ", ".join(f"{n} {v}" for v, n in ranked)
        assert left[value] == max(left.values())
        assert confidence == pytest.approx(left[value] / sum(left.values()))
        assert before == pytest.approx(left[value] / sum(counts.values()))


@given(ROWS)
def test_the_owner_of_a_value_is_in_a_class_in_proportion_to_its_count_there(rows):
    owners = {q: counts["u"] for q, counts in counts_of(rows).items() if counts["u"]}
    found = background_knowledge(table(rows), value="u")
    assert dict(lines(found, "q", "confidence")) == pytest.approx(
        {q: n / sum(owners.values()) for q, n in owners.items()}
    )
    assert found.frame["confidence"].sum() == pytest.approx(1)


@given(ROWS, st.randoms(use_true_random=False))
def test_no_attack_depends_on_the_order_of_the_rows(rows, random):
    shuffled = rows.copy()
    random.shuffle(shuffled)
    for attack in ATTACKS:
        one, two = attack(table(rows)), attack(table(shuffled))
        pd.testing.assert_frame_equal(one.frame, two.frame)
        assert one.sentence == two.sentence


@given(ROWS, st.sampled_from("abcd"))
def test_a_target_is_attacked_through_the_records_she_fits(rows, who):
    fitting = [row for row in rows if row[0] == who]
    for attack in ATTACKS:
        if attack is ATTACKS[-1] and fitting and (who, "u") not in rows:
            with pytest.raises(vk.RecordError, match="value was given as 'u', which exactly one"):
                attack(table(rows), {"q": who})
            continue
        found = attack(table(rows), {"q": who})
        assert found.total == 1
        if not fitting:
            assert found.sentence == "none of the people known fits any published record."
            assert len(found.frame) == 0
            continue
        if attack in ATTACKS[:3]:
            whole = lines(attack(table(rows)), "q", "records", "value", "confidence", "before")
            alone = lines(found, "q", "records", "value", "confidence", "before")
            assert alone == [line for line in whole if line[0] == who]


def test_a_target_known_in_part_may_fit_several_classes_at_once():
    release = vk.published("ks_table4")
    found = homogeneity(release, {"DOB": "1985"})
    assert found.people == 0
    both = homogeneity(release, pd.DataFrame({"Zip": ["19552", "36363"]}), least=0.3)
    assert both.frame[["Zip", "records", "value", "confidence"]].to_numpy().tolist() == [
        ["19552", 4, "Theft", 1.0],
        ["36363", 3, "Indecency", 1 / 3],
    ]
    assert (both.people, both.total) == (2, 2)
    assert "for 2 of 2 people known" in both.sentence


def test_the_surest_finding_comes_first():
    found = homogeneity(table([("a", "u"), ("a", "v"), ("b", "v"), ("b", "v")]), least=0.5)
    assert found.frame["q"].tolist() == ["b", "a"]


def test_a_gain_is_asked_for_in_parts_of_one():
    rows = [("a", "u")] * 3 + [("a", "v")] + [("b", "v")] * 3 + [("b", "u")]
    assert skewness(table(rows), gain=0.24).people == 8
    assert skewness(table(rows), gain=0.25).people == 0
    with pytest.raises(vk.RecordError, match="gain was given as 25; expected a share from 0 to 1"):
        skewness(table(rows), gain=25)


def test_only_harmful_values_count_as_gained():
    rows = [("a", "u")] * 3 + [("a", "v")] + [("b", "v")] * 3 + [("b", "u")]
    found = skewness(table(rows), values=["u"])
    assert lines(found, "q", "value") == [("a", "u")]
    with pytest.raises(vk.RecordError, match="values names 'z', which column 's' does not hold"):
        skewness(table(rows), values=["z"])
    with pytest.raises(vk.RecordError, match="values was given as 'u'; expected a list"):
        skewness(table(rows), values="u")


def test_kinds_come_from_the_hierarchy_or_are_given_for_every_value():
    found = similarity(vk.published("ks_table6"))
    assert found.frame["value"].tolist() == ["neurological"]
    with pytest.raises(vk.SchemaError, match="Column 's' has no hierarchy that tells which values"):
        similarity(table([("a", "u")]))
    with pytest.raises(vk.SchemaError, match="'w' in column 's' is of no kind; give every value"):
        similarity(table([("a", "u"), ("a", "w")]), kinds={"u": "vowel"})


def test_numbers_are_alike_by_the_ranges_given_for_them():
    frame = pd.DataFrame({"q": list("aabb"), "pay": [3000, 4000, 3000, 9000]})
    paid = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    found = similarity(paid, kinds={3000: "low", 4000: "low", 9000: "high"})
    assert lines(found, "q", "value", "before") == [("a", "low", 0.75)]


def test_a_class_is_alike_to_the_degree_that_is_asked_for():
    rows = [("a", "v"), ("a", "w"), ("a", "w"), ("a", "u")]
    assert similarity(table(rows), kinds=KINDS).people == 0
    found = similarity(table(rows), kinds=KINDS, least=0.75)
    assert lines(found, "value", "confidence") == [("other", 0.75)]


def test_a_missing_sensitive_value_is_nothing_learned_but_counts_against_certainty():
    hidden = table([("a", None), ("a", None), ("b", "u"), ("b", None), ("c", "v")])
    assert lines(homogeneity(hidden), "q", "value") == [("c", "v")]
    assert lines(homogeneity(hidden, least=0.5), "q", "value") == [("b", "u"), ("c", "v")]


def test_the_one_with_a_value_is_found_by_odds():
    rows = [("a", "u"), ("a", "v"), ("b", "u"), ("b", "v"), ("b", "w"), ("b", "w")]
    people = pd.DataFrame({"name": ["Ann", "Bob"], "q": ["a", "b"]})
    found = background_knowledge(table(rows), people, value="u")
    # Chances 1/2 and 1/4; only Ann: 1/2 * 3/4, only Bob: 1/2 * 1/4.
    assert lines(found, "name", "confidence", "before") == [("Ann", 0.75, 0.5), ("Bob", 0.25, 0.5)]


def test_whoever_has_a_value_for_certain_is_the_only_one():
    rows = [("a", "u"), ("b", "u"), ("b", "v")]
    people = pd.DataFrame({"name": ["Ann", "Bob"], "q": ["a", "b"]})
    found = background_knowledge(table(rows), people, value="u")
    assert lines(found, "name", "confidence") == [("Ann", 1.0)]
    assert "1 of 2 people known can be the one" in found.sentence


def test_background_knowledge_is_one_piece_at_a_time():
    rows = table([("a", "u")])
    for given_ in ({}, {"value": "u", "ruled_out": ["u"]}):
        with pytest.raises(vk.RecordError, match="Give one piece of background knowledge"):
            background_knowledge(rows, **given_)
    with pytest.raises(vk.RecordError, match="value names 'z', which column 's' does not hold"):
        background_knowledge(rows, value="z")


@pytest.mark.parametrize("given_", ["u", 5, True, float("nan")])
def test_values_that_are_ruled_out_are_a_list(given_):
    with pytest.raises(
        vk.RecordError, match=r"ruled_out was given as .*; expected a list of values"
    ):
        background_knowledge(table([("a", "u")]), ruled_out=given_)


def test_a_release_in_two_tables_is_attacked_by_its_groups():
    quasi = pd.DataFrame({"Age": [20, 30, 40], "g": [1, 1, 2]})
    sensitive = pd.DataFrame({"g": [1, 1, 2], "Ill": ["flu", "flu", "ulcer"]})
    release = vk.SplitRelease.of(quasi, sensitive, group="g")
    assert lines(homogeneity(release), "g", "records", "value") == [(1, 2, "flu"), (2, 1, "ulcer")]


def test_a_disclosure_shows_itself_and_hands_out_copies():
    found = homogeneity(table([("<i>", "u")]))
    assert isinstance(found, Disclosure)
    said = "s is given away with certainty for 1 of 1 records, first u for q <i>."
    assert repr(found) == f"homogeneity: {said}"
    assert "<i>" not in found._repr_html_()
    copy = found.to_frame()
    copy["value"] = "changed"
    assert found.frame["value"].tolist() == ["u"]
