"""TEACHING.md speaks of what there is: notebooks, sections, exercises, commands."""

import re
from pathlib import Path

import pytest

from verikit._support.resources import notebooks_dir
from verikit.cli._main import make_parser
from verikit.exercises import EXERCISES, start
from verikit.teach import slides

FILE = Path(__file__).resolve().parents[2] / "TEACHING.md"
TEXT = FILE.read_text(encoding="utf-8") if FILE.is_file() else ""
GUIDED = sorted(p.stem for p in notebooks_dir().glob("[0-9]*.ipynb"))
pytestmark = pytest.mark.skipif(not TEXT, reason="only a checkout holds TEACHING.md")


def sections(name):
    text = (notebooks_dir() / f"{name}.ipynb").read_text(encoding="utf-8")
    return {int(n) for n in re.findall(r'"## (\d+) ·', text)}


def test_every_exercise_that_is_named_exists():
    named = set(re.findall(r"\b[a-z]{2}-\d\d\b", TEXT))
    assert named <= set(EXERCISES)
    assert len(named) > 50


def test_each_guided_notebook_has_a_line_with_three_misconceptions_and_what_to_skip():
    lines = [line for line in TEXT.splitlines() if re.match(r"\| \d\d_\w+ \|", line)]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert sorted(row[0] for row in cells) == GUIDED
    for name, beliefs, caught, skip in cells:
        assert len(beliefs.split(";")) == 3, name
        assert len(caught.split(",")) == 3, name
        assert skip


def test_every_notebook_and_section_that_a_plan_names_is_there():
    plans = TEXT[TEXT.index("## Plans") : TEXT.index("## Notebook by notebook")]
    named = re.findall(r"\b(\d\d_\w+)(?: \(([\d, -]+)\))?", plans)
    assert {name for name, _ in named} <= set(GUIDED)
    for name, told in named:
        ends = [part.strip().split("-") for part in told.split(",") if part.strip()]
        assert {int(end) for pair in ends for end in pair} <= sections(name), name


def test_the_one_session_lasts_ninety_minutes():
    plan = TEXT[TEXT.index("### One session") : TEXT.index("### Four sessions")]
    assert sum(map(int, re.findall(r"^\| (\d+) \|", plan, re.MULTILINE))) == 90


def test_every_verikit_command_in_it_is_one():
    commands = re.findall(r"^verikit (.+)$", TEXT, re.MULTILINE)
    assert len(commands) >= 6
    for command in commands:
        make_parser().parse_args(command.split())


def test_the_exam_has_twenty_items_that_can_be_printed():
    blocks = re.findall(r"```python\n(.+?)```", TEXT, re.DOTALL)
    names = re.findall(r"[a-z]{2}-\d\d", blocks[0])
    assert len(set(names)) == 20
    for name in names:
        assert str(start(name, student="exam 2027 A")).startswith(f"{name} · ")


def test_slides_of_a_notebook_are_one_page_that_asks_nothing_from_outside(tmp_path):
    pytest.importorskip("nbconvert", reason="verikit[jupyter] brings nbconvert")
    page = tmp_path / "slides.html"
    assert slides("01_k_anonymity", page) == 1 + 7 + 1 + 3
    text = page.read_text(encoding="utf-8")
    assert text.count("<section>") == 12
    assert not re.search(r'(src|href)="(https?:)?//|@import|url\(', text)


def test_a_prediction_is_asked_on_a_slide_and_answered_on_the_next(tmp_path):
    pytest.importorskip("nbconvert", reason="verikit[jupyter] brings nbconvert")
    page = tmp_path / "slides.html"
    slides("13_intruder", page)
    shown = page.read_text(encoding="utf-8").split("<section>")
    (asked,) = [
        at for at, text in enumerate(shown) if "how many of these matches are" in text.lower()
    ]
    assert "<li>16</li>" in shown[asked]
    assert "So many would luck give" not in shown[asked]
    assert "one match, and right: 6" not in shown[asked]
    assert "one match, and right: 6" in shown[asked + 1]
    assert "Predict(" not in "".join(shown)


def test_what_stands_above_a_heading_stays_on_the_slide_before(tmp_path):
    pytest.importorskip("nbconvert", reason="verikit[jupyter] brings nbconvert")
    nbformat = pytest.importorskip("nbformat")
    cells = [nbformat.v4.new_markdown_cell(text) for text in ("# One", "above\n\n## Two\n\nbelow")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "own.ipynb")
    assert slides(tmp_path / "own.ipynb", tmp_path / "own.html") == 2
    one, two = (tmp_path / "own.html").read_text(encoding="utf-8").split("<section>")[1:]
    assert "above" in one
    assert "above" not in two
    assert "below" in two


def test_tags_begin_slides_leave_cells_out_and_make_notes(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    cells = [
        nbformat.v4.new_markdown_cell("# One"),
        nbformat.v4.new_markdown_cell("left out", metadata={"tags": ["skip"]}),
        nbformat.v4.new_code_cell("two = 2", metadata={"tags": ["slide"]}),
        nbformat.v4.new_markdown_cell("spoken", metadata={"slideshow": {"slide_type": "notes"}}),
    ]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "own.ipynb")
    assert slides(tmp_path / "own.ipynb", tmp_path / "own.html") == 2
    text = (tmp_path / "own.html").read_text(encoding="utf-8")
    assert "left out" not in text
    assert re.search(r"<aside>.*spoken.*</aside>", text, re.DOTALL)
