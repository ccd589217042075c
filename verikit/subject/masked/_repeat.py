"""Repeating the published method with her record in the published table, step by step (S9)."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd

from verikit._support.arrays import Flags, Floats, Rows
from verikit.errors import VerikitError
from verikit.mask import METHODS, rank_swap
from verikit.ranks import (
    balance_likelihoods,
    blocks,
    estimate_move_densities,
    look_up_densities,
    mean_log_likelihood,
    mid_ranks,
    normal_scores,
    whiten_moves,
)
from verikit.release import TableRelease
from verikit.subject._check import Repeated
from verikit.subject.masked._find import Findings
from verikit.table import Microdata

CONFIDENCE = 0.95
LARGEST = 20_000
MOVES = 50_000
TABLES, EACH = 20, 8
TOO_FEW = 0.05  # the share of certain links up to which pairs are not undone again
AT_LEAST = 0.02  # of the variance of one run: what tables were seen to differ by at the least
LEARNING, STANDING_IN = 300_000_000, 200_000_000


class Repetition:
    """The published method, repeated as often as asked; some at a time, as there is room for it.

    Parameters
    ----------
    findings
        Her record beside the release.
    settings
        The published parameters.
    runs
        How often the method is repeated with her record.
    """

    def __init__(self, findings: Findings, settings: Mapping[str, Any], runs: int) -> None:
        self._findings, self._settings, self._runs = findings, settings, runs
        self._names = [a.column.name for a in findings.attributes]
        self._method = METHODS[findings.release.method].function
        self._learn = int(np.clip(MOVES // len(findings.release), 3, 200))
        self.done, self.total = 0, self._learn + runs + TABLES * EACH
        self.found: Repeated | None = None
        self._undoes = is_swapped_in_pairs(findings.release)
        self._work = self._iterate_steps()

    @property
    def share(self) -> float:
        """How much is done, from 0 to 1."""
        return self.done / self.total

    def advance(self, seconds: float = np.inf) -> bool:
        """Go on for some time, at least by one run; whether all is done."""
        until = time.monotonic() + seconds
        for _ in self._work:
            self.done += 1
            if time.monotonic() >= until and self.done < self.total:
                break
        return self.found is not None

    def _iterate_steps(self) -> Iterator[None]:
        row = int(self._findings.rows[0])
        table = self._with_her(self._findings.release.frame, row)
        before, moved = self._middle_ranks(table.frame), []
        for run in range(self._learn):
            release, rows = self._mask_table(table, LEARNING + run)
            moved.append(self._middle_ranks(release.frame)[rows])
            yield
        attacker = Attacker.learn([before] * len(moved), moved)
        guesses = []
        for run in range(self._runs):
            guesses.append(self._attack_once(attacker, table, before, row, run))
            yield
        others: list[list[Guess]] = []
        for at in range(TABLES):
            release, rows = self._mask_table(table, STANDING_IN + at)
            hers = int(rows[row])
            stand_in = self._with_her(release.frame, hers)
            ranks, seeds = self._middle_ranks(stand_in.frame), STANDING_IN + TABLES + at * EACH
            others.append([])
            for run in range(EACH):
                others[-1].append(self._guess(attacker, stand_in, ranks, hers, seeds + run))
                yield
        self.found = _judge_runs(guesses, others, len(table))

    def _mask_table(self, data: Microdata, seed: int) -> tuple[TableRelease, Rows]:
        """A table as the method publishes it, and the row that each record became."""
        release, key = self._method(data, **self._settings, seed=seed)
        return cast("TableRelease", release), key.rows

    def _attack_once(
        self, attacker: Attacker, table: Microdata, ranks: Floats, row: int, seed: int
    ) -> Guess:
        """A guess; or a certain link, where undoing pairs gives one."""
        from verikit.intruder import undo_pairs

        if self._undoes:
            release, rows = self._mask_table(table, seed)
            links = undo_pairs(table, release)
            certain = cast("Flags", links.certain)
            self._undoes = bool(certain.mean() > TOO_FEW)
            if certain[row]:
                return Guess(float(links.rows[links.starts[row]] == rows[row]), 1.0)
        return self._guess(attacker, table, ranks, row, seed)

    def _middle_ranks(self, frame: pd.DataFrame) -> Floats:
        """The middle ranks of a table, one column an attribute."""
        schema = self._findings.release.schema
        return np.column_stack([mid_ranks(schema[n].scores(frame[n])) for n in self._names])

    def _with_her(self, table: pd.DataFrame, row: int) -> Microdata:
        """A table with her record in one of its rows."""
        frame = table.astype(object).reset_index(drop=True)
        for a in self._findings.attributes:
            numeric = a.column.kind == "numeric"
            frame.loc[row, a.column.name] = a.score if numeric else str(a.own)
        return Microdata(frame, self._findings.release.schema)

    def _guess(
        self, attacker: Attacker, table: Microdata, ranks: Floats, row: int, seed: int
    ) -> Guess:
        release, rows = self._mask_table(table, seed)
        return attacker.link_one(ranks, self._middle_ranks(release.frame), row, int(rows[row]))


def is_swapped_in_pairs(release: Any) -> bool:
    """Whether the release says that its values were swapped in pairs."""
    scheme = release.parameters.get("scheme", "pairs")
    return bool(release.method == rank_swap.__name__ and scheme != "cycles")


def undone_pairs(release: Any, unique: Callable[[Any, str], float] | None = None) -> bool:
    """Whether values were swapped in pairs, in columns most of whose values are unique (S14).

    Each link then implies others, until nearly everybody is linked (`verikit.intruder.undo_pairs`).

    Parameters
    ----------
    release
        The published table, a `TableRelease` or what stands for one that is not loaded.
    unique
        What gives the share of values of a column that nobody shares; by default they are sorted.

    Notes
    -----
    Two columns at least must be swapped: one alone implies nothing. With two, nearly all values
    must be unique, and values that may move to more than half of the ranks leave too many starts
    open.
    """
    if not is_swapped_in_pairs(release):
        return False
    told = release.parameters.get("places")
    reach = {
        name: float(places)
        for name, places in (told if isinstance(told, dict) else {}).items()
        if isinstance(places, (int, float)) and places > 0
    }
    frame = getattr(release, "frame", {})  # what is not loaded holds no intervals
    moved = [
        column.name
        for column in release.schema
        if column.ranked
        and column.name in reach
        and not isinstance(getattr(frame.get(column.name), "dtype", None), pd.IntervalDtype)
    ]
    far = len(moved) == 2 and max(reach[name] for name in moved) > len(release) / 2
    if len(moved) < 2 or far:
        return False
    share = np.mean([(unique or _share_unique_values)(release, name) for name in moved])
    return bool(share > (0.95 if len(moved) == 2 else 0.5))


def _share_unique_values(release: Any, name: str) -> float:
    """The share of published values of one column that nobody shares."""
    ordered = release.ordered(name)
    first, last = blocks(ordered, ordered)
    return float((first == last).mean()) if len(ordered) else 0.0


def prepare_repetition(findings: Findings, runs: int) -> Repetition | None:
    """The published method, ready to be repeated with her record in place of the closest one.

    None where the method is unknown, cannot be repeated from its parameters, depends on all
    records at once, as microaggregation does, or is undone by a better attack; where she left
    attributes out or values are missing; and above 20,000 records.

    Notes
    -----
    The attacker knows everybody's values, and learns from repetitions how the method moves ranks,
    all attributes together where that tells more. He links her among the 400 records around her,
    each to a row of its own; where values were swapped in pairs, he undoes these first, unless that
    proves hardly a link. That the published table stands in for the original is judged by tables
    that stand in for the published one in the same way: the method once more, her record put back,
    and repeated. The spread of the attacker's own certainty between 20 such tables widens the
    interval, and where he is sure of little, a fiftieth of the variance of one run, which was
    measured.
    """
    settings = _find_settings(findings)
    few = len(findings.release) < 2 or len(findings.release) > LARGEST
    if settings is None or few or undone_pairs(findings.release):
        return None
    if any(a.missing or not a.column.ranked for a in findings.attributes):
        return None
    found = Repetition(findings, settings, runs)
    try:
        next(found._work)
    except VerikitError:  # parameters that do not fit this table
        return None
    found.done = 1
    return found


def repeat_method(findings: Findings, runs: int) -> Repeated | None:
    """Repeat the published method with her record at once; None where that is not possible."""
    work = prepare_repetition(findings, runs) if runs else None
    if work is None:
        return None
    work.advance()
    return work.found


def _find_settings(findings: Findings) -> dict[str, Any] | None:
    """The published parameters as arguments of the method, if it can be repeated from them."""
    release = findings.release
    given = {a.column.name for a in findings.attributes}
    left_out = {c.name for c in release.schema if c.role in ("quasi", "sensitive")} - given
    method = METHODS.get(release.method)
    if method is None or not method.repeatable or left_out:
        return None
    takes = inspect.signature(method.function).parameters
    settings = {n: v for n, v in release.parameters.items() if n in takes and n != "seed"}
    needed = {n for n, p in takes.items() if p.default is p.empty and n not in ("data", "seed")}
    return None if needed - settings.keys() else settings


def _judge_runs(guesses: list[Guess], others: list[list[Guess]], n: int) -> Repeated:
    """The runs, and an interval for the original table that holds the luck of runs and tables."""
    from scipy.special import betaincinv

    runs, found = len(guesses), float(sum(guess.right for guess in guesses))
    middle = (found + 0.5) / (runs + 1)
    one_run = middle * (1 - middle)
    # how much the attacker's certainty differs from table to table, beyond the luck of runs
    likely = np.array([[guess.likely for guess in part] for part in others])
    by_luck = likely.var(axis=1, ddof=1).mean() / likely.shape[1]
    between = max(0.0, float(likely.mean(axis=1).var(ddof=1) - by_luck))
    spread = one_run / runs + max(between, AT_LEAST * one_run)
    counted, share = min(float(runs), one_run / spread), found / runs
    # Jeffreys' interval for a share of so many independent cases; open where none or all are
    tail, ends = (1 - CONFIDENCE) / 2, (counted * share + 0.5, counted * (1 - share) + 0.5)
    low = float(betaincinv(*ends, tail)) if share > 0 else 0.0
    high = float(betaincinv(*ends, 1 - tail)) if share < 1 else 1.0
    return Repeated(found, runs, low, high, luck=1 / n)


AROUND = 400
ALIKE = 1e-9


class Guess(NamedTuple):
    """Whether the row that he takes for hers is hers, and how likely he thinks it is.

    Where k rows are equally likely, he guesses, and is right in 1 of k cases.
    """

    right: float
    likely: float


class Attacker(NamedTuple):
    """What repetitions of a method tell of it: how likely each move of a record is.

    Parameters
    ----------
    by_attribute
        The density of moves, attribute by attribute.
    expected, white
        What whitens the moves of all attributes together, where they are told better so; else
        None.
    """

    by_attribute: list[Floats]
    expected: Floats | None
    white: Floats | None

    @classmethod
    def learn(cls, before: Sequence[Floats], after: Sequence[Floats]) -> Attacker:
        """Learn from repetitions: the middle ranks of all records before and after each."""
        n = len(before[0])
        starts, ends = list(np.concatenate(before).T), list(np.concatenate(after).T)
        learned = [estimate_move_densities(*part, n) for part in zip(starts, ends, strict=True)]
        joint = whiten_moves(
            (starts, ends), (before[0], after[0]), mean_log_likelihood(learned, starts, ends)
        )
        if joint.gain > 0:
            return cls(learned, joint.expected, joint.white)
        return cls(learned, None, None)

    def link_one(self, original: Floats, released: Floats, her: int, row: int) -> Guess:
        """Link one record among those around it, each record to a row of its own.

        Parameters
        ----------
        original, released
            The middle ranks of all records and of all rows, one column an attribute.
        her, row
            The record that is looked for, and the row that it became.
        """
        places = self._place_records(original, released, len(original))
        records, rows = (_find_around(places[0][her], part) for part in places)
        likely = self.log_likelihood(original[records], released[rows], len(original))
        size = len(records)
        chance = balance_likelihoods(likely, np.broadcast_to(np.arange(size), (size, size)))
        line = chance[np.flatnonzero(records == her)[0]]
        best = line >= line.max() * (1 - ALIKE)
        found = float(best[rows == row].any()) / np.count_nonzero(best)
        return Guess(found, float(line.max()))

    def log_likelihood(self, original: Floats, released: Floats, n: int) -> Floats:
        """The log likelihood of each pair of a record and a row, of n in all, up to a constant."""
        if self.expected is not None:
            first, second = self._place_records(original, released, n)
            squares = (first**2).sum(axis=1)[:, None] + (second**2).sum(axis=1)
            apart: Floats = squares - 2 * first @ second.T
            return -apart / 2
        found = np.zeros((len(original), len(released)))
        for density, start, end in zip(self.by_attribute, original.T, released.T, strict=True):
            found += look_up_densities(density, start[:, None], end)
        return found

    def _place_records(self, original: Floats, released: Floats, n: int) -> tuple[Floats, Floats]:
        """Where records and rows lie: in normal scores, or what whitens their moves."""
        before, after = normal_scores(original, n), normal_scores(released, n)
        if self.expected is None or self.white is None:
            return before, after
        return before @ self.expected, after @ self.white


def _find_around(place: Floats, scores: Floats) -> Rows:
    """The places that lie closest to one, in the order of the table."""
    if len(scores) <= AROUND:
        return np.arange(len(scores))
    apart = ((scores - place) ** 2).sum(axis=1)
    return np.sort(np.argpartition(apart, AROUND)[:AROUND])
