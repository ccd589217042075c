"""What tests look at: every module of verikit by its name, and how many of many cases."""

import ast
import os
import tomllib
from functools import cache
from pathlib import Path

from verikit.languages import LANGUAGES, own_texts

CHECKOUT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
SETUP = PROJECT["tool"]["setuptools"]
FOLDERS = SETUP["package-dir"]
DATA = {"verikit._data", "verikit._notebooks"}

WHOLE = [name for name in LANGUAGES if own_texts(name, "checks")]  # no English is left in these
THOROUGH = os.environ.get("VERIKIT_HYPOTHESIS") == "thorough"


def tries(count, share=4):
    """How often something random is tried: as often as said where thoroughness is asked for."""
    return count if THOROUGH else -(-count // share)


def every(cases, step=4):
    """One of so many cases that all test one thing; all where thoroughness is asked for."""
    return list(cases)[:: 1 if THOROUGH else step]


def _folder(package):
    """The folder of a package: its own line, or that of the package it is in."""
    if package in FOLDERS or "." not in package:
        return CHECKOUT / FOLDERS.get(package, package)
    outer, _, name = package.rpartition(".")
    return _folder(outer) / name


PACKAGES = {name: _folder(name) for name in SETUP["packages"] if name not in DATA}
MODULES = {
    f"{package}.{file.stem}".removesuffix(".__init__"): file
    for package, folder in PACKAGES.items()
    for file in sorted(folder.glob("*.py"))
}
PUBLIC = sorted(name for name in MODULES if "._" not in name and "__" not in name)
CORE = {name for name, file in MODULES.items() if file.is_relative_to(CHECKOUT / "verikit")}


def room(module):
    """The room that a module is in; of the package itself, its own name."""
    return module.split(".")[1] if "." in module else "__init__"


@cache
def tree(module):
    """The syntax tree of a module; nobody changes it."""
    return ast.parse(MODULES[module].read_text(encoding="utf-8"))
