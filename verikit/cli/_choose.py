"""``verikit choose``: the least masking that meets a goal, tried on the original."""

from __future__ import annotations

import argparse
import json
import secrets
import shlex
import sys
from typing import TYPE_CHECKING, Any

from verikit.cli._inputs import (
    Commands,
    add_requirement,
    add_shared,
    add_spelling,
    print_json,
    read_requirement,
    report_progress,
)
from verikit.cli._protector import check_places, describe_written, read_original, save_both
from verikit.errors import FormatError, InfeasibleError

if TYPE_CHECKING:
    from verikit.mask import Knob
    from verikit.protector import Choice


def add_choose(commands: Commands) -> None:
    """Add the subcommand."""
    command = commands.add_parser(
        "choose",
        help="find the least masking that meets a goal",
        description="Try a method with more and less masking, and find the least that meets a "
        "goal: at most so many right links of an attack, or places and diversity kept by a share "
        "of the records. With --out and --key the release found is written; without, only told.",
    )
    command.add_argument(
        "method", help="noise, rank_swap, rank_swap_cycles, microaggregate, mdav or shuffle"
    )
    command.add_argument("original", help="the original records, a table file")
    command.add_argument("--links", type=int, metavar="COUNT", help="right links allowed at most")
    command.add_argument(
        "--share",
        type=float,
        default=1.0,
        help="of the records, how many keep distance and diversity, from 0 to 1 (default: 1)",
    )
    command.add_argument(
        "--attack", default="strongest", help="whose links are counted (default: strongest)"
    )
    command.add_argument(
        "--seeds", type=int, default=1, metavar="COUNT", help="how many seeds must meet the goal"
    )
    add_shared(command, "--seed")
    add_requirement(command)
    add_shared(command, "--schema")
    command.add_argument(
        "--hierarchy", action="append", default=[], metavar="NAME=FILE", help="of a column"
    )
    add_spelling(command)
    command.add_argument("--out", metavar="FOLDER", help="where to write the release found")
    command.add_argument("--key", metavar="FILE", help="where to keep its key")
    add_shared(command, "--json", "--quiet")
    command.set_defaults(run=run_choose)


def run_choose(given: argparse.Namespace) -> int:
    """Print the trials, what was found, and how to make it; 1 where nothing meets the goal."""
    from verikit.protector import Goal, choose, require_knob

    if bool(given.out) != bool(given.key):
        raise FormatError("--out says where the release goes and --key its key; give both.")
    if given.out:
        check_places(given.out, given.key)
    knob = require_knob(given.method)
    goal = Goal(
        **read_requirement(given), share=given.share, links=given.links, attack=given.attack
    )
    data = read_original(given)
    seed = secrets.randbits(53) if given.seed is None else given.seed
    say = report_progress(given)

    def count_trials(done: int, most: int) -> None:
        say(f"Masking {done} of at most {most} tried …")

    try:
        found = choose(
            data, given.method, goal, seed=seed, seeds=given.seeds, progress=count_trials
        )
    except InfeasibleError as error:
        print(error, file=sys.stderr)
        return 1
    if given.out and found.masked is not None:
        save_both(given, found.masked)
    _print_found(given, found, knob)
    return 0


def _print_found(given: argparse.Namespace, found: Choice, knob: Knob) -> None:
    """Print the trials and what was found."""
    settings = {**knob.fixed, found.parameter: found.value}
    if given.json:
        again = found.fresh
        fresh = None if again is None else {"links": again.links, "met": again.met}
        facts = {"method": found.method, "settings": settings, "fresh_seed": fresh}
        facts["trials"] = json.loads(found.to_frame().to_json(orient="records"))
        if given.out and found.masked is not None:
            facts["written"] = describe_written(given, found.masked)
        print_json(facts)
        return
    print(found.to_frame().to_string(index=False), found, sep="\n\n")
    if given.out:
        print(f"\nWritten to {given.out!r}; keep the key {given.key!r} to yourself.")
    else:
        print(f"\nTo make one like it:  {_suggest_command(given, knob, settings)}")


def _suggest_command(given: argparse.Namespace, knob: Knob, settings: dict[str, Any]) -> str:
    """Write the command that masks with what was found; its release has another randomness."""
    name = getattr(knob.function, "__name__", given.method)
    parts = ["verikit", "mask", name, given.original]
    parts += ["--schema", given.schema] if given.schema else []
    parts += [part for h in given.hierarchy for part in ("--hierarchy", h)]
    parts += [part for key, v in settings.items() for part in ("--set", f"{key}={v}")]
    return shlex.join([*parts, "--out", "draft", "--key", "draft.key"])
