"""The rules with the numbers that count, and dealing: all of it from one seed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from verikit._support.requests import whole
from verikit._support.seed import checked_seed, generator
from verikit._support.writing import together
from verikit.analyst import answer
from verikit.datasets import simulate
from verikit.errors import FormatError, quoted
from verikit.table import Microdata

ROLES = ("protector", "subject", "analyst", "intruder")
QUESTIONS = 10
BOUNDS = {"teams": (2, 1_000), "rounds": (1, 100), "people": (20, 100_000)}
MIN_COUNT = 3
RULES = Path(__file__).with_name("rules.md")
# What counts for each role, in the order of the rules, which name these numbers.
KEPT, FOUND, NEAR = 100, 3, 1
DISTANCE, ALLOWED, ALLOWED_MOST, FORBIDDEN, OBJECTED, VAIN = 20, 5, 4, 10, 10, 5
ASK = 10
CLAIMS, STAKE = 20, 5


@dataclass(frozen=True)
class Hand:
    """What one team is dealt in one round.

    Parameters
    ----------
    original
        Its table.
    person
        The row of the person whose card is dealt, from 0.
    questions
        Questions in SQL.
    truths
        Their true answers, which nobody is dealt.
    """

    original: Microdata
    person: int
    questions: tuple[str, ...]
    truths: tuple[float, ...]


@dataclass(frozen=True)
class Game:
    """How a game was dealt: everything follows from these numbers.

    Parameters
    ----------
    teams, rounds, people
        How many there are: teams, rounds, and people in each table.
    seed
        The randomness of the deal.
    """

    teams: int
    rounds: int = 2
    people: int = 60
    seed: int = 0

    def __post_init__(self) -> None:
        """Refuse what cannot be played."""
        for name, (least, most) in BOUNDS.items():
            whole(getattr(self, name), name, least, most)
        checked_seed(self.seed)

    def roles(self, turn: int, team: int) -> dict[str, int]:
        """Say which team plays what at the table of a team; nobody but the protector at her own.

        Examples
        --------
        >>> Game(teams=2).roles(1, 1)
        {'protector': 1, 'subject': 2, 'analyst': 2, 'intruder': 2}
        """
        others = [(team + step) % self.teams + 1 for step in range(self.teams - 1)]
        places = [(turn - 1 + step) % len(others) for step in range(3)]
        return {"protector": team, **{r: others[p] for r, p in zip(ROLES[1:], places, strict=True)}}

    def hand(self, turn: int, team: int) -> Hand:
        """Deal the table, card and questions of a team; the same each time."""
        rng = generator(self.seed, turn, team)
        made = simulate("dm", self.people, seed=int(rng.integers(2**31)))
        data = Microdata(made.frame.round(1), made.schema)
        questions, truths = _draw_questions(data, rng)
        return Hand(data, int(rng.integers(self.people)), questions, truths)


def new(folder: str | Path, *, teams: int, seed: int, rounds: int = 2, people: int = 60) -> Game:
    """Deal a game into a new folder.

    Parameters
    ----------
    folder
        A folder that is not there yet, or empty; all teams need it.
    teams
        How many teams there are.
    seed
        The randomness of the deal.
    rounds, people
        How many rounds there are, and people in each table.

    Returns
    -------
    Game
        How it was dealt.

    Raises
    ------
    RecordError
        If a number does not fit.
    FormatError
        If the folder holds something.
    """
    game = Game(teams, rounds, people, seed)
    with together() as staged:
        home = staged.folder(folder)
        files: dict[Path, str] = {Path("game.json"): json.dumps(asdict(game))}
        files[Path("RULES.md")] = RULES.read_text(encoding="utf-8").format_map(globals())
        for turn in range(1, rounds + 1):
            files |= _deal_round(Path(f"round-{turn}"), game, turn)
        for path, text in files.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_text(text, encoding="utf-8")
    return game


def open_game(folder: Path) -> Game:
    """Read how the game in a folder was dealt."""
    try:
        return Game(**json.loads((folder / "game.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        raise FormatError(
            f"{quoted(str(folder))} holds no game, or its game.json was changed; deal one with  "
            "verikit game new."
        ) from None


def _deal_round(home: Path, game: Game, turn: int) -> dict[Path, str]:
    """Deal a round: by file, what stands in it."""
    brief: dict[str, Any] = {}
    files: dict[Path, str] = {}
    for team in range(1, game.teams + 1):
        hand, place = game.hand(turn, team), home / f"team-{team}"
        brief[place.name] = {r: f"team-{t}" for r, t in game.roles(turn, team).items()}
        files[place / "original.csv"] = hand.original.frame.to_csv(index=False)
        files[place / "person.json"] = json.dumps(hand.original.record(hand.person))
        files[place / "questions.sql"] = "".join(f"{one}\n" for one in hand.questions)
    return files | {home / "brief.json": json.dumps(brief, indent=1)}


def _draw_questions(
    data: Microdata, rng: np.random.Generator
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Draw counts of people within bounds of two columns, of a few people at least."""
    found: dict[str, float] = {}
    original: Any = data  # the analyst's function counts in an original as well
    while len(found) < QUESTIONS:
        first, second = rng.permutation(list(data.schema.names))[:2]
        low, high = np.sort(rng.choice(data.frame[first].to_numpy(), 2, replace=False))
        bound = rng.choice(data.frame[second].to_numpy())
        text = f"select count(*) from t where {first} between {low} and {high}"  # noqa: S608
        text += f" and {second} > {bound}"
        truth = float(answer(text, original).estimate)
        # The error is relative to the truth, which a count of next to nobody would blow up.
        if truth >= MIN_COUNT:
            found[text] = truth
    return tuple(found), tuple(found.values())
