import pandas as pd
import pytest

import verikit as vk
from verikit.lattice import classify


@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "with missing values"])
def test_every_verdict_is_that_of_counting_every_node(exhaustive, gaps):
    for data, k, share, truth in exhaustive(200, gaps=gaps):
        found = classify(data, k=k, suppression=share, missing="own value")
        allowed = share * len(data)
        safe = {node for node, (short, _, _) in truth.items() if short <= allowed}
        assert set(found.safe) == safe
        assert {node for node in truth if found.verdicts[node]} == safe
        assert set(found.minimal) == {
            node for node in safe if not safe & set(found.lattice.children(node))
        }


def test_the_trail_tells_which_nodes_were_counted_and_what_was_found(exhaustive):
    for data, k, share, truth in exhaustive(50, first=500):
        found = classify(data, k=k, suppression=share)
        assert len({step.node for step in found.trail}) == len(found.trail) <= len(truth)
        for step in found.trail:
            assert step.short in (None, truth[step.node][0])
            assert (step.verdict == "safe") == bool(found.verdicts[step.node])
            assert step.short is not None or "alone leave" in step.reason


def test_without_suppression_a_top_of_one_class_is_safe_up_to_the_whole_table(table2):
    assert classify(table2, k=5).safe == ((1, 1), (1, 2), (1, 3), (1, 4), (1, 5))
    assert classify(table2, k=1).verdicts.all()


def test_the_verdicts_cannot_be_changed(table2):
    with pytest.raises(ValueError, match="read-only"):
        classify(table2, k=2).verdicts[0, 0] = True


def test_a_share_is_counted_exactly():
    """0.29 of 100 records are 29, though 0.29 * 100 is a little less in floating point."""
    values = ["a"] * 29 + ["b"] * 71
    tree = vk.Hierarchy.of({"*": ["a", "b"]})
    frame = vk.Microdata(
        pd.DataFrame({"Q": values}),
        vk.Schema((vk.Column("Q", "quasi", "nominal", tree),)),
    )
    assert classify(frame, k=30, suppression=0.29).safe == ((0,), (1,))
    assert classify(frame, k=30, suppression=0.28).safe == ((1,),)


class TestAdult:
    """The whole lattice of the eight quasi-identifiers of 30,162 people, at k=10."""

    @pytest.fixture(scope="class")
    @staticmethod
    def adult(datasets_dir):
        return vk.datasets.adult(datasets_dir / "adult", datasets_dir / "adult-hierarchies")

    @pytest.mark.parametrize(("share", "safe", "counts"), [(0, 50, 110), (0.05, 1937, 1750)])
    def test_all_6480_nodes_are_classified_by_few_counts(self, adult, share, safe, counts):
        found = classify(adult, k=10, suppression=share)
        assert len(found.lattice) == found.verdicts.size == 6480
        assert int(found.verdicts.sum()) == len(found.safe) == safe
        assert len(found.trail) <= counts

    def test_verdicts_agree_with_plain_counts_at_the_border(self, adult):
        """Three minimal nodes and their children, counted with pandas."""
        found = classify(adult, k=10, suppression=0.05)
        for node in found.minimal[:: len(found.minimal) // 3]:
            for near in (node, *found.lattice.children(node)):
                assert (short_by_pandas(adult, near) <= 1508) == bool(found.verdicts[near])


def short_by_pandas(data, node, k=10):
    cells = pd.DataFrame(
        {
            column.name: data.frame[column.name]
            .astype(str)
            .map({value: path[level] for value, path in column.hierarchy.levels.items()})
            for column, level in zip(data.schema.quasi, node, strict=True)
        }
    )
    sizes = cells.value_counts()
    return sizes[sizes < k].sum()
