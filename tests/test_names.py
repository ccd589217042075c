"""Names can be searched for: a function is a verb and a noun, and no bare participle."""

import ast
import re
from functools import cache

import pytest
from sources import MODULES, tree

PARTICIPLE = re.compile(
    r"[a-z]{3,}(ed|ing)|told|shown|kept|drawn|held|given|taken|made|found|said|written|left|sent|"
    r"built|chosen|spoken|seen|met|meant|lost|bound|split|done"
)


@cache
def functions():
    return [
        node.name.strip("_")
        for module in MODULES
        for node in ast.walk(tree(module))
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("__")
    ]


def is_bare_participle(name):
    return PARTICIPLE.fullmatch(name) is not None


def share(names):
    return len(names) / len(functions())


@pytest.mark.parametrize("name", ["told", "shown", "judged", "matching"])
def test_a_participle_alone_is_seen(name):
    assert is_bare_participle(name)
    assert not is_bare_participle(f"find_{name}")


def test_hardly_a_function_is_called_by_a_participle_alone():
    bare = [name for name in functions() if is_bare_participle(name)]
    assert share(bare) <= 0.03, sorted(bare)


def test_most_functions_are_called_by_more_than_a_word():
    assert share([name for name in functions() if "_" not in name]) <= 0.27
