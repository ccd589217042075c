"""What the records that fit a person show of one sensitive column, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from verikit.languages import spoken_language
from verikit.subject._report import Sentence
from verikit.subject._say import say
from verikit.subject.generalized._find import Shown

__all__ = ["told_by"]


def told_by(shown: Shown, who: str) -> Iterator[Sentence]:
    """G3 to G8: how frequent its values are, who may do better, how alike, what hers would add."""
    yield _homogeneity(shown, who)
    yield from _skewness(shown)
    if shown.kind is not None:
        yield say("generalized.of-one-kind", title=shown.column.title, group=shown.kind)
    if len(shown.here) > 1:
        yield _knowledge(shown)
    if shown.own is not None:
        yield from _own(shown, shown.own)


def _homogeneity(shown: Shown, who: str) -> Sentence:
    told = {"title": shown.column.title, "top": shown.top}
    if shown.fitting == 1:
        return say("generalized.shows", **told)
    if shown.share == 1:
        return say("generalized.show-the-same", **told, count=shown.fitting)
    name = "most-frequent" if shown.alike == 1 else "one-of-the-most-frequent"
    return say(f"generalized.{name}", **told, share=shown.share, alike=shown.alike, better=who)


def _skewness(shown: Shown) -> Iterator[Sentence]:
    value = shown.gained
    here, everywhere = shown.share_here(value), shown.share_everywhere(value)
    written = {spoken_language().format_share(part) for part in (here, everywhere)}
    if 1 > here > everywhere and len(written) > 1:
        yield say("generalized.gains", value=value, here=here, everywhere=everywhere)


def _knowledge(shown: Shown) -> Sentence:
    title, values = shown.column.title, len(shown.here)
    if values == 2:
        return say("generalized.two-values", title=title)
    return say("generalized.several-values", title=title, values=values, others=values - 1)


def _own(shown: Shown, own: str) -> Iterator[Sentence]:
    told = {"title": shown.column.title, "own": own}
    if own not in shown.here.index:
        yield say("generalized.own-absent", **told)
    elif shown.everywhere[own] == 1:
        yield say("generalized.own-once", **told)
    elif shown.here[own] == 1 and shown.fitting > 1:
        yield say("generalized.own-among", **told)
