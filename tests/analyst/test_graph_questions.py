"""Questions to published graphs against every way to give the names of a group to its nodes."""

import dataclasses
import itertools
import math

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.analyst import (
    Among,
    And,
    Between,
    Not,
    Or,
    _graph_choices,
    answer_linked,
    count_linked,
    count_links,
    most_links,
)

TOWNS = ["EU", "US", "UK"]


def small_release(rng, *, safe=True):
    """Three or four authors and papers, with a town and a year, in groups."""
    sizes = rng.integers(3, 5, 2)
    pairs = np.argwhere(rng.random(sizes) < rng.uniform(0.3, 0.6))
    if not len(pairs):
        return None
    authors = pd.DataFrame({"a": [f"a{i}" for i in range(sizes[0])],
                            "town": rng.choice(TOWNS, sizes[0])})  # fmt: skip
    papers = pd.DataFrame({"p": [f"p{i}" for i in range(sizes[1])],
                           "year": rng.integers(2000, 2005, sizes[1])})  # fmt: skip
    links = pd.DataFrame({"a": [f"a{i}" for i in pairs[:, 0]], "p": [f"p{j}" for j in pairs[:, 1]]})
    graph = vk.BipartiteGraph.of(links, authors, papers)
    try:
        release = vk.mask.group_nodes(graph, 2, 2, seed=1).release
    except vk.InfeasibleError:
        return None
    if safe:
        return release
    names = rng.integers(0, 2, sizes[0])
    names[0] = 0
    names = np.unique(names, return_inverse=True)[1]
    return dataclasses.replace(release, left_groups=names, left_nodes=names, links=pairs)


def placings(names, nodes):
    """Every way to give names to the nodes of their groups: the node of each name."""
    groups = [(np.flatnonzero(names == g), np.flatnonzero(nodes == g)) for g in np.unique(names)]
    for ways in itertools.product(*(itertools.permutations(own) for _, own in groups)):
        found = np.zeros(len(names), int)
        for (who, _), way in zip(groups, ways, strict=True):
            found[who] = way
        yield found


def worlds(release):
    """The links between named entities in each world, and the links of each that they have."""
    links = np.zeros((len(release.left), len(release.right)), bool)
    links[tuple(np.array(release.links).T)] = True
    for left in placings(np.array(release.left_groups), np.array(release.left_nodes)):
        for right in placings(np.array(release.right_groups), np.array(release.right_nodes)):
            yield links[left][:, right]


def draw_conditions(rng, authors):
    """Who is meant on each side, as conditions, and the same of records."""
    low, high = sorted(rng.integers(2000, 2005, 2).tolist())
    town = str(rng.choice(authors["town"]))
    left = [
        (None, lambda a: a.town == a.town),
        ({"town": town}, lambda a: a.town == town),
        (Not(Among("town", frozenset({town}))), lambda a: a.town != town),
        (f"town = '{town}' or town = 'UK'", lambda a: a.town.isin([town, "UK"])),
    ]
    right = [
        (None, lambda p: p.year == p.year),
        ({"year": (low, high)}, lambda p: p.year.between(low, high)),
        ({"year": {low, high}}, lambda p: p.year.isin([low, high])),
        (Or(Between("year", high=low), And(Between("year", low=high))),
         lambda p: (p.year <= low) | (p.year >= high)),
        (f"not year between {low} and {high}", lambda p: ~p.year.between(low, high)),
    ]  # fmt: skip
    return left[rng.integers(len(left))], right[rng.integers(len(right))]


def draw_degrees(rng):
    """How many links those have that count, and the same of a number of links."""
    asked = None, 1, (1, 2), {2, 3}
    sets = range(9), (1,), (1, 2), (2, 3)
    at = int(rng.integers(4))
    return asked[at], lambda links: np.isin(links, list(sets[at]))


def kept_links(world, degrees):
    own, far = (rule(world.sum(axis=side)) for side, rule in ((1, degrees[0]), (0, degrees[1])))
    return world & own[:, None] & far[None, :]


def aggregate(name, values):
    if name == "count":
        return float(len(values))
    if name == "sum":
        return float(values.sum())
    return (
        float({"avg": np.mean, "min": np.min, "max": np.max}[name](values))
        if len(values)
        else math.nan
    )


def cases(rounds, *, safe=True):
    rng = np.random.default_rng(int(safe))
    made = 0
    while made < rounds:
        release = small_release(rng, safe=safe)
        if release is None:
            continue
        made += 1
        found = list(worlds(release))
        authors, papers = release.left.frame, release.right.frame
        for _ in range(4):
            (left, of_author), (right, of_paper) = draw_conditions(rng, authors)
            (one, first), (two, second) = draw_degrees(rng), draw_degrees(rng)
            degrees = {s: d for s, d in (("left", one), ("right", two)) if d is not None}
            met = of_author(authors).to_numpy(), of_paper(papers).to_numpy()
            kept = [kept_links(w, (first, second)) & met[0][:, None] & met[1] for w in found]
            asked = {"left": left, "right": right, "degrees": degrees or None}
            yield rng, release, asked, met, kept


def test_conditions_and_degrees_of_both_sides_bound_what_all_worlds_give():
    asked_of, loose = 0, 0
    for _, release, asked, met, kept in cases(24):
        true = {
            "links": [w.sum() for w in kept],
            "papers": [w.any(axis=0).sum() for w in kept],
            "most": [w.sum(axis=1)[met[0]].max() for w in kept] if met[0].any() else [math.nan],
        }
        for tight in (False, True):
            answers = {
                "links": count_links(release, **asked, tight=tight),
                "papers": count_linked(release, "right", **asked, tight=tight),
                "most": most_links(release, "left", **asked, tight=tight),
            }
            for name, answer in answers.items():
                if math.isnan(true[name][0]):
                    assert math.isnan(answer.lower)
                    continue
                asked_of += 1
                ends = min(true[name]), max(true[name])
                assert answer.lower <= ends[0], (name, asked)
                assert ends[1] <= answer.upper, (name, asked)
                reached = (answer.lower, answer.upper) == ends
                assert reached or not answer.tight, (name, asked)
                assert reached or not tight, (name, asked)
                loose += not reached
                if answer.mean is not None:
                    assert answer.mean == pytest.approx(np.mean(true[name])), (name, asked)
    assert asked_of > 400
    assert loose  # and quick bounds are not always tight


@pytest.mark.parametrize("safe", [True, False])
def test_integer_programs_give_the_bounds_of_all_worlds(safe, monkeypatch):
    monkeypatch.setattr(_graph_choices, "WAYS", 0)
    for _, release, asked, met, kept in cases(10, safe=safe):
        true = {
            "links": [w.sum() for w in kept],
            "papers": [w.any(axis=0).sum() for w in kept],
            "authors": [w.any(axis=1).sum() for w in kept],
            "most": [w.sum(axis=1)[met[0]].max() for w in kept] if met[0].any() else None,
        }
        answers = {
            "links": count_links(release, **asked, tight=True),
            "papers": count_linked(release, "right", **asked, tight=True),
            "authors": count_linked(release, "left", **asked, tight=True),
            "most": most_links(release, "left", **asked, tight=True),
        }
        for name, answer in answers.items():
            if true[name] is not None:
                assert (answer.lower, answer.upper) == (min(true[name]), max(true[name])), name
                assert answer.mean is None or answer.mean == pytest.approx(np.mean(true[name]))


def test_sums_and_extremes_of_what_is_linked_hold_in_all_worlds():
    exact = 0
    for rng, release, asked, _, kept in cases(40):
        name = str(rng.choice(["count", "sum", "avg", "min", "max"]))
        where = vk.Query.count(asked["right"]).where if not isinstance(asked["right"], str) else (
            vk.Query.sql(f"select count(*) from t where {asked['right']}").where)  # fmt: skip
        query = vk.Query(where, name, None if name == "count" else "year")
        answer = answer_linked(
            query, release, "right", linked_to=asked["left"], degrees=asked["degrees"]
        )
        years = release.right.frame["year"].to_numpy()
        true = np.array([aggregate(name, years[w.any(axis=0)]) for w in kept])
        held = true[~np.isnan(true)]
        if not len(held):
            assert math.isnan(answer.lower) or not answer.tight
            continue
        assert answer.lower <= held.min() + 1e-9, (query, asked)
        assert held.max() <= answer.upper + 1e-9, (query, asked)
        exact += answer.exact
        if answer.mean is not None:
            assert answer.mean == pytest.approx(true.mean()), (query, asked)
    assert exact > 10


def test_query_b_counts_papers_of_a_single_author_who_meets_a_condition():
    """Section 4.2.3, Query B: of papers p, q and r only q and r have one author each."""
    links = pd.DataFrame({"author": list("aabc"), "paper": list("pqpr")})
    authors = pd.DataFrame({"author": list("abc"), "town": ["US", "US", "UK"]})
    graph = vk.BipartiteGraph.of(links, authors)
    release = vk.mask.group_nodes(graph, 1, 1, seed=1).release
    found = count_linked(release, "right", left={"town": "US"}, degrees={"right": 1})
    assert (found.lower, found.estimate, found.upper) == (1, 1, 1)
    assert count_linked(release, "right", degrees={"right": 1}).estimate == 2


@pytest.mark.parametrize(
    ("degrees", "said"),
    [({"top": 1}, "degrees was given as"), ({"left": -1}, "degree was given as -1"),
     ({"left": (3, 1)}, "degree was given as"), (1, "degrees was given as 1")],
)  # fmt: skip
def test_degrees_that_make_no_sense_are_refused(degrees, said):
    graph = vk.BipartiteGraph.of(pd.DataFrame({"a": ["x"], "p": ["y"]}))
    release = vk.mask.group_nodes(graph, 1, 1, seed=1).release
    with pytest.raises(vk.RecordError, match=said):
        count_links(release, degrees=degrees)
