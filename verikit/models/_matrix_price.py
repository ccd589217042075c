"""What a matrix of chances costs in bits and in people, and what it protects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Floats
from verikit.errors import RecordError, SchemaError, quoted
from verikit.release import TableRelease, require_redraw, whole_records
from verikit.table import Microdata, require_microdata, shares_of, single_codes
from verikit.words import listed

MAX_CHANCES = 10**7
CLOSE = 1e-9


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MatrixPrice:
    """What a matrix of chances, by which values become others, costs and protects.

    Parameters
    ----------
    bits
        The bits of randomness that a value costs: the entropy of what becomes of it, on average.
        Blocks of k values that become each other with chance 1/k cost the logarithm of k to base 2.
    told
        The bits that a published value tells of the original one, on average (their mutual
        information); those of the original value itself if nothing is changed.
    gamma
        How many times likelier some value is made from one value than from another, at most.
    condition
        By how much an error of the published shares may grow where they are brought back by the
        inverse, at most (the condition number); infinite where there is none.
    growth
        How many times as many people it takes to estimate the shares of the values as exactly as
        from the values themselves, by the sum of the variances.
    matrix
        The chances: a line for each value, a column for what it becomes.

    Examples
    --------
    >>> price_matrix([[0.75, 0.25], [0.25, 0.75]])
    a price of 0.8113 bits a value: 0.1887 bits are told, gamma 3 (epsilon 1.099), condition 2, 4 \
times as many people
    """

    bits: float
    told: float
    gamma: float
    condition: float
    growth: float
    matrix: pd.DataFrame

    @property
    def epsilon(self) -> float:
        """The logarithm of gamma: what local differential privacy calls epsilon."""
        return log(self.gamma)

    def __repr__(self) -> str:
        return (
            f"a price of {self.bits:.4g} bits a value: {self.told:.4g} bits are told, gamma "
            f"{self.gamma:.4g} (epsilon {self.epsilon:.4g}), condition {self.condition:.4g}, "
            f"{self.growth:.4g} times as many people"
        )


def price_matrix(
    matrix: npt.ArrayLike | TableRelease,
    names: Sequence[str] | None = None,
    *,
    shares: Sequence[float] | None = None,
    original: Microdata | None = None,
) -> MatrixPrice:
    """Say what a matrix of chances costs, in bits and in people, and what it protects.

    Parameters
    ----------
    matrix
        A line for each value, with the chance that it becomes each value; or a release of
        `verikit.mask.randomize`, which publishes these chances.
    names
        Of a release, the quasi-identifiers whose combinations of values are meant; all by default.
    shares
        How frequent each value is in the original; all equally by default.
    original
        Of a release, the original, whose shares are drawn from; by default those of the release
        stand for them.

    Returns
    -------
    MatrixPrice
        Bits, gamma, condition number, growth, and the matrix.

    Raises
    ------
    RecordError
        If the matrix is not square, or chances or shares do not add up to 1.
    SchemaError
        If the release tells no probabilities, a name is no quasi-identifier, or there are too many
        combinations.

    References
    ----------
    [YQ]_ Proposition 13, for the chance that one combination becomes another
    S. Agrawal, J. Haritsa, B. Prakash: FRAPP. Data Mining and Knowledge Discovery 18, 2009: of all
    symmetric matrices of a given gamma the gamma-diagonal one has the least condition number

    Notes
    -----
    To count the entropy of a matrix as the price of protection follows N. Ruiz and J.
    Domingo-Ferrer, Bistochastic privacy, 2022; the rest is our own. With chances P, shares s and
    published shares q = sP of n people drawn at random, the estimate qP^-1 has the covariance
    P^-T (diag q - qq^T) P^-1 / n; growth is its trace by that of (diag s - ss^T) / n. O(values^3).

    Examples
    --------
    >>> import verikit as vk
    >>> release, _ = vk.mask.randomize(
    ...     vk.load("yq_figure1"), scheme="gamma-diagonal", gamma=19, seed=7
    ... )
    >>> found = price_matrix(release)
    >>> n = len(found.matrix)
    >>> n, round(found.gamma, 6), round(found.condition / ((19 + n - 1) / (19 - 1)), 6)
    (100, 19.0, 1.0)
    """
    if whole_records(matrix):
        table = _tabulate_chances(matrix, names, original)
    else:
        table = pd.DataFrame(_read_chances(matrix))
    chances, size = table.to_numpy(), len(table)
    if not size or chances.shape != (size, size):
        raise RecordError(
            f"The matrix was given as {quoted(matrix)}; expected as many lines as columns, and in "
            "each line chances from 0 up that add up to 1."
        )
    own = np.full(size, 1 / size) if shares is None else _read_chances([shares]).ravel()
    if own.shape != (size,):
        raise RecordError.given(
            "shares", shares, f"{size} shares from 0 up that add up to 1, one a line of the matrix"
        )
    bits = float(own @ [_count_bits(line) for line in chances])
    made, values = own @ chances, np.linalg.svd(chances, compute_uv=False)
    reached = chances[:, chances.max(axis=0) > 0]
    least = reached.min(axis=0)
    gamma = float((reached.max(axis=0) / least).max()) if least.min() > 0 else inf
    condition, growth = inf, inf
    if values[-1] > values[0] * size * np.finfo(float).eps:
        condition, inverse = float(values[0] / values[-1]), np.linalg.inv(chances)
        before = 1 - (own**2).sum()
        after = np.trace(inverse.T @ (np.diag(made) - np.outer(made, made)) @ inverse)
        growth = float(after / before) if before > CLOSE else 1.0
    return MatrixPrice(bits, _count_bits(made) - bits, gamma, condition, growth, table)


def _tabulate_chances(
    release: TableRelease, names: Sequence[str] | None, original: Microdata | None
) -> pd.DataFrame:
    """Tabulate with what chance each combination of values becomes each other one."""
    told = require_redraw(release, "price_matrix", evenly=True)
    source = release if original is None else require_microdata(original, "price_matrix")
    asked = [*told.names] if names is None else names
    if not isinstance(asked, (list, tuple)) or not asked or any(n not in told.names for n in asked):
        raise SchemaError(
            f"price_matrix was asked for {quoted(names)}; expected a list of "
            f"{listed(told.names, 12)}."
        )
    values, shares = [], []
    for name in asked:
        codes, found = single_codes(source.frame[name], name, "the table")
        even = told.values.get(name)
        values.append([*(found if even is None else even)])
        shares.append(shares_of(codes, len(found)) if even is None else np.ones(len(even)))
        shares[-1] = shares[-1] / shares[-1].sum()
    index = pd.MultiIndex.from_product(values, names=[*asked])
    if len(index) ** 2 > MAX_CHANCES:
        raise SchemaError(
            f"{listed(asked, 12)} have {len(index):,} combinations, too many for a matrix; name "
            "fewer attributes."
        )
    places = np.indices([len(part) for part in values]).reshape(len(values), -1)
    drawn = np.column_stack([share[at] for share, at in zip(shares, places, strict=True)])
    apart = sum((at[:, None] != at) << k for k, at in enumerate(places))
    chances = told.transition_chances(asked, drawn)
    return pd.DataFrame(chances[np.arange(len(index)), apart], index, index)


def _count_bits(chances: Floats) -> float:
    """Count the bits of a distribution, its entropy to base 2."""
    some = chances[chances > 0]
    return float(-(some * np.log2(some)).sum()) + 0.0


def _read_chances(lines: Any) -> Floats:
    """Read lines of chances, from 0 up, of which each adds up to 1; none where they are no such."""
    none = np.empty((0, 0))
    try:
        found = np.asarray(lines, dtype=float)
    except (TypeError, ValueError):
        return none
    well = found.ndim == 2 and bool((found >= 0).all())
    return found if well and (np.abs(found.sum(axis=1) - 1) < CLOSE).all() else none
