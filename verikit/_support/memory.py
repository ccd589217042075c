"""Memory that nothing holds any more, given back."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

TRIM: Any = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None


def release_unused() -> None:
    """Give back what the libraries keep for later, so that a large table finds room for its own."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    if TRIM is not None:
        TRIM(0)


@contextmanager
def arrow_from_system() -> Iterator[None]:
    """Have Arrow ask the system for memory, so that what it no longer needs is given back."""
    import pyarrow as pa

    before = pa.default_memory_pool()
    pa.set_memory_pool(pa.system_memory_pool())
    try:
        yield
    finally:
        pa.set_memory_pool(before)
