"""Values guessed rightly by the group, by learning, by others, by repeating, and from releases."""

import json
from collections import Counter

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.errors import RecordError, SchemaError
from verikit.protector import guessed_values


def table(**columns):
    frame = pd.DataFrame(columns)
    return vk.Microdata(frame, vk.Schema.guess(frame, ill="sensitive"))


def anatomized(data, groups, seed=1):
    return vk.mask.anatomize(data, partition=groups, seed=seed)


@pytest.fixture(scope="module")
def trades():
    """Two hundred people of each of three trades, each with an illness of its own, of any age."""
    ages = np.random.default_rng(1).integers(20, 60, 600)
    ill = ["lung", "eye", "skin"] * 200
    return table(trade=["miner", "tailor", "baker"] * 200, age=ages, ill=ill)


@pytest.mark.parametrize("mask", [vk.mask.anatomize, vk.mask.permute_all])
def test_what_the_known_column_tells_of_everybody_is_learned_with_and_without_her(trades, mask):
    groups = vk.partition.anatomy(trades, ell=2, seed=1)
    found = guessed_values(trades, *mask(trades, partition=groups, seed=1))
    assert (found.by_group, found.by_learning, found.by_others) == (300, 600, 600)
    assert found.beyond == 0


def test_people_who_are_not_in_the_table_are_guessed_as_far_as_they_are_like_those_in_it(trades):
    masked = anatomized(trades, vk.partition.anatomy(trades, ell=2, seed=1))
    control = table(
        trade=["miner", "tailor", "miner", "baker"],
        age=[30] * 4,
        ill=["lung", "eye", "eye", "skin"],
    )
    found = guessed_values(trades, *masked, control=control)
    assert (found.control, found.control_right) == (4, 3)


def test_a_group_of_one_value_gives_away_what_nobody_else_teaches():
    data = table(sex=["F"] * 100, ill=["flu"] * 50 + ["ulcer"] * 50)
    found = guessed_values(data, *anatomized(data, vk.Partition.of(np.arange(100) // 2)))
    assert (found.by_group, found.by_others, found.beyond) == (100, 50, 0.5)
    assert "adds 50 of 100 right guesses" in repr(found)


@pytest.mark.parametrize("seed", range(20))
def test_by_the_group_alone_as_many_are_right_as_have_the_most_frequent_value(seed):
    rng = np.random.default_rng(seed)
    groups = rng.permutation(np.arange(12) // 4)
    data = table(age=rng.integers(20, 25, 12), ill=rng.choice([*"ABC"], 12))
    pairs = zip(groups, data.frame["ill"], strict=True)
    held = {at: Counter() for at in range(3)}
    for group, value in pairs:
        held[group][value] += 1
    right = sum(max(part.values()) for part in held.values())
    found = guessed_values(data, *anatomized(data, vk.Partition.of(groups), seed))
    assert found.by_group == pytest.approx(right)


def test_what_repeating_makes_certain_is_counted_and_a_shuffled_table_says_why_it_is_not():
    data = table(age=[20, 20, 21, 22, 24, 27], ill=[*"BAABCC"])
    groups = vk.partition.entropy_diverse(data, ell=2)
    assert guessed_values(data, *anatomized(data, groups)).repeated == 2
    shuffled = vk.mask.permute_all(data, partition=groups, seed=1)
    found = guessed_values(data, *shuffled)
    assert found.repeated is None
    assert "was not repeated: The known columns" in repr(found)


def test_what_was_published_before_makes_certain_is_counted():
    data = table(age=[20, 30, 40, 50], ill=["flu", "ulcer", "angina", "gout"])
    first, second = (anatomized(data, vk.Partition.of(g)) for g in ([0, 0, 1, 1], [0, 1, 0, 1]))
    ledger = vk.release.Ledger()
    assert guessed_values(data, *first).before is None
    assert guessed_values(data, *first, ledger=ledger).before is None
    found = guessed_values(data, *second, ledger=ledger.add(data, *first))
    assert found.before == 4
    assert json.loads(json.dumps(found.facts))["before"] == 4
    assert found.before_exact
    assert "one value is certain for 4 whose group shows several" in repr(found)


def test_who_is_certain_is_counted_exactly_where_all_others_may_exchange_their_values():
    # Cem has the other flu, and Dan gout; Ann and Ben may exchange; Eva's group shows one anyway
    def named(*ills):
        frame = pd.DataFrame({"name": [*"ABCDE"], "age": 30, "ill": ills})
        roles = {"name": "identifier", "ill": "sensitive"}
        return vk.Microdata(frame, vk.Schema.guess(frame, **roles))

    data = named("flu", "gout", "flu", "gout", "flu")
    later = named("flu", "gout", "gout", "flu", "flu")
    groups = vk.Partition.of([0, 0, 1, 1, 2])
    ledger = vk.release.Ledger().add(data, *anatomized(data, vk.Partition.of([0, 0, 0, 1, 1])))
    found = guessed_values(data, *anatomized(data, groups), ledger=ledger)
    assert (found.before, found.before_exact) == (2, True)
    changed = guessed_values(later, *anatomized(later, groups), ledger=ledger)
    assert not changed.before_exact  # Cem's illness is another one since
    assert "at least" in changed.to_frame()["guess"].iloc[-1]


def test_records_in_another_order_are_guessed_as_rightly(trades):
    order = np.random.default_rng(1).permutation(600)
    release, key = anatomized(trades, vk.partition.anatomy(trades, ell=2, seed=1))
    one = guessed_values(trades, release, key)
    other = guessed_values(trades.take(order), release, key.take(order))
    assert one.facts == other.facts


def test_what_is_no_release_by_groups_or_has_another_key_is_refused(trades):
    masked = anatomized(trades, vk.partition.anatomy(trades, ell=2, seed=1))
    other = vk.mask.generalize(trades, partition=vk.partition.mondrian(trades, k=2), seed=1)
    with pytest.raises(SchemaError, match="expected a release by groups"):
        guessed_values(trades, *other)
    with pytest.raises(RecordError, match="key is of 600 records, and the data have 4"):
        guessed_values(trades.take(np.arange(4)), *masked)


def test_for_everybody_no_count_that_needs_the_original_says_that_all_or_no_guess_is_right(trades):
    masked = anatomized(trades, vk.partition.anatomy(trades, ell=2, seed=1))
    control = trades.take(np.arange(10))
    exact = guessed_values(trades, *masked, control=control)
    told = exact.round()
    assert (exact.by_learning, exact.sure_right, exact.control_right) == (600, 600, 10)
    assert (told.by_learning, told.sure_right, told.control_right) == (570, 570, 9.5)
    assert "600 guesses are right" not in repr(told)
    assert "about 95 of 100 guesses are right; of 600 who are told" in repr(told)
    assert (told.by_group, told.sure) == (exact.by_group, exact.sure), "anybody can count these"


def test_an_audit_of_groups_holds_the_counts_and_its_page_for_everybody_rounds_them(trades):
    masked = anatomized(trades, vk.partition.anatomy(trades, ell=2, seed=1))
    report = vk.audit(trades, *masked, control=trades.take(np.arange(10)))
    (found,) = report.guessed
    assert (found.by_learning, found.control_right) == (600, 10)
    assert all(said in repr(report) for said in found.sentences)
    public, internal = (json.loads(report.json(internal=part)) for part in (False, True))
    assert public["guessed"][0]["by_learning"] == 570
    assert internal["guessed"][0]["by_learning"] == 600
    assert "about 95 of 100 guesses are right" in report.html()
    assert "600 of 600 guesses are right" not in report.html()
