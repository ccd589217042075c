"""Masks that hand out the values a column has: rank swapping, shuffling, random redrawing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import fsum, log, log1p
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import pandas as pd

from verikit._support.arrays import Ints, Rows
from verikit._support.compiled import compiled
from verikit._support.requests import one_of, within
from verikit._support.seed import generator
from verikit.errors import RecordError, SchemaError, quoted
from verikit.mask._columns import (
    masked_columns,
    numbers_by_column,
    random_order,
    ranked_columns,
)
from verikit.mask._masking import Drawing, Knob, masking, publish
from verikit.models import GUARDED, Guarantee
from verikit.ranks import normal_scores
from verikit.release import (
    Masked,
    Probabilities,
    Redraw,
    TableRelease,
    redraw_of,
    to_json_value,
)
from verikit.table import Microdata, effective_number, shares_of
from verikit.words import count, listed

TRIES, SWEEPS = 4, 60
CERTAIN = (
    "just {} of {} attributes are drawn in each record: whoever differs from a row in more is not "
    "the person, for certain, so that the ratio of two chances is infinite"
)
Scheme: TypeAlias = Literal["pairs", "cycles", "p-buckets", "p-distribution"]

PERCENT = Knob(
    "percent", lambda data: 100 / len(data), 100, (2, 5, 10, 25, 50),
    "rank swapping", "within {:g} % of the ranks",
)  # fmt: skip
CYCLES = replace(
    PERCENT,
    least=lambda data: min(201 / len(data), 100),
    words="rank swapping in cycles",
    name="rank_swap_cycles",
    fixed={"scheme": "cycles"},
)


@masking(
    paper="DM",
    promise="another order",
    example={"percent": 40},
    words="Values change places with others of nearby rank.",
    knobs=(PERCENT, CYCLES),
    repeatable=True,
    draws=True,
    guarantees=(
        "some orders cannot come out of it, and whoever sees one knows for certain which originals "
        "it was not"
    ),
)
def rank_swap(
    data: Microdata,
    *,
    percent: float | Mapping[str, float],
    scheme: Scheme = "pairs",
    seed: int,
) -> Drawing:
    """Swap each value with one that is a few ranks away, column by column.

    Swapping in pairs, as the literature defines it, can be undone by whoever knows the original
    values of everybody (`verikit.intruder.undo_pairs`), however far values move, unless columns
    are coarse. The two variants that hide how far a value may move do so in pairs too, and are
    undone as well. Cycles leave no such trace.

    Parameters
    ----------
    data
        The records; categories need an order, by hierarchy or declared.
    percent
        How far a value may move, as a percentage of the number of records: with 1000 records,
        ``percent=5`` moves values by at most 50 places. One number, or one for each column. In
        the last two schemes it is how far values move in general, and any may move farther.
    scheme
        ``"pairs"``: two values change places, as in the literature. ``"cycles"``: any order in
        which no value moves farther than it may, nearly all of it in longer cycles.
        ``"p-buckets"``: ranks are cut into buckets of so many; a value changes places with one of
        a random bucket, its own or one farther up, each half as likely as the one before.
        ``"p-distribution"``: with one a normal number of ranks farther up, of mean and deviation
        half as many.
    seed
        The secret randomness.

    Returns
    -------
    Masked
        The release, a pure permutation that publishes the percentages, the places they come to,
        the scheme, and the key.

    Raises
    ------
    SchemaError
        If a column holds categories without an order or missing values, or has no percentage.
    RecordError
        If a percentage is not between 0 and 100, the scheme is unknown, or cycles are asked for
        where only neighbours can change places.

    References
    ----------
    [DM]_ sections 3 and 5.2, which count data swapping among pure permutations
    J. Nin, J. Herranz, V. Torra: Rethinking rank swapping to decrease disclosure risk. Data &
    Knowledge Engineering 64(1), 2008, a linkage made for swapping in pairs and variants against it

    Notes
    -----
    Pairs: from the smallest value up, each that was not yet swapped takes a partner at random
    among those within reach above it that were not either; after a few draws of swapped ones, the
    next free one. Equal values are ranked at random first. O(n log n). In the schemes ``p-`` the
    partner is drawn in another way and everything above is within reach, so that a linkage by the
    window of places finds nothing to exclude: the places published are all there are. What the
    authors leave open is decided here: a distance below 1 counts by its size and as 1 at least,
    one beyond the last rank as up to that one.

    Cycles, which are our own: beginning with such pairs, ranks a random distance apart exchange
    what they take, wherever both stay within reach, in 60 sweeps of all ranks. What remains in
    pairs is about one rank in twice the places. Pairs stay the default, since what papers measured
    on rank swapping was measured on pairs.

    A tree without a declared order is ranked in the order of its lines, as some order is needed to
    find partners: every order of lines keeps a group together, so partners share groups where they
    can, but other lines give another release. No audit and no attack measures distances by it.

    Examples
    --------
    >>> import verikit as vk
    >>> release, key = rank_swap(vk.load("dm_table1"), percent=15, seed=7)
    >>> release.parameters["places"], release.parameters["scheme"], release.permutation
    ({'X1': 3, 'X2': 3, 'X3': 3}, 'pairs', True)
    """
    one_of(scheme, "scheme", get_args(Scheme))
    names = [column.name for column in ranked_columns(data, "rank_swap")]
    percents = numbers_by_column(percent, names, "percent", 100)
    places = {name: int(share * len(data) / 100 + 1e-9) for name, share in percents.items()}
    columns = {name: data.scores(name) for name in percents}

    def draw(rng: np.random.Generator) -> dict[str, Rows]:
        found = {}
        for name, values in columns.items():
            order = random_order(values, rng)
            found[name] = np.empty(len(order), np.intp)
            found[name][order] = order[_order_ranks(scheme, len(order), places[name], rng)]
        return found

    used = {n: len(data) - 1 if scheme in APART and most else most for n, most in places.items()}
    return Drawing(draw, {"percent": percents, "places": used, "scheme": scheme}, seed)


def _order_ranks(scheme: str, n: int, places: int, rng: np.random.Generator) -> Rows:
    """For each rank, counted from 0, the rank whose value it takes."""
    if scheme == "cycles":
        return _cycle_ranks(n, places, rng)
    if scheme == "pairs" or not places:
        return _pair_ranks(n, places, rng)
    targets = np.clip(APART[scheme](n, places, rng), np.arange(1, n + 1)[:, None], n - 1)
    return _swap_from_below(np.arange(n), np.arange(n + 1), n, targets)


def _pair_ranks(n: int, places: int, rng: np.random.Generator) -> Rows:
    """The same where two values within reach change places."""
    if not places:
        return np.arange(n)
    at = np.arange(n)[:, None]
    targets = at + 1 + (rng.random((n, TRIES)) * np.minimum(places, n - 1 - at)).astype(np.intp)
    return _swap_from_below(np.arange(n), np.arange(n + 1), places, targets)


def _draw_in_buckets(n: int, places: int, rng: np.random.Generator) -> Rows:
    """Draw partners in the bucket of the next rank or above, each half as likely as the last."""
    above = np.arange(1, n + 1)[:, None]
    first, last = above // places, (n - 1) // places
    many = np.maximum(last - first + 1, 1)  # buckets to choose from
    place = rng.random((n, TRIES)) * -np.expm1(-np.log(2) * many)
    chosen = first + np.minimum(-np.log2(1 - place), many - 1).astype(np.intp)
    low, high = np.maximum(chosen * places, above), np.minimum((chosen + 1) * places, n)
    found: Rows = low + (rng.random((n, TRIES)) * (high - low)).astype(np.intp)
    return found


def _draw_by_distance(n: int, places: int, rng: np.random.Generator) -> Rows:
    """Draw partners a normal number of ranks farther up."""
    apart = np.rint(np.abs(rng.normal(places / 2, places / 2, (n, TRIES)))).astype(np.intp)
    found: Rows = np.arange(n)[:, None] + np.maximum(apart, 1)
    return found


APART = {"p-buckets": _draw_in_buckets, "p-distribution": _draw_by_distance}


def _cycle_ranks(n: int, places: int, rng: np.random.Generator) -> Rows:
    """For each rank, counted from 0, the rank whose value it takes, in cycles of any length."""
    if places and min(places, n - 1) < 2:
        raise RecordError(
            f"scheme 'cycles' was asked for with {count(places, 'place')} to move among "
            f"{count(n, 'record')}, where "
            "only neighbours can change places, in pairs; give a larger percent."
        )
    taken, at = _pair_ranks(n, places, rng), np.arange(n)
    for _ in range(SWEEPS if places else 0):
        apart, begin = int(rng.integers(1, min(places, n - 1) + 1)), int(rng.integers(0, 2 * n))
        low = at[: n - apart][(at[: n - apart] + begin) // apart % 2 == 0]
        high = low + apart
        reach = (np.abs(taken[low] - high) <= places) & (np.abs(taken[high] - low) <= places)
        changed = reach & (rng.random(len(low)) < 0.5)
        low, high = low[changed], high[changed]
        taken[low], taken[high] = taken[high], taken[low]
    return taken


@compiled(large=TRIES * 300_000)
def _swap_from_below(partner: Rows, free: Rows, places: int, targets: Rows) -> Rows:
    """Swap from the first rank up; ``free`` leads from each rank to the next free one."""
    n = len(partner)
    for rank in range(n - 1):
        if partner[rank] != rank:
            continue
        free[rank] = rank + 1
        width = min(places, n - 1 - rank)
        for other in targets[rank]:
            if free[other] == other:
                break
        else:
            other = _find_next_free(free, other)
            if other > rank + width:
                other = _find_next_free(free, rank + 1)
        if other <= rank + width:
            partner[rank], partner[other] = other, rank
            free[other] = other + 1
    return partner


def _find_next_free(free: Rows, rank: int) -> int:
    while free[rank] != rank:
        free[rank] = free[free[rank]]
        rank = free[rank]
    return rank


CORRELATION = Knob(
    "correlation", 0.001, 1, (0.99, 0.95, 0.9, 0.7, 0.4),
    "shuffling", "correlation {:g}", downward=True,
)  # fmt: skip


@masking(
    paper="DM",
    promise="another order",
    example={"correlation": 0.5},
    words="Each column gets a new order, drawn from a model of all columns together.",
    knobs=(CORRELATION,),
    repeatable=True,
    draws=True,
    guarantees="it draws from a model fitted to all records, of which nothing is proved",
)
def shuffle(data: Microdata, *, correlation: float, seed: int) -> Drawing:
    """Put the values of each column into a new order that keeps the rank correlations.

    A multivariate normal is fitted to the normal scores of the columns, and a new table of scores
    is drawn from it, each record's correlated with its old ones. The original values then take the
    order of the new scores.

    Parameters
    ----------
    data
        The records; categories need an order, by hierarchy or declared.
    correlation
        How strongly the new score of a record depends on its old one: 0 draws all anew, so that
        only the relations between columns remain, and 1 leaves the table as it is.
    seed
        The secret randomness.

    Returns
    -------
    Masked
        The release, a pure permutation that publishes the correlation, and the key.

    Raises
    ------
    SchemaError
        If a column holds categories without an order, or missing values.
    RecordError
        If the correlation is not between 0 and 1.

    References
    ----------
    [DM]_ sections 1 and 5.2, which count data shuffling among pure permutations

    Notes
    -----
    Equal values are ranked at random first, and a tree without a declared order by its lines, as
    for `rank_swap`. The fitted correlations are not published: the release shows them. O(n log n) a
    column.

    Examples
    --------
    >>> import verikit as vk
    >>> data = vk.load("dm_table1")
    >>> release, key = shuffle(data, correlation=0.9, seed=7)
    >>> release.permutation, sorted(release.frame["X1"]) == sorted(data.frame["X1"])
    (True, True)
    """
    columns = {column.name: data.scores(column.name) for column in ranked_columns(data, "shuffle")}
    kept = within(correlation, "correlation", 0, 1)

    def draw(rng: np.random.Generator) -> dict[str, Rows]:
        orders = [random_order(values, rng) for values in columns.values()]
        scores = np.empty((len(data), len(orders)))
        for j, order in enumerate(orders):
            scores[order, j] = normal_scores(np.arange(1, len(data) + 1), len(data))
        # new scores with the same correlations, by the symmetric root of the covariance, which is
        # the same whatever signs the eigenvectors come with
        values, vectors = np.linalg.eigh(scores.T @ scores / len(scores))
        root = vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T
        alike = rng.normal(size=scores.shape) @ root
        drawn = kept * scores + np.sqrt(1 - kept**2) * alike
        found = {}
        for name, order, score in zip(columns, orders, drawn.T, strict=True):
            found[name] = np.empty(len(data), np.intp)
            found[name][np.argsort(score)] = order
        return found

    return Drawing(draw, {"correlation": kept}, seed)


DIGITS = 2


def find_guarantee(release: TableRelease) -> Guarantee:
    """Find epsilon by the published parameters, and by the table what is the same everywhere."""
    redraw, rarest = redraw_of(release, evenly=True), release.parameters.get("rarest")
    if redraw is not None and redraw.values:
        others = [name for name in release.schema.names if name not in redraw.names]
        known = (
            f"which values {listed(redraw.names, 12)} may take",
            *([f"{listed(others, 12)}, as published"] if others else []),
        )
        epsilon = log(release.parameters["gamma"])
        return Guarantee("randomize", epsilon, "one record", known, GUARDED)
    if redraw is None or redraw.keep is None:
        return Guarantee(
            "randomize",
            None,
            rests=CERTAIN.format(redraw.changed, len(redraw.names))
            if redraw
            else "the release does not tell what was drawn",
        )
    if not isinstance(rarest, Mapping) or not all(rarest.get(n, 0) > 0 for n in redraw.names):
        raise SchemaError(
            f"The release names rarest {quoted(rarest)}; expected for each quasi-identifier the "
            "share of its rarest value, as mask.randomize publishes it."
        )
    if redraw.keep == 1:
        return Guarantee("randomize", None, rests="every value was kept")
    ratio = redraw.keep / (1 - redraw.keep)
    by_column = {name: log1p(ratio / rarest[name]) for name in redraw.names}
    others = [name for name in release.schema.names if name not in redraw.names]
    same = (
        "how often each value occurs in each column",
        *([f"{listed(others, 12)}, as published"] if others else []),
    )
    unit = "one record, of at least two that differ"
    return Guarantee("randomize", fsum(by_column.values()), unit, same, GUARDED, by_column)


@masking(
    paper="YQ",
    promise="changed",
    example={"changed": 1},
    words="Some attributes of each record get a value drawn from their column.",
    repeatable=True,
    guarantees=find_guarantee,
)
def randomize(
    data: Microdata,
    *,
    changed: int = 1,
    probabilities: Probabilities = None,
    scheme: Literal["each", "gamma-diagonal"] | None = None,
    keep: float | None = None,
    gamma: float | None = None,
    seed: int,
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
    scheme
        ``"each"``: every quasi-identifier of every record by itself is kept, or else drawn anew,
        so that each original can become each row, and there is a guarantee
        (`verikit.models.guarantee`). ``"gamma-diagonal"``: all of a record are kept together, or
        become any combination of values, each equally likely, so that the guarantee does not
        depend on how rare values are. None: just as many as ``changed`` says.
    keep
        For ``"each"``, the chance that a value is kept.
    gamma
        For ``"gamma-diagonal"``, how many times likelier a record becomes its own combination than
        any other one: epsilon is its logarithm.
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
        If so many cannot be changed, probabilities do not add up to 1, or keep is no chance.

    References
    ----------
    [YQ]_ Algorithms 1 and 2, Proposition 7
    S. Agrawal, J. Haritsa, B. Prakash: FRAPP. Data Mining and Knowledge Discovery 18, 2009, on
    perturbing every attribute by itself, and on the gamma-diagonal matrix

    Notes
    -----
    A value is drawn as that of a random record, so it has the original distribution exactly. That
    distribution is not published: each single column keeps it in expectation, so the release shows
    it, and exact shares would give away whoever is left when all others are known. For the same
    reason probabilities that come from the data are rounded; they are used in proportion, so they
    need not add up to exactly 1. Rows are shuffled, which the paper's example is not. O(n) a
    column. Of ``"each"`` the share of the rarest value of each column is published too, rounded
    down to two significant digits, because the guarantee depends on it; that is our own.

    Of N combinations of values a gamma-diagonal matrix makes each from itself with the chance
    gamma x, and every other one with x = 1 / (gamma + N - 1): a record is kept with the chance
    (gamma - 1) / (gamma + N - 1), else every combination is equally likely. For one attribute this
    is ``"each"`` with that ``keep``, if its values are equally frequent; where one is rarer,
    ``"each"`` must keep fewer for the same epsilon. Which values each attribute holds is published.
    N grows with the product of their numbers, so that few records are kept where there are many
    attributes: give the role ``"other"`` to those that need no protection.

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
    values = {name: data.codes(name)[1] for name in names}
    redraw = _read_scheme(values, changed, probabilities, (scheme, keep, gamma))
    constant = []
    for name in names:
        column = data.frame[name]
        held = column.cat.codes if isinstance(column.dtype, pd.CategoricalDtype) else column
        if held.to_numpy().min() == held.to_numpy().max():
            constant.append(name)
    if constant:
        raise SchemaError(
            f"The quasi-identifier {listed(constant)} has one value only, so drawing it anew "
            "changes nothing; give it the role 'other', or leave it out."
        )
    used: Probabilities = "equal" if probabilities is None else probabilities
    parameters: dict[str, Any] = {"changed": redraw.changed, "probabilities": used}
    shares = {name: shares_of(*_read_codes(data, name)) for name in names}
    if redraw.values:
        held = {name: to_json_value([*values]) for name, values in redraw.values.items()}
        parameters = {"scheme": scheme, "gamma": gamma, "values": held}
    elif redraw.keep is not None:
        rarest = {name: float(part[part > 0].min()) for name, part in shares.items()}
        floor = {name: _round_down(share) for name, share in rarest.items()}
        parameters = {"scheme": "each", "keep": redraw.keep, "rarest": floor}
    elif probabilities is None and redraw.changed == 1:
        diversity = {name: effective_number(part) for name, part in shares.items()}
        total = sum(diversity.values())
        used = {name: float(f"{part / total:.{DIGITS}g}") for name, part in diversity.items()}
        redraw = Redraw.of(names, 1, used)
        parameters |= {"probabilities": used, "probability_digits": DIGITS}
    rng = generator(seed)
    drawn: dict[str, Any] = {}
    for name, rows in zip(names, _choose_records(redraw, len(data), rng), strict=True):
        drawn[name] = data.frame[name].array.copy()
        source = values[name] if redraw.values else drawn[name]
        drawn[name][rows] = source.take(rng.integers(len(source), size=len(rows)))
    return publish(data, drawn, method="randomize", parameters=parameters, rng=rng, own=names)


def _read_scheme(
    values: Mapping[str, pd.Index[Any]],
    changed: int,
    probabilities: Probabilities,
    told: tuple[str | None, float | None, float | None],
) -> Redraw:
    """Read how values are drawn anew; what does not go together is refused."""
    scheme, keep, gamma = told
    if scheme is not None:
        one_of(scheme, "scheme", ["each", "gamma-diagonal"])
        if changed != 1 or probabilities is not None:
            raise RecordError(
                f"scheme {scheme!r} draws by keep or gamma alone; leave changed and probabilities "
                "out."
            )
    for name, given, needed in (("keep", keep, "each"), ("gamma", gamma, "gamma-diagonal")):
        if given is not None and scheme != needed:
            raise RecordError(
                f"{name} was given without scheme {needed!r}, which it belongs to; give both."
            )
    if scheme == "gamma-diagonal":
        return Redraw.evenly(values, gamma)
    if scheme == "each":
        return Redraw.each([*values], keep)
    return Redraw.of([*values], changed, probabilities)


def _read_codes(data: Microdata, name: str) -> tuple[Ints, int]:
    codes, values = data.codes(name)
    return codes.astype(np.int64), len(values)


def _round_down(share: float) -> float:
    """Round to two significant digits, downward."""
    unit = 10.0 ** (np.floor(np.log10(share)) - DIGITS + 1)
    return float(f"{np.floor(share / unit + 1e-9) * unit:.{DIGITS}g}")


def _choose_records(redraw: Redraw, n: int, rng: np.random.Generator) -> Iterator[Rows]:
    """Choose for each attribute the records in which it is drawn anew."""
    m = len(redraw.names)
    if redraw.values and redraw.keep is not None:
        together = np.flatnonzero(rng.random(n) >= redraw.keep)
        yield from (together for _ in range(m))
        return
    if redraw.keep is not None:
        yield from (np.flatnonzero(rng.random(n) >= redraw.keep) for _ in range(m))
        return
    if redraw.changed == 1:
        place, which = rng.random(n), np.zeros(n, np.uint16)
        for end in np.cumsum(redraw.weights)[:-1]:
            which += place >= end
        yield from (np.flatnonzero(which == k) for k in range(m))
        return
    left = np.full(n, redraw.changed)
    for k in range(m):  # of those that are left, each set is equally likely
        picked = rng.random(n) * (m - k) < left
        left -= picked
        yield np.flatnonzero(picked)
