"""The suite that other checkers are held to: what was written says, opened again, the same."""

import importlib
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import verikit as vk

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
pytestmark = pytest.mark.skipif(
    not (BENCHMARKS / "conformance.py").is_file(), reason="the benchmarks are not beside the tests"
)


def test_a_suite_holds_releases_records_and_what_is_said_of_them(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    suite = importlib.import_module("conformance")
    suite.write_suite(tmp_path, 2)
    folders = sorted(tmp_path.glob("*/*"))
    assert len(folders) == 2 * len(suite.KINDS)
    for folder in folders:
        release = vk.open_release(folder / "release")
        asked = json.loads((folder / "record.json").read_text(encoding="utf-8"))
        case = SimpleNamespace(release=release, record=asked["record"], question=asked["options"])
        said = json.loads(json.dumps(suite.expected(case)))
        assert said == json.loads((folder / "answer.json").read_text(encoding="utf-8")), folder
    for name in ("conformance", "page_cases", "page_file_cases"):
        sys.modules.pop(name, None)
