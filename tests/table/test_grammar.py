"""The document of the grammar says what the rules say, and its examples are read so."""

import io
import json
import re
import runpy
from pathlib import Path

import pytest

import verikit as vk
from verikit._support.rules import RULES
from verikit.values.dates import date_text

HOUSE = Path(__file__).resolve().parents[2]
DOCUMENT, CASES = HOUSE / "docs" / "reading.md", HOUSE / "benchmarks" / "reading_cases.py"
pytestmark = pytest.mark.skipif(not DOCUMENT.exists(), reason="the documents are not at hand")


def examples():
    text = DOCUMENT.read_text(encoding="utf-8")
    pairs = re.findall(r"```csv\n(.*?)```\s+```json\n(.*?)```", text, re.DOTALL)
    assert len(pairs) == text.count("```csv") >= 5
    return [(file.encode(), json.loads(wanted)) for file, wanted in pairs]


def test_the_examples_are_read_as_they_say():
    for file, wanted in examples():
        data = vk.read(io.BytesIO(file))
        found = {}
        for column in data.schema:
            values = data.frame[column.name].tolist()
            values = [None if one != one else one for one in values]
            found[column.name] = [*map(date_text, values)] if column.dated else values
        assert found == wanted


def test_the_page_reads_the_examples_alike():
    if not CASES.exists():
        pytest.skip("the benchmarks are not beside the tests")
    pytest.importorskip("verikit.page", reason="no room of pages")
    cases = runpy.run_path(str(CASES))
    if cases["NODE"] is None:
        pytest.skip("no node on the path, which runs the page's program")
    files = [file for file, _ in examples()]
    for file, page in zip(files, cases["by_page"](files), strict=True):
        assert cases["difference"](cases["by_python"](file), page) == ""


def test_each_name_and_number_in_it_is_one_of_the_rules():
    text = re.sub(r"```.*?```", "", DOCUMENT.read_text(encoding="utf-8"), flags=re.DOTALL)
    rules = {**RULES, **RULES["limits"], **RULES["cells"], **RULES["parts"]}
    said = dict(re.findall(r"`(\w+)` \(`?([^)`]+)`?\)", text))
    assert {name: said[name] for name in said if name in RULES["limits"]} == {
        name: str(value) for name, value in RULES["limits"].items()
    }
    assert said["separators"].encode().decode("unicode_escape") == RULES["separators"]
    named = set(re.findall(r"`([a-z]+_[a-z_]+)`", text)) | (said.keys() & rules.keys())
    assert {"nearly_all", "in_quotes", "year_first"} <= named
    assert named <= rules.keys()
    marks = re.search(r"missing if it is empty, (.*?) \(`missing`\)", text)
    assert set(re.findall(r"`(\w+)`", marks[1])) == set(RULES["missing"]) - {""}
