"""The engine against the truth row by row, and against every world that a release allows."""

import itertools
import math
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.analyst import Among, And, Between, Not, Or
from verikit.query import Evidence, _blocks, blocks, evidence_of

KINDS = ("as it is", "generalize", "anatomize", "permute_all", "rank_swap")


@pytest.mark.parametrize("kind", KINDS)
def test_the_truth_of_400_random_questions_lies_within_the_bounds(kind, w):
    rng = np.random.default_rng(KINDS.index(kind))
    names = ["age", "pay"] if kind == "rank_swap" else ["age", "job", "pay"]
    for _ in range(20):
        gaps = kind in ("as it is", "anatomize", "permute_all") and rng.random() < 0.5
        data = w.table(rng, int(rng.integers(4, 30)), missing=gaps)
        release = w.released(kind, data, rng.integers(0, max(1, len(data) // 4), len(data)))
        for _ in range(20):
            query = w.question(rng, w.predicate(rng, names))
            answer, true = vk.answer(query, release), w.truth(w.records(data), query)
            if math.isnan(answer.lower):
                assert math.isnan(true), query
            elif not math.isnan(true):
                assert answer.lower <= true <= answer.upper, query
                assert answer.lower <= answer.estimate <= answer.upper, query
            if kind == "as it is":
                assert answer.exact or math.isnan(true)


def possible(links):
    """By world the records: for each group every order of the columns that were cut off."""
    for orders in itertools.product(*(itertools.permutations(range(len(g))) for g in links)):
        yield [place for group, order in zip(links, orders, strict=True) for place in
               (group[at] for at in order)]  # fmt: skip


def all_answers(w, data, links, apart, query):
    """The answers of all worlds, in which the columns apart are linked in every way."""
    whole, rows = w.records(data), [place for group in links for place in group]
    for orders in itertools.product(*(possible(links) for _ in apart)):
        world = [dict(whole[row]) for row in rows]
        for name, order in zip(apart, orders, strict=True):
            for record, place in zip(world, order, strict=True):
                record[name] = whole[place][name]
        yield w.truth(world, query)


def once(w, rng, names):
    """A random tree in which every column stands once."""
    parts = [w.condition(rng, name) for name in names]
    parts = [Not(part) if rng.random() < 0.3 else part for part in parts]
    return And(*parts) if rng.random() < 0.5 else Or(*parts)


@pytest.mark.parametrize(
    ("kind", "apart", "rounds"), [("anatomize", ["pay"], 150), ("permute_all", ["job", "pay"], 60)]
)
def test_bounds_mean_and_variance_are_those_of_all_worlds(kind, apart, rounds, w):
    rng, closed = np.random.default_rng(7), 0
    links = [[0, 1, 2], [3, 4]]
    for _ in range(rounds):
        data = w.table(rng, 5)
        release = w.released(kind, data, [0, 0, 0, 1, 1])
        names = ["age", "job", "pay"] if rng.random() < 0.5 else ["age", "job"]
        query = w.question(rng, once(w, rng, names))
        found = [a for a in all_answers(w, data, links, apart, query) if not math.isnan(a)]
        answer = vk.answer(query, release)
        if not found:
            assert math.isnan(answer.estimate), query
            continue
        assert answer.lower == pytest.approx(min(found)), query
        assert answer.upper == pytest.approx(max(found)), query
        if answer.variance is not None:
            closed += 1
            assert answer.mean == answer.estimate == pytest.approx(np.mean(found)), query
            assert answer.variance == pytest.approx(np.var(found), abs=1e-9), query
    assert closed > rounds / 3


def test_bounds_of_a_generalized_table_are_those_of_all_values_its_cells_may_have(w):
    rng = np.random.default_rng(8)
    for _ in range(80):
        data = w.table(rng, 4)
        nodes = rng.choice(w.TREE.nodes, 4)
        frame = data.frame.assign(job=nodes)
        release = w.covering(frame, w.SCHEMA)
        query = w.question(rng, w.predicate(rng, ["age", "job"], 1))
        leaves = [w.TREE.leaves(node) for node in nodes]
        found = [
            w.truth([dict(r, job=j) for r, j in zip(w.records(data), jobs, strict=True)], query)
            for jobs in itertools.product(*leaves)
        ]
        found = [one for one in found if not math.isnan(one)]
        answer = vk.answer(query, release)
        if found:
            assert answer.lower == pytest.approx(min(found)), query
            assert answer.upper == pytest.approx(max(found)), query
        else:
            assert math.isnan(answer.estimate)


def test_permuted_bounds_are_never_wider_than_generalized_ones_of_the_same_groups(w):
    rng, narrower = np.random.default_rng(9), 0
    for _ in range(15):
        data = w.table(rng, 20)
        labels = rng.integers(0, 4, 20)
        wide, *narrow = (w.released(kind, data, labels) for kind in KINDS[1:4])
        for _ in range(20):
            query = w.question(rng, w.predicate(rng, ["age", "job"]))
            outer = vk.answer(query, wide)
            for release in narrow:
                inner = vk.answer(query, release)
                if not math.isnan(inner.lower):
                    assert outer.lower <= inner.lower + 1e-12, query
                    assert inner.upper <= outer.upper + 1e-12, query
                    narrower += inner.upper - inner.lower < outer.upper - outer.lower
    assert narrower > 100


def test_what_is_asked_of_one_column_is_taken_together(w):
    towns = pd.DataFrame({"town": ["{p, q}", "{p, q, r}"], "age": [1, 2]})
    release = w.covering(towns)
    either = vk.Query(Or(Among("town", frozenset("p")), Among("town", frozenset("q"))))
    assert vk.answer(either, release) == vk.answer(vk.Query.count({"town": {"p", "q"}}), release)
    spans = pd.arrays.IntervalArray.from_tuples([(20, 40)], closed="both")
    release = w.covering(pd.DataFrame({"age": spans}), vk.Schema((vk.Column("age"),)))
    parts = Or(Between("age", high=30), Between("age", low=30, closed="neither"))
    assert vk.answer(vk.Query(parts), release).exact
    far = vk.Query(Not(Between("age", 25, 35)))
    assert vk.answer(far, release).estimate == pytest.approx(10 / 21)
    assert vk.answer(far, release, measured=True).estimate == pytest.approx(0.5)
    but = vk.answer(vk.Query(Not(Among("age", frozenset({"30"})))), release)
    assert (but.lower, but.estimate, but.upper) == (0, pytest.approx(20 / 21), 1)


def test_the_lower_bound_is_worked_out_group_by_group():
    """Ages 60, 70, 80 and 62, 75, 79: one of each group is surely within 40 to 70, not one."""
    frame = pd.DataFrame({"Age": [60, 70, 80, 62, 75, 79], "ill": list("fffccc")})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    groups = vk.Partition.of([0, 0, 0, 1, 1, 1])
    wide, _ = vk.mask.generalize(data, partition=groups, seed=1)
    answer = vk.answer(vk.Query.count({"Age": (40, 70)}), wide)
    assert (answer.lower, answer.upper) == (0, 6)
    cut, _ = vk.mask.anatomize(data, partition=groups, seed=1)
    both = vk.answer(vk.Query.count({"Age": (40, 70), "ill": "f"}), cut)
    assert (both.lower, both.upper) == (2, 2)


def test_a_withheld_cell_may_meet_any_condition():
    frame = pd.DataFrame({"x": [1.0, None, 9, 9], "s": list("uvwu")})
    data = vk.Microdata(frame, vk.Schema.guess(frame, s="sensitive"))
    groups = vk.Partition.of([0, 0, 1, 1])
    release, _ = vk.mask.generalize(data, partition=groups, missing="own value", seed=1)
    assert vk.answer(vk.Query.count({"x": (1, 3)}), data).exact
    answer = vk.answer(vk.Query.count({"x": (1, 3)}), release)
    assert (answer.lower, answer.upper) == (0, 2)
    total = vk.answer(vk.Query.sum("x"), release)
    assert (total.lower, total.upper) == (-math.inf, math.inf)
    assert "nothing certain" in repr(total)


def test_a_table_that_does_not_say_how_it_was_made_is_never_answered_exactly():
    data = vk.simulate("dm", 50, seed=1)
    release, _ = vk.mask.noise(data, scale=0.5, seed=1)
    query = vk.Query.count({"X1": (95, 105)})
    for bare in (vk.TableRelease.of(release.frame), release):
        answer = vk.answer(query, bare)
        rows = release.frame["X1"].between(95, 105)
        assert (answer.lower, answer.estimate, answer.upper) == (0, rows.sum(), 50)
        mean = vk.answer(vk.Query.avg("X2", {"X1": (95, 105)}), bare)
        assert mean.estimate == pytest.approx(release.frame["X2"][rows].mean())
        assert (mean.lower, mean.upper, mean.variance) == (-math.inf, math.inf, None)
        assert "exactly" not in f"{answer!r}{mean!r}"
        assert ("an estimate only" if bare is release else "how it was made is untold") in repr(
            mean
        )


@pytest.mark.parametrize("method", ["rank_swap", "shuffle"])
def test_rows_that_were_kept_together_are_better_than_columns_one_by_one(method):
    rng = np.random.default_rng(22)
    z = rng.normal(size=1000)
    frame = pd.DataFrame({name: z + 0.3 * rng.normal(size=1000) for name in "ab"})
    data = vk.Microdata(frame, vk.Schema.guess(frame))
    options = {"percent": 5} if method == "rank_swap" else {"correlation": 0.9}
    release, _ = getattr(vk.mask, method)(data, **options, seed=1)
    middle = {name: (-100, float(frame[name].median())) for name in "ab"}
    answer, true = (
        vk.answer(vk.Query.count(middle), release),
        vk.answer(vk.Query.count(middle), data),
    )
    assert abs(answer.estimate - true.estimate) < 20
    assert (answer.lower, answer.upper) == (0, 500)
    assert method.replace("_", " ") in answer.rests_on


def values_before(pay, reach):
    """All values that the rows may have had: each order of equal ones, each move within reach."""
    rows = range(len(pay))
    ordered = sorted(pay)
    for ranks in itertools.permutations(rows):
        if any(pay[row] != ordered[rank] for row, rank in zip(rows, ranks, strict=True)):
            continue
        for moved in itertools.permutations(rows):
            if all(abs(one - other) <= reach for one, other in zip(ranks, moved, strict=True)):
                yield [ordered[rank] for rank in moved]


@pytest.mark.parametrize("percent", [20, 40])
def test_bounds_of_values_that_moved_some_ranks_are_those_of_all_moves(percent, w):
    """[QZ] section 2.7: the range of ranks within which a value was swapped is known."""
    rng = np.random.default_rng(percent)
    for _ in range(25):
        frame = pd.DataFrame({"age": rng.integers(0, 3, 5), "pay": rng.integers(-3, 9, 5)})
        data = vk.Microdata(frame, vk.Schema((vk.Column("age"), vk.Column("pay", "sensitive"))))
        release, _ = vk.mask.rank_swap(data, percent={"age": 0, "pay": percent}, seed=1)
        shown = release.frame
        worlds = list(values_before(shown["pay"].tolist(), release.parameters["places"]["pay"]))
        age = int(rng.integers(0, 3))
        meant = np.flatnonzero(shown["age"] == age)
        for aggregate, truth in (("sum", sum), ("avg", np.mean), ("min", min), ("max", max)):
            answer = vk.answer(getattr(vk.Query, aggregate)("pay", {"age": age}), release)
            if not len(meant):
                assert math.isnan(answer.lower) or answer.exact
                continue
            found = [truth([world[row] for row in meant]) for world in worlds]
            assert (answer.lower, answer.upper) == pytest.approx((min(found), max(found)))
            assert answer.lower <= answer.estimate <= answer.upper


def test_an_empty_selection_counts_nothing_and_has_no_average():
    data = vk.load("lhcc_table1")
    nobody = {"Age": (0, 5)}
    for release in (data, vk.published("lhcc_table2"), vk.published("lhcc_table3")):
        assert vk.answer(vk.Query.count(nobody), release).estimate == 0
        assert vk.answer(vk.Query.sum("Age", nobody), release).estimate == 0
        for ask in (vk.Query.avg, vk.Query.min, vk.Query.max):
            answer = vk.answer(ask("Age", nobody), release)
            assert all(map(math.isnan, (answer.lower, answer.estimate, answer.upper)))
            assert repr(answer).startswith("no value (age")
            assert repr(answer).endswith("in years): no record can meet the conditions")


def test_missing_values_are_asked_as_sql_asks_them(w):
    duckdb = pytest.importorskip("duckdb")
    rng = np.random.default_rng(3)
    data = w.table(rng, 200, missing=True)
    connection = duckdb.connect()
    connection.register("t", data.frame.astype({"job": str}))
    leaves = list(w.TREE.levels)
    for _ in range(60):
        where = w.predicate(rng, ["age", "pay"])
        if rng.random() < 0.5:
            where = Or(where, Not(Among("job", frozenset(rng.choice(leaves, 2).tolist()))))
        query = w.question(rng, where)
        (expected,) = connection.execute(query.sql_text()).fetchone()
        found = vk.answer(query, data).estimate
        assert (found if query.aggregate == "sum" or not math.isnan(found) else None) == (
            pytest.approx(expected or 0) if query.aggregate == "sum" else
            None if expected is None else pytest.approx(expected)
        ), query  # fmt: skip


def test_evidence_is_kept_as_long_as_its_release_and_no_longer():
    import gc
    import weakref

    release = vk.published("lhcc_table4")
    kept = weakref.ref(evidence_of(release))
    vk.answer(vk.Query.count({"Age": (40, 70)}), release)
    assert evidence_of(release) is kept()
    del release
    gc.collect()
    assert kept() is None


@pytest.mark.parametrize("kind", ["anatomize", "permute_all"])
def test_counts_that_are_kept_answer_as_rows_do(kind, w, monkeypatch):
    made, tally = [], _blocks.Tally
    monkeypatch.setattr(_blocks, "Tally", Mock(wraps=tally, pays=tally.pays))
    rng = np.random.default_rng(6)
    data = w.table(rng, 40)
    release, other = (w.released(kind, data, np.arange(40) // 4) for _ in range(2))
    for _ in range(40):
        query = vk.Query.count({"age": tuple(np.sort(rng.integers(20, 29, 2)).tolist())})
        monkeypatch.setattr(_blocks, "MIN_QUESTIONS", 10)
        answer = vk.answer(query, release)
        made.append(_blocks.Tally.call_count)
        monkeypatch.setattr(_blocks, "MIN_QUESTIONS", 1000)
        assert repr(answer) == repr(vk.answer(query, other))
    assert made == [0] * 9 + [1] * 31


def test_a_new_kind_of_release_needs_only_its_blocks():
    class Kind:
        pass

    seen = blocks(vk.published("lhcc_table4"))
    blocks.register(Kind, lambda release: seen)
    assert vk.answer(vk.Query.count({"Sex": "F"}), Kind()).estimate == 5
    assert Evidence(seen).answer(vk.Query()).estimate == 9


def deep(levels):
    part = Between("a", 1, 2)
    for level in range(levels):
        part = Not(part) if level % 2 else And(part, Between("b", 1, 2))
    return part


def test_500_nested_conditions_are_refused_in_a_sentence():
    with pytest.raises(vk.RecordError, match="nested 51 deep; expected at most 50"):
        deep(500)
    assert repr(vk.Query(deep(49))).count("not") == 24
    short = vk.Query(deep(10))
    assert vk.Query.sql(short.sql_text()) == short
    many = "not (a = 1 and " * 500 + "a = 2" + ")" * 500
    with pytest.raises(vk.RecordError, match="nest"):
        vk.Query.sql(f"select count(*) from t where {many}")
    chain = " and ".join(["a <> 1"] * 500)
    assert len(vk.Query.sql(f"select count(*) from t where {chain}").where) == 500
    chain = " or ".join(["a = 1"] * 500)
    frame = pd.DataFrame({"a": [1, 2]})
    assert (
        vk.answer(f"select count(*) from t where {chain}", vk.TableRelease.of(frame)).estimate == 1
    )


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (vk.Query.sum("Disease"), "The sum of 'Disease' was asked for, which holds categories"),
        (vk.Query.min("Sex", {"Age": (1, 99)}), "The min of 'Sex' was asked for"),
        (vk.Query.avg("Pay"), "There is no column 'Pay'"),
    ],
)
def test_an_aggregate_that_cannot_be_had_is_refused(query, sentence):
    for name in ("lhcc_table2", "lhcc_table3", "lhcc_table4"):
        with pytest.raises(vk.RecordError, match=sentence):
            vk.answer(query, vk.published(name))


def test_an_aggregate_that_nobody_knows_is_never_answered_by_another():
    with pytest.raises(vk.RecordError, match="aggregate was given as 'median'; expected one of"):
        vk.Query((), "median", "Age")
    with pytest.raises(vk.RecordError, match="every other aggregate needs the name of a column"):
        vk.Query((), "sum")
    with pytest.raises(vk.RecordError, match="a count is of records"):
        vk.Query((), "count", "Age")
    query = vk.Query.sum("Age")
    object.__setattr__(query, "aggregate", "median")
    for name in ("lhcc_table2", "lhcc_table3", "lhcc_table4"):
        with pytest.raises(vk.RecordError, match="No engine knows the aggregate 'median'"):
            vk.answer(query, vk.published(name))


def test_a_group_that_can_do_without_is_not_counted_below_none():
    """Of the first three one is p and one is u: perhaps none is both. The last two surely are."""
    frame = pd.DataFrame({"A": list("pqrpp"), "B": list("uvwuu"), "S": list("abcde")})
    data = vk.Microdata(frame, vk.Schema.guess(frame, S="sensitive"))
    partition = vk.Partition.of([0, 0, 0, 1, 1])
    release = vk.mask.permute_all(data, partition=partition, seed=1).release
    found = vk.answer(vk.Query.count({"A": ["p"], "B": ["u"]}), release)
    assert (found.lower, found.upper) == (2, 3)
