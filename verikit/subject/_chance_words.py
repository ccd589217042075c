"""The sentences about chance: how often others match as closely, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterator

from verikit.subject._chance import Chance
from verikit.subject._masked import Copies, Findings
from verikit.subject._report import Sentence
from verikit.subject._words import of_hundred

__all__ = ["blind", "chance_sentences", "closer", "copies_sentence", "paper_sentence"]

USUAL = 0.05


def _cases(share: float, error: float) -> str:
    """A share as a count of cases, with its error in the same unit.

    Examples
    --------
    >>> _cases(0.25, 0.0), _cases(0.25, 0.011), _cases(0.0051, 0.0016)
    ('25 of 100 cases', '25 of 100 cases, give or take 1.1', '5 of 1,000 cases, give or take 1.6')
    """
    unit = 100 if share >= 0.01 else 1000
    tail = f", give or take {max(unit * error, 0.1):.1f}" if error else ""
    return f"{of_hundred(share)} cases{tail}"


def copies_sentence(found: Copies) -> Sentence:
    """S13: the published records that show exactly her values."""
    shows = "record shows" if found.hers == 1 else "records show"
    others = f"{of_hundred(found.share)} published records have" if found.share else "no record has"
    text = f"{found.hers:,} published {shows} exactly your values; {others} an exact copy."
    return Sentence("S13", text, "a published record is equal to yours in all values you gave")


def chance_sentences(found: Chance | None, n: int) -> list[Sentence]:
    """S4 to S7: how often others match as closely, and what follows; S7 wherever nothing warns."""
    said: list[Sentence] = []
    if found is not None:
        said = [*_shares(found), *_warned(found, n)]
    if found is None or not found.warns:
        text = "From this we cannot conclude that you are protected."
        said.append(Sentence("S7", text, "nothing above the limit allows a conclusion"))
    return said


def _shares(found: Chance) -> Iterator[Sentence]:
    if found.independent or found.disagree:
        yield Sentence(
            "S4",
            "Made-up records, mixed from the published columns, find a match this close in "
            f"{_cases(found.made_up, found.error)}.",
            "computed exactly" if not found.error else "estimated, with its error",
        )
    which = f"{found.asked:,} published records, drawn at random," if found.others_error else "all"
    yield Sentence(
        "S5",
        "Other published records are this close to each other in "
        f"{_cases(found.others, found.others_error)}.",
        f"{which} taken out one by one, and checked against the rest as you are",
    )


def _warned(found: Chance, n: int) -> Iterator[Sentence]:
    limit = f"a limit of {of_hundred(found.alpha)} cases"
    if found.looks > 1:
        limit += f", divided by your {found.looks:,} looks at this table"
    if found.warns:
        yield Sentence("S6", closer(found), f"S5 against {limit}")
    if found.blind:
        yield Sentence("S6'", blind(found, n), f"even 0 places would not reach {limit}")


def closer(found: Chance) -> str:
    """S6: the warning, with its share of false alarms."""
    return (
        "A published record is closer to yours than chance explains. This is said of "
        f"{of_hundred(found.alpha)} people who are not in the table at all."
    )


def blind(found: Chance, n: int) -> str:
    """S6': why no match, however close, could have warned her."""
    if 1 / (found.asked + 1) > found.limit:
        return (
            f"With {n:,} published records only, no match could have warned you, however close: "
            "that takes more records to compare with."
        )
    return (
        "No match could have warned you, however close: "
        f"{of_hundred(found.least)} published records stand at 0 places from another one."
    )


def paper_sentence(findings: Findings, found: Chance | None) -> Sentence | None:
    """The paper's own reading for pure permutations, and why it does not hold."""
    if found is None or not findings.release.permutation:
        return None
    passes = "plausible" if found.made_up > USUAL else "not plausible"
    return Sentence(
        "DM",
        f"The paper behind this check would call your match {passes} as a chance match, and take "
        "a plausible one for protection. That does not hold: in tests on lightly masked tables "
        "most people with a plausible match were picked out all the same.",
        f"the release is a pure permutation; the usual limit of {of_hundred(USUAL)} cases",
    )
