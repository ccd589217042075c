"""Ordered categories keep the order that another program gave them."""

import pandas as pd
import pytest

import verikit as vk


def test_ordered_categories_are_ranked_in_their_own_order():
    low_to_high = pd.Categorical(list("lmhl"), categories=list("lmh"), ordered=True)
    schema = vk.Schema.guess(pd.DataFrame({"g": low_to_high, "x": [1.0, 2, 3, 4]}))
    assert (schema["g"].kind, schema["g"].order) == ("ordinal", ("l", "m", "h"))
    release = vk.TableRelease.of(pd.DataFrame({"g": low_to_high, "x": [1.0, 2, 3, 4]}))
    assert vk.check({"g": "h", "x": 1}, release).attributes["first_rank"].tolist() == [4, 1]


@pytest.mark.parametrize("numbers", [[1, 2, 3], [1.0, 2.0, 3.0]])
def test_ordered_numbers_that_name_categories_keep_their_order(numbers):
    grades = pd.Categorical(numbers, categories=numbers[::-1], ordered=True)
    assert vk.Schema.guess(pd.DataFrame({"g": grades}))["g"].order == ("3", "2", "1")


def test_categories_without_an_order_have_none():
    column = vk.Schema.guess(pd.DataFrame({"g": pd.Categorical(["a", "b"])}))["g"]
    assert (column.kind, column.order) == ("nominal", None)
