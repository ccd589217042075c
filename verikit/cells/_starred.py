"""Which starred codes and names may be one text, by the letters that both of them show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from verikit.cells._meaning import Meaning

__all__ = ["meet_as_text"]


class Pattern(NamedTuple):
    """Texts of one length that are starred in the same places; ``masked`` if they are codes."""

    masked: bool
    shown: tuple[bool, ...]


def meet_as_text(
    rows: Sequence[Meaning], places: Sequence[Meaning]
) -> Iterator[tuple[int, list[int]]]:
    """Each row with a code or a name, and the places that may be it by theirs, where one is a code.

    Texts are compared pattern by pattern, not one by one.

    Examples
    --------
    >>> zips = [Meaning(codes=("476**",)), Meaning(names=("47602",)), Meaning(names=("47901",))]
    >>> list(meet_as_text(zips, zips))
    [(0, [0]), (0, [1]), (1, [0])]
    """
    ours, theirs = _by_pattern(rows), _by_pattern(places)
    for (one, found), (two, others) in product(ours.items(), theirs.items()):
        if (one.masked or two.masked) and len(one.shown) == len(two.shown):
            shown = zip(one.shown, two.shown, strict=True)
            both = [at for at, letters in enumerate(shown) if all(letters)]
            known = _by_letters(others, both)
            held = ((row, known.get(_letters(text, both))) for text, row in found)
            yield from ((row, meeting) for row, meeting in held if meeting)


def _by_pattern(read: Iterable[Meaning]) -> dict[Pattern, list[tuple[str, int]]]:
    found: dict[Pattern, list[tuple[str, int]]] = {}
    for at, part in enumerate(read):
        for masked, texts in ((True, part.codes), (False, part.names)):
            for text in texts:
                pattern = Pattern(masked, tuple(letter != "*" for letter in text))
                found.setdefault(pattern, []).append((text, at))
    return found


def _by_letters(texts: Iterable[tuple[str, int]], places: Sequence[int]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for text, at in texts:
        found.setdefault(_letters(text, places), []).append(at)
    return found


def _letters(text: str, places: Sequence[int]) -> str:
    return "".join([text[at] for at in places])
