"""Tables drawn from a model of people: four small generators, one of which must not be used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Rows
from verikit._support.requests import instance, one_of, whole
from verikit._support.seed import checked_seed, generator
from verikit.errors import SchemaError
from verikit.mask._columns import Grids
from verikit.ranks import distance_of, normal_scores
from verikit.release import TableRelease
from verikit.table import Column, Microdata

Model: TypeAlias = Literal["margins", "copula", "trees", "leaking"]
LEAF, BINS = 5, 32  # people in a leaf of a tree at least; places where a column may be cut
LEAKED, MOVED = 0.03, 0.01  # share of rows copied from people; of a standard deviation


def synthesize(
    data: Microdata, *, model: Model = "copula", rows: int | None = None, seed: int
) -> TableRelease:
    """Draw a table of made-up people from a model of the real ones.

    There is no key, as no row is one person's. That is no protection by itself: what a model
    learned may be one person, as the model ``"leaking"`` shows, and trees do at times.

    Parameters
    ----------
    data
        The records that the model learns from; identifiers are left out.
    model
        ``"margins"``: each column on its own. ``"copula"``: columns hang together as normal scores
        do. ``"trees"``: column by column, each drawn from people who are alike in the columns
        before. ``"leaking"``: a copula, but 3 of 100 rows are people, their numbers moved by one
        hundredth of a standard deviation: what nobody should publish.
    rows
        How many rows to draw; as many as there are records by default.
    seed
        The secret randomness.

    Returns
    -------
    TableRelease
        The rows, drawn from a model, with its name and their number; check and audit take it.

    Raises
    ------
    SchemaError
        If there are no records, or every column is an identifier.
    RecordError
        If the model is unknown, or the number of rows is none.

    References
    ----------
    B. Nowok, G. M. Raab, C. Dibben: synthpop: Bespoke Creation of Synthetic Data in R. Journal of
    Statistical Software 74(11), 2016, for drawing columns in sequence from the leaves of trees

    N. Patki, R. Wedge, K. Veeramachaneni: The Synthetic Data Vault. DSAA 2016, for the copula

    Notes
    -----
    Small models of our own, for teaching. Numbers are drawn between neighbouring values and rounded
    to the step of their column; trees draw values as they are. A missing value is drawn as one. A
    column without an order is taken in the order of how frequent its values are. Trees are grown by
    least squares (of categories, Gini) until a leaf would have fewer than five people; each column
    before is cut at 31 places at most. O(n log n) a column; trees about n / 5 nodes for each
    column, and for each the people in it times the columns before.

    Examples
    --------
    >>> import verikit as vk
    >>> release = synthesize(vk.load("dm_table1"), model="margins", rows=1000, seed=7)
    >>> release, release.promise
    (TableRelease(1,000 records of X1, X2, X3; method synthesize), 'drawn from a model')
    """
    instance(data, Microdata, "mask.synthesize", "Microdata (verikit.read makes it)")
    one_of(model, "model", get_args(Model))
    if not len(data):
        raise SchemaError("The table has no records, so there is nothing to learn from.")
    size = len(data) if rows is None else whole(rows, "rows")
    schema, people = data.schema.released, data.take(data.canonical_order())
    learned = [Learned.of(people, column) for column in schema]
    rng = generator(checked_seed(seed))
    drawn = DRAW[model](learned, size, rng)
    if model == "leaking":
        copied = rng.choice(len(data), round(LEAKED * size))
        for part, values in zip(learned, drawn, strict=True):
            values[: len(copied)] = part.move_values(copied, rng)
    order = rng.permutation(size)
    frame = {
        part.column.name: part.name_values(values[order])
        for part, values in zip(learned, drawn, strict=True)
    }
    return TableRelease(
        pd.DataFrame(frame),
        schema,
        method="synthesize",
        parameters={"model": model, "rows": size},
        promise="drawn from a model",
    )


class Learned(NamedTuple):
    """One column of people: numbers, or places among its categories; a missing one is none.

    ``ordered`` holds them from the lowest to the highest, the missing ones last; ``names`` are the
    categories, in their order or from the most frequent to the rarest.
    """

    column: Column
    values: Floats
    ordered: Floats
    names: Sequence[str] = ()

    @classmethod
    def of(cls, people: Microdata, column: Column) -> Learned:
        """Learn one column."""
        if column.kind == "numeric":
            values = people.scores(column.name)
            return cls(column, values, np.sort(values))
        cells = people.frame[column.name].astype(object)
        if distance_of(column) == "ranks":
            names = list(column.categories or ())
        else:
            counts = cells.dropna().astype(str).value_counts()
            names = sorted(counts.index, key=lambda name: (-counts[name], name))
        places = {name: float(place) for place, name in enumerate(names)}
        values = np.array([places.get(str(cell), np.nan) for cell in cells])
        return cls(column, values, np.sort(values), names)

    def find_quantiles(self, shares: Floats) -> Floats:
        """Find the values at some shares of the column; numbers between neighbouring ones."""
        places = shares * len(self.ordered)
        if self.names or not len(self.ordered):
            return self.ordered[places.astype(np.intp)]
        places = np.clip(places - 0.5, 0, len(self.ordered) - 1)
        low = places.astype(np.intp)
        first, last = self.ordered[low], self.ordered[np.minimum(low + 1, len(self.ordered) - 1)]
        between = first + (places - low) * (last - first)
        return self.round_values(np.where(np.isnan(last), first, between))

    @property
    def known(self) -> Floats:
        """Its values without missing ones, from the lowest to the highest."""
        return self.ordered[~np.isnan(self.ordered)]

    def round_values(self, values: Floats) -> Floats:
        """Bring numbers to the step of which those of the column are multiples."""
        return Grids.of("own", None, {"": self.known}).round_values("", values)

    def move_values(self, people: Rows, rng: np.random.Generator) -> Floats:
        """Take the values of some people, numbers moved a little."""
        values, known = self.values[people], self.known
        if self.names or not len(known):
            return values
        moved = values + rng.normal(0, MOVED * known.std(), len(people))
        return self.round_values(np.clip(moved, known[0], known[-1]))

    def name_values(self, values: Floats) -> pd.Series:
        """Give the values as they are published."""
        if not self.names:
            whole_numbers = bool((values == np.rint(values)).all())  # which what is missing is not
            return pd.Series(values.astype(np.int64) if whole_numbers else values)
        names = np.array([*self.names, None], object)
        return pd.Series(names[np.where(np.isnan(values), -1, values).astype(np.intp)])


def _draw_margins(learned: Sequence[Learned], size: int, rng: np.random.Generator) -> list[Floats]:
    return [part.find_quantiles(rng.random(size)) for part in learned]


def _draw_copula(learned: Sequence[Learned], size: int, rng: np.random.Generator) -> list[Floats]:
    """Draw normal numbers that hang together as the normal scores of the columns do."""
    from scipy.special import ndtr
    from scipy.stats import rankdata

    n = len(learned[0].values)
    ranks = [rankdata(np.where(np.isnan(part.values), np.inf, part.values)) for part in learned]
    scores = np.column_stack([normal_scores(part, n) for part in ranks])
    spread = scores.std(axis=0)
    scores = (scores - scores.mean(axis=0)) / np.where(spread > 0, spread, 1)
    values, vectors = np.linalg.eigh(scores.T @ scores / n)
    normal = rng.normal(size=(*scores.shape[1:], size))
    drawn = vectors @ (np.sqrt(np.maximum(values, 0))[:, None] * normal)
    drawn[spread == 0] = 0
    shares = np.clip(ndtr(drawn), 0, 1 - 1e-12)
    return [part.find_quantiles(row) for part, row in zip(learned, shares, strict=True)]


def _draw_trees(learned: Sequence[Learned], size: int, rng: np.random.Generator) -> list[Floats]:
    """Draw each column from people who fall into the same leaf by the columns before."""
    drawn = [learned[0].find_quantiles(rng.random(size))]
    own, made = [], []
    for at, part in enumerate(learned[1:]):
        known = learned[at].known
        cuts = np.unique(known[np.arange(1, BINS) * len(known) // BINS] if len(known) else known)
        own.append(np.searchsorted(cuts, learned[at].values))  # what is missing lies last
        made.append(np.searchsorted(cuts, drawn[at]))
        donors = _find_donors(np.array(own), np.array(made), part, rng)
        drawn.append(part.values[donors])
    return drawn


def _find_donors(own: Rows, made: Rows, part: Learned, rng: np.random.Generator) -> Rows:
    """Grow a tree of people, and find for each made-up row somebody of the leaf it falls into."""
    missing, width = np.isnan(part.values), BINS + 1
    if part.names:  # a share of each category, what is missing among them
        kinds = np.where(missing, len(part.names), part.values).astype(np.intp)
        goals = np.eye(len(part.names) + 1)[kinds]
    else:
        centre = part.known.mean() if len(part.known) else 0.0
        goals = np.column_stack([np.where(missing, 0, part.values - centre), missing])
        goals /= np.maximum(goals.std(axis=0), 1e-300)
    offsets = np.arange(len(own))[:, None] * width
    donors = np.empty(made.shape[1], np.intp)
    nodes = [(np.arange(own.shape[1]), np.arange(made.shape[1]))]
    while nodes:
        people, rows = nodes.pop()
        cut = _find_cut(own[:, people] + offsets, goals[people], len(own) * width)
        if cut is None:
            donors[rows] = people[rng.integers(0, len(people), len(rows))]
            continue
        column, last = divmod(cut, width)
        low, below = own[column, people] <= last, made[column, rows] <= last
        nodes += [(people[~low], rows[~below])] if not below.all() else []
        nodes += [(people[low], rows[below])] if below.any() else []
    return donors


def _find_cut(places: Rows, goals: Floats, size: int) -> int | None:
    """Find after which place of which column to part people, so that goals differ least within."""
    n, columns = len(goals), len(places)
    if n < 2 * LEAF:
        return None
    counts = np.bincount(places.ravel(), minlength=size).reshape(columns, -1).cumsum(axis=1)
    sums = [
        np.bincount(places.ravel(), np.tile(goal, columns), size).reshape(columns, -1)
        for goal in goals.T[np.ptp(goals, axis=0) > 0]
    ]
    if not sums:
        return None
    left = np.cumsum(sums, axis=2)
    right = left[:, :, -1:] - left
    fits = (counts >= LEAF) & (n - counts >= LEAF)
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = (left**2).sum(axis=0) / counts + (right**2).sum(axis=0) / (n - counts)
    gains = np.where(fits, gains, -np.inf)
    best = int(gains.argmax())
    least = (left[:, 0, -1] ** 2).sum() / n
    return best if gains.flat[best] > least * (1 + 1e-9) + 1e-9 else None


Draws: TypeAlias = Callable[[Sequence[Learned], int, np.random.Generator], list[Floats]]
DRAW: Mapping[str, Draws] = {
    "margins": _draw_margins,
    "copula": _draw_copula,
    "trees": _draw_trees,
    "leaking": _draw_copula,
}
