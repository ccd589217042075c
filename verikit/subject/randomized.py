"""A table whose values were drawn anew by known chances: which rows may be hers, how surely."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from verikit._support.arrays import Floats, Ints, count_codes
from verikit.cells import rows_that_may_be
from verikit.languages import Line, insert_phrases
from verikit.release import Redraw, TableRelease, redraw_of, require_redraw
from verikit.subject._answer import make_report, say_condition
from verikit.subject._check import Tests, checking
from verikit.subject._guess import DIGITS, MAX_LINES, Guess, guess_of, list_own_line, values_table
from verikit.subject._known import Given, find_rows_showing, usable_values
from verikit.subject._report import SubjectReport
from verikit.subject._requirement import Requirement
from verikit.subject.masked import list_links_lines
from verikit.words import joined

__all__: list[str] = []

CLOSE = 1e-12
JUDGES = {
    "k": "how many published rows may have been made from your values",
    "ell": insert_phrases(
        "in one of how many cases a guess may be right, of your row or a sensitive value, "
        "{rests:drawn}"
    ),
}


@dataclass(frozen=True, slots=True, eq=False)
class Redrawn(Given):
    """The values she gave, and the rows by the set of attributes in which they differ from hers.

    A set is a number, whose bit k stands for the value of place k among those she gave.

    Parameters
    ----------
    release
        What was published.
    known
        The quasi-identifiers she gave.
    redraw
        The published chances.
    counts
        How many rows differ from hers in just each set of attributes.
    chances
        The chance that the redrawing makes her values of a row that differs from them so; and
        backwards, how likely such a row was made from hers where columns are independent.
    gaps
        How many rows count as showing her values, but lack one, or cannot be read.
    guesses
        What the rows that may be hers say of each sensitive column.
    possible, equal
        How many rows may have been made from her values, and how many of these show all of them.
    as_it_was
        Formula (6) for a row with her values, with published rows for the original ones.
    surest, alike
        The chance of the row that is most likely hers, if she is in the table; and how many rows
        are as likely.
    sure
        From which chance on a guess is a warning.
    """

    release: TableRelease
    known: Mapping[str, Any]
    redraw: Redraw
    counts: Ints
    chances: Floats
    gaps: int
    guesses: tuple[Guess, ...]
    possible: int
    equal: int
    as_it_was: float
    surest: float
    alike: int
    sure: float

    def make_tables(self) -> dict[str, pd.DataFrame]:
        """The rows that may be hers, the values she gave, and the sensitive values of the rows."""
        sets = np.flatnonzero((self.counts > 0) & (self.chances > 0))
        best = sets[np.argsort(-self.chances[sets], kind="stable")[:MAX_LINES]]
        each = 100 * self.chances[best] / (float(self.counts @ self.chances) or 1.0)
        names, every, redraw = list(self.known), np.arange(len(self.counts)), self.redraw
        rows = {
            "differ in": [
                joined(name for k, name in enumerate(names) if number >> k & 1) or "nothing"
                for number in best.tolist()
            ],
            "rows": self.counts[best],
            "of 100 cases yours, each": each,
            "of 100 cases yours, together": each * self.counts[best],
        }
        drawn = {
            "attribute": names,
            "own": list(self.known.values()),
            "rows that show it": [
                int(self.counts[(every >> k & 1) == 0].sum()) for k in range(len(names))
            ],
            "of 100 rows drawn anew": [100 * redraw.find_drawn(name) for name in names],
        }
        return {
            "rows": pd.DataFrame(rows),
            "your_values": pd.DataFrame(drawn),
            "values": values_table(self.guesses),
        }

    def list_facts(self) -> dict[str, Any]:
        """How many rows may be hers, and the chances that the sentences name."""
        some = self.possible > 0
        return {
            "equal": self.equal,
            "possible": self.possible,
            "same": float(self.chances[0]),
            "as_it_was": self.as_it_was if self.equal else None,
            "surest": self.surest if some else None,
            "gaps": self.gaps,
            "sure": self.sure,
            "rests": say_condition("drawn"),
        }


def find_redrawn(record: Mapping[str, Any], release: TableRelease, sure: float = 0.9) -> Redrawn:
    """Find the rows that may have been made from a person's values; O(n) a column she gives.

    Notes
    -----
    Her row became each published one with a known chance, and so did somebody else's. Where
    columns are independent the redrawing leaves the shares of combinations as they are, and it is
    as likely to make a row of her values as the shares of both tell: the chance that a row is hers
    goes by the chance that the redrawing makes her values of *it*, which depends on nothing but
    the attributes in which they differ. With the published rows in place of the original ones,
    formula (6) of the paper for a row with her values is the sum of these chances over such rows.
    On 30,162 records of Adult the best guess of a row was said to be right in 25 of 100 cases and
    was in 24 (8 attributes, one drawn anew; 403 people asked); formula (6) came out as 27 of 100
    and is 32 by the original rows, which the published ones blur. A value that no row shows counts
    as shown once, since hers was there.
    """
    redraw = require_redraw(release, "check")
    known = usable_values(record, release.schema)
    apart, shares = find_differences(known, release)
    chances = redraw.transition_chances(list(known), shares)
    counts = count_codes(apart, len(chances))
    rows = np.flatnonzero(chances[apart] > 0)
    weights = chances[apart[rows]]
    weights /= max(float(weights.sum()), np.finfo(float).tiny)
    guesses = tuple(
        guess_of(c, release.frame[c.name], rows, weights, record.get(c.name))
        for c in release.schema.sensitive
        if len(rows)
    )
    showing = find_rows_showing(release.frame, known, np.flatnonzero(apart == 0))
    total, best = float(counts @ chances) or 1.0, float(chances[counts > 0].max())
    return Redrawn(
        release,
        known,
        redraw,
        counts,
        chances,
        gaps=int(np.count_nonzero(~showing)),
        guesses=guesses,
        possible=len(rows),
        equal=int(counts[0]) if chances[0] > 0 else 0,
        as_it_was=float(counts[0] * chances[0] / total),
        surest=round(best / total, DIGITS),
        alike=int(counts[chances >= best * (1 - 1e-9)].sum()),
        sure=sure,
    )


def find_differences(
    known: Mapping[str, Any], release: TableRelease
) -> tuple[npt.NDArray[np.uint32], Floats]:
    """Find by row in which attributes it differs from hers; and the share of each of her values."""
    n = len(release)
    apart, shares = np.zeros(n, np.uint32), np.empty(len(known))
    for k, (name, value) in enumerate(known.items()):
        cells, column = release.frame[name], release.schema[name]
        differs = ~rows_that_may_be(cells, column, value, sets=release.holds_sets)
        apart |= np.left_shift(differs, k, dtype=np.uint32)
        shares[k] = max(n - int(np.count_nonzero(differs)), 1) / n
    return apart, shares


@checking(
    "randomized",
    judges=JUDGES,
    words="a table whose values were drawn anew, where rows have no places",
    release="table",
    when=lambda release, _: redraw_of(release) is not None,
)
def check_randomized(
    record: Mapping[str, Any], release: TableRelease, requirement: Requirement, _: Tests
) -> SubjectReport:
    """Find the rows that may be hers, and how surely they are taken for hers ([YQ]_ 4.2.2)."""
    found = find_redrawn(record, release)
    k, ell = requirement.k or 0, requirement.ell or 0
    told = {"count": found.possible, "surest": found.surest}
    unmet: list[Line] = [
        ("randomized.too-few", found.possible < k, {**told, "required": k}),
        ("randomized.row-too-sure", found.surest * ell > 1 + CLOSE, {**told, "required": ell}),
        *(
            (
                "split.too-sure",
                guess.surest * ell > 1 + CLOSE,
                {**guess.describe(), "required": ell},
            )
            for guess in found.guesses
        ),
    ]
    return make_report(
        found,
        requirement,
        list_headlines(found),
        list_lines(found),
        unmet if found.possible else None,
    )


def list_headlines(found: Redrawn) -> Iterator[Line]:
    """What may stand first, the worst first."""
    yield "randomized.none-fits", not found.possible, {}
    yield "randomized.picked-out", found.surest >= found.sure, {"surest": found.surest}
    for guess in found.guesses:
        told = guess.describe()
        yield "randomized.learns", guess.possible == 1 and not guess.gaps, told
        yield "randomized.guesses", guess.surest >= found.sure > told["everywhere"], told
    yield list_links_lines(found.release)[0]
    yield "randomized.no-warning", True, {"surest": found.surest}


def list_lines(found: Redrawn) -> Iterator[Line]:
    """What may be said, in the order of the screen: V1 to V8."""
    possible, equal, changed = found.possible, found.equal, found.redraw.changed
    told = {
        "records": len(found.release),
        "possible": possible,
        "equal": equal,
        "near": possible - equal,
        "surest": found.surest,
        "changed": changed,
        "keep": found.redraw.keep,
        "same": float(found.chances[0]),
        "known": found.as_it_was,
        "alike": found.alike,
        "gaps": found.gaps,
        "most": MAX_LINES,
    }
    yield list_links_lines(found.release)[1]
    if not possible:
        yield "common.figure-published", True, told
        yield "randomized.gaps", found.gaps, told
        return
    yield "randomized.figure-equal", True, told
    yield "randomized.figure-near", True, told
    yield "randomized.figure-surest", True, told
    yield "randomized.one-row", possible == 1, told
    yield f"randomized.rows{'' if changed == 1 else '-several'}", possible > 1, told
    each = "" if found.redraw.keep is None else "-each"
    yield f"randomized.drawn{each}", possible > 1 and found.redraw.keep != 1, told
    yield "randomized.changed", not equal, told
    yield "randomized.without", equal, told
    yield "randomized.with", equal, told
    row = "randomized.row" if found.alike == 1 else "randomized.one-of-the-rows"
    yield row, possible > 1, told
    for guess in found.guesses:
        best = "one-value" if guess.possible == 1 and not guess.gaps else "best"
        yield f"randomized.{best}", guess.possible, guess.describe()
        yield list_own_line("randomized", guess)
    yield "randomized.others-known", True, told
    yield "randomized.chances", True, told
    yield "randomized.gaps", found.gaps, told
    sets = int(np.count_nonzero((found.counts > 0) & (found.chances > 0)))
    lines = max(sets, *(guess.possible for guess in found.guesses), 0)
    yield "common.cut", lines > MAX_LINES, told
