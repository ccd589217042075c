"""Loops that are compiled when they pay, and are the same either way."""

import ast

import numpy as np
import pandas as pd
import pytest
from sources import MODULES

import verikit
from verikit._support import compiled as _compiled
from verikit._support.compiled import compiled


@compiled(large=50)
def half(value):
    return value / 2


@compiled(large=50)
def sum_of_halves(values, total=0.0):
    for place in range(len(values)):
        total += half(values[place])
    return total


def test_a_function_and_its_helper_give_the_same_plain_and_compiled():
    values = np.arange(100.0)
    assert sum_of_halves(values) == sum_of_halves(values[:49]) + sum_of_halves(values[49:]) == 2475


def test_large_inputs_are_compiled_and_small_ones_are_not(monkeypatch):
    pytest.importorskip("numba")
    compilations = []
    machine_code = _compiled._machine_code
    monkeypatch.setattr(
        _compiled, "_machine_code", lambda f: compilations.append(f.__name__) or machine_code(f)
    )
    sum_of_halves(np.ones(49))
    assert compilations == []
    sum_of_halves(np.ones(50))
    assert compilations == ["sum_of_halves"]


def test_nothing_is_compiled_for_the_tables_of_a_classroom(monkeypatch):
    def refused(function):
        raise AssertionError(f"{function.__name__} was compiled")

    monkeypatch.setattr(_compiled, "_machine_code", refused)
    data, pay = verikit.simulate("dm", 2_000, seed=1), np.random.default_rng(1).lognormal(3, 1, 900)
    sensitive = pd.DataFrame({"age": np.arange(900), "pay": pay})
    release, _ = verikit.mask.rank_swap(data, percent=5, seed=1)
    verikit.mask.microaggregate(data, k=3, method="mdav", seed=1)
    verikit.plausibility(data, release)
    table = verikit.Microdata(sensitive, verikit.Schema.guess(sensitive, pay="sensitive"))
    verikit.partition.min_max_error(table, k=5, e=1, overlapping=True, seed=1)


def test_without_numba_large_inputs_run_as_they_are(monkeypatch):
    monkeypatch.setattr(_compiled, "has_numba", lambda: False)
    monkeypatch.setattr(_compiled, "_machine_code", None)
    assert sum_of_halves(np.ones(1000)) == 500


def test_a_decorated_function_keeps_its_name_and_docstring():
    @compiled(large=1)
    def twice(value):
        """Double."""
        return 2 * value

    assert (twice.__name__, twice.__doc__) == ("twice", "Double.")


def compiled_functions(tree):
    """The functions of a module that are decorated, by name."""
    return {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and any(ast.unparse(part).startswith("compiled(") for part in node.decorator_list)
    }


def test_inner_loops_do_not_ask_at_every_call_whether_to_compile():
    asked, seen = set(), 0
    for file in MODULES.values():
        decorated = compiled_functions(ast.parse(file.read_text(encoding="utf-8")))
        seen += len(decorated)
        for name, function in decorated.items():
            called = {ast.unparse(n.func) for n in ast.walk(function) if isinstance(n, ast.Call)}
            asked |= {(file.name, name, other) for other in called & set(decorated)}
    assert asked == set()
    assert seen >= 3
