"""Bounds from disguised and personal releases: the truth is inside, and small cases are exact."""

import math
import warnings
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import verikit as vk
from verikit.targets import balanced

TREE = balanced(range(-5, 6))
SCHEMA = vk.Schema(
    (vk.Column("age"), vk.Column("job", kind="nominal"), vk.Column("pay", "sensitive"))
)
AGGREGATES = ("count", "sum", "avg", "min", "max")


@pytest.fixture(autouse=True)
def without_warnings():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Of .* are the root")
        yield


def table(w, rng, n):
    """Made-up people with a job of the tree that the questions know, and what each asks for."""
    made = w.table(rng, n)
    wishes = [TREE.level(int(pay), int(rng.integers(0, 4))) for pay in made.frame["pay"]]
    columns = (*made.schema, vk.Column("wish", "other", "nominal"))
    return vk.Microdata(made.frame.assign(wish=wishes), vk.Schema(columns))


def released(data, way, rng):
    plain = data.only("age", "job", "pay")
    if way == "personal":
        return vk.mask.personalize(data, hierarchy=TREE, requirement="wish", seed=1).release
    groups = vk.Partition.of(rng.integers(0, 3, len(data)))
    options = {
        "exact": {},
        "fakes": {"fakes": 4},
        "near": {"tolerance": "1/5"},
        "searched": {"tolerance": vk.mask.Tolerance("1/5", searched=True)},
    }[way]
    return vk.mask.disguise(plain, hierarchy=TREE, groups=groups, seed=1, **options).release


@pytest.mark.parametrize("way", ["exact", "fakes", "near", "searched", "personal"])
def test_the_truth_of_random_questions_is_always_inside_the_bounds(w, way):
    rng = np.random.default_rng(11)
    asked, narrow = 0, 0
    for _ in range(8):
        data = table(w, rng, int(rng.integers(5, 40)))
        release, records = released(data, way, rng), w.records(data)
        for _ in range(40):
            where = (w.predicate(rng, ("age", "job", "pay")),)
            query = w.question(rng, where)
            truth, found = w.truth(records, query), vk.answer(query, release)
            asked += 1
            if math.isnan(truth):
                continue
            assert found.lower - 1e-9 <= truth <= found.upper + 1e-9, (query, truth, found)
            narrow += found.upper - found.lower < 3
    assert asked == 320
    assert narrow > 20  # and the bounds are worth something


def worlds(cells, persons, tree):
    """All that can be true of the people of a group: whose value which cell stands for."""
    for chosen in set(permutations(cells, persons)):
        yield from product(*(tuple(map(int, tree.leaves(cell))) for cell in chosen))


def answers(aggregate, selected):
    values = list(selected)
    if aggregate == "count":
        return float(len(values))
    if aggregate == "sum":
        return float(sum(values))
    if not values:
        return math.nan
    return {"avg": lambda v: sum(v) / len(v), "min": min, "max": max}[aggregate](values)


def small(groups):
    """A release of some groups, each with its ages and its published cells."""
    quasi, hidden = [], []
    for number, (ages, cells) in enumerate(groups, 1):
        quasi += [(age, number) for age in ages]
        hidden += [(number, cell) for cell in cells]
    tree = balanced([1, 2, 4, 9])
    fakes = max(len(cells) - len(ages) for ages, cells in groups)
    return vk.SplitRelease(
        pd.DataFrame(quasi, columns=["age", "Group-ID"]),
        pd.DataFrame(hidden, columns=["Group-ID", "pay"]),
        vk.Schema((vk.Column("age"), vk.Column("pay", "sensitive", hierarchy=tree))),
        parameters={"fakes": fakes},
        promise="covers",
    ), tree  # fmt: skip


@st.composite
def group(draw):
    ages = draw(st.lists(st.integers(0, 1), min_size=1, max_size=3))
    more = draw(st.integers(0, 1))
    names = st.sampled_from(["1", "9", "[1, 2]", "[4, 9]", "[1, 9]"])
    cells = draw(st.lists(names, min_size=len(ages) + more, max_size=len(ages) + more))
    return ages, cells


@settings(max_examples=30)
@given(st.lists(group(), min_size=1, max_size=2), st.sampled_from(AGGREGATES))
def test_bounds_over_people_who_are_known_are_those_of_all_that_can_be_true(groups, aggregate):
    """DP60."""
    release, tree = small(groups)
    by_group = [list(worlds(cells, len(ages), tree)) for ages, cells in groups]
    found = []
    for world in product(*by_group):
        pairs = zip(groups, world, strict=True)
        selected = [v for (ages, _), values in pairs
                    for age, v in zip(ages, values, strict=True) if age == 1]  # fmt: skip
        found.append(answers(aggregate, selected))
    of = None if aggregate == "count" else "pay"
    told = vk.answer(vk.Query((vk.analyst.Between("age", 1, 1),), aggregate, of), release)
    if math.isnan(found[0]):
        assert math.isnan(told.lower)
    else:
        assert (told.lower, told.upper) == pytest.approx((min(found), max(found)))


@settings(max_examples=30)
@given(group(), st.sampled_from(AGGREGATES), st.sampled_from([(2, 9), (1, 3), (4, 4)]))
def test_bounds_over_values_hold_all_that_can_be_true(one, aggregate, ends):
    release, tree = small([one])
    ages, cells = one
    found = [
        answers(aggregate, [v for v in world if ends[0] <= v <= ends[1]])
        for world in worlds(cells, len(ages), tree)
    ]
    known = [value for value in found if not math.isnan(value)]
    of = None if aggregate == "count" else "pay"
    told = vk.answer(vk.Query((vk.analyst.Between("pay", *ends),), aggregate, of), release)
    if known:
        assert told.lower <= min(known) + 1e-9
        assert max(known) <= told.upper + 1e-9
    if aggregate == "count":
        assert (told.lower, told.upper) == (min(found), max(found))


def test_a_published_node_without_weight_stands_for_its_values_alike():
    """A tolerance may publish what the target itself gives no weight."""
    tree = balanced([1, 2, 4, 9])
    target = vk.Hierarchy(tree.levels, {1: 0, 2: 0, 4: 1, 9: 1})
    release = vk.SplitRelease(
        pd.DataFrame({"age": [1, 2, 3], "Group-ID": 1}),
        pd.DataFrame({"Group-ID": 1, "pay": ["1", "[1, 2]", "[4, 9]"]}),
        vk.Schema((vk.Column("age"), vk.Column("pay", "sensitive", hierarchy=target))),
        promise="covers",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = [vk.answer(f"select count(*) from t where pay = {pay}", release) for pay in (1, 2)]
        total = vk.answer("select sum(pay) from t", release)
    assert [answer.estimate for answer in found] == [1.5, 0.5]
    assert (total.lower, total.upper) == (1 + 1 + 4, 1 + 2 + 9)
