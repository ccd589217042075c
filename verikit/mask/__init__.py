"""Methods that make a release from microdata: each returns ``Masked(release, key)``."""

from collections.abc import Callable

from verikit.mask._columns import masked_columns
from verikit.mask._disguise import disguise
from verikit.mask._disguise import equal_people as equal_people
from verikit.mask._disguise import example_target as example_target
from verikit.mask._disguise import one_sensitive as one_sensitive
from verikit.mask._generalize import generalize
from verikit.mask._group_nodes import group_nodes
from verikit.mask._masking import METHODS, Knob, Method, masking, publish
from verikit.mask._masking import Draws as Draws
from verikit.mask._microaggregate import microaggregate
from verikit.mask._noise import noise
from verikit.mask._personalize import Search as Search
from verikit.mask._personalize import personalize
from verikit.mask._randomize import randomize
from verikit.mask._rank_swap import rank_swap
from verikit.mask._shuffle import shuffle
from verikit.mask._two_tables import anatomize, permute_all, permute_sensitive
from verikit.release import Masked
from verikit.targets import Tolerance

__all__ = [
    "METHODS", "Knob", "Method", "Tolerance", "anatomize", "disguise", "generalize", "group_nodes",
    "masked_columns", "masking", "microaggregate", "noise", "permute_all", "permute_sensitive",
    "personalize", "publish", "randomize", "rank_swap", "shuffle",
]  # fmt: skip


def __getattr__(name: str) -> Callable[..., Masked]:
    """A mask of another package, by the name it is registered under."""
    if not name.startswith("_") and name in METHODS:
        return METHODS[name].function
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
