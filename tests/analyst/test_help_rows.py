"""The lines of the help table that a question uses, against the database that joins them."""

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.analyst import Between, Query, help_rows, rewrite

pytest.importorskip("sqlglot", reason="queries in SQL need sqlglot")

PUT_TOGETHER = {
    "sum": lambda rows: (rows["sum_lower"].sum(), rows["sum_upper"].sum()),
    "min": lambda rows: (rows["min_lower"].min(), rows["min_upper"].min()),
    "max": lambda rows: (rows["max_lower"].max(), rows["max_upper"].max()),
    "avg": lambda rows: tuple(rows[["sum_lower", "sum_upper"]].sum() / rows["hits"].sum()),
}


@pytest.fixture(scope="module")
def permuted():
    return vk.published("qz_table2_3")


def test_a_minimum_over_women_uses_two_groups_and_not_the_one_without_any(permuted):
    rows = help_rows("select min(salary) from t where gender = 'F'", permuted)
    assert rows.columns.tolist() == ["group", "hits", "min_lower", "min_upper"]
    assert rows.to_numpy().tolist() == [["2", 2, 65_000, 70_000], ["3", 1, 75_000, 85_000]]


def test_a_count_needs_the_hits_alone_and_nobody_needs_no_line(permuted):
    rows = help_rows("select count(*) from t where age > 45", permuted)
    assert rows.to_numpy().tolist() == [["2", 1], ["3", 3]]
    assert len(help_rows("select sum(salary) from t where age > 90", permuted)) == 0


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("aggregate", PUT_TOGETHER)
def test_put_together_they_are_what_the_database_answers(seed, aggregate):
    pytest.importorskip("duckdb")
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(17, 60, 80), "pay": rng.integers(-50, 90, 80)})
    data = vk.Microdata(frame, vk.Schema.guess(frame, pay="sensitive"))
    groups = vk.partition.min_sum_error(data, k=3, e=5, seed=1)
    release = vk.mask.permute_sensitive(data, partition=groups, seed=seed).release
    query = Query((Between("age", 20 + seed, 41),), aggregate, "pay")
    found = PUT_TOGETHER[aggregate](help_rows(query, release))
    assert found == pytest.approx(rewrite(query, release).run())


def test_a_condition_on_the_sensitive_column_is_refused(permuted):
    with pytest.raises(vk.RecordError, match="which value belongs to which row"):
        help_rows("select count(*) from t where salary > 60000", permuted)
