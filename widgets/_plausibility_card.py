"""What the card of plausibility shows: the verdict that may be given, the curves, the numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd

from verikit.intruder import Plausibility
from verikit.widgets import _draw as draw
from verikit.widgets._pieces import listing, note
from verikit.widgets._plane import Axis, Plane
from verikit.words import count, share

__all__ = ["picture", "table"]

NEARLY_ALL, MARKED = 0.999, 40
RECORDS = f'stroke="{draw.BLUE}" stroke-width="2.5"'
OTHERS = f'stroke="{draw.ORANGE}" stroke-width="2.5" stroke-dasharray="7 5"'


def picture(found: Plausibility, others: str) -> str:
    """The share that matches within each distance: records solid, others dashed."""
    last = _last(found)
    plane = Plane(Axis("places to the closest record", 0, float(last)), Axis("share within", 0, 1))
    lines = ""
    for shares, look, fill in (
        (found.share_observed, RECORDS, ("disc", draw.BLUE)),
        (found.share_others, OTHERS, ("square", draw.ORANGE)),
    ):
        shown = [(x, y) for x, y in zip(found.points, shares, strict=True) if x <= last]
        lines += plane.path(shown, look)
        if len(shown) <= MARKED:
            shape, colour = fill
            lines += "".join(draw.mark(*plane.at(*p), shape, _small(colour)) for p in shown)
    middle = {name: _median(found, shares) for name, shares in _both(found).items()}
    label = (
        f"Half of the records match within {count(middle['records'], 'place')}, half of the others "
        f"within {middle['others']}. Hellinger distance {found.hellinger:.3f}, largest gap "
        f"{share(found.kolmogorov_smirnov)}."
    )
    return plane.picture("Two distributions", label, lines) + _legend(others) + note(label)


def _small(colour: str) -> str:
    return f'fill="{colour}" transform="scale(.55)"'


def _both(found: Plausibility) -> dict[str, np.ndarray]:
    return {"records": found.share_observed, "others": found.share_others}


def _median(found: Plausibility, shares: np.ndarray) -> int:
    return int(found.points[min(int(np.searchsorted(shares, 0.5)), len(shares) - 1)])


def _last(found: Plausibility) -> int:
    """The distance within which nearly all of both match."""
    both = np.minimum(found.share_observed, found.share_others)
    at = min(int(np.searchsorted(both, NEARLY_ALL)), len(found.points) - 1)
    return max(int(found.points[at]), 1)


def _legend(others: str) -> str:
    lines = {"the records": RECORDS, f"the others: {others}": OTHERS}
    parts = "".join(
        f'<span><svg width="34" height="18" aria-hidden="true">'
        f'<line x1="0" x2="34" y1="9" y2="9" {look}/></svg>{name}</span>'
        for name, look in lines.items()
    )
    return f'<p class="vk-legend">{parts}</p>'


def table(found: Plausibility) -> str:
    """The two distributions distance by distance."""
    frame = found.to_frame()
    shown = pd.DataFrame(
        {
            "places": frame["distance"],
            "records, %": 100 * frame["records"],
            "others, %": 100 * frame["others"],
            "records within, %": 100 * found.share_observed,
            "others within, %": 100 * found.share_others,
        }
    )
    return listing(shown, "The two distributions", most=20, what=("distance", "distances"))
