"""``verikit game``: four roles around one table, in a shared folder."""

from __future__ import annotations

import secrets
from dataclasses import KW_ONLY, asdict, dataclass

from verikit.cli import Command, Commands, declare


def add(commands: Commands) -> None:
    """Add the subcommand, with its two steps."""
    words = "play protector, subject, analyst and intruder in a shared folder"
    steps = commands.add_parser("game", help=words).add_subparsers(metavar="step", required=True)
    declare(steps, "new", Deal)
    declare(steps, "score", Score)


@dataclass
class Deal(Command):
    """Deal a game into a new folder, with its rules.

    Parameters
    ----------
    folder
        a new folder that every team can reach
    teams
        how many teams, 2 or more
    rounds
        how many rounds (default: 2)
    people
        people in a table (default: 60)
    seed
        deal the same game again
    """

    folder: str
    _: KW_ONLY
    teams: int
    rounds: int = 2
    people: int = 60
    seed: int | None = None
    json: bool = False

    def execute(self) -> int:
        """Deal, and say where."""
        from verikit.game import new

        seed = secrets.randbelow(2**31) if self.seed is None else self.seed
        new(self.folder, teams=self.teams, seed=seed, rounds=self.rounds, people=self.people)
        facts = {"folder": self.folder, "seed": seed}
        self.show(facts, f"Dealt into {self.folder}; begin with RULES.md.")
        return 0


@dataclass
class Score(Command):
    """Count the points, and write board.html.

    Parameters
    ----------
    folder
        the folder of the game
    """

    folder: str
    _: KW_ONLY
    json: bool = False

    def execute(self) -> int:
        """Count, and show every role at every table; 1 where something could not be read."""
        from verikit.game import score

        found = score(self.folder)
        lines = [
            f"round {one.turn}, table {one.table}  {one.role} team {one.team}  {one.points:g}  "
            f"{one.problem or one.said}"
            for one in found
        ]
        lines.append(f"The board is {self.folder}/board.html.")
        self.show([asdict(one) for one in found], "\n".join(lines))
        return int(any(one.problem for one in found))
