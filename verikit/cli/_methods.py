"""The methods of masking as the command line knows them: their parameters, groups and trees."""

from __future__ import annotations

import argparse
import inspect
import re
import textwrap
from typing import Any

from verikit._support.seed import generator
from verikit.cli._inputs import parse_value, read_pairs
from verikit.errors import RecordError, SchemaError
from verikit.partition import Partition, diverse, min_sum_error, mondrian
from verikit.table import Microdata, read_frame
from verikit.words import listed

GROUPING = 982_451_653
GIVEN_OTHERWISE = ("data", "graph", "seed")
SECTION = re.compile(r"Parameters\n-+\n(.*?)(?:\n\n\w+\n-+\n|\Z)", re.DOTALL)
ITEM = re.compile(r"^([\w, ]+)\n((?:    .*\n?)+)", re.MULTILINE)
ADVICE = {
    "partition": "Give --k, --ell, or --k and --e, or the groups with --groups FILE.",
    "hierarchy": "Give the sensitive column its own with --hierarchy NAME=FILE or --schema.",
}


class MethodHelp(argparse.Action):
    """Print the help with every method and its parameters, and end."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Look the methods up only now, because that takes a moment."""
        parser.epilog = _describe_methods()
        parser.print_help()
        parser.exit()


def add_groups(command: argparse.ArgumentParser) -> None:
    """Add the options by which groups and hierarchies are given."""
    command.add_argument("--k", type=int, metavar="COUNT", help="records, or values, in each group")
    command.add_argument(
        "--ell", type=int, metavar="COUNT", help="different sensitive values in each group"
    )
    command.add_argument(
        "--e", type=float, metavar="WIDTH", help="with --k: how far apart those values lie"
    )
    command.add_argument(
        "--groups",
        metavar="FILE",
        help="a table with one line a record and its group in the column 'group'",
    )
    command.add_argument(
        "--hierarchy",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="a column's hierarchy: one line a value, from the value to the root",
    )


def check_method(name: str) -> None:
    """Refuse what is no method, or one that masks no table."""
    from verikit.mask import METHODS

    if name not in METHODS:
        raise RecordError(f"There is no method {name!r}; verikit has {listed(METHODS, 40)}.")
    if METHODS[name].takes is not Microdata:
        raise RecordError(
            f"mask {name} takes a {METHODS[name].takes.__name__}, which no table file holds; call "
            f"verikit.mask.{name} from Python."
        )


def build_arguments(given: argparse.Namespace, data: Microdata, seed: int) -> dict[str, Any]:
    """Build what a method is called with: parameters, groups and a hierarchy; none may lack."""
    known = _list_parameters(given.method)
    found = {name: parse_value(value) for name, value in read_pairs(given.set, "--set").items()}
    grouped = [name for name in ("k", "ell", "e", "groups") if getattr(given, name) is not None]
    if grouped and "partition" in known:
        found["partition"] = _make_partition(given, data, seed)
    elif grouped:
        found |= {name: getattr(given, name) for name in grouped}
        found |= {"groups": _read_groups(given.groups, data)} if "groups" in found else {}
    if "hierarchy" in known and "hierarchy" not in found:
        trees = [c.hierarchy for c in data.schema.sensitive if c.hierarchy is not None]
        found |= {"hierarchy": trees[0]} if trees else {}
    unknown = [name for name in found if name not in known]
    lacking = [name for name, p in known.items() if p.default is p.empty and name not in found]
    if unknown or lacking:
        advice = " ".join(ADVICE[name] for name in lacking if name in ADVICE)
        raise RecordError(
            f"mask {given.method} takes {listed(known, 12) or 'no parameter'}; given with --set "
            f"were {listed(found, 12) or 'none'}. {advice}".strip()
        )
    return found


def _list_parameters(method: str) -> dict[str, inspect.Parameter]:
    from verikit.mask import METHODS

    takes = inspect.signature(METHODS[method].function).parameters
    return {name: parameter for name, parameter in takes.items() if name not in GIVEN_OTHERWISE}


def _make_partition(given: argparse.Namespace, data: Microdata, seed: int) -> Partition:
    """Make the groups that were asked for, drawn with a seed of their own."""
    # Groups and masking must not share their randomness: who knows the one would know the other.
    drawn = int(generator(seed, GROUPING).integers(0, 2**53))
    if given.groups is not None:
        return _read_groups(given.groups, data)
    if given.e is not None and given.k is not None:
        return min_sum_error(data, k=given.k, e=given.e, seed=drawn)
    if given.ell is not None:
        return diverse(data, ell=given.ell, seed=drawn)
    if given.k is None:
        raise RecordError("--e was given without --k; give how many values each group holds too.")
    return mondrian(data, k=given.k)


def _read_groups(path: str, data: Microdata) -> Partition:
    frame = read_frame(path)
    names = [name for name in frame.columns if name == "group"] or list(frame.columns)
    if len(names) > 1 or len(frame) != len(data):
        raise SchemaError(
            f"{path!r} holds {len(frame):,} lines of {listed(frame.columns)}; expected a column "
            f"'group' with one line for each of the {len(data):,} records."
        )
    return Partition.of(frame[names[0]])


def _describe_methods() -> str:
    from verikit.mask import METHODS

    lines = ["methods and their parameters, each given with --set:"]
    for name, method in METHODS.items():
        if method.takes is not Microdata:
            continue
        documented = _read_parameters(method.function)
        lines += ["", f"  {name}: {method.words}"]
        for parameter, kept in _list_parameters(name).items():
            needed = " (needed)" if kept.default is kept.empty else ""
            words = ADVICE.get(parameter, documented.get(parameter, ""))
            shown = f"{parameter}{needed}: {words}".rstrip(": ")
            lines += textwrap.wrap(shown, 96, initial_indent="    ", subsequent_indent="      ")
    return "\n".join(lines)


def _read_parameters(function: Any) -> dict[str, str]:
    """Read what a docstring says of each parameter, as one line."""
    section = SECTION.search(inspect.getdoc(function) or "")
    found: dict[str, str] = {}
    for names, words in ITEM.findall(section.group(1) + "\n" if section else ""):
        line = " ".join(words.split()).replace("``", "").replace("`", "")
        found |= dict.fromkeys((name.strip() for name in names.split(",")), line)
    return found
