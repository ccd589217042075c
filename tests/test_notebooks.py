"""Notebooks keep one shape: what one will be able to do, the paper's numbers, where it errs."""

import ast
import json
import re
from functools import cache
from pathlib import Path

import nbformat
import pytest

from verikit import papers
from verikit._support.resources import notebooks_dir

APP = "check_your_record_app"
NOTEBOOKS = {
    str(path.relative_to(notebooks_dir()).with_suffix("")): path
    for path in sorted(notebooks_dir().rglob("*.ipynb"))
    if ".ipynb_checkpoints" not in path.parts
}
TAG = "nbval-check-output"
every = pytest.mark.parametrize("name", NOTEBOOKS)
every_walk = pytest.mark.parametrize("name", [name for name in NOTEBOOKS if name != APP])


@cache
def notebook(name):
    return nbformat.read(NOTEBOOKS[name], as_version=4)


def cells(name, kind):
    return [cell for cell in notebook(name).cells if cell.cell_type == kind]


def code(name):
    return [(cell, ast.parse(cell.source)) for cell in cells(name, "code")]


def prose(name):
    return "\n\n".join(cell.source for cell in cells(name, "markdown"))


def is_exercise(name):
    return name.startswith("exercises")


def test_the_template_and_the_page_of_the_app_are_there():
    assert {"_template", "00_start", APP} <= set(NOTEBOOKS)


@every
def test_the_file_is_valid_and_every_cell_has_a_name_of_its_own(name):
    content = notebook(name)
    nbformat.validate(content)
    assert (content.nbformat, content.nbformat_minor) >= (4, 5)
    ids = [cell.id for cell in content.cells]
    assert len(set(ids)) == len(ids)
    assert content.metadata.kernelspec.name == "python3"


@every
def test_no_state_of_widgets_and_no_file_is_stored(name):
    text = NOTEBOOKS[name].read_text(encoding="utf-8")
    assert "widgets" not in notebook(name).metadata
    assert "application/vnd.jupyter.widget" not in text
    assert not any(cell.get("attachments") for cell in notebook(name).cells)
    assert json.loads(text)["metadata"].keys() <= {"kernelspec", "language_info", "title"}


@every
def test_outputs_are_stored_where_they_are_compared_and_nowhere_else(name):
    for cell in cells(name, "code"):
        tagged = TAG in cell.metadata.get("tags", ())
        assert bool(cell.outputs) == tagged, cell.source
        assert (cell.execution_count is not None) == tagged, cell.source


@every
def test_stored_outputs_are_text_and_tell_neither_time_nor_place(name):
    for cell in cells(name, "code"):
        for output in cell.outputs:
            assert output.output_type in {"stream", "execute_result"}, cell.source
            text = output.get("text") or output.data["text/plain"]
            assert set(output.get("data", {})) <= {"text/plain"}, cell.source
            assert not re.search(r"0x[0-9a-f]{6}|/home/|/tmp/|np\.(int|float)", text), text


@every_walk
def test_the_first_cell_is_the_only_title_and_says_what_one_will_be_able_to_do(name):
    first = notebook(name).cells[0]
    assert first.cell_type == "markdown"
    assert first.source.startswith("# ")
    assert re.search(r"After this notebook you can\**\n\n(- .+\n?){2,}", first.source)
    assert len(re.findall(r"^# ", prose(name), re.MULTILINE)) == 1


@every_walk
def test_imports_come_next_and_only_there(name):
    (_, imports), *others = code(name)
    assert notebook(name).cells[1].cell_type == "code"
    kinds = (ast.Import, ast.ImportFrom)
    assert all(isinstance(node, kinds) for node in imports.body)
    for _, tree in others:
        assert not any(isinstance(node, kinds) for node in ast.walk(tree)), ast.unparse(tree)


@every
def test_nothing_is_defined_outside_exercises_and_cells_are_short(name):
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for cell, tree in code(name):
        assert len(cell.source.splitlines()) <= 12, cell.source
        assert is_exercise(name) or not any(isinstance(node, kinds) for node in ast.walk(tree))


@every
def test_code_uses_public_names_only(name):
    for _, tree in code(name):
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute):
                assert not re.match(r"_(?!_)", node.attr), ast.unparse(node)
            if isinstance(node, ast.ImportFrom):
                assert not any(part.startswith("_") for part in node.module.split(".")), node.module


@every_walk
def test_the_last_cell_sums_up_and_says_where_the_paper_and_we_differ(name):
    last = notebook(name).cells[-1]
    assert last.cell_type == "markdown"
    assert "Where the paper and we differ" in last.source


@every_walk
def test_every_fact_that_is_named_is_a_fact_of_a_paper(name):
    known = {fact.id for key in papers.PAPERS for fact in papers.facts(key)}
    named = re.findall(r"^\| ((?:[A-Z]+-?\d+(?:, )?)+) \|", prose(name), re.MULTILINE)
    named = {fact for row in named for fact in row.split(", ")}
    assert named <= known
    assert named or is_exercise(name), "no row of the last table names a fact"


@every
def test_pictures_in_the_text_have_words_for_those_who_cannot_see_them(name):
    text = prose(name)
    assert all(words.strip() for words in re.findall(r"!\[(.*?)\]\(", text))
    assert all(re.search(r'alt="[^"]+"', tag) for tag in re.findall(r"<img\b.*?>", text, re.DOTALL))


@every
def test_links_lead_to_notebooks_that_are_there(name):
    folder = NOTEBOOKS[name].parent
    for target in re.findall(r"\]\(([^)#]+\.ipynb)\)", prose(name)):
        assert (folder / Path(target)).is_file(), target
