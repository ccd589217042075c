"""Points for each role, by the functions of verikit, and the board that shows them.

What cannot be read costs its own team; the board is one page that asks for nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.html import element, name, page, table
from verikit._support.svg import bars
from verikit._support.writing import together
from verikit.errors import FormatError, VerikitError, quoted
from verikit.game import _deal as rules
from verikit.game._deal import ROLES, Game, Hand, open_game
from verikit.intruder import find_records, link
from verikit.protector import correct_links
from verikit.release import Key, TableRelease, open_release, whole_records
from verikit.subject import check
from verikit.table import Microdata
from verikit.utility import rank_correlation

MAX_BYTES = 1_000_000
RELEASE_NAMES = ("release", "release.zip", "release.csv")


@dataclass(frozen=True)
class Points:
    """What one team earned in one role.

    Parameters
    ----------
    turn, table
        The round, and whose table it was.
    team, role
        Who score_tables what.
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


def score_tables(folder: Path, game: Game) -> Iterator[Points]:
    """Score every role at every table; always all of them."""
    for turn in range(1, game.rounds + 1):
        for team in range(1, game.teams + 1):
            home = folder / f"round-{turn}" / f"team-{team}"
            roles = game.roles(turn, team)
            table, problem = _try_or_explain(partial(_open_table, home, game.hand(turn, team)))
            for role, who in roles.items():
                worth, said, wrong = 0.0, "", f"nothing to score: {problem}"
                if table is not None:
                    result, wrong = _try_or_explain(partial(SCORES[role], table))
                    worth, said = result or (0.0, "")
                yield Points(turn, team, who, role, round(worth, 1), said, wrong)


def _try_or_explain(make: Callable[[], Any]) -> tuple[Any, str]:
    """Give what is made, or a sentence on why it cannot be."""
    try:
        return make(), ""
    except VerikitError as error:
        return None, str(error)
    except (Exception, RecursionError, MemoryError) as error:
        return None, f"It cannot be read ({type(error).__name__})."


def _open_table(home: Path, hand: Hand) -> Table:
    """Open the release and the key of a table, and run the strongest attack."""
    path = next((home / name for name in RELEASE_NAMES if (home / name).exists()), None)
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
    right = correct_links(links, key)
    found = {i for i in range(n) if links.of(i)["row"].tolist() == [int(key.rows[i]) + 1]}
    there = find_records(hand.original, release, places=rules.NEAR)
    # Links miss whole records that were exchanged; these are found by their values instead.
    excess = max(0.0, right.count - right.luck, there.excess)
    return Table(home, hand, release, key, frozenset(found), excess)


def score_protector(table: Table) -> tuple[float, str]:
    """Score the order kept, less the people found above luck."""
    original = table.hand.original
    rows = table.release.frame.iloc[table.key.rows][list(original.schema.names)]
    masked = Microdata(rows.reset_index(drop=True), original.schema)
    kept = np.nan_to_num(np.asarray(rank_correlation(original, masked), dtype=float))
    order = max(0.0, float(kept.mean()))
    said = f"order kept {order:.2f}; {table.excess:.1f} people found above luck"
    return rules.KEPT * order - rules.FOUND * table.excess, said


def score_subject(table: Table) -> tuple[float, str]:
    """Score the distance, the sentences and the objection of a subject."""
    claimed = _read_json(table.home / "subject.json", dict)
    report = check(table.hand.original.record(table.hand.person), table.release)
    allowed = {sentence.key for sentence in report.sentences}
    says = claimed.get("says", [])
    said = {str(one) for one in says} if isinstance(says, list) else {str(says)}
    points = min(rules.ALLOWED_MOST, len(said & allowed)) * rules.ALLOWED
    points -= rules.FORBIDDEN * len(said - allowed)
    near = re.search(r"\d+", report.figures[0].value) if report.figures else None
    right = near is not None and claimed.get("distance") == int(near.group())
    points += rules.DISTANCE * right
    found = table.hand.person in table.found
    if claimed.get("objects") is True:
        points += rules.OBJECTED if found else -rules.VAIN
    words = [f"distance {'right' if right else 'wrong'}"]
    words += [f"{len(said & allowed)} sentences said rightly, {len(said - allowed)} not"]
    words += [f"she {'is' if found else 'is not'} found"]
    return float(points), "; ".join(words)


def score_analyst(table: Table) -> tuple[float, str]:
    """Score how near the answers are to the truth."""
    given = _read_json(table.home / "answers.json", list)
    truths = table.hand.truths
    if len(given) != len(truths):
        raise FormatError(f"answers.json holds {len(given)} answers; expected {len(truths)}.")
    near = []
    for value, truth in zip(given, truths, strict=True):
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not np.isfinite(value):
            raise FormatError(f"answers.json holds {quoted(value)}; expected numbers only.")
        near.append(max(0.0, 1 - abs(float(value) - truth) / truth))
    return rules.ASK * sum(near), f"mean accuracy {np.mean(near):.2f}"


def score_intruder(table: Table) -> tuple[float, str]:
    """Score the stakes of claims, by whether they are right."""
    path, n = table.home / "claims.csv", len(table.hand.original)
    _refuse_large(path)
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
    "protector": score_protector,
    "subject": score_subject,
    "analyst": score_analyst,
    "intruder": score_intruder,
}


def _read_json(path: Path, kind: type) -> Any:
    """Read a JSON file of a team, of one kind."""
    _refuse_large(path)
    try:
        found = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, kind):
        raise FormatError(f"{path.name} cannot be read; RULES.md shows what it holds.")
    return found


def _refuse_large(path: Path) -> None:
    """Refuse a file that is missing or too large."""
    if not path.is_file():
        raise FormatError(f"{path.name} is not in the folder.")
    if path.stat().st_size > MAX_BYTES:
        raise FormatError(f"{path.name} is larger than {MAX_BYTES // 1000} kB.")


STYLE = """<style>
.vk td,.vk th{white-space:nowrap}
.vk .round :is(th,td):not(:nth-child(4)){text-align:left}
.vk .round td:last-child{white-space:normal;min-width:9rem}
</style>"""


def score(folder: str | Path) -> list[Points]:
    """Count a game, and write ``board.html`` and ``scores.csv`` into its folder.

    Parameters
    ----------
    folder
        The folder of the game.

    Returns
    -------
    list of Points
        The points of each role at each table; of the same folder always the same.

    Raises
    ------
    FormatError
        If there is no game in the folder.
    """
    home = Path(folder)
    found = list(score_tables(home, open_game(home)))
    lines = pd.DataFrame([vars(one) for one in found]).rename(columns={"turn": "round"})
    with together() as new:
        new.file(home / "scores.csv", lines.to_csv(index=False), replace=True)
        new.file(home / "board.html", _make_board(found), replace=True)
    return found


def _make_board(found: Sequence[Points]) -> str:
    """Make the page: totals, bars, rounds, and what could not be read."""
    totals = _add_up(found)
    shown = totals[["team", "all"]].to_numpy().tolist()
    said = "; ".join(f"{team} {points:g}" for team, points in shown)
    lines = [
        f"Round {one.turn}, table of team {one.table}: {one.role} of team {one.team}: {one.problem}"
        for one in found
        if one.problem
    ]
    problems = element("ul", "".join(element("li", name(line)) for line in lines))
    parts = [
        element("h1", "The board"),
        element(
            "p", "More points are better. A release that held here may fall to a stronger attack."
        ),
        _make_scrollable("All rounds", table(totals)),
        bars(
            [(team, max(0.0, points), f"{points:g}") for team, points in shown],
            f"Points of all rounds: {said}",
        ),
    ]
    for turn in sorted({one.turn for one in found}):
        parts += _show_round([one for one in found if one.turn == turn])
    parts.append(element("h2", "What could not be read"))
    parts.append(problems if lines else element("p", "Everything was there."))
    return page("The board", STYLE + element("main", "".join(parts), class_="vk"))


def _add_up(found: Sequence[Points]) -> pd.DataFrame:
    """Add up the points of each team, the best first; of equal ones the lower number."""
    points = pd.DataFrame([vars(one) for one in found])
    totals = points.pivot_table(index="team", columns="role", values="points", aggfunc="sum")
    totals = totals.reindex(columns=list(ROLES), fill_value=0).fillna(0).round(1)
    totals["all"] = totals.sum(axis=1).round(1)
    totals = totals[["all", *ROLES]]
    ordered = totals.reset_index().sort_values(["all", "team"], ascending=[False, True])
    return ordered.assign(team=[f"team {number}" for number in ordered["team"]])


def _show_round(found: Sequence[Points]) -> list[str]:
    """Show the points of one round."""
    lines = pd.DataFrame(
        [
            (f"team {one.table}", one.role, f"team {one.team}", one.points, one.said or "–")
            for one in found
        ],
        columns=["table of", "role", "played by", "points", "for"],
    )
    title = f"Round {found[0].turn}"
    return [element("h2", title), _make_scrollable(title, table(lines))]


def _make_scrollable(title: str, content: str) -> str:
    """Let a wide table scroll by itself, also by keyboard."""
    attributes = {
        "class_": "round" if title.startswith("Round") else "",
        "role": "region",
        "aria_label": title,
        "tabindex": "0",
        "style": "overflow-x:auto",
    }
    return element("div", content, **attributes)
