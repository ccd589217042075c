"""What a generalized table tells of one person, in plain sentences with their conditions."""

from __future__ import annotations

from collections.abc import Iterator

from verikit.subject._fits import Fits, Shown
from verikit.subject._report import Sentence
from verikit.subject._words import joined

__all__ = ["notes", "of_100", "records", "sentences", "unread_words"]


def records(count: int) -> str:
    """A count of records in words."""
    return f"{count:,} record{'' if count == 1 else 's'}"


def of_100(share: float) -> str:
    """A share as a count out of 100 cases, never rounded up to all or down to none."""
    if 0.99 < share < 1:
        return "more than 99 of 100"
    if 0 < share < 0.01:
        return "fewer than 1 of 100"
    return f"{share * 100:.0f} of 100"


def sentences(fits: Fits, warned: bool) -> tuple[Sentence, ...]:
    """Everything that may be said, in the order of the screen."""
    said = [*_taken(fits), *_fitting(fits)]
    for shown in fits.shown:
        said += [*_homogeneity(shown), *_skewness(shown), *_similarity(shown), *_knowledge(shown)]
    said += _suppression(fits)
    if not warned:
        text = "From this we cannot conclude that you are protected."
        said.append(Sentence("S7", text, "nothing warns"))
    over = joined(column.title for column in fits.columns)
    text = f"This concerns someone who knows your {over} only; other knowledge is not tested."
    said.append(Sentence("S12", text, "always"))
    return tuple(said)


def _taken(fits: Fits) -> Iterator[Sentence]:
    """That cells, and not the publisher, make this a generalized table; and what is not read."""
    if fits.taken:
        shown = joined(f"{name} (such as {cell!r})" for name, cell in fits.taken.items())
        text = (
            "Nobody said how this table was made; it is taken as generalized, because of the cells "
            f"of {shown}."
        )
        yield Sentence("G0", text, "nothing is told, and cells stand for several values")
    if fits.unread:
        yield Sentence("G10", unread_words(fits), "a label cannot be read")


def unread_words(fits: Fits) -> str:
    """Which columns hold labels that cannot be read, and what they count as."""
    columns = joined(
        f"{name} holds labels such as {label!r}" for name, label in fits.unread.items()
    )
    return (
        f"Column {columns} that cannot be read; such a record may be anybody's, and counts as one "
        "that may fit."
    )


def _fitting(fits: Fits) -> Iterator[Sentence]:
    count, total = len(fits.rows), len(fits.release)
    if not count:
        return
    if fits.unread:
        text = (
            f"At most {count:,} of the {total:,} published records "
            f"{'fits' if count == 1 else 'fit'} your values."
        )
        yield Sentence("G1", text, "a label cannot be read")
        return
    one = "fits" if count == 1 else "fit"
    unless = (
        " and not suppressed"
        if fits.hidden.any() and not (fits.by_class or fits.suppressed)
        else ""
    )
    yield Sentence(
        "G1",
        f"{count:,} of the {total:,} published records {one} your values; if you are in this "
        f"table{unless}, yours is {'this one' if count == 1 else 'one of them'}.",
        "always",
    )
    if count == 1:
        text = "If you are in this table, someone who knows your values can pick you out."
        yield Sentence("G2", text, "one record fits")
    else:
        text = (
            "Someone who knows your values cannot tell from them which one is yours: a guess is "
            f"right in {of_100(1 / count)} cases."
        )
        yield Sentence("G2", text, "several records fit")


def _homogeneity(shown: Shown) -> Iterator[Sentence]:
    title, top = shown.column.title, shown.top
    if shown.fitting == 1:
        text = f"That record shows {title}: {top}."
    elif shown.share == 1:
        text = (
            f"All {shown.fitting:,} show the same {title}: {top}. Someone who knows your values "
            "learns it without finding your record."
        )
    else:
        text = (
            f"The most frequent {title} among them is {top}: whoever guesses it is right in "
            f"{of_100(shown.share)} cases."
        )
    yield Sentence("G3", text, f"{title} is published beside your values")


def _skewness(shown: Shown) -> Iterator[Sentence]:
    value = shown.gained
    here, everywhere = shown.share_here(value), shown.share_everywhere(value)
    if 1 > here > everywhere:
        yield Sentence(
            "G4",
            f"{value} is more frequent among them than in the whole table: {of_100(here)} records "
            f"instead of {of_100(everywhere)}.",
            "a value gains by knowing your values",
        )


def _similarity(shown: Shown) -> Iterator[Sentence]:
    if shown.kind is not None:
        yield Sentence(
            "G5",
            f"Their {shown.column.title} differs, but all of it is {shown.kind}: someone who knows "
            "your values learns that much.",
            "one group of values covers all of them",
        )


def _knowledge(shown: Shown) -> Iterator[Sentence]:
    title, own, count = shown.column.title, shown.own, len(shown.here)
    if count > 1:
        rest = "the other one" if count == 2 else f"{count - 1:,} of them"
        yield Sentence(
            "G6",
            f"They show {count:,} different values of {title}: someone who can rule out {rest} "
            "knows yours.",
            "several values are shown",
        )
    if own is None:
        return
    if own not in shown.here.index:
        text = (
            f"None of them shows your {title}, {own}: either you are not in this table, or it was "
            "changed."
        )
        yield Sentence("G8", text, "you gave it, and no record that fits shows it")
    elif shown.everywhere[own] == 1:
        text = (
            f"Your {title}, {own}, stands in one record of the whole table: someone who knows that "
            "you have it finds your record, and reads the rest of it."
        )
        yield Sentence("G7", text, "you gave it, and it occurs once")
    elif shown.here[own] == 1 and shown.fitting > 1:
        text = (
            f"Only one of them shows your {title}, {own}: someone who knows that as well finds "
            "your record."
        )
        yield Sentence("G7", text, "you gave it, and one record that fits shows it")


def _suppression(fits: Fits) -> Iterator[Sentence]:
    hidden = int(fits.hidden.sum())
    if not hidden:
        return
    text = (
        f"{records(hidden)} of this table {'was' if hidden == 1 else 'were'} suppressed, because "
        "too few others look alike; nothing but the widest group is shown there"
    )
    if fits.suppressed and not fits.unread:
        text += (
            ". No other record fits you: if you are in this table, you are among the suppressed, "
            "and that alone says that your values are rare."
        )
    elif fits.by_class:
        text += ". As other records fit you, yours is none of these."
    else:
        text += "; yours may be among them, as almost anyone's."
    yield Sentence("G9", text, "some records show the widest group in every column")


def notes(fits: Fits) -> tuple[str, ...]:
    """What the person should know about the values she gave, and about gaps in the table."""
    said = []
    if fits.left_out:
        names = joined(column.title for column in fits.left_out)
        said.append(f"You left out {names}; the check used the other values.")
    if fits.empty:
        names = joined(column.title for column in fits.empty)
        said.append(f"No record shows {names}, so it tells no records apart.")
    for shown in fits.shown:
        gaps = shown.fitting - int(shown.here.sum())
        if gaps:
            title = shown.column.title
            said.append(f"{gaps:,} of the records that fit show no {title}.")
    return tuple(said)
