"""Classes that leave, with what was published before, enough values: held to sets of each person.

What is left for a person is worked out from the groups that were made, never from the ledger: the
values that her class and all her groups before hold.
"""

from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit import lattice
from verikit.models import Requirement
from verikit.partition import Judge, diverse, mondrian
from verikit.release import Ledger

TREE = vk.Hierarchy.of({"any": {"left": ["a", "b"], "right": {"far": ["c", "d"]}}})
FLAT = vk.Hierarchy.of({"any": ["x", "y"]})
COLUMNS = (
    vk.Column("id", "identifier", "nominal"),
    vk.Column("town", "quasi", "nominal", TREE),
    vk.Column("sex", "quasi", "nominal", FLAT),
    vk.Column("ill", "sensitive", "nominal"),
)


def data_of(frame):
    return vk.Microdata(frame.reset_index(drop=True), vk.Schema(COLUMNS))


def draw_history(seed, sizes=(4, 11)):
    """People now, the ledger of one or two releases of some of them, and each one's old sets."""
    rng = np.random.default_rng([seed, 77])
    size = int(rng.integers(*sizes))
    frame = pd.DataFrame(
        {
            "id": [f"p{at}" for at in range(size)],
            "town": rng.choice(list("abcd"), size),
            "sex": rng.choice(list("xy"), size),
            "ill": rng.choice(["flu", "gout", "ulcer", "zoster"][: int(rng.integers(2, 5))], size),
        }
    )
    book, sets = Ledger(), dict.fromkeys(frame["id"])
    for turn in range(int(rng.integers(1, 3))):
        then = frame[rng.random(size) < 0.8]
        if len(then) < 2:
            continue
        labels = np.unique(rng.integers(0, 3, len(then)), return_inverse=True)[1]
        masked = vk.mask.anatomize(data_of(then), partition=vk.Partition.of(labels), seed=turn)
        book = book.add(data_of(then), *masked)
        for one, label in zip(then["id"], labels, strict=True):
            held = set(then["ill"].to_numpy()[labels == label])
            sets[one] = held if sets[one] is None else sets[one] & held
    now = frame[rng.random(size) < 0.9]
    return data_of(now if len(now) > 1 else frame), book, sets


def is_met(frame, rows, sets, ell):
    """Whether each person of a class is left enough values by it and by what was before."""
    held = set(frame["ill"].iloc[rows])
    old = [sets[one] for one in frame["id"].iloc[rows]]
    return all(len(held if before is None else held & before) >= ell for before in old)


def asked_of(book, ell):
    return Requirement("continued", ell=ell, ledger=book)


@pytest.mark.parametrize("ell", [1, 2, 3])
def test_a_class_is_judged_by_the_values_left_to_each_of_its_people(ell):
    met = []
    for seed in range(60):
        data, book, sets = draw_history(seed)
        labels = np.random.default_rng(seed).integers(0, 3, len(data))
        judge = Judge.of(data, [asked_of(book, ell)], "refuse", "judge")
        _, found = judge.judge(labels, 3)
        for label in np.unique(labels):
            truth = is_met(data.frame, np.flatnonzero(labels == label), sets, ell)
            assert found[label] == truth, (seed, label)
            met.append(truth)
    assert 0 < sum(met) < len(met) or ell == 1


@pytest.mark.parametrize(("ell", "least"), [(2, 10), (3, 2)])
def test_groups_meet_it_or_not_all_people_together_do(ell, least):
    """Cut at medians and in halves; what is refused could be met by no groups at all."""
    made = refused = 0
    for seed in range(30):
        data, book, sets = draw_history(seed, (16, 31))
        whole = is_met(data.frame, np.arange(len(data)), sets, ell)
        for find in (mondrian, diverse):
            drawn = {"seed": seed} if find is diverse else {}
            if not whole:
                with pytest.raises(vk.InfeasibleError, match="somebody would be left"):
                    find(data, requirement=asked_of(book, ell), **drawn)
                refused += 1
                continue
            groups = find(data, requirement=asked_of(book, ell), **drawn)
            assert all(is_met(data.frame, rows, sets, ell) for rows in groups.groups())
            made += len(groups.groups()) > 1
    assert made > least
    assert refused > least


def test_every_node_of_a_lattice_is_judged_so_and_none_is_pruned_where_people_may_be_left_out():
    """A class that fails can spoil one that does not, as its people have other values left."""
    spoiled = 0
    for seed in range(25):
        data, book, sets = draw_history(seed)
        for share, others in product((0, 0.3), ([], [Requirement("k_anonymity", k=2)])):
            k, allowed, safe = 2 if others else 1, int(share * len(data) + 1e-9), set()
            for node in product(range(TREE.height + 1), range(FLAT.height + 1)):
                held = {}
                for at, (town, sex) in enumerate(data.frame[["town", "sex"]].to_numpy()):
                    cells = TREE.level(town, node[0]), FLAT.level(sex, node[1])
                    held.setdefault(cells, []).append(at)
                bad = sum(
                    len(rows)
                    for rows in held.values()
                    if len(rows) < k or not is_met(data.frame, rows, sets, 2)
                )
                if bad <= allowed:
                    safe.add(node)
            asked = {"requirement": [asked_of(book, 2), *others], "suppression": share}
            if not safe:
                with pytest.raises(vk.InfeasibleError):
                    lattice.classify(data, **asked)
                continue
            known = lattice.classify(data, **asked)
            assert set(known.safe) == safe, seed
            assert set(lattice.incognito(data, **asked).safe) == safe, seed
            spoiled += any(not set(known.lattice.parents(node)) <= safe for node in safe)
    assert spoiled


def test_a_release_tells_what_was_asked_for_and_nothing_of_the_ledger():
    data = vk.load("lhcc_table1")
    groups = vk.partition.anatomy(data, ell=2, seed=1)
    book = Ledger().add(data, *vk.mask.anatomize(data, partition=groups, seed=1))
    asked = asked_of(book, 1)
    groups = mondrian(data, requirement=asked)
    assert groups.parameters["requirement"] == ["continued,ell=1"]
    assert Requirement.read("continued,ell=1", book) == asked
    assert "edger" not in str(asked) + asked.words


def test_it_is_asked_with_a_ledger_and_nothing_else_is():
    with pytest.raises(vk.RecordError, match=r"verikit\.release\.Ledger"):
        Requirement("continued", ell=2)
    with pytest.raises(vk.RecordError, match="for 'continued' alone"):
        Requirement("k_anonymity", k=2, ledger=Ledger())
    with pytest.raises(vk.RecordError, match="not seen in one release"):
        vk.models.judge(vk.published("ks_table6"), asked_of(Ledger(), 2))


def list_worlds(groupings, values):
    """Every way to give people values so that each group of each release holds what it showed."""
    shown = [
        [sorted(values[at] for at in np.flatnonzero(labels == g)) for g in np.unique(labels)]
        for labels in groupings
    ]
    for world in set(permutations(values)):
        again = [
            [sorted(world[at] for at in np.flatnonzero(labels == g)) for g in np.unique(labels)]
            for labels in groupings
        ]
        if again == shown:
            yield world


@pytest.mark.parametrize("kinds", [2, 3])
def test_an_audit_reckons_with_the_others_as_all_worlds_do(kinds):
    """Of two values and two releases exactly; of more it leaves no fewer, and says so."""
    rng, unmet, alone = np.random.default_rng(kinds), 0, 0
    for seed in range(25):
        size = int(rng.integers(6, 8))
        ill = rng.choice(["flu", "gout", "ulcer"][:kinds], size).tolist()
        frame = pd.DataFrame({"age": range(size), "ill": ill})
        data = vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))
        both = [rng.permutation(size) % 2 for _ in range(2)]
        one, two = (
            vk.mask.anatomize(data, partition=vk.Partition.of(labels), seed=seed) for labels in both
        )
        asked = asked_of(Ledger().add(data, *one), 2)
        worlds = list(list_worlds(both, ill))
        truth = min(len({world[at] for world in worlds}) for at in range(size))
        held = [[{ill[i] for i in np.flatnonzero(g == g[at])} for g in both] for at in range(size)]
        apart = min(len(one & two) for one, two in held)
        report = vk.protector.audit(data, *two, requirement=asked, subject_view=False)
        (verdict,) = report.classes
        told = verdict.value
        if kinds == 2:
            assert verdict.exact
            assert told == truth
        assert truth <= told <= apart
        assert report.met == (told >= 2)
        assert repr(verdict) in repr(report)
        unmet += not report.met
        alone += told < apart
    assert 0 < unmet < 25
    assert alone


def test_an_audit_of_values_moved_one_by_one_cannot_say_what_is_left():
    frame = vk.load("dm_table1").frame
    data = vk.Microdata(frame, vk.Schema.guess(frame, X3="sensitive"))
    masked = vk.mask.noise(data, scale=0.1, seed=1)
    with pytest.raises(vk.SchemaError, match="no groups of"):
        vk.protector.audit(data, *masked, requirement=asked_of(Ledger(), 2), subject_view=False)
