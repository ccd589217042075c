"""Laws that answers obey whatever a release hides, for every registered mask."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.analyst import Among, And, Between, Not, Or
from verikit.query import CERTAIN, promise_of

KINDS = sorted(vk.mask.METHODS._known)
TOWNS = list("abcd")
NUMBERS = {"noise", "rank_swap", "shuffle", "microaggregate", "mallows"}


def table(rng, n, *, names):
    frame = pd.DataFrame({"age": rng.integers(20, 40, n), "pay": rng.integers(0, 12, n)})
    columns = [vk.Column("age"), vk.Column("pay", "sensitive")]
    if names:
        frame["town"] = rng.choice(TOWNS, n)
        columns.insert(1, vk.Column("town", kind="nominal"))
    return vk.Microdata(frame, vk.Schema(tuple(columns)))


def released(kind, rng):
    """A release of a mask, and the columns that questions ask."""
    n = 12
    data = table(rng, n, names=kind not in NUMBERS)
    groups = vk.Partition.of(rng.permutation(n) // 4)
    if kind == "disguise":
        tree, fakes = vk.targets.balanced(range(12)), int(rng.integers(0, 3))
        return vk.mask.disguise(data, hierarchy=tree, groups=groups, fakes=fakes, seed=1).release
    if kind == "personalize":
        tree = vk.targets.balanced(range(12))
        wish = [tree.level(int(pay), int(rng.integers(0, 3))) for pay in data.frame["pay"]]
        schema = vk.Schema((*data.schema, vk.Column("wish", "other", "nominal")))
        data = vk.Microdata(data.frame.assign(wish=wish), schema)
        return vk.mask.personalize(data, hierarchy=tree, requirement="wish", seed=1).release
    if kind == "randomize":  # with a column that nobody asks for, so that all others may be kept
        frame = data.frame.assign(sex=rng.choice(list("fm"), n))
        data = vk.Microdata(frame, vk.Schema((*data.schema, vk.Column("sex", kind="nominal"))))
        return vk.mask.randomize(data, seed=1).release
    options = {
        "noise": {"scale": 2}, "rank_swap": {"percent": 30}, "shuffle": {"correlation": 0.9},
        "microaggregate": {"k": 3}, "mallows": {"theta": 0.3},
        "swap": {"match": ["town"], "swap": ["pay"], "rate": 0.5},
        "from_key": {"permutation": {"pay": np.roll(np.arange(n), 3)}},
    }.get(kind, {"partition": groups})  # fmt: skip
    return getattr(vk.mask, kind)(data, **options, seed=1).release


def condition(rng, release):
    name = str(rng.choice([n for n in ("age", "town", "pay") if n in release.schema.names]))
    if name == "town":
        return Among("town", frozenset(rng.choice(TOWNS, rng.integers(1, 3)).tolist()))
    low, high = sorted(rng.integers(*((20, 40) if name == "age" else (0, 12)), 2).tolist())
    return Between(name, low, high, str(rng.choice(["both", "left", "right"])))


def tree(rng, release, depth=2):
    kind = str(rng.choice(["one", "and", "or", "not"])) if depth else "one"
    if kind == "one":
        return condition(rng, release)
    if kind == "not":
        return Not(tree(rng, release, depth - 1))
    return {"and": And, "or": Or}[kind](*(tree(rng, release, depth - 1) for _ in range(2)))


def count(release, where):
    return vk.answer(vk.Query((where,)), release)


def middle(found):
    """The estimate, which a count of what was drawn anew cuts off at none and all."""
    return found.estimate if found.mean is None else found.mean


def same(one, two):
    numbers = [
        [found.lower, middle(found), found.upper] for found in (one, two)
    ]  # the words may differ: what is exact by one spelling is so by the other
    return np.allclose(*numbers, rtol=1e-9, atol=1e-9, equal_nan=True)


@pytest.fixture(params=KINDS)
def asked(request):
    """Releases of a mask with random conditions."""
    rng = np.random.default_rng(KINDS.index(request.param))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        releases = [released(request.param, rng) for _ in range(2)]
    return [(one, rng, tree(rng, one), tree(rng, one)) for one in releases for _ in range(6)]


def test_who_meets_either_are_who_meets_one_and_the_other_but_not_both_twice(asked):
    for release, _, a, b in asked:
        one, two, both, either = (count(release, c) for c in (a, b, And(a, b), Or(a, b)))
        together = middle(one) + middle(two) - middle(both)
        assert middle(either) == pytest.approx(together, abs=1e-9), (a, b)
        assert either.lower >= max(one.lower, two.lower) - 1e-9
        assert both.upper <= min(one.upper, two.upper) + 1e-9


def test_who_does_not_meet_a_condition_are_all_others(asked):
    for release, _, a, _ in asked:
        one, other = count(release, a), count(release, Not(a))
        n = vk.answer("select count(*) from t", release).estimate
        assert middle(one) + middle(other) == pytest.approx(n), a
        if promise_of(release) in CERTAIN:
            assert (one.lower + other.upper, one.upper + other.lower) == pytest.approx((n, n)), a


def test_parts_of_a_range_add_up_to_it(asked):
    for release, rng, a, _ in asked:
        low, cut, high = sorted(rng.integers(0, 40, 3).tolist())
        name = str(rng.choice(["age", "pay"]))
        parts = Between(name, low, cut, "left"), Between(name, cut, high)
        whole = Between(name, low, high)
        for ask in (vk.Query.count, lambda where: vk.Query.sum("pay", where)):
            found = [vk.answer(ask(And(part, a)), release) for part in (*parts, whole)]
            first, second, together = map(middle, found)
            assert first + second == pytest.approx(together, abs=1e-9), (a, parts)


def test_equal_spellings_have_equal_answers(asked):
    for at, (release, _, a, b) in enumerate(asked):
        for aggregate in ("count", ("sum", "avg", "min", "max")[at % 4]):
            of = None if aggregate == "count" else "pay"
            pairs = [
                (And(a, Or(a, b)), a),
                (Not(And(a, b)), Or(Not(a), Not(b))),
                (And(a, b), And(b, a, b)),
                (Or(And(a, b), And(a, Not(b))), a),
            ]
            for one, two in pairs:
                answers = [vk.answer(vk.Query((c,), aggregate, of), release) for c in (one, two)]
                if not all(x.tight for x in answers):
                    continue
                if promise_of(release) in CERTAIN and aggregate in ("avg", "min", "max"):
                    ends = [(x.lower, x.upper) for x in answers]
                    assert np.allclose(*ends, equal_nan=True), (aggregate, one, two)
                else:
                    assert same(*answers), (aggregate, one, two)


def test_extremes_enclose_the_average(asked):
    for release, _, a, _ in asked:
        if promise_of(release) not in CERTAIN:
            continue
        low, mean, high = (
            vk.answer(vk.Query((a,), name, "pay"), release) for name in ("min", "avg", "max")
        )
        if not math.isnan(mean.lower):
            assert low.lower <= mean.lower + 1e-9, a
            assert mean.upper <= high.upper + 1e-9, a
