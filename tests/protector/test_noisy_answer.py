"""Answers with noise: held to all tables with one record less, and to OpenDP."""

from math import exp, log

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats

import verikit as vk
from verikit.models import Guarantee, add_guarantees, guarantee
from verikit.protector import noisy_answer, noisy_counts

SIX = pd.DataFrame({"age": [3, 15, 40, 41, 77, 90], "sex": list("fmffmm")})


def people(frame=SIX):
    return vk.Microdata(frame, vk.Schema((vk.Column("age"), vk.Column("sex", kind="nominal"))))


def neighbours():
    """All tables of four to six of these people, in pairs that differ in one record."""
    for left in range(6):
        more = SIX.drop(index=left)
        for other in range(6):
            if other != left:
                yield more, more.drop(index=other)


def plain(frame, asked, low, high):
    if asked == "sum":
        return sum(min(max(age, low), high) for age in frame["age"])
    return sum(1 for sex in frame["sex"] if sex == "f")


QUERIES = {"sum": "select sum(age) from t", "count": "select count(*) from t where sex = 'f'"}


@pytest.mark.parametrize("asked", QUERIES)
@pytest.mark.parametrize("epsilon", [0.2, 1.5])
def test_no_whole_number_is_told_more_unequally_than_epsilon_allows(asked, epsilon):
    """The chance of each answer, by the scale that is told, for all tables one record apart."""
    limits = [-30, 60]
    found = noisy_answer(QUERIES[asked], people(), epsilon=epsilon, limits=limits, seed=1)
    outputs, worst = np.arange(-400, 700), 0.0
    for more, less in neighbours():
        logs = [
            -np.abs(outputs - plain(frame, asked, *limits)) / found.scale for frame in (more, less)
        ]
        worst = max(worst, np.abs(logs[0] - logs[1]).max())
    assert worst <= epsilon + 1e-9
    assert worst == pytest.approx(epsilon)
    assert found.guarantee.epsilon == epsilon


@pytest.mark.parametrize("noise", ["geometric", "laplace", "normal"])
def test_noise_is_distributed_as_told_and_added_to_the_truth(noise):
    delta = 1e-3 if noise == "normal" else 0
    frame = pd.DataFrame({"town": [f"t{at:04}" for at in range(4000)] * 3})
    data = vk.Microdata(frame, vk.Schema((vk.Column("town", kind="nominal"),)))
    found = noisy_counts(data, ["town"], epsilon=0.7, delta=delta, noise=noise, seed=3)
    drawn = found.values.to_numpy() - 3
    law = {
        "geometric": stats.dlaplace(1 / found.scale),
        "laplace": stats.laplace(0, found.scale),
        "normal": stats.norm(0, found.scale),
    }[noise]
    if noise == "geometric":
        cells = np.arange(-6, 7)
        told = law.pmf(cells)
        seen = np.array([(drawn == cell).sum() for cell in cells])
        told, seen = np.append(told, 1 - told.sum()) * 4000, np.append(seen, 4000 - seen.sum())
        assert ((seen - told) ** 2 / told).sum() < stats.chi2.isf(1e-6, len(cells))
    else:
        assert stats.kstest(drawn, law.cdf).pvalue > 1e-6
    assert drawn.std() == pytest.approx(found.deviation, rel=0.1)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-5), (1, 1e-3), (4, 0.05)])
def test_normal_noise_has_just_the_deviation_for_which_delta_is_enough(epsilon, delta):
    """What is above e^epsilon times the other density, integrated."""
    found = noisy_answer(
        QUERIES["count"], people(), epsilon=epsilon, delta=delta, noise="normal", seed=1
    )
    here, there = stats.norm(0, found.scale).pdf, stats.norm(1, found.scale).pdf
    beyond = lambda x: max(here(x) - exp(epsilon) * there(x), 0)  # noqa: E731
    least = -found.scale * 12
    spent, _ = integrate.quad(beyond, least, 0.5, points=[-found.scale * k for k in range(1, 9)])
    assert spent == pytest.approx(delta, rel=1e-4)


def test_every_record_is_in_one_cell_and_cells_without_any_get_noise_too():
    found = noisy_counts(
        people(SIX.assign(age=[1, 1, 2, 2, 2, 1])), ["age", "sex"], epsilon=9, seed=2
    )
    assert found.values.index.tolist() == [(1, "f"), (1, "m"), (2, "f"), (2, "m")]
    assert found.values.tolist() == [1, 2, 2, 1]
    assert found.guarantee.invariants == ("which values 'age', 'sex' hold",)
    assert guarantee(vk.mask.noise(people().only("age"), scale=1, seed=1).release).epsilon is None


def test_answers_add_up_and_unlike_ones_do_not():
    one = noisy_answer(QUERIES["count"], people(), epsilon=0.5, seed=1).guarantee
    two = noisy_answer(
        QUERIES["count"], people(), epsilon=0.25, delta=1e-6, noise="normal", seed=2
    ).guarantee
    total = add_guarantees([one, two, two])
    assert (total.epsilon, total.delta) == (1.0, 2e-6)
    assert total.method == "geometric and normal"
    assert total.odds() == float("inf")
    assert add_guarantees([one, one]).odds() == pytest.approx(exp(2))
    swapped = vk.mask.swap(people(), match=[], swap=["sex"], rate=0.5, seed=1).release
    with pytest.raises(vk.RecordError, match="expected the same unit and invariants"):
        add_guarantees([one, guarantee(swapped)])
    with pytest.raises(vk.RecordError, match="expected a list of one guarantee or more"):
        add_guarantees([])
    assert add_guarantees([one, Guarantee("shuffle", None)]).epsilon is None


def test_two_answers_together_by_counting_all_pairs_of_outputs():
    first, second = 0.4, 0.9
    outputs = np.arange(-30, 31)
    logs = [
        [-first * abs(a - true) - second * abs(b - true) for a in outputs for b in outputs]
        for true in (0, 1)
    ]
    worst = np.abs(np.subtract(*logs)).max()
    told = [noisy_answer(QUERIES["count"], people(), epsilon=e, seed=1) for e in (first, second)]
    assert add_guarantees([one.guarantee for one in told]).epsilon == pytest.approx(worst)


def normal_answers(*asked):
    """Counts with normal noise, of some epsilons and deltas."""
    told = [{"epsilon": e, "delta": d, "noise": "normal"} for e, d in asked]
    return [noisy_answer(QUERIES["count"], people(), **one, seed=1) for one in told]


@pytest.mark.parametrize("delta", [1e-3, 0.05])
def test_two_normal_answers_together_by_adding_up_all_pairs_of_outputs(delta):
    """Delta is what chances of one table exceed e^epsilon times those of the other by."""
    found = normal_answers((0.8, 0.01), (0.5, 0.02))
    told = add_guarantees([one.guarantee for one in found], delta=delta)
    step = 0.02
    outputs = [np.arange(-9 * one.scale, 9 * one.scale, step * one.scale) for one in found]
    there, gone = (
        np.outer(
            *(stats.norm.pdf(x, true, one.scale) for x, one in zip(outputs, found, strict=True))
        )
        for true in (1, 0)
    )
    cell = np.prod([step * one.scale for one in found])
    beyond = np.maximum(there - exp(told.epsilon) * gone, 0).sum() * cell
    assert beyond == pytest.approx(delta, rel=1e-3)
    assert told.delta == delta


def test_a_delta_of_all_together_costs_less_than_the_sum_of_epsilons():
    alone, *more = (one.guarantee for one in normal_answers(*[(0.3, 1e-6)] * 20))
    assert add_guarantees([alone], delta=1e-6).epsilon == pytest.approx(0.3)
    many = [alone, *more]
    simple, sharp = add_guarantees(many), add_guarantees(many, delta=simple_delta(many))
    assert (simple.epsilon, simple.delta) == (pytest.approx(6), pytest.approx(2e-5))
    assert sharp.epsilon < simple.epsilon / 3.5
    halves = [add_guarantees(many[:9], delta=0.01), add_guarantees(many[9:], delta=1e-9)]
    assert add_guarantees(halves, delta=2e-5).epsilon == pytest.approx(sharp.epsilon)
    whole = noisy_answer(QUERIES["count"], people(), epsilon=0.7, seed=1).guarantee
    mixed = add_guarantees([whole, *many], delta=2e-5)
    assert mixed.epsilon == pytest.approx(sharp.epsilon + 0.7)
    for wrong in ([whole, whole], [mixed, whole]):
        with pytest.raises(vk.RecordError, match="some answers must have normal noise"):
            add_guarantees(wrong, delta=1e-6)
    for beyond in (0, 1, 2):
        with pytest.raises(vk.RecordError, match="delta was given as"):
            add_guarantees(many, delta=beyond)


def simple_delta(guarantees):
    return sum(one.delta for one in guarantees)


def test_opendp_needs_no_less_for_several_normal_answers():
    """It adds up by concentrated privacy, whose bound is the wider one."""
    dp = pytest.importorskip("opendp.prelude", reason="opendp is not installed")
    dp.enable_features("contrib")
    found = normal_answers((0.8, 1e-6), (0.5, 1e-5), (0.2, 1e-7))
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    spent = [dp.m.make_gaussian(*space, one.scale).map(1.0) for one in found]
    assert spent == pytest.approx([1 / (2 * one.guarantee.deviation**2) for one in found])
    together = dp.m.make_gaussian(*space, (1 / (2 * sum(spent))) ** 0.5)
    theirs = dp.c.make_zCDP_to_approxDP(together).map(1.0).epsilon(1e-6)
    ours = add_guarantees([one.guarantee for one in found], delta=1e-6).epsilon
    assert 0.6 * theirs < ours <= theirs


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"query": "select avg(age) from t"}, "noisy_answer was asked for 'avg'"),
        ({"query": QUERIES["sum"]}, "limits was given as None; expected the lowest"),
        ({"query": QUERIES["sum"], "limits": [5, 1]}, "the lower one first"),
        ({"query": QUERIES["sum"], "limits": [0, 1.5]}, "whole for geometric noise"),
        ({"epsilon": 0}, "epsilon was given as 0 and delta as 0"),
        ({"noise": "normal"}, "a delta between 0 and 1 for normal noise"),
        ({"delta": 0.1}, "and 0 for all other noise"),
        ({"noise": "uniform"}, "noise was given as 'uniform'; expected"),
    ],
)
def test_what_cannot_be_answered_is_refused(asked, said):
    given = {"query": QUERIES["count"], "epsilon": 1, "seed": 1, **asked}
    with pytest.raises(vk.RecordError, match=said):
        noisy_answer(given.pop("query"), people(), **given)


def test_opendp_says_the_same_of_the_same_noise():
    dp = pytest.importorskip("opendp.prelude", reason="opendp is not installed")
    dp.enable_features("contrib")
    for epsilon in (0.1, 1, 3):
        for asked, most in (("count", 1), ("sum", 60)):
            found = noisy_answer(
                QUERIES[asked], people(), epsilon=epsilon, limits=[-30, 60], seed=1
            )
            whole = dp.m.make_laplace(
                dp.atom_domain(T=int), dp.absolute_distance(T=int), found.scale
            )
            assert whole.map(most) == pytest.approx(found.guarantee.epsilon, rel=1e-9)
        real = noisy_answer(QUERIES["count"], people(), epsilon=epsilon, noise="laplace", seed=1)
        space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
        assert dp.m.make_laplace(*space, real.scale).map(1.0) == pytest.approx(epsilon, rel=1e-9)
        normal = noisy_answer(
            QUERIES["count"], people(), epsilon=epsilon, delta=1e-6, noise="normal", seed=1
        )
        curve = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, normal.scale)).map(1.0)
        assert curve.epsilon(1e-6) >= epsilon * (1 - 1e-9), "its bound is the wider one"
        assert curve.epsilon(1e-6) <= 1.6 * epsilon


def test_randomized_response_says_epsilon_as_opendp_does():
    dp = pytest.importorskip("opendp.prelude", reason="opendp is not installed")
    dp.enable_features("contrib")
    data = vk.Microdata(
        pd.DataFrame({"town": list("abcd") * 5}), vk.Schema((vk.Column("town", kind="nominal"),))
    )
    for keep in (0.1, 0.5, 0.9):
        release = vk.mask.randomize(data, scheme="each", keep=keep, seed=1).release
        right = keep + (1 - keep) / 4
        told = dp.m.make_randomized_response(list("abcd"), right).map(1)
        assert guarantee(release).epsilon == pytest.approx(told, rel=1e-9)
        assert told == pytest.approx(log(right / ((1 - keep) / 4)))
