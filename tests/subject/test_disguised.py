"""The check of a record against a release that shows a target: what anybody can infer of her."""

import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.errors import RecordError, SchemaError
from verikit.models import personal_respect, target_privacy
from verikit.subject import check_disguised

DATASETS = Path(os.environ.get("VERIKIT_DATASETS", "nowhere"))
TARGET = vk.targets.balanced([30, 40, 50, 60])
NODES = [None, "30", "40", "50", "60", "[30, 40]", "[50, 60]", "[30, 60]"]


def people(towns, pays, wishes=None):
    frame = pd.DataFrame({"town": list(towns), "pay": pays})
    columns = [vk.Column("town", kind="nominal"), vk.Column("pay", "sensitive")]
    if wishes is not None:
        frame["wish"] = wishes
        columns.append(vk.Column("wish", "other", "nominal"))
    return vk.Microdata(frame, vk.Schema(tuple(columns)))


def disguised(data, **asked):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return vk.mask.disguise(data, **{"hierarchy": TARGET, "seed": 7, **asked}).release


def chances(report, column="of 100 for you"):
    frame = report.tables["distribution"]
    return dict(zip(frame["value"], frame[column], strict=True))


@pytest.fixture(scope="module")
def release():
    return disguised(people("ppqqqq", [30, 30, 40, 40, 50, 60]))


def test_what_can_be_inferred_is_the_target_of_the_paper_and_nothing_of_her(release):
    report = check_disguised({"town": "p", "pay": 30}, release)
    assert report.headline.state == "no-warning"
    assert chances(report) == dict.fromkeys(["30", "40", "50", "60"], 25)
    assert report.sentence("D2") == (
        "Anybody who reads the published values as the target says infers the target of your pay, "
        "as he could without looking you up. Who reckons with the method, which makes as few "
        "values coarse as it can, may infer more."
    )
    assert report.sentence("D4") == (
        "Published there are 6 values: 4 single ones, 0 groups of values, and 2 that could be any "
        "value at all."
    )
    assert report.sentence("D5") == (
        "Your own pay, 30, would be guessed in 25 of 100 cases if within a group each value is "
        "equally likely for everyone and read as the target says; from the target alone, in 25 of "
        "100 cases."
    )
    assert [f.value for f in report.figures] == ["6 people", "25 of 100", "0 of 100"]
    assert report.facts["away_from_target"] == 0


def test_the_distribution_is_that_of_the_definition_for_each_person():
    data = people("ppppqqqqqq", [30, 40, 50, 60, 30, 30, 50, 50, 60, 60])
    found = disguised(data, groups="quasi")
    seen = target_privacy(found).shown
    by_group = dict(zip(found.quasi["town"].astype(str), found.quasi["Group-ID"], strict=True))
    for town in "pq":
        expected = {v: 100 * float(p) for v, p in seen[str(by_group[town])].items()}
        assert chances(check_disguised({"town": town}, found)) == pytest.approx(expected)


@given(
    st.lists(
        st.tuples(st.sampled_from("pq"), st.sampled_from([30, 40, 50, 60])), min_size=1, max_size=9
    ),
    st.sampled_from(NODES),
    st.sampled_from([None, "quasi"]),
    st.integers(0, 8),
)
def test_every_share_is_a_share_and_the_node_is_judged_as_the_model_judges_it(
    drawn, node, groups, place
):
    towns, pays = zip(*drawn, strict=True)
    place %= len(towns)
    wishes = ["[30, 60]"] * len(towns)
    own = str(pays[place])
    wishes[place] = node if node and pays[place] in _values(node) else own
    data = people(towns, pays, wishes)
    found = disguised(data.only("town", "pay"), groups=groups)
    hers = {"town": towns[place], "pay": pays[place]}
    report = check_disguised(hers, found, node=wishes[place])
    verdict = personal_respect(found, data, requirement="wish")
    assert report.met is bool(verdict.per_record[place])
    assert sum(chances(report).values()) == pytest.approx(100)
    assert report.tables["distribution"].iloc[:, 1:].sum().tolist() == pytest.approx([100, 100])
    assert report.tables["groups"]["of 100 cases yours"].sum() == pytest.approx(100)
    assert report.sentence("D5") is not None
    assert report.facts["away_from_target"] == 0, "every group of a disguised release shows it"


def _values(node):
    return [int(leaf) for leaf in TARGET.leaves(node)]


@given(
    st.lists(st.sampled_from([30, 40, 50, 60]), min_size=1, max_size=6),
    st.lists(st.integers(0, 2), min_size=6, max_size=6),
    st.sampled_from(["one group", "quasi", "top down"]),
)
def test_who_named_what_may_be_known_finds_it_respected(pays, heights, search):
    wishes = [TARGET.level(str(pay), height) for pay, height in zip(pays, heights, strict=False)]
    data = people("ppqqrr"[: len(pays)], pays, wishes)
    found = vk.mask.personalize(
        data, hierarchy=TARGET, requirement="wish", search=search, seed=1
    ).release
    verdict = personal_respect(found, data, requirement="wish")
    for place, (pay, wish) in enumerate(zip(pays, wishes, strict=True)):
        record = {"town": "ppqqrr"[place], "pay": pay}
        report = check_disguised(record, found, node=wish)
        assert report.met is bool(verdict.per_record[place])
        assert "Name the one of your pay" in check_disguised(record, found).notes[0]


def test_a_target_of_each_group_is_read_for_that_group():
    other = vk.Hierarchy(TARGET.levels, {"30": 3, "40": 1, "50": 3, "60": 1})
    data = people("ppppqqqqqqqq", [30, 40, 50, 60, 30, 30, 30, 40, 50, 50, 50, 60])
    groups = vk.Partition.of([0] * 4 + [1] * 8)
    found = disguised(data, hierarchy=[TARGET, other], groups=groups)
    for town, target in (("p", [25, 25, 25, 25]), ("q", [37.5, 12.5, 37.5, 12.5])):
        report = check_disguised({"town": town}, found)
        assert report.tables["distribution"]["of 100 for you"].tolist() == pytest.approx(target)
        assert report.facts["away_from_target"] == 0
    both = vk.check({"town": "q"}, vk.open_release(_saved(found)))
    assert both.tables["distribution"]["of 100 in the target"].tolist() == pytest.approx(target)


def _saved(found):
    import tempfile

    return found.save(Path(tempfile.mkdtemp()) / "r")


def test_values_that_are_nobodys_are_told_and_count_as_any_other():
    found = disguised(people("ppp", [30, 40, 50]), fakes=2)
    report = check_disguised({"town": "p"}, found)
    assert "The whole table holds 1 value of nobody." in report.sentence("D4")
    assert report.facts["nobody's"] == 1
    assert chances(report) == dict.fromkeys(["30", "40", "50", "60"], 25)


def test_someone_who_is_not_there_learns_nothing_and_nothing_is_judged():
    found = disguised(people("ppqq", [30, 40, 50, 60]))
    report = check_disguised({"town": "z"}, found, node="[30, 60]", ell=2)
    assert report.headline.state == "cannot-tell"
    assert report.met is None
    assert len(report.tables["distribution"]) == len(report.tables["groups"]) == 0


def test_a_node_of_which_her_group_shows_nothing_is_not_respected():
    data = people("ppq", [50, 60, 30], ["[50, 60]", "[50, 60]", "30"])
    found = vk.mask.personalize(
        data, hierarchy=TARGET, requirement="wish", search="quasi", seed=1
    ).release
    assert check_disguised({"town": "p"}, found, node="[50, 60]").met is True
    assert check_disguised({"town": "p"}, found, node="[30, 40]").met is False


def test_one_record_alone_is_published_as_the_root_and_tells_nothing():
    found = disguised(people("p", [30]))
    report = check_disguised({"town": "p", "pay": 30}, found)
    assert report.headline.state == "no-warning"
    assert "and 1 that could be any value at all" in report.sentence("D4")


def test_a_value_without_weight_is_not_called_impossible():
    target = vk.Hierarchy(TARGET.levels, {"30": 1, "40": 0, "50": 1, "60": 0})
    found = disguised(people("pp", [40, 50]), hierarchy=target)
    report = check_disguised({"town": "p", "pay": 40}, found)
    assert "would be guessed in no case" in report.sentence("D5")
    assert report.headline.state != "warning-you"
    assert "3 different values of pay are possible" in report.sentence("D6")


@pytest.mark.parametrize(
    ("record", "asked", "sentence"),
    [
        ({"town": "p", "pay": 99}, {}, "'pay' was given as '99', which is no value of the"),
        ({"town": "p", "pay": "much"}, {}, "'pay' was given as 'much'; expected a number"),
        ({"town": "p"}, {"node": "[30, 99]"}, r"node was given as '\[30, 99\]'; expected a group"),
        ({"town": "p", "pay": 60}, {"node": "[30, 40]"}, "which does not hold your value '60'"),
        ({"town": "p"}, {"ell": 0}, "ell was given as 0"),
        ({"pay": 30}, {}, "holds no quasi-identifier"),
        ({"city": "p"}, {}, "record has 'city', which the table lacks"),
        (7, {}, "record was given as int"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_sentence(release, record, asked, sentence):
    with pytest.raises(RecordError, match=sentence):
        check_disguised(record, release, **asked)


def test_a_release_without_a_target_is_refused_and_checked_as_what_it_is():
    with pytest.raises(SchemaError, match="was not made for a target"):
        check_disguised({"Age": 65}, vk.published("lhcc_table4"))
    assert vk.check({"Age": 65}, vk.published("lhcc_table4")).sentence("P1")
    with pytest.raises(RecordError, match="set one for ell"):
        vk.check({"Age": 65}, vk.published("lhcc_table4"), node="x")


def test_a_published_value_outside_the_tree_is_refused(release):
    import dataclasses

    cells = release.sensitive.assign(pay=[30, 40, 50, 60, 70, 80])
    damaged = dataclasses.replace(release, sensitive=cells)
    with pytest.raises(SchemaError, match="'70', '80' of 'pay' are no nodes of the target"):
        check_disguised({"town": "p"}, damaged)


@pytest.mark.skipif(not (DATASETS / "adult").is_dir(), reason="the real data are not here")
def test_the_capital_loss_of_adult_shows_the_target_to_everybody():
    data = vk.datasets.adult(DATASETS / "adult")
    name = next(c for c in data.schema.names if c.lower().replace("_", "-") == "capital-loss")
    lost = np.flatnonzero(data.frame[name].to_numpy() > 0)
    kept = [c.name for c in data.schema.quasi if c.name != name][:3]
    part = data.take(lost).only(*kept, name)
    columns = [
        vk.Column(c.name, "sensitive" if c.name == name else "quasi", c.kind) for c in part.schema
    ]
    table = vk.Microdata(part.frame, vk.Schema(tuple(columns)))
    values = sorted(set(table.frame[name]))
    target = vk.targets.balanced(values)
    found = disguised(table, hierarchy=target, tolerance="1/5")
    record = {**table.record(0)}
    report = vk.check(record, found, node=target.root)
    assert 0 < report.facts["away_from_target"] < 0.5
    assert "lets shares below one group of values be off by up to 20 of 100" in report.sentence(
        "D2"
    )
    assert len(report.tables["distribution"]) == 16
    assert len(report.tables["values"]) == 20
    assert report.notes[-1] == "Of the 89 lines of one table the first 20 are shown."
    exact = disguised(table, hierarchy=target)
    assert vk.check(record, exact, node=target.root).met is True
    assert vk.check(record, exact).facts["away_from_target"] == 0
