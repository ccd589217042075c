"""How often an attacker finds a person when the published method is repeated with her record."""

from __future__ import annotations

from dataclasses import dataclass

from verikit._support.plotted import Plotted

__all__ = ["Repeated"]


@dataclass(frozen=True, slots=True)
class Repeated(Plotted):
    """How often an attacker finds her when the published method is repeated on this table.

    Parameters
    ----------
    found, runs
        In how many of the runs the row that the attacker takes for hers was hers; where several
        are equally likely, he guesses.
    low, high
        Between these shares the attacker finds her in the original table, in 95 of 100 cases: they
        hold the luck of the runs, and that the published table stands in for the original.
    luck
        The share that guessing would give.

    Examples
    --------
    >>> Repeated(12.0, 100, 0.05, 0.24, 0.001).more_than_luck
    True
    """

    found: float
    runs: int
    low: float
    high: float
    luck: float

    @property
    def more_than_luck(self) -> bool:
        """Whether she is found more often than by guessing."""
        return self.low > self.luck
