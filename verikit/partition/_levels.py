"""Levels of diversity by record: who asks for more is put among such ([LHCC]_ section 6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from verikit._support.arrays import Rows
from verikit._support.requests import whole
from verikit._support.seed import generator
from verikit.errors import InfeasibleError, RecordError, SchemaError, quoted
from verikit.partition._partition import Partition, value_codes
from verikit.table import Microdata, refuse_missing, require_table
from verikit.words import count

SECONDS = 60.0


def group_by_levels(
    partitioner: Callable[..., Partition],
    data: Microdata,
    levels: str,
    sensitive: str | Sequence[str] | None,
    more: Mapping[str, Any],
    seed: int,
) -> Partition:
    """Group records so that the level of each is kept in its own group.

    Records are put together by the level of their group, no lower than their own, and each such
    part is grouped by itself.
    """
    require_table(data, partitioner.__name__)
    name = _require_one_column(data, levels, sensitive)
    asked, missing = _read_levels(data, levels), more["missing"]
    refuse_missing(data, [data.schema[name]], missing)
    rng, order = generator(seed), data.canonical_order()
    order = rng.permutation(order)
    lifted = np.empty(len(order), np.intp)
    lifted[order] = lift_levels(asked[order], value_codes(data, name).codes[order], levels)
    labels, residue, parameters = np.empty(len(order), np.intp), 0, dict[str, Any]()
    found: list[int] = []
    for level in np.unique(lifted).tolist():
        rows, drawn = np.flatnonzero(lifted == level), int(rng.integers(2**63))
        part = partitioner(data.take(rows), ell=level, sensitive=name, seed=drawn, **more)
        labels[rows] = sum(found) + part.labels
        found.append(len(part))
        residue, parameters = residue + part.residue, {**part.parameters}
    given = {**parameters, "ell": np.unique(lifted).tolist(), "sensitive": name}
    return Partition(labels, f"{partitioner.__name__} by levels", given, residue)


def _require_one_column(data: Microdata, levels: str, sensitive: str | Sequence[str] | None) -> str:
    if sensitive is not None and not isinstance(sensitive, str):
        raise RecordError(
            f"Levels by record were asked of {quoted(sensitive)}; they are kept for one sensitive "
            "column only, so name one, or give one ell for all records.",
            field="sensitive",
            value=sensitive,
        )
    name = data.schema.find_sensitive(sensitive)
    if levels in data.schema.names and data.schema[levels].role != "identifier":
        raise SchemaError(
            f"The column {quoted(levels)} holds what each person asks for, but its role is "
            f"{data.schema[levels].role!r}, so that it would be published; give it the role "
            "'identifier'."
        )
    return name


def _read_levels(data: Microdata, name: str) -> Rows:
    if name not in data.schema.names:
        raise RecordError(
            f"ell was given as {quoted(name)}; expected a whole number from 1 up, or the column "
            "that holds the level each record asks for.",
            field="ell",
            value=name,
        )
    asked = [whole(value, f"level in {name!r}") for value in data.frame[name].tolist()]
    return np.array(asked, np.intp)


def lift_levels(asked: Rows, codes: Rows, name: str) -> Rows:
    """The level of the group of each record: its own, or a higher one for as few as possible.

    Of records with equal level and value the first ones are lifted.

    Raises
    ------
    InfeasibleError
        If no groups keep every record's level; the message names the level up to which all can be
        kept.

    Notes
    -----
    A part of records whose groups have one level keeps it if its most frequent value fills no more
    than that share of it, and parts of one level may be joined. So there are such groups just if
    whole numbers of records by level and value can be lifted to make every part so: an integer
    program over levels and values, which scipy solves.

    Examples
    --------
    >>> asked, values = np.array([3, 1, 1, 1, 1]), np.array([0, 1, 1, 1, 2])
    >>> lift_levels(asked, values, "wish").tolist()
    [3, 3, 1, 1, 3]
    """
    steps, own = np.unique(asked, return_inverse=True)
    counts = np.zeros((len(steps), int(codes.max()) + 1), np.intp)
    np.add.at(counts, (own, codes), 1)
    moves = _solve(steps, counts)
    if moves is None:
        low, high = 1, int(steps[-1])  # the first can always be kept, the last cannot
        while high - low > 1:
            cap = (low + high) // 2
            lower, place = np.unique(np.minimum(steps, cap), return_inverse=True)
            fewer = np.zeros((len(lower), counts.shape[1]), np.intp)
            np.add.at(fewer, place, counts)
            low, high = (low, cap) if _solve(lower, fewer) is None else (cap, high)
        many = count(int((asked > low).sum()), "record asks", "records ask")
        raise InfeasibleError(
            f"No groups keep the level in {name!r} of each record: {many} for more than {low}, the "
            "highest level up to which all can be kept; lower theirs, or leave their records out.",
            field="ell",
            value=name,
        )
    lifted = np.empty(len(asked), np.intp)
    for level, value in np.argwhere(counts):
        rows = np.flatnonzero((own == level) & (codes == value))
        lifted[rows] = np.repeat(steps[::-1], moves[level, ::-1, value])
    return lifted


def _solve(steps: Rows, counts: Rows) -> Rows | None:
    """How many records of each level and value go to each level; None where nothing will do.

    The unknowns are these numbers, and for each level how often a value may occur there.
    """
    from scipy import sparse
    from scipy.optimize import LinearConstraint, milp

    levels, values = counts.shape
    own, to, value = (part.ravel() for part in np.indices((levels, levels, values)))
    eye, kron, row = sparse.identity, sparse.kron, np.ones((1, levels))
    kept = kron(eye(levels), kron(row, eye(values)))
    there = kron(row, eye(levels * values)), -kron(eye(levels), np.ones((values, 1)))
    full = kron(row, kron(eye(levels), np.ones((1, values)))), -sparse.diags(steps.astype(float))
    nothing = sparse.csr_matrix((levels * values, levels))
    found = milp(
        np.r_[(own != to).astype(float), np.zeros(levels)],
        constraints=[
            LinearConstraint(sparse.hstack([kept, nothing]), counts.ravel(), counts.ravel()),
            LinearConstraint(sparse.hstack(there), -np.inf, 0),
            LinearConstraint(sparse.hstack(full), 0, np.inf),
        ],
        bounds=(0, np.r_[np.where(to < own, 0, counts[own, value]), [counts.sum()] * levels]),
        integrality=np.ones(len(own) + levels),
        options={"time_limit": SECONDS},
    )
    if found.x is None and found.status == 1:
        raise InfeasibleError(
            f"In {SECONDS:.0f} seconds it was not found whether groups keep the level of each "
            "record; ask for fewer different levels."
        )
    if found.x is None:
        return None
    return np.rint(found.x[: len(own)]).astype(np.intp).reshape(levels, levels, values)
