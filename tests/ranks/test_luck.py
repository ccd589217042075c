"""How closely made-up records match: exact answers against full enumeration."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verikit.errors import InfeasibleError
from verikit.ranks import blocks, luck, null_models
from verikit.ranks._nearest import find_nearest


def block_columns(table):
    ends = [blocks(column) for column in table.T]
    return np.stack([first for first, _ in ends], 1), np.stack([last for _, last in ends], 1)


def permutations(n, m, seed):
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.permutation(n) + 1 for _ in range(m)])


def every_made_up_record(drawn):
    """The blocks of all n ** m records that draw each value from its column."""
    n, m = drawn[0].shape
    ranks = np.array(list(itertools.product(range(n), repeat=m)))
    return tuple(np.take_along_axis(part, ranks, axis=0) for part in drawn)


def enumerated(first, last, distances, drawn):
    """The shares by measuring every made-up record against every released one."""
    query_first, query_last = every_made_up_record(drawn)
    closest = np.full(len(query_first), 10**9)
    for low, high in zip(first, last, strict=True):
        gap = np.maximum(np.maximum(low - query_last, query_first - high), 0).max(axis=1)
        np.minimum(closest, gap, out=closest)
    return np.array([(closest <= distance).mean() for distance in distances])


@st.composite
def releases(draw):
    """A small release, with or without ties, and columns to draw from."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    m = draw(st.integers(2, 4))
    n = draw(st.integers(2, {2: 40, 3: 16, 4: 9}[m]))
    values = draw(st.sampled_from([2, 3, 6, 10**6]))
    released = block_columns(rng.integers(0, values, (n, m)).astype(float))
    if draw(st.booleans()):
        return *released, luck.by_rank(*released)
    return *released, luck.by_rank(*block_columns(rng.integers(0, values, (n, m)).astype(float)))


@given(releases())
def test_the_exact_shares_are_those_of_full_enumeration(release):
    first, last, drawn = release
    distances = range(len(first) + 1)
    found = luck.exact(first, last, distances, drawn)
    assert found == pytest.approx(enumerated(first, last, distances, drawn), abs=1e-12)


@given(releases(), st.integers(0, 5))
@settings(max_examples=30)
def test_karp_luby_is_within_five_of_its_errors_of_full_enumeration(release, distance):
    first, last, drawn = release
    share, error = luck.karp_luby(first, last, [distance], drawn, draws=4000, seed=1)
    assert abs(share - enumerated(first, last, [distance], drawn)) <= 5 * error + 1e-12


def test_karp_luby_has_a_relative_error_of_three_in_ten_thousand_at_a_share_of_one_percent():
    ranks = permutations(1000, 3, seed=1)
    share, error = luck.karp_luby(ranks, ranks, [10])
    assert 0.008 < share[0] < 0.010
    assert error[0] / share[0] < 4e-4


ANCHORS = {
    0: 1.0e-6,
    1: 2.70e-5,
    2: 1.25e-4,
    3: 3.41e-4,
    5: 1.32e-3,
    8: 4.84e-3,
    10: 9.07e-3,
    14: 2.36e-2,
}


@pytest.mark.parametrize("seed", range(3))
def test_three_independent_columns_of_a_thousand_give_the_known_shares(seed):
    """Anchors measured elsewhere, with two or three digits: they hold within 2 %."""
    ranks = permutations(1000, 3, seed)
    assert luck.exact(ranks, ranks, list(ANCHORS)) == pytest.approx(
        list(ANCHORS.values()), rel=0.02
    )


@pytest.mark.parametrize(("n", "m"), [(300, 2), (1000, 3), (400, 4)])
def test_the_closed_form_is_within_three_percent_for_independent_columns(n, m):
    """It is far closer than the share that treats windows as if ranks could repeat."""
    ranks = permutations(n, m, seed=4)
    middle = int(n ** (1 - 1 / m) / 2)
    distances = [1, max(2, middle // 4), middle // 2, middle]
    true, found = (f(ranks, ranks, distances) for f in (luck.exact, luck.closed_form))
    assert found == pytest.approx(true, rel=0.03)


def test_the_closed_form_counts_that_ranks_are_used_once():
    """Twenty records: means over releases within .008 of the exact ones; without, .016 off."""
    distances = range(1, 8)
    off = [
        luck.closed_form(ranks, ranks, distances) - luck.exact(ranks, ranks, distances)
        for ranks in (permutations(20, 3, seed=seed) for seed in range(100))
    ]
    assert np.abs(np.mean(off, axis=0)).max() < 0.008


@given(releases())
@settings(max_examples=30)
def test_the_closed_form_grows_from_zero_to_one(release):
    first, last, drawn = release
    found = luck.closed_form(first, last, range(len(first) + 1), drawn)
    assert (np.diff(found) >= -1e-9).all()
    assert found[0] >= 0
    assert found[-1] == pytest.approx(1)


def test_made_up_records_draw_from_the_columns_and_match_as_often_as_the_exact_share_says():
    """20,000 draws: the shares within each distance lie within five standard errors."""
    ranks = permutations(60, 3, seed=2)
    first, last, _ = luck.made_up(luck.by_rank(ranks, ranks), 20_000, seed=3)
    gaps = np.abs(first[:, None] - ranks[None]).max(axis=2).min(axis=1)
    share = luck.exact(ranks, ranks, range(12))
    seen = np.array([(gaps <= distance).mean() for distance in range(12)])
    assert (np.abs(seen - share) <= 5 * np.sqrt(share * (1 - share) / 20_000)).all()
    assert first is not last
    assert np.array_equal(first, last)


def test_what_takes_too_long_for_an_exact_share_is_refused_with_what_to_use_instead(monkeypatch):
    monkeypatch.setattr(null_models, "PATIENCE", 1e4)
    ranks = permutations(200, 5, seed=1)
    with pytest.raises(InfeasibleError, match=r"200 records of 5 .* use the null 'karp_luby'"):
        luck.exact(ranks, ranks, [60])


def test_other_people_are_as_far_as_their_closest_other_record():
    """On a line of ranks each record is next to another; a copy is at distance 0."""
    line = block_columns(np.array([[1.0, 1], [2, 2], [4, 4], [9, 9]]))
    assert luck.leave_one_out(*line).tolist() == [1, 1, 1, 1]
    copies = block_columns(np.array([[1.0, 1], [1, 1], [4, 4], [9, 9]]))
    assert luck.leave_one_out(*copies).tolist() == [0, 0, 1, 1]


def conformal_by_definition(values, query):
    """The query joins the table, all are ranked anew, and distances are counted afresh."""
    joined = np.vstack([values, query])
    first, last = block_columns(joined)
    up = first[None] - last[:, None]
    gaps = np.maximum(np.maximum(up, np.swapaxes(up, 0, 1)), 0).max(axis=2)
    np.fill_diagonal(gaps, 10**9)
    closest = gaps.min(axis=1)
    return np.mean(closest <= closest[-1])


@given(st.integers(0, 10**6), st.integers(1, 25), st.integers(1, 4), st.sampled_from([3, 8, 10**6]))
def test_the_conformal_p_is_that_of_ranking_anew_with_each_query(seed, n, m, spread):
    rng = np.random.default_rng(seed)
    values, queries = (rng.integers(0, spread, (k, m)).astype(float) for k in (n + 1, 12))
    found = luck.conformal(values, queries)
    expected = [conformal_by_definition(values, query) for query in queries]
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("correlation", [0.7, 0.95])
def test_people_from_outside_are_warned_rarely_by_other_people_but_often_by_made_up_records(
    correlation,
):
    """Fresh people from the same population, alpha .10: at most 15 % are warned by records of
    other people and by the conformal test; made-up records, which ignore correlation, warn more
    than 18 %."""
    rng = np.random.default_rng(8)
    spread = np.full((3, 3), correlation) + (1 - correlation) * np.eye(3)
    values, people = (rng.multivariate_normal(np.zeros(3), spread, n) for n in (1500, 600))
    first, last = block_columns(values)
    asked = [blocks(q, np.sort(v)) for q, v in zip(people.T, values.T, strict=True)]
    query = [np.column_stack(part) for part in zip(*asked, strict=True)]
    distance = find_nearest(*query, first, last)[0]
    others = np.sort(luck.leave_one_out(first, last))
    by_others = (1 + np.searchsorted(others, distance, "right")) / (len(values) + 1)
    asked, place = np.unique(distance, return_inverse=True)
    by_made_up = luck.exact(first, last, asked[asked <= np.quantile(distance, 0.9)])
    by_made_up = np.r_[by_made_up, np.ones(len(asked) - len(by_made_up))]  # not warned of
    assert np.mean(by_others <= 0.10) <= 0.15
    assert np.mean(luck.conformal(values, people) <= 0.10) <= 0.14
    assert np.mean(by_made_up[place] <= 0.10) >= (0.18 if correlation == 0.7 else 0.6)


def test_the_estimated_success_of_certain_and_of_hopeless_links():
    """All records match exactly where made-up ones never do: all links are right.
    Records that match just like made-up ones: no link is."""
    assert luck.estimated_success(np.array([1.0, 1.0]), np.array([0.0, 1.0])) == 1
    made_up = np.array([0.1, 0.4, 1.0])
    assert luck.estimated_success(made_up, made_up) == pytest.approx(0, abs=1e-12)


def test_the_estimated_success_of_known_distances():
    """True distances 0 or 1, half each; chance ones 1 or 2, half each. Observed: 0 in half of
    cases, 1 in half. Right: .5 at distance 0, and .5 x (.5 + .5 / 2) at distance 1, .875 in all."""
    observed, made_up = np.array([0.5, 1.0, 1.0]), np.array([0.0, 0.5, 1.0])
    assert luck.estimated_success(observed, made_up) == pytest.approx(0.875)
