"""Every error of verikit is a ``ValueError`` and says in a sentence what to do."""

import ast
import builtins
import json
import pickle
import re

import pandas as pd
import pytest
from sources import MODULES, room, tree

import verikit
import verikit.ranks.spread
from verikit import errors

TABLE = verikit.Microdata(pd.DataFrame({"age": [31, 45, 52]}))
GRAPH = verikit.BipartiteGraph.of(verikit.load("qz_table4_1c").frame)
OURS = set(errors.__all__)
OTHERS = {
    "AttributeError",
    "SystemExit",
    "TypeError",
}  # what Python expects of a module or a call
OUTSIDE = sorted(module for module in MODULES if room(module) != "widgets")


def raises():
    """Every ``raise`` with its place, name and message as written."""
    for module in OUTSIDE:
        for node in ast.walk(tree(module)):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                call, (kind, _, given) = node.exc, ast.unparse(node.exc.func).partition(".")
                message = written(call.args[0]) if call.args else ""
                if given == "given":
                    said, expected = (written(call.args[at]).replace("⟨⟩.", "⟨⟩") for at in (0, 2))
                    message = f"{said} was given as ⟨⟩; expected {expected}."
                yield f"{module}:{node.lineno}", kind, message


def written(message):
    """The text of a message, each value in it as a mark."""
    if isinstance(message, ast.Constant):
        return str(message.value)
    if isinstance(message, ast.Call) and ast.unparse(message.func) == "Told":
        return written(message.args[0])
    if isinstance(message, ast.JoinedStr):
        return "".join(v.value if isinstance(v, ast.Constant) else "⟨⟩" for v in message.values)
    return "⟨⟩."


def test_every_error_is_a_value_error_of_one_family():
    for name in OURS:
        assert issubclass(getattr(errors, name), errors.VerikitError)
        assert getattr(verikit, name) is getattr(errors, name)
    assert issubclass(errors.VerikitError, ValueError)


def test_what_is_raised_is_ours_or_what_python_expects():
    others = {(place, name) for place, name, _ in raises() if name not in OURS}
    assert {name for _, name in others} <= OTHERS & set(dir(builtins)), others


def test_the_message_of_what_is_raised_is_a_sentence():
    for place, name, message in raises():
        if name in OURS:
            assert message.endswith((".", "⟨⟩")), (place, message)
            assert not re.search(r"[^.]\.\.$", message), (place, message)
            assert len(re.findall(r"\w+|⟨⟩", message)) >= 5 or message == "⟨⟩.", (place, message)


@pytest.mark.parametrize(
    ("field", "value", "call"),
    [
        ("seed", -1, lambda: verikit.mask.noise(TABLE, scale=1, seed=-1)),
        ("scale", "loud", lambda: verikit.mask.noise(TABLE, scale="loud", seed=1)),
        ("k", 9, lambda: verikit.partition.mondrian(TABLE, k=9)),
        ("criterion", "luck", lambda: verikit.ranks.spread.Criterion("luck")),
        ("ell", 9, lambda: verikit.mask.group_nodes(GRAPH, 1, 9, seed=1)),
    ],
)
def test_an_error_carries_the_parameter_that_it_is_about_and_what_was_given(field, value, call):
    with pytest.raises(errors.VerikitError, match=field) as refused:
        call()
    error = pickle.loads(pickle.dumps(refused.value))
    assert (error.field, error.value) == (field, value)
    told = {"kind": type(error).__name__, "field": field, "value": value, "sentence": str(error)}
    assert json.loads(json.dumps(error.as_dict(), allow_nan=False)) == told


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), [1, 2], "x" * 1000, 10**5000], ids=type
)
def test_what_json_cannot_hold_is_quoted(value):
    error = errors.RecordError("It cannot be held.", field="k", value=value)
    assert error.as_dict()["value"] == errors.quoted(value)
