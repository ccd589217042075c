"""What a randomized table tells of one person, in the order of the screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from verikit.languages import sentence_text
from verikit.subject._answer import say, say_figure, say_headline
from verikit.subject._guess import MAX_LINES, Guess
from verikit.subject._report import Figure, Headline, Sentence
from verikit.subject._requirement import Requirement
from verikit.subject.masked._chance import more_than_luck
from verikit.subject.masked._words import reported_links
from verikit.subject.randomized._find import Redrawn

CLOSE = 1e-12


def headlines(found: Redrawn) -> Iterator[Headline]:
    """What may stand first, the worst first."""
    if not found.possible:
        yield say_headline("randomized.none-fits")
    if found.surest >= found.sure:
        yield say_headline("randomized.picked-out", surest=found.surest)
    for guess in found.guesses:
        told = _guess_values(guess)
        if guess.possible == 1:
            yield say_headline("randomized.learns", **told)
        elif guess.surest >= found.sure > told["everywhere"]:
            yield say_headline("randomized.guesses", **told)
    links = found.release.reported_links
    if links is not None and more_than_luck(links):
        name, told = reported_links(found.release)
        yield say_headline(name, **told)
    yield say_headline("randomized.no-warning", surest=found.surest)


def figures(found: Redrawn) -> Iterator[Figure]:
    """How many rows show her values, how many others may be hers, how sure the best guess is."""
    if not found.possible:
        yield say_figure("common.figure-published", records=len(found.release))
        return
    yield say_figure("randomized.figure-equal", equal=found.equal)
    yield say_figure("randomized.figure-near", near=found.possible - found.equal)
    yield say_figure("randomized.figure-surest", surest=found.surest)


def sentences(found: Redrawn, headline: Headline) -> Iterator[Sentence]:
    """Everything that may be said."""
    if found.release.reported_links is not None:
        name, told = reported_links(found.release)
        yield say("masked.reported", links=sentence_text(name, **told))
    if found.possible:
        yield from _say_rows(found)
        yield from _say_made(found)
        yield from _say_row_guess(found)
        for guess in found.guesses:
            yield from _say_guess(guess)
        yield say("randomized.others-known")
    if headline.state != "warning-you":
        yield say("common.no-conclusion")


def _say_rows(found: Redrawn) -> Iterator[Sentence]:
    """V1 and V2: which rows may be hers, and why none of them need be."""
    records, changed = len(found.release), found.told.changed
    if found.possible == 1:
        yield say("randomized.one-row", records=records)
        return
    near = found.possible - found.equal
    told = {"records": records, "equal": found.equal, "near": near, "possible": found.possible}
    name = "randomized.rows" if changed == 1 else "randomized.rows-several"
    yield say(name, **told, changed=changed)
    yield say("randomized.drawn", changed=changed, same=found.same)


def _say_made(found: Redrawn) -> Iterator[Sentence]:
    """V3 and V4: from whose values a row that shows hers was made, without and with knowledge."""
    if not found.equal:
        yield say("randomized.changed")
        return
    yield say("randomized.without", same=found.same)
    yield say("randomized.with", known=found.as_it_was)


def _say_row_guess(found: Redrawn) -> Iterator[Sentence]:
    """V5: how often somebody who knows that she is in the table takes the right row."""
    if found.possible > 1:
        name = "randomized.row" if found.alike == 1 else "randomized.one-of-the-rows"
        yield say(name, surest=found.surest, alike=found.alike)


def _say_guess(guess: Guess) -> Iterator[Sentence]:
    """V6 to V8: the best guess of a sensitive value, and her own."""
    told = _guess_values(guess)
    yield say("randomized.one-value" if guess.possible == 1 else "randomized.best", **told)
    if guess.own is None:
        return
    if not guess.own_chance:
        yield say("randomized.own-absent", title=told["title"], own=guess.own)
        return
    everywhere = float(guess.everywhere[guess.values.index(guess.own)])
    chances = {"here": guess.own_chance, "everywhere": everywhere}
    yield say("randomized.own", title=told["title"], own=guess.own, **chances)


def _guess_values(guess: Guess) -> dict[str, Any]:
    return {
        "title": guess.column.title,
        "value": guess.values[guess.top],
        "surest": min(guess.surest, 1.0),
        "everywhere": float(guess.everywhere[guess.top]),
    }


def notes(found: Redrawn) -> Iterator[str]:
    """What the person should know about the published chances, and about gaps in the table."""
    if found.possible:
        yield sentence_text("randomized.chances")
    if found.gaps:
        yield sentence_text("randomized.gaps", gaps=found.gaps)
    if max(found.kinds, *(guess.possible for guess in found.guesses), 0) > MAX_LINES:
        yield sentence_text("common.cut", most=MAX_LINES)


def unmet(found: Redrawn, required: Requirement) -> list[str] | None:
    """The rows that are too few, and what is guessed too surely; None where no row may be hers."""
    if not found.possible:
        return None
    parts = []
    if required.k is not None and found.possible < required.k:
        parts.append(sentence_text("randomized.too-few", count=found.possible, required=required.k))
    if required.ell is None:
        return parts
    if found.surest * required.ell > 1 + CLOSE:
        told = {"surest": found.surest, "required": required.ell}
        parts.append(sentence_text("randomized.row-too-sure", **told))
    return parts + [
        sentence_text(
            "split.too-sure", title=g.column.title, surest=g.surest, required=required.ell
        )
        for g in found.guesses
        if g.surest * required.ell > 1 + CLOSE
    ]
