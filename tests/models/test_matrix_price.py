"""What a matrix of chances costs: bits, and how many more people an estimate needs."""

import itertools
from math import inf, log, log2

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.models import conversion_chance, price_matrix

TWO = [[0.9, 0.1], [0.3, 0.7]]
THREE = [[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.05, 0.05, 0.9]]
UNEVEN = [0.2, 0.5, 0.3]


def gamma_diagonal(gamma, size):
    x = 1 / (gamma + size - 1)
    return np.full((size, size), x) + np.eye(size) * (gamma - 1) * x


@pytest.mark.parametrize(("matrix", "shares"), [(TWO, [0.25, 0.75]), (THREE, UNEVEN)])
def test_bits_and_what_is_told_are_sums_over_all_pairs_of_values(matrix, shares):
    pairs = [(a, b) for a in range(len(shares)) for b in range(len(shares))]
    both = {(a, b): shares[a] * matrix[a][b] for a, b in pairs}
    made = [sum(both[a, b] for a in range(len(shares))) for b in range(len(shares))]
    found = price_matrix(matrix, shares=shares)
    assert found.bits == pytest.approx(-sum(v * log2(v / shares[a]) for (a, _), v in both.items()))
    told = sum(v * log2(v / shares[a] / made[b]) for (a, b), v in both.items())
    assert found.told == pytest.approx(told)
    ratios = [matrix[a][c] / matrix[b][c] for a, b in pairs for c in range(len(shares))]
    assert found.gamma == pytest.approx(max(ratios))
    assert found.epsilon == pytest.approx(log(max(ratios)))


@pytest.mark.parametrize(("matrix", "shares"), [(TWO, [0.25, 0.75]), (THREE, UNEVEN)])
def test_growth_is_that_of_the_variance_over_all_samples_and_all_that_becomes_of_them(
    matrix, shares
):
    """Every sample of three people, and every table that becomes of it."""
    size, people = len(shares), 3
    inverse = np.linalg.inv(np.array(matrix))
    own, undone, chances = [], [], []
    for sample in itertools.product(range(size), repeat=people):
        for made in itertools.product(range(size), repeat=people):
            chance = np.prod([shares[a] * matrix[a][b] for a, b in zip(sample, made, strict=True)])
            chances.append(chance)
            own.append(np.bincount(sample, minlength=size) / people)
            undone.append(np.bincount(made, minlength=size) / people @ inverse)
    chances = np.array(chances)
    assert chances @ np.array(undone) == pytest.approx(shares)

    def spread(estimates):
        return (chances @ (np.array(estimates) - shares) ** 2).sum()

    assert price_matrix(matrix, shares=shares).growth == pytest.approx(spread(undone) / spread(own))


def test_blocks_of_k_values_cost_the_logarithm_of_k_and_cannot_be_undone():
    """What k-anonymity does to values: three blocks of four."""
    found = price_matrix(np.kron(np.eye(3), np.full((4, 4), 1 / 4)))
    assert (found.bits, found.told) == (pytest.approx(2), pytest.approx(log2(3)))
    assert (found.gamma, found.condition, found.growth) == (inf, inf, inf)
    nothing = price_matrix(np.eye(4))
    assert (nothing.bits, nothing.told, nothing.condition, nothing.growth) == (0, 2, 1, 1)


@pytest.mark.parametrize("gamma", [2, 19])
def test_no_symmetric_matrix_of_the_same_gamma_is_better_conditioned_than_the_gamma_diagonal(gamma):
    size, rng, found = 4, np.random.default_rng(gamma), []
    best = price_matrix(gamma_diagonal(gamma, size))
    assert best.condition == pytest.approx((gamma + size - 1) / (gamma - 1))
    assert best.gamma == pytest.approx(gamma)
    nearly_even = price_matrix(gamma_diagonal(1 + 1e-10, size))
    assert nearly_even.condition == pytest.approx(4e10, rel=1e-4)
    orders = [np.eye(size)[list(order)] for order in itertools.permutations(range(size))]
    for sharp in [0.05, 0.3, 1] * 100:  # mixtures of permutations, which all are doubly stochastic
        mixed = np.tensordot(rng.dirichlet(np.full(len(orders), sharp)), orders, 1)
        mixed, low, high = (mixed + mixed.T) / 2, 0.0, 1.0
        for _ in range(50):  # with as little of the even matrix as brings it to that gamma
            middle = (low + high) / 2
            even = middle / size + (1 - middle) * mixed
            low, high = (low, middle) if price_matrix(even).gamma <= gamma else (middle, high)
        found.append(price_matrix(high / size + (1 - high) * mixed).condition)
    assert min(found) >= best.condition * (1 - 1e-9)
    assert max(found) > 2 * best.condition


def test_chances_are_tabulated_as_the_paper_works_them_out_for_one_combination():
    data = vk.load("yq_figure1")
    known = {name: data.frame[name].unique() for name in ("Job", "Country")}
    for changed in (1, 2, 3):
        asked = {"changed": changed, "probabilities": "equal"}
        release = vk.mask.randomize(data, **asked, seed=1).release
        found = price_matrix(release, [*known], original=data).matrix
        assert found.sum(axis=1).to_numpy() == pytest.approx(np.ones(len(found)))
        pairs = [dict(zip(known, pair, strict=True)) for pair in itertools.product(*known.values())]
        for before, after in itertools.product(pairs[:4], pairs):
            chance = conversion_chance(data, before, after, **asked)
            place = (tuple(before.values()), tuple(after.values()))
            assert found.loc[place] == pytest.approx(chance)


def test_chances_of_a_gamma_diagonal_scheme_are_the_printed_matrix():
    frame = pd.DataFrame([*itertools.product("ab", "xyz")], columns=["P", "Q"])
    data = vk.Microdata(frame, vk.Schema(tuple(vk.Column(n, kind="nominal") for n in "PQ")))
    release = vk.mask.randomize(data, scheme="gamma-diagonal", gamma=5, seed=1).release
    found = price_matrix(release, ["P", "Q"]).matrix
    assert found.to_numpy() == pytest.approx(gamma_diagonal(5, 6))
    each = vk.mask.randomize(data, scheme="each", keep=0.5, seed=1).release
    apart = [price_matrix(each, [name], original=data).matrix.to_numpy() for name in "PQ"]
    both = price_matrix(each, ["P", "Q"], original=data).matrix.to_numpy()
    assert both == pytest.approx(np.kron(*apart))
    assert price_matrix(both).bits == pytest.approx(sum(price_matrix(one).bits for one in apart))


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (([[0.5, 0.5]],), "expected as many lines as columns"),
        (("words",), "was given as 'words'; expected as many lines as columns"),
        (([[0.5, 0.6], [0.5, 0.5]],), "chances from 0 up that add up to 1"),
        ((TWO, None, [0.5, 0.2, 0.3]), "expected 2 shares from 0 up that add up to 1"),
        ((TWO, None, [1.5, -0.5]), "expected 2 shares from 0 up"),
    ],
)
def test_what_is_no_matrix_of_chances_is_refused(asked, said):
    with pytest.raises(vk.RecordError, match=said):
        price_matrix(*asked[:2], shares=(*asked, None, None)[2])
    for wrong in (["Disease"], "Age", []):
        with pytest.raises(vk.SchemaError, match="expected a list of 'Age', 'Job', 'Country'"):
            price_matrix(vk.published("yq_figure5"), wrong)
