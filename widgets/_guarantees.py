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
from verikit.intruder import Attack, link
from verikit.models import Guarantee, guarantee
from verikit.protector import CorrectLinks, audit, correct_links
from verikit.release import Masked
from verikit.table import Microdata, require_table
from verikit.widgets import _kit as kit
from verikit.widgets import _view as views
from verikit.widgets._panel import Part
from verikit.widgets._trade_off import draw_sample
from verikit.widgets._view import Answered, Number, Option, View
from verikit.words import count, share

EXAMPLE, SEED = ("dm", 100), 1
ATTACKS = {
    "normal_scores": "trust what was masked least",
    "published_mechanism": "repeat the published method (slow)",
}
CYCLES = {"scheme": "cycles"}
SAMPLE = 200  # of a larger table so many records are masked and linked
MARKS = (
    (kit.draw_disc(50, 9, 6, kit.HOLLOW), "how far values moved, of all places"),
    (kit.draw_box(50, 9, (14, 14), f'fill="{kit.ORANGE}"'), "records found, of all"),
)


# Each method as the slider turns it: its words, how it is called, and its amount at a rate.
TUNED: tuple[tuple[str, Callable[..., Masked], str, Callable[[float], float], dict[str, Any]], ...]
TUNED = (
    ("one column swapped, rate {:.2g}", mask.swap, "rate", float, {"match": []}),
    ("orders by distance, theta {:.2g}", mask.mallows, "theta", lambda r: (1 - r) / r / 5, {}),
    ("each value kept, chance {:.2g}", mask.randomize, "keep", lambda r: 1 - r, {"scheme": "each"}),
    ("ranks swapped within {:.2g} %", mask.rank_swap, "percent", lambda r: 50 * r, CYCLES),
    ("noise, scale {:.2g}", mask.noise, "scale", lambda r: 2 * r, {}),
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
    Whoever links knows all originals, and by ``attack="published_mechanism"`` also the method and
    its amount, which he repeats. ``result`` has one line a masking; the headline speaks of the one
    with an epsilon in which most are found. Of a table of more than 200 records 200 are drawn.

    Examples
    --------
    >>> view = GuaranteesView()
    >>> view.result["epsilon"].round(1).tolist(), view.result["found"].tolist()
    ([4.6, 0.6, 13.8, nan, nan], [100, 63, 16, 12, 10])
    """

    TITLE = "2\u2002What is guaranteed, and who is found"

    rate = Number(0.5, "How much is masked", limits=(0.05, 0.95, 0.05))
    attack = Option("normal_scores", "The intruder’s attack", ATTACKS)

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
        found, left_out = self.call_once(measure_all, self._data, rate, self.attack)
        guarded = [one for one in found if one.guarantee.epsilon is not None]
        worst = max(guarded or found, key=lambda one: one.correct.count)
        html = draw_measured(found) + "".join(map(kit.write_note, left_out))
        look = "warning" if worst.correct.more_than_luck else ""
        lines = [(one.words, one.guarantee.epsilon, one.places, one.correct.count) for one in found]
        frame = pd.DataFrame(lines, columns=["masking", "epsilon", "places", "found"])
        frame = frame.astype({"epsilon": float})
        return Answered(frame, worst.correct, f"{worst.words}: {worst.epsilon}", html, look)

    def lay_out(self) -> list[Part]:
        """The rate."""
        told = f"{count(len(self._data), 'record')}, known to the intruder as they were."
        fields = self.fields("rate", "attack")
        return [Part("rate", "1\u2002One slider for all methods", [(told, "soft")], fields)]


def measure_all(data: Microdata, rate: float, attack: Attack) -> tuple[list[Measured], list[str]]:
    """Mask by all methods at a rate and measure each; and say why some do not take the table."""
    found, left_out = [], []
    swapped = [column.name for column in (*data.schema.quasi, *data.schema.sensitive)][:1]
    for words, method, parameter, amount, how in TUNED:
        given = {parameter: amount(rate), "seed": SEED, **how}
        named = words.format(given[parameter])
        try:
            masked = method(data, **given | ({"swap": swapped} if method is mask.swap else {}))
            release = views.as_one_table(masked.release)
            correct = correct_links(link(data, release, attack=attack), masked.key)
            moved = audit(data, release, masked.key, subject_view=False).protector
            share_moved = float(moved.mean() / len(data))
            found.append(Measured(named, guarantee(release), share_moved, correct))
        except VerikitError as error:
            left_out.append(f"Left out: {named}. {error}")
            if method is mask.noise and not found:
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
