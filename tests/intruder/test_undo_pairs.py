"""Undoing rank swapping in pairs: one link gives others, and a wrong one contradicts itself."""

import itertools
import time

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sources import tries

import verikit as vk
from verikit.intruder import _undo_pairs, undo_pairs
from verikit.protector import correct_links


def normal(n, m, seed, levels=None):
    """Normal columns; with levels rounded to so many steps a standard deviation."""
    values = np.random.default_rng(seed).normal(size=(n, m))
    if levels is not None:
        values = np.round(values * levels)
    return vk.Microdata(pd.DataFrame(values, columns=list("abcdefgh")[:m]))


def told(data, masked):
    """How many records have one candidate that is right, and one that is wrong."""
    links = undo_pairs(data, masked.release)
    own = links.rows == masked.key.rows[links.records]
    sole = links.counts[links.records] == 1
    return int((own & sole).sum()), int((~own & sole).sum())


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("percent", [5, 20, 50])
def test_of_a_thousand_records_swapped_in_pairs_all_are_linked_rightly(percent, seed):
    data = normal(1000, 3, seed)
    assert told(data, vk.mask.rank_swap(data, percent=percent, seed=seed + 50)) == (1000, 0)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("percent", [5, 20, 50])
def test_two_columns_leave_a_few_open_that_pairs_explain_in_two_ways_and_none_is_wrong(
    percent, seed
):
    """A ring of people who swapped among themselves may read as two rings of equal length."""
    data = normal(1000, 2, seed)
    masked = vk.mask.rank_swap(data, percent=percent, seed=seed + 50)
    right, wrong = told(data, masked)
    assert right >= 980
    assert wrong == 0
    links = undo_pairs(data, masked.release)
    assert (links.rows == masked.key.rows[links.records]).sum() == 1000, "hers is among them"


@pytest.mark.parametrize("percent", [5, 50])
@pytest.mark.parametrize("seed", range(3))
def test_nobody_is_linked_where_no_pairs_were_made(percent, seed):
    data = normal(400, 3, seed)
    cycled = vk.mask.rank_swap(data, percent=percent, scheme="cycles", seed=seed)
    shuffled = vk.mask.shuffle(data, correlation=0.95, seed=seed)
    for masked in (cycled, shuffled):
        links = undo_pairs(data, masked.release)
        assert links.counts.tolist() == [0] * 400
        assert not links.certain.any()
        assert "No swapping in pairs explains this release: nobody is linked." in repr(links)


# 76, 13 and 3 % of the values are unique. Where values are equal, links that only unique values
# carry would come to 998, 583 and about 60 at 5 %.
TIES = [(950, 20, 1000), (110, 5, 990), (110, 20, 990), (30, 5, 900), (30, 10, 250)]


@pytest.mark.parametrize(("levels", "percent", "least"), TIES)
def test_ties_are_carried_as_sets_of_candidates_and_nothing_wrong_is_said(levels, percent, least):
    for seed in range(tries(3, 3)):
        data = normal(1000, 3, seed, levels)
        masked = vk.mask.rank_swap(data, percent=percent, seed=seed + 50)
        right, wrong = told(data, masked)
        assert right >= least
        assert wrong == 0
        links = undo_pairs(data, masked.release)
        assert (links.rows == masked.key.rows[links.records]).sum() == 1000, "hers is among them"


def left_by_propagation(data, release):
    """The rows that each record may have become, thinned until nothing more follows.

    If record i became row k, then in each column somebody with the value that k shows became a row
    that shows the value of i. A pair stays while each column has such a pair that may be; a row
    that is the only one left for somebody is nobody else's.
    """
    places, columns, may = release.parameters["places"], [], np.ones((len(data),) * 2, bool)
    for name in data.frame:
        values, own = np.unique(data.frame[name], return_inverse=True)
        shown = np.searchsorted(values, release.frame[name])
        last = np.cumsum(np.bincount(own))
        first = np.append(0, last[:-1]) + 1
        apart = np.maximum(first[own][:, None] - last[shown], first[shown] - last[own][:, None])
        may &= apart <= places[name]
        columns.append((len(values), own, shown))
    before = may.sum() + 1
    while before > may.sum():
        before = may.sum()
        for count, own, shown in columns:
            known = np.zeros((count, count), bool)
            records, rows = np.nonzero(may)
            known[own[records], shown[rows]] = True
            may &= known[shown[None, :], own[:, None]]
        for way in (may, may.T):
            sole = np.flatnonzero(way.sum(axis=1) == 1)
            kept = way[sole]
            way[:, kept.argmax(axis=1)] = False
            way[sole] = kept
    return may


@pytest.mark.parametrize("levels", [950, 110, 30, 5])
@pytest.mark.parametrize("percent", [5, 10, 20])
def test_with_ties_no_fewer_are_linked_than_certain_propagation_leaves_one_row(levels, percent):
    for n, seed in [(300, 0), (1000, 1)]:
        data = normal(n, 3, seed, levels)
        masked = vk.mask.rank_swap(data, percent=percent, seed=seed + 50)
        may = left_by_propagation(data, masked.release)
        assert may[np.arange(n), masked.key.rows].all(), "hers is never ruled out"
        right, wrong = told(data, masked)
        assert right >= np.count_nonzero(may.sum(axis=1) == 1)
        assert wrong == 0


def worlds(data, release, places):
    """All ways to give each record a row that swapping in pairs explains, by trying them all."""
    links = vk.link(data, release)
    names = links.attributes
    values, shown = data.frame[list(names)].to_numpy(), release.frame[list(names)].to_numpy()
    n, at = len(data), np.arange(len(data))
    for order in itertools.permutations(range(n)):
        rows = np.array(order)
        far = links.compared.places(at, rows) > [places[name] for name in names]
        if far.any():
            continue
        moves = [sorted(zip(values[:, j], shown[rows, j], strict=True)) for j in range(len(names))]
        if all(move == sorted((b, a) for a, b in move) for move in moves):
            yield rows


def test_records_that_stay_open_have_several_rows_that_pairs_explain():
    """Four of a thousand: all ways to give them their rows are tried, the others being certain."""
    data = normal(1000, 2, 0)
    masked = vk.mask.rank_swap(data, percent=50, seed=50)
    links = undo_pairs(data, masked.release)
    records = np.flatnonzero(links.counts > 1)
    assert len(records) == 4
    part = masked.key.rows[records]
    bounds = [masked.release.parameters["places"][name] for name in data.frame]
    values, shown = data.frame.to_numpy()[records], masked.release.frame.to_numpy()
    possible = []
    for rows in map(np.array, itertools.permutations(part)):
        moves = [
            sorted(zip(*ends, strict=True)) for ends in zip(values.T, shown[rows].T, strict=True)
        ]
        both = all(move == sorted((b, a) for a, b in move) for move in moves)
        if both and (links.compared.places(records, rows) <= bounds).all():
            possible.append(rows)
    assert all(len(set(rows)) > 1 for rows in np.array(possible).T)


@given(st.integers(2, 6), st.integers(1, 3), st.sampled_from([2, 4, 50]), st.integers(0, 200))
def test_certain_links_hold_in_every_way_that_pairs_could_have_been_swapped(n, m, spread, seed):
    rng = np.random.default_rng(seed)
    data = vk.Microdata(pd.DataFrame(rng.integers(0, spread, (n, m)), columns=list("abc")[:m]))
    release, key = vk.mask.rank_swap(data, percent=60, seed=seed)
    links = undo_pairs(data, release)
    possible = np.array(list(worlds(data, release, release.parameters["places"])))
    assert key.rows.tolist() in possible.tolist()
    for record in range(n):
        rows = links.rows[links.starts[record] : links.starts[record + 1]]
        if links.certain[record]:
            assert set(possible[:, record]) == set(rows)
        elif links.counts[record] > 1 and links.certain[links.counts == 1].all():
            assert set(rows) >= set(possible[:, record])


def test_two_people_who_swapped_everything_are_linked_but_not_with_certainty():
    """Two records that exchange all values look like two that stayed: no proof, one guess."""
    for seed in range(200):
        data = normal(30, 2, seed)
        release, key = vk.mask.rank_swap(data, percent=10, seed=seed)
        links = undo_pairs(data, release)
        if 0 < links.certain.sum() < 30:
            break
    open_records = np.flatnonzero(~links.certain)
    undone = vk.link(data, release).compared
    assert (undone.places(open_records, key.rows[open_records]) > 0).all()
    assert "links are certain if values were swapped in pairs as published" in links.note
    assert "but some are proved" in repr(links)


def test_the_strongest_attack_undoes_pairs_wherever_they_are_published():
    data = normal(150, 3, 1)
    masked = vk.mask.rank_swap(data, percent=40, seed=2)
    strongest = vk.link(data, masked.release, attack="strongest")
    assert correct_links(strongest, masked.key).count == 150
    assert list(strongest.attempts)[-1] == "undo_pairs"
    assert strongest.rows.tolist() == strongest.attempts["undo_pairs"].rows.tolist()
    older = vk.TableRelease(
        masked.release.frame,
        masked.release.schema,
        "rank_swap",
        {k: v for k, v in masked.release.parameters.items() if k != "scheme"},
    )
    assert "undo_pairs" in vk.link(data, older, attack="strongest").attempts
    cycled = vk.mask.rank_swap(data, percent=40, scheme="cycles", seed=2)
    attempts = vk.link(data, cycled.release, attack="strongest").attempts
    assert "undo_pairs" not in attempts
    assert correct_links(attempts["published_mechanism"], cycled.key).count < 30


def test_rows_that_pairs_leave_open_are_told_apart_by_how_far_values_move():
    """Whole numbers, a tenth moved: sets of some rows are left, and the mechanism picks in them."""
    data = normal(300, 3, 1, 8)
    masked = vk.mask.rank_swap(data, percent=10, seed=2)
    alone = undo_pairs(data, masked.release)
    assert (alone.counts > 1).any()
    attempts = vk.link(data, masked.release, attack="strongest").attempts
    counts = {name: correct_links(links, masked.key).count for name, links in attempts.items()}
    assert counts["undo_pairs"] > max(v for name, v in counts.items() if name != "undo_pairs")
    chosen = attempts["undo_pairs"]
    for record in np.flatnonzero(alone.counts > 0):
        rows = alone.rows[alone.starts[record] : alone.starts[record + 1]]
        assert chosen.rows[record] in rows


def test_ten_thousand_records_are_undone_in_a_tenth_of_a_second():
    data = normal(10_000, 3, 1)
    masked = vk.mask.rank_swap(data, percent=30, seed=2)
    begun = time.process_time()
    links = undo_pairs(data, masked.release)
    took = time.process_time() - begun
    assert (links.rows == masked.key.rows).all()
    assert took < 0.4, "about .01 s on a quiet machine"


def test_columns_published_as_they_are_count_as_unmoved():
    data = normal(60, 3, 1)
    release, key = vk.mask.rank_swap(data, percent={"a": 20, "b": 20, "c": 0}, seed=2)
    links = undo_pairs(data, release)
    assert links.rows.tolist() == key.rows.tolist()
    assert links.certain.all()


def test_where_no_places_are_published_a_value_may_have_gone_anywhere():
    data = normal(200, 3, 1)
    release, key = vk.mask.rank_swap(data, percent=100, seed=2)
    untold = vk.TableRelease.of(release.frame, release.schema)
    assert undo_pairs(data, untold).rows.tolist() == key.rows.tolist()


def test_a_single_attribute_leaves_everybody_open_and_ends_soon(monkeypatch):
    monkeypatch.setattr(_undo_pairs, "MAX_VAIN_STARTS", 5)
    data = normal(200, 1, 1)
    links = undo_pairs(data, vk.mask.rank_swap(data, percent=10, seed=2).release)
    assert links.counts.min() > 1
    assert not links.certain.any()


def test_a_release_with_other_values_is_refused():
    data = normal(50, 2, 1)
    release, _ = vk.mask.noise(data, scale=0.1, seed=1)
    with pytest.raises(vk.InfeasibleError, match="does not hold the original's values"):
        undo_pairs(data, release)
    with pytest.raises(vk.InfeasibleError, match="does not hold the original's values"):
        vk.link(data, release, attack="undo_pairs")


def test_records_without_a_candidate_have_no_distance():
    data = normal(60, 3, 1)
    links = undo_pairs(data, vk.mask.shuffle(data, correlation=0.5, seed=1).release)
    assert links.distances.tolist() == [-1] * 60
    assert links.of(3).empty
    assert len(links.to_frame()) == 0
