"""Notebooks keep one shape: what one will be able to do, the paper's numbers, where it errs."""

import ast
import itertools
import json
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

import nbformat
import pytest

from verikit import papers
from verikit._support.resources import notebooks_dir
from verikit.exercises import EXERCISES, start
from verikit.page._app import NEEDED

APPS = {"check_your_record_app", "bench_app"}
NOTEBOOKS = {
    str(path.relative_to(notebooks_dir()).with_suffix("")): path
    for path in sorted(notebooks_dir().rglob("*.ipynb"))
    if ".ipynb_checkpoints" not in path.parts
}
TAG = "nbval-check-output"
every = pytest.mark.parametrize("name", NOTEBOOKS)
every_walk = pytest.mark.parametrize("name", [name for name in NOTEBOOKS if name not in APPS])


guided = [name for name in NOTEBOOKS if re.match(r"\d\d_", name)]
every_guided = pytest.mark.parametrize("name", guided)
START = "00_start"


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


every_exercise = pytest.mark.parametrize("name", [name for name in NOTEBOOKS if is_exercise(name)])


def test_the_template_and_the_page_of_the_app_are_there():
    assert {"_template", "00_start", *APPS} <= set(NOTEBOOKS)


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


PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
WANTS = {  # how it shows in the code of a notebook that a package is needed
    "mlxtend": r"rules_kept|associations|RulesView",
    "sqlglot": r"[\"']select |rewrite\(|\bduckdb\b",
    "duckdb": r"rewrite\(.*\)\.run\(|\bduckdb\b|\bscale\.connect",
    "ibis": r"\bscale\.connect",
    "pyarrow": r"parquet",
}


@pytest.mark.parametrize("package", WANTS)
def test_the_doctor_knows_which_notebooks_stop_without_a_package(package):
    found = {
        name
        for name in NOTEBOOKS
        if re.search(WANTS[package], "\n".join(cell.source for cell in cells(name, "code")))
    }
    assert found == set(NEEDED[package][1])


@every
def test_what_a_notebook_needs_comes_with_the_extra_or_is_asked_for_in_its_first_cell(name):
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    told = [*project["dependencies"], *project["optional-dependencies"]["jupyter"]]
    brought = {re.split(r"\W", each)[0] for each in told} | {"verikit", "IPython"}
    wanted = {package for package, (_, names) in NEEDED.items() if name in names}
    for _, tree in code(name):
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                wanted |= {part.name.partition(".")[0] for part in node.names}
            elif isinstance(node, ast.ImportFrom):
                wanted.add(node.module.partition(".")[0])
    missing = wanted - brought - sys.stdlib_module_names
    extras = {NEEDED[package][0] for package in missing}
    assert all(f"verikit[{extra}]" in notebook(name).cells[0].source for extra in extras)
    asked = "".join(cell.source for cell, _ in code(name)[:2])
    assert all(f'"{package}"' in asked for package in missing)


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


def calls(name, function):
    """The calls of a function, by the last part of its name."""
    nodes = [
        node for _, tree in code(name) for node in ast.walk(tree) if isinstance(node, ast.Call)
    ]
    return [node for node in nodes if ast.unparse(node.func).rpartition(".")[2] == function]


@every_guided
def test_three_predictions_or_more_are_asked_for_and_their_answers_are_computed(name):
    predictions = calls(name, "Predict")
    assert len(predictions) >= 3
    for call in predictions:
        given = {word.arg: word.value for word in call.keywords}
        assert given.keys() == {"answer", "because"}, ast.unparse(call)
        computed = [node for node in ast.walk(given["answer"]) if isinstance(node, ast.Name)]
        assert computed, f"the answer is written down: {ast.unparse(call)}"
        assert len(ast.literal_eval(given["because"])) > 20


@every_guided
def test_a_prediction_stands_before_its_answer(name):
    cells = notebook(name).cells
    for at, cell in enumerate(cells):
        if cell.cell_type == "code" and re.search(r"^Predict\(", cell.source, re.MULTILINE):
            assert cells[at + 1].cell_type == "code", "what is run next shows what is true"


@every_guided
def test_exercises_with_data_of_ones_own_are_one_click_away(name):
    linked = re.findall(r"\]\((exercises/[^)]+\.ipynb)\)", prose(name))
    assert linked
    assert all((NOTEBOOKS[name].parent / target).is_file() for target in linked)


@every_guided
def test_the_exercises_come_when_the_text_is_done_and_not_in_its_midst(name):
    *_, after = prose(name).split("**Now you.**")
    assert name == START or re.match(r"[^\n]+\n\n## Summary\n", after)


@pytest.mark.parametrize(("name", "after"), [*itertools.pairwise(guided)])
def test_each_guided_notebook_leads_to_the_one_after_it(name, after):
    (line,) = re.findall(r"^\*Next: .+$", prose(name), re.MULTILINE)
    assert f"({after}.ipynb)" in line


def closing(name):
    """The lines that sum a notebook up."""
    return {line for line in notebook(name).cells[-1].source.splitlines() if line.startswith("- ")}


@every_exercise
def test_exercises_say_by_what_names_their_data_are_reached(name):
    topic = re.search(r"^## ([a-z]{2})-", prose(name), re.MULTILINE)[1]
    shown = {part for one in EXERCISES if one[:2] == topic for part in start(one, student="ada")}
    (named,) = re.findall(r'`task\["(\w+)"\]`', notebook(name).cells[0].source)
    assert named in shown


@every_exercise
def test_exercises_sum_up_a_topic_of_their_own(name):
    others = [closing(one) for one in NOTEBOOKS if is_exercise(one) and one != name]
    assert closing(name) - set().union(*others)


@every_walk
def test_a_paper_is_called_by_its_title_where_a_notebook_begins(name):
    """Who has no paper at hand knows then what the letters in brackets stand for."""
    first = notebook(name).cells[0].source
    for key in {*re.findall(r"(?:follows|cited as)[^\n]*?\[([A-Z]+)\]", first)} & {*papers.PAPERS}:
        assert papers.PAPERS[key].title.split(":")[0].lower() in first.lower(), key


@every_walk
def test_every_figure_is_shown_with_its_words(name):
    """What `plot.html` shows carries words, and `plot.html` refuses a figure without them."""
    for _, tree in code(name):
        shown = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Call)]
        drawn = [part for part in shown if part.startswith("vk.plot.")]
        for part in drawn:
            held = any(f"vk.plot.html({part}" in whole for whole in drawn)
            assert held or part.startswith("vk.plot.html("), part
        assert not any("plt." in part or "savefig" in part for part in shown)


@every
def test_no_cell_shows_the_words_of_a_test(name):
    for cell in cells(name, "code"):
        assert "last_error" not in cell.source
        assert not any("problems: None" in str(output) for output in cell.outputs)


@every_guided
def test_the_view_that_a_reader_uses_is_not_driven_by_a_later_cell(name):
    """What is set from code is another instance, so that hers stays as she left it."""
    shown = set()
    for _, tree in code(name):
        last = tree.body[-1] if tree.body else None
        driven = {
            ast.unparse(target.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            for target in ast.walk(node)
            if isinstance(target, ast.Attribute) and isinstance(target.ctx, ast.Store)
        }
        assert not driven & shown, f"{driven & shown} is shown above and set here"
        if isinstance(last, ast.Expr) and isinstance(last.value, ast.Name):
            shown.add(last.value.id)


STATES_A_CHANCE = re.compile(
    r"(?<!naive )guess(?![^.|]*certainty)[^.|]* right in|right in \d+ ?% of|"
    r"in \d+ ?% of cases|right in one (case )?of"
)
NAMES_A_CONDITION = re.compile(r"equally likely|if within a group each|whoever learns")


def chances_alone(text):
    """The lines of a text that state a chance of a guess, where nothing says what it rests on."""
    lines = [line for line in text.splitlines() if STATES_A_CHANCE.search(line)]
    return [line for line in lines if not NAMES_A_CONDITION.search(line)]


def test_a_line_that_states_a_chance_alone_is_seen():
    assert chances_alone("guess Theft: right in 80% of cases")
    assert chances_alone("so any guess of the row is right in one case of three.")
    assert not chances_alone("A guess is right in 67 % of cases, if each is equally likely.")


@every
def test_a_notebook_says_what_the_chance_of_a_guess_rests_on(name):
    outputs = [output for cell in cells(name, "code") for output in cell.outputs]
    said = [prose(name), *(output["text"] for output in outputs if "text" in output)]
    assert [line for text in said for line in chances_alone(text)] == []


def test_the_first_notebook_leads_to_every_other():
    linked = set(re.findall(r"\]\(([^)#]+)\.ipynb\)", prose(START)))
    assert linked == {name for name in NOTEBOOKS if not name.startswith("_")} - {START}
