import numpy as np
import pytest

from verikit.partition import count_pairs


@pytest.mark.parametrize("most", [1 << 20, 2], ids=["counters", "sorting"])
def test_pairs_of_class_and_value_are_counted_by_the_records_that_a_row_stands_for(
    monkeypatch, most
):
    """Rows of class 900 hold value 1 twice and 2 once, standing for 2, 3 and 1 records."""
    monkeypatch.setattr("verikit.partition._counted.MAX_COUNTERS", most)
    labels, codes = np.array([900, 5, 900, 900]), np.array([1, 0, 2, 1])
    weights = np.array([2.0, 7.0, 1.0, 3.0])
    owner, place, count = count_pairs(labels, 1000, codes, 3, weights)
    assert (owner.tolist(), place.tolist(), count.tolist()) == ([5, 900, 900], [0, 1, 2], [7, 5, 1])
    owner, place, count = count_pairs(labels, 1000, codes, 3)
    assert (owner.tolist(), place.tolist(), count.tolist()) == ([5, 900, 900], [0, 1, 2], [1, 2, 1])
