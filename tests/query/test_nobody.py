"""Values that are nobody's meet no condition, whatever way conditions are put together.

Every way to give the people of each group values of theirs is tried, all being equally likely.
"""

from functools import cache
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest

import verikit as vk

TREE = vk.targets.balanced([30, 40, 50, 60])
OF_PEOPLE = ["zip = 'a'", "zip = 'b'", "age < 30", "age >= 25", "age = 20"]
OF_VALUES = ["pay = 30", "pay = 50", "pay >= 40", "pay < 60", "pay in (30, 60)"]


def release_of(people, values):
    """Groups of people (zip and age), and of more values."""
    zips, ages = zip(*(person for group in people for person in group), strict=True)
    labels = [at for at, group in enumerate(people, 1) for _ in group]
    quasi = pd.DataFrame({"zip": zips, "age": ages, "Group-ID": labels})
    hidden = pd.DataFrame(
        [(at, value) for at, group in enumerate(values, 1) for value in group],
        columns=["Group-ID", "pay"],
    )
    columns = (
        vk.Column("zip", kind="nominal"),
        vk.Column("age"),
        vk.Column("pay", "sensitive", hierarchy=TREE),
    )
    schema = vk.Schema(columns)
    return vk.SplitRelease(quasi, hidden, schema, parameters={"fakes": 3}, promise="covers")


def worlds(people, values):
    """All tables of people with a value each, as often as there are ways to give it."""
    ways = (permutations(some, len(group)) for group, some in zip(people, values, strict=True))
    for chosen in product(*ways):
        yield [
            (*person, value)
            for group, given in zip(people, chosen, strict=True)
            for person, value in zip(group, given, strict=True)
        ]


@cache
def meets(where, record):
    text = where.replace(" = ", " == ")
    return eval(text, {}, dict(zip(("zip", "age", "pay"), record, strict=True)))


def selected(where, tables):
    return [[record[2] for record in table if meets(where, record)] for table in tables]


def made_up(rng):
    """Two small groups, up to three of whose values are nobody's."""
    people, values = [], []
    for size, nobodys in ((2, rng.integers(1, 4)), (3, rng.integers(0, 3))):
        zips, ages = rng.choice(list("ab"), size).tolist(), rng.integers(18, 36, size).tolist()
        people.append(list(zip(zips, ages, strict=True)))
        values.append(rng.choice([30, 40, 50, 60], size + nobodys).tolist())
    return people, values


def one_side(rng, known):
    """A condition of one side: one, or two joined, with or without a "not"."""
    first, second = rng.choice(known, 2, replace=False)
    found = rng.choice([first, f"({first} and {second})", f"({first} or {second})"])
    return f"not {found}" if rng.random() < 0.3 else str(found)


def of_both(rng):
    """What is asked of people joined with what is asked of values, with or without a "not"."""
    sides = rng.permutation([one_side(rng, OF_PEOPLE), one_side(rng, OF_VALUES)])
    found = f"({sides[0]} {rng.choice(['and', 'or'])} {sides[1]})"
    return f"not {found}" if rng.random() < 0.4 else found


def test_counts_with_or_and_not_are_those_of_all_ways_to_give_people_values():
    rng, asked = np.random.default_rng(3), 0
    for _ in range(25):
        people, values = made_up(rng)
        release, tables = release_of(people, values), list(worlds(people, values))
        for _ in range(10):
            where = of_both(rng)
            counts = [len(found) for found in selected(where, tables)]
            found = vk.answer(f"select count(*) from t where {where}", release)
            assert found.estimate == pytest.approx(np.mean(counts)), where
            assert (found.lower, found.upper) == (min(counts), max(counts)), where
            if found.lower < found.upper:
                assert found.mean == pytest.approx(np.mean(counts)), where
                assert found.variance == pytest.approx(np.var(counts)), where
            asked += 1
    assert asked == 250


def test_whatever_is_joined_the_bounds_hold_every_way_to_give_people_values():
    rng = np.random.default_rng(4)
    for _ in range(20):
        people, values = made_up(rng)
        release, tables = release_of(people, values), list(worlds(people, values))
        for _ in range(8):
            where = f"({of_both(rng)} {rng.choice(['and', 'or'])} {of_both(rng)})"
            found_in = selected(where, tables)
            for aggregate in ("count", "sum", "avg", "min", "max"):
                of = "*" if aggregate == "count" else "pay"
                found = vk.answer(f"select {aggregate}({of}) from t where {where}", release)
                truths = [answered(aggregate, some) for some in found_in]
                truths = [truth for truth in truths if truth is not None]
                for truth in truths:
                    assert found.lower - 1e-9 <= truth <= found.upper + 1e-9, (aggregate, where)


def answered(aggregate, values):
    if aggregate in {"count", "sum"}:
        return len(values) if aggregate == "count" else sum(values)
    if not values:
        return None
    return {"avg": np.mean, "min": min, "max": max}[aggregate](values)


def test_sums_and_averages_are_those_of_all_ways_to_give_people_values():
    rng = np.random.default_rng(6)
    for _ in range(25):
        people, values = made_up(rng)
        release, tables = release_of(people, values), list(worlds(people, values))
        for where in ("age > 0", one_side(rng, OF_PEOPLE), one_side(rng, OF_VALUES)):
            sums = [sum(found) for found in selected(where, tables)]
            found = vk.answer(f"select sum(pay) from t where {where}", release)
            assert found.estimate == pytest.approx(np.mean(sums)), where
            assert (found.lower, found.upper) == (min(sums), max(sums)), where
            if found.lower < found.upper:
                assert found.variance == pytest.approx(np.var(sums)), where


def test_equal_questions_have_equal_answers_where_values_are_nobodys():
    release = release_of(
        [[("a", 20), ("a", 30)], [("b", 20), ("b", 30), ("b", 35)]],
        [[30, 40, 50, 60], [30, 40, 40, 50, 60]],
    )
    texts = ["zip = 'a' or pay = 50", "not (zip = 'b' and pay <> 50)", "not zip = 'b' or pay = 50"]
    found = [vk.answer(f"select count(*) from t where {text}", release) for text in texts]
    assert {(answer.lower, answer.estimate, answer.upper) for answer in found} == {(2, 2.6, 3)}
    both, one, other = (
        vk.answer(f"select count(*) from t where {text}", release).estimate
        for text in ("zip = 'a' and pay = 50", "zip = 'a'", "pay = 50")
    )
    assert one + other - both == pytest.approx(2.6)
