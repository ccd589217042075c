"""Dates are said as dates by models and attacks, and are read as such."""

import datetime as dt

import pandas as pd
import pytest

import verikit as vk
from verikit.errors import RecordError, SchemaError

DAYS = pd.to_datetime(["2000-01-01", "2000-01-01", "2000-01-02", "2000-01-03"])
FRAME = pd.DataFrame({"born": DAYS, "seen": DAYS[[0, 1, 3, 3]]})
DATA = vk.Microdata(FRAME, vk.Schema.guess(FRAME, seen="sensitive"))
PEOPLE = pd.DataFrame({"born": ["2000-01-02", "2000-01-03"]})
MODELS = (
    "k_anonymity", "distinct_diversity", "entropy_diversity", "frequency_diversity",
    "recursive_diversity", "t_closeness", "ke_anonymity",
)  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_a_model_names_its_worst_class_by_its_dates(name):
    asked = {"c": 3, "ell": 2} if name == "recursive_diversity" else {}
    said = repr(getattr(vk.models, name)(DATA, **asked))
    assert "born 2000-01-0" in said
    assert name == "k_anonymity" or "2000-01-0" in said.partition("born 2000-01-0")[2]
    assert "109" not in said


@pytest.mark.parametrize("people", [None, PEOPLE], ids=["classes", "people"])
def test_an_attack_says_dates_as_dates(people):
    intruder = vk.intruder
    found = [
        intruder.homogeneity(DATA, people),
        intruder.skewness(DATA, people),
        intruder.proximity(DATA, people, near=1),
        intruder.background_knowledge(DATA, people, ruled_out=["2000-01-01"]),
    ]
    for one in found:
        assert "2000-01-0" in one.sentence
        assert "109" not in one.sentence
        assert one.frame["value"].str.startswith("2000-01-0").all()


@pytest.mark.parametrize("value", ["2000-01-03", dt.date(2000, 1, 3), 10959])
def test_a_date_that_is_known_is_read_as_one(value):
    people = pd.DataFrame({"born": ["2000-01-01", "2000-01-03"]})
    found = vk.intruder.background_knowledge(DATA, people, value=value)
    assert "with seen 2000-01-03" in found.sentence
    assert found.frame["confidence"].tolist() == [1]
    left = vk.intruder.background_knowledge(DATA, ruled_out=[value])
    assert left.frame["value"].unique().tolist() == ["2000-01-01"]


def test_a_refusal_names_dates_as_dates():
    with pytest.raises(RecordError, match=r"does not hold; it has '2000-01-0\d', '2000"):
        vk.intruder.background_knowledge(DATA, value="2000-01-02")
    with pytest.raises(SchemaError, match="'2000-01-03' in column 'seen' is of no kind"):
        vk.intruder.similarity(DATA, kinds={"2000-01-01": "early"})


def test_kinds_of_dates_are_given_by_dates():
    frame = pd.DataFrame({"zip": ["a", "a", "b", "b"], "seen": DAYS})
    data = vk.Microdata(frame, vk.Schema.guess(frame, seen="sensitive"))
    kinds = {"2000-01-01": "first", "2000-01-02": "later", "2000-01-03": "later"}
    found = vk.intruder.similarity(data, kinds=kinds)
    assert found.frame["value"].tolist() == ["later"]
    assert "first later for zip b" in found.sentence


def test_a_target_that_leaves_only_the_root_names_it_by_its_dates():
    days = DATA.frame["seen"].unique().tolist()
    levels = vk.targets.balanced(days).levels
    tree = vk.Hierarchy(levels, dict.fromkeys(sorted(days), 1000) | {days[0]: 1001})
    with pytest.warns(UserWarning, match=r"are the root '\[2000-01-01, 2000-01-03\]'"):
        vk.mask.disguise(DATA, hierarchy=tree, seed=1)
