"""What two tables joined by groups tell of one person, in the order of the screen."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from verikit.languages import sentence_text
from verikit.matching import classes_of, held_by
from verikit.subject._answer import say, say_better_guesser, say_figure, say_headline
from verikit.subject._guess import Guess
from verikit.subject._report import Figure, Headline, Sentence
from verikit.subject._requirement import Requirement
from verikit.subject.split._find import GroupFits


def headlines(fits: GroupFits) -> Iterator[Headline]:
    """What may stand first, the worst first."""
    count = len(fits.fit.groups)
    if not count:
        yield say_headline(f"split.{'none-fits' if fits.certain else 'untold-none'}")
    if not fits.certain:
        yield say_headline("split.untold", count=count)
    for guess in fits.guesses:
        told = {"title": guess.column.title, "value": guess.column.shown(guess.values[guess.top])}
        if guess.possible == 1:
            yield say_headline("split.learns", **told)
        if guess.surest >= fits.sure > guess.everywhere[guess.top]:
            yield say_headline("split.guesses", **told, surest=guess.surest)
    yield from _table_warning(fits)
    surest = max(fits.guesses, key=lambda guess: guess.surest)
    told = {"title": surest.column.title, "better": say_better_guesser(fits.release)}
    yield say_headline("split.no-warning", **told, surest=surest.surest)


def _table_warning(fits: GroupFits) -> Iterator[Headline]:
    """How many people are in groups that give a sensitive value away, where anybody is."""
    release = fits.release
    found = []
    for column in release.schema.sensitive:
        held = held_by(release, classes_of(release), column.name, "own value")
        alone = np.bincount(held.owner, minlength=len(release.sizes)) == 1
        found.append((int(release.sizes[alone].sum()), column.title))
    people, title = max(found, key=lambda pair: pair[0])
    if people:
        told = {"people": people, "records": len(release), "title": title}
        yield say_headline("split.table-gives-away", **told)


def figures(fits: GroupFits) -> Iterator[Figure]:
    """How many people are in her groups, how sure a guess is, and whether she is seen."""
    count = len(fits.fit.groups)
    if not count:
        yield say_figure("split.figure-none")
        return
    yield say_figure(f"split.figure-group{'s' * (count > 1)}", people=fits.people)
    if not fits.certain:
        return
    guess = fits.guesses[0]
    yield say_figure("split.figure-guess", surest=guess.surest, title=guess.column.title)
    yield say_figure("split.figure-presence", presence=fits.presence)


def sentences(fits: GroupFits, headline: Headline) -> Iterator[Sentence]:
    """Everything that may be said."""
    if len(fits.fit.groups):
        yield _say_groups(fits)
        if fits.certain:
            yield _say_presence(fits)
        for guess in fits.guesses:
            yield from _guessed(fits, guess)
        yield say("common.unattacked")
    if headline.state != "warning-you":
        yield say("common.no-conclusion")


def _say_groups(fits: GroupFits) -> Sentence:
    count = len(fits.fit.groups)
    groups = len(fits.release.sizes)
    name = which_groups(count, groups) if fits.certain else "split.untold-groups"
    return say(name, count=count, groups=groups, people=fits.people)


def which_groups(count: int, groups: int) -> str:
    """The sentence on how many groups fit her, of how many there are."""
    several = "split.one-group" if count == 1 else "split.several-groups"
    return "split.whole-table" if groups == 1 else several


def _guessed(fits: GroupFits, guess: Guess) -> Iterator[Sentence]:
    if fits.certain:
        yield from say_guess(guess, say_better_guesser(fits.release))
        return
    told = {"title": guess.column.title, "value": guess.column.shown(guess.values[guess.top])}
    yield say(
        "split.untold-likeliest",
        **told,
        surest=guess.surest,
        better=say_better_guesser(fits.release),
    )


def _say_presence(fits: GroupFits) -> Sentence:
    if not fits.release.permuted:
        return say("split.published-rows")
    if fits.presence >= 1:
        return say("split.certain-row")
    return say("split.possible-row", presence=fits.presence)


def say_guess(guess: Guess, who: str) -> Iterator[Sentence]:
    """P3 to P6: the likeliest value, and who may do better; her own; how many are possible."""
    yield say_likeliest(guess, who)
    if guess.own is not None:
        yield say_own_guess(guess, guess.own)
    yield from say_possible(guess)


def say_possible(guess: Guess) -> Iterator[Sentence]:
    """P6: how many values are possible, and what somebody needs to rule out."""
    if guess.possible == 2:
        yield say("split.two-values", title=guess.column.title)
    elif guess.possible > 2:
        told = {"values": guess.possible, "others": guess.possible - 1}
        yield say("split.several-values", title=guess.column.title, **told)


def say_likeliest(guess: Guess, who: str, shown: str = "") -> Sentence:
    """P3: the likeliest value, as it is ``shown``, and ``who`` may do better."""
    told = {
        "title": guess.column.title,
        "value": shown or guess.column.shown(guess.values[guess.top]),
    }
    if guess.possible == 1:
        return say("split.one-value", **told)
    alike = int((guess.here == guess.here.max()).sum())
    name = "split.likeliest" if alike == 1 else "split.one-of-the-likeliest"
    return say(name, **told, alike=alike, surest=guess.surest, better=who)


def say_own_guess(guess: Guess, own: str, shown: str = "") -> Sentence:
    """P4 and P5: how likely her own value is guessed, as it is ``shown``."""
    told = {"title": guess.column.title, "own": shown or guess.column.shown(own)}
    if not guess.own_chance:
        return say("split.own-absent", **told)
    everywhere = float(guess.everywhere[guess.values.index(own)])
    return say("split.own", **told, here=guess.own_chance, everywhere=everywhere)


def notes(fits: GroupFits) -> Iterator[str]:
    """What the person should know about the printed formula."""
    if fits.release.permuted and len(fits.fit.groups):
        yield sentence_text("split.formula")


def unmet(fits: GroupFits, required: Requirement) -> list[str] | None:
    """The sensitive values that are guessed too surely; None where nothing is certain."""
    ell = required.ell
    if not len(fits.fit.groups) or not fits.certain or ell is None:
        return None
    return [
        sentence_text("split.too-sure", title=guess.column.title, surest=guess.surest, required=ell)
        for guess in fits.guesses
        if guess.surest * ell > 1 + 1e-12
    ]
