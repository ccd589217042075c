"""Levels of diversity by record, and all columns sensitive, against the definition ([LHCC])."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.errors import InfeasibleError, RecordError, SchemaError
from verikit.partition import anatomy, diverse


def set_partitions(items):
    """Every way to put things into groups."""
    if not items:
        yield []
        return
    first, *rest = items
    for groups in set_partitions(rest):
        yield [[first], *groups]
        for at, group in enumerate(groups):
            yield [*groups[:at], [first, *group], *groups[at + 1 :]]


def keeps(group, values, level):
    """Definition 2: the most frequent value fills at most one in ``level`` of the group."""
    return max(Counter(values[i] for i in group).values()) * level <= len(group)


def keeps_all(groups, values, levels):
    return all(keeps(group, values, levels[i]) for group in groups for i in group)


def contents(data, partition):
    """What the groups hold, whoever of equal people is where."""
    return sorted(zip(*(data.frame[c] for c in data.schema.names), partition.labels, strict=True))


def make_table(values, levels, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(20, 60, len(values)), "ill": values, "wish": levels})
    roles = [vk.Column("age"), vk.Column("ill", "sensitive", "nominal")]
    return vk.Microdata(frame, vk.Schema((*roles, vk.Column("wish", "identifier"))))


@pytest.mark.parametrize("partitioner", [diverse, anatomy])
def test_each_record_s_own_level_is_kept_or_no_grouping_at_all_keeps_them(partitioner):
    """1,000 tables of up to seven people, beside all ways to group them."""
    rng, met = np.random.default_rng(2), Counter()
    for case in range(500):
        n = int(rng.integers(1, 8))
        values = [f"v{v}" for v in rng.integers(0, rng.integers(1, 6), n)]
        levels = rng.integers(1, 4, n).tolist()
        people = list(range(n))
        possible = any(keeps_all(groups, values, levels) for groups in set_partitions(people))
        data = make_table(values, levels, case)
        if not possible:
            with pytest.raises(InfeasibleError, match="No groups keep the level in 'wish' of each"):
                partitioner(data, ell="wish", seed=case)
        else:
            found = partitioner(data, ell="wish", seed=case)
            assert keeps_all(found.groups(), values, levels)
        met[possible, len(set(levels)) > 1] += 1
    assert min(met.values()) > 20


def test_the_refusal_names_the_highest_level_up_to_which_all_can_be_kept():
    # one of each of three values asks for 3, and the fourth person shares a value and asks for 2
    data = make_table(["a", "b", "c", "b"], [3, 2, 2, 2])
    said = "No groups keep the level in 'wish' of each record: 1 record asks for more than 2, the"
    with pytest.raises(InfeasibleError, match=said):
        diverse(data, ell="wish", seed=1)
    assert len(diverse(make_table(["a", "b", "c", "b"], [2, 2, 2, 2]), ell="wish", seed=1)) == 2


def test_levels_of_a_large_table_are_kept_by_few_records_more_than_ask_for_them():
    data = vk.simulate("census", 3_000, seed=1).only("Age", "Gender", "Occupation")
    rng = np.random.default_rng(1)
    wish = rng.choice([1, 2, 5, 8], 3_000, p=[0.4, 0.3, 0.2, 0.1])
    columns = (*data.schema, vk.Column("wish", "identifier"))
    data = vk.Microdata(data.frame.assign(wish=wish), vk.Schema(columns))
    values = data.frame["Occupation"].tolist()
    for partitioner in (diverse, anatomy):
        found = partitioner(data, ell="wish", seed=1)
        assert keeps_all(found.groups(), values, wish)
        assert found.method == f"{partitioner.__name__} by levels"
        release, _ = vk.mask.permute_all(data, partition=found, seed=2)
        assert "wish" not in release.schema.names
        per_group = vk.models.frequency_diversity(release).per_class
        assert len(per_group) == len(found)
        order = rng.permutation(len(data))
        again = partitioner(data.take(order), ell="wish", seed=1)
        assert contents(data.take(order), again) == contents(data, found)


def test_what_cannot_be_a_level_is_refused_in_one_sentence():
    data = make_table(["a", "b"], [2, 0])
    with pytest.raises(RecordError, match="level in 'wish' was given as 0"):
        diverse(data, ell="wish", seed=1)
    with pytest.raises(RecordError, match="ell was given as 'hope'; expected a whole number"):
        diverse(data, ell="hope", seed=1)
    with pytest.raises(SchemaError, match="'age' holds what each person asks for, but its role is"):
        diverse(data, ell="age", seed=1)
    with pytest.raises(RecordError, match="they are kept for one sensitive column only"):
        diverse(make_table(["a", "b"], [2, 2]), ell="wish", sensitive=["ill"], seed=1)


def visits(values):
    """A table of places, hours and shops, all of them sensitive."""
    names = ["place", "hour", "shop"][: len(values[0])]
    columns = tuple(vk.Column(name, "sensitive", "nominal") for name in names)
    return vk.Microdata(pd.DataFrame(values, columns=names).astype(str), vk.Schema(columns))


def test_with_all_columns_sensitive_each_is_diverse_in_every_group():
    """1,000 tables; refused just where one column alone cannot be diverse."""
    rng, met = np.random.default_rng(3), Counter()
    for case in range(1_000):
        n, ell = int(rng.integers(2, 13)), int(rng.integers(1, 4))
        values = rng.integers(0, rng.integers(2, 9), (n, int(rng.integers(2, 4)))).tolist()
        columns = list(zip(*values, strict=True))
        possible = all(max(Counter(column).values()) * ell <= n for column in columns)
        if not possible:
            with pytest.raises(InfeasibleError, match="the largest ell that can be reached is"):
                diverse(visits(values), ell=ell, seed=case)
        else:
            groups = diverse(visits(values), ell=ell, seed=case).groups()
            assert sorted(i for group in groups for i in group) == list(range(n))
            assert all(keeps(group, column, ell) for group in groups for column in columns)
            met[len(groups) > 1] += 1
        met["possible", possible] += 1
    assert min(met.values()) > 50


def test_several_columns_are_mixed_in_small_groups_of_alike_records():
    data = vk.simulate("census", 4_000, seed=1).only("Age", "Education", "Occupation")
    data = vk.Microdata(
        data.frame, vk.Schema(tuple(vk.Column(c.name, "sensitive", c.kind) for c in data.schema))
    )
    found = diverse(data, ell=3, seed=1)
    columns = [data.frame[name].tolist() for name in data.schema.names]
    assert all(keeps(group, column, 3) for group in found.groups() for column in columns)
    assert found.parameters["sensitive"] == ["Age", "Education", "Occupation"]
    assert len(found) > 600
    order = np.random.default_rng(1).permutation(len(data))
    again = diverse(data.take(order), ell=3, seed=1)
    assert contents(data.take(order), again) == contents(data, found)
