"""Points for each role, by the functions of verikit; what cannot be read costs its own team."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from verikit.errors import FormatError, VerikitError, quoted
from verikit.game import _rules as rules
from verikit.game._deal import Game, Hand
from verikit.intruder import find_records, link
from verikit.protector import correct_links
from verikit.release import Key, TableRelease, open_release, whole_records
from verikit.subject import check
from verikit.table import Microdata
from verikit.utility import rank_correlation

__all__ = ["Points", "played"]

MOST = 1_000_000
NAMES = ("release", "release.zip", "release.csv")


@dataclass(frozen=True)
class Points:
    """What one team earned in one role.

    Parameters
    ----------
    turn, table
        The round, and whose table it was.
    team, role
        Who played what.
    points
        What it earned.
    said
        What it was earned for, in words.
    problem
        What could not be read; empty if nothing.
    """

    turn: int
    table: int
    team: int
    role: str
    points: float
    said: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Table:
    """A table when its round is over: what was dealt, published and opened."""

    home: Path
    hand: Hand
    release: TableRelease
    key: Key
    found: frozenset[int]
    excess: float


def played(folder: Path, game: Game) -> Iterator[Points]:
    """The points of every role at every table; always all of them."""
    for turn in range(1, game.rounds + 1):
        for team in range(1, game.teams + 1):
            home = folder / f"round-{turn}" / f"team-{team}"
            roles = game.roles(turn, team)
            table, problem = _tried(partial(_opened, home, game.hand(turn, team)))
            for role, who in roles.items():
                worth, said, wrong = 0.0, "", f"nothing to score: {problem}"
                if table is not None:
                    result, wrong = _tried(partial(SCORES[role], table))
                    worth, said = result or (0.0, "")
                yield Points(turn, team, who, role, round(worth, 1), said, wrong)


def _tried(make: Callable[[], Any]) -> tuple[Any, str]:
    """What is made, or a sentence on why it cannot be."""
    try:
        return make(), ""
    except VerikitError as error:
        return None, str(error)
    except (Exception, RecursionError, MemoryError) as error:
        return None, f"It cannot be read ({type(error).__name__})."


def _opened(home: Path, hand: Hand) -> Table:
    path = next((home / name for name in NAMES if (home / name).exists()), None)
    if path is None:
        raise FormatError("There is no release in the folder.")
    release: Any = open_release(path)
    names, n = set(hand.original.schema.names), len(hand.original)
    if not whole_records(release) or not names <= set(release.frame.columns):
        raise FormatError(f"The release has other columns than {', '.join(sorted(names))}.")
    if not (home / "key.json").is_file():
        raise FormatError("There is no key.json, so nothing can be counted.")
    key = Key.open(home / "key.json")
    if len(release.frame) != n or len(key.rows) != n:
        raise FormatError(f"The release or its key has other than {n} rows.")
    links = link(hand.original, release, attack="strongest")
    told = correct_links(links, key)
    found = {i for i in range(n) if links.of(i)["row"].tolist() == [int(key.rows[i]) + 1]}
    there = find_records(hand.original, release, places=rules.NEAR)
    excess = max(0.0, told.count - told.luck, there.count - there.luck)
    return Table(home, hand, release, key, frozenset(found), excess)


def _protector(table: Table) -> tuple[float, str]:
    original = table.hand.original
    rows = table.release.frame.iloc[table.key.rows][list(original.schema.names)]
    masked = Microdata(rows.reset_index(drop=True), original.schema)
    kept = np.nan_to_num(np.asarray(rank_correlation(original, masked), dtype=float))
    order = max(0.0, float(kept.mean()))
    said = f"order kept {order:.2f}; {table.excess:.1f} people found above luck"
    return rules.KEPT * order - rules.FOUND * table.excess, said


def _subject(table: Table) -> tuple[float, str]:
    told = _json(table.home / "subject.json", dict)
    report = check(table.hand.original.record(table.hand.person), table.release)
    allowed = {sentence.key for sentence in report.sentences}
    says = told.get("says", [])
    said = {str(one) for one in says} if isinstance(says, list) else {str(says)}
    points = min(rules.ALLOWED_MOST, len(said & allowed)) * rules.ALLOWED
    points -= rules.FORBIDDEN * len(said - allowed)
    near = re.search(r"\d+", report.figures[0].value) if report.figures else None
    right = near is not None and told.get("distance") == int(near.group())
    points += rules.DISTANCE * right
    found = table.hand.person in table.found
    if told.get("objects") is True:
        points += rules.OBJECTED if found else -rules.VAIN
    words = [f"distance {'right' if right else 'wrong'}"]
    words += [f"{len(said & allowed)} sentences said rightly, {len(said - allowed)} not"]
    words += [f"she {'is' if found else 'is not'} found"]
    return float(points), "; ".join(words)


def _analyst(table: Table) -> tuple[float, str]:
    given = _json(table.home / "answers.json", list)
    truths = table.hand.truths
    if len(given) != len(truths):
        raise FormatError(f"answers.json holds {len(given)} answers; expected {len(truths)}.")
    pairs = zip(map(_number, given), truths, strict=True)
    near = [max(0.0, 1 - abs(one - truth) / truth) for one, truth in pairs]
    return rules.ASK * sum(near), f"mean accuracy {np.mean(near):.2f}"


def _intruder(table: Table) -> tuple[float, str]:
    path, n = table.home / "claims.csv", len(table.hand.original)
    _small(path)
    claims = pd.read_csv(path)
    if not {"person", "row", "stake"} <= set(claims.columns) or len(claims) > rules.CLAIMS:
        raise FormatError(
            f"claims.csv has to hold person, row and stake, and at most {rules.CLAIMS} lines."
        )
    own = {person + 1: int(row) + 1 for person, row in enumerate(table.key.rows)}
    points, right = 0, 0
    for person, row, stake in claims[["person", "row", "stake"]].itertuples(index=False):
        if person not in own or not 1 <= row <= n or not 1 <= stake <= rules.STAKE:
            raise FormatError(
                f"claims.csv holds {quoted(f'{person},{row},{stake}')}; expected rows from "
                f"1 to {n} and a stake from 1 to {rules.STAKE}."
            )
        hit = own[person] == row
        points, right = points + (int(stake) if hit else -int(stake)), right + hit
    if claims["person"].duplicated().any():
        raise FormatError("claims.csv names a person twice; one claim each.")
    return float(points), f"{right} of {len(claims)} claims right; luck gives {len(claims) / n:.1f}"


SCORES: dict[str, Callable[[Table], tuple[float, str]]] = {
    "protector": _protector, "subject": _subject, "analyst": _analyst, "intruder": _intruder,
}  # fmt: skip


def _json(path: Path, kind: type) -> Any:
    _small(path)
    try:
        told = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, kind):
        raise FormatError(f"{path.name} cannot be read; RULES.md shows what it holds.")
    return told


def _small(path: Path) -> None:
    if not path.is_file():
        raise FormatError(f"{path.name} is not in the folder.")
    if path.stat().st_size > MOST:
        raise FormatError(f"{path.name} is larger than {MOST // 1000} kB.")


def _number(value: Any) -> float:
    fits = isinstance(value, (int, float)) and not isinstance(value, bool) and np.isfinite(value)
    if not fits:
        raise FormatError(f"answers.json holds {quoted(value)}; expected numbers only.")
    return float(value)
