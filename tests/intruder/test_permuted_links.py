"""What permuting links leaves of who shares how many neighbours with whom (Figure 4.2)."""

import itertools
from collections import Counter

import numpy as np
import pandas as pd

import verikit as vk
from verikit.intruder import permuted_links


def graph_of(pairs):
    frame = pd.DataFrame(pairs, columns=["who", "what"]).astype(str)
    return vk.BipartiteGraph.of(frame)


def shared(pairs):
    """By exhaustion: how many pairs share one neighbour, two, and so on."""
    near = {}
    for who, what in pairs:
        near.setdefault(who, set()).add(what)
    both = [len(near[i] & near[j]) for i, j in itertools.combinations(near, 2)]
    return {n: times for n, times in Counter(both).items() if n}


def test_the_numbers_of_common_neighbours_are_those_by_exhaustion_before_and_after():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        pairs = np.argwhere(rng.random((9, 7)) < 0.4).tolist()
        found = permuted_links(graph_of(pairs), seed=seed)
        for column, links in (
            ("before", pairs),
            ("after", set(found.links.itertuples(index=False, name=None))),
        ):
            told = found.joint[column]
            assert told[told > 0].to_dict() == shared(links)
        assert found.joint["before"].sum() == found.together


def test_permuting_all_links_destroys_who_works_together():
    """Thirty couples with eight joint papers each: after it no two of them share even three."""
    pairs = [(f"a{i}{x}", f"p{i}{j}") for i in range(30) for j in range(8) for x in "xy"]
    found = permuted_links(graph_of(pairs), seed=1)
    assert found.joint["before"].loc[8] == 30
    after = found.joint["after"]
    assert after[after > 0].index.max() <= 3
    assert found.together_kept <= 8
