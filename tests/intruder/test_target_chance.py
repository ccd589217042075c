"""What an intruder believes under a release with a target: by what he knows, and by enumeration."""

import itertools
import os
from collections import defaultdict
from fractions import Fraction
from math import factorial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.errors import SchemaError
from verikit.intruder import target_chance
from verikit.targets._distributions import tree_of
from verikit.targets._published_nodes import find_fewest_nodes

DATASETS = Path(os.environ.get("VERIKIT_DATASETS", "nowhere"))
PAYS = [30, 40, 50, 60]
EVEN = vk.targets.balanced(PAYS)
KNOWN, UNKNOWN, ALL, NAIVE = (
    "knowing the target",
    "not knowing it",
    "knowing all shares",
    "without the release",
)


def weighted(*weights):
    return vk.Hierarchy(EVEN.levels, dict(zip(map(str, PAYS), weights, strict=True)))


def people(towns, pays):
    frame = pd.DataFrame({"town": list(towns), "pay": pays})
    return vk.Microdata(
        frame, vk.Schema((vk.Column("town", kind="nominal"), vk.Column("pay", "sensitive")))
    )


def disguised(data, target=EVEN, **asked):
    return vk.mask.disguise(data, hierarchy=target, seed=7, **asked).release


drawn = st.lists(st.tuples(st.sampled_from("pq"), st.sampled_from(PAYS)), min_size=1, max_size=5)


pytestmark = pytest.mark.filterwarnings("ignore:Of ")  # of few people, all become the root


@given(drawn, st.sampled_from([(1, 1, 1, 1), (2, 1, 1, 2), (3, 1, 2, 2)]), st.booleans())
def test_every_way_to_give_the_nodes_to_the_people_counts_alike(drawn, weights, apart):
    towns, pays = zip(*drawn, strict=True)
    data, target = people(towns, pays), weighted(*weights)
    release = disguised(data, target, groups="quasi" if apart else None)
    found = target_chance(data, release)
    for person in range(len(data)):
        mine = release.quasi["Group-ID"][(release.quasi["town"] == towns[person]).to_numpy()]
        group = (release.sensitive["Group-ID"] == mine.iloc[0]).to_numpy()
        nodes = release.sensitive["pay"][group].map(vk.words.text).tolist()
        value, ways = str(pays[person]), list(itertools.permutations(nodes))
        read = [_read(target, way[0], value) for way in ways]
        assert found.own[KNOWN][person] == pytest.approx(float(sum(read) / len(ways)))
        alike = [_read(EVEN, way[0], value) for way in ways]
        assert found.own[UNKNOWN][person] == pytest.approx(float(sum(alike) / len(ways)))


def _read(target, node, value):
    """The chance of a value where a node is published, read by a target."""
    return target.share(value) / target.share(node) if value in target.leaves(node) else Fraction(0)


@given(drawn, st.sampled_from([(1, 1, 1, 1), (2, 1, 1, 2), (3, 1, 2, 2)]), st.booleans())
def test_who_knows_the_target_infers_it_and_nothing_of_the_person(drawn, weights, apart):
    towns, pays = zip(*drawn, strict=True)
    data, target = people(towns, pays), weighted(*weights)
    found = target_chance(data, disguised(data, target, groups="quasi" if apart else None))
    shares = [float(target.share(str(pay))) for pay in pays]
    assert found.own[KNOWN].tolist() == pytest.approx(shares)
    often = [pays.count(pay) / len(pays) for pay in pays]
    assert found.own[NAIVE].tolist() == pytest.approx(often)


def test_a_target_taken_from_the_data_tells_what_is_known_without_the_release():
    pays = [30, 30, 40, 60]
    data = people("pqpq", pays)
    target = weighted(2, 1, 0, 1)
    found = target_chance(data, disguised(data, target))
    assert found.own[KNOWN].tolist() == found.own[NAIVE].tolist() == [0.5, 0.5, 0.25, 0.25]
    assert found.right[KNOWN] == found.right[NAIVE] == 2


def test_who_does_not_know_the_target_reads_a_group_of_values_alike():
    data = people("pppp", [30, 30, 30, 40])
    release = disguised(data, weighted(6, 2, 1, 1))
    found = target_chance(data, release)
    assert found.own[KNOWN][0] == pytest.approx(0.6)
    assert release.sensitive["pay"].astype(str).tolist() == ["[30, 60]"] * 4
    assert found.own[UNKNOWN].tolist() == [0.25] * 4
    assert found.right == {KNOWN: 3, UNKNOWN: 1, ALL: 3, NAIVE: 3}


def test_someone_who_knows_how_the_method_works_may_infer_more_than_the_target():
    """All tables of six people, each as likely as an even target makes it, by what is published.

    The method publishes as few groups of values as it can; so what was published so tells which
    values were many.
    """
    tree, people_, shown = tree_of(EVEN, numeric=True), 6, defaultdict(lambda: np.zeros(5, object))
    for counts in itertools.product(range(people_ + 1), repeat=4):
        if sum(counts) != people_:
            continue
        ways = factorial(people_) // np.prod([factorial(n) for n in counts], dtype=object)
        slots = find_fewest_nodes(tree, np.repeat(np.arange(4), counts), tree.root)
        key = tuple(sorted((tree.names[node], n) for node, n in slots.items() if n))
        shown[key] += [ways, *(ways * Fraction(n, people_) for n in counts)]
    seen = shown[("50", 1), ("60", 1), ("[30, 40]", 2), ("[30, 60]", 2)]
    assert [part / seen[0] for part in seen[1:]] == [Fraction(n, 16) for n in (3, 3, 5, 5)]
    assert len(shown) == 10


def test_the_shares_are_said_and_each_person_has_a_line():
    data = people("ppqqqq", [30, 30, 40, 40, 50, 60])
    found = target_chance(data, disguised(data))
    assert repr(found) == (
        "target chance: the likeliest value is right for 25 of 100 people knowing the target; 25 "
        "of 100 people not knowing it; 33 of 100 people knowing all shares; 33 of 100 people "
        "without the release."
    )
    assert found.to_frame().columns.tolist() == ["town", KNOWN, UNKNOWN, ALL, NAIVE]
    assert len(found.to_frame()) == len(found) == 6


def test_someone_of_another_town_is_guessed_without_the_release():
    release = disguised(people("ppqq", PAYS))
    found = target_chance(people("z", [30]), release)
    assert found.own[KNOWN].tolist() == [0]
    assert found.right[KNOWN] == 0.25


def test_what_cannot_be_used_is_refused():
    data = people("ppqq", PAYS)
    release = disguised(data)
    with pytest.raises(SchemaError, match="given SplitRelease that shows no target; expected"):
        target_chance(vk.load("lhcc_table1"), vk.published("lhcc_table4"))
    with pytest.raises(SchemaError, match="lack 'pay', the sensitive column"):
        target_chance(data.only("town"), release)
    with pytest.raises(SchemaError, match="lacks the values '99', which column 'pay' holds"):
        target_chance(people("p", [99]), release)
    with pytest.raises(SchemaError, match="lack 'town' of the release"):
        target_chance(data.only("pay"), release)


@pytest.mark.skipif(not (DATASETS / "adult").is_dir(), reason="the real data are not here")
def test_on_capital_loss_the_target_hides_what_the_true_shares_would_tell():
    data = vk.datasets.adult(DATASETS / "adult")
    lost = np.flatnonzero(data.frame["capital-loss"].to_numpy() > 0)
    part = data.take(lost).only("sex", "race", "capital-loss")
    columns = (
        vk.Column("sex", kind="nominal"),
        vk.Column("race", kind="nominal"),
        vk.Column("capital-loss", "sensitive"),
    )
    table = vk.Microdata(part.frame, vk.Schema(columns))
    target = vk.targets.balanced(sorted(set(table.frame["capital-loss"])))
    found = target_chance(table, disguised(table, target))
    assert found.own[KNOWN] == pytest.approx(1 / 89)
    assert found.right[KNOWN] < found.right[ALL] <= found.right[NAIVE]
    assert found.right[NAIVE] == table.frame["capital-loss"].value_counts().max()
