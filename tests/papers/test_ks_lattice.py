"""What the survey prints, or says, about generalization (section 2), recomputed."""

import pytest

import verikit as vk
from verikit import lattice


@pytest.fixture
def table2():
    return vk.load("ks_table2_unmasked")


@pytest.mark.parametrize(
    "search", [lattice.samarati, lattice.incognito, lattice.k_optimize], ids=lambda f: f.__name__
)
def test_table_2_needs_one_level_of_both_columns_for_pairs(table2, search):
    assert search(table2, k=2).levels == {"Race": 1, "Zip": 1}


def test_table_2_needs_one_level_of_either_column_if_one_record_may_be_suppressed(table2):
    found = lattice.samarati(table2, k=2, suppression=0.2)
    assert found.minimal == ((0, 1), (1, 0))
    assert lattice.incognito(table2, k=2, suppression=0.2).minimal == ((0, 1), (1, 0))


def test_the_node_that_figure_2_calls_black_94_leaves_the_only_black_record_alone(table2):
    """<0, 3> keeps the race: safe only if one record, the Black one, is suppressed."""
    assert not lattice.classify(table2, k=2).verdicts[0, 3]
    assert lattice.classify(table2, k=2, suppression=0.2).verdicts[0, 3]
    release, _ = vk.mask.generalize(table2, levels={"Race": 0, "Zip": 3}, suppress=2, seed=1)
    assert sorted(map(tuple, release.frame.astype(str).to_numpy())) == [
        ("Asian", "94***"), ("Asian", "94***"), ("Person", "*****"),
        ("White", "94***"), ("White", "94***"),
    ]  # fmt: skip


def test_datafly_on_table_2_suppresses_one_record_and_two_more_to_hide_it(table2):
    """Samarati, with the same record allowed, suppresses just the one."""
    assert lattice.datafly(table2, k=2).levels == {"Race": 1, "Zip": 0}
    assert len(lattice.datafly(table2, k=2, complementary=False).suppressed) == 1
    assert len(lattice.datafly(table2, k=2).suppressed) == 1 + 2
    assert len(lattice.samarati(table2, k=2, suppression=0.2).suppressed) == 1


def test_the_right_half_of_table_3_is_the_left_one_on_level_1():
    printed = vk.published("ks_table3_generalized")
    release, key = vk.mask.generalize(vk.load("ks_table3"), levels={"Race": 1}, seed=1)
    in_order = release.frame.take(key.rows).reset_index(drop=True)
    assert in_order.astype(str).equals(printed.frame.astype(str))
    assert release.parameters["levels"] == printed.parameters["levels"]


def test_no_node_of_any_lattice_could_give_table_1():
    """Its birth column shows a year, a decade and a century: levels differ from row to row."""
    births = sorted(map(str, vk.published("ks_table1").frame["DOB"].unique()))
    assert births == ["198*", "1991", "20**"]
    years = vk.Hierarchy.prefixes(["1984", "1991", "2001"])
    levels = {
        level for birth in births for level in range(years.height + 1)
        if birth in {years.level(year, level) for year in years.levels}
    }  # fmt: skip
    assert levels == {0, 1, 2}


def test_what_is_safe_for_two_columns_is_safe_for_each_alone(table2):
    """The subset property of section 2.4, at every node."""
    for k in (1, 2, 3):
        for race, code in lattice.classify(table2, k=k).safe:
            for name, level in (("Race", race), ("Zip", code)):
                other = "Zip" if name == "Race" else "Race"
                alone = vk.Microdata(table2.frame, table2.schema.with_column(other, role="other"))
                assert lattice.classify(alone, k=k).verdicts[level]


def test_mondrian_tells_more_people_apart_than_any_choice_of_whole_levels(datasets_dir):
    """Section 2.5, on 30,162 people: even against the cheapest node of all, suppressing or not."""
    data = vk.datasets.adult(datasets_dir / "adult", datasets_dir / "adult-hierarchies")
    sizes = vk.partition.mondrian(data, k=10).sizes
    for share in (0, 0.05):
        assert (sizes**2).sum() < lattice.k_optimize(data, k=10, suppression=share).cost / 10
