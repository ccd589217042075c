"""How much order a release keeps."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

import verikit as vk
from verikit.errors import RecordError, SchemaError


def test_it_is_spearmans_correlation_ties_included():
    rng = np.random.default_rng(1)
    data = vk.Microdata(pd.DataFrame({"a": rng.integers(0, 8, 60), "b": rng.normal(size=60)}))
    release, key = vk.mask.noise(data, scale={"a": 0, "b": 1}, seed=2)
    found = vk.utility.rank_correlation(data, key.undo(release))
    for name in ("a", "b"):
        masked = release.frame[name].to_numpy()[key.rows]
        assert found[name] == pytest.approx(spearmanr(data.frame[name], masked).statistic)
    assert found["a"] == pytest.approx(1)


def test_a_constant_column_has_no_order_to_keep():
    data = vk.Microdata(pd.DataFrame({"a": [1.0, 2, 3], "b": [5, 5, 5]}))
    found = vk.utility.rank_correlation(data, data)
    assert found["a"] == 1
    assert np.isnan(found["b"])


def test_categories_count_by_their_declared_order():
    column = vk.Column("stage", kind="ordinal", order=("I", "II", "III"))
    schema = vk.Schema((column,))
    data = vk.Microdata(pd.DataFrame({"stage": ["III", "I", "II"]}), schema)
    turned = vk.Microdata(pd.DataFrame({"stage": ["I", "III", "II"]}), schema)
    assert vk.utility.rank_correlation(data, turned)["stage"] == -1


def test_tables_that_do_not_belong_together_are_refused():
    data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    with pytest.raises(SchemaError, match="original has 20 records and the masked table 3"):
        vk.utility.rank_correlation(data, vk.Key.of([0, 1, 2]).undo(release))
    with pytest.raises(SchemaError, match=r"key\.undo\(release\) puts the rows"):
        vk.utility.rank_correlation(data, release)
    other = vk.Microdata(pd.DataFrame({"b": np.arange(20)}))
    with pytest.raises(SchemaError, match="No ranked attribute is in both tables"):
        vk.utility.rank_correlation(data, other)
    with pytest.raises(RecordError, match="points to row 21, but the release has 20"):
        vk.Key.of([20]).undo(release)
