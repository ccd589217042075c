"""What every view must keep: it shows something for every table, or says why not in a sentence."""

import ast
import inspect
import re
import warnings
from html import escape, unescape
from pathlib import Path

import pandas as pd
import pytest
import traitlets
from _examples import SEED, anatomized, generalized, graph, itself, moved, noisy, permuted, released
from _tables import TABLES, UNLUCKY

import verikit as vk
import verikit.widgets

PLACE = "tests/contracts/test_views.py"
SENTENCE = re.compile(r"""["'A-Za-z0-9-].{10,}\.""", re.DOTALL)
QUESTIONS = {"Glossary", "Predict", "Quiz"}  # these are given no table
VIEWS = {
    name: getattr(verikit.widgets, name)
    for name in verikit.widgets.__all__
    if name not in QUESTIONS
}
each_view = pytest.mark.parametrize("name", VIEWS)

# What a view is given of a table: one line for each view, one or more ways to make its arguments.
EXAMPLES = {
    "AttackLab": [(released,), (generalized,), (permuted,)],
    "Bench": [(itself,)],
    "BoundedAnswer": [(itself,)],
    "ClassesView": [(itself,), (generalized,), (permuted,)],
    "GraphQuery": [(graph,)],
    "GroupingView": [(graph,)],
    "GroupsView": [(itself,)],
    "GuaranteesView": [(itself,)],
    "IntruderView": [(itself, moved)],
    "LatticeView": [(itself,)],
    "LearnedView": [(anatomized,), (permuted, itself)],
    "MemorizedView": [(itself,), (itself, itself)],
    "MondrianView": [(itself,)],
    "PartitionView": [(itself,)],
    "PersonalView": [(itself,)],
    "PlausibilityView": [(itself,), (itself, moved)],
    "QueryBench": [(itself,)],
    "RandomizeView": [(itself,)],
    "ReverseMapping": [(itself,)],
    "RulesView": [(itself,), (itself, moved)],
    "SelfCheck": [(released,), (generalized,), (permuted,)],
    "TargetEditor": [(itself,)],
    "TradeOff": [(itself,)],
    "WorldsView": [(anatomized,), (generalized,)],
}
QUICK = {"TradeOff": {"amounts": {"noise": [0.5]}}}
WAYS = [(name, makers) for name in VIEWS for makers in EXAMPLES.get(name, ())]
each_way = pytest.mark.parametrize(
    ("name", "makers"), WAYS, ids=lambda part: part if isinstance(part, str) else part[-1].__name__
)


def shown(view):
    """What a person sees and hears of a view."""
    card = view.card()
    assert card.title
    assert card.html or card.say
    assert all(field.label or field.id for part in view.parts() for field in part.fields)
    return card.html


def problem(view):
    """What a view says is wrong; nothing where it answers."""
    wrong = view.last_error
    assert wrong is None or isinstance(wrong, vk.VerikitError), repr(wrong)
    return "" if wrong is None else str(wrong)


@each_view
def test_a_view_has_an_example_here(name):
    assert EXAMPLES.get(name), f"{name} is new: say in {PLACE} what it is given of a table"


def test_no_example_is_left_of_a_view_that_is_gone():
    assert set(EXAMPLES) == set(VIEWS)


@each_view
def test_a_view_alone_shows_an_example_without_a_word_of_error(name):
    view = VIEWS[name]()
    assert problem(view) == ""
    assert len(shown(view)) > 200
    assert repr(view).startswith(f"{name}(")
    assert len(repr(view)) < 300
    assert "Traceback" not in shown(view)


@each_way
@pytest.mark.parametrize("table", TABLES + UNLUCKY, ids=lambda table: table.__name__)
def test_every_table_is_shown_or_refused_in_a_sentence(name, makers, table):
    try:
        given = [make(table()) for make in makers]
    except vk.VerikitError:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            view = VIEWS[name](*given, **QUICK.get(name, {}))
            said = problem(view)
            shown(view)
        except vk.VerikitError as error:
            said = str(error)
    assert not said or SENTENCE.fullmatch(said)


@each_way
def test_a_view_answers_for_one_of_the_tables_at_least(name, makers):
    for table in TABLES:
        try:
            view = VIEWS[name](*(make(table()) for make in makers), **QUICK.get(name, {}))
        except vk.VerikitError:
            continue
        if not problem(view):
            return
    pytest.fail(f"no table of tests/contracts/_tables.py suits {name}; add one")


@each_view
@pytest.mark.parametrize(
    "wrong",
    [5, "a table", pd.DataFrame({"X": [1, 2]}), noisy],
    ids=["a number", "a word", "a frame", "a function"],
)
def test_what_is_no_table_is_refused_in_a_sentence(name, wrong):
    wanted = list(inspect.signature(VIEWS[name]).parameters)[: len(EXAMPLES[name][0])]
    with pytest.raises(vk.VerikitError) as refused:
        VIEWS[name](**dict.fromkeys(wanted, wrong))
    assert SENTENCE.fullmatch(str(refused.value))
    assert type(wrong).__name__ in str(refused.value)


@each_view
@pytest.mark.parametrize("wrong", ["no such thing", -1, None], ids=repr)
def test_what_is_wrong_in_a_box_is_said_and_the_old_answer_is_not_called_current(name, wrong):
    quick = QUICK.get(name, {})
    view = VIEWS[name](**quick)
    for box in getattr(view, "BOXES", ()):
        before = getattr(view, box)
        try:
            setattr(view, box, wrong)
        except traitlets.TraitError:  # what is not even of the kind that the box holds
            continue
        said = problem(view)
        assert not said or SENTENCE.fullmatch(said), box
        assert not said or view.result is None, box
        shown(view)
        setattr(view, box, before)
        assert problem(view) == "", box


WRONG = ("no such thing", "-1", "0.5", "1e12", "nan", "")
LOOSE = {
    "The goal asks for nothing; give a distance, a diversity, links, guessed or a requirement."
}
ASKED = [
    *((name, QUICK.get(name, {})) for name in VIEWS),
    ("PlausibilityView", {"table": "example"}),
    *(("AttackLab", {"attack": attack}) for attack in ("background_knowledge", "skewness")),
    *(("GraphQuery", {"question": question}) for question in ("links", "average", "most")),
    ("SelfCheck", {"criterion": "distinct"}),
]


def type_into(view, box, value):
    """Type a value as the page does; the boxes that say afterwards that something is wrong."""
    message = {"kind": "set", "field": box, "value": value, "turn": view._turn + 1}
    view._on_message(None, message, [])
    return [field.id for part in view.parts() for field in part.fields if field.error]


@pytest.mark.parametrize(("name", "asked"), ASKED, ids=str)
def test_what_is_wrong_is_said_at_the_box_into_which_it_was_typed(name, asked):
    view = VIEWS[name](**asked)
    boxes = [field for part in view.parts() for field in part.fields if field.id != "path"]
    refused = 0
    for field in boxes:
        for value in {"text": WRONG, "range": WRONG, "choice": WRONG[:1]}.get(field.kind, ()):
            wrong = type_into(view, field.id, value)
            if view.last_error is not None:
                assert wrong == [field.id] or str(view.last_error) in LOOSE, (field.id, value)
                refused += 1
            assert type_into(view, field.id, field.value) == [], (field.id, value)
    assert refused or name == "PlausibilityView"


@each_way
def test_a_view_leaves_its_table_as_it_was_and_shows_no_seed(name, makers):
    for table in TABLES[:3]:
        try:
            data = table()
            frame = data.frame.copy(deep=True)
            view = VIEWS[name](*(make(data) for make in makers), **QUICK.get(name, {}))
        except vk.VerikitError:
            continue
        pd.testing.assert_frame_equal(data.frame, frame)
        assert str(SEED) not in repr(view) + view.card().html


# -- a view says nothing of its own ---------------------------------------------------------------

TOLD = [name for name in VIEWS if name != "SelfCheck"]  # its sentences are the report's
OURS = Path(verikit.widgets.__file__).parent


@pytest.mark.parametrize("name", TOLD)
def test_what_a_view_concludes_are_the_words_of_verikit_and_stand_first(name):
    view = VIEWS[name](**QUICK.get(name, {}))
    told = view.told
    home = type(told).__module__
    assert home.startswith("verikit."), home
    assert not home.startswith("verikit.widgets"), home
    means, why = map(view.in_words, (told.means, told.why))
    assert means.endswith((".", "?"))
    html = shown(view)
    assert html.startswith('<div class="vk-head')
    first = re.search(r'class="vk-first"><b>(.*?)</b>', html).group(1)
    assert unescape(first) == means
    assert not why or f'<p class="soft">{escape(why)}</p>' in html
    assert unescape(view.card().say) == f"{means} {why}".strip()


@pytest.mark.parametrize("file", sorted(OURS.glob("_*.py")), ids=lambda file: file.stem)
def test_no_file_of_the_widgets_writes_a_headline_or_a_conclusion_of_its_own(file):
    names = {
        call.func.id
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
    }
    assert "Said" not in names
    assert "headline" not in names or file.stem in {"_pieces", "_predict", "_quiz"}
    assert "head" not in names or file.stem == "_view"
