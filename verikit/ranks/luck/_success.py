"""How many links are right, as the intruder can estimate it."""

from __future__ import annotations

import numpy as np

from verikit._support.arrays import Floats

__all__ = ["estimated_success"]


def estimated_success(observed: Floats, made_up: Floats) -> Floats:
    """The share of links that are right, as the intruder can estimate it without knowing one.

    A match lies at the distance of the true record or of a chance one, whichever is smaller. So
    the share of matches beyond a distance is the product of both shares, and the distribution of
    true distances can be solved for; a true record wins where no chance one is closer, and half
    the time where one is as close.

    Parameters
    ----------
    observed, made_up
        The shares of the records, and of made-up records, that match within 0, 1, 2 ... places,
        or within any increasing distances; the former also one line a sample.

    Returns
    -------
    numpy.ndarray
        An estimate of the share. Chance may bring it below 0 or above 1; what keeps it from that
        would make it too high on average.

    Examples
    --------
    >>> float(estimated_success(np.array([0.5, 1.0]), np.array([0.0, 1.0])))
    0.5
    """
    told = made_up < 1  # beyond the last chance match nothing more can be told
    beyond = (1 - observed[..., told]) / (1 - made_up[told])
    weight = (1 - made_up + np.diff(made_up, prepend=0) / 2)[told]
    found: Floats = (np.diff(1 - beyond, prepend=0, axis=-1) * weight).sum(axis=-1)
    return found
