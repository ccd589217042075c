"""What a generalized table tells of one person, in the order of the screen."""

from __future__ import annotations

from collections.abc import Iterator

from verikit.languages import sentence_text, spoken_language
from verikit.subject._answer import say, say_better_guesser, say_figure, say_headline
from verikit.subject._report import Figure, Headline, Sentence
from verikit.subject._requirement import Requirement
from verikit.subject.generalized._find import Fits, Shown, find_exposed


def headlines(fits: Fits) -> Iterator[Headline]:
    """What may stand first, the worst first."""
    count = len(fits.rows)
    if not count:
        yield say_headline(f"generalized.{'none-fits' if fits.certain else 'untold-none'}")
    if fits.unnamed:
        yield say_headline("generalized.unnamed", values=_name_unnamed(fits))
    if fits.certain:
        yield from _list_warnings(fits)
    if fits.unread:
        yield say_headline("generalized.unread", columns=_name_unread(fits))
    if fits.suppressed:
        yield say_headline("generalized.only-suppressed")
    if not fits.certain:
        yield say_headline("generalized.untold", count=count)
    yield from _table_warning(fits)
    yield say_headline("generalized.no-warning", count=count)


def _list_warnings(fits: Fits) -> Iterator[Headline]:
    """The worst that someone who knows her values finds out."""
    count = len(fits.rows)
    if count == 1:
        if not fits.unread:
            yield say_headline("generalized.only-one")
        return
    for shown in fits.shown:
        told = {"title": shown.column.title, "top": shown.top, "count": count}
        if shown.share == 1:
            yield say_headline("generalized.learns", **told)
        elif shown.share >= fits.sure > shown.share_everywhere(shown.top) and not fits.unread:
            yield say_headline("generalized.guesses", **told, shown=int(shown.here.iloc[0]))
    for shown in fits.shown:
        if shown.kind is not None:
            title = shown.column.title
            yield say_headline(
                "generalized.learns-kind", title=title, group=shown.kind, count=count
            )


def _table_warning(fits: Fits) -> Iterator[Headline]:
    """How many people's record or sensitive value can be read off, where any can."""
    worst = max(find_exposed(fits), key=lambda part: int(part.records.sum()))
    people, hers = int(worst.records.sum()), int(worst.records[fits.rows].sum())
    if people:
        told = {"people": people, "records": len(fits.release), "title": worst.title}
        name = "gives-away" if worst.title else "picked-out"
        yield say_headline(f"generalized.table-{name}", **told, hers=_among(hers))


def _among(hers: int) -> str:
    name = {0: "none", 1: "one"}.get(hers, "several")
    return sentence_text(f"generalized.{name}-among", count=hers)


def figures(fits: Fits) -> Iterator[Figure]:
    """How many records fit, how many sensitive values they show, and the most frequent."""
    count = len(fits.rows)
    fit = "may-fit" if fits.unread or fits.unnamed else "fits" if count == 1 else "fit"
    yield say_figure(f"generalized.figure-{fit}", count=count)
    if not count or not fits.shown:
        yield say_figure("common.figure-published", records=len(fits.release))
        return
    shown = fits.shown[0]
    yield say_figure("generalized.figure-values", values=len(shown.here), title=shown.column.title)
    top = "figure-top" if shown.alike == 1 else "figure-top-tied"
    yield say_figure(f"generalized.{top}", share=shown.share, top=shown.top, alike=shown.alike)


def sentences(fits: Fits, headline: Headline) -> Iterator[Sentence]:
    """Everything that may be said."""
    yield from _say_taken(fits)
    if len(fits.rows):
        yield from _say_fitting(fits)
    if fits.certain and not fits.unnamed:
        for shown in fits.shown:
            yield from say_shown(shown, say_better_guesser(fits.release))
        if fits.hidden.any():
            yield _say_suppressed(fits)
    if headline.state != "warning-you":
        yield say("common.no-conclusion")


def _say_taken(fits: Fits) -> Iterator[Sentence]:
    """That cells, and not the publisher, make this a generalized table; and what is not read."""
    if fits.taken:
        cells = [
            sentence_text("generalized.taken-cell", name=name, cell=repr(cell))
            for name, cell in fits.taken.items()
        ]
        yield say("generalized.taken", columns=cells)
    if fits.unread:
        yield say("generalized.unread", columns=_name_unread(fits))
    if len(fits.rows) and fits.unnamed:
        yield say("generalized.unnamed", values=_name_unnamed(fits))


def _name_unnamed(fits: Fits) -> list[str]:
    """Which of her values stand on no label."""
    titles = {column.name: column.title for column in fits.columns}
    return [
        sentence_text("generalized.unnamed-value", title=titles[name], own=repr(own))
        for name, own in fits.unnamed.items()
    ]


def _name_unread(fits: Fits) -> list[str]:
    """Which columns hold labels that cannot be read."""
    return [
        sentence_text("generalized.unread-label", name=name, label=repr(label))
        for name, label in fits.unread.items()
    ]


def _say_fitting(fits: Fits) -> Iterator[Sentence]:
    """G1 and G2: how many records fit, and whether hers can be told from them."""
    count = len(fits.rows)
    told = {"count": count, "records": len(fits.release)}
    if fits.unnamed:
        return  # how many fit what was meant, nobody knows
    if fits.unread:
        yield say(f"generalized.at-most-{'one' if count == 1 else 'several'}", **told)
        return
    if not fits.certain:
        yield say(f"generalized.untold-{'one' if count == 1 else 'several'}", **told)
        return
    unless = fits.hidden.any() and not (fits.by_class or fits.suppressed)
    name = "fits" if count == 1 else "fit"
    yield say(f"generalized.{name}{'-unless' if unless else ''}", **told)
    if count == 1:
        yield say("generalized.picked-out")
    else:
        yield say("generalized.cannot-pick", guess=1 / count)


def _say_suppressed(fits: Fits) -> Sentence:
    count = int(fits.hidden.sum())
    hidden = sentence_text(f"generalized.hidden-{'one' if count == 1 else 'several'}", count=count)
    if fits.suppressed and not fits.unread:
        return say("generalized.hidden-only", hidden=hidden)
    return say(f"generalized.hidden-{'others' if fits.by_class else 'perhaps'}", hidden=hidden)


def notes(fits: Fits) -> Iterator[str]:
    """What the person should know about gaps in the table."""
    if fits.empty:
        yield sentence_text(
            "generalized.empty-column", names=[column.title for column in fits.empty]
        )
    for shown in fits.shown:
        gaps = shown.fitting - int(shown.here.sum())
        if gaps:
            yield sentence_text("generalized.gaps", count=gaps, title=shown.column.title)


def unmet(fits: Fits, required: Requirement) -> list[str] | None:
    """Whether too few records fit, or show too few sensitive values; None where none fits."""
    count, few = len(fits.rows), []
    if not count:
        return None
    if required.k is not None and count < required.k:
        few.append(sentence_text("generalized.too-few", count=count, required=required.k))
    if required.ell is not None:
        few += [_too_alike(shown, required.ell) for shown in fits.shown if _alike(shown, required)]
    judged = required.k is not None or bool(fits.shown)
    return few if judged else None


def _alike(shown: Shown, required: Requirement) -> bool:
    return required.ell is not None and len(shown.here) < required.ell


def _too_alike(shown: Shown, ell: int) -> str:
    title, values = shown.column.title, len(shown.here)
    return sentence_text("generalized.too-alike", title=title, values=values, required=ell)


def say_shown(shown: Shown, who: str) -> Iterator[Sentence]:
    """G3 to G8: how frequent its values are, who may do better, how alike, what hers would add."""
    yield _say_homogeneity(shown, who)
    yield from _say_skewness(shown)
    if shown.kind is not None:
        yield say("generalized.of-one-kind", title=shown.column.title, group=shown.kind)
    if len(shown.here) > 1:
        yield _say_knowledge(shown)
    if shown.own is not None:
        yield from _say_own(shown, shown.own)


def _say_homogeneity(shown: Shown, who: str) -> Sentence:
    told = {"title": shown.column.title, "top": shown.top}
    if shown.fitting == 1:
        return say("generalized.shows", **told)
    if shown.share == 1:
        return say("generalized.show-the-same", **told, count=shown.fitting)
    name = "most-frequent" if shown.alike == 1 else "one-of-the-most-frequent"
    return say(f"generalized.{name}", **told, share=shown.share, alike=shown.alike, better=who)


def _say_skewness(shown: Shown) -> Iterator[Sentence]:
    value = shown.gained
    here, everywhere = shown.share_here(value), shown.share_everywhere(value)
    written = {spoken_language().format_part(part) for part in (here, everywhere)}
    if 1 > here > everywhere and len(written) > 1:
        yield say("generalized.gains", value=value, here=here, everywhere=everywhere)


def _say_knowledge(shown: Shown) -> Sentence:
    title, values = shown.column.title, len(shown.here)
    if values == 2:
        return say("generalized.two-values", title=title)
    return say("generalized.several-values", title=title, values=values, others=values - 1)


def _say_own(shown: Shown, own: str) -> Iterator[Sentence]:
    told = {"title": shown.column.title, "own": own}
    if own not in shown.here.index:
        yield say("generalized.own-absent", **told)
    elif shown.everywhere[own] == 1:
        yield say("generalized.own-once", **told)
    elif shown.here[own] == 1 and shown.fitting > 1:
        yield say("generalized.own-among", **told)
