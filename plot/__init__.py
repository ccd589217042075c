"""Pictures for notebooks: figures that carry their own words, for those who cannot see them.

matplotlib is imported inside the functions, and pyplot not at all. Colours are those of Okabe and
Ito; every difference in colour is one of shape or hatching too.
"""

from verikit._support.extras import needed

needed("verikit.plot", "jupyter", "matplotlib")

# ruff: noqa: E402 - what is missing is said before it is imported
from verikit.plot._frequencies import frequencies
from verikit.plot._lines import distances, lines, luck, trade_off
from verikit.plot._orders import groupings, hierarchy
from verikit.plot._permutation import moves, pairs, permutation, places, views
from verikit.plot._picture import Picture, html
from verikit.plot._results import PICTURES as PICTURES  # loaded, results find their pictures
from verikit.plot._shares import noise_sizes, ranges, shares

__all__ = [
    "Picture", "distances", "frequencies", "groupings", "hierarchy", "html", "lines", "luck",
    "moves", "noise_sizes", "pairs", "permutation", "places", "ranges", "shares", "trade_off",
    "views",
]  # fmt: skip
