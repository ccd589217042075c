"""Every public name resolves, and says in the same order what it means, takes, gives and cites."""

import ast
import dataclasses
import importlib
import importlib.metadata
import inspect
import re
from types import FunctionType

import pytest
from sources import PUBLIC

import verikit
from verikit import papers

METHOD_ROOMS = {"mask", "partition", "lattice", "models", "utility"} | {
    "subject", "analyst", "intruder", "protector",
}  # fmt: skip


def public_modules():
    """The modules of verikit whose names do not begin with an underscore, imported."""
    return {name: importlib.import_module(name) for name in PUBLIC}


MODULES = public_modules()


def offered(kind):
    """The public functions or classes of verikit, each once, under the name they are used by."""
    found = {}
    for name, module in MODULES.items():
        for item in module.__all__:
            part = getattr(module, item)
            if isinstance(part, kind) and part.__module__.startswith("verikit"):
                found.setdefault(part, f"{name}.{item}".removeprefix("verikit."))
    return [pytest.param(part, id=name) for part, name in found.items()]


FUNCTIONS = offered(FunctionType)
METHODS = [case for case in FUNCTIONS if case.values[0].__module__.split(".")[1] in METHOD_ROOMS]
TYPED = [case for case in FUNCTIONS if case in METHODS or "." not in case.id]
VALUES = [case for case in offered(type) if dataclasses.is_dataclass(case.values[0])]


def sections(part):
    """The parts of a docstring by their headings, the first under the empty heading."""
    text = inspect.getdoc(part) or ""
    found = re.split(r"^(\w+)\n-{3,}\n", text, flags=re.MULTILINE)
    return {"": found[0], **dict(zip(found[1::2], found[2::2], strict=True))}


def described(part):
    """The names that a section describes, as 'a, b' on a line of its own."""
    lines = re.findall(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)$", part, re.MULTILINE)
    return [name.lstrip("*") for line in lines for name in line.split(", ")]


@pytest.mark.parametrize("name", MODULES)
def test_every_public_module_names_what_it_offers_and_offers_it(name):
    module = MODULES[name]
    assert len(set(module.__all__)) == len(module.__all__)
    for item in module.__all__:
        assert hasattr(module, item), f"{name}.{item}"
        assert not item.startswith("_"), f"{name}.{item}"


def test_the_names_other_people_type_are_there():
    wanted = "read load simulate open_release check audit link answer Query Hierarchy Schema Column"
    wanted += " Microdata Partition TableRelease SplitRelease Key mask partition lattice models"
    wanted += " utility intruder analyst plot papers"
    assert set(wanted.split()) <= set(verikit.__all__)


@pytest.mark.parametrize("part", [*FUNCTIONS, *VALUES])
def test_a_docstring_begins_with_one_line_and_keeps_the_order_of_its_parts(part):
    found = sections(part)
    first, _, rest = found.pop("").strip().partition("\n")
    assert first.endswith("."), first
    assert rest == "" or rest.startswith("\n"), "the first line stands alone"
    assert list(found) in (
        [name for name in order if name in found]
        for order in (
            ["Parameters", "Returns", "Raises", "Notes", "References", "Examples"],
            ["Parameters", "Returns", "Raises", "References", "Notes", "Examples"],
        )
    )


@pytest.mark.parametrize("part", FUNCTIONS)
def test_the_parameters_that_are_described_are_those_that_are_taken_in_their_order(part):
    found = sections(part)
    if "Parameters" in found:
        assert described(found["Parameters"]) == list(inspect.signature(part).parameters)


@pytest.mark.parametrize("part", VALUES)
def test_a_value_is_frozen_and_describes_all_that_it_holds(part):
    assert part.__dataclass_params__.frozen
    taken = {name for name in inspect.signature(part).parameters if not name.startswith("_")}
    told = set(described(sections(part).get("Parameters", "")))
    assert taken <= told
    assert all(hasattr(part, name) for name in told - taken)


@pytest.mark.parametrize("part", TYPED)
def test_what_people_type_says_what_it_takes_and_gives_and_shows_it(part):
    found = sections(part)
    assert {"Parameters", "Returns", "Examples"} - set(found) == set()
    assert ">>> " in found["Examples"]


@pytest.mark.parametrize("part", METHODS)
def test_a_method_says_what_it_refuses_and_cites_the_place_it_follows_or_is_our_own(part):
    found = sections(part)
    cited = re.findall(r"\[([A-Z]+)\]_ (\S+)", found.get("References", ""))
    assert "Raises" in found
    assert cited or "our own" in found.get("Notes", "").lower()
    assert {key for key, _ in cited} <= set(papers.PAPERS)


def test_a_name_that_is_not_there_is_missing_as_in_any_module():
    with pytest.raises(AttributeError, match="module 'verikit' has no attribute 'anonymise'"):
        _ = verikit.anonymise


def test_the_version_is_that_of_the_installed_package():
    assert verikit.__version__ == importlib.metadata.version("verikit")


def test_completing_a_name_offers_public_names_only():
    assert set(dir(verikit)) == {*verikit.__all__, "__version__"}
    assert not {"Any", "TYPE_CHECKING", "import_module", "HOME", "ROOMS"} & set(dir(verikit))


def test_type_checkers_see_the_names_that_are_opened_when_asked_for():
    tree = ast.parse(inspect.getsource(verikit))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {part.asname: node.module for node in block.body for part in node.names}
    opened = {name: f"verikit.{room}" for name, room in verikit.HOME.items()}
    assert seen == opened | dict.fromkeys(set(verikit.__all__) - set(opened), "verikit")
