"""What a table that was drawn from a model tells of the people whom the model learned from."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from verikit._support import html as _html
from verikit._support.arrays import Flags, Floats, Rows
from verikit._support.plotted import Plotted
from verikit._support.requests import flag
from verikit.intruder._control_attacks import Baseline
from verikit.intruder._crowd import Crowd, Nearness, find_alone, measure_nearness, mix_rows
from verikit.intruder._ranked_tables import left_out, list_shared
from verikit.release import TableRelease
from verikit.table import Microdata
from verikit.words import count, joined, not_compared, share

RATE = 0.01  # of false alarms, about one person and about the table
LEARNED = "people the model learned from"
TITLE = "Audit of a table drawn from a model"
INTERNAL = "Internal: this page says who was found; keep it to yourself."
NAMES = {"found": "the people", "control": "others", "naive": "luck", "least": "at least, beyond"}
LIMITS = (
    "The others show what luck gives only if they are alike but for what the model learned.",
    "Whoever knows more, or attacks otherwise, may find more.",
    "Numbers for all people say nothing of one person. Each can check her own record.",
    "No test of this kind proves that people are protected.",
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Memorized(Plotted):
    """How many people a model memorized, beside others whom it did not learn from.

    Parameters
    ----------
    people, others
        How many of both were looked at.
    records
        Who of the people is nearer to the table than all but ``allowed`` of the others, counted
        from 0: beside the distance of the people next to her, so that a common record counts as
        no nearer than a rare one.
    allowed
        How many of the others may be as near.
    least
        At least so many were memorized; wrong for 1 of 100 tables at most, if people and others are
        alike but for what the model learned.
    chance
        How often so many people would be as near if none was memorized.
    criteria
        Singling out, linkability and, by attribute, inference, each beside the others and luck.
    nearest
        The nearest-record scores (DCR), which may be passed by a table that memorized people.
    not_compared
        The published columns that took no part.

    Examples
    --------
    >>> import verikit as vk
    >>> people, others = (vk.simulate("dm", 200, seed=seed) for seed in (1, 2))
    >>> drawn = vk.mask.synthesize(people, model="copula", seed=3)
    >>> found = memorized(people, drawn, control=others)
    >>> found.allowed, found.false_alarms < 0.01, found.least
    (1, True, 0)
    """

    people: int
    others: int
    records: Rows
    allowed: int
    least: int
    chance: float
    criteria: tuple[Baseline, ...]
    nearest: NearestRecords
    not_compared: tuple[str, ...] = ()

    @property
    def found(self) -> int:
        """How many people are so near to the table."""
        return len(self.records)

    @property
    def false_alarms(self) -> float:
        """How often somebody whom the model did not learn from is found so near, at most."""
        return (self.allowed + 1) / (self.others + 1)

    @property
    def luck(self) -> float:
        """How many people would be found on average if none was memorized."""
        return self.people * self.false_alarms

    @property
    def means(self) -> str:
        """How many were memorized at least, in one sentence."""
        if not self.least:
            return (
                "No more people are near to the table than luck explains, which does not show that "
                "nobody was memorized."
            )
        return (
            f"At least {count(self.least, 'person was', 'people were')} memorized, if people "
            "and others are alike but for what the model learned; this is wrong for "
            f"{share(RATE)} tables at most."
        )

    @property
    def why(self) -> str:
        """What was counted, after what was not compared, if anything."""
        found = count(self.found, "person of", "people of")
        said = (
            f"{found} {self.people:,} {'is' if self.found == 1 else 'are'} nearer to the table "
            f"than all but {self.allowed:,} of {self.others:,} others; luck gives about "
            f"{self.luck:.3g}, as this is said of {share(self.false_alarms)} people the model "
            "did not learn from."
        )
        return " ".join(filter(None, (not_compared(self.not_compared), said)))

    @property
    def sentences(self) -> list[str]:
        """What was counted, what it comes to, and the nearest-record scores."""
        return [self.why, self.means, *self.nearest.sentences(memorized=self.least > 0)]

    def list_facts(self, *, internal: bool = False) -> dict[str, Any]:
        """List what a document says: internally who was found, for everybody no single record.

        Whoever is told that most of those whom he finds were memorized knows who was; so this many
        are told internally only.
        """
        most = self.least > 0 and self.found > 2 * self.luck
        hidden = most and not flag(internal, "internal")
        said = [*filter(None, [not_compared(self.not_compared)])] if hidden else self.sentences
        told = "People were memorized; how many is not told here, as most who are found so were."
        facts: dict[str, Any] = {
            "document": TITLE,
            "internal": internal,
            "people": self.people,
            "others": self.others,
            "memorized": self.least > 0,
            "said": [*said, told] if hidden else said,
            "criteria": [] if hidden else json.loads(self.to_frame().to_json(orient="records")),
            "nearest": {**asdict(self.nearest), "passed": self.nearest.passed},
            "not_compared": list(self.not_compared),
            "does_not_mean": list(LIMITS),
        }
        if not hidden:
            names = ("found", "least", "luck", "false_alarms", "chance")
            facts |= {name: getattr(self, name) for name in names}
        return {**facts, "records": (self.records + 1).tolist()} if internal else facts

    def write_criteria(self) -> str:
        """Write the criteria beside others and luck, as a section of a page."""
        said = (" ".join(one.sentences) for one in self.criteria)
        head = _html.element("h2", "By singling out, linkability and inference")
        return head + _html.table(self.to_frame(), NAMES) + _html.write_paragraphs(*said)

    def html(self, *, internal: bool = False) -> str:
        """The audit as a page of its own; internally it says who was found."""
        told = self.list_facts(internal=internal)
        who = joined(map(str, told.get("records", ())))
        parts = [
            _html.element("h1", TITLE),
            _html.write_paragraphs(INTERNAL if internal else "", *told["said"]),
            self.write_criteria() if told["criteria"] else "",
            _html.element("h2", "Records that are so near, counted from 1") if who else "",
            _html.write_paragraphs(who),
            _html.element("h2", "What this does not mean"),
            _html.write_paragraphs(*told["does_not_mean"]),
        ]
        return _html.page(TITLE, _html.element("main", "".join(parts), class_="vk"))

    def json(self, *, internal: bool = False) -> str:
        """The same facts as `html` shows, as JSON."""
        return json.dumps(self.list_facts(internal=internal), indent=1, ensure_ascii=False)

    def to_frame(self) -> pd.DataFrame:
        """One line a criterion: of whom it succeeds, and of how many at least beyond the others."""
        names = ("attack", "secret", "found", "control", "naive", "least")
        lines = [[getattr(part, name) for name in names] for part in self.criteria]
        return pd.DataFrame(lines, columns=[*names])

    def __repr__(self) -> str:
        beyond = [
            f"{part.attack}{f' of {part.secret}' if part.secret else ''} ({part.least:,})"
            for part in sorted(self.criteria, key=lambda part: -(part.least or 0))
            if part.least
        ]
        luck = "By singling out, linkability and inference no more than luck explains is found."
        told = f"Beyond what holds of others, at least so many people: {joined(beyond)}."
        return "\n".join([*self.sentences, told if beyond else luck])

    def _repr_html_(self) -> str:
        return _html.result("\n".join(self.sentences), self.to_frame())


@dataclass(frozen=True, slots=True)
class NearestRecords:
    """How near released rows lie to people, beside others: the scores that many rely on (DCR).

    They speak of the table as a whole: rows that repeat a few people are lost among the rest.

    Parameters
    ----------
    closer
        The share of rows that lie closer to a person than to any of as many others, of those that
        are as near to both a half: one half where the model memorized nobody.
    rows, others
        The distances of rows, and of others, from the nearest person, at the fifth hundredth and
        in the middle: of all columns, how many differ, numbers by the share of all places.

    Examples
    --------
    >>> NearestRecords(0.52, rows=(0.4, 1.1), others=(0.3, 1.0)).passed
    True
    """

    closer: float
    rows: tuple[float, float]
    others: tuple[float, float]

    @property
    def passed(self) -> bool:
        """Whether rows are no nearer to people than others are, by which tables are let pass."""
        return self.rows[0] >= self.others[0] and self.rows[1] >= self.others[1]

    @property
    def score(self) -> float:
        """The score of SDMetrics against overfitting, from 0 to 1, the best."""
        return min(1.0, 2 * (1 - self.closer))

    def sentences(self, *, memorized: bool) -> list[str]:
        """Say the scores, and that they mislead where they do."""
        said = (
            f"By nearest records (DCR) the table {'passes' if self.passed else 'fails'}: "
            f"its rows lie {self.rows[1]:.2f} columns from the nearest person in the middle, "
            f"others {self.others[1]:.2f}; {share(self.closer)} rows are closer to one than to "
            f"any other (score {self.score:.2f} of 1)."
        )
        wrong = "These scores look at all rows at once, and miss who was memorized."
        return [said, wrong] if memorized and self.passed else [said]


def memorized(data: Microdata, release: TableRelease, *, control: Microdata) -> Memorized:
    """Count the people whom a table drawn from a model is too near to, and what else it tells.

    Others, who are of the same population and from whom the model did not learn, show what luck
    gives. For each person: how far is the nearest released row, beside the people next to her?
    Whoever is nearer than all but one of a hundred of the others counts as found.

    Parameters
    ----------
    data, release
        The people from whom the model learned, and what was drawn from it.
    control
        Others, of whom it did not learn, such as a half that was drawn at random and kept apart.

    Returns
    -------
    Memorized
        Who was found, how many of them at least were memorized, the three criteria by which
        regulators ask (singling out, linkability, inference), and the nearest-record scores.

    Raises
    ------
    SchemaError
        If the tables share no attribute, nobody is in one of them, or they differ in which columns
        are numbers.

    References
    ----------
    M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnádi: A Unified Framework for Quantifying Privacy
    Risk in Synthetic Data. Proceedings on Privacy Enhancing Technologies 2023(2), for the three
    criteria beside a control

    Z. Yao, N. Krčo, G. Ganev, Y.-A. de Montjoye: The DCR Delusion: Measuring the Privacy Risk of
    Synthetic Data. ESORICS 2025, for scores that pass tables which leak

    Notes
    -----
    The count is our own. *One person.* If the model did not learn from her, she and the m others
    are m + 1 people drawn alike, and what is measured of each depends on the table, on her, and on
    the set of all people only. So each of the m + 1 is equally likely to be the nearest, the
    second nearest, and so on, and with chance (k + 1) / (m + 1) at most k others are as near (less
    where some are equally near): this is the rate of false alarms, whatever the model is.

    *All of them.* Of n people let M be memorized. The other n - M and the m others are drawn
    alike, so their order is equally likely to be any. X of those n - M stand before the (k + 1)st
    of the m others just if of the first X + k in this order at most k are others; so P(X >= x) is
    the chance that x + k draws without replacement from n - M and m hold at least x of the first,
    which is hypergeometric. What is found is at most M + X. So where M is the truth, the chance
    that P(X >= found - M) is at most .01 is at most .01; ``least`` is the smallest M of which it
    is larger. The same holds of any attack that finds or does not find each of them, with k the
    number of the others whom it finds: of the people of whom it succeeds given all of whom it
    succeeds, and so of the criteria. As these are several, .01 is divided among them.

    Distances count the columns in which two rows differ: numbers by the share of all places between
    them, or in standard deviations if that is less; trees and categories as 1. A missing value
    equals another one. Of more than 5,000 people or others so many are looked at, drawn at random.
    Singling out: some row fits her, with numbers within a twentieth of all places, and nobody else.
    Linkability: one row is nearest to her by every other column, and by those between. Inference:
    the rows nearest by all other columns show her value. O(n (n + rows)) distances of each column.

    Examples
    --------
    >>> import verikit as vk
    >>> people, others = (vk.simulate("dm", 500, seed=seed) for seed in (1, 2))
    >>> drawn = vk.mask.synthesize(people, model="leaking", rows=1000, seed=3)
    >>> found = memorized(people, drawn, control=others)
    >>> found.found, found.allowed, found.least
    (35, 4, 21)
    """
    names = list_shared((data, release, control), None, "memorized")
    crowd = Crowd.gather(data, release, control, names)
    near = measure_nearness(crowd)
    m, n = crowd.others, crowd.people
    nearness = (near.rows + 1) / (near.neighbours + 1)  # of equals the rarer is the nearer
    allowed = max(int(RATE * (m + 1)), 1) - 1
    limit = np.sort(nearness[n:])[allowed]
    found = np.flatnonzero(nearness[:n] < limit)

    asked = 1 if len(names) == 1 else len(names) + 2

    def judge(attack: str, hits: Flags, luck: float, secret: str = "") -> Baseline:
        right, wrong = int(hits[:n].sum()), int(hits[n:].sum())
        least, rates = least_beyond(right, n, wrong, m, RATE / asked), (right / n, wrong / m)
        return Baseline(attack, secret, n, m, *rates, luck, least=least, whose=LEARNED)

    mixed = find_alone(crowd, mix_rows(crowd))[:n]
    criteria = [judge("singling out", find_alone(crowd, crowd.rows), float(mixed.mean()))]
    if len(names) > 1:
        criteria.append(judge("linkability", near.linked, near.luck))
        everything = np.ones((1, len(crowd.rows)), bool)
        for at, name in enumerate(names):
            blind = float(crowd.check_guess(at, everything, slice(n)).mean())
            criteria.append(judge("inference", near.guessed[:, at], blind, name))
    return Memorized(
        n,
        m,
        np.sort(crowd.who[found]),
        allowed,
        least_beyond(len(found), n, allowed, m),
        float(_exceed_by_luck(len(found), n, allowed, m)[0]),
        tuple(criteria),
        _score_nearest(near, crowd.far),
        left_out(release, names),
    )


def least_beyond(found: int, people: int, wrong: int, others: int, rate: float = RATE) -> int:
    """The least number of people whom an attack found because the model learned from them.

    Of ``people`` it found ``found``, of ``others`` ``wrong``; it is too many for a share ``rate``
    of all tables at most. See `memorized` for what holds.

    Examples
    --------
    >>> least_beyond(9, 9, 0, 12), least_beyond(50, 100, 50, 100)
    (7, 0)
    """
    return int(np.argmax(_exceed_by_luck(found, people, wrong, others) > rate))


def _exceed_by_luck(found: int, people: int, wrong: int, others: int) -> Floats:
    """Of each number of people from 0 up: how often luck finds the rest, if so many are known."""
    from scipy.stats import hypergeom

    learned = np.arange(found + 1)
    rest = people - learned
    return np.asarray(
        hypergeom.sf(found - learned - 1, rest + others, rest, found - learned + wrong)
    )


def _score_nearest(near: Nearness, far: int) -> NearestRecords:
    """Score all rows by the people nearest to them, and the others in the same way."""
    closer = (1 + np.sign(near.to_others - near.to_people)).mean() / 2
    low, middle = np.quantile(near.to_people / far, [0.05, 0.5])
    least, usual = np.quantile(near.between / far, [0.05, 0.5])
    return NearestRecords(float(closer), (float(low), float(middle)), (float(least), float(usual)))
