"""Help tables: bounds by group and number of hits, refused where the values say otherwise."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import verikit as vk
from verikit.release._split import BOUNDS, make_help_table

PRINTED = vk.load("qz_table2_4").frame


def by_hand(values, labels):
    """Each line from the sorted values of its group."""
    found = []
    for group in sorted(set(labels)):
        own = sorted(v for v, g in zip(values, labels, strict=True) if g == group)
        for hits in range(1, len(own) + 1):
            low, high = own[:hits], own[len(own) - hits :]
            found.append([group, hits, sum(low), sum(high), low[0], high[0], low[-1], high[-1]])
    return found


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 3)), min_size=1, max_size=12))
def test_every_bound_is_that_of_the_smallest_and_the_largest_values(records):
    values, groups = zip(*records, strict=True)
    names, labels = np.unique(groups, return_inverse=True)
    found = make_help_table(values, labels, pd.Index(names))
    assert found.to_numpy().tolist() == by_hand(values, groups)


def test_small_fractions_beside_large_ones_keep_their_sums():
    values, labels = np.array([1e15, 2e15, 0.1, 0.2]), np.array([0, 0, 1, 1])
    assert make_help_table(values, labels, pd.Index([0, 1]))["sum_lower"].tolist()[2:] == [
        0.1,
        0.1 + 0.2,
    ]


def opened_with(table):
    release = vk.published("qz_table2_3")
    return vk.SplitRelease(
        release.quasi,
        release.sensitive,
        release.schema,
        group=release.group,
        promise="another order",
        help=table,
    )


def test_the_printed_help_table_is_taken_as_the_values_give_it_in_any_order():
    assert opened_with(PRINTED).help.equals(PRINTED)
    assert len(opened_with(PRINTED.iloc[::-1]).help) == 9
    assert len(opened_with(PRINTED[["group", "hits", "min_upper"]]).help) == 9


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda t: t.assign(sum_upper=[56001, *t["sum_upper"][1:]]),
            r"gives sum_upper for group '1' and 1 hits as '56001', but .* give 56000",
        ),
        (lambda t: t.assign(min_lower="many"), "min_lower for group '1' and 1 hits as 'many'"),
        (lambda t: t.assign(min_lower=np.nan), "min_lower for group '1' and 1 hits as 'nan'"),
        (lambda t: t.iloc[1:], "has 8 lines, 8 of them different; expected .* 9 in all"),
        (lambda t: t.iloc[[0, 0, *range(2, 9)]], "has 9 lines, 8 of them different"),
        (lambda t: t.assign(hits=[4, *t["hits"][1:]]), "lacks the line for group '1' and 1 hits"),
        (lambda t: t.drop(columns="hits"), "expected group, hits and some of sum_lower"),
        (lambda t: t.assign(note=1), "columns 'group', .*'note'; expected group, hits"),
        (lambda t: t.to_dict(), "given as dict; expected a pandas DataFrame"),
    ],
)
def test_a_help_table_that_disagrees_with_its_values_is_refused(change, sentence):
    with pytest.raises(vk.SchemaError, match=sentence):
        opened_with(change(PRINTED))


@pytest.mark.parametrize("parquet", [False, True], ids=["csv", "parquet"])
def test_a_help_table_comes_back_from_the_disk(tmp_path, parquet):
    if parquet:
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    data = vk.load("qz_table2_1")
    groups = vk.partition.min_sum_error(data, k=3, e=2000, seed=1)
    made = vk.mask.permute_sensitive(data, partition=groups, seed=1).release
    found = vk.open_release(made.save(tmp_path / "r", parquet=parquet))
    assert found.help.astype(float).equals(made.help.astype(float))
    assert set(found.help) == {"group", "hits", *BOUNDS}


def test_a_help_table_that_was_changed_on_the_disk_is_refused_on_opening(tmp_path):
    data = vk.load("qz_table2_1")
    made = vk.mask.permute_sensitive(data, partition=vk.Partition.of([1] * 9), seed=1).release
    folder = made.save(tmp_path / "r")
    file = folder / "help.csv"
    file.write_text(file.read_text().replace("615000", "615001"))
    described = json.loads((folder / "datapackage.json").read_text())
    for part in described["resources"]:
        part.pop("hash", None)
    (folder / "datapackage.json").write_text(json.dumps(described))
    with pytest.raises(vk.SchemaError, match=r"sum_lower .* 9 hits as '615001'.* give 615000"):
        vk.open_release(folder)


def test_the_column_of_a_help_table_is_a_sensitive_number():
    with pytest.raises(vk.SchemaError, match="0 sensitive columns of numbers among 'Disease'"):
        vk.published("lhcc_table3").number()
