"""The words with which offices write ranges of numbers, language by language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Words(NamedTuple):
    """What stands beside the ends of a range in a language, as patterns in small letters.

    Parameters
    ----------
    below, up_to, above, at_least
        Before one end: ``under 30``, ``up to 30``, ``over 79``, ``from 80``.
    and_more, and_less
        Behind one end: ``80 and over``, ``29 or less``.
    begins, to
        Around two ends: ``from 20 to 29``.
    between, and_
        Around two ends: ``between 20 and 29``.
    around
        What may stand anywhere: words of age and money.
    """

    below: str
    up_to: str
    above: str
    at_least: str
    and_more: str
    and_less: str
    begins: str
    to: str
    between: str
    and_: str
    around: str


WORDS: Mapping[str, Words] = {
    "en": Words(
        below="under|below|less than|fewer than|younger than",
        up_to="up to|at most",
        above="over|above|more than|older than",
        at_least="at least|from",
        and_more="plus|(?:and|or|&) (?:over|above|older|more|up)",
        and_less="(?:and|or|&) (?:under|below|younger|less)",
        begins="from",
        to="to|through|thru",
        between="between",
        and_="and",
        around="ages?|aged|years?|yrs?|old|eur|euros?|usd",
    ),
    "de": Words(
        below="unter|weniger als|jünger als",
        up_to="bis|bis zu|höchstens",
        above="über|mehr als|älter als",
        at_least="ab|mindestens",
        and_more="(?:und|oder) (?:mehr|älter|darüber)",
        and_less="(?:und|oder) (?:weniger|jünger|darunter)",
        begins="von",
        to="bis",
        between="zwischen",
        and_="und",
        around="alter|jahren?",
    ),
    "es": Words(
        below="menos de|menor(?:es)? de",
        up_to="hasta|como máximo",
        above="más de|mayor(?:es)? de",
        at_least="desde|a partir de|al menos",
        and_more="(?:y|o) más",
        and_less="(?:y|o) menos",
        begins="de|desde",
        to="a|hasta",
        between="entre",
        and_="y",
        around="edad|años",
    ),
    "fr": Words(
        below="moins de",
        up_to="jusqu['’]à|au plus",
        above="plus de",
        at_least="à partir de|au moins",
        and_more="(?:et|ou) plus",
        and_less="(?:et|ou) moins",
        begins="de|du",
        to="à|a|au",
        between="entre",
        and_="et",
        around="âge|âgée?s?|ans",
    ),
    "it": Words(
        below="meno di|sotto(?: i)?|minor[ei] di|inferior[ei] a|più giovan[ei] di",
        up_to="fino a[i]?|al massimo|non più di",
        above="più di|oltre(?: i)?|sopra(?: i)?|maggior[ei] di|superior[ei] a|più anzian[oi] di",
        at_least="da|dai|almeno|a partire da[i]?",
        and_more="(?:e|ed|o) (?:oltre|più|superiore)|in su",
        and_less="(?:e|o) (?:meno|inferiore)|in giù",
        begins="da|dai|dal",
        to="a|ai|al|fino a[i]?",
        between="tra|fra",
        and_="e",
        around="età|ann[oi]",
    ),
    "nl": Words(
        below="onder(?: de)?|minder dan|jonger dan|lager dan|beneden(?: de)?",
        up_to="tot|tot en met|t/m|hoogstens|ten hoogste|maximaal",
        above="boven(?: de)?|meer dan|ouder dan|hoger dan",
        at_least="vanaf|minstens|ten minste|minimaal",
        and_more="(?:en|of) (?:ouder|meer|hoger|daarboven)",
        and_less="(?:en|of) (?:jonger|minder|lager|daaronder)",
        begins="van|vanaf",
        to="tot|tot en met|t/m",
        between="tussen(?: de)?",
        and_="en(?: de)?",
        around="leeftijd|jaar|jaren|oud",
    ),
    "pl": Words(
        below="poniżej|mniej niż|młods[iz]y? niż",
        up_to="do|co najwyżej|najwyżej|nie więcej niż|maksymalnie",
        above="powyżej|ponad|więcej niż|stars[iz]y? niż",
        at_least="od|co najmniej|przynajmniej|minimum",
        and_more="(?:i|lub|albo) (?:więcej|powyżej|starsi|starszy|wyżej)",
        and_less="(?:i|lub|albo) (?:mniej|poniżej|młodsi|młodszy|niżej)",
        begins="od",
        to="do",
        between="między|pomiędzy",
        and_="a|i",
        around="wiek|wieku|w wieku|lat|lata|rok|roku|zł",
    ),
    "pt": Words(
        below="menos (?:de|que|do que)|abaixo d[eo]s?|menor(?:es)? (?:de|que|do que)"
        "|inferior(?:es)? a",
        up_to="até|até aos?|no máximo|não mais de",
        above="mais (?:de|que|do que)|acima d[eo]s?|maior(?:es)? (?:de|que|do que)"
        "|superior(?:es)? a",
        at_least="a partir d[eo]s?|desde|pelo menos|no mínimo",
        and_more="(?:e|ou) (?:mais|acima|superior|mais velhos)",
        and_less="(?:e|ou) (?:menos|abaixo|inferior|mais novos)",
        begins="de|dos|desde",
        to="a|aos?|até",
        between="entre(?: os)?",
        and_="e(?: os)?",
        around="idade|anos?",
    ),
}  # fmt: skip


def any_of(part: str) -> str:
    """The words of all languages for a part of a range, as one pattern in folded letters."""
    return "|".join(str(getattr(words, part)).casefold() for words in WORDS.values())
