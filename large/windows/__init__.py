"""Releases too large to be loaded: read in batches, searched in windows of values."""

from verikit.large._index import Bounds, Index, open_index
from verikit.large._make_index import index
from verikit.large._open import located
from verikit.large._search import search
from verikit.large._stream import Stream

from verikit.large import indexed as indexed  # isort: skip - each registers its check
from verikit.large import streamed as streamed  # isort: skip
from verikit.large._memory import allowed as allowed
from verikit.large._memory import check_room as check_room
from verikit.large._memory import holds_too_much as holds_too_much
from verikit.large._source import ParquetFiles as ParquetFiles
from verikit.large._stream import scores_of as scores_of
from verikit.ranks import Near

__all__ = ["Bounds", "Index", "Near", "Stream", "index", "located", "open_index", "search"]
