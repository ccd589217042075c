"""How much masking is enough: the least that meets a goal, and what protection costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit.errors import InfeasibleError, RecordError
from verikit.protector._trial import Goal, Knob, Trial, checked_knob, measured
from verikit.release import Masked
from verikit.table import Microdata
from verikit.words import count, share

__all__ = ["Choice", "choose", "trade_off"]

Progress = Callable[[int, int], None]
LADDER, STEPS = 7, 6
CLOSE = 1.02


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Choice:
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
        return (
            f"{self.method} with {self.parameter} {self.value:g} is the least of "
            f"{count(len(self.trials), 'trial')} that meets the goal{ended}.\n"
            f"{count(found['links'], 'correct link')}; "
            f"rank correlation {found['rank_correlation']:.2f}, "
            f"residual noise {found['residual_noise']:.2f} standard deviations."
        )

    def _repr_html_(self) -> str:
        said = "".join(_html.element("p", _html.cell(line)) for line in repr(self).split("\n"))
        return _html.element("div", said + _html.table(self.trials), class_="vk")


def choose(
    data: Microdata,
    method: str,
    goal: Goal,
    *,
    seed: int,
    progress: Progress | None = None,
    cancel: Callable[[], bool] | None = None,
) -> Choice:
    """Find the least masking by a method that meets a goal, with the utility lost beside it.

    Parameters
    ----------
    data
        The original.
    method
        ``"noise"``, ``"rank_swap"``, ``"microaggregate"`` (individual ranking), ``"mdav"`` or
        ``"shuffle"``.
    goal
        What must be reached: distance and diversity for a share of the records, or at most so many
        correct links, or both.
    seed
        The secret randomness, the same in every trial.
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
        If the method has no such parameter.

    References
    ----------
    [DM]_ section 5.2, which asks for the optimum amount of permutation before release

    Notes
    -----
    Amounts in even ratios are tried first, then the gap below the least that meets the goal is
    halved until its ends differ by 2 %. Protection need not grow evenly with masking: that the
    chosen release meets the goal is certain, that no smaller amount would is not. The goal is met
    by this release, with this seed; another seed may just miss it.

    Examples
    --------
    >>> import verikit as vk
    >>> goal = Goal(distance=1, share=0.5, links=2, attack="maximum_rank")
    >>> choice = choose(vk.load("dm_table1"), "noise", goal, seed=7)
    >>> bool(choice.trial["kept"] >= 0.5), bool(choice.trial["links"] <= 2)
    (True, True)
    """
    knob = checked_knob(method)
    search = _Search(data, method, knob, goal, seed, progress, cancel)
    ladder = np.geomspace(*knob.ends(len(data)), LADDER)
    verdicts = [search.met(float(amount)) for amount in ladder]
    if True in verdicts:
        at = verdicts.index(True)
        low, high = float(ladder[max(at - 1, 0)]), float(ladder[at])
        for _ in range(STEPS):
            if high / low < CLOSE or knob.value(low) == knob.value(high):
                break
            middle = float(np.sqrt(low * high))
            low, high = (low, middle) if search.met(middle) else (middle, high)
    return search.choice()


class _Search:
    """The trials of one search, each value of the parameter tried once."""

    def __init__(
        self,
        data: Microdata,
        method: str,
        knob: Knob,
        goal: Goal,
        seed: int,
        progress: Progress | None,
        cancel: Callable[[], bool] | None,
    ) -> None:
        self.data, self.method, self.knob, self.goal, self.seed = data, method, knob, goal, seed
        self.progress, self.cancel = progress, cancel
        self.trials: dict[float, tuple[float, Trial]] = {}
        self.best: tuple[float, Masked] | None = None
        self.stopped = False

    def met(self, amount: float) -> bool | None:
        """Try one amount, unless the search was stopped."""
        value = self.knob.value(amount)
        if value in self.trials:
            return self.trials[value][1].met
        self.stopped = self.stopped or (self.cancel is not None and self.cancel())
        if self.stopped:
            return None
        masked = self.knob.mask(self.data, value, self.seed)
        trial = measured(self.data, masked, self.method, value, self.goal)
        self.trials[value] = (amount, trial)
        if trial.met and (self.best is None or amount < self.best[0]):
            self.best = amount, masked
        if self.progress is not None:
            self.progress(len(self.trials), LADDER + STEPS)
        return trial.met

    def choice(self) -> Choice:
        """What was found, or what could be reached where nothing suffices."""
        trials = pd.DataFrame([trial for _, trial in sorted(self.trials.values())])
        if self.best is None and not self.stopped:
            raise InfeasibleError(
                f"No amount of {self.method} up to {self.knob.parameter} "
                f"{trials['amount'].iloc[-1]:g} meets the goal: at best "
                f"{share(trials['kept'].max())} records keep distance and diversity, and "
                f"{count(trials['links'].min(), 'link stays', 'links stay')} right; ask for less, "
                "or try another method."
            )
        value = None if self.best is None else self.knob.value(self.best[0])
        masked = None if self.best is None else self.best[1]
        return Choice(
            self.method, self.knob.parameter, value, masked, trials, complete=not self.stopped
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
        correct ``links``, ``rank_correlation``, ``residual_noise``, and whether the goal is met.

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
        (checked_knob(method), method, v) for method, values in amounts.items() for v in values
    ]
    if not pairs:
        raise RecordError("No amount was given to try; name methods and values of their parameter.")
    trials: list[Trial] = []
    for knob, method, value in pairs:
        if cancel is not None and cancel():
            break
        masked = knob.mask(data, value, seed)
        trials.append(measured(data, masked, method, value, goal))
        if progress is not None:
            progress(len(trials), len(pairs))
    return pd.DataFrame(trials, columns=list(Trial._fields))
