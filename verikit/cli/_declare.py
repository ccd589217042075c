"""A command is declared by a dataclass: fields are what can be typed, the docstring is the help."""

from __future__ import annotations

import argparse
import inspect
import json
import re
import sys
from collections.abc import Callable
from dataclasses import KW_ONLY, MISSING, Field, dataclass, field, fields, is_dataclass
from functools import partial
from types import NoneType
from typing import Any, ClassVar, TypeAlias, get_args, get_origin, get_type_hints

from verikit.cli._inputs import parse_value, read_pairs
from verikit.languages import LANGUAGES
from verikit.table import MISSING as MISSING_MARKS

Commands: TypeAlias = "argparse._SubParsersAction[Any]"
SECTION = re.compile(r"Parameters\n-+\n(.*?)(?:\n\n\w+\n-+\n|\Z)", re.DOTALL)
ITEM = re.compile(r"^([\w, ]+?)(?: : (.+))?\n((?:    .*\n?)+)", re.MULTILINE)
CHOICES = {"language": LANGUAGES}
SHARED = {
    "schema": ("TOML", "roles and kinds of the columns"),
    "seed": ("", "to repeat a run; else the system's randomness"),
    "json": ("", "print the result as JSON"),
    "quiet": ("", "say nothing while it works"),
    "port": ("", "the port; a free one if none is given"),
    "no_browser": ("", "open no browser"),
}


class Parser(argparse.ArgumentParser):
    """A parser whose help may end with words that take a moment, so are found when it is asked."""

    closing: Callable[[], str] | None = None

    def format_help(self) -> str:
        """Write the help, its closing words last."""
        if self.closing is not None:
            self.epilog = self.closing()
            self.formatter_class = argparse.RawDescriptionHelpFormatter
        return super().format_help()


@dataclass
class Command:
    """What every command has: a way to say what it does, and one to show what it found."""

    done: str = field(default="", init=False)  # what is whole already, should it be stopped
    stopped: ClassVar[str] = "nothing was written"

    def execute(self) -> int:
        """Do what was asked for, and give the exit code."""
        raise NotImplementedError

    def say(self, words: str) -> None:
        """Say what is being done, unless that was asked not to be."""
        if not getattr(self, "quiet", False) and sys.stderr is not None:
            print(words, file=sys.stderr, flush=True)

    def show(self, facts: Any, text: str, verdict: str = "") -> None:
        """Print what was found: the facts as JSON, the verdict beside them; or all of it in words.

        Facts that are text are JSON already.
        """
        if getattr(self, "json", False):
            as_json = partial(json.dumps, ensure_ascii=False, default=str)
            print(facts if isinstance(facts, str) else as_json(facts))
            if verdict:
                print(verdict, file=sys.stderr)
        else:
            print(text + verdict)


@dataclass
class Spelling:
    """How a table is written, where it is not to be found out.

    Parameters
    ----------
    encoding : NAME
        of a CSV's letters, such as latin-1 (default: found)
    separator : MARK
        between a CSV's values: , ; | tab or space
    decimal : MARK
        before a CSV's decimal places: . or , (default: found)
    sheet : NAME
        the sheet or table of a file that holds several
    missing : MARK
        what stands for a missing value, besides an empty cell and NA; may be repeated
    labels : FILE
        a DDI codebook (XML) with words for its columns and values
    words : COLUMN
        a column whose cells are words, even those like <=50K; may be repeated
    """

    _: KW_ONLY
    encoding: str | None = None
    separator: str | None = None
    decimal: str | None = None
    sheet: str | None = None
    missing: list[str] = field(default_factory=list)
    labels: str | None = None
    words: list[str] = field(default_factory=list)

    @property
    def keywords(self) -> dict[str, Any]:
        """What `read` and `open_release` are told of it."""
        found = {name: value for name, value in vars(self).items() if name != "missing" and value}
        return found | ({"missing": (*MISSING_MARKS, *self.missing)} if self.missing else {})


@dataclass
class Requirement:
    """What is required of each record.

    Parameters
    ----------
    distance : [NAME=]PLACES
        places required of every attribute, or of one; may be repeated
    diversity : [NAME=]VALUE
        diversity required within the distance, of every attribute or of one
    criterion : [NAME=]MEASURE
        how diversity is measured, for every attribute or for one (default: variance)
    apart : WIDTH
        for packing: the difference that counts
    c : TIMES
        for recursive: less than so many times as often as the rarer values the commonest occurs
    """

    _: KW_ONLY
    distance: list[str] = field(default_factory=list)
    diversity: list[str] = field(default_factory=list)
    criterion: list[str] = field(default_factory=list)
    apart: float | None = None
    c: float | None = None

    @property
    def keywords(self) -> dict[str, Any]:
        """What `check` and `audit` are told of it."""
        from verikit.ranks.spread import Criterion

        found: dict[str, Any] = {}
        if len(self.criterion) == 1 and "=" not in self.criterion[0]:
            found["criterion"] = Criterion(self.criterion[0], self.apart, self.c)
        elif self.criterion:
            asked = read_pairs(self.criterion, "--criterion")
            found["criterion"] = {n: Criterion(m, self.apart, self.c) for n, m in asked.items()}
        for name in ("distance", "diversity"):
            given = getattr(self, name)
            if len(given) == 1 and "=" not in given[0]:
                found[name] = parse_value(given[0])
            elif given:
                pairs = read_pairs(given, f"--{name}")
                found[name] = {column: parse_value(value) for column, value in pairs.items()}
        return found


def read_parameters(documented: object) -> dict[str, tuple[str, str]]:
    """Read from a docstring what each parameter is written as, and what is said of it in a line."""
    section = SECTION.search(inspect.getdoc(documented) or "")
    found: dict[str, tuple[str, str]] = {}
    for names, written, words in ITEM.findall(section[1] + "\n" if section else ""):
        line = " ".join(words.split()).replace("`", "")
        found |= dict.fromkeys((name.strip() for name in names.split(",")), (written, line))
    return found


def declare(
    commands: Commands, name: str, kind: type[Command], closing: Callable[[], str] | None = None
) -> None:
    """Add a command: what is said of it by its docstring, and what is typed by its fields."""
    summary, _, rest = (inspect.getdoc(kind) or "").partition("\n")
    description = " ".join(rest.partition("\nParameters\n")[0].split())
    help_line = summary[:1].lower() + summary[1:].rstrip(".")
    parser = commands.add_parser(name, help=help_line, description=description or None)
    parser.closing = closing
    _add_fields(parser, kind)
    parser.set_defaults(declared=kind)


def _add_fields(parser: argparse.ArgumentParser, kind: type[Any]) -> None:
    said, types = SHARED | read_parameters(kind), get_type_hints(kind)
    for one in fields(kind):
        asked: Any = types[one.name]
        if is_dataclass(asked):
            _add_fields(parser, types[one.name])
        elif one.init:
            metavar, words = said[one.name]
            _add_field(parser, one, asked, {"help": words, "metavar": metavar or None})


def _add_field(
    parser: argparse.ArgumentParser, one: Field[Any], asked: Any, written: dict[str, Any]
) -> None:
    """Add one field: without a default it must be given, and what follows `KW_ONLY` by its name."""
    needed = not has_default(one)
    if asked is bool:
        written = {"action": "store_true", "help": written["help"]}
    elif get_origin(asked) is list:
        written |= {"action": "append"} if one.kw_only else {"nargs": "+"}
    else:
        kinds = [part for part in get_args(asked) or (asked,) if part is not NoneType]
        written |= {"type": kinds[0], "choices": CHOICES.get(one.name)}
    if one.kw_only:
        option = "--" + one.name.rstrip("_").replace("_", "-")
        parser.add_argument(option, dest=one.name, required=needed, **written)
    else:
        may_lack = not needed or NoneType in get_args(asked)
        parser.add_argument(one.name, **({"nargs": "?"} if may_lack else {}) | written)


def has_default(one: Field[Any]) -> bool:
    """Tell whether a field may be left out."""
    return one.default is not MISSING or one.default_factory is not MISSING


def build(kind: type[Any], given: argparse.Namespace) -> Any:
    """Build a declared command from what was typed; what was not keeps the default of its field."""
    types = get_type_hints(kind)
    values = {
        one.name: build(types[one.name], given)
        if is_dataclass(types[one.name])
        else getattr(given, one.name)
        for one in fields(kind)
        if one.init
    }
    unset = {one.name for one in fields(kind) if values.get(one.name) is None and has_default(one)}
    return kind(**{name: value for name, value in values.items() if name not in unset})
