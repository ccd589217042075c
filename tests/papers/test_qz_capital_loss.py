"""What chapter 3 says about its data: the example's target, and capital losses in Adult."""

from fractions import Fraction

import numpy as np
import pytest

import verikit as vk
from verikit.targets import Tolerance, balanced, edges, of_values
from verikit.targets._disguise_group import shift_target
from verikit.targets._distributions import tree_of


@pytest.fixture(scope="module")
def losses(datasets_dir):
    """The age and the loss of the people of Adult who have a capital loss."""
    frame = vk.datasets.adult(datasets_dir / "adult").frame
    return frame.loc[frame["capital-loss"] > 0, ["age", "capital-loss"]].astype(int)


def first_shares(target):
    """The shares of the two halves, and of the halves of both, in per cent."""
    left, right = _children(target, target.root)
    quarters = [*_children(target, left), *_children(target, right)]
    share = {name: target.share(name) for name in (left, right, *quarters)}
    return [100 * share[left], 100 * share[right]] + [
        100 * share[name] / share[target.parent(name)] for name in quarters
    ]


def _children(target, node):
    return [name for name in edges(target) if target.parent(name) == node]


def test_dp07_the_target_of_the_example_has_four_different_salaries():
    salaries = vk.load("qz_table3_1").frame["salary"]
    assert sorted(salaries.unique()) == [30_000, 40_000, 50_000, 60_000]
    tree = balanced(salaries.unique())
    assert {tree.share(value) for value in tree.order()} == {Fraction(1, 4)}


def test_dp09_the_third_group_holds_the_tuples_8_to_11():
    frame = vk.load("qz_table3_1").frame
    third = frame.loc[frame["zipcode"] // 100 == 913, "tuple ID"]
    assert third.astype(int).tolist() == [8, 9, 10, 11]


def test_dp58_rounding_a_moved_share_may_break_the_tolerance_and_exact_fractions_do_not():
    tolerance = Fraction(6, 1000)
    tree = tree_of(balanced([1, 2]), numeric=True)
    left, right = shift_target(tree, np.array([9, 1]), Tolerance(tolerance)).ratio[tree.root]
    share = Fraction(left, left + right)
    assert share - Fraction(1, 2) == tolerance
    assert Fraction(round(100 * share), 100) - Fraction(1, 2) > tolerance


def test_dp70_1427_people_have_a_capital_loss(losses):
    assert len(losses) == 1427


@pytest.mark.parametrize(
    ("low", "high", "shares"),
    [
        pytest.param(155, 3900, [82.4, 17.6, 2.9, 97.1, 97.2, 2.8], id="values below 4000"),
        pytest.param(0, 4006, [82, 18, 3, 97, 98, 2], id="as printed"),
    ],
)
def test_dp49_the_printed_shares_of_the_source_need_a_tree_from_0_to_4006(
    losses, low, high, shares
):
    kept = losses.loc[losses["age"] < 80, "capital-loss"]
    assert (len(kept), kept.max()) == (1421, 3900)
    found = [
        float(share) for share in first_shares(of_values(balanced(range(low, high + 1)), kept))
    ]
    digits = 1 if low else 0
    assert [round(share, digits) for share in found] == shares


def test_dp68_a_tie_with_age_makes_the_ratios_of_the_tree_only_nearly_even():
    rng = np.random.default_rng(5)
    middle = (rng.integers(17, 80, 10_000) - 16.5) * 1024 / 63
    drawn = np.clip(rng.normal(middle, 50), 0, 1023).astype(int)
    shares = [float(share) for share in first_shares(of_values(balanced(range(1024)), drawn))]
    assert all(47 < share < 53 for share in shares)
    assert any(share != 50 for share in shares)
