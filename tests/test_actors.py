"""Four actors look at a release, each seeing only what he may: the signatures keep them apart."""

import importlib
import inspect
import re
from types import FunctionType

import pytest
from sources import PUBLIC

PROTECTORS_OWN = "verikit.protector"
SIGHT = {
    "subject": (["record", "release"], {"Microdata", "Key", "Masked"}),
    "analyst": (["query", "release"], {"Microdata", "Key", "Masked"}),
    "intruder": (["data", "release"], {"Key", "Masked"}),
}


def public_functions():
    """Every function that a room of verikit offers, with the module that defines it."""
    found = {}
    for name in PUBLIC:
        if name.count(".") < 2:
            module = importlib.import_module(name)
            offered = [getattr(module, item) for item in getattr(module, "__all__", ())]
            found |= {
                f"{f.__module__}.{f.__name__}": f for f in offered if isinstance(f, FunctionType)
            }
    return found


FUNCTIONS = public_functions()


def parameters(function):
    return inspect.signature(function).parameters


def types(function):
    """The names in the types of a function's parameters."""
    written = " ".join(str(parameter.annotation) for parameter in parameters(function).values())
    return set(re.findall(r"\w+", written))


def of_actor(actor):
    return {n: f for n, f in FUNCTIONS.items() if n.startswith(f"verikit.{actor}.")}


def test_only_the_protector_takes_a_key():
    holders = {name for name, function in FUNCTIONS.items() if types(function) & {"Key", "Masked"}}
    assert {name for name in holders if not name.startswith(PROTECTORS_OWN)} == set()
    assert holders, "the protector's audit takes a key"


@pytest.mark.parametrize("actor", SIGHT)
def test_an_actor_is_given_what_he_may_see_and_first_things_first(actor):
    order, hidden = SIGHT[actor]
    for name, function in of_actor(actor).items():
        assert not types(function) & hidden, f"{name} sees {types(function) & hidden}"
        if set(order) <= set(parameters(function)):
            assert list(parameters(function))[:2] == order, name


@pytest.mark.parametrize("actor", SIGHT)
def test_an_actor_borrows_nothing_from_another(actor):
    for name, function in of_actor(actor).items():
        source = inspect.getsource(inspect.getmodule(function))
        for other in {*SIGHT, "protector"} - {actor}:
            assert not re.search(rf"^\s*(from|import) verikit\.{other}\b", source, re.MULTILINE), (
                name
            )


def test_the_check_of_a_record_is_among_what_is_inspected():
    assert list(parameters(FUNCTIONS["verikit.subject._check.check"]))[:2] == ["record", "release"]
