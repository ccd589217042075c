"""The format of a file by its first bytes, whatever its name says."""

from __future__ import annotations

import re

__all__ = ["HEAD", "WORDS", "format_of"]

HEAD = 4096
WORDS = {
    "parquet": "a Parquet file",
    "feather": "a Feather file",
    "stata": "a Stata file",
    "sas": "a SAS file",
    "xport": "a SAS transport file",
    "spss": "an SPSS file",
    "spss portable": "a portable SPSS file",
    "r": "an R file",
    "excel": "an Excel file",
    "old excel": "an Excel file of the years before 2007",
    "opendocument": "an OpenDocument file, as LibreOffice writes it",
    "json": "a JSON file",
    "pdf": "a PDF file",
    "picture": "a picture",
    "page": "a web page",
    "xml": "an XML file",
    "rtf": "a formatted text",
    "sqlite": "a database of SQLite",
    "text": "a text file",
}
MAGIC = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "feather"),
    (b"FEA1", "feather"),
    (b"<stata_dta>", "stata"),
    (b"$FL2", "spss"),
    (b"$FL3", "spss"),
    (b"SQLite format 3\0", "sqlite"),
    (b"{\\rtf", "rtf"),
    (b"HEADER RECORD*******LIB", "xport"),
    (b"\0" * 12 + b"\xc2\xea\x81\x60", "sas"),
    (b"RDX", "r"),
    (b"RDA", "r"),
    (b"X\n\0\0", "r"),
    (b"A\n2\n", "r"),
    (b"A\n3\n", "r"),
    (b"\xd0\xcf\x11\xe0", "old excel"),
    (b"PK\x05\x06", "zip"),
    (b"%PDF", "pdf"),
    (b"\x89PNG", "picture"),
    (b"\xff\xd8\xff", "picture"),
    (b"GIF8", "picture"),
)
PORTABLE, LINES = b"SPSS PORT FILE", 300
OLD_STATA = re.compile(rb"[\x6e-\x73][\x01\x02]\x01\0")
PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype|html)", re.IGNORECASE)
XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml", re.IGNORECASE)
JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\[\s*[\[{]|\{\s*"|\[\s*\]|\{\s*\})')
PATTERNS = ((OLD_STATA, "stata"), (PAGE, "page"), (XML, "xml"), (JSON, "json"))
OFFICE = (b"[Content_Types].xml", b"_rels/", b"docProps/", b"xl/")


def format_of(head: bytes) -> str:
    r"""What the first bytes of a file show it to be; ``"text"`` where they show nothing else.

    Examples
    --------
    >>> format_of(b"PAR1\x15"), format_of(b'[{"age": 31}]'), format_of(b"age;income")
    ('parquet', 'json', 'text')
    """
    for start, name in MAGIC:
        if head.startswith(start):
            return name
    if head.startswith(b"PK\x03\x04"):
        return _zipped(head)
    if PORTABLE in head[:LINES]:
        return "spss portable"
    if XML.match(head) and b"<html" in head.lower():
        return "page"
    return next((name for pattern, name in PATTERNS if pattern.match(head)), "text")


def _zipped(head: bytes) -> str:
    """What a zip file holds, by the name of its first part."""
    if b"mimetypeapplication/vnd.oasis.opendocument" in head:
        return "opendocument"
    length = int.from_bytes(head[26:28], "little")
    return "excel" if head[30 : 30 + length].startswith(OFFICE) else "zip"
