"""Counting a game, and the board: one page that holds everything and asks for nothing."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

import pandas as pd

from verikit._support.html import element, name, page, table
from verikit._support.writing import together
from verikit.game._deal import ROLES, opened
from verikit.game._points import Points, played

__all__ = ["score"]

WIDE = 240
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
    found = list(played(home, opened(home)))
    lines = pd.DataFrame([vars(one) for one in found]).rename(columns={"turn": "round"})
    with together() as new:
        new.file(home / "scores.csv", lines.to_csv(index=False), replace=True)
        new.file(home / "board.html", _board(found), replace=True)
    return found


def _board(found: Sequence[Points]) -> str:
    rounds = sorted({one.turn for one in found})
    warning = "More points are better. A release that held here may fall to a stronger attack."
    parts = [
        element("h1", "The board"),
        element("p", warning),
        _scroll("All rounds", table(_totals(found))),
        _bars(found),
        *(part for turn in rounds for part in _round([one for one in found if one.turn == turn])),
        element("h2", "What could not be read"),
        _problems(found),
    ]  # fmt: skip
    return page("The board", STYLE + element("main", "".join(parts), class_="vk"))


def _totals(found: Sequence[Points]) -> pd.DataFrame:
    """One line a team, the best first; of equal ones the lower number."""
    points = pd.DataFrame([vars(one) for one in found])
    totals = points.pivot_table(index="team", columns="role", values="points", aggfunc="sum")
    totals = totals.reindex(columns=list(ROLES), fill_value=0).fillna(0).round(1)
    totals["all"] = totals.sum(axis=1).round(1)
    totals = totals[["all", *ROLES]]
    ordered = totals.reset_index().sort_values(["all", "team"], ascending=[False, True])
    return ordered.assign(team=[f"team {number}" for number in ordered["team"]])


def _bars(found: Sequence[Points]) -> str:
    """The totals as bars; the numbers stand in the table above."""
    totals = _totals(found)[["team", "all"]].to_numpy().tolist()
    most = max([1.0, *(points for _, points in totals)])
    height = 30 * len(totals)
    lines = "".join(
        f'<text x="0" y="{30 * i + 20}" fill="currentColor">{escape(team)}</text>'
        f'<rect x="80" y="{30 * i + 6}" height="18" fill="var(--blue)" '
        f'width="{max(0.0, points) / most * WIDE:.1f}"/>'
        for i, (team, points) in enumerate(totals)
    )
    said = "; ".join(f"{team} {points:g}" for team, points in totals)
    return (
        f'<svg role="img" aria-label="Points of all rounds: {escape(said, quote=True)}" '
        f'viewBox="0 0 {WIDE + 90} {height}" style="max-width:30rem;width:100%">{lines}</svg>'
    )


def _round(found: Sequence[Points]) -> list[str]:
    lines = pd.DataFrame(
        [
            (f"team {one.table}", one.role, f"team {one.team}", one.points, one.said or "–")
            for one in found
        ],
        columns=["table of", "role", "played by", "points", "for"],
    )
    title = f"Round {found[0].turn}"
    return [element("h2", title), _scroll(title, table(lines))]


def _scroll(title: str, content: str) -> str:
    """A wide table that scrolls by itself, also by keyboard."""
    told = {
        "class_": "round" if title.startswith("Round") else "",
        "role": "region",
        "aria_label": title,
        "tabindex": "0",
        "style": "overflow-x:auto",
    }
    return element("div", content, **told)


def _problems(found: Sequence[Points]) -> str:
    lines = [
        f"Round {one.turn}, table of team {one.table}: {one.role} of team {one.team}: {one.problem}"
        for one in found
        if one.problem
    ]
    if not lines:
        return element("p", "Everything was there.")
    return element("ul", "".join(element("li", name(line)) for line in lines))
