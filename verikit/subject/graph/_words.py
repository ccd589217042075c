"""What a published graph tells of one name, in the order of the screen."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from verikit.languages import sentence_text
from verikit.subject._answer import say, say_figure, say_headline
from verikit.subject._report import Figure, Headline, Sentence
from verikit.subject._requirement import Requirement
from verikit.subject.graph._find import MOST_LINES, Linked, names_of, surest_after


def headlines(found: Linked) -> Iterator[Headline]:
    """What may stand first, the worst first."""
    if not found.there:
        yield say_headline("graph.none", title=found.release.title(found.mine), name=found.name)
        return
    if found.surest == 1:
        yield say_headline("graph.learns", names=_name_likeliest(found))
    if found.surest >= found.sure:
        yield say_headline("graph.guesses", names=_name_likeliest(found), surest=found.surest)
    if found.size == 1:
        yield say_headline("graph.alone")
    yield from _table_warning(found)
    yield say_headline("graph.no-warning", surest=found.surest)


def _table_warning(found: Linked) -> Iterator[Headline]:
    """How many links between names are certain, or how many names stand for one node."""
    release = found.release
    certain = _count_exposed(found)
    if certain:
        yield say_headline("graph.table-certain", certain=certain, links=len(release))
    alone = int(np.count_nonzero(release.sizes(found.mine) == 1))
    if alone:
        told = {"alone": alone, "names": len(release.side(found.mine))}
        yield say_headline("graph.table-alone", **told)


def _count_exposed(found: Linked) -> int:
    """How many links join two groups of which every node is linked to every node."""
    release = found.release
    left = release.left_nodes[release.links[:, 0]]
    right = release.right_nodes[release.links[:, 1]]
    sizes, width = release.sizes("left"), release.sizes("right")
    keys, links = np.unique(left * len(width) + right, return_counts=True)
    pairs = sizes[keys // len(width)] * width[keys % len(width)]
    return int(links[links == pairs].sum())


def _name_likeliest(found: Linked) -> str:
    return names_of(found, found.groups[:1])[0]


def figures(found: Linked) -> Iterator[Figure]:
    """How many names her group holds, how sure a guess of a link is, how many links she has."""
    if not found.there:
        yield say_figure("common.figure-published", records=len(found.release))
        return
    few, many = int(found.degrees.min()), int(found.degrees.max())
    yield say_figure("graph.figure-group", size=found.size)
    yield say_figure("graph.figure-guess", surest=found.surest)
    if few == many:
        yield say_figure("graph.figure-links", links=many)
    else:
        yield say_figure("graph.figure-between", few=few, many=many)


def sentences(found: Linked, headline: Headline) -> Iterator[Sentence]:
    """Everything that may be said."""
    if found.there:
        yield say("graph.alone-in" if found.size == 1 else "graph.group", size=found.size)
        yield _say_degrees(found)
        if len(found.groups):
            yield say("graph.likeliest", names=_name_likeliest(found), surest=found.surest)
            yield from _say_reached(found)
            yield from _say_others_learned(found)
    if found.there and found.other is not None:
        yield from _say_own(found, found.other)
    if headline.state != "warning-you":
        yield say("common.no-conclusion")


def _say_degrees(found: Linked) -> Sentence:
    """L2: what everybody learns of how many links she has."""
    few, many = int(found.degrees.min()), int(found.degrees.max())
    if many == 0:
        return say("graph.no-links")
    if few == many:
        return say("graph.links", links=many)
    unique = int((np.bincount(found.degrees) == 1).sum())
    name = "graph.links-between" if unique else "graph.links-shared"
    return say(name, few=few, many=many, unique=unique, size=found.size)


def _say_reached(found: Linked) -> Iterator[Sentence]:
    """L4: the smallest group of the other side to which every node is linked that may be hers."""
    sure = np.flatnonzero((found.reaching == found.size) & (found.chances < 1))
    if len(sure):
        least = found.groups[sure[np.argmin(found.sizes[found.groups[sure]])]]
        yield say("graph.one-of", names=names_of(found, [least])[0])


def _say_others_learned(found: Linked) -> Iterator[Sentence]:
    """L5: what links of others give away of hers."""
    if found.size == 1:
        return
    if not found.apart:
        yield say("graph.not-apart", title=found.title)
    elif found.size == 2:
        yield say("graph.learned-one")
    else:
        yield say("graph.learned", one=surest_after(found, 1), last=found.size - 1)


def _say_own(found: Linked, other: str) -> Iterator[Sentence]:
    """L6 and L7: how likely the link looks that she gave, and what learning it gives away."""
    told = {"title": found.title, "other": other}
    if found.place < 0:
        yield say("graph.other-unknown", **told)
    elif not found.own:
        yield say("graph.own-impossible", **told)
    else:
        yield say("graph.own", **told, chance=found.own)
        yield _say_own_learned(found, other)


def _say_own_learned(found: Linked, other: str) -> Sentence:
    learned = found.learned
    told = {"other": other, "nodes": learned.nodes, "size": found.size}
    if not len(learned.groups):
        return say("graph.own-learned-alone", **told)
    names = names_of(found, learned.groups[:1])[0]
    name = "graph.own-learned-node" if learned.nodes == 1 else "graph.own-learned"
    return say(name, **told, names=names, chance=float(learned.chance[0]))


def notes(found: Linked) -> Iterator[str]:
    """What the table of links leaves out."""
    if found.there and len(found.groups) > MOST_LINES:
        yield sentence_text("graph.cut", number=len(found.groups), most=MOST_LINES)


def unmet(found: Linked, required: Requirement) -> list[str] | None:
    """Whether her group is too small, or a guess too sure; None where there is no such name."""
    if not found.there:
        return None
    few = []
    if required.k is not None and found.size < required.k:
        few.append(sentence_text("graph.too-few", size=found.size, required=required.k))
    if required.ell is not None and found.surest * required.ell > 1 + 1e-12:
        few.append(sentence_text("graph.too-sure", surest=found.surest, required=required.ell))
    return few
