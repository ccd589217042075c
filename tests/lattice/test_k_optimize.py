from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.lattice import _k_optimize, k_optimize


def cut_exhaustively(data, k, allowed):
    """The least cost of any intervals of the columns' values, all of them tried."""
    columns = []
    for column in data.schema.quasi:
        codes = pd.factorize(data.codes(column.name)[0], sort=True)[0]
        columns.append(codes)
    choices = [product([0, 1], repeat=int(codes.max())) for codes in columns]
    best = None
    for begins in product(*map(list, choices)):
        intervals = [
            np.cumsum([0, *marks])[codes] for marks, codes in zip(begins, columns, strict=True)
        ]
        sizes = Counter(zip(*intervals, strict=True)).values()
        short = sum(size for size in sizes if size < k)
        cost = sum(size**2 for size in sizes if size >= k) + short * len(data)
        if short <= allowed and (best is None or cost < best):
            best = cost
    return best


def test_the_levels_found_are_the_cheapest_of_all_safe_nodes(exhaustive):
    for data, k, share, truth in exhaustive(250):
        found = k_optimize(data, k=k, suppression=share)
        safe = {n: cost for n, (short, cost, _) in truth.items() if short <= share * len(data)}
        least = min(safe.values())
        assert found.cost == least
        equal = [node for node, cost in safe.items() if cost == least]
        assert found.node == min(equal, key=lambda node: (sum(node), node))


def test_the_cuts_found_are_the_cheapest_of_all_intervals(exhaustive):
    for data, k, share, _ in exhaustive(150):
        found = k_optimize(data, k=k, suppression=share, cuts="values")
        assert found.cost == cut_exhaustively(data, k, share * len(data))
        assert len(found.suppressed) <= share * len(data)


@pytest.mark.parametrize("cuts", ["levels", "values"])
def test_pruning_does_not_change_the_result(exhaustive, cuts):
    shorter = 0
    for data, k, share, _ in exhaustive(150, first=1000):
        pruned = k_optimize(data, k=k, suppression=share, cuts=cuts)
        whole = k_optimize(data, k=k, suppression=share, cuts=cuts, pruning=False)
        assert (pruned.levels, pruned.cuts) == (whole.levels, whole.cuts)
        assert pruned.suppressed.tolist() == whole.suppressed.tolist()
        assert all(step.verdict != "pruned" for step in whole.trail)
        counted = [step for step in pruned.trail if step.verdict != "pruned"]
        assert len(counted) <= len(whole.trail)
        shorter += len(counted) < len(whole.trail)
    assert shorter > 30


@pytest.mark.parametrize("cuts", ["levels", "values"])
def test_no_set_of_cuts_is_visited_twice(exhaustive, cuts):
    for data, k, share, _ in exhaustive(60):
        found = k_optimize(data, k=k, suppression=share, cuts=cuts, pruning=False)
        nodes = [step.node for step in found.trail]
        assert len(nodes) == len(set(nodes))


@pytest.mark.parametrize("cuts", ["levels", "values"])
def test_no_branch_is_pruned_that_holds_a_cheaper_set(exhaustive, cuts):
    """A pruned set costs at least as much as the bound that is given as the reason."""
    bounds = 0
    for data, k, share, _ in exhaustive(60, first=2000):
        found = k_optimize(data, k=k, suppression=share, cuts=cuts)
        for step in found.trail:
            if step.verdict == "pruned":
                bound = int(step.reason.removeprefix("costs at least ").split(",")[0])
                assert bound > found.cost
                bounds += 1
    assert bounds > 20


def test_values_are_cut_in_their_order_and_named_by_where_intervals_begin():
    """Ages 20 20 30 40 40 50 at k=2: pairs at 20 and at 40, 30 with either, 50 with 40."""
    data = vk.Microdata(pd.DataFrame({"age": [40, 20, 50, 30, 20, 40]}))
    found = k_optimize(data, k=2, cuts="values")
    assert found.cuts == {"age": (40,)}
    assert found.cost == 9 + 9
    assert found.levels == {}
    assert "{'age': (40,)}" in repr(found)
    assert k_optimize(data, k=2, cuts="values", suppression=1).cost == 18


def test_suppressing_pays_only_where_it_is_cheaper_than_large_classes():
    """Nine records alike and one apart: hiding it costs 10, keeping it in one class 19 more."""
    tree = vk.Hierarchy.of({"*": ["a", "b"]})
    data = vk.Microdata(
        pd.DataFrame({"Q": ["a"] * 9 + ["b"]}),
        vk.Schema((vk.Column("Q", "quasi", "nominal", tree),)),
    )
    found = k_optimize(data, k=2, suppression=0.1)
    assert (found.levels, found.cost, found.suppressed.tolist()) == ({"Q": 0}, 81 + 10, [9])
    assert k_optimize(data, k=2).levels == {"Q": 1}


def test_too_many_cuts_are_given_up_in_a_sentence(monkeypatch):
    monkeypatch.setattr(_k_optimize, "MAX_SETS", 50)
    data = vk.Microdata(pd.DataFrame({"age": range(40)}))
    with pytest.raises(vk.InfeasibleError, match="39 cuts leave too many sets to search: 50 were"):
        k_optimize(data, k=2, cuts="values", pruning=False)


def test_cuts_of_another_kind_are_refused(table2):
    with pytest.raises(vk.RecordError, match="cuts was given as 'nodes'; expected 'levels' or"):
        k_optimize(table2, k=2, cuts="nodes")
