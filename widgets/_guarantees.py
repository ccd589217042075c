"""Maskings side by side: what each guarantees, how far it moves values, and who is found."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any, NamedTuple

import pandas as pd

from verikit import mask
from verikit._support import html as _html
from verikit._support.requests import within
from verikit.datasets import simulate
from verikit.errors import VerikitError
from verikit.intruder import link
from verikit.models import Guarantee, guarantee
from verikit.protector import CorrectLinks, audit, correct_links
from verikit.release import Masked
from verikit.table import Microdata, require_table
from verikit.widgets import _kit as kit
from verikit.widgets import _view as views
from verikit.widgets._panel import Part
from verikit.widgets._trade_off import draw_sample
from verikit.widgets._view import Answered, Number, View
from verikit.words import count, share

EXAMPLE, SEED = ("dm", 100), 1
SAMPLE = 200  # of a larger table so many records are masked and linked
MARKS = (
    (kit.draw_disc(50, 9, 6, kit.HOLLOW), "how far values moved, of all places"),
    (kit.draw_box(50, 9, (14, 14), f'fill="{kit.ORANGE}"'), "records found, of all"),
)


class Tuned(NamedTuple):
    """A mask as the slider turns it: its words, its amount at a rate, and how it is called."""

    words: str
    amount: Callable[[float], float]
    mask: Callable[[Microdata, float], Masked]


def swap_one(data: Microdata, rate: float) -> Masked:
    """Swap one column among all records."""
    names = [column.name for column in (*data.schema.quasi, *data.schema.sensitive)]
    return mask.swap(data, match=[], swap=names[:1], rate=rate, seed=SEED)


TUNED = (
    Tuned("one column swapped, rate {:.2g}", lambda rate: rate, swap_one),
    Tuned(
        "orders by distance, theta {:.2g}",
        lambda rate: (1 - rate) / rate / 5,
        lambda data, theta: mask.mallows(data, theta=theta, seed=SEED),
    ),
    Tuned(
        "each value kept, chance {:.2g}",
        lambda rate: 1 - rate,
        lambda data, keep: mask.randomize(data, scheme="each", keep=keep, seed=SEED),
    ),
    Tuned(
        "ranks swapped within {:.2g} %",
        lambda rate: 50 * rate,
        lambda data, percent: mask.rank_swap(data, percent=percent, scheme="cycles", seed=SEED),
    ),
    Tuned(
        "noise, scale {:.2g}",
        lambda rate: 2 * rate,
        lambda data, scale: mask.noise(data, scale=scale, seed=SEED),
    ),
)


class Measured(NamedTuple):
    """One masking: its words, what it guarantees, the share of places moved, and who is found."""

    words: str
    guarantee: Guarantee
    places: float
    correct: CorrectLinks

    @property
    def epsilon(self) -> str:
        """Its epsilon in words."""
        found = self.guarantee.epsilon
        return "no epsilon" if found is None else f"epsilon {found:.2g}"


class GuaranteesView(View):
    """Mask a table by several methods at one rate: epsilon, places moved and records found.

    Parameters
    ----------
    data
        The original; by default a hundred made-up records.

    Notes
    -----
    The slider turns every method, each by an amount of its own, which stands beside its name.
    Whoever links knows all originals, the method and its amount. ``result`` has one line a masking;
    the headline speaks of the one with an epsilon in which most are found. Of a table of more than
    200 records 200 are drawn.

    Examples
    --------
    >>> view = GuaranteesView()
    >>> view.result["epsilon"].round(1).tolist(), view.result["found"].tolist()
    ([4.6, 0.6, 13.8, nan, nan], [100, 60, 25, 14, 9])
    """

    TITLE = "2\u2002What is guaranteed, and who is found"

    rate = Number(0.5, "How much is masked", limits=(0.05, 0.95, 0.05))

    def __init__(self, data: Microdata | None = None, **boxes: Any) -> None:
        self._data = (
            simulate(*EXAMPLE, seed=SEED)
            if data is None
            else draw_sample(require_table(data, "GuaranteesView"), SAMPLE)
        )
        super().__init__(self._data, **boxes)

    def answer(self) -> Answered:
        """All methods at the rate, beside each other."""
        rate = within(self.rate, "rate", 0.05, 0.95)
        found, left_out = self.call_once(measure_all, self._data, rate)
        guarded = [one for one in found if one.guarantee.epsilon is not None]
        worst = max(guarded or found, key=lambda one: one.correct.count)
        html = draw_measured(found) + "".join(map(kit.write_note, left_out))
        look = "warning" if worst.correct.more_than_luck else ""
        frame = tabulate_measured(found)
        return Answered(frame, worst.correct, f"{worst.words}: {worst.epsilon}", html, look)

    def lay_out(self) -> list[Part]:
        """The rate."""
        told = f"{count(len(self._data), 'record')}. Whoever links knows them, method and rate."
        lines = [(told, "soft")]
        return [Part("rate", "1\u2002One slider for all methods", lines, self.fields("rate"))]


def measure_all(data: Microdata, rate: float) -> tuple[list[Measured], list[str]]:
    """Mask by all methods at a rate and measure each; and say why some do not take the table."""
    found, left_out = [], []
    for tuned in TUNED:
        amount = tuned.amount(rate)
        try:
            masked = tuned.mask(data, amount)
            release = views.as_one_table(masked.release)
            correct = correct_links(link(data, release, attack="published_mechanism"), masked.key)
            moved = audit(data, release, masked.key, subject_view=False).protector
            places = float(moved.mean() / len(data))
            found.append(Measured(tuned.words.format(amount), guarantee(release), places, correct))
        except VerikitError as error:
            left_out.append(f"Left out: {tuned.words.format(amount)}. {error}")
            if tuned is TUNED[-1] and not found:
                raise
    return found, left_out


def draw_measured(found: list[Measured]) -> str:
    """All maskings in one picture, and below in words what each guarantees."""
    shifts = [
        kit.Shift(
            one.words,
            one.places,
            one.correct.share,
            one.epsilon,
            f"{one.epsilon}, moved by {share(one.places)} places, {share(one.correct.share)} "
            "records found",
        )
        for one in found
    ]
    said = "Epsilon is of its own unit in each method, and leaves open what is the same anyway:"
    told = "".join(_html.element("li", escape(repr(one.guarantee))) for one in found)
    folded = kit.write_note(said) + _html.element("ul", told)
    return (
        kit.draw_shifts(shifts, "Places moved and records found, by method")
        + kit.write_legend(MARKS)
        + kit.fold_away("What each guarantees, and for whom", folded, "vk-guarantees")
    )


def tabulate_measured(found: list[Measured]) -> pd.DataFrame:
    """One line a masking."""
    lines = [(one.words, one.guarantee.epsilon, one.places, one.correct.count) for one in found]
    return pd.DataFrame(lines, columns=["masking", "epsilon", "places", "found"]).astype(
        {"epsilon": float}
    )
