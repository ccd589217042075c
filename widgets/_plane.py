"""A plane of two numbers: places across in per cent, so that it fits any width; up in pixels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from verikit._support import html as _html
from verikit.widgets import _draw as draw

__all__ = ["Axis", "Plane"]

LEFT, RIGHT, TOP, FLOOR = 14.0, 98.0, 30.0, 44.0


class Axis(NamedTuple):
    """What runs along one side: its name, and its least and greatest number."""

    label: str
    low: float
    high: float

    def share(self, value: float) -> float:
        """Where a value lies between the ends, from 0 to 1; in the middle if they are one."""
        return (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5


class Plane(NamedTuple):
    """Two axes and the height of what is drawn between them, in pixels.

    Examples
    --------
    >>> plane = Plane(Axis("age", 0, 100), Axis("income", 0, 10), 200)
    >>> plane.at(0, 0), plane.at(100, 10), plane.at(50, 5)
    ((14.0, 230.0), (98.0, 30.0), (56.0, 130.0))
    """

    across: Axis
    up: Axis
    height: float = 320.0

    def at(self, x: float, y: float) -> tuple[float, float]:
        """The place of a point: per cent from the left, pixels from the top."""
        along = LEFT + (RIGHT - LEFT) * self.across.share(x)
        return along, TOP + self.height * (1 - self.up.share(y))

    def box(self, x: tuple[float, float], y: tuple[float, float], look: str) -> str:
        """A box between two values of each axis; never thinner than can be seen."""
        (left, top), (right, bottom) = self.at(x[0], y[1]), self.at(x[1], y[0])
        return (
            f'<rect x="{left:.2f}%" y="{top:.1f}" width="{max(right - left, 0.4):.2f}%" '
            f'height="{max(bottom - top, 2):.1f}" {look}/>'
        )

    def boxes(
        self, sides: Iterable[tuple[tuple[float, float], tuple[float, float]]], look: str
    ) -> str:
        """Many boxes as one drawing, each between two values of each axis; none too thin to see."""
        drawn = []
        for x, y in sides:
            left, right = (round(1000 * self.across.share(end)) for end in x)
            floor, top = (round(1000 * (1 - self.up.share(end))) for end in y)
            drawn.append(f"M{left} {top}h{max(right - left, 4)}v{max(floor - top, 6)}H{left}z")
        return self._stretched("".join(drawn), look)

    def dots(self, points: Iterable[tuple[float, float]], colour: str, width: float) -> str:
        """Many dots as one drawing: lines without length, round at any size of the picture."""
        places = [(1000 * self.across.share(x), 1000 * (1 - self.up.share(y))) for x, y in points]
        drawn = "".join(f"M{x:.0f} {y:.0f}h0" for x, y in places)
        return self._stretched(
            drawn, f'fill="none" stroke="{colour}" stroke-width="{width:g}" stroke-linecap="round"'
        )

    def path(self, points: Iterable[tuple[float, float]], look: str) -> str:
        """A line through points; its width stays the same at any size."""
        places = [(1000 * self.across.share(x), 1000 * (1 - self.up.share(y))) for x, y in points]
        drawn = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        return self._stretched(f"M{drawn}", f'fill="none" {look}')

    def _stretched(self, drawn: str, look: str) -> str:
        """A path in thousandths of both axes, whose lines keep their width at any size."""
        return (
            f'<svg x="{LEFT}%" y="{TOP:g}" width="{RIGHT - LEFT}%" height="{self.height:g}" '
            'viewBox="0 0 1000 1000" preserveAspectRatio="none" overflow="visible">'
            f'<path d="{drawn}" vector-effect="non-scaling-stroke" {look}/></svg>'
        )

    def picture(self, title: str, label: str, content: str) -> str:
        """The axes around what is drawn on them."""
        floor = TOP + self.height
        soft = f'fill="{draw.SOFT}"'
        axes = [
            draw.line((LEFT, floor), (RIGHT, floor)),
            draw.line((LEFT, TOP), (LEFT, floor)),
            draw.text(0, 16, f"↑ {self.up.label}"),
            draw.text(LEFT - 1.5, TOP + 10, _html.cell(self.up.high), anchor="end", extra=soft),
            draw.text(LEFT - 1.5, floor, _html.cell(self.up.low), anchor="end", extra=soft),
            draw.text(LEFT, floor + 18, _html.cell(self.across.low), extra=soft),
            draw.text(RIGHT, floor + 18, _html.cell(self.across.high), anchor="end", extra=soft),
            draw.text((LEFT + RIGHT) / 2, floor + 36, f"{self.across.label} →", anchor="middle"),
        ]
        return draw.picture(floor + FLOOR, title, label, "".join(axes) + content)
