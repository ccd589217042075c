"""Settings of the tests and of the notebooks; what is tested is the installed verikit."""

import sys
from pathlib import Path

ROOT = Path(__file__).parent

# `python -m pytest` puts the checkout first on the path, where verikit has no widgets.
sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != ROOT]


def pytest_configure(config):
    """Run notebooks in this environment, two minutes a cell, whatever kernels the user has."""
    option = config.option
    if getattr(option, "nbval", False) or getattr(option, "nbval_lax", False):
        option.nbval_sanitize_with = option.nbval_sanitize_with or str(ROOT / "tests" / "nbval.cfg")
        option.nbval_current_env = not option.nbval_kernel_name
        option.nbval_cell_timeout = min(option.nbval_cell_timeout, 120)
