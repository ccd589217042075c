"""One way to say a thing: no room has helpers of its own for counts, shares, chances and lists."""

import ast

import numpy as np
import pandas as pd
import pytest
from sources import MODULES, room

import verikit as vk
from verikit import words
from verikit.protector import correct_links

BEING_MOVED = {"_form.py", "_selfcheck.py", "_card.py"}
SOURCES = [
    file
    for module, file in MODULES.items()
    if room(module) != "subject" and file.name not in BEING_MOVED
]
OLD = {"out_of_100", "of_100", "of_hundred", "counted_in_words"}


def functions(file):
    """The functions of a module that belong to no class."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def test_words_alone_write_counts_shares_chances_places_and_lists():
    own = {"chance", "count", "places", "share", "listed", "text", *OLD}
    again = {
        f"{file.parent.name}/{file.name}: {function.name}"
        for file in SOURCES
        if file.name != "words.py"
        for function in functions(file)
        if function.name in own and ast.unparse(function.returns or ast.Constant(0)) == "str"
    }
    # a value is named in the room of values, and the text of a picture is no word of a sentence
    assert again <= {"values/names.py: text", "widgets/_draw.py: text"}


def test_nobody_adds_an_s_to_a_word_but_words():
    """No "'s' if n != 1 else ''" beside the house's way of counting."""
    endings = {
        f"{file.parent.name}/{file.name}:{node.lineno}"
        for file in SOURCES
        if file.name != "words.py"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.IfExp)
        and {"s", ""} == {getattr(part, "value", None) for part in (node.body, node.orelse)}
    }
    assert endings == set()


@pytest.mark.parametrize(
    ("part", "said"),
    [(0.996, "more than 99 of 100"), (0.004, "fewer than 1 of 100"), (1, "100 of 100")],
)
def test_a_share_is_said_the_same_in_every_room(part, said):
    assert words.share(part) == words.share(np.float64(part)) == said


def test_a_chance_too_small_to_count_is_said_so():
    assert words.chance(1e-12) == "in fewer than 1 of 1,000,000 cases"
    assert words.chance(1e-5) == "in 1 of 100,000 cases"


def one_of_two():
    """Two records, the first of which can be told apart."""
    frame = pd.DataFrame({"age": [1.0, 2.0]})
    return vk.Microdata(frame), vk.TableRelease.of(frame)


def test_one_of_a_thing_is_never_said_as_many():
    data, release = one_of_two()
    one = data.take(np.array([0]))
    links = vk.link(one, vk.TableRelease.of(one.frame))
    assert repr(links).startswith("1 record linked by age")
    assert "1 of 1 record is linked correctly" in repr(correct_links(links, vk.Key.of([0])))
    assert "2 records, 1 attribute." in repr(vk.audit(data, release, vk.Key.of([0, 1])))
    verdict = vk.models.k_anonymity(vk.load("lhcc_table1"))
    assert " 1 records" not in verdict.why
    assert " 1 classes" not in verdict.why
