"""What the card says besides the sentences: one line of her, what she can do, what words mean."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from verikit.languages import card_text, sentence_text, spoken_language, texts_of

if TYPE_CHECKING:
    from verikit.subject._report import SubjectReport

__all__ = [
    "TERMS",
    "do_now",
    "hers",
    "measure",
    "nearest_words",
    "spread_words",
    "steps",
    "term",
    "tied_words",
]

SHORT = 16
FITTING = ("fits", "people", "possible")  # facts that say how many may be hers
ASKS: Mapping[tuple[bool, bool], tuple[str, ...]] = {  # by whether method and test are told
    (False, False): ("do-ask",),
    (False, True): ("do-ask-made",),
    (True, False): ("do-ask-tested",),
    (True, True): (),
}
TERMS = {
    "S4": "made-up",
    "S9": "cases",
    "G1": "fit",
    "P1": "group",
    "D2": "target",
    "V2": "drawn",
    "L1": "nodes",
}


def _texts() -> Mapping[str, Mapping[str, str]]:
    return texts_of(spoken_language().code, "card")


def measure(criterion: str) -> str:
    """What the numbers of the table are: of a variance its root is shown."""
    name = "packing" if criterion.startswith("packing") else criterion
    words = _texts()["measures"].get(name, criterion)
    return words + criterion.removeprefix(name)


def do_now(report: SubjectReport) -> str:
    """What she can do now, wherever she lives."""
    words, step = _texts()["next"], next(iter(_asked(report)), "do-again")
    state = "warning-others" if of_others(report) else report.headline.state
    return words.get(state) or (words["ask"] if step == "do-ask" else card_text(step))


def steps(report: SubjectReport) -> list[str]:
    """The names of what she can ask for: nothing that is told, nor where no record fits her.

    Examples
    --------
    >>> import verikit as vk
    >>> steps(vk.check({"X1": 100.87}, vk.published("dm_table1_masked")))
    ['do-stronger', 'do-object']
    """
    fitting = next((report.facts[name] for name in FITTING if name in report.facts), 1)
    own = ("do-stronger", "do-object") if fitting and not of_others(report) else ()
    return [*_asked(report), *own]


def _asked(report: SubjectReport) -> tuple[str, ...]:
    """What the publisher has not told."""
    told = bool(report.facts.get("method")), report.facts.get("reported_links") is not None
    return ASKS[told]


def of_others(report: SubjectReport) -> bool:
    """Whether what the headline warns of concerns other people alone."""
    return report.headline.text.endswith(sentence_text("generalized.none-among"))


def term(key: str) -> str:
    """What the word means that a sentence with this number uses; empty where it uses none.

    Examples
    --------
    >>> term("S7"), term("V2").partition(":")[0]
    ('', 'Drawn anew')
    """
    return _texts()["terms"].get(TERMS.get(key, key), "")


def spread_words(criterion: str) -> str:
    """What the spread of a report is; empty for a criterion of somebody's own."""
    name = "packing" if criterion.startswith("packing") else criterion
    return _texts()["spread"].get(name, "")


def tied_words(report: SubjectReport) -> str:
    """What the lines show where no single one of the closest records is that near on all of them.

    Examples
    --------
    >>> import verikit as vk
    >>> tied_words(vk.check(vk.load("dm_table1").record(2), vk.published("dm_table1_masked")))
    ''
    """
    gaps = report.matches.iloc[:, 1:].to_numpy()
    one = (gaps == report.attributes["distance"].to_numpy()).all(axis=1).any()
    return "" if one else spoken_language().fill_in(_texts()["terms"]["tied"], {"count": len(gaps)})


def nearest_words(report: SubjectReport) -> str:
    """Which rows of the table are closest, the first ten of them by their numbers.

    Examples
    --------
    >>> import verikit as vk
    >>> nearest_words(vk.check({"X1": 100.8}, vk.published("dm_table1_masked")))
    'Closest: row 6 of the table.'
    """
    rows = [str(row) for row in report.matches["row"].head(10)]
    more = card_text("more") if len(report.matches) > len(rows) else ""
    return card_text("rows", rows=", ".join(rows) + more)


def hers(report: SubjectReport) -> str:
    """One short line about her; empty where the headline says it all.

    Examples
    --------
    >>> import verikit as vk
    >>> report = vk.check(vk.load("dm_table1").record(2), vk.published("dm_table1_masked"))
    >>> hers(report)
    'The closest record is 4 places away; it need not be yours.'
    """
    if "first_rank" in report.attributes:
        return _by_places(report)
    texts = [s.text for s in report.sentences if s.key not in ("S7", "S10", "S12", "R")]
    clause = re.split("[;:]", texts[0])[0].rstrip(" .\u00a0\u202f") if texts else ""
    if not clause or clause in report.headline.text:
        return ""
    figure = report.figures[0] if report.figures else None
    long = len(clause.split()) > SHORT and figure is not None
    return f"{figure.value} {figure.words}." if long and figure else f"{clause}."


def _by_places(report: SubjectReport) -> str:
    told: dict[str, Any] = {
        "distance": report.facts["distance"],
        "count": len(report.matches),
    }
    name = "several" if told["count"] > 1 else "one"
    if report.headline.state == "no-warning":
        name += "-known"
    elif name == "one" and report.sentence("S3"):
        name += "-not-yours"
    return spoken_language().fill_in(_texts()["you"][name], told)
