"""Imports point down: no module of verikit reaches into a layer above its own."""

import ast
import subprocess
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter

import pytest
from sources import CORE, MODULES, room, tree

LAYERS = {
    0: "errors words values papers plain languages _support",
    1: "hierarchy table ranks cells",
    2: "partition lattice release targets",
    3: "models utility mask query matching alike",
    4: "subject analyst intruder protector datasets",
    5: "cli",
    6: "__init__ __main__ large page plot exercises",
    7: "scale teach game widgets",
}
LAYER = {room: layer for layer, rooms in LAYERS.items() for room in rooms.split()}
LIGHT = {"numpy", "pandas", "verikit"} | set(sys.stdlib_module_names)
ON_SCREEN = {"ipywidgets", "anywidget", "traitlets", "IPython"}


def is_for_types(node):
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


@cache
def walk(module, *, functions):
    """The nodes of a module that run, with or without those inside functions."""
    found, waiting = [], [tree(module)]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            inside = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            if not (is_for_types(child) or (inside and not functions)):
                found.append(child)
                waiting.append(child)
    return found


@cache
def imported(module, *, functions=True):
    """The modules that a module imports; of ``from a import b``, a.b where that is a module."""
    found = set()
    for node in walk(module, functions=functions):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively in line {node.lineno}"
            parts = {f"{node.module}.{name.name}" for name in node.names}
            found |= {part if part in MODULES else node.module for part in parts}
    return found


def test_the_table_of_layers_names_every_room_of_the_house():
    assert {room(module) for module in MODULES} <= set(LAYER)


def test_no_module_imports_from_above_its_layer():
    above = {
        (module, other)
        for module in MODULES
        for other in imported(module)
        if other in MODULES and LAYER[room(other)] > LAYER[room(module)]
    }
    assert above == set()


def test_no_modules_import_each_other_in_a_circle():
    graph = {module: imported(module) & set(MODULES) - {module} for module in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_a_module_needs_only_numpy_and_pandas_to_be_imported():
    heavy = {
        (module, other)
        for module in MODULES
        for other in imported(module, functions=False)
        if other.partition(".")[0]
        not in LIGHT | (ON_SCREEN if room(module) == "widgets" else set())
    }
    assert heavy == set()


def test_only_the_widgets_touch_the_screen():
    touching = {
        (module, other)
        for module in MODULES
        if room(module) != "widgets"
        for other in imported(module)
        if other.partition(".")[0] in ON_SCREEN or other == "verikit.widgets"
    }
    assert touching == set()


def fresh(code):
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_verikit_loads_no_library_that_numpy_and_pandas_do_not_load():
    names = "import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    base = set(fresh(f"import numpy, pandas; {names}").split())
    loaded = set(fresh(f"import verikit; {names}").split())
    assert "verikit" in loaded
    assert {name for name in loaded - base if not name.startswith("_")} <= LIGHT


def test_a_person_can_check_her_record_where_only_numpy_and_pandas_are_installed():
    blocked = "anywidget duckdb ipywidgets IPython matplotlib mlxtend numba pyarrow scipy sqlglot"
    said = fresh(
        f"import sys; sys.modules.update(dict.fromkeys('{blocked}'.split()))\n"
        "import verikit as vk\n"
        "record = vk.load('dm_table1').record(2)\n"
        "report = vk.check(record, vk.published('dm_table1_masked'), distance=3)\n"
        "print(report.attributes['distance'].tolist(), len(report.to_html()) > 500)"
    )
    assert said.split("\n")[0] == "[4, 1, 4] True"


def test_a_room_is_entered_by_its_door():
    """No module, and nothing, that another room keeps to itself is imported from it."""
    through = {
        (module, f"{node.module}: {name.name}")
        for module in MODULES
        for node in walk(module, functions=True)
        if isinstance(node, ast.ImportFrom)
        and node.module.startswith("verikit.")
        and room(node.module) not in (room(module), "_support")
        for name in node.names
        if "._" in node.module or name.name.startswith("_")
    }
    assert through == set()


def test_the_core_names_no_room_that_joins_it():
    joined = {room(module) for module in set(MODULES) - CORE}
    assert joined == {"exercises", "game", "large", "page", "plot", "scale", "teach", "widgets"}
    found = {
        (module, other)
        for module in CORE
        for other in imported(module)
        if other.startswith("verikit.") and room(other) in joined
    }
    assert found == set()
