"""What chapter 3 of the dissertation prints about disguised distributions, recomputed."""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pytest

import verikit as vk
from verikit.mask import Tolerance, disguise
from verikit.models import target_privacy
from verikit.targets import balanced, normal, of_values, zipf
from verikit.targets._disguise_group import costs_with_fakes, search_slots, shift_target, with_fakes
from verikit.targets._distributions import tree_of
from verikit.targets._published_nodes import allocation, find_fewest_nodes

SALARIES = balanced([30_000, 40_000, 50_000, 60_000])
WHOLE, LOW, HIGH = "[30000, 60000]", "[30000, 40000]", "[50000, 60000]"
SKEWED = [1, 1, 1, 2, 3, 4, 5, 6, 7, 9, 9, 11, 11, 13, 13, 15, 15]


def to(last):
    return tree_of(balanced(range(1, last + 1)), numeric=True)


def counted(values, size):
    return np.bincount(np.array(values) - 1, minlength=size)


def leaves(values):
    return np.sort(np.array(values)) - 1


def cost(values, size):
    tree = to(size)
    return tree.cost(find_fewest_nodes(tree, leaves(values)))


def published(values, size):
    tree = to(size)
    return {tree.names[node]: n for node, n in find_fewest_nodes(tree, leaves(values)).items()}


def best_of(values, number, size):
    """The least cost over all choices of so many fakes, and all that reach it."""
    found = {
        fakes: cost([*values, *fakes], size)
        for fakes in combinations_with_replacement(range(1, size + 1), number)
    }
    return min(found.values()), {fakes for fakes, c in found.items() if c == min(found.values())}


@pytest.fixture(scope="module")
def people():
    return vk.load("qz_table3_1")


@pytest.fixture(scope="module")
def groups(people):
    return vk.Partition.of(people.frame["zipcode"] // 100)


# -- the example ---------------------------------------------------------------------------------


def test_dp13_table_3_2_is_what_comes_out_and_costs_0_and_50_and_80_thousand(people, groups):
    release, key = disguise(people, hierarchy=SALARIES, groups=groups, seed=1)
    cells = release.sensitive["salary"].to_numpy()[key.columns["salary"]]
    found = [Counter(map(str, cells[rows])) for rows in groups.groups()]
    assert found == [
        {"30000": 1, "40000": 1, "50000": 1, "60000": 1},
        {WHOLE: 1, LOW: 1, HIGH: 1},
        {WHOLE: 2, LOW: 1, HIGH: 1},
    ]
    assert release.parameters["sum of ranges"] == "130000"
    costs = [
        disguise(people.take(rows), hierarchy=SALARIES, seed=1).release.parameters["sum of ranges"]
        for rows in groups.groups()
    ]
    assert costs == ["0", "50000", "80000"]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        pytest.param(["30000", "40000", "50000", "60000"], [30, 40, 50, 60], id="3.2 group 1"),
        pytest.param([WHOLE, LOW, HIGH], [40, 30, 50], id="3.2 group 2"),
        pytest.param([WHOLE, LOW, WHOLE, HIGH], [40, 60, 60, 60], id="3.2 group 3"),
        pytest.param([LOW, "50000", LOW, "60000"], [30, 40, 50, 60], id="3.3 group 1"),
        pytest.param([HIGH, LOW, WHOLE], [40, 30, 50], id="3.3 group 2"),
        pytest.param([WHOLE, LOW, WHOLE, WHOLE], [40, 60, 60, 60], id="3.3 group 3"),
    ],
)
def test_dp11_and_dp14_which_printed_groups_are_uniformly_private(cells, values):
    verdict = target_privacy(cells, target=SALARIES, values=[1000 * v for v in values])
    assert verdict.covers
    assert verdict.met == (cells != [WHOLE, LOW, WHOLE, WHOLE])


def test_dp08_the_text_describes_a_group_of_four_that_table_3_2_does_not_have():
    for values in ([40, 40, 50, 60],):
        tree = tree_of(SALARIES, numeric=True)
        slots = find_fewest_nodes(tree, np.array([v // 10 - 3 for v in values]))
        named = {tree.names[node]: n for node, n in slots.items()}
        assert named == {LOW: 2, "50000": 1, "60000": 1}


def test_dp15_only_one_of_the_two_examples_generalizes_two_thirties():
    values = [30_000, 30_000, 50_000, 60_000]
    bare = target_privacy(["30000", "40000", "50000", "60000"], target=SALARIES, values=values)
    pairs = target_privacy([LOW, LOW, "50000", "60000"], target=SALARIES, values=values)
    assert (bare.distance, bare.covers, bare.met) == (0, False, False)
    assert (pairs.distance, pairs.covers, pairs.met) == (0, True, True)


def test_dp16_two_to_one_means_two_thirds_and_one_third():
    target = vk.Hierarchy(balanced([30, 40]).levels, {30: 2, 40: 1})
    shown = target_privacy(["[30, 40]"], target=target).shown["all"]
    assert shown == {"30": Fraction(2, 3), "40": Fraction(1, 3)}


def test_dp39_with_eight_fakes_nothing_of_the_third_group_is_generalized(people, groups):
    third = people.take(groups.groups()[2])
    release, _ = disguise(third, hierarchy=SALARIES, fakes=8, seed=1)
    assert (release.parameters["added"], release.parameters["sum of ranges"]) == (8, "0")
    assert set(Counter(release.sensitive["salary"]).values()) == {3}


# -- algorithm 3 ---------------------------------------------------------------------------------


def test_dp17_the_printed_allocations_come_out():
    assert allocation((3, 6, 5), (1, 2, 1), 10) == (2, 4, 2)
    assert allocation((3, 6, 5), (1, 2, 1), 3) == (0, 0, 0)


def test_dp51_a_ratio_is_reduced_first():
    assert allocation((3, 6, 5), (2, 4, 2), 4) == allocation((3, 6, 5), (1, 2, 1), 4) == (1, 2, 1)


def test_dp18_six_salaries_need_two_whole_domains():
    tree = tree_of(balanced([30, 40, 50, 60]), numeric=True)
    slots = find_fewest_nodes(tree, np.array([0, 0, 1, 1, 2, 3]))
    assert slots[tree.root] == 2
    assert tree.cost(slots) == 60


def test_dp28_ten_and_seven_with_three_fakes_each_leave_five_at_the_root():
    target = vk.Hierarchy(balanced([1, 2]).levels, {1: 2, 2: 1})
    tree = tree_of(target, numeric=True)
    slots = find_fewest_nodes(tree, leaves([1] * 13 + [2] * 10))
    assert slots == {tree.numbers["1"]: 12, tree.numbers["2"]: 6, tree.root: 5}


def test_dp40_a_ratio_of_1000_to_1001_sends_a_hundred_each_to_the_root():
    target = vk.Hierarchy(balanced([1, 2]).levels, {1: 1000, 2: 1001})
    tree = tree_of(target, numeric=True)
    assert find_fewest_nodes(tree, leaves([1] * 100 + [2] * 100)) == {tree.root: 200}


def test_dp41_the_shares_of_the_data_as_target_cost_nothing():
    rng = np.random.default_rng(3)
    for _ in range(50):
        values = rng.integers(1, 20, rng.integers(1, 60))
        tree = tree_of(of_values(balanced(range(1, 20)), values), numeric=True)
        assert tree.cost(find_fewest_nodes(tree, leaves(values))) == 0


def test_dp50_segments_outside_the_tree_would_cost_less_and_are_not_used():
    """Four values 1, 2, 2, 2: three times [1, 4] and so on cost 12; segments could do with 6."""
    assert cost([1, 2, 2, 2], 4) == 12
    segments = [(1, 2), (1, 3), (2, 4), (3, 4), (1, 4), (1, 1), (2, 2), (2, 3)]
    free = min(
        sum(b - a for a, b in found)
        for found in combinations_with_replacement(segments, 4)
        if sum(a <= 1 <= b for a, b in found) >= 1
        and all(a <= 2 <= b or (a, b) == (1, 1) for a, b in found)
        and [sum(Fraction(a <= t <= b, b - a + 1) for a, b in found) for t in (1, 2, 3, 4)]
        == [1] * 4
    )
    assert free == 6 < 12


def test_dp59_and_dp64_categories_cost_one_less_than_they_are():
    tree = tree_of(vk.Hierarchy.of({"*": {"x": ["a", "b", "c"], "y": ["d"]}}), numeric=False)
    widths = {name: tree.width[node] for name, node in tree.numbers.items()}
    assert (widths["*"], widths["x"], widths["y"], widths["a"]) == (3, 2, 0, 0)
    assert tree.ratio[tree.root] == (3, 1)


def test_dp63_a_tree_that_parts_in_three_shows_a_uniform_target_less_well():
    rng = np.random.default_rng(1)
    shares = {}
    for ways, size in ((2, 256), (3, 243)):
        tree = tree_of(balanced(range(size), ways), numeric=True)
        drawn = np.sort(rng.integers(0, size, 5000))
        shares[ways] = tree.cost(find_fewest_nodes(tree, drawn)) / 5000 / (size - 1)
    assert shares[2] < shares[3]


# -- fakes ---------------------------------------------------------------------------------------


def test_dp21_one_fake_is_best_for_one_three_five_and_two_are_worse():
    assert best_of([1, 3, 5], 1, 8) == (4, {(7,), (8,)})
    costs = costs_with_fakes(to(8), counted([1, 3, 5], 8), 2)
    assert costs.tolist() == [13, 4, 11]
    assert with_fakes(to(8), counted([1, 3, 5], 8), 2).sum() == 1


def test_dp22_to_dp25_the_costs_for_one_three_five_seven_are_4_11_10_17_0():
    values = [1, 3, 5, 7]
    assert costs_with_fakes(to(8), counted(values, 8), 4).tolist() == [4, 11, 10, 17, 0]
    assert {cost([*values, fake], 8) for fake in range(1, 9)} == {11}  # DP23
    assert cost([*values, 1, 5], 8) == 10
    threes = combinations_with_replacement(range(1, 9), 3)
    found = {cost([*values, *fakes], 8) for fakes in threes}
    assert min(found) == 17  # DP24: the least, not that of any three
    assert 25 in found
    assert cost([*values, 2, 4, 6, 8], 8) == 0
    assert published([*values, 1, 5], 8) == {
        "[1, 2]": 1, "[3, 4]": 1, "[5, 6]": 1, "[7, 8]": 1, "[1, 4]": 1, "[5, 8]": 1,
    }  # fmt: skip


def test_dp26_and_dp27_a_fake_on_the_fuller_side_costs_38_and_on_the_other_44():
    found = {fake: cost([*SKEWED, fake], 16) for fake in range(1, 17)}
    assert min(found, key=found.get) == 8
    assert found[8] == costs_with_fakes(to(16), counted(SKEWED, 16), 1)[1] == 38
    assert {fake for fake, c in found.items() if c == 44} == {10, 12, 14, 16}
    assert {fake for fake in range(9, 17) if found[fake] == 46} == {9, 11, 13, 15}
    assert cost(SKEWED, 16) == 47
    single = published([*SKEWED, 8], 16)
    assert single["[1, 16]"] == 2
    assert [single[str(k)] for k in range(1, 9)] == [1] * 8


class Printed:
    """Algorithm 4 as it is printed, on a balanced binary tree with a uniform target."""

    def __init__(self, values, *, minimum=True, mended=False, text=False):
        self.values, self.minimum, self.mended, self.text = values, minimum, mended, text
        self.solve = cache(self._solve)

    def number(self, low, high):
        return sum(low <= value <= high for value in self.values)

    def _solve(self, low, high, k, r):
        if low == high:
            return 0
        middle = (low + high) // 2
        found = []
        for x in range(k + 1):
            left = self.number(low, middle) + x
            right = self.number(middle + 1, high) + k - x
            fit = min(left, right, (left + right - r) // 2)
            root = self.number(low, high) - 2 * fit - r + (k if self.mended else 0)
            second = k - x, right - fit
            if self.text:  # the recurrence in the text, DP32 and DP33
                second = x, self.number(low, middle) + k - x - fit
            below = self.solve(low, middle, x, left - fit)
            found.append(below + self.solve(middle + 1, high, *second) + root * (high - low))
        return min(found) if self.minimum else sum(found)


BOOK = [1, 2, 3, 5, 6, 7, 7]


def test_dp34_printed_algorithm_4_gives_minus_15_where_7_is_right():
    assert Printed(tuple(BOOK)).solve(1, 8, 2, 0) == -15
    assert Printed(tuple(BOOK), mended=True).solve(1, 8, 2, 0) == 7
    assert costs_with_fakes(to(8), counted(BOOK, 8), 2).tolist()[1:] == [2, 7]
    assert best_of(BOOK, 2, 8)[0] == 7
    assert best_of(BOOK, 1, 8)[0] == 2  # W18


def test_dp30_and_dp35_with_k_added_the_printed_recurrence_is_right_everywhere():
    rng = np.random.default_rng(7)
    for _ in range(60):
        values = tuple(rng.integers(1, 9, rng.integers(1, 12)).tolist())
        costs = costs_with_fakes(to(8), counted(values, 8), 3)
        mended, printed = Printed(values, mended=True), Printed(values)
        assert [mended.solve(1, 8, k, 0) for k in range(4)] == costs.tolist()
        assert printed.solve(1, 8, 0, 0) == costs[0]  # DP36: without fakes it is Algorithm 3


def test_dp31_a_sum_over_the_shares_of_the_fakes_is_not_their_minimum():
    summed = Printed(tuple(BOOK), minimum=False, mended=True).solve(1, 8, 2, 0)
    assert summed > 7


def test_dp32_and_dp33_the_second_part_takes_the_other_fakes_and_its_own_values():
    """The worked call: no fake on the left, two on the right half, from 5 to 8 (DP29)."""
    for values in ((1, 3, 5), tuple(BOOK)):
        right = [best_of(values, number, 8)[0] for number in range(3)]
        mended, text = Printed(values, mended=True), Printed(values, mended=True, text=True)
        assert [mended.solve(1, 8, k, 0) for k in range(3)] == right
        assert [text.solve(1, 8, k, 0) for k in range(3)] != right


def test_dp37_the_tables_do_not_grow_with_the_data():
    from verikit.targets._disguise_group import _plan_counts

    sizes = []
    rng = np.random.default_rng(2)
    for number in (5_000, 5_000_000):
        counts = rng.multinomial(number, [1 / 64] * 64)
        plan = _plan_counts(to(64), counts, 8)
        sizes.append(sum(len(rows) * 9 for rows in plan.kept))
    assert sizes[1] < 1.5 * sizes[0]
    assert sizes[0] < 2 * 9 * 5008 * 64  # the loose printed bound


def test_dp38_the_cost_is_no_convex_function_of_the_number_of_fakes():
    steps = np.diff(costs_with_fakes(to(8), counted([1, 3, 5, 7], 8), 4))
    assert (np.diff(steps) < 0).any()
    assert (np.diff(steps) > 0).any()


def test_dp61_the_fewest_fakes_that_reach_the_least_cost_are_taken():
    assert with_fakes(to(8), counted([1, 2, 3, 4, 5, 6, 7, 8], 8), 8).sum() == 0


def test_dp65_any_distribution_of_whole_weights_stands_on_a_binary_tree():
    weights = {k: k * k for k in range(1, 6)}
    target = vk.Hierarchy(balanced(range(1, 6)).levels, weights)
    assert [target.share(k) for k in range(1, 6)] == [Fraction(k * k, 55) for k in range(1, 6)]


# -- approximate targets -------------------------------------------------------------------------


def test_dp55_the_printed_shift_costs_more_than_no_shift_on_six_to_four():
    tree = tree_of(balanced([1, 2]), numeric=True)
    counts = np.array([6, 4])
    moved = shift_target(tree, counts, Tolerance("1/20"))
    assert moved.ratio[tree.root] == (11, 9)
    drawn = leaves([1] * 6 + [2] * 4)
    assert find_fewest_nodes(moved, drawn) == {tree.root: 10}
    assert find_fewest_nodes(tree, drawn)[tree.root] == 2
    best = search_slots(tree, counts, Tolerance("1/20"))
    assert tree.cost(best) <= 2


def test_dp55_the_mask_offers_both_ways():
    import pandas as pd

    frame = pd.DataFrame({"zip": ["p"] * 10, "pay": [1] * 6 + [2] * 4})
    columns = (vk.Column("zip", kind="nominal"), vk.Column("pay", "sensitive"))
    data, cost = vk.Microdata(frame, vk.Schema(columns)), []
    with pytest.warns(UserWarning, match="Of 10 published values 10 are the root"):
        plain, _ = disguise(data, hierarchy=balanced([1, 2]), tolerance="1/20", seed=1)
    best, _ = disguise(
        data, hierarchy=balanced([1, 2]), tolerance=Tolerance("1/20", searched=True), seed=1
    )
    cost = [release.parameters["sum of ranges"] for release in (plain, best)]
    assert cost == ["10", "2"]


def test_dp54_the_share_is_that_among_the_values_of_the_parent():
    tree = to(4)
    moved = shift_target(tree, counted([1, 2, 2, 2, 3, 3, 3, 4], 4), Tolerance(1))
    low = tree.children[tree.root][0]
    assert moved.ratio[low] == (1, 3)
    bare = shift_target(tree, counted([1, 1], 4), Tolerance("1/10"))
    assert bare.ratio[tree.children[tree.root][1]] == (1, 1)


def test_dp43_to_dp45_the_shifts_that_take_each_target_to_the_source():
    frame = vk.load("qz_table3_5").frame
    names = ["source", "uniform", "normal4", "normal20", "zipf"]
    rows = dict(zip(names, frame.iloc[:, 1:].to_numpy().tolist(), strict=True))
    source = np.array(rows.pop("source"), float)
    off = {name: np.abs(np.array(row, float) - source) / 100 for name, row in rows.items()}
    levels = {name: (part[:2].max(), part[2:].max()) for name, part in off.items()}
    assert levels == {
        "uniform": pytest.approx((0.32, 0.48)), "normal4": pytest.approx((0.32, 0.27)),
        "normal20": pytest.approx((0.32, 0.03)), "zipf": pytest.approx((0.74, 0.89)),
    }  # fmt: skip


def test_dp47_and_dp48_the_targets_of_table_3_5_follow_from_the_corrected_formulas():
    tree = balanced(range(1024))

    def halves(target):
        parts = ["[0, 511]", "[0, 255]", "[512, 767]"]
        shares = [target.share(name) / target.share(above)
                  for name, above in zip(parts, ["[0, 1023]", "[0, 511]", "[512, 1023]"],
                                         strict=True)]  # fmt: skip
        return [round(100 * float(share)) for share in shares]

    assert halves(normal(tree, 4)) == [50, 28, 72]  # printed 50, 29, 71
    assert halves(normal(tree, 20)) == [50, 0, 100]
    from_155 = zipf(balanced(range(155, 3900 + 1)), 1)
    left = from_155.share(from_155.path(155)[-2])
    assert round(100 * float(left)) == 8  # printed 8:92
