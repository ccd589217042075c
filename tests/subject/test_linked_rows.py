"""Tables of links joined by groups: one name has several rows, and all of them count."""

import itertools
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.errors import RecordError


def deal(groups):
    """Every way to give the values of each group to its names, one value a row."""
    each = [
        [list(zip(n, way, strict=True)) for way in itertools.permutations(v)] for n, v in groups
    ]
    return [list(itertools.chain(*ways)) for ways in itertools.product(*each)]


def chance(ways, name, value, learned=()):
    """Of the ways in which a name has the learned links the share in which she has one more."""
    held = [{v for n, v in way if n == name} for way in ways]
    held = [values for values in held if set(learned) <= values]
    return Fraction(sum(value in values for values in held), len(held)) if held else None


def published(groups, kind="links", mask=vk.mask.anatomize):
    who, what = (list(itertools.chain(*side)) for side in zip(*groups, strict=True))
    labels = [at for at, (names, _) in enumerate(groups) for _ in names]
    roles = {"who": "quasi", "what": "sensitive"}
    schema = vk.Schema(tuple(vk.Column(name, role, "nominal") for name, role in roles.items()))
    data = vk.Microdata(pd.DataFrame({"who": who, "what": what}), schema)
    made = mask(data, partition=vk.Partition.of(labels), seed=1).release
    return replace(made, rows=kind)


def told(report):
    values = report.tables["values"].set_index("value")
    return {v: line / 100 for v, line in values["of 100 here"].items()}


@pytest.mark.parametrize("mask", [vk.mask.anatomize, vk.mask.permute_all])
def test_two_of_four_links_of_a_group_are_a_half_each_and_not_a_quarter(mask):
    release = published([(["ann", "ann", "bob", "bob"], ["w", "x", "y", "z"])], mask=mask)
    report = vk.check({"who": "ann"}, release)
    assert "in 50 of 100 cases" in report.headline.text
    assert told(report) == pytest.approx(dict.fromkeys("wxyz", 0.5))
    assert "2 links" in report.sentence("P1")


def test_chances_and_expected_links_are_those_of_every_way_in_200_tables():
    compared = 0
    for seed in range(200):
        rng = np.random.default_rng(seed)
        groups = []
        for _ in range(int(rng.integers(1, 3))):
            size = int(rng.integers(2, 5))
            names, values = rng.choice(list("abc"), size), rng.choice(list("wxyz"), size)
            groups.append((sorted(names.tolist()), sorted(values.tolist())))
        release, ways = published(groups), deal(groups)
        found = vk.worlds(release)
        for name in sorted({n for names, _ in groups for n in names}):
            report = vk.check({"who": name}, release)
            here = told(report)
            lines = report.tables["values"].set_index("value")
            for value in "wxyz":
                true = chance(ways, name, value)
                assert here.get(value, 0) == pytest.approx(float(true))
                linked = found.agree({"who": name, "what": value})
                assert found.chances[linked].sum() == pytest.approx(float(true))
                if value in here:
                    often = Fraction(sum(Counter(way)[name, value] for way in ways), len(ways))
                    assert lines["links expected"][value] == pytest.approx(float(often))
                    compared += 1
            best = max(chance(ways, name, value) for value in "wxyz")
            assert report.facts["surest"] == pytest.approx(float(best))
            if sum(names.count(name) for names, _ in groups) < 2:
                continue
            for own in {v for way in ways for n, v in way if n == name}:
                report = vk.check({"who": name, "what": own}, release)
                others = [chance(ways, name, v, [own]) for v in "wxyz" if v != own]
                assert report.facts["learned_link"] == pytest.approx(float(max(others)))
    assert compared > 500


def test_several_learned_links_leave_what_every_way_leaves():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        names, values = ["a"] * 3 + ["b"] * 2, rng.choice(list("wxyz"), 5).tolist()
        groups = [(names, values), (["a", "b"], ["w", "y"])]
        release, ways = published(groups), deal(groups)
        for learned in itertools.combinations("wxyz", 2):
            others = [chance(ways, "a", v, learned) for v in "wxyz" if v not in learned]
            if others[0] is None:
                with pytest.raises(RecordError, match="cannot all be links"):
                    vk.check({"who": "a", "what": list(learned)}, release)
                continue
            report = vk.check({"who": "a", "what": list(learned)}, release)
            assert report.facts["learned_link"] == pytest.approx(float(max(others)))


def test_who_does_not_say_what_a_row_is_tells_both_chances():
    groups = [(["ann", "ann", "bob", "bob"], ["w", "x", "y", "z"])]
    report = vk.check({"who": "ann"}, published(groups, "untold"))
    assert "in 25 of 100 cases" in report.headline.text
    assert "if each row is another person" in report.headline.text
    assert "in 50 of 100 cases" in report.sentence("P10")
    alone = vk.check({"who": "ann"}, published(groups, "people"))
    assert alone.sentence("P10") is None
    assert "another person" not in alone.headline.text


def test_a_certain_link_warns():
    report = vk.check({"who": "ann"}, published([(["ann"] * 3 + ["bob"], ["w", "w", "x", "y"])]))
    assert report.headline.state == "warning-you"
    assert "what: w is right in all cases" in report.headline.text


def test_permuted_links_of_a_graph_say_what_a_row_is_and_keep_it_on_disk(tmp_path):
    graph = vk.BipartiteGraph.of(vk.load("qz_table4_1c").frame)
    groups = vk.Partition.of([0 if i < 2 else 1 if i < 4 else 2 for i in graph.edges[:, 0]])
    release, _ = vk.mask.permute_links(graph, groups=groups, seed=3)
    assert release.rows == "links"
    release.save(tmp_path / "links")
    again = vk.open_release(tmp_path / "links")
    assert again.rows == "links"
    report = vk.check({"Author": "a1"}, again)
    assert told(report) == pytest.approx(dict.fromkeys(["p2", "p3", "p4", "p6"], 0.5))


def test_what_a_row_is_takes_three_words():
    with pytest.raises(vk.VerikitError, match="rows was given as 'persons'"):
        published([(["a", "b"], ["w", "x"])], "persons")


def test_links_to_numbers_are_refused_in_a_sentence():
    data = vk.load("qz_table2_1")
    groups = vk.partition.max_groups(data, k=3, e=2000, seed=1)
    release = vk.mask.permute_sensitive(data, partition=groups, seed=7).release
    with pytest.raises(vk.SchemaError, match="rows of this release are links"):
        vk.check({"age": 35}, replace(release, rows="links"))
