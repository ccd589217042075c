"""Where 18 of 100 incomes are missing everybody is answered, and what is claimed holds."""

import importlib.util
from pathlib import Path

import pytest

FILE = Path(__file__).resolve().parents[2] / "benchmarks" / "missing_incomes.py"
if not FILE.exists():
    pytest.skip("the benchmarks are not here", allow_module_level=True)


@pytest.fixture(scope="module")
def simulation():
    described = importlib.util.spec_from_file_location("missing_incomes", FILE)
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    return module


@pytest.mark.parametrize("way", ["at random", "high incomes"])
def test_everybody_is_answered_and_claims_hold_whatever_incomes_are_missing(simulation, way):
    found = simulation.figures(way, releases=2, outsiders=30)
    assert found["people"] == 60
    assert found["answered"] == found["people"]
    assert found["warned"] <= simulation.most(found["people"])
    assert found["held"] == found["questions"]


def test_high_incomes_are_the_ones_that_are_missing(simulation):
    rng = simulation.np.random.default_rng(1)
    table = simulation.people(1000, rng)
    held = simulation.without(table, "high incomes", rng)["income"]
    assert held.isna().mean() == 0.18
    assert table["income"][held.isna()].mean() > 1.5 * table["income"][held.notna()].mean()
