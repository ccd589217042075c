"""The way of one value through noise and reverse mapping, and what became of it, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from verikit._support.html import cell
from verikit.ranks import Block, blocks
from verikit.words import count

if TYPE_CHECKING:
    from verikit.table import Microdata
    from verikit.utility._residual_noise import Noise

__all__ = ["Way", "way"]


class Way(NamedTuple):
    """One value of one record on its way, and the places it may take before and after."""

    attribute: str
    records: int
    original: float
    masked: float
    mapped: float
    before: Block
    after: Block

    @property
    def values(self) -> tuple[float, float, float]:
        """The value as it was, with noise, and after reverse mapping."""
        return self.original, self.masked, self.mapped

    @property
    def moved(self) -> int:
        """The fewest places between the two, upwards positive."""
        up, down = self.after.first - self.before.last, self.before.first - self.after.last
        return up if up > 0 else -max(down, 0)

    @property
    def means(self) -> str:
        """What became of the value, in one sentence."""
        towards = "up" if self.moved > 0 else "down"
        moved = f"{count(abs(self.moved), 'place')} {towards}" if self.moved else "by no place"
        return f"{cell(self.original)} becomes {cell(self.mapped)}: the noise moved it {moved}."

    @property
    def why(self) -> str:
        """Which places it had, and which part of its noise changed none."""
        return (
            f"Its {self.attribute}, {cell(self.original)}, has {_places(self.before)} of "
            f"{self.records:,}. With noise it is {cell(self.masked)} and has "
            f"{_places(self.after)}; the original value of that place is {cell(self.mapped)}. Of "
            f"the noise, {_signed(self.masked - self.original)}, this leaves "
            f"{_signed(self.masked - self.mapped)}, which changes no place."
        )


def way(data: Microdata, masked: Microdata, noise: Noise, name: str, row: int) -> Way:
    """Follow one value of one record from the original through the noise to its place."""
    original, changed = data.scores(name), masked.scores(name)
    return Way(
        name,
        len(data),
        float(original[row]),
        float(changed[row]),
        float(noise.mapped[name].iloc[row]),
        Block(*(int(ranks[row]) for ranks in blocks(original))),
        Block(*(int(ranks[row]) for ranks in blocks(changed))),
    )


def _places(block: Block) -> str:
    if block.first == block.last:
        return f"place {block.first:,}"
    return f"a place from {block.first:,} to {block.last:,}"


def _signed(value: float) -> str:
    return f"{'+' if value >= 0 else '−'}{cell(abs(value))}"
