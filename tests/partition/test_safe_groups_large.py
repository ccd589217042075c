"""Safe groups of the author-paper graph of a whole field, where it is at hand."""

import pandas as pd
import pytest

import verikit as vk
from verikit.models import safe_grouping
from verikit.partition import safe_groups


@pytest.fixture(scope="module")
def graph(datasets_dir):
    links = pd.read_csv(datasets_dir / "acl-author-paper" / "edges.csv.gz")
    return vk.BipartiteGraph.of(links[["author", "paper"]])


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_strict_safe_grouping_of_a_whole_field_is_found(graph, side):
    found = safe_groups(graph, side, 10, strict=True, seed=1)
    verdict = safe_grouping(graph, side, found)
    assert (verdict.safe, verdict.strict, verdict.size) == (True, True, 10)
