"""Every attribute kept or drawn anew by itself: what it guarantees and how counts are undone."""

import itertools
from math import exp, log

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

import verikit as vk
from verikit.models import guarantee, perturbation_diversity
from verikit.protector import correct_links


def table(**columns):
    kinds = tuple(vk.Column(name, kind="nominal") for name in columns)
    return vk.Microdata(pd.DataFrame(columns), vk.Schema(kinds))


def each(data, keep, seed=1):
    return vk.mask.randomize(data, scheme="each", keep=keep, seed=seed)


@pytest.mark.parametrize("keep", [0.1, 0.5, 0.9])
def test_no_two_originals_of_the_same_columns_make_any_release_more_unequally_than_told(keep):
    """All originals with these columns, and all 216 releases of three people."""
    first, second = ("a", "a", "b"), ("x", "y", "z")
    share = {v: column.count(v) / 3 for column in (first, second) for v in column}
    released = [*itertools.product("ab", "ab", "ab", "xyz", "xyz", "xyz")]
    originals = [
        one + other
        for one in sorted({*itertools.permutations(first)})
        for other in itertools.permutations(second)
    ]

    def chance(before, after):
        found = 1.0
        for old, new in zip(before, after, strict=True):
            found *= keep * (old == new) + (1 - keep) * share[new]
        return log(found)

    chances = np.array([[chance(o, r) for r in released] for o in originals])
    assert np.exp(chances).sum(axis=1) == pytest.approx(np.ones(len(originals)))
    told = guarantee(each(table(P=list(first), Q=list(second)), keep).release)
    worst = 0.0
    for a, b in itertools.combinations(range(len(originals)), 2):
        pairs = [originals[k] for k in (a, b)]
        apart = sum((p[i], p[i + 3]) != (q[i], q[i + 3]) for p, q in [pairs] for i in range(3))
        worst = max(worst, np.abs(chances[a] - chances[b]).max() / apart)
    assert 0.85 * told.epsilon < worst <= told.epsilon
    gamma = [1 + keep / (1 - keep) / f for f in (0.33, 0.33)]
    assert told.epsilon == pytest.approx(sum(map(log, gamma)))


def test_each_value_is_drawn_by_itself():
    """Which of three attributes are drawn, over 20,000 records: as three coins fall."""
    n, keep = 20_000, 0.3
    data = table(**{name: [f"{at:05}" for at in range(n)] for name in "abc"})
    release, key = each(data, keep)
    same = release.frame.astype(str).to_numpy()[key.rows] == data.frame.astype(str).to_numpy()
    seen = np.bincount(same @ [1, 2, 4], minlength=8)
    stays = keep + (1 - keep) / n
    told = [n * stays ** s.bit_count() * (1 - stays) ** (3 - s.bit_count()) for s in range(8)]
    assert ((seen - told) ** 2 / told).sum() < chi2.isf(1e-6, 7)


def test_a_count_is_estimated_as_by_inverting_the_matrices():
    rng, keep = np.random.default_rng(3), 0.4
    a = rng.integers(0, 3, 900)
    b = np.where(rng.random(900) < 0.7, a, rng.integers(0, 3, 900))
    data = table(A=a.astype(str), B=b.astype(str))
    query, runs, found = vk.Query.count({"A": "1", "B": ["0", "2"]}), 200, []
    for seed in range(runs):
        release = each(data, keep, seed).release
        seen = pd.crosstab(release.frame["A"], release.frame["B"]).to_numpy()
        solved = []
        for axis in (0, 1):
            share = seen.sum(axis=1 - axis) / 900
            solved.append(
                np.linalg.inv(keep * np.eye(3) + (1 - keep) * np.outer(share, np.ones(3)))
            )
        before = solved[0] @ seen @ solved[1].T
        answer = vk.answer(query, release)
        assert answer.mean == pytest.approx(before[1, 0] + before[1, 2])
        found.append((answer.mean, answer.variance))
    means, variances = np.array(found).T
    true = vk.answer(query, data).estimate
    assert means.mean() == pytest.approx(true, abs=5 * means.std() / np.sqrt(runs))
    assert variances.mean() == pytest.approx(means.var(), rel=0.4)


def test_who_knows_all_links_no_more_than_epsilon_allows():
    rng = np.random.default_rng(2)
    data = table(**{name: rng.choice(list("abcd"), 120) for name in "pqrs"})
    for keep in (0.05, 0.3):
        release, key = each(data, keep)
        links = vk.link(data, release, attack="likelihood")
        allowed = 120 * guarantee(release).chance(120)
        assert correct_links(links, key).count <= allowed + 5 * np.sqrt(allowed)


def test_how_varied_the_changes_are_and_how_many_records_stay():
    data = table(p=list("aabb"), q=list("abcd"))
    found = perturbation_diversity(each(data, 0.5).release)
    shown = each(data, 0.5).release.frame
    share = {n: shown[n].astype(str).value_counts(normalize=True) for n in "pq"}
    entropy = sum(2 * 0.5 * log(2) + 0.5 * -(part * np.log(part)).sum() for part in share.values())
    assert found.value == pytest.approx(exp(entropy))
    stays = [(0.5 + 0.5 * share[n].loc[shown[n].astype(str)].to_numpy()) for n in "pq"]
    assert found.unchanged == pytest.approx(np.mean(stays[0] * stays[1]))
    assert found.probabilities == {"p": 0.5, "q": 0.5}


def test_a_person_is_told_that_each_value_was_kept_by_a_chance():
    data = table(p=list("aabb") * 4, q=list("abab") * 4)
    report = vk.check({"p": "a", "q": "b"}, each(data, 0.25).release)
    assert "each value was kept in 25 of 100 cases and else drawn" in report.sentence("V2")
    assert report.facts["possible"] == 16


def test_the_rarest_share_is_published_rounded_down():
    data = table(p=["a"] + ["b"] * 6, q=["x", "y"] * 3 + ["z"])
    assert each(data, 0.5).release.parameters == {
        "scheme": "each", "keep": 0.5, "rarest": {"p": 0.14, "q": 0.14},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"scheme": "each"}, "keep was given as None; expected a number from 0 to 1"),
        ({"scheme": "each", "keep": 1.2}, "keep was given as 1.2; expected a number from 0 to 1"),
        ({"scheme": "all", "keep": 0.2}, "scheme was given as 'all'; expected 'each'"),
        ({"keep": 0.2}, "keep was given without scheme 'each'"),
        ({"scheme": "each", "keep": 0.2, "changed": 2}, "leave changed and probabilities out"),
    ],
)
def test_what_does_not_go_together_is_refused(asked, said):
    with pytest.raises(vk.RecordError, match=said):
        vk.mask.randomize(table(p=list("ab"), q=list("ab")), **asked, seed=1)
    kept = each(table(p=list("ab"), q=list("ab")), 1).release
    assert guarantee(kept).epsilon is None
