"""An answer: what is certain, what to expect, and what both rest on."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, isnan

import pandas as pd

from verikit._support.plotted import Plotted
from verikit.table import date_text
from verikit.words import number

__all__ = ["RECORDS", "Answer"]

RECORDS = "records"


@dataclass(frozen=True, slots=True)
class Answer(Plotted):
    """What can be said about an aggregate.

    Parameters
    ----------
    unit
        What is counted or measured: ``records``, or a column with its unit.
    lower, upper
        The true value lies between them; infinite where nothing is certain.
    estimate
        What to expect of it. No value (``nan``), like its bounds, where no record can be meant.
    mean, variance
        Those of all possible answers, where the release makes them equally likely and they have a
        closed form, or one answer only is possible; those of the estimate, where values were drawn
        anew with published probabilities; else None.
    rests_on
        What all of these rest on.
    dated
        Whether it is a date, counted in days since 1970-01-01.

    Examples
    --------
    >>> Answer("records", 0, 0.9, 2, 0.9, 0.49, "every link being equally likely")
    0.9 records, for certain from 0 to 2: every link being equally likely
    """

    unit: str
    lower: float
    estimate: float
    upper: float
    mean: float | None
    variance: float | None
    rests_on: str
    dated: bool = False

    @property
    def exact(self) -> bool:
        """Whether nothing but the estimate is possible."""
        return self.lower == self.upper

    @property
    def means(self) -> str:
        """What is certain, and what is to be expected, in one sentence.

        Examples
        --------
        >>> Answer("records", 0, 0.9, 2, 0.9, 0.49, "every link being equally likely").means
        'For certain from 0 to 2; 0.9 is to be expected.'
        """
        if isnan(self.lower):
            return "There is no answer: nobody is meant."
        if self.exact:
            return f"Exactly {self._number(self.estimate)}."
        return (
            f"For certain from {self._number(self.lower)} to {self._number(self.upper)}; "
            f"{self._number(self.estimate)} is to be expected."
        )

    def _repr_html_(self) -> str:
        from verikit._support import html

        names = ("lower", "estimate", "upper", "mean", "variance", "unit", "rests_on")
        frame = pd.DataFrame(
            {"": [name.replace("_", " ") for name in names],
             "answer": [getattr(self, name) for name in names]},
            dtype=object,
        )  # fmt: skip
        return html.element("div", html.table(frame), class_="vk")

    def __repr__(self) -> str:
        if isnan(self.lower):
            return f"no value ({self.unit}): {self.rests_on}"
        unit = RECORDS if self.unit == RECORDS else f"({self.unit})"
        if self.exact:
            return f"{self._told(self.estimate)} {unit}, exactly: {self.rests_on}"
        return f"{self._expected()} {unit}, {self._certain()}: {self.rests_on}"

    def _expected(self) -> str:
        if isnan(self.estimate):
            return "no estimate"
        if self.dated:
            return date_text(self.estimate)
        digits = ".4g" if abs(self.estimate) < 10_000 else ".0f"
        return f"{self.estimate:,{digits}}"

    def _number(self, value: float) -> str:
        return date_text(value) if self.dated and isfinite(value) else number(value)

    def _told(self, value: float) -> str:
        return date_text(value) if self.dated else _told(value)

    def _certain(self) -> str:
        if self.lower == -inf and self.upper == inf:
            return "nothing certain"
        if self.lower == -inf:
            return f"for certain at most {self._told(self.upper)}"
        if self.upper == inf:
            return f"for certain at least {self._told(self.lower)}"
        return f"for certain from {self._told(self.lower)} to {self._told(self.upper)}"


def _told(value: float) -> str:
    """A number in full, thousands apart."""
    return f"{int(value) if float(value).is_integer() else float(value):,}"
