"""Of many maskings the one that reaches a goal at the least cost, in words."""

from __future__ import annotations

import numpy as np
import pandas as pd

from verikit.mask import METHODS
from verikit.words import Said, count, not_compared

__all__ = ["amount", "best", "method_name"]


def best(found: pd.DataFrame, cost: str) -> Said:
    """The cheapest masking that meets the goal, and how many do.

    Parameters
    ----------
    found
        What `verikit.protector.trade_off` measured.
    cost
        The column that is to be lost least.

    Examples
    --------
    >>> best(pd.DataFrame({"met": [False]}), "rank_correlation").means
    'None of 1 masking reaches the goal.'
    """
    met = found[found["met"].astype(bool)]
    tried = count(len(found), "masking")
    if not len(met):
        return Said(f"None of {tried} reaches the goal.", "Mask more, or ask for less.")
    kept = met[cost] if cost == "rank_correlation" else -met[cost]
    chosen = met.loc[kept.fillna(-np.inf).idxmax()]  # a constant column has no correlation
    name = method_name(chosen.method)
    left = not_compared(chosen.get("not_compared", ()))
    return Said(
        (f"{left} " if left else "")
        + f"{name[:1].upper()}{name[1:]}, {amount(chosen.method, chosen.amount)}, reaches the goal "
        "at the least cost.",
        f"{len(met)} of {tried} reach it. This one leaves "
        f"{count(int(chosen.links), 'right link')}, keeps a rank correlation of "
        f"{chosen.rank_correlation:.2f} and adds {chosen.residual_noise:.2f} standard deviations "
        "of noise that no permutation explains.",
    )


def amount(method: str, value: float) -> str:
    """An amount of masking in words.

    Examples
    --------
    >>> amount("rank_swap", 10.0)
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
