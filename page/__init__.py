"""A page to publish beside a table: who is in it checks her record without Python or network."""

from verikit.page._verify import verify
from verikit.page._write import html, write

__all__ = ["html", "verify", "write"]
