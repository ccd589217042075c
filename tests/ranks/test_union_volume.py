"""The exact volume of unions of boxes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verikit._support import compiled as _compiled
from verikit.ranks._union_volume import union_volume


def painted(low, high):
    """The same volume by painting every unit cell."""
    size = int(high.max())
    cells = np.zeros((size,) * low.shape[1], bool)
    for start, end in zip(low.astype(int), high.astype(int), strict=True):
        cells[tuple(map(slice, start, end))] = True
    return cells.sum()


@st.composite
def boxes(draw):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    m = draw(st.integers(1, 4))
    n, size = draw(st.integers(1, 60)), draw(st.integers(2, (60, 40, 16, 9)[m - 1]))
    low = rng.integers(0, size, (n, m))
    return low.astype(float), np.minimum(low + rng.integers(1, size + 1, (n, m)), size).astype(
        float
    )


@given(boxes())
def test_the_volume_is_the_number_of_cells_that_some_box_covers(corners):
    assert union_volume(*corners) == painted(*corners)


def test_two_squares_that_share_a_corner_cell_cover_seven_cells():
    low, high = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[2.0, 2.0], [3.0, 3.0]])
    assert union_volume(low, high) == 7


def test_copies_of_a_box_cover_no_more_than_the_box():
    low, high = np.zeros((50, 3)), np.full((50, 3), 4.0)
    assert union_volume(low, high) == 64


def test_an_empty_box_covers_nothing():
    assert union_volume(np.array([[2.0, 2.0]]), np.array([[2.0, 5.0]])) == 0


def test_many_boxes_are_compiled_and_give_the_same_as_plain_loops(monkeypatch):
    pytest.importorskip("numba")
    rng = np.random.default_rng(3)
    low = rng.integers(0, 100, (1000, 2)).astype(float)
    high = low + rng.integers(1, 9, (1000, 2))
    compiled = union_volume(low, high)
    monkeypatch.setattr(_compiled, "has_numba", lambda: False)
    assert union_volume(low, high) == compiled == painted(low, high)


def test_a_budget_that_does_not_suffice_gives_no_number():
    rng = np.random.default_rng(3)
    low = rng.integers(0, 100, (200, 2)).astype(float)
    assert np.isnan(union_volume(low, low + 3, 300.0))
    assert union_volume(low, low + 3, 1e6) == painted(low, low + 3)
