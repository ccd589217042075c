"""The check of a record against a table drawn anew by known chances: which rows, how surely."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.intruder import prior_knowledge
from verikit.release._table import Redraw
from verikit.subject import kind_of
from verikit.subject.randomized import find_differences, find_redrawn

HANNAH = {"Age": "[30-40]", "Job": "Clerk", "Country": "UK"}
JACOB = {"Age": "[30-40]", "Job": "Clerk", "Country": "USA"}
ALLOWED = ("cannot conclude that you are protected", "nor shows that you are protected")
FORBIDDEN = re.compile(r"\b(safe|anonymous|protected|probabilit\w+)\b", re.IGNORECASE)


@pytest.fixture(scope="module")
def patients():
    return vk.published("yq_figure5")


@pytest.fixture(scope="module")
def adult(datasets_dir):
    return vk.datasets.adult(datasets_dir / "adult")


def redrawn(changed=1, probabilities="equal", sensitive="Ill", **columns):
    """A table of which it is said that attributes of each row were drawn anew."""
    frame = pd.DataFrame(columns)
    roles = {sensitive: "sensitive"} if sensitive in columns else {}
    return vk.TableRelease.of(
        frame,
        vk.Schema.guess(frame, **roles),
        method="randomize",
        parameters={"changed": changed, "probabilities": probabilities},
        promise="changed",
    )


def test_jacob_is_one_of_five_rows_and_his_own_stays_as_it_is_in_43_of_100_cases(patients):
    """His age stands in 2 of the 10 rows of Figure 5, his job in 5, his country in 6."""
    report = vk.check(JACOB, patients)
    assert report.facts["same"] == pytest.approx((0.2 + 0.5 + 0.6) / 3)
    assert report.facts["equal"] == 1
    assert report.facts["possible"] == 3
    assert report.sentence("V1") == (
        "Of the 10 rows, 1 shows all your values, and 2 may be yours though they differ from them "
        "in one attribute; if you are in this table, yours is among these 3."
    )
    assert "left your own row as it was in 43 of 100 cases only" in report.sentence("V2")
    assert "was made from them in 43 of 100 cases" in report.sentence("V3")
    assert [f.value for f in report.figures[:2]] == ["1 row", "2 rows"]


def test_hannahs_row_was_changed_and_the_table_shows_it(patients):
    report = vk.check({**HANNAH, "Disease": "Diabetes"}, patients)
    assert report.facts["equal"] == 0
    assert report.sentence("V3") == (
        "No row shows all your values: if you are in this table, yours was changed."
    )
    assert report.sentence("V4") is None
    assert report.sentence("V7") is not None


def test_formula_6_with_the_published_rows_is_that_of_one_who_knows_them_all(patients):
    """Where the original is what was published, formula (6) is worked out by the intruder."""
    data = vk.Microdata(patients.frame, patients.schema)
    posterior = prior_knowledge(data, patients).unchanged
    for row in range(len(data)):
        own = {name: data.frame[name][row] for name in ("Age", "Job", "Country")}
        assert vk.check(own, patients).facts["as_it_was"] == pytest.approx(posterior[row])


@given(
    st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=12),
    st.tuples(*[st.integers(0, 2)] * 3),
    st.integers(1, 3),
)
def test_a_row_is_hers_as_bayes_rule_says_where_columns_are_independent(rows, own, changed):
    """Weigh each row by the chance that it was made from hers over that from anybody's."""
    frame = pd.DataFrame(rows, columns=list("abc"))
    if not all(value in set(frame[name]) for name, value in zip("abc", own, strict=True)):
        return
    report = vk.check(dict(zip("abc", own, strict=True)), redrawn(changed, **frame))
    told = Redraw.of(list("abc"), changed, "equal")
    share = {name: frame[name].value_counts(normalize=True) for name in "abc"}
    weights = []
    for row in rows:
        apart = sum((x != y) << k for k, (x, y) in enumerate(zip(row, own, strict=True)))
        shares = np.array([share[name][x] for name, x in zip("abc", row, strict=True)])
        weights.append(told.transition_chances(list("abc"), shares)[apart] / shares.prod())
    if not sum(weights):
        assert report.headline.state == "cannot-tell"
        return
    assert report.facts["surest"] == pytest.approx(max(weights) / sum(weights))
    assert report.facts["possible"] == np.count_nonzero(weights)
    assert report.tables["rows"]["rows"].sum() == np.count_nonzero(weights)
    assert report.tables["rows"].iloc[:, -1].sum() == pytest.approx(100)


def test_the_chance_that_her_row_stays_is_how_often_it_stays():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({name: rng.choice(list("uvw"), 4000, p=[0.6, 0.3, 0.1]) for name in "abc"})
    data = vk.Microdata(frame, vk.Schema.guess(frame))
    release, key = vk.mask.randomize(data, changed=2, seed=2)
    own = {"a": "u", "b": "v", "c": "u"}
    hers = (frame[list(own)] == pd.Series(own)).all(axis=1).to_numpy()
    shown = (release.frame[list(own)] == pd.Series(own)).all(axis=1).to_numpy()
    report = vk.check(own, release)
    stayed, from_hers = shown[key.rows[hers]].mean(), hers[np.argsort(key.rows)][shown].mean()
    assert report.facts["same"] == pytest.approx(stayed, abs=0.04)
    assert report.facts["same"] == pytest.approx(from_hers, abs=0.04)


@pytest.mark.parametrize("changed", [1, 2])
def test_the_best_guess_of_a_row_is_right_about_as_often_as_is_said(changed):
    data = vk.simulate("census", 1500, seed=3).only("Age", "Gender", "Education", "Occupation")
    release, key = vk.mask.randomize(data, changed=changed, seed=4)
    names = [column.name for column in release.schema.quasi]
    said, right = [], []
    for row in range(0, 1500, 10):
        own = data.record(row)
        report = vk.check({name: own[name] for name in names}, release)
        apart = sum(
            (release.frame[name].astype(str) != str(own[name])).to_numpy() << k
            for k, name in enumerate(names)
        )
        mine = apart[key.rows[row]]
        line = report.tables["rows"].iloc[0]
        set_of_best = sum(
            1 << k
            for k, name in enumerate(names)
            if name in line["differ in"].replace(",", "").split()
        )
        said.append(line.iloc[-1] / 100)
        right.append(mine == set_of_best)
    assert np.mean(said) == pytest.approx(np.mean(right), abs=0.12)


def test_where_only_one_row_can_be_hers_she_is_picked_out():
    report = vk.check({"a": 1, "b": 1}, redrawn(a=[1, 2, 3], b=[1, 2, 3], Ill=list("xyz")))
    assert report.headline.state == "warning-you"
    assert (
        "can tell which row is yours: the best guess is right in all cases" in report.headline.text
    )
    assert "if you are in this table, it is yours" in report.sentence("V1")
    assert report.sentence("S7") is None


def test_of_rows_of_which_every_value_was_kept_nobody_says_that_values_were_drawn():
    frame = pd.DataFrame({"a": [*"xxyz"], "b": [*"uuvw"]})
    columns = tuple(vk.Column(name, kind="nominal") for name in frame)
    made = {"promise": "changed", "method": "randomize"}
    for keep, said in ((0.0, True), (0.75, True), (1.0, False)):
        told = {"scheme": "each", "keep": keep}
        release = vk.TableRelease.of(frame, vk.Schema(columns), parameters=told, **made)
        report = vk.check({"a": "x", "b": "u"}, release)
        assert (report.sentence("V2") is not None) == said


def test_values_that_are_nobodys_in_the_table_and_categories_that_are_unknown(patients):
    with pytest.raises(vk.RecordError, match="'Pilot' is not a category of 'Job'"):
        vk.check({**JACOB, "Job": "Pilot"}, patients)
    loose = redrawn(a=list("uuvv"), b=list("pqpq"))
    report = vk.check({"a": '"z"', "b": "p"}, loose)
    assert report.facts["equal"] == 0
    assert report.facts["possible"] == 2, (
        "her value may have been drawn away, for any of those of b"
    )
    assert vk.check({"a": '"z"', "b": '"z"'}, loose).headline.state == "cannot-tell"


def test_an_attribute_that_was_never_drawn_must_agree():
    never = redrawn(probabilities={"a": 1.0, "b": 0.0}, a=[1, 2, 2], b=[1, 1, 2])
    report = vk.check({"a": 1, "b": 1}, never)
    assert report.facts["possible"] == 2
    assert report.tables["your_values"]["of 100 rows drawn anew"].tolist() == [100, 0]


def test_what_she_leaves_out_may_be_what_was_drawn(patients):
    report = vk.check({"Job": "Clerk"}, patients)
    assert report.facts["possible"] == 10
    assert report.facts["same"] == pytest.approx(2 / 3 + 0.5 / 3)
    assert report.facts["left_out"] == ["Age", "Country"]


def test_one_record_is_hers_for_certain_if_she_is_in():
    report = vk.check({"a": 1, "b": 2}, redrawn(a=[1], b=[2], Ill=["x"]))
    assert report.facts["surest"] == 1
    assert report.headline.state == "warning-you"
    nobody = vk.check({"a": 5, "b": 6}, redrawn(a=[1], b=[2], Ill=["x"]), k=1, ell=2)
    assert nobody.headline.state == "cannot-tell"
    assert nobody.met is None


def test_a_missing_cell_may_be_hers_and_is_not_said_to_show_it():
    report = vk.check({"a": 1, "b": 1}, redrawn(a=[1, np.nan, 2], b=[1, 1, 1]))
    assert report.facts["equal"] == 2
    assert report.notes[-1].startswith("1 row counted as showing all your values do not show each")


def test_her_disease_is_guessed_by_the_rows_as_likely_as_each_is_hers():
    release = redrawn(a=[1, 1, 2, 2], b=[1, 2, 1, 2], Ill=list("xyyz"))
    report = vk.check({"a": 1, "b": 1, "Ill": "y"}, release)
    values = report.tables["values"].set_index("value")["of 100 here"]
    assert values.to_dict() == pytest.approx({"x": 50, "y": 50})  # 1/2, and twice 1/4, of 1
    assert "in 50 of 100 cases if the publisher's chances hold; without" in report.sentence("V7")
    assert (
        vk.check({"a": 1, "b": 1, "Ill": '"q"'}, release).sentence("V7").startswith("No row that")
    )


@pytest.mark.parametrize(
    ("asked", "met"),
    [({"k": 3}, True), ({"k": 4}, False), ({"ell": 2}, True), ({"ell": 3}, False), ({}, None)],
)
def test_her_requirement_is_judged_by_the_rows_that_may_be_hers(asked, met):
    release = redrawn(a=[1, 1, 2, 2], b=[1, 2, 1, 2], Ill=list("xyyz"))
    assert vk.check({"a": 1, "b": 1}, release, **asked).met is met


def test_places_are_refused_by_their_name(patients):
    with pytest.raises(
        vk.RecordError, match="drawn anew, where rows have no places; set one for k"
    ):
        vk.check(JACOB, patients, distance=2)


def test_which_releases_are_checked_by_their_chances(patients):
    assert kind_of(patients).name == "randomized"
    assert [column.name for column in patients.asked] == ["Age", "Job", "Country"]
    bare = vk.TableRelease.of(patients.frame, patients.schema, promise="changed")
    assert kind_of(bare).name != "randomized"
    for broken in ({"changed": 9}, {"probabilities": {"Age": 1.0}}, {"changed": "x"}):
        told = {**patients.parameters, **broken}
        release = vk.TableRelease.of(
            patients.frame, patients.schema, parameters=told, promise="changed"
        )
        with pytest.raises(vk.VerikitError, match=r"changed was given|must name each"):
            vk.check(JACOB, release)


@given(
    st.lists(
        st.tuples(*[st.sampled_from("uvw")] * 2, st.sampled_from("xy")), min_size=1, max_size=9
    ),
    st.tuples(*[st.sampled_from("uvz")] * 2),
    st.integers(1, 2),
)
def test_no_report_promises_protection_and_every_chance_is_a_chance(rows, own, changed):
    frame = pd.DataFrame(rows, columns=["a", "b", "Ill"])
    report = vk.check(
        {n: f'"{v}"' for n, v in zip("ab", own, strict=True)}, redrawn(changed, **frame), k=2, ell=2
    )
    for said in (report.headline.text, *(said.text for said in report.sentences), *report.notes):
        text = said.replace(ALLOWED[0], "").replace(ALLOWED[1], "")
        assert not FORBIDDEN.search(text), text
        assert all(0 <= int(n) <= 100 for n in re.findall(r"(\d+) of 100", text))
    some = report.facts["possible"] > 0
    assert (report.met is None) == (not some)
    if some:
        assert 0 < report.facts["surest"] <= 1 + 1e-12
        assert report.tables["values"]["of 100 here"].sum() == pytest.approx(100)


def test_people_of_adult_are_told_how_surely_their_row_is_found(adult):
    """One who knows all original combinations is surer on average than the rows make him."""
    data = adult.only("age", "sex", "race", "marital-status", "education", "occupation")
    release, key = vk.mask.randomize(data, changed=1, seed=1)
    posterior = prior_knowledge(data, release).unchanged
    said, right, estimated, known = [], [], [], []
    for row in range(0, 30_000, 300):
        own = data.record(row)
        facts = vk.check(own, release).facts
        found = find_redrawn(own, release)
        apart, _ = find_differences(own, release)
        best = found.chances >= found.chances[found.counts > 0].max() - 1e-12
        said.append(facts["surest"])
        right.append(best[apart[key.rows[row]]] / found.alike)
        if facts["equal"]:
            estimated.append(facts["as_it_was"])
            known.append(posterior[np.flatnonzero(apart == 0)[0]])
    assert np.mean(said) == pytest.approx(np.mean(right), abs=0.06)
    assert np.mean(estimated) < np.mean(known)


def test_a_salary_class_of_adult_is_judged_like_any_guess(adult):
    data = adult.only("age", "sex", "race", "marital-status", "workclass", "salary-class")
    release, _ = vk.mask.randomize(data, changed=1, seed=1)
    for row in range(0, 30_000, 3_000):
        report = vk.check(data.record(row), release, ell=2)
        facts = report.facts
        assert 0 < facts["same"] < 1
        assert facts["possible"] >= facts["equal"]
        guessed = report.tables["values"]["of 100 here"].max() / 100
        assert report.met == (guessed <= 0.5 and facts["surest"] <= 0.5)
