"""Link by rank: least largest distance, least-cost assignment, weighed normal scores."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np

from verikit._support.arrays import Flags, Floats, Rows
from verikit._support.seed import generator
from verikit.errors import InfeasibleError, VerikitError
from verikit.intruder._ranked_tables import Compared, Links, compare_tables
from verikit.mask import METHODS
from verikit.ranks import (
    Kinship,
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
from verikit.words import listed


def link_by_maximum_rank(tables: Compared) -> Links:
    """List every released row whose largest distance in rank is smallest ([DM]_ section 5.1).

    Of rows that agree in all attributes without an order, as long as there are any; else of all,
    and where nothing has an order of none.
    """
    n = len(tables)
    own, theirs = tables.number_unordered(tables.unordered)
    agreeing = np.isin(own, theirs)
    _refuse_too_many(own, theirs, tables)
    among = [(np.flatnonzero(agreeing), bool(tables.unordered))]
    among += [(np.flatnonzero(~agreeing), False)] * bool(tables.ranked)
    record, row, distance = [], [], np.full(n, -1)
    for records, alike in among:
        if len(records):
            sides = [tables.first[records], tables.last[records], *tables.ranks[2:]]
            if alike:  # others lie farther off than any rank
                apart = own[records] * 2 * n, own[records] * 2 * n, theirs * 2 * n, theirs * 2 * n
                sides = [np.column_stack(part) for part in zip(sides, apart, strict=True)]
            found = find_all_matches(*sides)
            record.append(np.repeat(records, found.counts))
            row.append(found.rows)
            distance[records] = found.distance
    of, rows = np.concatenate(record or [own[:0]]), np.concatenate(row or [own[:0]])
    order = np.lexsort((rows, of))
    starts = np.r_[0, np.cumsum(np.bincount(of, minlength=n))].astype(np.intp)
    return Links("maximum_rank", tables, starts, rows[order], distance[of[order]].astype(float))


MAX_PAIRS = 2**27


def _refuse_too_many(own: Rows, theirs: Rows, tables: Compared) -> None:
    """Stop where whole groups would be candidates for each other, as nothing tells them apart."""
    size = max(int(own.max()), int(theirs.max())) + 1
    pairs = int(np.bincount(own, minlength=size) @ np.bincount(theirs, minlength=size))
    if not tables.ranked and pairs > MAX_PAIRS:
        raise InfeasibleError(
            f"Linking {len(own):,} records by {listed(tables.attributes)} leaves {pairs:,} "
            "candidates; name more attributes to link by."
        )


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
    own, theirs = tables.number_unordered(tables.unordered)
    apart = np.zeros((len(tables), len(tables)))
    between = np.empty((AT_ONCE, len(tables)))
    for start in range(0, len(tables), AT_ONCE):
        part = apart[start : start + AT_ONCE]
        at, over = slice(start, start + len(part)), between[: len(part)]
        for j in range(len(tables.ranked)):
            np.maximum(part, np.subtract(ends[0][j], last[at, j, None], out=over), out=part)
            np.maximum(part, np.subtract(first[at, j, None], ends[1][j], out=over), out=part)
        if tables.unordered:  # one that differs without an order is farther off than any rank
            part += len(tables) * (own[at, None] != theirs)
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
KEPT, BEYOND_CHANCE = 1e6, 4  # a weight, and standard errors
LOWER_BOUND = (
    f"Above {MAX_DENSE:,} records candidates come from nearest neighbours, without comparing all "
    "pairs, so a stronger attack is possible: take what is found as a lower bound."
)


def link_by_normal_scores(tables: Compared) -> Links:
    """Link by squared differences of normal scores, each attribute weighed by what it kept.

    What an attribute kept is learned from the links themselves: link, measure the spread of the
    differences that remain, weigh by it, and link again. Without an order it is how often links
    share each number of groups, beside how often chance would. An attribute that looks as if it
    was published unchanged weighs most from the beginning.
    """
    original, released = tables.scores
    weights, last = np.where(_find_unchanged(tables), KEPT, 1.0), None
    logs = [_weigh_groups(part) for part in tables.unordered.values()]
    # where no values are equal, the best assignment does not hang on where a search begins
    ends = (tables.first, tables.last), (tables.released_first, tables.released_last)
    untied = not logs and all(np.array_equal(first, end) for first, end in ends)
    for _ in range(FEW_ROUNDS if MANY_RECORDS < len(tables) <= MAX_DENSE else MAX_ROUNDS):
        if len(tables) > MAX_DENSE:
            own, theirs = tables.number_unordered(tables.unordered)
            sides = (original * np.sqrt(weights), own), (released * np.sqrt(weights), theirs)
            rows = find_nearest_agreeing(*sides, 1)[:, 0]
        else:
            last = _assign_weighed(tables, weights, logs, last if untied else None)
            rows = last.rows
        spread = np.maximum(((original - released[rows]) ** 2).mean(axis=0), 1e-9)
        scale = spread.mean() if len(spread) else 1.0
        before, weights = weights, scale / spread
        logs = [_weigh_groups(part, rows, scale) for part in tables.unordered.values()]
        if not logs and np.all(np.abs(weights - before) <= SETTLED * before):
            break
    measure = ((original - released[rows]) ** 2) @ weights
    measure += -add_groups(np.zeros((len(rows), 1)), tables, logs, rows[:, None])[:, 0]
    note = LOWER_BOUND if len(tables) > MAX_DENSE else ""
    return make_sole_links("normal_scores", tables, rows, measure, note)


def _find_unchanged(tables: Compared) -> Flags:
    """Tell which attributes with an order look unchanged: links by one alone fit the others.

    It holds the same values as the original. Records of equal rank then are closer to each other
    in the other attributes than to the next rank, beyond chance; or other attributes hold other
    values, and nothing says that this one was masked too.
    """
    same = np.isin(tables.ranked, tables.reordered)
    found = same & (not same.all())
    original, released = tables.scores
    for j in np.flatnonzero(same & ~found) if len(same) > 1 else ():
        sides = [np.delete(part[np.argsort(part[:, j])], j, 1) for part in (original, released)]
        beside = ((sides[0][:-1] - sides[1][1:]) ** 2).sum(axis=1)
        closer = beside - ((sides[0] - sides[1]) ** 2).sum(axis=1)[:-1]
        found[j] = closer.mean() * np.sqrt(len(closer)) > BEYOND_CHANCE * closer.std()
    return np.asarray(found, bool)


def _weigh_groups(part: Kinship, rows: Rows | None = None, scale: float = 1.0) -> Floats:
    """Log chances by shared groups, learned from links: on the scale of squared differences."""
    if rows is None:  # as often the value itself as any other
        shares = np.r_[np.full(part.steps, 0.5 / part.steps), 0.5]
    else:
        shared = part.count_shared(np.arange(len(rows)), rows)
        counts = np.bincount(shared, minlength=part.steps + 1) + 0.5
        shares = counts / counts.sum()
    return 2 * scale * part.estimate_log_chances(shares)


def add_groups(likelihood: Floats, tables: Compared, logs: Sequence[Floats], rows: Rows) -> Floats:
    """Add the log chances of the shared groups to those of each record's candidates, in place."""
    for part, table in zip(tables.unordered.values(), logs, strict=True):
        for start in range(0, len(rows), RECORDS_AT_ONCE):
            some = slice(start, start + RECORDS_AT_ONCE)
            records = np.arange(start, start + len(rows[some]))
            shared = part.count_shared(records[:, None], rows[some])
            likelihood[some] += np.take_along_axis(table[some], shared, axis=1)
    return likelihood


class _Assigned(NamedTuple):
    """An assignment of least cost: the rows, what each was worth beforehand, and the costs."""

    rows: Rows
    worth: Floats
    apart: Floats


def _assign_weighed(
    tables: Compared, weights: Floats, logs: Sequence[Floats], last: _Assigned | None
) -> _Assigned:
    original, released = tables.scores
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
    if logs:
        everything = np.broadcast_to(np.arange(len(released)), apart.shape)
        np.negative(add_groups(np.negative(apart, out=apart), tables, logs, everything), out=apart)
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


def find_nearest_agreeing(
    records: tuple[Floats, Rows], released: tuple[Floats, Rows], count: int
) -> Rows:
    """The same rows, each side with a number beside its scores: first those with the same number.

    A record whose number no row has takes them of all.
    """
    own, theirs = records[1], released[1]
    alike, size = np.isin(own, theirs), min(count, len(theirs))
    rows = np.zeros((len(own), size), np.intp)
    for some, apart in ((np.flatnonzero(alike), BEYOND), (np.flatnonzero(~alike), 0.0)):
        if len(some):
            sides = (records[0][some], own[some]), (released[0], theirs)
            scores = [np.column_stack([part, number * apart]) for part, number in sides]
            rows[some] = find_nearest_scores(scores[0], scores[1], count).reshape(-1, size)
    return rows


BEYOND = 1e3  # no two normal scores lie as far apart
NEIGHBOURS = 64
PENALTY = -1e4
RECORDS_AT_ONCE = 256
STAYS = 0.9  # the share of values of an attribute from which on candidates must agree in it


def published_mechanism(
    data: Microdata, release: TableRelease, tables: Compared, only: Links | None = None
) -> Links:
    """Repeat the published method on the original, learn how it moves values, and link by that.

    The moves of many repetitions give each attribute a density of displacements, by part of the
    range; a pair is as likely as the product of its displacements. Where the repetitions are told
    better by displacements that belong together, as by shuffling, these are whitened by their
    covariance instead. An attribute without an order counts by how often a value came out as
    itself, or as another of its groups. Balancing the likelihoods, so that each record and each
    row is used once, gives the probability of each pair. ``only`` holds the pairs that are
    possible at all.

    Notes
    -----
    Above some thousand records only the rows with the closest scores are candidates, of those that
    agree in what stays as it was.
    """
    moves = find_moves(data, release, tables)
    rows, likelihood = _weigh_ranks(tables, moves)
    logs = [part.estimate_log_chances(moves.shares[n]) for n, part in tables.unordered.items()]
    add_groups(likelihood, tables, logs, rows)
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


def _weigh_ranks(tables: Compared, moves: Moves) -> tuple[Rows, Floats]:
    """Find the candidates of each record, and how likely they are by the moves of ranks."""
    stays = [name for name, shares in moves.shares.items() if shares[-1] > STAYS]
    middle = (tables.first + tables.last) / 2, (tables.released_first + tables.released_last) / 2
    moved = zip(moves.starts, moves.ends, strict=True)
    learned = [estimate_move_densities(*ends, len(tables)) for ends in moved]
    if learned:
        alone = mean_log_likelihood(learned, moves.starts, moves.ends)
        joint = whiten_moves((moves.starts, moves.ends), middle, alone)
        if joint.gain > 0:
            rows = _find_candidates(tables, joint.original, joint.released, stays)
            return rows, joint.likelihood(rows)
    rows = _find_candidates(tables, *tables.scores, stays)
    likelihood = np.zeros(rows.shape)
    for start in range(0, len(rows), RECORDS_AT_ONCE):
        part = slice(start, start + RECORDS_AT_ONCE)
        for j, density in enumerate(learned):
            ends = middle[1][rows[part], j]
            likelihood[part] += look_up_densities(density, middle[0][part, j, None], ends)
    return rows, likelihood


def _find_candidates(
    tables: Compared, original: Floats, released: Floats, stays: Collection[str]
) -> Rows:
    n = len(tables)
    if n <= MAX_DENSE:
        return np.broadcast_to(np.arange(n), (n, n))
    own, theirs = tables.number_unordered(stays)
    return find_nearest_agreeing((original, own), (released, theirs), NEIGHBOURS)


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
    if "partition" in given:  # published is how groups were made, not whose they are
        return None
    return None if needed - given.keys() else given


class Moves(NamedTuple):
    """What the published method did to all records in all repetitions.

    Parameters
    ----------
    starts, ends
        By attribute with ranks, those before and after.
    shares
        By attribute without, how often the value after shares 0, 1, 2 ... groups with the one
        before.
    """

    starts: list[Floats]
    ends: list[Floats]
    shares: dict[str, Floats]


def find_moves(data: Microdata, release: TableRelease, tables: Compared) -> Moves:
    """Find where the published method moves all records in repetitions."""
    repeat = make_repeat(release)
    if repeat is None:
        raise InfeasibleError(
            f"The release names the method {release.method!r}, which cannot be repeated from what "
            "is published; use the attack 'normal_scores'."
        )
    runs = int(np.clip(MAX_SAMPLES // len(tables), 3, 400))
    try:
        found = _rank_draws(data, release, tables, runs)
        if found is None:
            again = [*_compare_releases(data, repeat, tables, runs)]
            shares = {
                name: np.mean([part[1][name] for part in again], axis=0)
                for name in tables.unordered
            }
            found = np.array([part[0] for part in again]), shares
    except VerikitError as error:
        raise InfeasibleError(
            f"The published method cannot be repeated on the original: {error}"
        ) from error
    starts = np.tile(((tables.first + tables.last) / 2).T, runs)
    return Moves(list(starts), list(np.concatenate(found[0]).T.copy()), found[1])


def _compare_releases(
    data: Microdata, repeat: Repeat, tables: Compared, runs: int
) -> Iterator[tuple[Floats, dict[str, Floats]]]:
    """Compare with each repetition: the ranks after it, and how often groups are shared."""
    for run in range(runs):
        again, where = repeat(data, FIRST_SEED + run)
        found = compare_tables(
            data, cast("TableRelease", again), tables.attributes, unordered=tables.unordered
        )
        shares = {}
        for name, part in found.unordered.items():
            shared = part.count_shared(np.arange(len(data)), where.rows)
            shares[name] = np.bincount(shared, minlength=part.steps + 1) / len(data)
        yield ((found.released_first + found.released_last) / 2)[where.rows], shares


def _rank_draws(
    data: Microdata, release: TableRelease, tables: Compared, runs: int
) -> tuple[Floats, dict[str, Floats]] | None:
    """Find the same without releases, where the method can draw its values alone.

    All draws of a column are ranked at once, because one by one they are most of a search's work.
    """
    again, given = METHODS[release.method].again, _find_published(release)
    if again is None or given is None:
        return None
    order = data.canonical_order()
    draw = again(data.take(order), **given)
    drawn = [draw(generator(FIRST_SEED + run)) for run in range(runs)]
    if any(name in drawn[0] for name in tables.unordered):
        return None
    # what is not masked stays where it is
    ranks = np.repeat(((tables.first + tables.last) / 2)[None], runs, axis=0)
    for j, name in enumerate(tables.ranked):
        if name in drawn[0]:
            ranks[:, order, j] = mid_ranks(np.array([values[name] for values in drawn]))
    return ranks, {n: np.eye(part.steps + 1)[-1] for n, part in tables.unordered.items()}
