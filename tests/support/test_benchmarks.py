"""The one command that measures everything: nothing is left out, and nothing is lost."""

import importlib
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
ROWS = """| job | CPU s | against | CPU s | ratio | goal |
|---|---|---|---|---|---|
| quick | 0.1 | slow | 1 | 0.1 | <= 1 |
| late | 0.5 | 0.3 s | 0.3 | 1.67 | <= 1 |
| long | 2 | base | 1 | 2 | <= 3 s |
| told | 2 | base | 1 | 2 | - |"""


@pytest.fixture
def command(monkeypatch):
    """The modules of the command, which are not installed."""
    monkeypatch.syspath_prepend(str(FOLDER))
    names = ("all", "_parts")
    yield {name: importlib.import_module(name) for name in names}
    for name in names:
        sys.modules.pop(name, None)


def test_every_benchmark_is_a_part_of_the_one_command(command):
    scripts = [part.script for part in command["_parts"].PARTS]
    assert {path.stem for path in FOLDER.glob("bench_*.py")} <= set(scripts)
    assert len(set(scripts)) == len(scripts)
    assert all((FOLDER / f"{script}.py").exists() for script in scripts)


def test_no_section_of_the_results_is_nobodys(command):
    areas = {area for part in command["_parts"].PARTS for area in part.areas}
    found = command["all"].sections(FOLDER / "RESULTS.md")
    known = areas | {command["all"].LAST, *command["all"].RENAMED}
    assert {title.removesuffix(" (small)") for title in found} <= known


def test_goals_that_are_met_are_counted_and_missed_ones_are_named(command):
    said = command["all"]._head({"Some": ROWS})
    assert "2 of 3 goals are met" in said
    assert "| late | Some | 1.67 | <= 1 |" in said
    assert "quick" not in said


def test_rows_against_a_peer_that_is_not_at_hand_are_kept_as_earlier_ones(command, monkeypatch):
    monkeypatch.setattr(command["all"], "PEERS", ("nopeer",))
    old = f"{ROWS}\n| k | 1 | nopeer | 9 | 0.111 | <= 0.2 |\n\nA note."
    found = command["all"]._with_earlier(f"{ROWS}\n\nAnother note.", old)
    row = "| k (earlier run) | 1 | nopeer | 9 | 0.111 | <= 0.2 |"
    assert found == f"{ROWS}\n{row}\n\nAnother note."
    assert command["all"]._with_earlier(ROWS, found) == found


def test_what_a_part_lacks_is_said_instead_of_a_failure(command, monkeypatch):
    monkeypatch.delenv("VERIKIT_DATASETS", raising=False)
    part = command["_parts"].Part("x", ("X",), needs=("data:adult",))
    assert part.lacking() == "VERIKIT_DATASETS names no folder with adult"
    assert command["_parts"].Part("x", ("X",), needs=("no_such_module",)).lacking() != ""
    assert command["_parts"].Part("x", ("X",), needs=("numpy",)).lacking() == ""


def test_the_sections_of_a_file_come_back_by_title(command, tmp_path):
    path = tmp_path / "r.md"
    path.write_text("# Head\n\nSaid.\n\n## One\n\na\n\n## Two\n\nb\n", encoding="utf-8")
    assert command["all"].sections(path) == {"One": "a", "Two": "b"}
    assert command["all"].sections(tmp_path / "none.md") == {}
