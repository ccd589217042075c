"""A key by places: whole rows, columns apart, two tables, a graph; and what older files hold."""

import json

import numpy as np
import pytest

import verikit as vk
from verikit.errors import FormatError, RecordError, SchemaError
from verikit.release import Key


def listed(places):
    return {name: part.tolist() for name, part in places.items()}


def test_a_key_says_by_name_where_everything_went():
    key = Key({"": [2, 0, 1], "ill": [1, 0, 2]}, seed=7)
    assert listed(key.places) == {"": [2, 0, 1], "ill": [1, 0, 2]}
    assert key.rows.tolist() == [2, 0, 1]
    assert listed(key.columns) == {"ill": [1, 0, 2]}
    assert len(key) == 3


def test_rows_alone_are_a_key_of_whole_rows():
    for key in (Key.of([1, 0]), Key(np.array([1, 0]))):
        assert listed(key.places) == {"": [1, 0]}
        assert listed(key.columns) == {}


def test_a_key_of_a_graph_has_places_of_its_own_and_no_rows():
    key = Key({"left": [1, 0], "right": [2, 1, 0], "edges": [3, 1, 0, 2]})
    assert listed(key.columns) == {"left": [1, 0], "right": [2, 1, 0], "edges": [3, 1, 0, 2]}
    with pytest.raises(RecordError, match="key of 'left', 'right', 'edges', not of whole rows"):
        _ = key.rows


def test_the_key_of_records_in_another_order_puts_all_places_in_that_order():
    key = Key({"": [2, 0, 1], "ill": [1, 0, 2]}, seed=7).take(np.array([1, 2, 0]))
    assert (listed(key.places), key.seed) == ({"": [0, 1, 2], "ill": [0, 2, 1]}, 7)
    with pytest.raises(RecordError, match="used once"):
        key.take(np.array([0, 0, 1]))


def test_every_place_is_opened_as_it_was_saved(tmp_path):
    saved = Key({"left": [1, 0], "edges": [0, 2, 1]}, seed=7)
    opened = Key.open(saved.save(tmp_path / "key.json"))
    assert (listed(opened.places), opened.seed) == (listed(saved.places), 7)


@pytest.mark.parametrize(
    ("content", "places"),
    [
        ({"rows": [1, 0], "seed": 7}, {"": [1, 0]}),
        ({"rows": [1, 0], "seed": 7, "columns": {}}, {"": [1, 0]}),
        ({"rows": [1, 0], "seed": 7, "columns": {"a": [0, 1]}}, {"": [1, 0], "a": [0, 1]}),
    ],
)
def test_a_file_of_an_older_verikit_is_a_key(content, places, tmp_path):
    (tmp_path / "key.json").write_text(json.dumps(content))
    key = Key.open(tmp_path / "key.json")
    assert (listed(key.places), key.seed) == (places, 7)


@pytest.mark.parametrize(
    "content", [{}, {"places": {}}, {"places": [1, 0]}, {"places": {"": [0, 0]}}, {"places": 7}]
)
def test_a_file_without_places_is_no_key(content, tmp_path):
    (tmp_path / "key.json").write_text(json.dumps(content))
    with pytest.raises(FormatError, match=r"is not a key; expected the file that Key\.save"):
        Key.open(tmp_path / "key.json")


def test_neither_places_nor_their_names_can_be_changed():
    given = {"": np.array([1, 0])}
    key = Key(given)
    given[""][0], given["more"] = 5, np.array([0])
    assert listed(key.places) == {"": [1, 0]}
    with pytest.raises(TypeError):
        key.places["more"] = np.array([0])
    with pytest.raises(ValueError, match="read-only"):
        key.places[""][0] = 5


@pytest.mark.parametrize("places", [{}, {"": [0, 0]}, {"a": ["x"]}, {7: [0]}])
def test_places_that_are_none_are_refused(places):
    with pytest.raises(RecordError, match="A key needs"):
        Key(places)


def test_a_masked_split_release_has_a_key_with_a_place_for_each_column():
    data = vk.load("lhcc_table1")
    groups = vk.partition.diverse(data, ell=4, seed=1)
    _, key = vk.mask.permute_all(data, partition=groups, seed=2)
    assert set(key.places) == {"", "Age", "Sex", "Disease"}
    with pytest.raises(SchemaError, match="Only a release of whole records can be put back"):
        key.undo(vk.published("lhcc_table4"))
