from collections import Counter

import numpy as np
import pytest

from verikit.lattice import datafly


def climb(data, k, allowed, truth):
    """The steps of the paper, with a list of frequencies counted anew at every step."""
    heights = [column.hierarchy.height for column in data.schema.quasi]
    node, visited = (0,) * len(heights), []
    while True:
        visited.append(node)
        frequencies = Counter(truth[node][2])
        if sum(size for size in frequencies.values() if size < k) <= allowed:
            return visited
        distinct = [len(set(cells)) for cells in zip(*frequencies, strict=True)]
        able = [place for place, level in enumerate(node) if level < heights[place]]
        widest = max(able, key=lambda place: (distinct[place], -place))
        node = tuple(level + (place == widest) for place, level in enumerate(node))


@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "with missing values"])
def test_datafly_goes_the_way_of_the_paper(exhaustive, gaps):
    for data, k, _, truth in exhaustive(150, gaps=gaps):
        found = datafly(data, k=k, missing="own value")
        assert [step.node for step in found.trail] == climb(data, k, k, truth)
        assert [step.verdict for step in found.trail[:-1]] == ["unsafe"] * (len(found.trail) - 1)
        assert found.trail[-1].verdict == "safe"
        assert found.trail[-1].node == found.node


def test_a_share_may_replace_the_papers_allowance_of_k_records(exhaustive):
    for data, k, share, truth in exhaustive(100, first=300):
        found = datafly(data, k=k, suppression=share)
        assert [step.node for step in found.trail] == climb(data, k, share * len(data), truth)


def test_without_complement_exactly_the_small_classes_are_suppressed(exhaustive):
    for data, k, share, truth in exhaustive(100):
        found = datafly(data, k=k, suppression=share, complementary=False)
        classes = truth[found.node][2]
        sizes = Counter(classes)
        small = [place for place, cells in enumerate(classes) if sizes[cells] < k]
        assert found.suppressed.tolist() == small


def test_with_complement_none_or_at_least_k_records_are_suppressed_by_whole_classes(exhaustive):
    needed = 0
    for data, k, share, truth in exhaustive(200):
        found = datafly(data, k=k, suppression=share)
        assert not 0 < len(found.suppressed) < k
        classes = truth[found.node][2]
        hidden = {classes[place] for place in found.suppressed}
        assert set(found.suppressed) == {i for i, c in enumerate(classes) if c in hidden}
        sizes = Counter(classes)
        needed += any(sizes[cells] >= k for cells in hidden)
        kept = [sizes[cells] for cells in set(classes) - hidden]
        assert not hidden or not kept or max(sizes[c] for c in hidden) <= min(kept)
    assert needed > 10


def test_the_first_of_equally_wide_columns_is_generalized(table2):
    """Race and Zip have three values each; Race stands first."""
    found = datafly(table2, k=2)
    assert [step.node for step in found.trail] == [(0, 0), (1, 0)]
    assert found.trail[0].reason == "Race has the most values"


def test_the_smallest_class_hides_a_single_record(table2):
    """94123 stands alone; of the two pairs the first, 94122, joins it."""
    suppressed = datafly(table2, k=2).suppressed
    assert table2.frame["Zip"].astype(str).to_numpy()[suppressed].tolist() == [
        "94123", "94122", "94122",
    ]  # fmt: skip
    assert np.array_equal(datafly(table2, k=2, complementary=False).suppressed, [0])
