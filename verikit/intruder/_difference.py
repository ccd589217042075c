"""How much two distributions of distances differ, and how often chance alone does as much."""

from __future__ import annotations

import numpy as np

from verikit._support.arrays import Floats
from verikit._support.seed import generator

__all__ = ["RESAMPLES", "hellinger", "parts", "resampled_p", "smirnov_p"]

RESAMPLES = 199
STEPS = 32


def parts(share: Floats) -> Floats:
    """The share at each distance looked at, and beyond them all."""
    return np.diff(share, prepend=0, append=1)


def hellinger(one: Floats, other: Floats) -> Floats:
    """How much two distributions differ, from 0 to 1; many ones in lines are told apart."""
    apart: Floats = np.sqrt(np.maximum(1 - np.sqrt(one * other).sum(axis=-1), 0))
    return apart


def smirnov_p(distance: float, n: int, count: int) -> float:
    """How often chance alone makes them differ as much at some distance."""
    from scipy.special import kolmogorov

    size = n * count / (n + count) if count else n
    return float(kolmogorov(np.sqrt(size) * distance))


def resampled_p(share: Floats, others: Floats, n: int, count: int, seed: int) -> float:
    """How often records resampled without a difference differ as much, in a few wide steps."""
    steps = np.unique(np.searchsorted(others, np.linspace(0, 1, STEPS + 1)[1:-1]))
    steps = steps[steps < len(others)]
    one, other = parts(share[steps]), parts(others[steps])
    rng = generator(seed)
    if count:
        pooled = np.rint(n * one + count * other).astype(np.int64)
        drawn = rng.multivariate_hypergeometric(pooled, n, RESAMPLES, method="marginals")
        found = hellinger(drawn / n, (pooled - drawn) / count)
    else:
        found = hellinger(rng.multinomial(n, other / other.sum(), RESAMPLES) / n, other)
    return float((1 + np.count_nonzero(found >= hellinger(one, other) - 1e-12)) / (1 + RESAMPLES))
