from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.table._requests import group_size, most_records, refuse_missing, require_table


@pytest.mark.parametrize("k", [3, np.int64(3), np.uint8(3)])
def test_whole_numbers_of_all_kinds_are_group_sizes(k):
    assert group_size(k, 10) == 3
    assert type(group_size(k, 10)) is int


@pytest.mark.parametrize("k", [0, -1, 3.0, "3", None, True, False, np.True_, np.float64(3)])
def test_what_is_no_whole_number_from_1_up_is_no_group_size(k):
    with pytest.raises(vk.RecordError, match=r"k was given as .*; expected a whole number from 1"):
        group_size(k, 10)


def test_a_group_may_be_as_large_as_the_table_but_not_larger():
    assert group_size(10, 10) == 10
    with pytest.raises(vk.InfeasibleError, match=r"k was given as 11, .* can be reached is 10\."):
        group_size(11, 10)


@pytest.mark.parametrize(
    ("share", "records", "most"),
    [
        (0, 10, 0),
        (1, 10, 10),
        (0.29, 100, 29),
        (0.07, 100, 7),
        (0.05, 30162, 1508),
        (Fraction(1, 3), 9, 3),
        (np.float32(0.5), 9, 4),
    ],
)
def test_a_share_of_records_is_counted_exactly(share, records, most):
    assert most_records(share, records) == most


@pytest.mark.parametrize("share", [-0.01, 1.01, 5, float("nan"), float("inf"), "0.1", None, True])
def test_what_is_no_share_is_refused(share):
    with pytest.raises(vk.RecordError, match=r"suppression was given as .*; expected a share from"):
        most_records(share, 10)


def test_missing_values_are_refused_with_their_column_and_number():
    data = vk.Microdata(pd.DataFrame({"age": [1, None, None], "sex": ["F", "M", "F"]}))
    with pytest.raises(vk.SchemaError, match="'age' has 2 missing values; fill the gaps"):
        refuse_missing(data, data.schema, "refuse")
    refuse_missing(data, [data.schema["sex"]], "refuse")
    refuse_missing(data, data.schema, "own value")


def test_only_two_policies_for_missing_values_are_known():
    data = vk.Microdata(pd.DataFrame({"age": [1]}))
    with pytest.raises(vk.RecordError, match="missing was given as 'drop'; expected 'refuse' or"):
        refuse_missing(data, data.schema, "drop")


def test_only_microdata_with_records_pass():
    data = vk.Microdata(pd.DataFrame({"age": [1]}))
    assert require_table(data, "me") is data
    with pytest.raises(vk.SchemaError, match="me was given dict; expected Microdata"):
        require_table({}, "me")
    with pytest.raises(vk.SchemaError, match="no records, so nothing can be grouped"):
        require_table(data.take(np.array([], dtype=int)), "me")
