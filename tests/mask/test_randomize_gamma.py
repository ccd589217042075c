"""The gamma-diagonal matrix: gamma x on its diagonal and x = 1 / (gamma + N - 1) beside it."""

import itertools
from math import log

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

import verikit as vk
from verikit.models import amplification, guarantee
from verikit.protector import correct_links
from verikit.release import Redraw

FIRST, SECOND = ("a", "b"), ("x", "y", "z")
PAIRS = [*itertools.product(FIRST, SECOND)]


def printed(gamma, size):
    """The matrix as its authors print it."""
    x = 1 / (gamma + size - 1)
    return np.full((size, size), x) + np.eye(size) * (gamma - 1) * x


def table(rows, kept=()):
    names = ["P", "Q", "S"][: len(rows[0]) + bool(len(kept))]
    frame = pd.DataFrame(rows, columns=names[: len(rows[0])])
    columns = [vk.Column(name, kind="nominal") for name in frame]
    if len(kept):
        frame, columns = frame.assign(S=kept), [*columns, vk.Column("S", "sensitive", "nominal")]
    return vk.Microdata(frame, vk.Schema(tuple(columns)))


def masked(data, gamma, seed=1):
    return vk.mask.randomize(data, scheme="gamma-diagonal", gamma=gamma, seed=seed)


@pytest.mark.parametrize("gamma", [1, 3.5, 19])
def test_a_record_becomes_its_own_combination_gamma_times_likelier_than_each_other(gamma):
    told = Redraw.evenly({"P": FIRST, "Q": SECOND}, gamma)
    by_set = told.transition_chances(["P", "Q"], np.array([1 / 2, 1 / 3]))
    found = [[by_set[(p != r) + 2 * (q != s)] for r, s in PAIRS] for p, q in PAIRS]
    assert np.array(found) == pytest.approx(printed(gamma, 6))
    for k, (name, size) in enumerate(
        (("P", 2), ("Q", 3))
    ):  # one column of both, summed over the other
        alone = told.transition_chances([name], np.array([1 / size]))
        sums = [
            sum(
                v
                for v, pair in zip(found[0], PAIRS, strict=True)
                if (pair[k] == PAIRS[0][k]) is same
            )
            for same in (True, False)
        ]
        assert alone == pytest.approx([sums[0], sums[1] / (size - 1)])


def test_what_is_drawn_has_these_chances():
    """40,000 records of one combination, of which all six may come."""
    n, gamma = 40_000, 4
    rows = [("a", "x")] * n + [("b", "y"), ("b", "z")]
    release, key = masked(table(rows), gamma)
    shown = release.frame.astype(str).iloc[key.rows[:n]]
    seen = np.array([((shown["P"] == p) & (shown["Q"] == q)).sum() for p, q in PAIRS])
    expected = n * printed(gamma, 6)[0]
    assert ((seen - expected) ** 2 / expected).sum() < chi2.isf(1e-6, 5)


@pytest.mark.parametrize("gamma", [2, 19])
def test_no_other_value_of_one_record_makes_any_release_likelier_by_more_than_epsilon(gamma):
    """All originals of two records, all releases, each a product of printed chances."""
    chances = printed(gamma, 6)
    release = masked(table([*PAIRS, ("a", "x")], "nnnnnnn"), gamma).release
    told, worst = guarantee(release), 0.0
    for one, other, rest in itertools.product(range(6), repeat=3):
        for made in itertools.product(range(6), repeat=2):
            first = chances[one, made[0]] * chances[rest, made[1]]
            second = chances[other, made[0]] * chances[rest, made[1]]
            worst = max(worst, abs(log(first / second)))
    assert told.epsilon == pytest.approx(worst) == pytest.approx(log(gamma))
    assert (told.unit, told.delta, told.by_places) == ("one record", 0, False)
    assert told.invariants == ("which values 'P', 'Q' may take", "'S', as published")
    assert amplification(release).value == pytest.approx(gamma)


def test_of_one_attribute_with_equally_frequent_values_it_is_each_with_another_parameter():
    """keep = (gamma - 1) / (gamma + n - 1); where a value is rarer, "each" must keep fewer."""
    gamma, values = 7, list("abcd")
    keep = (gamma - 1) / (gamma + len(values) - 1)
    even, uneven = table([(v,) for v in values * 5]), table([(v,) for v in values + ["a"] * 16])
    each = vk.mask.randomize(even, scheme="each", keep=keep, seed=1).release
    by_set = Redraw.each(["P"], keep).transition_chances(["P"], np.array([1 / 4]))
    assert by_set[[0, 1]] == pytest.approx(printed(gamma, 4)[0, :2])
    assert guarantee(each).epsilon == pytest.approx(guarantee(masked(even, gamma).release).epsilon)
    rare = vk.mask.randomize(uneven, scheme="each", keep=keep, seed=1).release
    assert guarantee(rare).epsilon > guarantee(masked(uneven, gamma).release).epsilon + 1


def test_counts_are_those_of_the_inverted_matrix_and_have_the_variance_they_say():
    """Over all 216 releases of three people: no bias, and the expected variance is the true one."""
    gamma, people = 9, [("a", "y"), ("a", "z"), ("b", "y")]
    data = table(people, ["m", "m", "n"])
    told = masked(table(PAIRS), gamma).release.parameters  # where all values occur
    query = vk.Query.count({"P": "a", "Q": ["y", "z"], "S": "m"})
    chances, inverse = printed(gamma, 6), np.linalg.inv(printed(gamma, 6))
    found = []
    for after in itertools.product(range(6), repeat=3):
        frame = table([PAIRS[at] for at in after], ["m", "m", "n"]).frame
        release = vk.TableRelease(frame, data.schema, "randomize", told, "changed")
        before = inverse @ np.bincount(after[:2], minlength=6)
        answer = vk.answer(query, release)
        assert answer.mean == pytest.approx(before[1] + before[2])
        chance = np.prod([chances[PAIRS.index(o), r] for o, r in zip(people, after, strict=True)])
        found.append((chance, answer.mean, answer.variance))
        assert "without bias" in repr(answer)
        assert "nearly" not in repr(answer)
    chance, means, variances = np.array(found).T
    assert (chance.sum(), chance @ means) == (pytest.approx(1), pytest.approx(2))
    assert chance @ variances == pytest.approx(chance @ (means - 2) ** 2)


def test_a_value_that_no_row_shows_counts_among_those_that_may_be_drawn(tmp_path):
    """Nobody of three has a z, which is declared; the folder tells it as well."""
    column = vk.Column("Q", kind="ordinal", order=SECOND)
    data = vk.Microdata(pd.DataFrame({"Q": ["x", "x", "y"]}), vk.Schema((column,)))
    for seed in range(8):
        release = masked(data, 3, seed).release
        for one in (release, vk.open_release(release.save(tmp_path / str(seed)))):
            assert one.parameters["values"] == {"Q": [*SECOND]}
            seen = int((one.frame["Q"].astype(str) == "x").sum())
            inverse = np.linalg.inv(printed(3, 3))
            answer = vk.answer(vk.Query.count({"Q": "x"}), one)
            assert answer.mean == pytest.approx(inverse[0, 0] * seen + inverse[0, 1] * (3 - seen))


def test_who_knows_all_links_no_more_than_epsilon_allows():
    rng = np.random.default_rng(2)
    data = table([*zip(rng.choice(list("abcd"), 120), rng.choice(list("abcd"), 120), strict=True)])
    for gamma in (1.5, 4):
        release, key = masked(data, gamma)
        links = vk.link(data, release, attack="likelihood")
        allowed = 120 * guarantee(release).chance(120)
        assert correct_links(links, key).count <= allowed + 5 * np.sqrt(allowed)


def test_the_likeliest_original_of_a_row_is_as_by_bayes():
    """By the printed matrix and how often each combination occurs, for every row."""
    rng, gamma = np.random.default_rng(5), 6
    rows = [PAIRS[at] for at in rng.choice(6, 40, p=[0.4, 0.2, 0.2, 0.1, 0.05, 0.05])]
    data = table(rows)
    release, _ = masked(data, gamma)
    found = vk.intruder.prior_knowledge(data, release)
    often = np.array([rows.count(pair) for pair in PAIRS])
    for at, row in enumerate(release.frame.astype(str).itertuples(index=False)):
        after = often * printed(gamma, 6)[:, PAIRS.index(tuple(row))]
        own = PAIRS.index(tuple(row))
        assert found.best[at] == pytest.approx(after.max() / after.sum())
        assert found.unchanged[at] == pytest.approx(after[own] / after.sum())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"scheme": "gamma-diagonal"}, "gamma was given as None; expected a number from 1 up"),
        ({"scheme": "gamma-diagonal", "gamma": 0.5}, "gamma was given as 0.5; expected a number"),
        ({"gamma": 3}, "gamma was given without scheme 'gamma-diagonal'"),
        ({"scheme": "each", "keep": 0.2, "gamma": 3}, "gamma was given without scheme"),
        ({"scheme": "gamma-diagonal", "gamma": 3, "keep": 0.2}, "keep was given without scheme"),
        ({"scheme": "gamma-diagonal", "gamma": 3, "changed": 2}, "leave changed and probabilities"),
    ],
)
def test_what_does_not_go_together_is_refused(asked, said):
    with pytest.raises(vk.RecordError, match=said):
        vk.mask.randomize(table(PAIRS), **asked, seed=1)
    with pytest.raises(vk.SchemaError, match="price_matrix tells the bits"):
        vk.models.perturbation_diversity(masked(table(PAIRS), 3).release)
