"""The least masking that meets a goal, and methods compared in one currency."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import nan
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, cast, get_args

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.plotted import Plotted
from verikit._support.requests import one_of, whole
from verikit._support.requests import share as require_share
from verikit._support.seed import checked_seed, generator
from verikit.errors import FormatError, InfeasibleError, RecordError, quoted
from verikit.intruder import Attack, find_records, link, swapped_in_pairs
from verikit.mask import METHODS, Knob
from verikit.partition import Requirements
from verikit.protector._audit import audit
from verikit.protector._correct_links import expected_links
from verikit.protector._exposure import MAY_BE
from verikit.protector._guessed_values import guessed_values
from verikit.protector._values_left import judge_with_key
from verikit.ranks.spread import Criterion
from verikit.release import ON_REPETITION, Masked, TableRelease, by_groups, by_secrets
from verikit.table import Microdata
from verikit.utility import paired, rank_correlation, residual_noise
from verikit.words import Said, count, listed, share

Progress = Callable[[int, int], None]
HowGuessed: TypeAlias = Literal["group", "learning", "above control"]
GUESSES: dict[HowGuessed, str] = {
    "group": "by the group alone",
    "learning": "by learning from the whole table",
    "above control": "by learning from it, above the share among people who are not in it",
}
OF_GROUPS = ("method", "amount", "guessed", "met")
AMOUNTS_FIRST_TRIED, MAX_HALVINGS = 7, 6
CLOSE_ENOUGH, RAISE_FACTOR = 1.02, 1.05
FRESH_STREAM, CHECKS_PER_SEED = 982_451_653, 5


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Choice(Plotted):
    """The least masking found that meets a goal.

    Parameters
    ----------
    method, parameter, value
        The method, its parameter, and the value chosen; None if the search was stopped before
        any masking met the goal.
    masked
        The release and the key of that masking.
    trials
        Everything that was tried, least masking first: one line a trial.
    complete
        Whether the search ran to its end.
    seeds
        With how many seeds the chosen amount met the goal.
    fresh
        What a seed that had no part in the choice gives at the same amount.
    guess
        In words how values were guessed, where the goal is about that.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("dm_table1")
    >>> choice = choose(data, "rank_swap", Goal(links=1, attack="maximum_rank"), seed=7)
    >>> choice.trials["met"].tolist()[0], bool(choice.trial["met"]), choice.parameter
    (False, True, 'percent')
    """

    method: str
    parameter: str
    value: float | None
    masked: Masked | None
    trials: pd.DataFrame
    complete: bool
    seeds: int = 1
    fresh: Trial | None = None
    guess: str = ""

    @property
    def trial(self) -> pd.Series:
        """The trial that was chosen."""
        if self.value is None:
            raise InfeasibleError("The search was stopped before any masking met the goal.")
        return self.trials[self.trials["amount"] == self.value].iloc[0]

    def to_frame(self) -> pd.DataFrame:
        """Everything that was tried, least masking first."""
        return self.trials.copy()

    def __repr__(self) -> str:
        if self.value is None:
            tried = count(len(self.trials), "trial")
            return f"{self.method}: stopped after {tried}, none meets the goal."
        found = self.trial
        ended = "" if self.complete else " so far (the search was stopped)"
        cost = (
            "."
            if self.guess
            else f"; rank correlation {found['rank_correlation']:.2f}, "
            f"residual noise {found['residual_noise']:.2f} standard deviations."
        )
        said = (
            f"{self.method} with {self.parameter} {self.value:g} is the least of "
            f"{count(len(self.trials), 'trial')} that meets the goal"
            f"{_by_seeds(self.seeds)}{ended}."
        )
        lines = [said, self._say_found(found) + cost]
        if self.fresh is not None:
            met = "meets the goal too" if self.fresh.met else "misses the goal"
            lines.append(f"A fresh seed gives {self._say_found(self.fresh._asdict())} and {met}.")
        if self.masked is not None:  # what no count of a weaker attack tells
            release = self.masked.release
            lines += [MAY_BE] if swapped_in_pairs(release) else []
            lines += [ON_REPETITION] if by_secrets(release) else []
        return "\n".join(lines)

    def _say_found(self, trial: Mapping[str, Any] | pd.Series) -> str:
        if not self.guess:
            return count(trial["links"], "correct link")
        return f"{share(trial['guessed'])} sensitive values guessed rightly {self.guess}"

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.trials)


def choose(  # noqa: PLR0913 - one question, and what may be set about it
    data: Microdata,
    method: str,
    goal: Goal,
    *,
    seed: int,
    seeds: int = 1,
    control: Microdata | None = None,
    progress: Progress | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Choice:
    """Find the least masking by a method that meets a goal, with the utility lost beside it.

    Parameters
    ----------
    data
        The original.
    method
        ``"noise"``, ``"rank_swap"``, ``"rank_swap_cycles"``, ``"microaggregate"`` (individual
        ranking), ``"mdav"`` or ``"shuffle"``; or ``"anatomize"`` or ``"permute_all"``, by groups
        that `verikit.partition.diverse` makes.
    goal
        What must be reached: distance and diversity for a share of the records, or at most so many
        correct links, or both; by groups, at most so many values guessed rightly.
    seed
        The secret randomness, the same in every trial.
    seeds
        With how many seeds the goal must be met: this one and others drawn from it. With several,
        the amount found is raised until five times as many fresh seeds meet the goal too.
    control
        People who are not in the table, if guesses are to be counted above those about them.
    progress
        Called after each trial with the number done and the number there will be at most.
    cancel
        Asked before each trial whether to stop.

    Returns
    -------
    Choice
        The value of the parameter, the release and key it gave, and the trade-off curve.

    Raises
    ------
    InfeasibleError
        If not even the most masking tried meets the goal.
    RecordError
        If the method has no such parameter, or the goal asks for what such releases do not show.

    References
    ----------
    [DM]_ section 5.2, which asks for the optimum amount of permutation before release

    Notes
    -----
    Amounts in even ratios are tried first, then the gap below the least that meets the goal is
    halved until its ends differ by 2 %. Protection need not grow evenly with masking: that the
    chosen release meets the goal is certain, that no smaller amount would is not. The best of
    some thirteen trials is better than what its amount gives on average: with one seed, another
    one misses the goal about every second time. Ask for several, and look at the fresh one.

    Examples
    --------
    >>> import verikit as vk
    >>> goal = Goal(distance=1, share=0.5, links=2, attack="maximum_rank")
    >>> choice = choose(vk.load("dm_table1"), "noise", goal, seed=7)
    >>> bool(choice.trial["kept"] >= 0.5), bool(choice.trial["links"] <= 2)
    (True, True)
    """
    knob = require_knob(method)
    seed, seeds = checked_seed(seed), whole(seeds, "seeds")
    # further seeds: those of the search, those that confirm, and one that has no part in either
    others = generator(seed, FRESH_STREAM).integers(0, 2**53, (1 + CHECKS_PER_SEED) * seeds)
    tried = [seed, *others[: seeds - 1].tolist()]
    checks, fresh = others[seeds - 1 : -1].tolist(), int(others[-1])
    search = _Search(data, method, knob, goal, tried, checks, control, progress, cancel)
    # Even ratios first, then halving in the middle of ratios: protection grows by factors of noise.
    ladder = np.geomspace(*knob.ends(data), AMOUNTS_FIRST_TRIED)
    verdicts = [search.try_amount(float(amount)) for amount in ladder]
    if True in verdicts:
        at = verdicts.index(True)
        low, high = float(ladder[max(at - 1, 0)]), float(ladder[at])
        for _ in range(MAX_HALVINGS):
            if high / low < CLOSE_ENOUGH or knob.value(low) == knob.value(high):
                break
            middle = float(np.sqrt(low * high))
            low, high = (low, middle) if search.try_amount(middle) else (middle, high)
        search.raise_until_confirmed(float(ladder[-1]))
    return search.make_choice(fresh)


def _by_seeds(seeds: int) -> str:
    return f" with each of {seeds} seeds" if seeds > 1 else " with this seed"


@dataclass
class _Search:
    """The trials of one search, each value of the parameter tried once."""

    data: Microdata
    method: str
    knob: Knob
    goal: Goal
    seeds: list[int]
    checks: list[int]
    control: Microdata | None
    progress: Progress | None
    cancel: Callable[[], bool] | None
    trials: dict[float, tuple[float, Trial]] = field(default_factory=dict)
    best: tuple[float, Masked] | None = None
    stopped: bool = False

    def try_amount(self, amount: float) -> bool | None:
        """Try one amount, unless the search was stopped, and tell whether it meets the goal."""
        value = self.knob.value(amount)
        if value in self.trials:
            return self.trials[value][1].met
        self.stopped = self.stopped or (self.cancel is not None and self.cancel())
        if self.stopped:
            return None
        masked = self.knob.mask(self.data, value, self.seeds[0])
        trial = self._measure(masked, value)
        if trial.met:
            trial = self._worst_trial(trial, value, self.seeds[1:])
        self.trials[value] = (amount, trial)
        if trial.met and (self.best is None or amount < self.best[0]):
            self.best = amount, masked
        if self.progress is not None:
            self.progress(len(self.trials), AMOUNTS_FIRST_TRIED + MAX_HALVINGS)
        return trial.met

    def raise_until_confirmed(self, most: float) -> None:
        """Raise the amount until fresh seeds meet the goal too, where several are asked for."""
        while self.best is not None and len(self.seeds) > 1 and not self.stopped:
            amount = self.best[0]
            value = self.knob.value(amount)
            trial = self._worst_trial(self.trials[value][1], value, self.checks)
            self.trials[value] = (amount, trial)
            if trial.met:
                return
            self.best = None
            while self.best is None and amount < most and not self.stopped:
                amount = min(amount * RAISE_FACTOR, most)
                if self.knob.value(amount) != value:
                    self.trials.pop(self.knob.value(amount), None)
                    self.try_amount(amount)

    def _measure(self, masked: Masked, value: float) -> Trial:
        return measure_masking(self.data, masked, self.method, value, self.goal, self.control)

    def _worst_trial(self, trial: Trial, value: float, seeds: list[int]) -> Trial:
        """The trial in which most are found, of some seeds, or the first that misses the goal."""
        for seed in seeds:
            other = self._measure(self.knob.mask(self.data, value, seed), value)
            worse = (other.found, other.guessed) > (trial.found, trial.guessed)
            trial = other if not other.met or worse else trial
            if not trial.met:
                break
        return trial

    def make_choice(self, fresh_seed: int) -> Choice:
        """Tell what was found, or what could be reached where nothing suffices."""
        trials = pd.DataFrame([trial for _, trial in sorted(self.trials.values())])
        guess = GUESSES[self.goal.how] if _are_by_groups(trials) else ""
        if self.best is None and not self.stopped:
            reached = (
                f"{share(trials['guessed'].min())} values are guessed rightly {guess}"
                if guess
                else f"{share(trials['kept'].max())} records keep distance and diversity, and "
                f"{count(trials['found'].min(), 'person is', 'people are')} found"
            )
            raise InfeasibleError(
                f"No amount of {self.method} up to {self.knob.parameter} "
                f"{trials['amount'].iloc[-1]:g} meets the goal{_by_seeds(len(self.seeds))}: at "
                f"best {reached}; ask for less, or try another method."
            )
        value, masked, fresh = None, None, None
        if self.best is not None:
            value, masked = self.knob.value(self.best[0]), self.best[1]
            fresh = self._measure(self.knob.mask(self.data, value, fresh_seed), value)
        return Choice(
            self.method,
            self.knob.parameter,
            value,
            masked,
            _keep_columns(trials),
            complete=not self.stopped,
            seeds=len(self.seeds),
            fresh=fresh,
            guess=guess,
        )


def trade_off(
    data: Microdata,
    amounts: Mapping[str, Sequence[float]],
    goal: Goal,
    *,
    seed: int,
    progress: Progress | None = None,
    cancel: Callable[[], bool] | None = None,
) -> pd.DataFrame:
    """Compare methods in one currency: what each amount of each protects, and what it costs.

    Parameters
    ----------
    data
        The original.
    amounts
        For each method the values of its parameter to try, such as ``{"noise": [0.1, 0.5]}``.
    goal
        What counts as met, and the attack whose links are counted.
    seed
        The secret randomness, the same in every trial.
    progress, cancel
        As `choose` takes them.

    Returns
    -------
    pandas.DataFrame
        One line a trial: method, amount, the mean ``places`` moved as a share of the records,
        correct ``links``, ``rank_correlation``, ``residual_noise``, the people ``found``, and
        whether the goal is met. Of releases by groups the share of values ``guessed`` alone.

    Raises
    ------
    RecordError
        If a method has no such parameter, or nothing is to be tried.

    Notes
    -----
    The comparison is our own; each measure in it cites its paper where it is defined.

    Examples
    --------
    >>> import verikit as vk
    >>> amounts = {"noise": [0.1, 1], "rank_swap": [10, 50]}
    >>> goal = Goal(links=1, attack="maximum_rank")
    >>> found = trade_off(vk.load("dm_table1"), amounts, goal, seed=7)
    >>> found["places"].is_monotonic_increasing, found["residual_noise"].iloc[2:].tolist()
    (False, [0.0, 0.0])
    """
    pairs = [
        (require_knob(method), method, v) for method, values in amounts.items() for v in values
    ]
    if not pairs:
        raise RecordError("No amount was given to try; name methods and values of their parameter.")
    trials: list[Trial] = []
    for knob, method, value in pairs:
        if cancel is not None and cancel():
            break
        masked = knob.mask(data, value, seed)
        trials.append(measure_masking(data, masked, method, value, goal))
        if progress is not None:
            progress(len(trials), len(pairs))
    return _keep_columns(pd.DataFrame(trials, columns=list(Trial._fields)))


def _are_by_groups(trials: pd.DataFrame) -> bool:
    """Whether the trials are tables joined by groups, of which no places are measured."""
    return len(trials) > 0 and bool(trials["places"].isna().all())


def _keep_columns(trials: pd.DataFrame) -> pd.DataFrame:
    """Keep what is measured of such releases as were tried."""
    return trials[[*OF_GROUPS]] if _are_by_groups(trials) else trials.drop(columns="guessed")


def find_cheapest_masking(found: pd.DataFrame, cost: str) -> Said:
    """The cheapest masking that meets the goal, and how many do.

    Parameters
    ----------
    found
        What `verikit.protector.trade_off` measured.
    cost
        The column that is to be lost least.

    Examples
    --------
    >>> find_cheapest_masking(pd.DataFrame({"met": [False]}), "rank_correlation").means
    'None of 1 masking reaches the goal.'
    """
    met = found[found["met"].astype(bool)]
    tried = count(len(found), "masking")
    if not len(met):
        return Said(f"None of {tried} reaches the goal.", "Mask more, or ask for less.")
    kept = met[cost] if cost == "rank_correlation" else -met[cost]
    chosen = met.loc[kept.fillna(-np.inf).idxmax()]  # a constant column has no correlation
    name = method_name(chosen.method)
    return Said(
        f"{name[:1].upper()}{name[1:]}, {amount_words(chosen.method, chosen.amount)}, reaches "
        "the goal at the least cost.",
        f"{len(met)} of {tried} reach it. This one leaves "
        f"{count(int(chosen.links), 'right link')}, keeps a rank correlation of "
        f"{chosen.rank_correlation:.2f} and adds {chosen.residual_noise:.2f} standard deviations "
        "of noise that no permutation explains.",
    )


def amount_words(method: str, value: float) -> str:
    """An amount of masking in words.

    Examples
    --------
    >>> amount_words("rank_swap", 10.0)
    'within 10 % of the ranks'
    """
    knob = METHODS.knobs().get(method)
    return f"{value:g}" if knob is None else knob.said(value)


def method_name(method: str) -> str:
    """A method in words.

    Examples
    --------
    >>> method_name("rank_swap")
    'rank swapping'
    """
    knob = METHODS.knobs().get(method)
    return (knob.words if knob is not None else "") or method.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Goal:
    """What masking must reach.

    Parameters
    ----------
    distance, diversity, criterion
        The places each value must be moved, and the diversity within them, as `audit` takes them.
    share
        The share of records that must keep both.
    links
        How many people may be found at most: by correct links, or as their own record stands in
        the release beyond what luck gives, whoever the key says it belongs to.
    attack
        The attack whose links are counted.
    guessed
        Of a release by groups, the share of people whose sensitive value may be guessed rightly
        at most, as `guessed_values` counts.
    guess
        How it is guessed: by the ``"group"`` alone, by ``"learning"`` from the whole table, or by
        learning as far as this is right more often than about people who are not in the table,
        ``"above control"``.
    requirement
        What each class of records must meet besides: one `verikit.models.Requirement` or several;
        of ``"continued"`` together with what the ledger of the requirement tells.

    Examples
    --------
    >>> Goal(links=3, attack="maximum_rank").links
    3
    """

    distance: int | Mapping[str, int] | None = None
    diversity: float | Mapping[str, float] | None = None
    criterion: str | Criterion | Mapping[str, str | Criterion] = "variance"
    share: float = 1.0
    links: int | None = None
    attack: Attack = "strongest"
    guessed: float | None = None
    guess: HowGuessed = "learning"
    requirement: Requirements | None = None

    def __post_init__(self) -> None:
        """Refuse a goal that asks for nothing, or for what no number can be."""
        of_rows = [self.distance, self.diversity, self.links]
        if of_rows == [None] * 3 and (self.guessed, self.requirement) == (None, None):
            raise RecordError(
                "The goal asks for nothing; give a distance, a diversity, links, guessed or a "
                "requirement."
            )
        if self.guessed is not None:
            require_share(self.guessed, "guessed")
        one_of(self.guess, "guess", get_args(HowGuessed))
        require_share(self.share, "share", above=True)
        one_of(self.attack, "attack", get_args(Attack))
        if self.links is not None:
            whole(self.links, "links", least=0)

    @classmethod
    def open(cls, path: str | Path) -> Goal:
        """Read a goal from the file that `save` wrote."""
        try:
            told = json.loads(Path(path).read_text(encoding="utf-8"))
            return cls(**told)
        except (OSError, ValueError, TypeError) as error:
            raise FormatError(
                f"{quoted(Path(path))} is no goal; expected the JSON that Goal.save writes, such "
                'as {"links": 5}.'
            ) from error

    def save(self, path: str | Path) -> Path:
        """Write the goal as JSON, so that it can be stated before a table is masked."""
        told = {part.name: getattr(self, part.name) for part in fields(self)}
        given = {name: value for name, value in told.items() if value != getattr(type(self), name)}
        try:
            Path(path).write_text(json.dumps(given, indent=1), encoding="utf-8")
        except TypeError as error:
            raise FormatError(
                "A goal with a requirement of its own, or a criterion that is no name, cannot be "
                "written to a file."
            ) from error
        return Path(path)

    @property
    def how(self) -> HowGuessed:
        """How values are guessed: by the group alone where no share of them is asked for."""
        return "group" if self.guessed is None else self.guess

    def meets(self, data: Microdata, masked: Masked) -> bool:
        """Whether each class of a release meets what it must, and what was published before."""
        asked = self.requirement
        return asked is None or all(one.met for one in judge_with_key(data, *masked, asked))

    def met(self, found: int, kept: float) -> bool:
        """Whether so many people found, and such a share of records kept safe, are enough."""
        return (self.links is None or found <= self.links) and kept >= self.share - 1e-12


class Trial(NamedTuple):
    """One masking and what came of it; of a release by groups the amount and ``guessed`` alone.

    Parameters
    ----------
    method, amount
        The method, and the value of its parameter.
    places
        How far values moved on average, as a share of the number of records.
    links
        The correct links of the goal's attack, rounded down; one of k candidates counts 1/k.
    rank_correlation
        How much of the order of the columns was kept, on average.
    residual_noise
        The noise that no permutation explains, in standard deviations, on average.
    found
        The people found: as many as right links, or as many as have their own record in the
        release beyond what luck gives, whoever the key says it belongs to.
    kept
        The share of records that keep the required distance and diversity.
    met
        Whether the goal is met.
    guessed
        Of a release by groups, the share of values guessed rightly, of the column worst off.
    """

    method: str
    amount: float
    places: float
    links: int
    rank_correlation: float
    residual_noise: float
    found: int
    kept: float
    met: bool
    guessed: float = 0.0


def require_knob(method: str) -> Knob:
    """Look up the parameter that sets how much a method masks, or refuse the method."""
    knobs = METHODS.knobs()
    if method == "synthesize":
        raise RecordError(
            "'synthesize' draws a table from a model, which has no amount of masking; audit what "
            "each model draws beside a control, and take one that memorized nobody.",
            field="method",
            value=method,
        )
    if method not in knobs:
        raise RecordError(
            f"The method was given as {method!r}; its amount of masking can be chosen for "
            f"{listed(knobs, 12)}.",
            field="method",
            value=method,
        )
    return knobs[method]


def measure_masking(
    data: Microdata,
    masked: Masked,
    method: str,
    amount: float,
    goal: Goal,
    control: Microdata | None = None,
) -> Trial:
    """Measure what a masking protects and what it costs."""
    release, key = masked
    of_rows = [goal.distance, goal.diversity, goal.links]
    if by_groups(release):
        if (goal.guessed, goal.requirement) == (None, None) or of_rows != [None] * 3:
            raise RecordError(
                f"Of tables joined by groups, as {method} makes them, the values guessed rightly "
                "are counted; give a goal with guessed or a requirement, and without distance, "
                "diversity and links."
            )
        if goal.how == "above control" and control is None:
            raise RecordError(
                "The goal is about guesses above control; give control, people who are not in the "
                "table."
            )
        columns = [column.name for column in data.schema.sensitive]
        found = (guessed_values(data, release, key, control=control, sensitive=n) for n in columns)
        guessed = max(part.share_guessed(goal.how) for part in found)
        met = guessed <= (1.0 if goal.guessed is None else goal.guessed) + 1e-12
        met = met and goal.meets(data, masked)
        return Trial(method, amount, nan, 0, nan, nan, 0, 1.0, met, guessed)
    if goal.guessed is not None:
        raise RecordError(
            f"Values are guessed from tables joined by groups, which {method} does not make; give "
            "a goal with links, distance or diversity, or take anatomize or permute_all."
        )
    asked: Any = {n: getattr(goal, n) for n in ("distance", "diversity", "criterion")}
    report = audit(data, release, key, **asked, subject_view=False)
    linked = link(data, cast("TableRelease", release), attack=goal.attack)
    undone = key.undo(cast("TableRelease", release))
    kept = 1 - float(report.failed.any(axis=1).mean())
    links = int(expected_links(linked, key) + 1e-9)
    standing = find_records(data, cast("TableRelease", release), places=1)
    open_ = max(links, round(standing.excess))
    return Trial(
        method,
        amount,
        float(report.protector.mean() / len(data)),
        links,
        float(rank_correlation(data, undone).mean()) if paired(data, undone, needed=False) else nan,
        _mean_residual(data, undone),
        open_,
        kept,
        goal.met(open_, kept) and goal.meets(data, masked),
    )


def _mean_residual(data: Microdata, undone: Microdata) -> float:
    """The mean size of the residual noise over the numeric columns, in standard deviations."""
    if not any(column.kind == "numeric" for column in undone.schema):
        return 0.0
    noise = residual_noise(data, undone, seed=0).residual
    spread = np.array([data.scores(name).std() for name in noise.columns])
    return float((noise.abs().mean() / np.where(spread > 0, spread, 1)).mean())
