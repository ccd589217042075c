"""What rank swapping with a told bound leaves of a number, beside another release of the people."""

import itertools

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.intruder import put_together


def orders(n, reach):
    """All orders of n ranks in which none moves farther than it may."""
    for order in itertools.permutations(range(n)):
        if all(abs(at - rank) <= reach for at, rank in enumerate(order)):
            yield order


def originals(ages, rows, reach):
    """All pays that people of known, different ages may have had, by the definition of swapping.

    A person takes a rank among the pays, her own pay; both her age and her pay then move by no more
    places than told, and the rows that come out are those that were published.
    """
    ages_moved, pays_moved = reach
    old, pays = sorted(ages), sorted(pay for _, pay in rows)
    wanted = sorted(rows)
    for ranks in itertools.permutations(range(len(ages))):
        hers = tuple(pays[rank] for rank in ranks)
        for moved in orders(len(ages), pays_moved):
            new = [pays[moved[rank]] for rank in ranks]
            places = [old.index(age) for age in ages]
            for order in orders(len(ages), ages_moved):
                shown = [old[order[place]] for place in places]
                if sorted(zip(shown, new, strict=True)) == wanted:
                    yield hers


def drawn(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 6))
    frame = pd.DataFrame({
        "age": rng.choice(np.arange(20, 40), n, replace=False).astype(float),
        "pay": rng.choice([1.0, 2, 3, 4, 5, 6], n),
    })  # fmt: skip
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    share = {name: float(rng.choice([0, 100 / n, 200 / n])) for name in frame}
    release = vk.mask.rank_swap(data, percent=share, seed=seed).release
    groups = vk.Partition.of(rng.integers(0, 2, n).tolist())
    return data, release, vk.mask.permute_all(data, partition=groups, seed=seed).release


def test_no_pay_is_ruled_out_that_anybody_may_have_had_and_much_is():
    ruled = possible = 0
    for seed in range(40):
        data, swapped, grouped = drawn(seed)
        places = [swapped.parameters["places"][name] for name in ("age", "pay")]
        ages, rows = data.frame["age"].tolist(), [*swapped.frame.itertuples(index=False, name=None)]
        worlds = np.array([*set(originals(ages, rows, places))])
        found = put_together(swapped, grouped, people=data.frame[["age"]])
        alone = found.alone[0]
        values = np.array(found.names, float)
        for person in range(len(ages)):
            left = {*values[alone.place[alone.owner == person]]}
            assert {*worlds[:, person]} <= left, seed
            ruled += len({*data.frame["pay"]} - left)
            possible += len({*data.frame["pay"]} - {*worlds[:, person]})
    assert possible > 50
    assert ruled > 0.8 * possible


def test_windows_and_groups_together_tell_what_neither_does():
    # ages stay; each pay moves by one place at most, so hers is at or beside the published one
    frame = pd.DataFrame({"age": [20.0, 30, 40, 50], "pay": [1.0, 2, 3, 4]})
    columns = vk.Column("age"), vk.Column("pay", "sensitive")
    swapped = vk.TableRelease.of(
        frame.assign(pay=[2.0, 1, 4, 3]), vk.Schema(columns), permutation=True,
        method="rank_swap", parameters={"places": {"age": 0, "pay": 1}},
    )  # fmt: skip
    data = vk.Microdata(frame, vk.Schema(columns))
    grouped = vk.mask.permute_all(data, partition=vk.Partition.of([0, 1, 1, 0]), seed=1).release
    found = put_together(swapped, grouped, people=frame[["age"]])
    alone = found.alone[0]
    names = [found.names[at] for at in alone.place]
    assert names == ["1", "2", "3", *["1", "2"], *["3", "4"], *["2", "3", "4"]]
    assert [*map(found.list_values, range(4))] == [["1"], ["2"], ["3"], ["4"]]
    assert np.isnan(alone.chance).all()
    report = vk.check({"age": 30}, [swapped, grouped])
    assert "it can only be 2" in report.sentence("T2")
    assert "rule out" not in report.sentence("T2")


@pytest.mark.parametrize("told", [{}, {"places": 3}, {"places": {"age": 1}}])
def test_without_a_bound_on_the_sensitive_column_every_value_is_left(told):
    frame = pd.DataFrame({"age": [20.0, 30, 40], "pay": [3.0, 1, 2]})
    schema = vk.Schema((vk.Column("age"), vk.Column("pay", "sensitive")))
    release = vk.TableRelease.of(frame, schema, permutation=True, parameters=told)
    found = put_together(release, release, people=frame[["age"]])
    assert found.left.tolist() == [3, 3, 3]


def test_whose_row_is_known_is_left_the_window_of_that_row():
    frame = pd.DataFrame({"age": [20.0, 30, 40, 50], "pay": [1.0, 2, 3, 4]})
    schema = vk.Schema((vk.Column("age"), vk.Column("pay", "sensitive")))
    told = {"places": {"age": 3, "pay": 1}}
    release = vk.TableRelease.of(frame, schema, permutation=True, parameters=told)
    found = put_together(release, release, people=frame[["age"]])
    assert found.left.tolist() == [4, 4, 4, 4]
    found = put_together(release, release, people=frame[["age"]], rows=[[0, 1, 2, 3]] * 2)
    assert found.left.tolist() == [2, 3, 3, 2]
