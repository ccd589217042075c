"""Settings of the tests and of the notebooks; what is tested is the installed verikit."""

import gc
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent
LONGEST = 60  # seconds of CPU of one notebook

# What asks the papers' questions anew for minutes runs where thoroughness is asked for.
THOROUGH = os.environ.get("VERIKIT_HYPOTHESIS") == "thorough"
LONG = ("lhcc_figures", "qz_chapter_2", "qz_chapter_3", "yq_figures")
collect_ignore = [str(path) for path in (ROOT / "docs").glob("*.py")]  # which builds a site
collect_ignore += [] if THOROUGH else [f"notebooks/reproduce/{name}.ipynb" for name in LONG]

# `python -m pytest` puts the checkout first on the path, where verikit has no widgets.
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != ROOT]


def pytest_configure(config):
    """Run notebooks in this environment, two minutes a cell, whatever kernels the user has."""
    option = config.option
    if getattr(option, "nbval", False) or getattr(option, "nbval_lax", False):
        option.nbval_sanitize_with = option.nbval_sanitize_with or str(ROOT / "tests" / "nbval.cfg")
        option.nbval_current_env = not option.nbval_kernel_name
        option.nbval_cell_timeout = min(option.nbval_cell_timeout, 120)


def pytest_collection():
    """Look for no garbage among tests that are only being found."""
    gc.disable()


def pytest_collection_finish():
    """Let no collection of garbage look again and again at what was found."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


def pytest_sessionfinish():
    """Let it be collected as all else is, now that it was run."""
    gc.unfreeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item, nextitem):
    """Hold every notebook to a minute of CPU: its kernel ends with its last cell."""
    before = ended()
    told = yield
    last = nextitem is None or nextitem.parent is not item.parent
    if last and type(item).__name__ == "IPyNbCell":
        took = ended() - before
        if took > LONGEST:
            pytest.fail(f"{item.path.name} took {took:.0f} s of CPU; {LONGEST} are the most")
    return told


def ended():
    """The CPU seconds of all processes that were started here and have ended."""
    times = os.times()
    return times.children_user + times.children_system
