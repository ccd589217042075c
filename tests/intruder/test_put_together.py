"""What several releases leave open together, against all worlds that agree with all of them."""

import itertools
from collections import defaultdict

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.intruder import put_together

ILL = ["angina", "flu", "gout", "ulcer"]


def table(people):
    frame = pd.DataFrame(people, columns=["age", "sex", "ill"])
    kinds = {"age": "numeric", "sex": "nominal", "ill": "nominal"}
    roles = {"ill": "sensitive"}
    columns = (vk.Column(n, roles.get(n, "quasi"), kind) for n, kind in kinds.items())
    return vk.Microdata(frame, vk.Schema(tuple(columns)))


def publish(kind, people, labels):
    """A release of some people, some of whom stand in groups."""
    data, groups = table(people), vk.Partition.of(labels)
    if kind == "generalized":
        return vk.mask.generalize(data, partition=groups, seed=1).release
    if kind == "another order":
        order = np.argsort(data.frame["ill"].to_numpy(), kind="stable")
        frame = data.frame.assign(ill=data.frame["ill"].to_numpy()[order])
        return vk.TableRelease.of(frame, data.schema, promise="another order")
    if kind == "untold":
        return vk.TableRelease.of(data.frame, data.schema)
    make = vk.mask.anatomize if kind == "anatomy" else vk.mask.permute_all
    return make(data, partition=groups, seed=1).release


def worlds_of(kind, people, labels):
    """All illnesses that the people may have by one release, read from its text alone.

    Each person takes one of the published places that she fits, and all places are taken.
    """
    if kind == "untold":
        return None
    whole = kind == "another order"
    groups = defaultdict(list)
    for person, label in zip(people, labels, strict=True):
        groups[0 if whole else label].append(person)
    found = [{}]
    for group in groups.values():
        ills = set(itertools.permutations([p[2] for p in group]))
        names = [p[:2] for p in group]
        found = [w | dict(zip(names, i, strict=True)) for w in found for i in ills]
    return found


def join(worlds):
    """All ways to give everybody an illness so that every release may be as it is."""
    found = [{}]
    for part in worlds:
        if part is None:
            continue
        found = [a | b for a in found for b in part if all(a.get(p, v) == v for p, v in b.items())]
        found = [dict(w) for w in {tuple(sorted(w.items())) for w in found}]
    return found


KINDS = ("anatomy", "generalized", "another order", "untold")


@st.composite
def published(draw, kinds=KINDS):
    """Two or three releases of the same or of overlapping people, of ages in no two groups."""
    size = draw(st.integers(2, 5))
    ages = sorted(draw(st.sets(st.integers(20, 29), min_size=size, max_size=size)))
    everybody = [(age, draw(st.sampled_from("FM")), draw(st.sampled_from(ILL))) for age in ages]
    found = []
    for _ in range(draw(st.integers(2, 3))):
        here = [p for p in everybody if draw(st.integers(0, 3))] or everybody[:1]
        # neighbouring ages, so that who fits a group is in it
        cuts = [draw(st.booleans()) for _ in here[1:]]
        labels = np.cumsum([0, *cuts]).tolist()
        kind = draw(st.sampled_from(kinds))
        if kind != "generalized":
            labels = [draw(st.integers(0, 2)) for _ in here]
        found.append((kind, here, labels))
    return everybody, found


def people_in_all(found):
    sets = [{p[:2] for p in here} for _, here, _ in found]
    return sorted(set.intersection(*sets))


@given(published())
def test_what_is_left_is_what_each_release_leaves_and_no_world_shows_another_value(case):
    _, found = case
    known = people_in_all(found)
    if not known:
        return
    releases = [publish(*one) for one in found]
    people = pd.DataFrame(known, columns=["age", "sex"])
    result = put_together(*releases, people=people)
    each = [worlds_of(*one) for one in found]
    joint = join(each)
    for at, person in enumerate(known):
        told = [{world[person] for world in part} for part in each if part is not None]
        left = set(result.list_values(at))
        if not told:
            assert result.left[at] == -1
            continue
        apart = {result.names[v] for v in result.apart.place[result.apart.owner == at]}
        assert apart == set.intersection(*told)
        assert {world[person] for world in joint} <= left <= apart
        if result.left[at] == 1:
            assert {world[person] for world in joint} == left


@st.composite
def grouped_twice(draw, ills):
    """Two anatomies of the same people, all of whom are known."""
    size = draw(st.integers(3, 8))
    people = [(20 + at, "F", draw(st.sampled_from(ills))) for at in range(size)]
    labels = st.lists(st.integers(0, 2), min_size=size, max_size=size)
    return [("anatomy", people, draw(labels)) for _ in range(2)]


@given(grouped_twice(ILL[:2]))
def test_of_two_values_in_two_groupings_nothing_is_left_that_no_world_shows(found):
    people = found[0][1]
    known = pd.DataFrame([person[:2] for person in people], columns=["age", "sex"])
    result = put_together(*(publish(*one) for one in found), people=known)
    joint = join([worlds_of(*one) for one in found])
    for at, person in enumerate(people):
        assert set(result.list_values(at)) == {world[person[:2]] for world in joint}


@given(grouped_twice(ILL), st.data())
def test_people_who_are_not_asked_about_may_hold_what_is_not_accounted_for(found, data):
    people = found[0][1]
    some = data.draw(st.lists(st.sampled_from(range(len(people))), min_size=2, unique=True))
    known = pd.DataFrame([people[at][:2] for at in some], columns=["age", "sex"])
    result = put_together(*(publish(*one) for one in found), people=known)
    joint = join([worlds_of(*one) for one in found])
    for at, place in enumerate(some):
        assert {world[people[place][:2]] for world in joint} <= set(result.list_values(at))


def test_what_is_settled_for_one_settles_the_next():
    """60 stands alone with angina, so that of the second group is hers, and 30 has flu."""
    people = [(20, "F", "angina"), (30, "F", "flu"), (40, "F", "gout"), (50, "F", "ulcer")]
    people = [*people, (60, "F", "angina")]
    first = publish("anatomy", people, [0, 0, 1, 1, 2])
    second = publish("anatomy", people, [0, 1, 0, 2, 1])
    known = pd.DataFrame([person[:2] for person in people], columns=["age", "sex"])
    found = put_together(first, second, people=known)
    assert (found.certain, found.certain_apart, found.certain_before) == (5, 4, 2)
    assert found.list_values(1) == ["flu"]


@given(published(), st.randoms(use_true_random=False))
def test_the_order_of_the_releases_changes_nothing(case, random):
    _, found = case
    known = people_in_all(found)
    if not known:
        return
    people = pd.DataFrame(known, columns=["age", "sex"])
    other = random.sample(found, len(found))
    one, two = (
        put_together(*(publish(*part) for part in parts), people=people) for parts in (found, other)
    )
    pd.testing.assert_frame_equal(one.to_frame(), two.to_frame())
    assert [*map(one.list_values, range(len(one)))] == [*map(two.list_values, range(len(two)))]


@given(published(kinds=("anatomy",)))
def test_a_chance_is_exact_where_nobody_but_she_joins_the_releases(case):
    """Worlds weigh as their values are frequent; she alone of all people is in two releases."""
    found = case[1][:2]
    shared = people_in_all(found)
    if not shared:
        return
    person = shared[0]
    kind, here, labels = found[1]
    kept = [p[:2] == person or p[:2] not in shared for p in here]
    found[1] = (
        kind,
        *([x for x, k in zip(part, kept, strict=True) if k] for part in (here, labels)),
    )
    releases = [publish(*one) for one in found]
    result = put_together(*releases, people=pd.DataFrame([person], columns=["age", "sex"]))
    counts = [pd.Series([p[2] for p in here]).value_counts(normalize=True) for _, here, _ in found]
    frequent = (counts[0].add(counts[1], fill_value=0) / 2).to_dict()
    exact = defaultdict(float)
    for world in join([worlds_of(*one) for one in found]):
        exact[world[person]] += np.prod([frequent[value] for value in world.values()])
    total = sum(exact.values())
    pairs = result.together
    told = {result.names[at]: c for at, c in zip(pairs.place, pairs.chance, strict=True)}
    assert told == pytest.approx({value: part / total for value, part in exact.items()})


def test_shuffled_columns_leave_what_some_way_back_leaves():
    """A permuted release: each way to undo the shuffling of a group is a world."""
    people = [(20, "F", "flu"), (20, "M", "gout"), (30, "F", "ulcer"), (30, "M", "angina")]
    first = publish("permuted", people, [0, 0, 1, 1])
    second = publish("anatomy", people, [0, 1, 0, 1])
    known = pd.DataFrame([p[:2] for p in people], columns=["age", "sex"])
    result = put_together(first, second, people=known)
    assert [*map(result.list_values, range(4))] == [["flu"], ["gout"], ["ulcer"], ["angina"]]
    assert result.certain == 4
    assert result.certain_before == 0


def test_ranges_of_numbers_leave_what_lies_in_all_of_them():
    def release(*pay):
        frame = pd.DataFrame({"age": [20, 30], "pay": pd.Categorical(pay)})
        schema = vk.Schema((vk.Column("age"), vk.Column("pay", "sensitive", "nominal")))
        return vk.TableRelease.of(frame, schema, promise="covers")

    known = pd.DataFrame({"age": [20, 30]})
    result = put_together(release("10-20", "30-40"), release("20-30", "35-50"), people=known)
    assert result.list_values(0) == ["20"]
    assert result.list_values(1) == ["35", "between 35 and 40", "40"]
    assert np.isnan(result.to_frame()["chance"][1])


def test_releases_that_contradict_each_other_leave_nothing_and_are_counted():
    first = publish("anatomy", [(20, "F", "flu"), (30, "F", "gout")], [0, 0])
    second = publish("anatomy", [(20, "F", "ulcer"), (30, "F", "angina")], [0, 0])
    result = put_together(first, second)
    assert result.left.tolist() == [0, 0]
    assert result.contradicted == 2
    assert "2 of them cannot be in every one" in repr(result)
    apart = publish("anatomy", [(25, "F", "ulcer"), (35, "F", "gout")], [0, 0])
    assert put_together(first, apart).contradicted == 2  # nobody is in both


def test_the_same_release_twice_tells_nothing_more():
    people = [(20, "F", "flu"), (30, "F", "gout"), (40, "M", "flu"), (50, "M", "gout")]
    release = publish("anatomy", people, [0, 0, 1, 1])
    found = put_together(release, release)
    assert found.left.tolist() == [2, 2, 2, 2]
    assert found.certain == 0


def test_a_second_anatomy_of_one_table_gives_most_occupations_away(datasets_dir):
    known = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
    frame = vk.datasets.adult(datasets_dir / "adult").frame[[*known, "occupation"]]
    frame = frame.reset_index(drop=True)
    data = vk.Microdata(frame, vk.Schema.guess(frame, occupation="sensitive"))
    releases, rows = [], []
    for seed in (1, 2):
        groups = vk.partition.anatomy(data, ell=3, seed=seed)
        release, key = vk.mask.anatomize(data, partition=groups, seed=seed)
        releases.append(release)
        rows.append(key.places[""])
    found = put_together(*releases, people=data, rows=rows)
    assert (found.certain, found.certain_apart, found.certain_before) == (30_150, 16_270, 0)
    lines, true = found.to_frame(), frame["occupation"].astype(str)
    assert (lines["value"] == true)[lines["left"] == 1].all()
    assert lines["chance"].mean() == pytest.approx((lines["value"] == true).mean(), abs=0.01)
    by_values = put_together(*releases)  # her row is not known, only her values
    assert by_values.certain < found.certain


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda r: put_together(), "given 0 releases; expected two or more"),
        (put_together, "given 1 release; expected two or more"),
        (lambda r: put_together(r, "no release"), "was given str; expected releases of records"),
        (lambda r: put_together(r, r, sensitive="age"), "in common the sensitive columns 'ill'"),
        (lambda r: put_together(r, r, rows=[[0]]), "rows were given for 1 release"),
        (lambda r: put_together(r, r, rows=[[9], None], people={"age": 20}), "counted from 0"),
        (lambda r: put_together(r, other_columns()), "the sensitive columns 'none'|columns none"),
        (lambda r: put_together(r, other_known()), "with a column in common"),
        (lambda r: put_together(r, r, people={"height": 2}), "with a column in common"),
    ],
)
def test_what_cannot_be_put_together_is_refused_in_one_sentence(given, message):
    release = publish("anatomy", [(20, "F", "flu"), (30, "F", "gout")], [0, 0])
    with pytest.raises(vk.VerikitError, match=message):
        given(release)


def other_columns():
    return vk.published("ks_table4")


def other_known():
    frame = pd.DataFrame({"ward": ["A", "B"], "ill": ["flu", "gout"]})
    return vk.TableRelease.of(frame, vk.Schema.guess(frame, ill="sensitive"), promise="as it was")
