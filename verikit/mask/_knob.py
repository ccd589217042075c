"""The parameter of a mask that says how much is masked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from verikit.release import Masked
from verikit.table import Microdata

__all__ = ["Knob"]


@dataclass(frozen=True, slots=True)
class Knob:
    """The parameter of a mask that says how much is masked, from least to most.

    Parameters
    ----------
    parameter
        Its name among the parameters of the mask.
    least, most
        The smallest and the largest amount to try; a function is given the number of records.
    ladder
        The values to compare where nobody names any, from little masking to much; none leaves the
        mask out of such comparisons.
    words, measure
        What the mask is called in a sentence, and how an amount is said, its number as ``{:g}``.
    name
        What `verikit.choose` calls it; the mask's own name where none is given.
    downward
        Whether less of the parameter masks more: it takes 1 less the amount.
    whole
        Whether the parameter is a whole number.
    fixed
        Other parameters of the mask that this knob leaves alone.
    function
        The mask, filled in where it is registered.

    Examples
    --------
    >>> knob = Knob("keep", 0.001, 1, downward=True, measure="{:g} of the values kept")
    >>> knob.value(0.25), knob.said(0.75)
    (0.75, '0.75 of the values kept')
    """

    parameter: str
    least: float | Callable[[int], float]
    most: float | Callable[[int], float]
    ladder: tuple[float, ...] = ()
    words: str = ""
    measure: str = "{:g}"
    name: str = ""
    downward: bool = False
    whole: bool = False
    fixed: Mapping[str, Any] = field(default_factory=dict)
    function: Callable[..., Masked] | None = None

    def ends(self, records: int) -> tuple[float, float]:
        """The smallest and the largest amount to try on so many records."""
        low, high = (end(records) if callable(end) else end for end in (self.least, self.most))
        return float(low), float(high)

    def value(self, amount: float) -> float:
        """The parameter's value for an amount of masking."""
        found = 1 - amount if self.downward else amount
        return int(found) if self.whole else float(f"{found:.4g}")

    def fitting(self, records: int) -> tuple[float, ...]:
        """The values of the ladder that mask no more than makes sense for so many records."""
        most = self.ends(records)[1]
        return tuple(v for v in self.ladder if (1 - v if self.downward else v) <= most)

    def said(self, value: float) -> str:
        """A value of the parameter in words."""
        return self.measure.format(value)

    def mask(self, data: Microdata, value: float, seed: int) -> Masked:
        """Mask with one value of the parameter."""
        if self.function is None:
            raise TypeError("a Knob masks only after its mask was registered with it")
        return self.function(data, **{**self.fixed, self.parameter: value}, seed=seed)
