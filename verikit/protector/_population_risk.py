"""The risk of people in a sample: how many like them live in the population, and who is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import ceil, floor
from typing import Any

import numpy as np
import pandas as pd

from verikit._support.arrays import Floats, Ints
from verikit._support.plotted import Framed
from verikit.errors import RecordError, SchemaError, quoted
from verikit.matching import classes_of
from verikit.release import Key, Release, whole_records
from verikit.table import Microdata, require_table
from verikit.words import count, digits, joined, share

Z = 1.959963984540054
NODES = 120
LARGE = 30  # sample frequencies from which on the other integral is the smoother one


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PopulationRisk(Framed):
    """How many people of the population share a record's values, and what follows for its risk.

    Parameters
    ----------
    attributes
        The columns whose values are taken to be known.
    population
        The number of people for whom the sample stands, the sum of its weights.
    frequency, estimated
        For each record how many of the sample share its values, and the sum of their weights,
        which estimates how many of the population do.
    risk
        For each record the expected value of one over that number, if it is distributed as the
        model of Benedetti and Franconi says.
    household
        For each record the chance that somebody of her household is found, if these risks are
        independent; None where no household is declared.
    found
        The sum of the risks, which is how many people are found if one of all who share the
        values is drawn for each, with the interval that holds it in 95 of 100 cases under the
        model and with equal weights; elsewhere it may hold it in none.
    alone
        How many records share their values with nobody in the sample.
    right
        How often a person of the population whose values are those of just one record is that
        record's person, with the interval of 95 of 100 samples, whatever the population; None
        where nobody is alone.

    Examples
    --------
    >>> import pandas as pd, verikit as vk
    >>> frame = pd.DataFrame({"town": ["a", "a", "b"], "w": [2.0, 2.0, 2.0]})
    >>> columns = vk.Column("town", kind="nominal"), vk.Column("w", "weight")
    >>> found = population_risk(vk.Microdata(frame, vk.Schema(columns)))
    >>> found.population, found.risk.round(3).tolist()  # of b log(2)
    (6.0, [0.307, 0.307, 0.693])
    """

    attributes: tuple[str, ...]
    population: float
    frequency: Ints
    estimated: Floats
    risk: Floats
    household: Floats | None
    found: tuple[float, float, float]
    alone: int
    right: tuple[float, float, float] | None

    @property
    def sentences(self) -> list[str]:
        """What was estimated, in words, and what it rests on."""
        people, (middle, most) = len(self.risk), _find_middle_and_most(self.risk)
        first = (
            f"The table is a sample: {count(people, 'record')} stand for about "
            f"{round_number(self.population):,.0f} people. An intruder is taken to know "
            f"{joined(self.attributes)}, and not who is in the sample."
        )
        second = (
            f"The risk of a record is {middle} for the middle one and "
            f"{most} for the highest; about {digits(self.found[0], 3)} people are expected to be "
            "found, if the number of people who share a record's values is distributed as the "
            "model says (Benedetti and Franconi: negative binomial). Nobody can see from a sample "
            "whether it is: fewer may be found, or all."
        )
        said = [first, second]
        if self.household is not None:
            middle, most = _find_middle_and_most(self.household)
            said.append(
                f"Counted by household, somebody of whom is found, it is {middle} for the middle "
                f"record and {most} for the highest, if people of a household are found "
                "independently."
            )
        if self.right is not None:
            said.append(
                f"{count(self.alone, 'record shares its', 'records share their')} values with "
                f"nobody in the sample. Who finds one of these to fit a person is right in "
                f"{share(self.right[0], 1000)} cases (between {share(self.right[1], 1000)} and "
                f"{share(self.right[2], 1000)}), whatever the population is like, if "
                "each person was drawn by herself, as likely as her weight says."
            )
        return said

    def __repr__(self) -> str:
        return "\n".join(self.sentences)

    def to_frame(self) -> pd.DataFrame:
        """Find one line a record, the highest risk first; records are counted from 1."""
        table: dict[str, Any] = {
            "record": np.arange(len(self.risk)) + 1,
            "in the sample": self.frequency,
        }
        table |= {"in the population": self.estimated, "risk": self.risk}
        table |= {} if self.household is None else {"household": self.household}
        return pd.DataFrame(table).sort_values("risk", ascending=False, kind="stable")


def _find_middle_and_most(risk: Floats) -> tuple[str, str]:
    return share(float(np.median(risk)), 1000), share(float(risk.max()), 1000)


def population_risk(
    data: Microdata, release: Release | None = None, key: Key | None = None
) -> PopulationRisk:
    """Estimate from a sample with weights how many people of the population are found.

    Parameters
    ----------
    data
        The original, with a column of the role ``weight``, of how many people each record stands
        for, and perhaps one of the role ``household``.
    release, key
        What is to be published, whose cells are then what is known of each person, and its key.
        By default these are the quasi-identifiers of the original.

    Returns
    -------
    PopulationRisk
        The risk by record and household, and of the whole table, each with its error.

    Raises
    ------
    SchemaError
        If no weight or several are declared, there is no quasi-identifier, or rows are no records.
    RecordError
        If a weight is missing or below 1, or the key does not fit.

    Notes
    -----
    The risk by record follows Benedetti and Franconi (1998), as in mu-Argus and sdcMicro: of f
    records with the sum W of weights the number F in the population is negative binomial with
    p = f / W, and the risk is E[1/F], here by its integral and without approximation. ``right``
    follows Skinner and Elliot (2002); with weights it is our own: over the records that are alone,
    the sum of F - 1 has the same expected value as the sum of w - 1 over the pairs. O(n log n).

    Examples
    --------
    >>> import pandas as pd, verikit as vk
    >>> frame = pd.DataFrame({"town": ["a", "b", "b"], "w": [1, 10, 10]})
    >>> columns = vk.Column("town", kind="nominal"), vk.Column("w", "weight")
    >>> found = population_risk(vk.Microdata(frame, vk.Schema(columns)))
    >>> found.estimated.tolist(), round(float(found.risk[0]), 6)
    ([1.0, 20.0, 20.0], 1.0)
    """
    weights = read_weights(data)
    table: Any
    if release is None or key is None:
        table, rows = data, np.arange(len(data))
    else:
        if not whole_records(release):
            raise SchemaError(
                "population_risk was given a release whose rows are no records; leave it out."
            )
        table, rows = release, key.rows_in(release)
        if (rows < 0).any():
            raise RecordError("Some people have no row in the release; leave it out.", field="key")
    if not table.schema.quasi:
        raise SchemaError("The table has no quasi-identifier, so nothing is known of anybody.")
    labels = classes_of(table, "own value").labels[rows]
    sizes, sums = np.bincount(labels), np.bincount(labels, weights)
    pairs, place = np.unique(np.column_stack([sizes, sums]), axis=0, return_inverse=True)
    moments = np.array([expect_inverse(int(f), float(f / total)) for f, total in pairs])
    mean, square = moments[place.ravel()].T
    total = float((sizes * mean).sum())
    error = Z * np.sqrt(max(float((sizes**2 * (square - mean**2)).sum()), 0.0))
    found = total, max(total - error, 0.0), min(total + error, float(len(data)))
    return PopulationRisk(
        tuple(column.name for column in table.schema.quasi),
        float(weights.sum()),
        sizes[labels],
        sums[labels].astype(np.float64),
        mean[labels],
        _join_households(data, mean[labels]),
        found,
        int((sizes == 1).sum()),
        _estimate_right(labels, sizes, weights),
    )


def read_weights(data: Microdata) -> Floats:
    """Read the sampling weights, each 1 or more, of the one column that holds them."""
    require_table(data, "population_risk")
    names = [column.name for column in data.schema if column.role == "weight"]
    if len(names) != 1 or data.schema[names[0]].kind != "numeric":
        raise SchemaError(
            f"The table has {count(len(names), 'column')} with the role 'weight'; expected one, of "
            "numbers: of how many people each record stands for."
        )
    weights = data.scores(names[0])
    wrong = weights[~(weights >= 1) | ~np.isfinite(weights)]
    if len(wrong):
        raise RecordError.given(
            f"A weight in column {quoted(names[0])}", float(wrong[0]), "a number of 1 or more",
            field=names[0],
        )  # fmt: skip
    return weights


@cache
def _find_nodes() -> tuple[Floats, Floats]:
    """The nodes and weights of an integral from 0 to 1 (Gauss and Legendre)."""
    x, w = np.polynomial.legendre.leggauss(NODES)
    return (x + 1) / 2, w / 2


def expect_inverse(f: int, p: float) -> tuple[float, float]:
    """Find E[1/F] and E[1/F^2] of the trials that f successes of probability p take.

    With u = pt / (1 - (1-p)t), E[1/F] = E of the integral of t^(F-1) over 0 < t < 1 becomes that
    of u^(f-1) p / (p + (1-p)u); E[1/F^2] has the factor log((p + (1-p)u) / u) besides.

    Examples
    --------
    >>> [round(value, 6) for value in expect_inverse(1, 0.5)]  # log(2)
    [0.693147, 0.582241]
    """
    if p >= 1:
        return 1 / f, 1 / f**2
    (x, w), q = _find_nodes(), 1 - p
    if f > LARGE:  # with u^f = x^4, as all have a logarithm at 0
        u = x ** (4 / f)
        part = w * 4 * x**3 * p / (p + q * u) / f
    else:  # with p + qu = p exp(s), and s = L x^2
        length = -np.log(p)
        u = p * np.expm1(length * x**2) / q
        part = w * 2 * x * length * p / q * u ** (f - 1)
    return float(part.sum()), float((part * np.log((p + q * u) / u)).sum())


def _join_households(data: Microdata, risk: Floats) -> Floats | None:
    """Find for each record the chance that somebody of her household is found."""
    names = [column.name for column in data.schema if column.role == "household"]
    if len(names) > 1:
        raise SchemaError(f"Only one column can have the role 'household', not {joined(names)}.")
    if not names:
        return None
    codes = data.codes(names[0])[0]
    alone = codes < 0  # who names no household is one
    codes = np.where(alone, codes.max() + 1 + np.cumsum(alone), codes)
    with np.errstate(divide="ignore"):
        missed = np.bincount(codes, np.log1p(-np.minimum(risk, 1)))
    return -np.expm1(missed)[codes]


def _estimate_right(
    labels: Ints, sizes: Ints, weights: Floats
) -> tuple[float, float, float] | None:
    """How often one who matches a record that is alone is its person, with its interval.

    Over the cells with one record let R be the sum of F - 1. The sum of d = w - 1 over the cells
    with two has the same expected value; the squared error's is that of the squared sums of d
    over pairs, of 2(de + dg + eg) over threes, and of R.
    """
    alone = int((sizes == 1).sum())
    if not alone:
        return None
    others = weights - 1
    one, two = np.bincount(labels, others), np.bincount(labels, others**2)
    pairs, threes = one[sizes == 2], sizes == 3
    more = float(pairs.sum())
    products = one[threes] ** 2 - two[threes]  # twice the sum of the products of two of them
    error = float((pairs**2).sum() + products.sum() + more)
    if more:
        seen = more**2 / error
        ends = [more * end / seen for end in bound_count(seen)]
    else:
        ends = [0.0, bound_count(0.0)[1] * 2 * float(others[sizes[labels] == 1].max())]
    return alone / (alone + more), alone / (alone + ends[1]), alone / (alone + ends[0])


def round_number(value: float, way: Callable[[float], float] = round) -> float:
    """Round a number of 1 or more to two digits, or one end of a range outwards.

    Examples
    --------
    >>> round_number(8_163_221), round_number(123.4, ceil), round_number(7.3)
    (8200000, 130, 7)
    """
    step = 1
    while value / step >= 100:
        step *= 10
    return way(value / step) * step


def describe_sample(data: Microdata) -> dict[str, str]:
    """What a publisher may say of a sample: of how many people it is one, for how many rows stand.

    Both are rounded, the range outwards, so that nobody's weight is told.

    Examples
    --------
    >>> import pandas as pd, verikit as vk
    >>> frame = pd.DataFrame({"town": ["a", "b"], "w": [104.5, 1230]})
    >>> columns = vk.Column("town", kind="nominal"), vk.Column("w", "weight")
    >>> describe_sample(vk.Microdata(frame, vk.Schema(columns)))
    {'population': '1300', 'weights': '100 to 1300'}
    """
    if not any(column.role == "weight" for column in data.schema):
        return {}
    weights = read_weights(data)
    ends = round_number(float(weights.min()), floor), round_number(float(weights.max()), ceil)
    return {
        "population": f"{round_number(float(weights.sum())):.0f}",
        "weights": f"{ends[0]:.0f} to {ends[1]:.0f}",
    }


def bound_count(seen: float) -> tuple[float, float]:
    """Bound the expected value of a count of rare events (95 %, Byar's approximation).

    Examples
    --------
    >>> [round(end, 2) for end in bound_count(10)]  # exactly 4.80 and 18.39
    [4.79, 18.39]
    """
    more, part = seen + 1, 9 * seen
    low = seen * max(1 - 1 / part - Z / (3 * np.sqrt(seen)), 0) ** 3 if seen else 0.0
    return float(low), float(more * (1 - 1 / (9 * more) + Z / (3 * np.sqrt(more))) ** 3)
