"""Predict, Quiz and Glossary: what is true is told when it was asked for, and not before."""

import pandas as pd
import pytest

import verikit as vk
from verikit._support.resources import notebooks_dir
from verikit.exercises import EXERCISES, draw, glossary
from verikit.widgets import Glossary, Predict, Quiz


def told(view):
    screen = [part.title + str(part.lines) + str(part.fields) for part in view.parts()]
    return view.card().html + view.card().say + "".join(screen)


def test_a_wrong_prediction_is_told_what_it_overlooked_and_a_right_one_is_not():
    options = {"all": "Luck finds one of them.", "six": "never said", "none": "Noise is no wall."}
    for chosen, said in (
        ("all", "Luck finds one of them. Counted."),
        ("six", "It is “six”. Counted."),
    ):
        view = Predict("How many?", options, answer="six", because="Counted.")
        view.choose(chosen)
        view.lock()
        assert view.card().say.endswith(said)
        assert "Noise" not in view.card().html
        assert "never" not in view.card().html


def test_a_prediction_shows_nothing_of_the_answer_until_it_is_locked():
    view = Predict("How many?", ["one", "six"], answer="six", because="Because of the key.")
    view.on_value("chosen", "one")
    assert "Because of the key" not in told(view)
    view.on_press("lock")
    assert "It is “six”; you expected “one”." in told(view)
    assert "Because of the key" in told(view)
    assert (view.locked, view.right) == (True, False)


def test_a_locked_prediction_cannot_be_changed():
    view = Predict("How many?", [1, 6], answer=6)
    view.choose(6)
    view.lock()
    view.choose(1)
    assert (view.chosen, view.right) == ("6", True)
    assert not view.parts()[0].fields


def test_who_locks_without_a_choice_is_asked_to_choose():
    view = Predict()
    view._on_message(view, {"kind": "press", "field": "lock", "turn": 1}, [])
    assert "Nothing is chosen yet" in view.parts()[0].fields[0].error
    assert not view.locked


def test_an_answer_that_is_no_option_is_refused():
    with pytest.raises(vk.RecordError, match="expected one of two or more different options"):
        Predict("How many?", [1, 2], answer=3)


def test_words_that_belong_to_another_answer_are_refused():
    """A cell whose answer changed says so, and does not call a right choice a mistake."""
    options = {"one": "So many finds luck.", "six": ""}
    with pytest.raises(vk.RecordError, match="options hold no words for 'six'"):
        Predict("How many?", options, answer="one")


def test_a_quiz_gives_the_hint_of_the_statement_that_was_chosen_and_lets_try_again():
    exercise = EXERCISES["ka-03"]
    data = draw(exercise, "ada")
    right = exercise.right(data)["letter"]
    mistake = exercise.mistakes[exercise.possible(data)[0]]
    wrong = mistake.gives(data)["letter"]
    view = Quiz("ka-03", student="ada")
    view.on_press(wrong)
    assert mistake.hint in told(view)
    view.on_press(right)
    assert f"Yes, {right} follows." in told(view)
    assert view.tried == (wrong, right)


@pytest.mark.parametrize("name", [one.name for one in EXERCISES.values() if one.kind == "explain"])
def test_every_exercise_that_asks_for_a_statement_can_be_a_quiz(name):
    view = Quiz(name, student="ada")
    assert [field.kind for field in view.parts()[0].fields] == ["press"] * 4


def test_other_exercises_and_strange_letters_are_refused():
    with pytest.raises(vk.RecordError, match="expected one of: ka-03"):
        Quiz("ka-01")
    with pytest.raises(vk.RecordError, match="choose one of the letters"):
        Quiz().choose("z")


def test_the_glossary_finds_words_of_both_languages_and_every_notebook_it_names_is_there():
    assert Glossary("permutation distance").result["ours"].tolist() == ["places"]
    view = Glossary()
    view.on_value("word", "equivalence")
    assert "class" in told(view)
    view.on_value("word", "no such word")
    assert "0 terms found" in told(view)
    there = {path.stem for path in notebooks_dir().glob("*.ipynb")}
    assert set(glossary()["notebook"]) <= there


def test_the_terms_of_the_glossary_are_all_different_and_say_what_they_mean():
    terms = glossary()
    assert terms["ours"].is_unique
    assert (terms["meaning"].str.len() > 10).all()
    assert isinstance(terms, pd.DataFrame)
    assert set(terms["criterion"]) == {"", "singling out", "linkability", "inference"}
    assert glossary("singling out")["ours"].tolist()[:2] == ["class", "alone"]
    assert terms.set_index("ours")["iso_20889"]["blur"] == "generalization"
