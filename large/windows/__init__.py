"""Releases too large to be loaded: read in batches, searched in windows of values."""

from verikit.large._index import Bounds, Index, open_index
from verikit.large._open import index, located
from verikit.large._stream import Stream, search

from verikit.large import _checks as _checks  # isort: skip - it registers the checks
from verikit.large._index import TOLD as TOLD
from verikit.large._source import ParquetFiles as ParquetFiles
from verikit.large._source import allowed_bytes as allowed_bytes
from verikit.large._source import check_room as check_room
from verikit.large._source import holds_too_much as holds_too_much
from verikit.large._stream import score_batch as score_batch
from verikit.ranks import Near

__all__ = ["Bounds", "Index", "Near", "Stream", "index", "located", "open_index", "search"]
