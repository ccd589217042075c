"""A release all of whose columns are sensitive, as in location-based services ([LHCC] 2.2)."""

import itertools
from collections import Counter

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.errors import RecordError

NAMES = ["place", "hour", "shop"]


def visits(rng, groups=(3, 2)):
    n = sum(groups)
    frame = pd.DataFrame({name: rng.choice(["a", "b", "c"], n) for name in NAMES})
    data = vk.Microdata(
        frame, vk.Schema(tuple(vk.Column(name, "sensitive", "nominal") for name in NAMES))
    )
    partition = vk.Partition.of(np.repeat(np.arange(len(groups)), groups))
    return data, vk.mask.permute_all(data, partition=partition, seed=int(rng.integers(2**31)))


def undone(release, names):
    """Every way to undo the shuffling: what rows each group then holds."""
    for group in np.unique(release.sensitive["Group-ID"]):
        part = release.sensitive[release.sensitive["Group-ID"] == group]
        orders = itertools.permutations(range(len(part)))
        columns = [part[name].tolist() for name in names]
        ways = itertools.product(list(orders), repeat=len(names))
        yield [
            list(zip(*([c[i] for i in o] for c, o in zip(columns, way, strict=True)), strict=True))
            for way in ways
        ]


def test_who_is_there_and_what_is_learned_of_her_is_what_all_ways_of_undoing_count():
    rng, told = np.random.default_rng(1), Counter()
    for _ in range(60):
        data, (release, _) = visits(rng)
        at = int(rng.integers(len(data)))
        known = {name: data.frame[name][at] for name in NAMES[: int(rng.integers(1, 3))]}
        names = [*known, NAMES[2]]
        absent, rows = 1.0, Counter()
        for ways in undone(release, names):
            here = [[row for row in way if row[:-1] == tuple(known.values())] for way in ways]
            absent *= sum(not found for found in here) / len(ways)
            rows += Counter({row[-1]: 0 for way in ways for row in way})
            for found in here:
                for row in found:
                    rows[row[-1]] += 1 / len(ways)
        report = vk.check(known, release)
        assert report.facts["presence"] == pytest.approx(1 - absent)
        values = report.tables["values"]
        values = values[values["attribute"] == NAMES[2]].set_index("value")["of 100 here"]
        for value, expected in rows.items():
            shown = values.get(value, 0.0)
            assert shown == pytest.approx(100 * expected / sum(rows.values()))
        people = data.only(*known)
        found = vk.intruder.presence(people, release)
        assert found.exact[at] == pytest.approx(1 - absent)
        chances = vk.intruder.value_chance(people, release, sensitive=NAMES[2])
        assert chances.chance[at] == pytest.approx(max(rows.values()) / sum(rows.values()))
        told[len(known)] += 1
    assert min(told.values()) > 15


def test_it_is_the_same_release_whatever_stands_in_the_first_table():
    data, (release, key) = visits(np.random.default_rng(2), groups=(4, 3, 3))
    assert repr(release).startswith("SplitRelease(10 records in 3 groups, of nothing | place, hour")
    assert [column.name for column in release.asked] == NAMES
    for name in NAMES:  # every value at the place that the key tells, in its own group
        assert release.sensitive[name].to_numpy()[key.places[name]].tolist() == [*data.frame[name]]
    seen = release.known_as(["hour"])
    assert [column.name for column in seen.known] == ["hour"]
    for name in NAMES:
        for table in (release, seen):
            frame = table.quasi if name in table.quasi else table.sensitive
            held = frame.groupby("Group-ID")[name].agg(sorted).tolist()
            assert held == release.sensitive.groupby("Group-ID")[name].agg(sorted).tolist()
    where = "select count(*) from t where place = 'a' and shop = 'b'"
    assert repr(vk.answer(where, release)) == repr(vk.answer(where, seen))


def test_it_is_saved_and_opened_and_refuses_in_one_sentence_what_makes_no_sense(tmp_path):
    data, (release, _) = visits(np.random.default_rng(3))
    opened = vk.open_release(release.save(tmp_path / "release"))
    record = data.record(0)
    said = vk.check({"place": record["place"]}, release).to_json()
    assert vk.check({"place": record["place"]}, opened).to_json() == said
    with pytest.raises(RecordError, match=r"All of .* were given, so there is nothing left"):
        vk.check(record, release)
    with pytest.raises(RecordError, match="give at least one of 'place', 'hour', 'shop'"):
        vk.check({}, release)
    partition = vk.Partition.of([0, 0, 0, 1, 1])
    with pytest.raises(vk.SchemaError, match="unless every column was shuffled"):
        vk.mask.anatomize(data, partition=partition, seed=1)
