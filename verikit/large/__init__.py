"""Releases too large to be loaded: read in batches, searched in windows of values."""

from verikit.large._open import located
from verikit.large._search import Near, search
from verikit.large._stream import Stream

__all__ = ["Near", "Stream", "located", "search"]
