"""Releases too large to be loaded: read in batches, searched in windows of values."""

from verikit.large._index import Bounds, Index, open_index
from verikit.large._make_index import index
from verikit.large._open import located
from verikit.large._search import Near, search
from verikit.large._stream import Stream

from verikit.large import indexed as indexed  # isort: skip - each registers its check
from verikit.large import streamed as streamed  # isort: skip

__all__ = ["Bounds", "Index", "Near", "Stream", "index", "located", "open_index", "search"]
