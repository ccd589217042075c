"""The intruder who repeats the published method, where attributes are moved together."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import verikit as vk
from verikit.intruder import _rank_linkage
from verikit.intruder._ranked_tables import rank_tables
from verikit.protector import correct_links
from verikit.ranks._moves import balance_likelihoods, whiten_moves


def related(n, m, correlation, seed):
    rng = np.random.default_rng(seed)
    shared, own = rng.normal(size=(n, 1)), rng.normal(size=(n, m))
    values = np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own
    return vk.Microdata(pd.DataFrame(values, columns=list("abcdefgh")[:m]))


@pytest.mark.parametrize(("correlation", "least"), [(0.95, 900), (0.8, 280)])
def test_shuffled_columns_that_hang_together_are_linked_by_how_they_were_moved_together(
    correlation, least
):
    """Eight columns of correlation .9, 1000 records; attribute by attribute finds 415 and 122."""
    data = related(1000, 8, 0.9, 1)
    masked = vk.mask.shuffle(data, correlation=correlation, seed=2)
    links = vk.link(data, masked.release, attack="published_mechanism")
    assert correct_links(links, masked.key).count >= least


def test_the_posteriors_of_moves_together_do_not_promise_too_much():
    """Their sum is the number of right links to expect: never above it, and at least two thirds."""
    data = related(600, 5, 0.7, 3)
    masked = vk.mask.shuffle(data, correlation=0.9, seed=2)
    links = vk.link(data, masked.release, attack="published_mechanism")
    right = correct_links(links, masked.key).count
    assert 0.67 * right < (1 - links.measure).sum() < right + 3 * np.sqrt(right)


def test_a_few_candidates_are_balanced_as_all_are_where_the_others_are_impossible():
    rng = np.random.default_rng(3)
    n = 30
    rows = (np.arange(n)[:, None] + np.array([0, 3, 7, 8, 15, 22])) % n  # each row in six
    likely = rng.normal(size=rows.shape)
    whole = np.full((n, n), -1e9)
    np.put_along_axis(whole, rows, likely, axis=1)
    found = balance_likelihoods(likely, rows)
    every = balance_likelihoods(whole, np.broadcast_to(np.arange(n), (n, n)))
    assert found == pytest.approx(np.take_along_axis(every, rows, axis=1), abs=1e-12)
    assert every.sum(axis=1) == pytest.approx(np.ones(n))
    assert every.sum(axis=0) == pytest.approx(np.ones(n), abs=1e-6), "a row goes to one record"


def test_moves_that_correlate_by_nine_tenths_gain_what_theory_says():
    """Two normal moves of correlation r are told better together by -log(1 - r²) / 2 each."""
    rng = np.random.default_rng(1)
    n, runs = 500, 40
    ranks = rng.permuted(np.tile(np.arange(1.0, n + 1), (2, 1)), axis=1).T
    before = np.tile(norm.ppf((ranks - 0.5) / n), (runs, 1))
    apart = rng.normal(size=(n * runs, 2))
    together = np.column_stack([apart[:, 0], 0.9 * apart[:, 0] + np.sqrt(0.19) * apart[:, 1]])
    gains = []
    for moved in (together, apart):
        after = n * norm.cdf(0.95 * before + np.sqrt(1 - 0.95**2) * moved) + 0.5
        ends = np.clip(after, 1, n)
        moves = list(np.tile(ranks, (runs, 1)).T), list(ends.T)
        gains.append(whiten_moves(moves, (ranks, ends[:n]), 0.0).gain)
    assert gains[0] - gains[1] == pytest.approx(-np.log(1 - 0.81) / 2, abs=0.1)


def test_swapping_keeps_its_sharp_windows_attribute_by_attribute():
    """Nobody is linked outside the published places, which a normal law would not know."""
    data = related(250, 3, 0.7, 1)
    masked = vk.mask.rank_swap(data, percent=10, scheme="cycles", seed=2)
    links = vk.link(data, masked.release, attack="published_mechanism")
    assert (
        correct_links(links, masked.key).count
        > 1.5 * correct_links(vk.link(data, masked.release), masked.key).count
    )


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("noise", {"scale": {"a": 0.4, "b": 0.0, "c": 2.0}}),
        ("rank_swap", {"percent": 10}),
        ("rank_swap", {"percent": 10, "scheme": "cycles"}),
        ("shuffle", {"correlation": 0.8}),
        ("microaggregate", {"k": 4}),
        ("microaggregate", {"k": 4, "method": "mdav"}),
    ],
)
def test_values_drawn_alone_move_ranks_as_whole_releases_do(method, parameters):
    data = related(90, 3, 0.6, 5)
    for table in (data, vk.Microdata(data.frame.round())):  # without and with equal values
        release, _ = vk.mask.METHODS[method].function(table, **parameters, seed=1)
        tables = rank_tables(table, release)
        repeat = _rank_linkage.make_repeat(release)
        plain = [r for r, _ in _rank_linkage._compare_releases(table, repeat, tables, 5)]
        drawn, _ = _rank_linkage._rank_draws(table, release, tables, 5)
        assert np.array_equal(plain, drawn)
