"""Dealing: tables, cards and questions, all of them from one seed."""

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
from verikit.game._rules import RULES
from verikit.table import Microdata

__all__ = ["Game", "Hand", "new", "opened"]

ROLES = ("protector", "subject", "analyst", "intruder")
QUESTIONS = 10
BOUNDS = {"teams": (2, 1_000), "rounds": (1, 100), "people": (20, 100_000)}
FEW = 3


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
        """Which team plays what at the table of a team; nobody but the protector at her own.

        Examples
        --------
        >>> Game(teams=2).roles(1, 1)
        {'protector': 1, 'subject': 2, 'analyst': 2, 'intruder': 2}
        """
        others = [(team + step) % self.teams + 1 for step in range(self.teams - 1)]
        places = [(turn - 1 + step) % len(others) for step in range(3)]
        return {"protector": team, **{r: others[p] for r, p in zip(ROLES[1:], places, strict=True)}}

    def hand(self, turn: int, team: int) -> Hand:
        """What is dealt; the same each time."""
        rng = generator(self.seed, turn, team)
        made = simulate("dm", self.people, seed=int(rng.integers(2**31)))
        data = Microdata(made.frame.round(1), made.schema)
        questions, truths = _questions(data, rng)
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
        _write(home / "game.json", json.dumps(asdict(game)))
        _write(home / "RULES.md", RULES)
        for turn in range(1, rounds + 1):
            _deal(home / f"round-{turn}", game, turn)
    return game


def opened(folder: Path) -> Game:
    """How the game in a folder was dealt."""
    try:
        return Game(**json.loads((folder / "game.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        raise FormatError(
            f"{quoted(str(folder))} holds no game, or its game.json was changed; deal one with  "
            "verikit game new."
        ) from None


def _deal(home: Path, game: Game, turn: int) -> None:
    brief: dict[str, Any] = {}
    for team in range(1, game.teams + 1):
        hand, place = game.hand(turn, team), home / f"team-{team}"
        brief[place.name] = {r: f"team-{t}" for r, t in game.roles(turn, team).items()}
        _write(place / "original.csv", hand.original.frame.to_csv(index=False))
        _write(place / "person.json", json.dumps(hand.original.record(hand.person)))
        _write(place / "questions.sql", "".join(f"{one}\n" for one in hand.questions))
    _write(home / "brief.json", json.dumps(brief, indent=1))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _questions(
    data: Microdata, rng: np.random.Generator
) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Counts of people within bounds of two columns, of a few people at least."""
    found: dict[str, float] = {}
    original: Any = data  # the analyst's function counts in an original as well
    while len(found) < QUESTIONS:
        first, second = rng.permutation(list(data.schema.names))[:2]
        low, high = np.sort(rng.choice(data.frame[first].to_numpy(), 2, replace=False))
        bound = rng.choice(data.frame[second].to_numpy())
        text = f"select count(*) from t where {first} between {low} and {high}"  # noqa: S608
        text += f" and {second} > {bound}"
        truth = float(answer(text, original).estimate)
        if truth >= FEW:
            found[text] = truth
    return tuple(found), tuple(found.values())
