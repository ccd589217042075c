import functools
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.models import Requirement
from verikit.partition import _mondrian, mondrian

TREE = vk.Hierarchy.of({"any": {"left": ["c", "a"], "right": ["b", "d"]}})


@st.composite
def tables(draw):
    """Numbers, categories with a hierarchy and without, and something sensitive, all with ties."""
    size = draw(st.integers(1, 40))
    cells = {
        "age": st.integers(0, 8),
        "job": st.sampled_from("abcd"),
        "town": st.sampled_from("xyz"),
        "pay": st.sampled_from([0.5, 1.5, 20.25]),
    }
    frame = {n: draw(st.lists(cell, min_size=size, max_size=size)) for n, cell in cells.items()}
    columns = (
        vk.Column("age"),
        vk.Column("job", kind="nominal", hierarchy=TREE),
        vk.Column("town", kind="nominal"),
        vk.Column("pay", "sensitive"),
    )
    return vk.Microdata(pd.DataFrame(frame), vk.Schema(columns))


def places(data):
    """Every quasi-identifier as numbers from 0 to 1 in the order of its values that occur."""
    found = []
    for column in data.schema.quasi:
        values = data.frame[column.name].astype(object).tolist()
        if column.kind != "numeric":
            order = column.categories or sorted(set(values))
            known = [value for value in order if value in values]
            values = [known.index(value) for value in values]
        low, high = min(values), max(values)
        found.append([(value - low) / (high - low) if high > low else 0.0 for value in values])
    return found


def plain(data, k, relaxed=False, meets=lambda _rows: True):  # noqa: C901 - as it is told
    """Mondrian as it is told: one group after the other, halves before their neighbours."""
    columns, done = places(data), []

    def spread(rows, column):
        return max(column[r] for r in rows) - min(column[r] for r in rows)

    def halves(rows):
        for column in sorted(columns, key=lambda column: -spread(rows, column)):
            if spread(rows, column) == 0:
                return None
            ordered = sorted(rows, key=lambda row: column[row])
            if relaxed:
                middle = (len(rows) + 1) // 2
                left, right = ordered[:middle], ordered[middle:]
            else:
                median = column[ordered[(len(rows) - 1) // 2]]
                left = [row for row in rows if column[row] <= median]
                right = [row for row in rows if column[row] > median]
            safe = min(len(left), len(right)) >= k and meets(left) and meets(right)
            if not safe and relaxed:
                return None
            if safe:
                return [row for row in rows if row in left], [row for row in rows if row in right]
        return None

    def cut(rows):
        parts = halves(rows) if len(rows) >= 2 * k else None
        if parts is None:
            done.append(rows)
        else:
            cut(parts[0])
            cut(parts[1])

    cut((_mondrian._order_records(data, 1) if relaxed else data.canonical_order()).tolist())
    labels = np.empty(len(data), int)
    for number, rows in enumerate(done):
        labels[rows] = number
    return labels


@given(tables(), st.integers(1, 6), st.booleans())
def test_all_groups_at_once_are_cut_as_one_after_the_other(data, k, relaxed):
    k = min(k, len(data))
    assert np.array_equal(
        mondrian(data, k=k, relaxed=relaxed, seed=1).labels, plain(data, k, relaxed)
    )


def is_close(values, rows, t):
    """Half the sum of differences of the shares, in whole numbers."""
    here = Counter(values[r] for r in rows)
    everywhere = Counter(values)
    gaps = (Fraction(here[v], len(rows)) - Fraction(n, len(values)) for v, n in everywhere.items())
    return float(sum(map(abs, gaps)) / 2) <= t


def is_recursive(values, rows, ell, c):
    counts = sorted((Counter(values[r] for r in rows)).values(), reverse=True)
    return counts[0] < c * sum(counts[ell - 1 :])


@given(tables(), st.integers(1, 4), st.booleans(), st.sampled_from([0.2, 0.4, "recursive"]))
def test_cuts_are_made_where_both_halves_meet_what_is_required(data, k, relaxed, asked):
    k, values = min(k, len(data)), data.frame["pay"].tolist()
    if asked == "recursive":
        requirement = Requirement("recursive_diversity", ell=2, c=2)
        meets = functools.partial(is_recursive, values, ell=2, c=2)
    else:
        requirement = Requirement("t_closeness", t=asked)
        meets = functools.partial(is_close, values, t=asked)
    call = functools.partial(mondrian, data, k=k, requirement=requirement, relaxed=relaxed, seed=1)
    if not meets(range(len(data))):
        with pytest.raises(vk.InfeasibleError, match="largest ell that can be reached with it is"):
            call()
        return
    made = call()
    assert np.array_equal(made.labels, plain(data, k, relaxed, meets))
    assert made.method == "mondrian by requirement"


@given(tables(), st.sampled_from([0.1, 0.3, 0.6]), st.integers(1, 3))
def test_halving_by_penalty_stops_where_no_half_is_close_enough(data, t, k):
    asked = [Requirement("t_closeness", t=t), Requirement("k_anonymity", k=min(k, len(data)))]
    made = vk.partition.diverse(data, requirement=asked, tries=3, seed=1)
    values = data.frame["pay"].tolist()
    assert all(is_close(values, rows, t) for rows in made.groups())
    assert made.sizes.min() >= min(k, len(data))


def test_people_of_whom_nothing_is_sensitive_are_halved_into_close_groups_and_a_t_of_0_into_one():
    """Two values in turn, so that every even cut of neighbours is exactly as the whole."""
    frame = pd.DataFrame({"age": np.arange(64) // 2, "pay": np.tile([1, 2], 32)})
    data = vk.Microdata(frame, vk.Schema((vk.Column("age"), vk.Column("pay", "sensitive"))))
    close = Requirement("t_closeness", t=0)
    assert mondrian(data, requirement=close).sizes.tolist() == [2] * 32
    assert len(vk.partition.diverse(data, requirement=close, seed=1)) > 4
    odd = vk.Microdata(data.frame.iloc[:63], data.schema)
    assert len(mondrian(odd, requirement=close)) == 1


def test_who_repeats_a_cut_by_sensitive_values_is_told_that_he_may_learn_more():
    data = vk.load("yq_figure1")
    made = mondrian(data, requirement=Requirement("entropy_diversity", ell=2))
    release = vk.mask.anatomize(data, partition=made, seed=1).release
    assert vk.release.by_secrets(release)
    assert vk.models.entropy_diversity(release, ell=2).met
    assert "rules out was not counted" in repr(vk.intruder.repeated_partition(release))
    by_size = vk.mask.anatomize(data, partition=mondrian(data, k=2), seed=1).release
    assert not vk.release.by_secrets(by_size)


def test_an_ell_beside_a_requirement_is_refused():
    data = vk.load("lhcc_table1")
    with pytest.raises(vk.RecordError, match="either ell and sensitive, or a requirement"):
        vk.partition.diverse(data, ell=2, requirement=Requirement("k_anonymity", k=2), seed=1)


@given(tables(), st.integers(1, 6), st.booleans())
def test_every_group_holds_at_least_k(data, k, relaxed):
    k = min(k, len(data))
    partition = mondrian(data, k=k, relaxed=relaxed, seed=1)
    assert partition.sizes.min() >= k
    assert partition.sizes.sum() == len(data)


@given(tables(), st.integers(1, 6))
def test_relaxed_groups_of_different_records_hold_at_most_2k_minus_1(data, k):
    k = min(k, len(data))
    partition = mondrian(data, k=k, relaxed=True, seed=1)
    quasi = [column.name for column in data.schema.quasi]
    for rows in partition.groups():
        different = len(data.frame.loc[rows, quasi].drop_duplicates())
        assert len(rows) <= 2 * k - 1 or different == 1


@given(tables(), st.integers(1, 6))
def test_strict_groups_keep_equal_records_together(data, k):
    k = min(k, len(data))
    labels = mondrian(data, k=k).labels
    quasi = (
        data.frame[[column.name for column in data.schema.quasi]].astype(str).agg("|".join, axis=1)
    )
    assert (pd.Series(labels).groupby(quasi.to_numpy()).nunique() == 1).all()


@given(tables(), st.integers(1, 6), st.booleans(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_no_group(data, k, relaxed, random):
    """Records that agree in every column may stand for each other."""
    k = min(k, len(data))
    rows = np.array(random.sample(range(len(data)), len(data)))
    mixed = data.take(rows)
    ours, theirs = (
        mondrian(data, k=k, relaxed=relaxed, seed=1),
        mondrian(mixed, k=k, relaxed=relaxed, seed=1),
    )
    if not relaxed:
        assert np.array_equal(ours.labels[rows], theirs.labels)

    def held(table, partition):
        return sorted(map(str, table.frame.assign(group=partition.labels).to_numpy().tolist()))

    assert held(data, ours) == held(mixed, theirs)


@pytest.mark.parametrize(
    ("ages", "k", "strict", "relaxed"),
    [
        ([1, 2, 3, 4], 2, [[1, 2], [3, 4]], [[1, 2], [3, 4]]),
        ([1, 2, 3, 4, 5], 2, [[1, 2, 3], [4, 5]], [[1, 2, 3], [4, 5]]),
        ([1, 2, 2, 2, 2, 3], 2, [[1, 2, 2, 2, 2, 3]], [[1, 2, 2], [2, 2, 3]]),
        ([7, 7, 7, 7, 7], 2, [[7, 7, 7, 7, 7]], [[7, 7, 7, 7, 7]]),
        ([1, 1, 1, 9, 9], 2, [[1, 1, 1], [9, 9]], [[1, 1, 1], [9, 9]]),
    ],
)
def test_groups_worked_out_by_hand(ages, k, strict, relaxed):
    data = vk.Microdata(pd.DataFrame({"age": ages}))
    for wanted, options in ((strict, {}), (relaxed, {"relaxed": True, "seed": 1})):
        groups = mondrian(data, k=k, **options).groups()
        assert [sorted(np.array(ages)[rows]) for rows in groups] == wanted


def test_the_column_that_spreads_most_is_cut_not_the_one_with_the_larger_numbers():
    """Below a pay of 30 of 1000 the group spans 3 % of the pay, but all of the ages."""
    pay = [0, 10, 20, 30, 1000, 1000, 1000, 1000]
    data = vk.Microdata(pd.DataFrame({"pay": pay, "age": [1, 2, 1, 2, 1, 1, 2, 2]}))
    assert mondrian(data, k=2).labels.tolist() == [0, 1, 0, 1, 2, 2, 3, 3]


def test_where_the_widest_column_cannot_be_cut_the_next_is():
    """Every other record is alone at an end of the first column; the second divides evenly."""
    data = vk.Microdata(pd.DataFrame({"x": [0, 5, 5, 5, 5, 9], "y": [1, 1, 1, 2, 2, 2]}))
    assert mondrian(data, k=3).labels.tolist() == [0, 0, 0, 1, 1, 1]


def test_categories_are_cut_in_the_order_of_their_hierarchy():
    """c and a lie left in the tree, b and d right, whatever their names."""
    columns = (vk.Column("job", kind="nominal", hierarchy=TREE),)
    data = vk.Microdata(pd.DataFrame({"job": list("abcd")}), vk.Schema(columns))
    assert mondrian(data, k=2).labels.tolist() == [0, 1, 0, 1]


def test_categories_without_hierarchy_are_cut_in_their_declared_order():
    columns = (vk.Column("stage", kind="ordinal", order=("I", "II", "III", "IV")),)
    data = vk.Microdata(pd.DataFrame({"stage": ["IV", "I", "III", "II"]}), vk.Schema(columns))
    assert mondrian(data, k=2).labels.tolist() == [1, 0, 1, 0]


def test_missing_values_are_refused_or_lie_beyond_all_others():
    data = vk.Microdata(pd.DataFrame({"age": [3, None, 1, None, 2, 4]}))
    with pytest.raises(vk.SchemaError, match="'age' has 2 missing values"):
        mondrian(data, k=2)
    assert mondrian(data, k=2, missing="own value").labels.tolist() == [0, 1, 0, 1, 0, 1]
    gone = vk.Microdata(pd.DataFrame({"age": [None, None]}), vk.Schema((vk.Column("age"),)))
    assert mondrian(gone, k=1, missing="own value").labels.tolist() == [0, 0]


def test_the_partition_tells_how_it_was_made():
    data = vk.Microdata(pd.DataFrame({"age": [1, 2, 3, 4]}))
    partition = mondrian(data, k=np.int64(2), relaxed=True, seed=1)
    assert partition.method == "mondrian"
    assert partition.parameters == {"k": 2, "relaxed": True}


@pytest.mark.parametrize("k", [0, 1.0, True, "2"])
def test_a_k_that_is_no_whole_number_from_1_is_refused(k):
    with pytest.raises(vk.RecordError, match="expected a whole number from 1 up"):
        mondrian(vk.Microdata(pd.DataFrame({"age": [1, 2]})), k=k)


def test_a_k_beyond_the_records_is_refused_with_the_largest_that_can_be_reached():
    with pytest.raises(vk.InfeasibleError, match="the largest k that can be reached is 2"):
        mondrian(vk.Microdata(pd.DataFrame({"age": [1, 2]})), k=3)


def test_tables_without_records_or_quasi_identifiers_are_refused():
    schema = vk.Schema((vk.Column("age"),))
    with pytest.raises(vk.SchemaError, match="no records"):
        mondrian(vk.Microdata(pd.DataFrame({"age": []}), schema), k=1)
    hidden = vk.Schema((vk.Column("age", "sensitive"),))
    with pytest.raises(vk.SchemaError, match="no quasi-identifier to cut"):
        mondrian(vk.Microdata(pd.DataFrame({"age": [1]}), hidden), k=1)
    with pytest.raises(vk.SchemaError, match="was given list; expected Microdata"):
        mondrian([1, 2], k=1)


def test_a_large_table_of_real_people_is_cut_as_one_group_after_the_other(datasets_dir):
    data = vk.datasets.adult(datasets_dir / "adult").take(np.arange(1500))
    for relaxed in (False, True):
        partition = mondrian(data, k=10, relaxed=relaxed, seed=1)
        assert np.array_equal(partition.labels, plain(data, 10, relaxed))


def test_numbers_whose_span_no_float_holds_are_cut_as_smaller_ones():
    values = np.array([-1.6, 1.7, 0.9, 0.0, 0.3, 0.4])
    small, huge = (
        vk.partition.mondrian(vk.Microdata(pd.DataFrame({"pay": values * by})), k=2)
        for by in (1, 1e308)
    )
    assert huge.labels.tolist() == small.labels.tolist()
