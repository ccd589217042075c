"""How far estimated answers lie from the true ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from verikit._support.arrays import Floats
from verikit._support.plotted import Plotted
from verikit._support.requests import instance
from verikit.errors import RecordError
from verikit.query import Answer, Query, evidence_of
from verikit.release import Release
from verikit.table import Microdata
from verikit.words import count

__all__ = ["RelativeError", "relative_error"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RelativeError(Plotted):
    """The errors of the answers to a workload.

    Parameters
    ----------
    errors
        |true - estimate| / |true| of each query whose true answer is a number besides 0.
    left_out
        How many queries have the true answer 0 or none, for which no relative error exists.
    true, answers
        The true answer and that of the release to every query.
    """

    errors: Floats
    left_out: int
    true: Floats
    answers: tuple[Answer, ...]

    @property
    def mean(self) -> float:
        """The average relative error."""
        return float(self.errors.mean())

    @property
    def median(self) -> float:
        """The relative error that half of the queries exceed."""
        return float(np.median(self.errors))

    def __repr__(self) -> str:
        left = f"; {self.left_out} with no record left out" if self.left_out else ""
        return (
            f"relative error {self.mean:.3g} on average, {self.median:.3g} in the middle, over "
            f"{count(len(self.errors), 'query', 'queries')}{left}"
        )


def relative_error(data: Microdata, release: Release, queries: Sequence[Query]) -> RelativeError:
    """Compare what a release answers with what the original would.

    Parameters
    ----------
    data
        The original.
    release
        What was published of it.
    queries
        Queries, such as `workload` draws.

    Returns
    -------
    RelativeError
        The error of each query whose true answer is not 0, and how many were left out.

    Raises
    ------
    RecordError
        If no query has a true answer besides 0, or one of them cannot be answered.

    References
    ----------
    [LHCC]_ section 4.2

    Examples
    --------
    >>> import verikit as vk
    >>> data, query = vk.load("lhcc_table1"), vk.Query.count({"Age": (40, 70), "Disease": "Flu"})
    >>> relative_error(data, vk.published("lhcc_table3"), [query, vk.Query.count({"Age": (0, 5)})])
    relative error 0.225 on average, 0.225 in the middle, over 1 query; 1 with no record left out
    """
    instance(queries, (list, tuple), "relative_error", "a list of queries")
    original, published = evidence_of(data), evidence_of(release)
    true = np.array([original.answer(query).estimate for query in queries])
    answers = tuple(published.answer(query) for query in queries)
    estimates = np.array([answer.estimate for answer in answers])
    there = (true != 0) & ~np.isnan(true) & ~np.isnan(estimates)
    if not there.any():
        raise RecordError(
            f"None of the {len(queries)} queries finds a record in the original, so no relative "
            "error exists; ask for wider ranges."
        )
    errors = np.abs(true - estimates)[there] / np.abs(true[there])
    return RelativeError(errors, int(np.count_nonzero(~there)), true, answers)
