"""What is seen in the bytes of a text at once is what is seen letter by letter."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from verikit.table.reading import _scan

LINES = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
letters = st.sampled_from(
    [*'0017,,;"\r\n\n \t.eE-a', "\r\n", "\u00a00", '"a,b"', "1234567890.12345"]
)
texts = st.lists(letters, max_size=60).map("".join)


def outside_quotes(text):
    within, found = False, 0
    for one in text:
        within ^= one == '"'
        found += one == "," and not within
    return found


@pytest.mark.parametrize("chunk", [3, 16, 2**18])
@given(text=texts)
@example(text='"a\n,b",c\n1,2\n')
@example(text="a\r")
@example(text="\n\n")
def test_pieces_show_what_the_whole_shows(chunk, text):
    content = text.encode()
    kept, _scan.CHUNK = _scan.CHUNK, chunk
    try:
        found = _scan.scan_bytes(content, ",", 2, 0)
    finally:
        _scan.CHUNK = kept
    lines = LINES.findall(content)
    full = [one for one in lines if one.strip(b"\r\n")]
    last = max((at for at, one in enumerate(lines, 1) if one in full), default=0)
    assert (found.lines, found.behind) == (last, len(lines) - last)
    assert found.uneven == bool(re.search(rb"\r(?!\n)", content))
    assert found.quoted == ('"' in text)
    assert found.spaces == (" " in text or "\t" in text)
    assert found.padded == ("\u00a00" in text or "\t0" in text)
    assert found.powers == ("e" in text.lower())
    assert found.separators == outside_quotes(text)
    assert found.long or not re.search(r"[.\d]{15}", text)
