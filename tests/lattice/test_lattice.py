import numpy as np
import pandas as pd
import pytest

import verikit as vk
from verikit.lattice import Lattice


@pytest.fixture
def lattice():
    return Lattice(("Age", "Sex", "Zip"), (2, 1, 3))


def test_a_lattice_has_a_node_for_every_choice_of_levels(lattice):
    assert len(lattice) == 3 * 2 * 4
    assert sorted(lattice) == sorted(
        (a, s, z) for a in range(3) for s in range(2) for z in range(4)
    )


def test_nodes_come_lowest_first(lattice):
    heights = [sum(node) for node in lattice]
    assert heights == sorted(heights)
    assert next(iter(lattice)) == lattice.bottom == (0, 0, 0)
    assert list(lattice)[-1] == lattice.top == (2, 1, 3)


def test_the_nodes_of_all_heights_are_all_nodes_in_the_same_order(lattice):
    by_height = [node for height in range(lattice.height + 1) for node in lattice.at(height)]
    assert by_height == list(lattice)
    assert lattice.at(-1) == lattice.at(lattice.height + 1) == ()


def test_a_parent_is_one_level_up_in_one_column_and_has_the_node_as_child(lattice):
    for node in lattice:
        for parent in lattice.parents(node):
            assert sum(np.subtract(parent, node)) == 1
            assert parent in lattice
            assert node in lattice.children(parent)
    assert lattice.parents(lattice.top) == ()
    assert lattice.children(lattice.bottom) == ()


def test_levels_by_column_and_nodes_lead_to_each_other(lattice):
    assert lattice.levels((1, 0, 3)) == {"Age": 1, "Sex": 0, "Zip": 3}
    assert lattice.node({"Zip": 3, "Age": np.int64(1), "Sex": 0}) == (1, 0, 3)


@pytest.mark.parametrize("node", [(3, 0, 0), (0, 0), (0, -1, 0), [0, 0, 0], (0.5, 0, 0)])
def test_what_names_no_node_is_not_in_the_lattice(lattice, node):
    assert node not in lattice


@pytest.mark.parametrize("level", [4, -1, 1.0, True, "1", None])
def test_a_level_that_does_not_exist_is_refused_with_those_that_do(lattice, level):
    with pytest.raises(vk.RecordError, match=r"level of 'Zip' was given .* from 0 to 3"):
        lattice.node({"Age": 0, "Sex": 0, "Zip": level})


def test_levels_must_name_each_column_and_no_other(lattice):
    with pytest.raises(vk.SchemaError, match="lack 'Sex', 'Zip' and name 'Height' besides"):
        lattice.node({"Age": 0, "Height": 1})


def test_only_nodes_without_a_child_in_the_set_are_minimal(lattice):
    safe = frozenset({(2, 1, 3), (1, 1, 3), (2, 0, 3), (2, 1, 1)})
    assert set(lattice.minimal(safe)) == {(1, 1, 3), (2, 0, 3), (2, 1, 1)}


def test_a_lattice_needs_a_height_for_each_column():
    with pytest.raises(vk.SchemaError, match="needs a height from 0 up for each column"):
        Lattice(("Age", "Sex"), (1,))
    with pytest.raises(vk.SchemaError, match="needs a height from 0 up for each column"):
        Lattice(("Age",), (-1,))


def test_the_lattice_of_a_table_has_the_heights_of_its_hierarchies(table2):
    assert Lattice.of(table2) == Lattice(("Race", "Zip"), (1, 5))


def test_quasi_identifiers_without_hierarchy_are_named():
    data = vk.Microdata(pd.DataFrame({"Age": [1, 2], "Sex": ["F", "M"]}))
    with pytest.raises(vk.SchemaError, match="'Age', 'Sex' have no hierarchy"):
        Lattice.of(data)


def test_a_table_without_quasi_identifiers_has_no_lattice():
    data = vk.Microdata(pd.DataFrame({"Age": [1, 2]}), vk.Schema((vk.Column("Age", "sensitive"),)))
    with pytest.raises(vk.SchemaError, match="no quasi-identifier"):
        Lattice.of(data)
