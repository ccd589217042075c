from verikit.lattice import classify, samarati


def test_samarati_finds_all_safe_nodes_of_the_lowest_safe_height(exhaustive):
    for data, k, share, truth in exhaustive(300):
        found = samarati(data, k=k, suppression=share)
        safe = [node for node, (short, _, _) in truth.items() if short <= share * len(data)]
        lowest = min(map(sum, safe))
        assert set(found.minimal) == {node for node in safe if sum(node) == lowest}
        assert set(found.minimal) <= set(classify(data, k=k, suppression=share).safe)


def test_of_those_it_chooses_the_cheapest(exhaustive):
    for data, k, share, truth in exhaustive(100):
        found = samarati(data, k=k, suppression=share)
        assert found.node in found.minimal
        assert found.cost == truth[found.node][1]
        assert found.cost == min(truth[node][1] for node in found.minimal)


def test_it_halves_the_heights_and_counts_no_node_twice(exhaustive):
    for data, k, share, truth in exhaustive(100):
        found = samarati(data, k=k, suppression=share)
        nodes = [step.node for step in found.trail]
        assert len(nodes) == len(set(nodes))
        for step in found.trail:
            assert step.short == truth[step.node][0]
        height = max(map(sum, truth))
        assert len({sum(node) for node in nodes}) <= max(height, 1).bit_length() + 1


def test_the_halving_of_the_survey_table_is_as_worked_out_by_hand(table2):
    """Heights 0..6: node (0, 3) at 3 leaves one Black, (1, 2) is safe; 1 fails; 2 has (1, 1)."""
    trail = [(step.node, step.verdict) for step in samarati(table2, k=2).trail]
    assert trail == [
        ((0, 3), "unsafe"), ((1, 2), "safe"),
        ((0, 1), "unsafe"), ((1, 0), "unsafe"),
        ((0, 2), "unsafe"), ((1, 1), "safe"),
    ]  # fmt: skip
