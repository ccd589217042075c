"""What two tables joined by groups tell of one person, in plain sentences with their conditions."""

from __future__ import annotations

from collections.abc import Iterator

from verikit.subject._fit_words import of_100
from verikit.subject._report import Sentence
from verikit.subject._split_fits import GroupFits, Guess
from verikit.subject._words import joined

__all__ = ["notes", "sentences"]


def sentences(fits: GroupFits, warned: bool) -> tuple[Sentence, ...]:
    """Everything that may be said, in the order of the screen."""
    said = [*_groups(fits), *_presence(fits)]
    for guess in fits.guesses if len(fits.fit.groups) else ():
        said += [*_likeliest(guess), *_own(guess), *_ruled_out(guess)]
    if not warned:
        text = "From this we cannot conclude that you are protected."
        said.append(Sentence("S7", text, "nothing warns"))
    over = joined(column.title for column in fits.columns)
    text = f"This concerns someone who knows your {over} only; other knowledge is not tested."
    said.append(Sentence("S12", text, "always"))
    return tuple(said)


def _groups(fits: GroupFits) -> Iterator[Sentence]:
    count, total = len(fits.fit.groups), len(fits.release.sizes)
    if not count:
        return
    people = f"{fits.people:,} {'person' if fits.people == 1 else 'people'}"
    if count == 1:
        text = (
            f"Your values fit one of the {total:,} groups of this table, a group of {people}; if "
            "you are in this table, you are in that group."
        )
    else:
        text = (
            f"Your values fit {count:,} of the {total:,} groups of this table, with {people} "
            "together; if you are in this table, you are in one of them."
        )
    yield Sentence("P1", text, "some group fits your values")


def _presence(fits: GroupFits) -> Iterator[Sentence]:
    if not len(fits.fit.groups):
        return
    if not fits.release.permuted:
        text = (
            "Someone who knows your values sees that a person with them is in this table: they "
            "were published as they are."
        )
        yield Sentence("P2", text, "the first table holds whole rows")
    elif fits.presence >= 1:
        text = (
            "Someone who knows your values can be sure that a person with them is in this table: "
            "however the shuffling is undone, such a row comes out."
        )
        yield Sentence("P2", text, "the columns were shuffled, and every way back has such a row")
    else:
        text = (
            "The columns were shuffled inside each group. Someone who knows your values cannot be "
            "sure that a person with them is in this table: undoing the shuffling gives such a "
            f"row in {of_100(fits.presence)} ways."
        )
        yield Sentence("P2", text, "the columns were shuffled, and some ways back have no such row")


def _likeliest(guess: Guess) -> Iterator[Sentence]:
    title, value = guess.column.title, guess.values[guess.top]
    if guess.possible == 1:
        text = (
            f"Every record you may be shows the same {title}: {value}. Someone who knows your "
            "values learns it."
        )
    else:
        alike = int((guess.here == guess.here.max()).sum())
        which = (
            f"{value}, the likeliest" if alike == 1 else f"{value}, one of the {alike} likeliest"
        )
        text = (
            f"If you are in this table, someone who knows your values and guesses that your "
            f"{title} is {which}, is right in {of_100(guess.surest)} cases."
        )
    yield Sentence("P3", text, f"{title} is published by group")


def _own(guess: Guess) -> Iterator[Sentence]:
    if guess.own is None or guess.own_chance is None:
        return
    title = guess.column.title
    if guess.own_chance == 0:
        text = (
            f"No group that fits you shows your {title}, {guess.own}: either you are not in this "
            "table, or it was changed."
        )
        yield Sentence("P5", text, "you gave it, and no group that fits shows it")
        return
    before = guess.everywhere[guess.values.index(guess.own)]
    text = (
        f"Your own {title}, {guess.own}, would be guessed in {of_100(guess.own_chance)} cases; "
        f"without knowing your values, in {of_100(float(before))}."
    )
    yield Sentence("P4", text, "you gave it")


def _ruled_out(guess: Guess) -> Iterator[Sentence]:
    if guess.possible > 1:
        rest = "the other one" if guess.possible == 2 else f"{guess.possible - 1:,} of them"
        text = (
            f"{guess.possible:,} different values of {guess.column.title} are possible for you: "
            f"someone who can rule out {rest} knows yours."
        )
        yield Sentence("P6", text, "several values are possible")


def notes(fits: GroupFits) -> tuple[str, ...]:
    """What the person should know about the values she gave, and about the printed formula."""
    said = []
    if fits.left_out:
        names = joined(column.title for column in fits.left_out)
        said.append(f"You left out {names}; the check used the other values.")
    if fits.release.permuted and len(fits.fit.groups):
        said.append(
            "A formula in print gives smaller chances for the sensitive values. They do not add "
            "up to all cases, so they are shown in the table below only for comparison."
        )
    return tuple(said)
