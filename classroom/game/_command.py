"""``verikit game``: four roles around one table, in a shared folder."""

from __future__ import annotations

import argparse
import json
import secrets
from dataclasses import asdict

from verikit.cli import Commands


def add(commands: Commands) -> None:
    """Add the subcommand, with its two steps."""
    command = commands.add_parser(
        "game", help="play protector, subject, analyst and intruder in a shared folder"
    )
    steps = command.add_subparsers(metavar="step", required=True)
    make = steps.add_parser("new", help="deal a game into a new folder, with its rules")
    make.add_argument("folder", help="a new folder that every team can reach")
    make.add_argument("--teams", type=int, required=True, help="how many teams, 2 or more")
    make.add_argument("--rounds", type=int, default=2, help="how many rounds (default: 2)")
    make.add_argument("--people", type=int, default=60, help="people in a table (default: 60)")
    make.add_argument("--seed", type=int, help="deal the same game again")
    make.set_defaults(run=run_new)
    count = steps.add_parser("score", help="count the points, and write board.html")
    count.add_argument("folder", help="the folder of the game")
    count.set_defaults(run=run_score)
    for step in (make, count):
        step.add_argument("--json", action="store_true", help="print the result as JSON")


def run_new(given: argparse.Namespace) -> int:
    from verikit.game import new

    seed = secrets.randbelow(2**31) if given.seed is None else given.seed
    new(given.folder, teams=given.teams, seed=seed, rounds=given.rounds, people=given.people)
    done = f"Dealt into {given.folder}; begin with RULES.md."
    print(json.dumps({"folder": given.folder, "seed": seed}) if given.json else done)
    return 0


def run_score(given: argparse.Namespace) -> int:
    from verikit.game import score

    found = score(given.folder)
    if given.json:
        print(json.dumps([asdict(one) for one in found], ensure_ascii=False))
        return int(any(one.problem for one in found))
    for one in found:
        where = f"round {one.turn}, table {one.table}"
        print(f"{where}  {one.role} team {one.team}  {one.points:g}  {one.problem or one.said}")
    print(f"The board is {given.folder}/board.html.")
    return int(any(one.problem for one in found))
