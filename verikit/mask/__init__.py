"""Methods that make a release from microdata: each returns ``Masked(release, key)``."""

import importlib
import pkgutil
from collections.abc import Callable

from verikit.mask._columns import masked_columns
from verikit.mask._disguise import Search as Search
from verikit.mask._disguise import disguise, personalize
from verikit.mask._disguise import equal_people as equal_people
from verikit.mask._disguise import example_target as example_target
from verikit.mask._disguise import one_sensitive as one_sensitive
from verikit.mask._generalize import generalize
from verikit.mask._groups_only import (
    anatomize,
    group_nodes,
    permute_all,
    permute_links,
    permute_sensitive,
)
from verikit.mask._groups_only import mix_values as mix_values
from verikit.mask._mallows import mallows
from verikit.mask._masking import METHODS, Drawing, Knob, Method, masking, publish
from verikit.mask._masking import Draws as Draws
from verikit.mask._masking import draw_grouping_seed as draw_grouping_seed
from verikit.mask._microaggregate import microaggregate
from verikit.mask._noise import noise
from verikit.mask._own_values import randomize, rank_swap, shuffle
from verikit.mask._swap import from_key, swap
from verikit.mask._synthesize import synthesize
from verikit.release import Masked
from verikit.targets import Tolerance

__all__ = [
    "METHODS", "Drawing", "Knob", "Method", "Tolerance", "anatomize", "disguise", "from_key",
    "generalize", "group_nodes", "mallows", "masked_columns", "masking", "microaggregate", "noise",
    "permute_all", "permute_links", "permute_sensitive", "personalize", "publish", "randomize",
    "rank_swap", "shuffle", "swap", "synthesize",
]  # fmt: skip

# A new file of this folder is found without a line here; the imports above are for type checkers.
for _file in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_file.name}")
__all__.extend(sorted(METHODS._known.keys() - set(__all__)))


def __getattr__(name: str) -> Callable[..., Masked]:
    """Find a mask of another file or package by the name it is registered under."""
    if not name.startswith("_") and name in METHODS:
        return METHODS[name].function
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
