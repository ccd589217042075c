"""Groups that go on from what was published: over many releases nobody is left fewer values."""

import itertools

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.partition import continued, find_left_over
from verikit.release import Ledger

ILL = ["angina", "asthma", "flu", "gout", "ulcer", "zoster"]


def people_of(rng, size, first=0):
    return pd.DataFrame(
        {
            "id": [f"p{first + at}" for at in range(size)],
            "age": rng.integers(20, 60, size),
            "ill": rng.choice(ILL, size, p=[0.2, 0.2, 0.2, 0.15, 0.15, 0.1]),
        }
    )


def data_of(frame):
    columns = (
        vk.Column("id", "identifier", "nominal"),
        vk.Column("age"),
        vk.Column("ill", "sensitive", "nominal"),
    )
    return vk.Microdata(frame.reset_index(drop=True), vk.Schema(columns))


def come_and_go(rng, frame, share=0.2):
    """A fifth of the people leave, and as many others come."""
    stay = frame[rng.random(len(frame)) > share]
    first = int(frame["id"].str[1:].astype(int).max()) + 1
    return pd.concat([stay, people_of(rng, len(frame) - len(stay), first)])


def publish_five(seed, *, ledger):
    """Five releases of a table in which people come and go; what each person's groups held."""
    rng = np.random.default_rng(seed)
    frame, book, shown, made = people_of(rng, 120), Ledger(), {}, []
    for turn in range(5):
        data = data_of(frame)
        if turn and ledger:
            groups = continued(book, data, ell=3, seed=turn)
        else:
            groups = vk.partition.anatomy(data, ell=3, seed=turn)
        release, key = vk.mask.anatomize(data, partition=groups, seed=turn)
        book = book.add(data, release, key)
        held = data.frame["ill"].astype(str).groupby(groups.labels).agg(set)
        for one, label in zip(frame["id"], groups.labels, strict=True):
            shown.setdefault(one, []).append(held[label])
        made.append((data, release, key))
        frame = come_and_go(rng, frame)
    return shown, made


@pytest.mark.parametrize("seed", range(5))
def test_over_five_releases_nobody_is_left_fewer_values_than_by_the_first(seed):
    shown, _ = publish_five(seed, ledger=True)
    left = {one: set.intersection(*sets) for one, sets in shown.items()}
    assert all(left[one] == sets[0] for one, sets in shown.items())
    assert min(map(len, left.values())) >= 3
    without, _ = publish_five(seed, ledger=False)
    certain = [one for one, sets in without.items() if len(set.intersection(*sets)) == 1]
    assert len(certain) > 20


def test_an_intruder_who_has_all_five_is_certain_of_nobody():
    def certain(made):
        common = set.intersection(*(set(data.frame["id"]) for data, *_ in made))
        rows = []
        for data, _, key in made:
            places = pd.Series(key.places[""], index=data.frame["id"])
            rows.append(places[sorted(common)].to_numpy())
        ages = made[0][0].frame.set_index("id")["age"][sorted(common)].reset_index(drop=True)
        releases = [release for _, release, _ in made]
        return vk.intruder.put_together(
            *releases, people=pd.DataFrame({"age": ages}), rows=rows
        ).certain

    assert certain(publish_five(1, ledger=True)[1]) == 0
    assert certain(publish_five(1, ledger=False)[1]) > 10


def test_each_group_holds_the_values_of_all_its_people_and_none_too_often():
    rng = np.random.default_rng(3)
    frame = people_of(rng, 60)
    data = data_of(frame)
    groups = vk.partition.anatomy(data, ell=2, seed=1)
    book = Ledger().add(data, *vk.mask.anatomize(data, partition=groups, seed=1))
    later = data_of(come_and_go(rng, frame, 0.5))
    sets = book.list_signatures(later, "ill")
    found = continued(book, later, ell=2, seed=2)
    for rows in found.groups():
        held = later.frame["ill"].astype(str).iloc[rows].tolist()
        assert all(sets[row] <= set(held) for row in rows)
        assert max(held.count(value) for value in held) * 2 <= len(held)


def test_a_value_that_nobody_has_any_more_is_named():
    frame = pd.DataFrame({"id": list("abcd"), "age": [1, 2, 3, 4], "ill": ["x", "y", "x", "z"]})
    data = data_of(frame)
    groups = vk.Partition.of([0, 0, 1, 1])
    book = Ledger().add(data, *vk.mask.anatomize(data, partition=groups, seed=1))
    with pytest.raises(vk.InfeasibleError, match="1 person was published among 'z'"):
        continued(book, data_of(frame.head(3)), ell=1, seed=1)


def test_the_order_of_the_records_changes_nothing():
    rng = np.random.default_rng(4)
    frame = people_of(rng, 40)
    data = data_of(frame)
    groups = vk.partition.anatomy(data, ell=2, seed=1)
    book = Ledger().add(data, *vk.mask.anatomize(data, partition=groups, seed=1))
    found = continued(book, data, ell=2, seed=5)
    order = rng.permutation(len(data))
    other = continued(book, data.take(order), ell=2, seed=5)
    assert other.labels.tolist() == found.labels[order].tolist()


def worlds_of(made):
    """All ways to give everybody an illness so that every release may be as it is."""
    found = [{}]
    for ids, ills, labels in made:
        for label in range(labels.max() + 1):
            here, held = ids[labels == label], ills[labels == label]
            ways = [dict(zip(here, way, strict=True)) for way in set(itertools.permutations(held))]
            found = [
                a | b for a in found for b in ways if all(a.get(p, v) == v for p, v in b.items())
            ]
    return pd.DataFrame(found)


def publish_small(seed, *, held_back):
    """Three releases of at most nine people who come and go, of two or three illnesses."""
    rng = np.random.default_rng(seed)
    ills = ILL[: rng.integers(2, 4)]
    book, made = Ledger(), []
    frame = people_of(rng, int(rng.integers(4, 8)))
    frame["ill"] = rng.choice(ills, len(frame))
    for turn in range(3):
        data = data_of(frame)
        if held_back:
            left = find_left_over(book, data, ell=2, seed=turn)
            data = data.take(np.setdiff1d(np.arange(len(data)), left))
        if not len(data):
            break
        try:
            groups = continued(book, data, ell=2, seed=turn)
        except vk.InfeasibleError:
            break
        assert not (held_back and groups.residue)
        book = book.add(data, *vk.mask.anatomize(data, partition=groups, seed=turn))
        shown = data.frame
        made.append((shown["id"].to_numpy(), shown["ill"].astype(str).to_numpy(), groups.labels))
        before = set(frame["id"])
        frame = come_and_go(rng, frame, 0.3).reset_index(drop=True)
        new = ~frame["id"].isin(before)
        frame.loc[new, "ill"] = rng.choice(ills, int(new.sum()))
    return made


def test_in_all_worlds_every_value_of_everybody_is_as_likely_if_those_left_over_are_held_back():
    tried = people = 0
    for seed in range(120):
        made = publish_small(seed, held_back=True)
        if len(made) < 2:
            continue
        tried += 1
        worlds, shown = worlds_of(made), {}
        for ids, ills, labels in made:
            for one, label in zip(ids, labels, strict=True):
                shown.setdefault(one, set(ills[labels == label]))
        for one, values in shown.items():
            counts = worlds[one].value_counts()
            assert set(counts.index) == values
            assert len(values) > 1
            assert counts.nunique() == 1
            people += 1
    assert tried > 60
    assert people > 240


def test_among_those_left_over_somebody_may_become_certain_and_the_partition_counts_them():
    certain = 0
    for seed in range(60):
        made = publish_small(seed, held_back=False)
        certain += int((worlds_of(made).nunique() == 1).sum()) if len(made) > 1 else 0
    assert certain > 5


def test_in_a_larger_table_hardly_anybody_is_left_over():
    rng = np.random.default_rng(6)
    frame, book = people_of(rng, 1000), Ledger()
    for turn in range(3):
        data = data_of(frame)
        groups = continued(book, data, ell=3, seed=turn)
        assert groups.residue <= 5
        book = book.add(data, *vk.mask.anatomize(data, partition=groups, seed=turn))
        frame = come_and_go(rng, frame)
