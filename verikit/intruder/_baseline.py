"""An attack beside the same attack on people who are not in the table, and a naive guess."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verikit._support import html as _html
from verikit._support.plotted import Plotted
from verikit.words import count, share

__all__ = ["Baseline", "wilson"]

Z = 1.959963984540054


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Baseline(Plotted):
    """How often an attack succeeds on people of the table, on others, and without the table.

    What it finds out of others, who are not in the table, follows from what the table says of
    people in general. Only what it finds out beyond that of those who are in it is a risk of
    having been in it.

    Parameters
    ----------
    attack
        ``"membership"``, or ``"inference"`` of an attribute.
    secret
        The attribute that is found out; empty for membership.
    people, others
        How many people of the table, and how many others, were attacked.
    found, control
        The share of both on whom the attack succeeds.
    naive
        The share on whom a guess succeeds that looks at nothing of the person.
    pairs
        For membership, the share of pairs of a person of the table and another of whom the first
        lies closer to it, equals counted half; None for an attribute.

    Examples
    --------
    >>> found = Baseline("membership", "", 100, 100, found=0.9, control=0.5, naive=0.7)
    >>> round(found.risk, 2), found.works
    (0.8, True)
    """

    attack: str
    secret: str
    people: int
    others: int
    found: float
    control: float
    naive: float
    pairs: float | None = None

    @property
    def risk(self) -> float:
        """What is found out beyond the control, as a share of what the control leaves open."""
        return _beyond(self.found, self.control)

    @property
    def interval(self) -> tuple[float, float]:
        """The risk from Wilson intervals of both shares (95 %), their errors carried on."""
        (found, half), (control, other) = (
            wilson(self.found, self.people),
            wilson(self.control, self.others),
        )
        open_ = 1 - control
        error = np.hypot(half / open_, other * (1 - found) / open_**2)
        middle = (found - control) / open_
        return float(np.clip(middle - error, 0, 1)), float(np.clip(middle + error, 0, 1))

    @property
    def works(self) -> bool:
        """Whether the attack does better than the naive guess, beyond chance."""
        middle, half = wilson(self.found, self.people)
        return middle - half > self.naive

    @property
    def more_than_control(self) -> bool:
        """Whether being in the table made a difference, beyond chance."""
        return self.interval[0] > 0

    @property
    def sentences(self) -> list[str]:
        """What was measured, and what follows from it."""
        low, high = self.interval
        if self.secret:
            said = f"Who knows the other columns guesses {self.secret} rightly for"
        else:
            said = "Those who lie closest to the table are said to be in it,"
        measured = (
            f"{said} {share(self.found)} people of the table and {share(self.control)} others; "
            f"a naive guess for {share(self.naive)}."
        )
        if not self.works:
            return [measured, "The attack is no better than a naive guess and shows nothing."]
        if not self.more_than_control:
            return [measured, "Being in the table made no difference that can be told from chance."]
        beyond = (
            f"Of 100 people on whom it would have failed had they not been in the table, it "
            f"succeeds on {100 * self.risk:.0f} (from {100 * low:.0f} to {100 * high:.0f})."
        )
        return [measured, beyond]

    def __repr__(self) -> str:
        of = f"{self.attack} of {self.secret}" if self.secret else self.attack
        who = f"{count(self.people, 'person', 'people')}, {count(self.others, 'other')}"
        return f"{of} ({who}): " + " ".join(self.sentences)

    def _repr_html_(self) -> str:
        return _html.result(repr(self))


def _beyond(found: float, control: float) -> float:
    return max(0.0, (found - control) / (1 - control)) if control < 1 else 0.0


def wilson(part: float, n: int) -> tuple[float, float]:
    """The middle of the Wilson interval of a share (95 %), and half its length.

    Examples
    --------
    >>> middle, half = wilson(0.3, 20)
    >>> round(middle - half, 2), round(middle + half, 2)
    (0.15, 0.52)
    """
    z = Z**2 / n
    half = Z / (1 + z) * np.sqrt(part * (1 - part) / n + z / (4 * n))
    return float((part + z / 2) / (1 + z)), float(half)
