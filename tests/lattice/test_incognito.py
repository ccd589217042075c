from itertools import combinations

import pytest

from verikit.lattice import classify, incognito


@pytest.mark.parametrize("gaps", [False, True], ids=["complete", "with missing values"])
def test_incognito_finds_exactly_the_safe_nodes(exhaustive, gaps):
    for data, k, share, truth in exhaustive(200, gaps=gaps):
        found = incognito(data, k=k, suppression=share, missing="own value")
        safe = {node for node, (short, _, _) in truth.items() if short <= share * len(data)}
        assert set(found.safe) == safe
        table = classify(data, k=k, suppression=share, missing="own value")
        assert found.safe == table.safe
        assert found.minimal == table.minimal


def test_it_chooses_the_cheapest_minimal_node(exhaustive):
    for data, k, share, truth in exhaustive(100):
        found = incognito(data, k=k, suppression=share)
        assert found.node in found.minimal
        assert found.cost == min(truth[node][1] for node in found.minimal)


def test_it_visits_every_node_of_every_set_of_columns_once(exhaustive):
    for data, k, share, _ in exhaustive(40):
        found = incognito(data, k=k, suppression=share)
        heights = {column.name: column.hierarchy.height for column in data.schema.quasi}
        visited = [(step.columns, step.node) for step in found.trail]
        assert len(visited) == len(set(visited))
        for size in range(1, len(heights) + 1):
            for columns in combinations(heights, size):
                nodes = [node for names, node in visited if names == columns]
                assert [sum(node) for node in nodes] == sorted(map(sum, nodes))
                expected = 1
                for name in columns:
                    expected *= heights[name] + 1
                assert len(nodes) == expected


def test_it_counts_no_node_whose_verdict_follows_from_another(exhaustive):
    """Above a safe node nothing is counted, nor where fewer columns are unsafe already."""
    pruned = set()
    for data, k, share, _ in exhaustive(100):
        steps = incognito(data, k=k, suppression=share).trail
        verdicts = {(step.columns, step.node): step for step in steps}
        for step in steps:
            below = [
                verdicts[step.columns, (*step.node[:i], level - 1, *step.node[i + 1 :])]
                for i, level in enumerate(step.node)
                if level
            ]
            implied = any(b.verdict == "safe" or b.reason == "a child is safe" for b in below)
            assert implied == (step.reason == "a child is safe")
            pruned.add(step.reason)
            assert (step.short is None) == (step.verdict == "pruned")
    assert pruned == {"", "a child is safe", "unsafe for fewer columns"}


def test_the_growth_over_the_survey_table_is_as_worked_out_by_hand(table2):
    """k=2: Black stands alone among the races, 94123 among the codes; together <1, 1> is safe."""
    trail = [(step.columns, step.node, step.verdict) for step in incognito(table2, k=2).trail[:9]]
    assert trail == [
        (("Race",), (0,), "unsafe"), (("Race",), (1,), "safe"),
        (("Zip",), (0,), "unsafe"), (("Zip",), (1,), "safe"),
        *((("Zip",), (level,), "pruned") for level in range(2, 6)),
        (("Race", "Zip"), (0, 0), "pruned"),
    ]  # fmt: skip
