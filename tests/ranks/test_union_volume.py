"""The exact volume of unions of boxes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from verikit.ranks._union_volume import union_volumes


def union_volume(low, high, budget=np.inf):
    return union_volumes(low, high, np.zeros(len(low), int), budget)[0]


def painted(low, high):
    """The same volume by painting every unit cell."""
    size = int(high.max())
    cells = np.zeros((size,) * low.shape[1], bool)
    for start, end in zip(low.astype(int), high.astype(int), strict=True):
        cells[tuple(map(slice, start, end))] = True
    return cells.sum()


@st.composite
def boxes(draw, most=4, least=1):
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    m = draw(st.integers(least, most))
    n, size = draw(st.integers(1, 60)), draw(st.integers(2, (60, 40, 16, 9)[m - 1]))
    low = rng.integers(0, size, (n, m))
    return low.astype(float), np.minimum(low + rng.integers(1, size + 1, (n, m)), size).astype(
        float
    )


@given(boxes())
def test_the_volume_is_the_number_of_cells_that_some_box_covers(corners):
    assert union_volume(*corners) == painted(*corners)


@given(st.lists(boxes(2, 2), min_size=1, max_size=5))
def test_several_unions_are_each_measured_as_if_alone(several):
    low, high = (np.concatenate(part) for part in zip(*several, strict=True))
    union = np.repeat(np.arange(len(several)), [len(part) for part, _ in several])
    assert union_volumes(low, high, union).tolist() == [painted(*one) for one in several]


def test_two_squares_that_share_a_corner_cell_cover_seven_cells():
    low, high = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([[2.0, 2.0], [3.0, 3.0]])
    assert union_volume(low, high) == 7


def test_copies_of_a_box_cover_no_more_than_the_box():
    low, high = np.zeros((50, 3)), np.full((50, 3), 4.0)
    assert union_volume(low, high) == 64


def test_an_empty_box_covers_nothing():
    assert union_volume(np.array([[2.0, 2.0]]), np.array([[2.0, 5.0]])) == 0


def test_many_boxes_in_two_piles_give_the_same_as_in_one(monkeypatch):
    rng = np.random.default_rng(3)
    low = rng.integers(0, 100, (1000, 2)).astype(float)
    high = low + rng.integers(1, 9, (1000, 2))
    monkeypatch.setattr("verikit.ranks._union_volume.MANY", 100)
    assert union_volume(low, high) == painted(low, high)


def test_a_budget_that_does_not_suffice_gives_no_number():
    rng = np.random.default_rng(3)
    low = rng.integers(0, 100, (200, 2)).astype(float)
    assert np.isnan(union_volume(low, low + 3, 300.0))
    assert union_volume(low, low + 3, 1e6) == painted(low, low + 3)
