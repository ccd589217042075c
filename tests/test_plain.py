"""`verikit.plain` goes step by step, the rest of verikit is quick, and both give the same."""

from collections import Counter
from fractions import Fraction
from itertools import chain
from operator import add

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2_contingency

import verikit as vk
from verikit import plain

SEEDS = range(12)


def numbers(rng, n, m, names="abcdefgh"):
    """A table of different numbers, bare and as verikit has it."""
    table = rng.permuted(np.tile(np.arange(n * 3.0), (m, 1)), axis=1)[:, :n].T
    frame = pd.DataFrame(table, columns=list(names[:m]))
    return table, frame


def grouped(labels):
    """Groups as a set of sets, whatever their numbers."""
    return {frozenset(np.flatnonzero(np.asarray(labels) == g).tolist()) for g in set(labels)}


def sets(groups):
    return {frozenset(group) for group in groups}


def alike(drawn, expected):
    """Whether two counts of what was drawn could come from the same chances (1 of 10,000)."""
    kinds = sorted({*drawn, *expected}, key=str)
    table = [[counts[kind] for kind in kinds] for counts in (drawn, expected)]
    return len(kinds) == 1 or chi2_contingency(table).pvalue > 1e-4


@pytest.mark.parametrize("seed", SEEDS)
def test_a_subject_and_an_intruder_of_the_permutation_paradigm(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    original, frame = numbers(rng, n, 3)
    data = vk.Microdata(frame, vk.Schema.guess(frame))
    masked = original + rng.normal(0, n / 4, original.shape)
    release = vk.TableRelease(pd.DataFrame(masked, columns=frame.columns), data.schema)
    mapped = vk.reverse_map(data, release, vk.Key.of(range(n)), seed=1).frame
    for j, name in enumerate(frame.columns):
        assert mapped[name].tolist() == plain.reverse_map(original[:, j], masked[:, j]).tolist()
    links = vk.link(data, release)
    expected = plain.link_records(original, masked)
    assert [(links.of(i)["row"] - 1).tolist() for i in range(n)] == expected
    report = vk.check(data.record(0), release)
    rows = plain.find_rows(original[0], masked)
    matches = report.matches.set_index("row").sort_index()
    assert (matches.index - 1).tolist() == rows
    distances = [plain.measure_distances(original[0], masked, row) for row in rows]
    assert matches.to_numpy().tolist() == np.array(distances).tolist()
    places = plain.rank_closest(original[0], masked)
    if len(rows) == 1:
        each = zip(masked.T, places, *distances, strict=True)
        spreads = [plain.measure_spread(*of) for of in each]
        assert report.attributes["diversity"].tolist() == pytest.approx(spreads)


@pytest.mark.parametrize("seed", SEEDS)
def test_records_are_dealt_to_groups_by_their_value(seed):
    rng = np.random.default_rng(seed)
    values, ell = rng.integers(0, 6, rng.integers(2, 25)).tolist(), int(rng.integers(1, 4))
    frame = pd.DataFrame({"age": 1, "ill": [f"v{v}" for v in values]})
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    try:
        found = vk.partition.diverse(data, ell=ell, tries=1, corners="table", seed=1)
    except vk.InfeasibleError:
        with pytest.raises(vk.InfeasibleError, match="different values"):
            plain.deal_records(values, ell)
        return
    dealt = plain.deal_records(values, ell)
    sizes = sorted(Counter(dealt).values())
    assert sizes == sorted(found.sizes.tolist())
    contents = [
        Counter(tuple(sorted(values[i] for i in group)) for group in grouped(labels))
        for labels in (dealt, found.labels)
    ]
    assert contents[0] == contents[1]


def test_a_table_is_halved_and_its_groups_permuted_with_the_same_chances():
    known = np.array([[20.0, 1], [30, 5], [41, 2], [52, 9], [60, 4], [75, 7]])
    ill = list("abcabc")
    frame = pd.DataFrame(known, columns=["age", "zip"]).assign(ill=ill)
    data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    ours, theirs = Counter(), Counter()
    for seed in range(250):
        rng = np.random.default_rng(seed)
        parts = plain.halve_table(known, ill, 2, 2, rng)
        groups = [
            frozenset(part[i] for i in group)
            for part in parts
            for group in grouped(plain.deal_records([ill[i] for i in part], 2))
        ]
        ours[frozenset(groups)] += 1
        found = vk.partition.diverse(data, ell=2, tries=2, seed=seed)
        theirs[frozenset(grouped(found.labels))] += 1
    assert len(theirs) > 1
    assert alike(ours, theirs)


def test_values_are_permuted_inside_groups_and_drawn_anew_with_the_same_chances():
    table = np.array([["20", "flu"], ["30", "flu"], ["40", "cold"]], object)
    frame = pd.DataFrame(table, columns=["age", "ill"])
    split = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
    both = vk.Microdata(frame, vk.Schema.guess(frame))
    groups, draws = vk.Partition.of([0, 0, 0]), [Counter() for _ in range(4)]
    for seed in range(400):
        rng = np.random.default_rng(seed)
        permuted = vk.mask.permute_all(split, partition=groups, seed=seed).release
        drawn = vk.mask.randomize(both, changed=1, probabilities="equal", seed=seed).release
        draws[0][tuple(plain.permute_groups(table, [0, 0, 0], rng)[:, 0])] += 1
        draws[1][tuple(permuted.quasi["age"])] += 1
        # released rows are shuffled
        draws[2][tuple(sorted(map(tuple, plain.randomize(table, 1, rng))))] += 1
        draws[3][tuple(sorted(map(tuple, drawn.frame.to_numpy())))] += 1
    assert alike(*draws[:2])
    assert alike(*draws[2:])


@pytest.mark.parametrize("seed", SEEDS)
def test_numbers_are_grouped_with_the_least_sum_and_the_least_widest_range(seed):
    rng = np.random.default_rng(seed)
    pay = rng.integers(0, 15, rng.integers(2, 12)).tolist()
    k, e = int(rng.integers(1, 4)), int(rng.integers(0, 5))
    frame = pd.DataFrame({"age": range(len(pay)), "pay": pay})
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    for combine, fast, total in (
        (add, vk.partition.min_sum_error, sum),
        (max, vk.partition.min_max_error, max),
    ):
        least, groups = plain.group_numbers(pay, k, e, combine)
        try:
            found = fast(data, k=k, e=e, seed=1)
        except vk.InfeasibleError:
            assert least == float("inf")
            continue
        ranges = [frame["pay"][rows].max() - frame["pay"][rows].min() for rows in found.groups()]
        assert total(ranges) == least == total([group[-1] - group[0] for group in groups])
        assert sorted(chain.from_iterable(groups)) == sorted(pay)
        told = vk.mask.permute_sensitive(data, partition=found, seed=1).release.help
        for _, line in told.iterrows():
            group = [of for of in found.groups() if len(of) >= line["hits"]]
            bounds = {plain.bound_sum([frame["pay"][of].tolist()], [line["hits"]]) for of in group}
            assert (line["sum_lower"], line["sum_upper"]) in bounds


@pytest.mark.parametrize("size", [4, 8])
@pytest.mark.parametrize("seed", SEEDS)
def test_values_are_disguised_as_a_target_with_and_without_fakes(seed, size):
    rng = np.random.default_rng(seed)

    def halve(values):
        middle = len(values) // 2
        inner = (halve(values[:middle]), halve(values[middle:])) if middle else ()
        return plain.Node(1, tuple(values), inner)

    root, target = halve(range(1, size + 1)), vk.targets.balanced(range(1, size + 1))
    values = rng.integers(1, size + 1, rng.integers(1, 9)).tolist()
    published = plain.disguise(values, root, len(values))
    steps = vk.targets.walk(target, values).set_index("node")["stay"]
    stay = {name: number for name, number in steps.items() if number and "[" in str(name)}
    names = Counter(f"[{n.values[0]}, {n.values[-1]}]" for n in published if len(n.values) > 1)
    assert stay == names
    costs = vk.targets.costs_of_fakes(target, values, 2)
    assert [Fraction(plain.cost_with_fakes(values, root, x, 0)) for x in range(3)] == [*costs]
    assert costs[0] == sum(node.values[-1] - node.values[0] for node in published)


@pytest.mark.parametrize("seed", SEEDS)
def test_entities_of_a_graph_are_grouped_safely(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 9)), int(rng.integers(1, 4))
    links = [set(rng.choice(5, rng.integers(0, 3), replace=False).tolist()) for _ in range(n)]
    pairs = [(f"p{i}", f"q{j}") for i, near in enumerate(links) for j in near]
    left = pd.DataFrame({"left": [f"p{i}" for i in range(n)]})
    right = pd.DataFrame({"right": [f"q{j}" for j in range(5)]})
    graph = vk.BipartiteGraph.of(pd.DataFrame(pairs, columns=["left", "right"]), left, right)
    groups = plain.group_safely(links, k)
    try:
        found = vk.partition.safe_groups(graph, "left", k, order=range(n), seed=1)
    except vk.InfeasibleError:
        assert groups is None
    else:
        assert grouped(found.labels) == sets(groups)


@pytest.mark.parametrize("seed", SEEDS)
def test_models_and_cuts_of_the_survey(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 20))
    known = rng.integers(0, 9, (n, 2)).astype(float)
    pay = rng.integers(0, 4, n).tolist()
    frame = pd.DataFrame(known, columns=["age", "zip"]).assign(pay=pay)
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    rows = [tuple(row) for row in known]
    classes = [[p for p, other in zip(pay, rows, strict=True) if other == row] for row in set(rows)]
    assert vk.models.k_anonymity(data).value == plain.count_alike(rows)
    entropy = min(np.exp(plain.measure_entropy(values)) for values in classes)
    assert vk.models.entropy_diversity(data).value == pytest.approx(entropy)
    if len(set(pay)) > 1:
        close = max(plain.measure_closeness(values, pay) for values in classes)
        assert vk.models.t_closeness(data, ground="ordered").value == pytest.approx(close)
    k = int(rng.integers(1, n + 1))
    assert grouped(vk.partition.mondrian(data, k=k).labels) == sets(plain.cut_at_medians(known, k))


@pytest.mark.parametrize("suppression", [0, 0.2])
@pytest.mark.parametrize("k", [2, 3])
def test_the_least_height_is_searched_by_halves(k, suppression):
    data = vk.load("ks_table2_unmasked")
    levels = []
    for name in ("Race", "Zip"):
        tree, column = data.schema[name].hierarchy, data.frame[name]
        levels.append([[tree.path(v)[level] for v in column] for level in range(tree.height + 1)])
    found = vk.lattice.samarati(data, k=k, suppression=suppression)
    most = int(suppression * len(data))
    assert plain.search_heights(levels, k, most) == sorted(found.minimal)
