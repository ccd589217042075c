"""Releases that show a target: what they promise, what they show, what they refuse."""

import warnings
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import verikit as vk
from verikit.mask import Tolerance, disguise
from verikit.models import target_privacy
from verikit.targets import balanced, of_values, uniform
from verikit.targets._disguise_group import with_fakes
from verikit.targets._distributions import tree_of


def people(values, zips=None, kind="numeric", **more):
    frame = pd.DataFrame({"zip": list(map(str, zips or [1] * len(values))), "pay": list(values)})
    columns = (vk.Column("zip", kind="nominal"), vk.Column("pay", "sensitive", kind))
    return vk.Microdata(frame.assign(**more), vk.Schema(columns))


@st.composite
def cases(draw):
    size = draw(st.integers(2, 12))
    values = draw(st.lists(st.integers(1, size), min_size=1, max_size=40))
    zips = draw(st.lists(st.sampled_from("pqr"), min_size=len(values), max_size=len(values)))
    weights = draw(st.lists(st.integers(0, 3), min_size=size, max_size=size).filter(any))
    tree = balanced(range(1, size + 1))
    target = vk.Hierarchy(tree.levels, dict(zip(tree.order(), weights, strict=True)))
    return people(values, zips), target


@pytest.fixture(autouse=True)
def without_warnings():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Of .* are the root")
        yield


def covers(tree, cell, value):
    return str(value) in tree.leaves(cell)


@given(cases(), st.sampled_from([None, "quasi", "finest"]), st.integers(0, 3))
def test_every_release_is_private_by_the_definition_and_covers_every_value(case, groups, fakes):
    data, target = case
    release, key = disguise(data, hierarchy=target, groups=groups, fakes=fakes, seed=3)
    verdict = target_privacy(release)
    assert (verdict.met, verdict.distance, verdict.shift) == (True, 0, 0)
    for name in target.levels:
        assert {group[name] for group in verdict.shown.values()} == {target.share(name)}
    cells = release.sensitive["pay"].to_numpy()[key.columns["pay"]]
    values = data.frame["pay"].tolist()
    assert all(covers(target, cell, v) for cell, v in zip(cells, values, strict=True))
    together = release.labels.sensitive[key.columns["pay"]] == release.labels.quasi[key.rows]
    assert together.all()


@given(cases(), st.sampled_from([Fraction(1, 20), Fraction(1, 3), 1]), st.booleans())
def test_a_tolerance_is_kept_in_every_group(case, share, search):
    data, target = case
    near = Tolerance(share, searched=search)
    release, _ = disguise(data, hierarchy=target, groups="quasi", tolerance=near, seed=3)
    verdict = target_privacy(release, tolerance=share)
    assert verdict.met
    assert verdict.shift <= share


@given(cases())
def test_groups_of_equal_people_never_cost_less_than_one_group(case):
    """DP62."""
    data, target = case
    costs = [
        Fraction(disguise(data, hierarchy=target, groups=groups, seed=1)
                 .release.parameters["sum of ranges"])
        for groups in (None, "quasi")
    ]  # fmt: skip
    assert costs[0] <= costs[1]


def test_a_target_of_the_datas_own_shares_leaves_every_value_as_it_is():
    """DP41."""
    data = people(np.random.default_rng(1).integers(0, 30, 500))
    target = of_values(balanced(range(30)), data.frame["pay"])
    release, _ = disguise(data, hierarchy=target, seed=1)
    assert release.parameters["sum of ranges"] == "0"
    assert sorted(release.sensitive["pay"]) == sorted(data.frame["pay"])


def test_a_search_within_no_tolerance_at_all_is_algorithm_3():
    data, tree = people([1] * 6 + [2] * 4), balanced([1, 2])
    found = [
        disguise(data, hierarchy=tree, tolerance=near, seed=1).release.parameters["sum of ranges"]
        for near in (0, Tolerance(0, searched=True))
    ]
    assert found == ["2", "2"]


def test_parts_of_the_data_may_have_targets_of_their_own():
    tree = balanced([1, 2])
    two_to_one = vk.Hierarchy(tree.levels, {1: 2, 2: 1})
    data = people([1, 1, 2, 1, 1, 2], zips="pppqqq")
    parts = vk.Partition.of(data.frame["zip"])
    release, key = disguise(data, hierarchy=[two_to_one, uniform(tree)], groups=parts, seed=5)
    verdict = target_privacy(release)
    assert verdict.met
    first = str(release.labels.names[release.labels.quasi[key.rows[0]]])
    second = str(release.labels.names[release.labels.quasi[key.rows[3]]])
    assert verdict.shown[first] == {"1": Fraction(2, 3), "2": Fraction(1, 3)}
    assert set(verdict.shown[second].values()) == {Fraction(1, 2)}
    assert not target_privacy(release, target=tree).met


def test_which_rows_come_first_does_not_decide_which_group_gets_which_target():
    tree = balanced([1, 2])
    targets = [vk.Hierarchy(tree.levels, {1: 2, 2: 1}), uniform(tree)]
    data = people([2, 2, 1, 1, 1, 2], zips="qqqppp")
    parts = vk.Partition.of(data.frame["zip"])  # q is group 0, and sorted last
    release, key = disguise(data, hierarchy=targets, groups=parts, seed=5)
    name = str(release.labels.names[release.labels.quasi[key.rows[0]]])
    assert target_privacy(release).shown[name]["1"] == Fraction(2, 3)


def test_categories_have_targets_too_and_a_group_counts_its_values():
    tree = vk.Hierarchy.of({"any": {"lungs": ["flu", "cough"], "other": ["ulcer"]}})
    data = people(["flu", "flu", "ulcer"], kind="nominal")
    release, _ = disguise(data, hierarchy=tree, seed=1)
    assert Counter(release.sensitive["pay"]) == {"lungs": 2, "ulcer": 1}
    assert release.parameters["sum of ranges"] == "2"


def test_a_disguised_release_goes_to_disk_and_back_with_its_target_and_its_fakes(tmp_path):
    data = people([1, 3, 5])
    target = vk.Hierarchy(balanced(range(1, 9)).levels, dict.fromkeys(range(1, 9), 2))
    made = disguise(data, hierarchy=target, fakes=2, seed=1).release
    made.save(tmp_path / "release")
    release = vk.open_release(tmp_path / "release")
    assert (release.promise, len(release), len(release.sensitive)) == ("covers", 3, 4)
    assert target_privacy(release).met
    assert target_privacy(release).shown == target_privacy(made).shown


def test_values_that_are_nobodys_are_told_and_more_than_told_are_refused():
    release, key = disguise(people([1, 3, 5]), hierarchy=balanced(range(1, 9)), fakes=1, seed=1)
    assert (release.parameters["fakes"], release.parameters["added"]) == (1, 1)
    assert len(key.columns["pay"]) == 3
    words = "has 3 records in the quasi table and 5 in the sensitive table; .* and up to 1 values"
    more = pd.concat([release.sensitive, release.sensitive.iloc[:1]])
    with pytest.raises(vk.SchemaError, match=words):
        vk.SplitRelease(
            release.quasi, more, release.schema, parameters=release.parameters, promise="covers"
        )


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(1, 8), min_size=1, max_size=7),
    st.lists(st.integers(1, 3), min_size=8, max_size=8),
)
def test_more_fakes_than_make_all_fit_change_nothing(values, weights):
    target = vk.Hierarchy(
        balanced(range(1, 9)).levels, dict(zip(range(1, 9), weights, strict=True))
    )
    tree = tree_of(target, numeric=True)
    counts = np.bincount(np.array(values) - 1, minlength=8)
    release, _ = disguise(people(values), hierarchy=target, fakes=150, seed=1)
    few = with_fakes(tree, counts, 150)
    assert release.parameters["added"] == few.sum()
    thousands, _ = disguise(people(values), hierarchy=target, fakes=8191, seed=1)
    assert thousands.sensitive.equals(release.sensitive)
    assert thousands.parameters["sum of ranges"] == "0"


@given(cases())
def test_the_finest_groups_publish_together_what_one_group_would(case):
    """[QZ] section 3.4.2: further parted, and the union of what is published the same."""
    data, target = case
    one, fine = (
        disguise(data, hierarchy=target, groups=groups, seed=3).release
        for groups in (None, "finest")
    )
    shown = [sorted(map(str, release.sensitive["pay"])) for release in (one, fine)]
    assert shown[0] == shown[1]
    for part in fine.sensitive.groupby("Group-ID")["pay"]:  # and none can be parted once more
        nodes = [[v for v in target.levels if covers(target, n, v)] for n in map(str, part[1])]
        assert not any(
            is_private(some, target) and is_private([n for n in nodes if n not in some], target)
            for some in ([n for n in nodes if n == chosen] for chosen in nodes)
            if len(some) < len(nodes)
        )


def is_private(nodes, target):
    """Whether nodes, each given by its values, show just the target."""
    shown = Counter()
    for values in nodes:
        weight = sum(target.share(v) for v in values)
        if not weight:
            return False
        shown.update({v: target.share(v) / weight for v in values})
    return all(shown[v] == len(nodes) * target.share(v) for v in target.levels)


def test_the_finest_groups_of_four_pairs_are_pairs_of_neighbours():
    data = people([1, 2] * 4, zips=[1, 1, 3, 2, 2, 3, 4, 4])
    release, _ = disguise(data, hierarchy=balanced([1, 2]), groups="finest", seed=3)
    groups = release.quasi.groupby("Group-ID")["zip"].apply(sorted).tolist()
    assert sorted(groups) == [["1", "1"], ["2", "2"], ["3", "3"], ["4", "4"]]


@given(cases(), st.sampled_from(["1/5", "1/2", 0.25, 1.0]))
def test_a_share_of_fakes_allows_each_group_so_many_for_its_people(case, share):
    """[QZ] section 3.7.2: up to x % of N in each partition of size N, each as if it were alone."""
    data, target = case
    release, _ = disguise(data, hierarchy=target, groups="quasi", fakes=share, seed=3)
    costs = []
    for zip_, some in data.frame.groupby("zip"):
        most = int(Fraction(str(share)) * len(some))
        costs.append(min(vk.targets.costs_of_fakes(target, some["pay"].tolist(), most)))
        added = release.sensitive["Group-ID"].value_counts()
        group = release.quasi.loc[release.quasi["zip"] == zip_, "Group-ID"].iloc[0]
        assert len(some) <= added[group] <= len(some) + most
    assert Fraction(release.parameters["sum of ranges"]) == sum(costs)
    assert release.parameters["fakes for people"] == str(Fraction(str(share)))


def test_fakes_that_would_fill_the_memory_are_refused():
    rough = vk.Hierarchy(balanced([1, 2]).levels, {1: 10**9, 2: 10**9 + 1})
    for target in (rough, vk.Hierarchy(balanced([1, 2, 3]).levels, {1: 0, 2: 1, 3: 1})):
        with pytest.raises(vk.InfeasibleError, match=r"fakes up to 8,191 need .* costs"):
            disguise(people([1, 2]), hierarchy=target, fakes=8191, seed=1)
    for many in (8192, 10**6, 10**9):
        said = f"was given as {many}; expected a whole number from 0 to 8191"
        with pytest.raises(vk.RecordError, match=f"fakes {said}"):
            disguise(people([1, 2]), hierarchy=balanced([1, 2]), fakes=many, seed=1)
        with pytest.raises(vk.RecordError, match=said):
            vk.targets.costs_of_fakes(balanced([1, 2]), [1, 2], many)


def test_a_target_without_weight_for_a_value_publishes_a_group_around_it():
    """DP52."""
    tree = balanced(range(1, 5))
    target = vk.Hierarchy(tree.levels, {1: 0, 2: 1, 3: 0, 4: 0})
    release, _ = disguise(people([1, 2, 2, 3]), hierarchy=target, seed=1)
    assert Counter(release.sensitive["pay"]) == {"2": 2, "[1, 2]": 1, "[1, 4]": 1}
    assert target_privacy(release).met


def test_a_target_that_leaves_only_the_root_says_so():
    """DP40 and W20: 1000 to 1001 does not fit 100 values each."""
    tree = vk.Hierarchy(balanced([1, 2]).levels, {1: 1000, 2: 1001})
    with pytest.warns(UserWarning, match=r"Of 200 published values 200 are the root '\[1, 2\]'"):
        release, _ = disguise(people([1] * 100 + [2] * 100), hierarchy=tree, seed=1)
    assert release.parameters["at the root"] == 200
    near, _ = disguise(people([1, 2] * 100), hierarchy=vk.targets.rounded(tree), seed=1)
    assert near.parameters["at the root"] == 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"hierarchy": balanced([1, 2])}, "lacks the values '3', which column 'pay' holds"),
        ({"hierarchy": [1]}, "hierarchy was given as 1; expected a Hierarchy with weights"),
        ({"hierarchy": []}, r"hierarchy was given as \[\]; expected"),
        ({"hierarchy": [balanced([1, 2, 3])], "groups": "quasi"}, "1 targets were given for 2 gr"),
        (
            {"hierarchy": [balanced([1, 2, 3]), balanced([1, 2, 3], 3)], "groups": "quasi"},
            "targets of the groups stand on different trees",
        ),
        ({"groups": "zip"}, "groups was given as 'zip'; expected a Partition, 'quasi', 'finest', "),
        ({"fakes": -1}, "fakes was given as -1; expected a whole number from 0"),
        ({"fakes": 1.5}, "fakes was given as 1.5; expected a whole number from 0, or a share"),
        ({"fakes": "some"}, "fakes was given as 'some'; expected a finite number"),
        ({"fakes": 1, "tolerance": Tolerance("1/5", searched=True)}, "1 fakes were asked for wi"),
        ({"tolerance": -0.1}, "tolerance was given as '-0.1'; expected a share from 0 to 1"),
        ({"tolerance": "much"}, "tolerance was given as 'much'; expected a finite number"),
        ({"hierarchy": balanced([1, 2, 3], 3), "tolerance": 0.1}, "has 3 children; a tolerance is"),
    ],
)
def test_what_cannot_be_disguised_is_refused_in_one_sentence(given, words):
    """DP66."""
    data = people([1, 2, 3], zips="pqq")
    with pytest.raises(vk.VerikitError, match=words):
        disguise(data, **{"hierarchy": balanced([1, 2, 3]), "seed": 1, **given})


def test_a_table_with_two_sensitive_columns_or_with_nothing_beside_is_refused():
    frame = pd.DataFrame({"a": [1, 2], "b": [1, 2]})
    both = vk.Schema((vk.Column("a", "sensitive"), vk.Column("b", "sensitive")))
    for data in (vk.Microdata(frame, both), vk.Microdata(frame[["a"]], vk.Schema((both["a"],)))):
        with pytest.raises(vk.SchemaError, match="disguise takes one sensitive column beside"):
            disguise(data, hierarchy=balanced([1, 2]), seed=1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: target_privacy(["1"]), "list was given without a target; expected a release"),
        (lambda: target_privacy(["9"], target=balanced([1, 2])), "'9' are no nodes of the target"),
        (lambda: target_privacy([], target=balanced([1, 2])), r"\(none\) are no nodes"),
        (lambda: target_privacy(["1"], target=[1]), r"target was given as \[1\]; expected a Hier"),
        (
            lambda: target_privacy(["1"], target=balanced([1, 2]), values=[3]),
            "The target lacks the values '3'",
        ),
        (lambda: target_privacy(vk.published("lhcc_table3")), "The release tells no target"),
    ],
)
def test_what_cannot_be_compared_with_a_target_is_refused_in_one_sentence(call, words):
    with pytest.raises(vk.VerikitError, match=words):
        call()


def test_a_verdict_tells_how_far_each_group_is_from_the_target():
    verdict = target_privacy(["1", "1", "2", "[1, 2]"], target=balanced([1, 2]))
    assert (verdict.met, verdict.distance) == (False, Fraction(1, 8))
    assert verdict.shift == Fraction(1, 6)
    assert verdict.to_frame()["distance"].tolist() == [0.125]
    assert target_privacy(["1", "1", "2"], target=balanced([1, 2]), tolerance="1/6").met


def test_a_published_node_without_weight_is_never_private():
    target = vk.Hierarchy(balanced(range(4)).levels, {0: 0, 1: 0, 2: 1, 3: 1})
    verdict = target_privacy(["[0, 1]", "2", "3"], target=target)
    assert not verdict.met
    assert verdict.shown["all"] == {
        "0": Fraction(1, 6), "1": Fraction(1, 6), "2": Fraction(1, 3), "3": Fraction(1, 3),
    }  # fmt: skip
