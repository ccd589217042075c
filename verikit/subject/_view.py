"""The answer as data: what every face of it says, in one order, which the page shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from verikit._support.rules import RULES
from verikit.languages import card_text, sentence_text, spoken_language, texts_of, use_language
from verikit.subject._guess import MAX_LINES
from verikit.subject._known import names_rows
from verikit.table import Column

if TYPE_CHECKING:
    from verikit.subject._report import SubjectReport

VIEW: Mapping[str, Any] = RULES["view"]
FITTING = ("fits", "people", "possible")  # facts that say how many may be hers


class Part(NamedTuple):
    """One text of an answer, and what part of it that is."""

    name: str
    text: str


def list_parts(report: SubjectReport) -> tuple[Part, ...]:
    """All that an answer says in words, in the order in which every face shows it.

    Harm stands first, then how likely it is for her, what she can do now, how sure this is, and
    what it rests on.

    Examples
    --------
    >>> import verikit as vk
    >>> report = vk.check({"Age": 65, "Sex": "M"}, vk.published("lhcc_table4"))
    >>> for part in list_parts(report)[:4]:
    ...     print(f"{part.name}: {part.text}")
    tag: No warning, and no proof of protection
    harm: What somebody could learn of you: disease.
    headline: The best guess of your disease is right in 20 of 100 cases if within a group each
    value is equally likely for everyone.
    now: Ask the publisher how many people a test attack finds.
    """
    with use_language(report.headline.language):
        texts: Mapping[str, Sequence[str | None]] = {
            "tag": [report.headline.tag],
            "harm": [say_harm(report)],
            "headline": [report.headline.text],
            "share": [report.headline.share],
            "now": [card_text(name) for name in list_steps(report)],
            "whom": [say_whom(report, "whom")],
            "letter": [say_whom(report, "letter-text")],
            "asked": [report.sentence("R")],
            "note": list_notes(report),
            "detail": [report.sentence(key) for key in VIEW["detail"]],
            "sure": [*(report.sentence(key) for key in VIEW["sure"]), report.headline.better],
        }
        said = {name: [Part(name, t) for t in told if t] for name, told in texts.items()}
        said["found"] = [*_list_found(report)]
        said["now"][1:1] = said["whom"]  # who is asked first
    return tuple(part for name in VIEW["order"] for part in said[name])


def _list_found(report: SubjectReport) -> Iterator[Part]:
    """What was found besides, with the meaning of a term below the sentence that uses it."""
    for said in report.sentences:
        text = said.text.removeprefix(report.headline.text).strip()
        if text and said.key not in (*VIEW["sure"], *VIEW["detail"], "R"):
            yield Part("found", text)
            if term := term_text(said.key):
                yield Part("term", term)


def list_harm(release: Any, given: Sequence[Column]) -> list[str]:
    """The titles of what a release shows of a person and is not known: what is sensitive first."""
    names = {column.name for column in given}
    others = [c for c in release.schema if c.name not in names and not names_rows(release, c)]
    titles = [column.title for column in sorted(others, key=lambda c: c.role != "sensitive")]
    return titles or [card_text("harm-model")] * getattr(release, "from_model", False)


def say_harm(report: SubjectReport) -> str:
    """What somebody could learn of her who knows what she gave; empty where that is not known."""
    titles = report.facts.get("harm")
    if titles is None:
        return ""
    most, words = VIEW["most_titles"], titles or card_text("harm-none")
    short = ", ".join(titles[:most]) + card_text("more") if len(titles) > most else words
    return card_text("harm", titles=short)


def say_whom(report: SubjectReport, name: str) -> str:
    """To whom she can write, or what; empty where nobody is named.

    Examples
    --------
    >>> import verikit as vk
    >>> release = vk.published("lhcc_table4").describing(publisher="An office", contact="a@b.org")
    >>> say_whom(vk.check({"Age": 65, "Sex": "M"}, release), "whom")
    'Write to An office, a@b.org.'
    """
    about = report.facts.get("about", {})
    to = ", ".join(about[part] for part in ("publisher", "contact") if part in about)
    law, title = about.get("law") or card_text("law"), about.get("title", "")
    return to and card_text(name, to=to, title=title, law=law, tag=report.headline.tag)


def list_notes(report: SubjectReport) -> list[str]:
    """What she should know of her values; what explains a table stands beside it."""
    elsewhere = (sentence_text("split.formula"), sentence_text("common.cut", most=MAX_LINES))
    return [note for note in report.notes if note not in elsewhere]


def list_steps(report: SubjectReport) -> list[str]:
    """The names of what she can do: ask for nothing that is told, nor where no record fits her.

    Examples
    --------
    >>> import verikit as vk
    >>> list_steps(vk.check({"X1": 100.87}, vk.published("dm_table1_masked")))
    ['do-stronger', 'do-object', 'do-again']
    """
    facts = report.facts
    fitting = next((facts[name] for name in FITTING if name in facts), 1)
    others = report.headline.text.endswith(sentence_text("generalized.none-among"))
    made, tested = bool(facts.get("method")), facts.get("reported_links") is not None
    told = "both" if made and tested else "made" if made else "tested" if tested else "nothing"
    asks = [*(["do-others"] if others else []), *VIEW["asks"][told]]
    own = ["do-stronger", "do-object"] if fitting and not others else []
    warned = report.headline.state.startswith("warning")
    return [*own, *asks, "do-again"] if warned else [*asks, *own, "do-again"]


def term_text(key: str) -> str:
    """What the word means that a sentence with this number uses; empty where it uses none.

    Examples
    --------
    >>> term_text("S7"), term_text("V2").partition(":")[0]
    ('', 'Drawn anew')
    """
    terms = texts_of(spoken_language().code, "card")["terms"]
    return str(terms.get(VIEW["terms"].get(key, key), ""))
