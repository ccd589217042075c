"""How many links of the intruder are right, and how many cells differ, counted with the key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Flags, Rows
from verikit._support.plotted import Plotted
from verikit._support.requests import instance
from verikit._support.seed import generator
from verikit.errors import RecordError
from verikit.intruder import Links
from verikit.release import Key, TableRelease
from verikit.words import chance, count, not_compared, share, text

if TYPE_CHECKING:
    from verikit.table import Microdata


Z = 1.959963984540054
PERMUTATIONS = 400
SIGNIFICANCE = 0.05
MAX_KEY_CELLS = 4_000_000


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CorrectLinks(Plotted):
    """The number of correct links, and whether luck explains it.

    Parameters
    ----------
    attack
        The attack; of several attempts the one with most correct links.
    records
        The number of records.
    count, among, several, wrong
        Records whose only candidate is their own row; whose own row is among several; that have
        several candidates, their own or not; and whose only candidate is another's row.
    guessed
        The right links to expect of an intruder who draws one of several candidates by lot.
    luck
        The count that luck gives on average.
    p
        The probability, at most, that luck gives this count or more.
    share, low, high
        The share of records linked correctly, and its Wilson interval (95 %).
    attributes
        One line an attribute, the least protected first: the mean ``places`` its values were
        moved, the share ``unmoved``, and the ``residual`` standard deviation of normal scores,
        which attributes without an order do not have, nor those linked by likelihood.
    attempts
        The count of each attack that was tried.
    linked_by, not_compared
        The columns that were linked by, and the published ones that took no part.

    Examples
    --------
    Six links of the running example are right. The paper says five, but its table shows six.

    >>> import verikit as vk
    >>> links = vk.link(vk.load("dm_table1"), vk.published("dm_table1_masked"))
    >>> correct_links(links, vk.Key.of(range(20)))
    6 of 20 records are linked correctly by maximum_rank (share 0.30, from 0.15 to 0.52).
    Luck gives 1 on average, and 6 or more with a probability of 0.00059.
    4 have several candidates, their own row among them for 3; 10 are linked to another's row.
    """

    attack: str
    records: int
    count: int
    among: int
    several: int
    wrong: int
    guessed: float
    luck: float
    p: float
    share: float
    low: float
    high: float
    attributes: pd.DataFrame
    attempts: Mapping[str, int]
    linked_by: tuple[str, ...] = ()
    not_compared: tuple[str, ...] = ()

    @property
    def more_than_luck(self) -> bool:
        """Whether luck alone gives as many in fewer than 5 of 100 cases."""
        return self.p < SIGNIFICANCE and self.count > self.luck

    @property
    def verdict(self) -> str:
        """Whether luck explains the count."""
        return "more than luck explains" if self.more_than_luck else "no more than luck"

    @property
    def means(self) -> str:
        """How many links are right, in one sentence."""
        of = f"of {count(self.records, 'record')}"
        said = f"{count(self.count, f'{of} is', f'{of} are')} linked correctly."
        return " ".join(filter(None, (not_compared(self.not_compared), said)))

    @property
    def why(self) -> str:
        """What luck gives, who has several candidates, and what other releases would show."""
        return (
            f"Luck gives {self.luck:.2g} on average, and {self.count:,} or more "
            f"{chance(self.p)}{' at most' if len(self.attempts) > 1 else ''}. "
            f"{count(self.several, 'record has', 'records have')} several candidates; "
            f"{count(self.wrong, 'record is', 'records are')} linked to another’s row. Of many "
            f"such releases the share linked would lie between {share(self.low)} and "
            f"{share(self.high)}."
        )

    def to_frame(self) -> pd.DataFrame:
        """The count of each attack that was tried, most first."""
        frame = pd.DataFrame({"attack": self.attempts.keys(), "correct": self.attempts.values()})
        return frame.sort_values("correct", ascending=False, ignore_index=True)

    def __repr__(self) -> str:
        of = f"of {count(self.records, 'record')}"
        tried = f", the best of {len(self.attempts)} attacks" * (len(self.attempts) > 1)
        left = not_compared(self.not_compared)
        return (f"{left}\n" if left else "") + (
            f"{count(self.count, f'{of} is', f'{of} are')} linked correctly by {self.attack}"
            f"{tried} (share {self.share:.2f}, from {self.low:.2f} to {self.high:.2f}).\n"
            f"Luck gives {self.luck:.2g} on average, and {self.count:,} or more with a probability "
            f"of {'at most ' * (len(self.attempts) > 1)}{self.p:.2g}.\n"
            f"{count(self.several, 'has', 'have')} several candidates, their own row among them "
            f"for {self.among:,}; {count(self.wrong, 'is', 'are')} linked to another's row."
        )

    def _repr_html_(self) -> str:
        return _html.result(repr(self), self.to_frame(), self.attributes)


def correct_links(links: Links, key: Key) -> CorrectLinks:
    """Count the links that are right, which takes the key.

    Parameters
    ----------
    links
        What the intruder found.
    key
        Which released row came from which record.

    Returns
    -------
    CorrectLinks
        The count beside what luck gives; of several attempts the best, judged as the best of them.

    Raises
    ------
    RecordError
        If the key is for another number of records.

    References
    ----------
    [DM]_ section 5.1

    Notes
    -----
    If the key were random, the number of records that keep their place in a one-to-one linkage
    would follow the law of fixed points of a random permutation, Poisson with mean 1 up to terms
    that vanish with n!, whatever the tables look like. For the best of several attacks the
    probability is at most the sum of theirs, and its mean is taken from random keys.

    Examples
    --------
    Of the 20 people of the running example the paper's attack finds 6 and nobody else for them.

    >>> import verikit as vk
    >>> links = vk.link(
    ...     vk.load("dm_table1"), vk.published("dm_table1_masked"), attack="maximum_rank"
    ... )
    >>> correct_links(links, vk.Key.of(range(20))).share
    0.3
    """
    from scipy.special import pdtrc

    instance(links, Links, "correct_links", "what verikit.link found")
    instance(key, Key, "correct_links", "the Key of the release")
    counts = _count_by_attack(links, key)
    best, tried = _best_attack(counts), dict(links.attempts or {links.attack: links})
    chosen, count = tried[best], counts[best]
    right = chosen.rows == key.rows[chosen.records]
    single = chosen.counts[chosen.records] == 1
    # Fixed points of a random permutation are nearly Poisson with mean 1, or with as many as there
    # are people to a row; scipy.stats says the same, and is slow to import. Bonferroni: of several
    # attacks the probabilities are added up.
    mean = np.count_nonzero(key.rows >= 0) / len(links.compared.released_first)
    # What no float is small enough for is still no impossibility.
    by_luck = max(float(pdtrc(count - 1, mean)), np.finfo(float).tiny) if count else 1.0
    low, high = _wilson_interval(count, len(links))
    return CorrectLinks(
        best,
        len(links),
        count,
        among=int((right & ~single).sum()),
        several=int((chosen.counts > 1).sum()),
        wrong=int((~right & single).sum()),
        guessed=_sum_guesses(chosen, key),
        luck=_mean_by_luck(list(tried.values())) if len(tried) > 1 else float(mean),
        p=min(1.0, len(tried) * by_luck),
        share=count / len(links),
        low=low,
        high=high,
        attributes=_measure_attributes(links, key),
        attempts=counts,
        linked_by=links.attributes,
        not_compared=links.not_compared,
    )


def expected_links(links: Links, key: Key) -> float:
    """What `correct_links` says in ``guessed``, without working out what luck gives.

    Examples
    --------
    >>> import verikit as vk
    >>> links = vk.link(vk.load("dm_table1"), vk.published("dm_table1_masked"))
    >>> expected_links(links, vk.Key.of(range(20)))
    7.5
    """
    best = _best_attack(_count_by_attack(links, key))
    return _sum_guesses((links.attempts or {links.attack: links})[best], key)


def _count_by_attack(links: Links, key: Key) -> dict[str, int]:
    """How many links of each attack are right."""
    if len(key) != len(links):
        raise RecordError(
            f"The key is for {len(key):,} records, but {len(links):,} were linked; use the key of "
            "this release."
        )
    tried = links.attempts or {links.attack: links}
    return {name: int(_count_sole(attempt, key.rows)) for name, attempt in tried.items()}


def _best_attack(counts: Mapping[str, int]) -> str:
    return max(counts, key=lambda name: counts[name])


def _sum_guesses(chosen: Links, key: Key) -> float:
    """The right links that lots among the candidates find on average."""
    right = chosen.rows == key.rows[chosen.records]
    return float((right / chosen.counts[chosen.records]).sum())


def correct_by_subset(links: Mapping[tuple[str, ...], Links], key: Key) -> pd.DataFrame:
    """Count the correct links by subset of attributes, to see which ones give the intruder most.

    Parameters
    ----------
    links
        The links of `verikit.intruder.link_by_subset`.
    key
        Which released row came from which record.

    Returns
    -------
    pandas.DataFrame
        One line a subset, most correct links first: ``attributes``, ``correct``, ``guessed`` (to
        expect of a draw among several candidates), ``share`` and p.
        With many subsets the smallest p of all is no longer rare: multiply it by their number.

    Raises
    ------
    RecordError
        If the key is for another number of records.

    References
    ----------
    [DM]_ Note 1

    Examples
    --------
    In the running example X1 was moved most, and two attributes link better than all three.

    >>> import verikit as vk
    >>> data, release = vk.load("dm_table1"), vk.published("dm_table1_masked")
    >>> found = correct_by_subset(vk.intruder.link_by_subset(data, release), vk.Key.of(range(20)))
    >>> found.set_index("attributes")["correct"].loc[["X2, X3", "X1, X2, X3"]].to_dict()
    {'X2, X3': 8, 'X1, X2, X3': 6}
    """
    found = {", ".join(names): correct_links(part, key) for names, part in links.items()}
    lines = [
        (n, part.count, round(part.guessed, 2), part.share, part.p) for n, part in found.items()
    ]
    frame = pd.DataFrame(lines, columns=["attributes", "correct", "guessed", "share", "p"])
    by = ["correct", "guessed"]
    return frame.sort_values(by, ascending=False, kind="stable", ignore_index=True)


def _count_sole(links: Links, own: Rows) -> Rows:
    """Count the records whose own row is their only candidate, by each of some keys."""
    only = np.full(len(links), -1)
    alone = links.counts == 1
    only[alone] = links.rows[links.starts[:-1][alone]]
    return np.count_nonzero((own == only) & (own >= 0), axis=-1)


def _wilson_interval(count: int, n: int) -> tuple[float, float]:
    """Bound a share by the confidence interval of Wilson (95 %)."""
    share, z = count / n, Z**2 / n
    centre = (share + z / 2) / (1 + z)
    half = Z / (1 + z) * np.sqrt(share * (1 - share) / n + z / (4 * n))
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


def _mean_by_luck(attempts: list[Links]) -> float:
    """Take the mean count of the best of several attacks over random keys (fixed seed)."""
    rng, n = generator(0), len(attempts[0])
    runs = int(np.clip(MAX_KEY_CELLS // (n * len(attempts)), 20, PERMUTATIONS))
    keys = np.array([rng.permutation(n) for _ in range(runs)])
    return float(np.max([_count_sole(attempt, keys) for attempt in attempts], axis=0).mean())


def _measure_attributes(links: Links, key: Key) -> pd.DataFrame:
    """Measure what masking left of each attribute, judged by the true rows."""
    tables = links.compared
    judged = np.flatnonzero(key.rows >= 0)
    rows = key.rows[judged]
    places = tables.places(judged, rows)
    kept = {
        "attribute": tables.attributes,
        "places": places.mean(axis=0),
        "unmoved": (places == 0).mean(axis=0),
    }
    original, released = tables.scores
    residual = np.full(len(tables.attributes), np.nan)
    residual[: len(tables.ranked)] = (original[judged] - released[rows]).std(axis=0)
    found = pd.DataFrame({**kept, "residual": residual})
    left = found["residual"].fillna(1 - found["unmoved"])  # of what has no order, what differs
    return found.loc[left.sort_values(kind="stable").index].reset_index(drop=True)


class RedrawnCells(NamedTuple):
    """Which cells are other than before, and how many of each row were drawn anew."""

    other: Flags
    drawn: int

    @property
    def means(self) -> str:
        """How many rows are not as before, in one sentence."""
        rows = int(self.other.any(axis=1).sum())
        of = count(len(self.other), "row")
        return f"{rows:,} of {of} {'is' if rows == 1 else 'are'} not as before."

    @property
    def why(self) -> str:
        """How many cells differ, of those that were drawn."""
        cells, drawn = int(self.other.sum()), self.drawn * len(self.other)
        return (
            f"{count(drawn, 'value')} drawn, {self.drawn} in each row: {cells:,} differ from the "
            f"old ones, {drawn - cells:,} came out the same."
        )


def compare_redrawn(
    data: Microdata, release: TableRelease, key: Key, names: Sequence[str], drawn: int
) -> RedrawnCells:
    """Compare some columns of a release, put back into the old order, with the original."""
    before = cell_texts(data.frame, names)
    return RedrawnCells(before != cell_texts(release.frame.iloc[key.rows], names), drawn)


def cell_texts(frame: pd.DataFrame, names: Sequence[str]) -> npt.NDArray[Any]:
    """Some columns of a table as the texts that name their values.

    Examples
    --------
    >>> cell_texts(pd.DataFrame({"age": [40.0, 41.5]}), ["age"]).tolist()
    [['40'], ['41.5']]
    """
    return np.column_stack([frame[name].map(text).astype(object) for name in names])
