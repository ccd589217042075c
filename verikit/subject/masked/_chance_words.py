"""The sentences about chance: how often others match as closely, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from verikit.languages import find_denominator, localize_number, sentence_text
from verikit.subject._answer import say, say_headline
from verikit.subject._report import Headline, Sentence
from verikit.subject.masked._chance import Chance
from verikit.subject.masked._find import Copies

USUAL = 0.05


class Both(NamedTuple):
    """A sentence that may also stand first."""

    sentence: Sentence
    headline: Headline


def copies_sentence(found: Copies) -> Sentence:
    """S13: the published records that show exactly her values."""
    if found.hers == 1:
        name = "masked.copy" if found.share else "masked.copy-alone"
        return say(name, share=found.share)
    return say("masked.copies", hers=found.hers, share=found.share)


def chance_sentences(found: Chance | None, n: int) -> Iterator[Sentence]:
    """S4 to S7: how often others match as closely, and what follows; S7 wherever nothing warns."""
    if found is not None:
        yield from _say_shares(found)
        if found.warns:
            yield warn_of_closeness(found).sentence
        if found.blind:
            yield warn_of_blindness(found, n).sentence
    if found is None or not found.warns:
        yield say("masked.no-conclusion")


def _say_shares(found: Chance) -> Iterator[Sentence]:
    if found.independent or found.disagree:
        error = _error_text(found.made_up, found.error)
        name = f"masked.made-up{'-estimated' if found.error else ''}"
        yield say(name, made_up=found.made_up, error=error)
    error = _error_text(found.others, found.others_error)
    name = f"masked.others{'-estimated' if found.others_error else ''}"
    yield say(name, others=found.others, error=error, asked=found.asked)


def _error_text(share: float, error: float) -> str:
    """The error of a share, of as many cases as the share is said of.

    Examples
    --------
    >>> _error_text(0.25, 0.011), _error_text(0.0051, 0.0016), _error_text(0.25, 0.00001)
    ('1.1', '1.6', '0.1')
    """
    return localize_number(f"{max(find_denominator(share) * error, 0.1):.1f}")


def warn_of_closeness(found: Chance) -> Both:
    """S6: the warning, with its share of false alarms."""
    told = {"alpha": found.alpha, "limit": _limit_text(found)}
    return Both(say("masked.closer", **told), say_headline("masked.closer", **told))


def warn_of_blindness(found: Chance, n: int) -> Both:
    """S6': why no match, however close, could have warned her."""
    few = 1 / (found.asked + 1) > found.limit
    name = "masked.blind-few" if few else "masked.blind-alike"
    told = {"records": n, "least": found.least, "limit": _limit_text(found)}
    return Both(say(name, **told), say_headline(name, **told))


def _limit_text(found: Chance) -> str:
    name = "masked.limit" if found.looks == 1 else "masked.limit-divided"
    return sentence_text(name, alpha=found.alpha, looks=found.looks)


def paper_sentence(found: Chance) -> Sentence:
    """The paper's own reading for pure permutations, and why it does not hold."""
    name = "plausible" if found.made_up > USUAL else "not-plausible"
    return say(f"masked.paper-{name}", usual=USUAL)
