"""Link by rank: least largest distance, least-cost assignment, weighed normal scores."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from verikit._support.arrays import Floats, Rows
from verikit._support.seed import generator
from verikit.errors import InfeasibleError, VerikitError
from verikit.intruder._ranked_tables import Compared, Links, rank_tables
from verikit.mask import METHODS
from verikit.ranks import (
    balance_likelihoods,
    estimate_move_densities,
    find_all_matches,
    look_up_densities,
    mean_log_likelihood,
    mid_ranks,
    whiten_moves,
)
from verikit.release import Masked, TableRelease
from verikit.table import Microdata


def link_by_maximum_rank(tables: Compared) -> Links:
    """List every released row whose largest distance in rank is smallest ([DM]_ section 5.1)."""
    found = find_all_matches(*tables.ranks)
    measure = found.distance.repeat(found.counts).astype(float)
    return Links("maximum_rank", tables, found.starts, found.rows, measure)


MAX_DENSE = 5_000
AT_ONCE = 64  # records whose distances are worked out together, so that caches hold them


def assign_by_rank(tables: Compared) -> Links:
    """Give each record a row of its own, so that the largest rank distances add up to the least."""
    if len(tables) > MAX_DENSE:
        raise InfeasibleError(
            f"An assignment of {len(tables):,} records compares all pairs, which is done up to "
            f"{MAX_DENSE:,}; use 'maximum_rank', 'normal_scores' or 'strongest' instead."
        )
    first, last = tables.first.astype(float), tables.last.astype(float)
    ends = tables.released_first.astype(float).T.copy(), tables.released_last.astype(float).T.copy()
    apart = np.zeros((len(tables), len(tables)))
    between = np.empty((AT_ONCE, len(tables)))
    for start in range(0, len(tables), AT_ONCE):
        part = apart[start : start + AT_ONCE]
        at, over = slice(start, start + len(part)), between[: len(part)]
        for j in range(len(tables.attributes)):
            np.maximum(part, np.subtract(ends[0][j], last[at, j, None], out=over), out=part)
            np.maximum(part, np.subtract(first[at, j, None], ends[1][j], out=over), out=part)
    rows = find_assignment(apart)
    return make_sole_links("assignment", tables, rows, apart[np.arange(len(rows)), rows])


def find_assignment(cost: Floats) -> Rows:
    """Find the row of each record in the assignment of least cost, by the Hungarian method."""
    from scipy.optimize import linear_sum_assignment

    rows: Rows = linear_sum_assignment(cost)[1]
    return rows


def make_sole_links(
    attack: str, tables: Compared, rows: Rows, measure: Floats, note: str = ""
) -> Links:
    """Links with one candidate for each record."""
    return Links(attack, tables, np.arange(len(tables) + 1), rows, measure, note)


MAX_ROUNDS, MANY_RECORDS, FEW_ROUNDS = 6, 1_500, 2  # an assignment of many records takes long
SETTLED = 0.02
MIN_RECORDS, MIN_UNSETTLED, PAIRS_PER_RECORD, MAX_STEPS = (
    200,
    0.2,
    20,
    40,
)  # when and how worths are worked out
LOWER_BOUND = (
    f"Above {MAX_DENSE:,} records candidates come from nearest neighbours, without comparing all "
    "pairs, so a stronger attack is possible: take what is found as a lower bound."
)


def link_by_normal_scores(tables: Compared) -> Links:
    """Link by squared differences of normal scores, each attribute weighed by what it kept.

    What an attribute kept is learned from the links themselves: link, measure the spread of the
    differences that remain, weigh by it, and link again.
    """
    original, released = tables.scores
    weights, last = np.ones(original.shape[1]), None
    # where no values are equal, the best assignment does not hang on where a search begins
    ends = (tables.first, tables.last), (tables.released_first, tables.released_last)
    untied = all(np.array_equal(first, end) for first, end in ends)
    for _ in range(FEW_ROUNDS if MANY_RECORDS < len(tables) <= MAX_DENSE else MAX_ROUNDS):
        if len(tables) > MAX_DENSE:
            scale = np.sqrt(weights)
            rows = find_nearest_scores(original * scale, released * scale, 1)[:, 0]
        else:
            last = _assign_weighed(original, released, weights, last if untied else None)
            rows = last.rows
        spread = np.maximum(((original - released[rows]) ** 2).mean(axis=0), 1e-9)
        before, weights = weights, spread.mean() / spread
        if np.all(np.abs(weights - before) <= SETTLED * before):
            break
    measure = ((original - released[rows]) ** 2) @ weights
    note = LOWER_BOUND if len(tables) > MAX_DENSE else ""
    return make_sole_links("normal_scores", tables, rows, measure, note)


class _Assigned(NamedTuple):
    """An assignment of least cost: the rows, what each was worth beforehand, and the costs."""

    rows: Rows
    worth: Floats
    apart: Floats


def _assign_weighed(
    original: Floats, released: Floats, weights: Floats, last: _Assigned | None
) -> _Assigned:
    worth = np.zeros(len(released)) if last is None else _find_worths(last)
    apart = np.zeros((len(original), len(released)))
    between, columns = np.empty((AT_ONCE, len(released))), released.T.copy()
    for start in range(0, len(original), AT_ONCE):
        part = apart[start : start + AT_ONCE]
        over = between[: len(part)]
        for j, weight in enumerate(weights):
            np.subtract.outer(original[start : start + AT_ONCE, j], columns[j], out=over)
            over *= over
            over *= weight
            part += over
    apart -= apart.min(axis=0)  # what all pay alike changes no assignment, and the search is short
    apart -= worth
    apart -= apart.min(axis=1, keepdims=True)
    return _Assigned(find_assignment(apart), worth, apart)


def _find_worths(last: _Assigned) -> Floats:
    """Find what each row should cost less, so that nobody would rather have another than her own.

    These are dual prices of the assignment: shortest ways from row to row along the cheapest
    pairs, step by step (Bellman-Ford). Where they stop short, the next search takes longer, and
    finds the same; where most got what they liked best, it is short.
    """
    n, apart = len(last.rows), last.apart
    own = apart[np.arange(n), last.rows]
    if n < MIN_RECORDS or np.count_nonzero(own) < MIN_UNSETTLED * n:
        return last.worth
    sample = apart[:: n // 64].ravel()
    limit = PAIRS_PER_RECORD * len(sample) // n
    cheap = np.flatnonzero(apart <= np.partition(sample, limit)[limit])
    cheap = cheap[np.argsort((cheap % n).astype(np.int16), kind="stable")]
    record, row = cheap // n, cheap % n
    starts = np.flatnonzero(np.r_[True, row[1:] != row[:-1]])
    more, before = apart[record, row] - own[record], last.rows[record]
    found = np.zeros(n)
    for _ in range(MAX_STEPS):
        shorter = np.minimum.reduceat(more + found[before], starts)
        found[row[starts]] = np.minimum(found[row[starts]], shorter)
    return last.worth + found


def find_nearest_scores(original: Floats, released: Floats, count: int) -> Rows:
    """Find the rows whose scores are closest to each record's, closest first."""
    from scipy.spatial import cKDTree

    k = np.arange(1, min(count, len(released)) + 1)
    # a k-d tree compares a record with few rows only
    rows: Rows = cKDTree(released, balanced_tree=False).query(original, k=k)[1]
    return rows


NEIGHBOURS = 64
PENALTY = -1e4
RECORDS_AT_ONCE = 256


def published_mechanism(
    data: Microdata, release: TableRelease, tables: Compared, only: Links | None = None
) -> Links:
    """Repeat the published method on the original, learn how it moves ranks, and link by that.

    The moves of many repetitions give each attribute a density of displacements, by part of the
    range; a pair is as likely as the product of its displacements. Where the repetitions are told
    better by displacements that belong together, as by shuffling, these are whitened by their
    covariance instead. Balancing the likelihoods, so that each record and each row is used once,
    gives the probability of each pair. ``only`` holds the pairs that are possible at all.

    Notes
    -----
    Above some thousand records only the rows with the closest scores are candidates.
    """
    moves = find_moves(data, release, tables)
    middle = (tables.first + tables.last) / 2, (tables.released_first + tables.released_last) / 2
    learned = [estimate_move_densities(*ends, len(tables)) for ends in zip(*moves, strict=True)]
    joint = whiten_moves(moves, middle, mean_log_likelihood(learned, *moves))
    if joint.gain > 0:
        rows = _find_candidates(len(tables), joint.original, joint.released)
        likelihood = joint.likelihood(rows)
    else:
        rows = _find_candidates(len(tables), *tables.scores)
        likelihood = np.zeros(rows.shape)
        for start in range(0, len(rows), RECORDS_AT_ONCE):
            part = slice(start, start + RECORDS_AT_ONCE)
            for j, density in enumerate(learned):
                ends = middle[1][rows[part], j]
                likelihood[part] += look_up_densities(density, middle[0][part, j, None], ends)
    if only is not None:
        possible = np.zeros((len(only), len(only)), bool)
        possible[only.records, only.rows] = True
        possible[only.counts == 0] = True  # of whom no possible rows are known
        ruled_out = ~np.take_along_axis(possible, rows, axis=1)
        likelihood += np.where(ruled_out, PENALTY, 0.0)
    chance = balance_likelihoods(likelihood, rows)
    best = chance.argmax(axis=1)
    at = np.arange(len(rows))
    note = LOWER_BOUND if len(tables) > MAX_DENSE else ""
    return make_sole_links(
        "published_mechanism", tables, rows[at, best], 1 - chance[at, best], note
    )


def _find_candidates(n: int, original: Floats, released: Floats) -> Rows:
    if n <= MAX_DENSE:
        return np.broadcast_to(np.arange(n), (n, n))
    return find_nearest_scores(original, released, NEIGHBOURS)


Repeat: TypeAlias = Callable[[Microdata, int], Masked]
MAX_SAMPLES = 200_000
FIRST_SEED = 982_451_653


def make_repeat(release: TableRelease) -> Repeat | None:
    """Find the published method with its published parameters; None where these do not suffice."""
    given = _find_published(release)
    if given is None:
        return None
    method = METHODS[release.method].function
    return lambda data, seed: method(data, **given, seed=seed)


def _find_published(release: TableRelease) -> dict[str, Any] | None:
    if release.method not in METHODS:
        return None
    takes = inspect.signature(METHODS[release.method].function).parameters
    given = {name: value for name, value in release.parameters.items() if name in takes}
    needed = {n for n, p in takes.items() if p.default is p.empty} - {"data", "seed"}
    return None if needed - given.keys() else given


def find_moves(
    data: Microdata, release: TableRelease, tables: Compared
) -> tuple[list[Floats], list[Floats]]:
    """By attribute, the ranks before and after masking of all records in all repetitions."""
    repeat = make_repeat(release)
    if repeat is None:
        raise InfeasibleError(
            f"The release names the method {release.method!r}, which cannot be repeated from what "
            "is published; use the attack 'normal_scores'."
        )
    runs = int(np.clip(MAX_SAMPLES // len(tables), 3, 400))
    try:
        middles = _rank_draws(data, release, tables, runs)
        if middles is None:
            middles = np.array([*_rank_releases(data, repeat, tables, runs)])
    except VerikitError as error:
        raise InfeasibleError(
            f"The published method cannot be repeated on the original: {error}"
        ) from error
    starts = np.tile(((tables.first + tables.last) / 2).T, runs)
    return list(starts), list(np.concatenate(middles).T.copy())


def _rank_releases(
    data: Microdata, repeat: Repeat, tables: Compared, runs: int
) -> Iterator[Floats]:
    """Find the ranks after each repetition, by releases and their keys."""
    for run in range(runs):
        again, where = repeat(data, FIRST_SEED + run)
        ranked = rank_tables(data, cast("TableRelease", again), tables.attributes)
        yield ((ranked.released_first + ranked.released_last) / 2)[where.rows]


def _rank_draws(
    data: Microdata, release: TableRelease, tables: Compared, runs: int
) -> Floats | None:
    """Find the same ranks without releases, where the method can draw its values alone.

    All draws of a column are ranked at once, because one by one they are most of a search's work.
    """
    again, given = METHODS[release.method].again, _find_published(release)
    if again is None or given is None:
        return None
    order = data.canonical_order()
    draw = again(data.take(order), **given)
    drawn = [draw(generator(FIRST_SEED + run)) for run in range(runs)]
    # what is not masked stays where it is
    ranks = np.repeat(((tables.first + tables.last) / 2)[None], runs, axis=0)
    for j, name in enumerate(tables.attributes):
        if name in drawn[0]:
            ranks[:, order, j] = mid_ranks(np.array([values[name] for values in drawn]))
    return ranks
