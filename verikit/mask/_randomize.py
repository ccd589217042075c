"""Random anonymization: some attributes of each record get a value drawn from their column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Rows
from verikit._support.seed import generator
from verikit.errors import SchemaError
from verikit.mask._columns import masked_columns
from verikit.mask._masking import masking, publish
from verikit.release import Masked, Probabilities, Redraw
from verikit.table import Microdata, effective_number, shares_of
from verikit.words import listed

DIGITS = 2


@masking(
    paper="YQ",
    promise="changed",
    example={"changed": 1},
    words="Some attributes of each record get a value drawn from their column.",
    repeatable=True,
)
def randomize(
    data: Microdata, *, changed: int = 1, probabilities: Probabilities = None, seed: int
) -> Masked:
    """Draw one or more quasi-identifiers of each record anew from the values of their column.

    Sensitive and other columns stay as they are. A drawn value may be the old one.

    Parameters
    ----------
    data
        The records; quasi-identifiers need two values each.
    changed
        How many quasi-identifiers of each record are drawn anew: 1 is Algorithm 1, more are
        Algorithm 2.
    probabilities
        How likely each is the one, by column, or ``"equal"``. None takes them in proportion to
        the diversity of the columns, rounded to two significant digits before they are used; where
        several are changed, all are equally likely.
    seed
        The secret randomness.

    Returns
    -------
    Masked
        The release, which publishes how many were changed and with what probabilities, and the key.

    Raises
    ------
    SchemaError
        If there is no quasi-identifier, a value is missing, a quasi-identifier has one value only,
        or the probabilities do not name just the quasi-identifiers.
    RecordError
        If so many cannot be changed, or probabilities do not add up to 1.

    References
    ----------
    [YQ]_ Algorithms 1 and 2, Proposition 7

    Notes
    -----
    A value is drawn as that of a random record, so it has the original distribution exactly. That
    distribution is not published: each single column keeps it in expectation, so the release shows
    it, and exact shares would give away whoever is left when all others are known. For the same
    reason probabilities that come from the data are rounded; they are used in proportion, so they
    need not add up to exactly 1. Rows are shuffled, which the paper's example is not. O(n) a
    column.

    Examples
    --------
    >>> import verikit as vk
    >>> release, key = randomize(vk.load("yq_figure1"), changed=1, seed=7)
    >>> release.parameters["probabilities"]
    {'Age': 0.36, 'Job': 0.38, 'Country': 0.26}
    >>> randomize(vk.load("yq_figure1"), changed=2, seed=7).release.parameters
    {'changed': 2, 'probabilities': 'equal'}
    """
    names = [c.name for c in masked_columns(data, "randomize") if c.role == "quasi"]
    told = Redraw.of(names, changed, probabilities)
    _refuse_constant(data, names)
    used: Probabilities = "equal" if probabilities is None else probabilities
    digits = {}
    if probabilities is None and told.changed == 1:
        coded = {name: data.codes(name) for name in names}
        found = {
            name: effective_number(shares_of(codes.astype(np.int64), len(values)))
            for name, (codes, values) in coded.items()
        }
        total = sum(found.values())
        used = {name: float(f"{part / total:.{DIGITS}g}") for name, part in found.items()}
        told, digits = Redraw.of(names, 1, used), {"probability_digits": DIGITS}
    rng = generator(seed)
    chosen = _choose_records(told, len(data), rng)
    drawn = {
        name: _redraw_column(data.frame[name].array, rows, rng)
        for name, rows in zip(names, chosen, strict=True)
    }
    parameters = {"changed": told.changed, "probabilities": used, **digits}
    return publish(data, drawn, method="randomize", parameters=parameters, rng=rng, own=names)


def _refuse_constant(data: Microdata, names: Sequence[str]) -> None:
    constant = [name for name in names if not _holds_several(data.frame[name])]
    if constant:
        raise SchemaError(
            f"The quasi-identifier {listed(constant)} has one value only, so drawing it anew "
            "changes nothing; give it the role 'other', or leave it out."
        )


def _holds_several(values: pd.Series[Any]) -> bool:
    """Whether a column without missing values holds more than one."""
    codes = values.cat.codes if isinstance(values.dtype, pd.CategoricalDtype) else values
    found = codes.to_numpy()
    return len(found) > 0 and bool(found.min() < found.max())


def _redraw_column(values: Any, rows: Rows, rng: np.random.Generator) -> Any:
    """A column in which some records have the value of any record, codes for categories."""
    found = values.copy()
    found[rows] = values.take(rng.integers(len(values), size=len(rows)))
    return found


def _choose_records(told: Redraw, n: int, rng: np.random.Generator) -> Iterator[Rows]:
    """For each attribute the records in which it is drawn anew."""
    m = len(told.names)
    if told.changed == 1:
        place, which = rng.random(n), np.zeros(n, np.uint16)
        for end in np.cumsum(told.weights)[:-1]:
            which += place >= end
        yield from (np.flatnonzero(which == k) for k in range(m))
        return
    left = np.full(n, told.changed)
    for k in range(m):  # of those that are left, each set is equally likely
        picked = rng.random(n) * (m - k) < left
        left -= picked
        yield np.flatnonzero(picked)
